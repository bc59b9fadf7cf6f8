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
    "openai": "memgym.memory.encoders:OpenAIEncoder",
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
}
