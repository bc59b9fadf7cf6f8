"""How agents are compared: protocols, metrics, reports and their commands. Strings only."""

COMMANDS = {"bench": "memgym.eval.commands:bench"}
