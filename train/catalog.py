"""How a policy learns: trainers and their commands. Strings only."""

MODELS = {"policy": "memgym.train.batched:BatchedModel"}

COMMANDS = {
    "train": "memgym.train.commands:train",
    "recipes": "memgym.train.commands:recipes",
    "sft": "memgym.train.sft:sft",
    "new-model": "memgym.train.policy.command:new_model",
    "ppo": "memgym.train.ppo:ppo",
    "ppo-figure": "memgym.train.ppo:ppo_figure",
}

COMMAND_HELP = {
    "train": "Train a policy to manage its memory, as a recipe says.",
    "sft": "Warm a policy up: imitate the steps of a teacher's episodes that scored.",
    "new-model": "Make a small language model to train, from a seed or from an installed package.",
    "recipes": "List the recipes of training, or print one.",
    "ppo": "Learn memory decisions with Stable-Baselines3 on the structured view, beside scripts.",
    "ppo-figure": "Draw a run of memgym ppo.",
}
