"""What is asked: benchmarks and the environment ids made of them. Strings and numbers only."""

SIZES = (50, 100, 200, 400, 800, 1600)

BENCHMARKS = {
    "HotpotQA": "memgym.envs.hotpotqa:HotpotQA",
    "2WikiMultihopQA": "memgym.envs.twowiki:TwoWikiMultihopQA",
    "MuSiQue": "memgym.envs.musique:MuSiQue",
    "Synthetic": "memgym.envs.synthetic:Synthetic",
    "SyntheticTiny": "memgym.envs.synthetic.tiny:SyntheticTiny",
    "Whereabouts": "memgym.envs.whereabouts:Whereabouts",
    "SyntheticDialogue": "memgym.envs.dialogue:SyntheticDialogue",
    "LoCoMo": "memgym.envs.locomo:LoCoMo",
    "LongMemEval": "memgym.envs.longmemeval:LongMemEval",
    "Experience": "memgym.envs.experience:LivedExperience",
    "ALFWorld": "memgym.envs.alfworld.benchmark:ALFWorld",
    "ALFWorld-generated": "memgym.envs.alfworld.generated:GeneratedALFWorld",
    "TextWorld-simple": "memgym.envs.textworld.benchmark:SimpleGames",
    "TextWorld-coin_collector": "memgym.envs.textworld.benchmark:CoinCollector",
    "TextWorld-treasure_hunter": "memgym.envs.textworld.benchmark:TreasureHunter",
    "TextWorld-cooking": "memgym.envs.textworld.benchmark:CookingGames",
}

ENVIRONMENTS = {
    f"{name}-{size}doc": {"benchmark": name, "documents": size}
    for name in ("HotpotQA", "2WikiMultihopQA", "MuSiQue", "Synthetic")
    for size in SIZES
}
ENVIRONMENTS |= {
    f"ALFWorld-{split}": {"benchmark": "ALFWorld", "split": split} for split in ("seen", "unseen", "train")
}
ENVIRONMENTS |= {
    name: {"benchmark": name}
    for name in (
        "ALFWorld-generated",
        "TextWorld-simple",
        "TextWorld-coin_collector",
        "TextWorld-treasure_hunter",
        "TextWorld-cooking",
    )
}
ENVIRONMENTS |= {
    **{f"SyntheticDialogue-{n}sessions": {"benchmark": "SyntheticDialogue", "sessions": n} for n in (5, 10, 20, 35)},
    "LoCoMo": {"benchmark": "LoCoMo"},
    **{
        f"LoCoMo-{category}": {"benchmark": "LoCoMo", "categories": category}
        for category in ("multi_hop", "temporal", "open_domain", "single_hop", "adversarial")
    },
    **{
        f"LoCoMo-conv-{number}": {"benchmark": "LoCoMo", "conversation": f"conv-{number}"}
        for number in (26, 30, 41, 42, 43, 44, 47, 48, 49, 50)
    },
    **{
        f"LongMemEval-{layout}": {"benchmark": "LongMemEval", "layout": layout.lower()}
        for layout in ("oracle", "S", "M")
    },
}
ENVIRONMENTS |= {"Synthetic-tiny": {"benchmark": "SyntheticTiny", "documents": 12, "capacity": 4}}
ENVIRONMENTS |= {"Whereabouts": {"benchmark": "Whereabouts", "capacity": 2, "max_tokens": 14, "reads": "persistent"}}
ENVIRONMENTS |= {"Experience": {"benchmark": "Experience", "advance": "explicit"}}

METRICS = {
    "em": "memgym.envs.rewards:exact_match",
    "em_math": "memgym.envs.rewards:math_match",
    "f1": "memgym.envs.rewards:token_f1",
    "abstention": "memgym.envs.abstention:abstention",
    "locomo_f1": "memgym.envs.locomo_scoring:locomo_f1",
    "locomo_multi_hop": "memgym.envs.locomo_scoring:locomo_multi_hop",
    "locomo_open_domain": "memgym.envs.locomo_scoring:locomo_open_domain",
    "locomo_adversarial": "memgym.envs.locomo_scoring:locomo_adversarial",
    "a_mem_f1": "memgym.envs.locomo_scoring:a_mem_f1",
}

MODELS = {"rules": "memgym.envs.synthetic.rules:RulesModel"}

COMMANDS = {"data": "memgym.envs.commands:data"}

COMMAND_HELP = {"data": "Get benchmark files, or show which are there."}
