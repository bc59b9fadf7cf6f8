"""How a policy learns: trainers and their commands. Strings only."""

MODELS = {"policy": "memgym.train.batched:BatchedModel"}

COMMANDS = {
    "train": "memgym.train.commands:train",
    "recipes": "memgym.train.commands:recipes",
}

COMMAND_HELP = {
    "train": "Train a policy to manage its memory, as a recipe says.",
    "recipes": "List the recipes of training, or print one.",
}
