"""How agents are compared: protocols, metrics, reports and their commands. Strings only."""

COMMANDS = {"bench": "memgym.eval.commands:bench"}

COMMAND_HELP = {"bench": "Compare agents on an environment and print a table."}
