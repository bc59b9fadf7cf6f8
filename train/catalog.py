"""How a policy learns: trainers and their commands. Strings only."""

MODELS = {"policy": "memgym.train.batched:BatchedModel"}

COMMANDS = {
    "train": "memgym.train.commands:train",
    "recipes": "memgym.train.commands:recipes",
    "ppo": "memgym.train.ppo:ppo",
    "ppo-figure": "memgym.train.ppo:ppo_figure",
}

COMMAND_HELP = {
    "train": "Train a policy to manage its memory, as a recipe says.",
    "recipes": "List the recipes of training, or print one.",
    "ppo": "Learn memory decisions with Stable-Baselines3 on the structured view, beside scripts.",
    "ppo-figure": "Draw a run of memgym ppo.",
}
