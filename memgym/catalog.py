"""The hall's own names: strings only, so that importing this loads nothing."""

DIALECTS = {
    "xml": "memgym.dialects.xml:XmlDialect",
    "atommem": "memgym.dialects.atommem:AtomMemDialect",
    "tools": "memgym.dialects.tools:ToolsDialect",
}

ENCODERS = {
    "hashing": "memgym.memory.encoders:HashingEncoder",
    "random": "memgym.memory.encoders:RandomEncoder",
    "minilm": "memgym.memory.minilm:MiniLMEncoder",
    "sentence-transformers": "memgym.memory.encoders:SentenceTransformerEncoder",
    "openai": "memgym.memory.remote:OpenAIEncoder",
}

TOKENIZERS = {
    "cl100k": "memgym.tokens:Cl100k",
    "huggingface": "memgym.tokens:HuggingFaceTokenizer",
}

COMMANDS = {
    "list": "memgym.commands:list_names",
    "play": "memgym.play:play",
    "replay": "memgym.commands:replay",
    "new": "memgym.scaffold:new",
    "match": "memgym.matching:match",
    "show": "memgym.show:show",
}

COMMAND_HELP = {
    "list": "List environments, agents, models and every other part.",
    "play": "Play an environment yourself, in the terminal.",
    "replay": "Run recorded episodes again and compare them byte for byte.",
    "new": "Write the skeleton of a benchmark as a package of its own.",
    "match": "Enumerate the memory systems that fit a benchmark, and why the others do not.",
    "show": "Show what an agent or a component is made of.",
}
