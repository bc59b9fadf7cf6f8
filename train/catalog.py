"""How a policy learns: trainers and their commands. Strings only."""

COMMANDS: dict[str, str] = {}
