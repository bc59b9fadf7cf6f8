"""What is asked: benchmarks and the environment ids made of them. Strings and numbers only."""

SIZES = (50, 100, 200, 400, 800, 1600)

BENCHMARKS = {
    "HotpotQA": "memgym.envs.hotpotqa:HotpotQA",
    "2WikiMultihopQA": "memgym.envs.twowiki:TwoWikiMultihopQA",
    "MuSiQue": "memgym.envs.musique:MuSiQue",
    "Synthetic": "memgym.envs.synthetic:Synthetic",
}

ENVIRONMENTS = {
    f"{name}-{size}doc": {"benchmark": name, "documents": size}
    for name in ("HotpotQA", "2WikiMultihopQA", "MuSiQue", "Synthetic")
    for size in SIZES
}

METRICS = {
    "em": "memgym.envs.rewards:exact_match",
    "em_math": "memgym.envs.rewards:math_match",
    "f1": "memgym.envs.rewards:token_f1",
}

MODELS = {"rules": "memgym.envs.synthetic.rules:RulesModel"}

COMMANDS = {"data": "memgym.envs.commands:data"}

COMMAND_HELP = {"data": "Get benchmark files, or show which are there."}
