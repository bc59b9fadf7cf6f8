"""How agents are compared: protocols, metrics, reports and their commands. Strings only."""

PROTOCOLS = {
    "isolated": "memgym.eval.protocols.isolated:Isolated",
    "curriculum": "memgym.eval.protocols.curriculum:Curriculum",
    "offline-declarative": "memgym.eval.protocols.offline_declarative:OfflineDeclarative",
    "offline-procedural": "memgym.eval.protocols.offline_procedural:OfflineProcedural",
    "online-procedural": "memgym.eval.protocols.online_procedural:OnlineProcedural",
    "batch-procedural": "memgym.eval.protocols.batch_procedural:BatchProcedural",
    "streaming-procedural": "memgym.eval.protocols.streaming_procedural:StreamingProcedural",
    "adversarial-noise": "memgym.eval.protocols.adversarial_noise:AdversarialNoise",
    "temporal-shift": "memgym.eval.protocols.temporal_shift:TemporalShift",
    "cross-agent-transfer": "memgym.eval.protocols.cross_agent_transfer:CrossAgentTransfer",
    "reflection-procedural": "memgym.eval.protocols.reflection_procedural:ReflectionProcedural",
    "scenario-declarative": "memgym.eval.protocols.scenario_declarative:ScenarioDeclarative",
}

METRICS = {
    "bleu-1": "memgym.eval.metrics.overlap:bleu_1",
    "rouge-1": "memgym.eval.metrics.overlap:rouge_1",
    "rouge-2": "memgym.eval.metrics.overlap:rouge_2",
    "rouge-l": "memgym.eval.metrics.overlap:rouge_l",
    "meteor": "memgym.eval.metrics.overlap:meteor",
    "meteor-stem": "memgym.eval.metrics.overlap:meteor_stem",
    "bertscore": "memgym.eval.metrics.similarity:bertscore",
    "sbert": "memgym.eval.metrics.similarity:sbert",
}

COMMANDS = {
    "bench": "memgym.eval.commands:bench",
    "credit": "memgym.eval.credit.command:credit",
    "figure": "memgym.eval.figure:figure",
    "judge": "memgym.eval.judging.commands:judge",
    "rescore": "memgym.eval.report.commands:rescore",
    "report": "memgym.eval.report.commands:report",
    "view": "memgym.eval.report.commands:view",
    "map": "memgym.eval.report.commands:map_entries",
}

COMMAND_HELP = {
    "bench": "Compare agents on an environment and print a table.",
    "credit": "Say which entry, or which operation, earned the reward of an episode.",
    "figure": "Draw a run: reward with its interval, and what memory showed.",
    "judge": "Have a chat model judge the answers of a run.",
    "rescore": "Score the records of a run again, without a model.",
    "report": "Write one page of one or more runs, for a browser without a network.",
    "view": "Write one page of one episode, step by step.",
    "map": "Draw the entries of one or more runs as points, by PCA and t-SNE.",
}
