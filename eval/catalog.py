"""How agents are compared: protocols, metrics, reports and their commands. Strings only."""

COMMANDS = {
    "bench": "memgym.eval.commands:bench",
    "figure": "memgym.eval.figure:figure",
}

COMMAND_HELP = {
    "bench": "Compare agents on an environment and print a table.",
    "figure": "Draw a run: reward with its interval, and what memory showed.",
}
