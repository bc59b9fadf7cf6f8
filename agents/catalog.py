"""Who acts: agents and the chat models that they ask. Strings only."""

AGENTS = {
    "no-memory": "memgym.agents.scripted:NoMemory",
    "full-context": "memgym.agents.scripted:FullContext",
    "bm25-rag": "memgym.agents.rag:TextRag",
    "dense-rag": "memgym.agents.rag:DenseRag",
    "hybrid-rag": "memgym.agents.rag:HybridRag",
    "scratchpad-only": "memgym.agents.scripted:ScratchpadOnly",
    "random": "memgym.agents.chance:RandomAgent",
    "oracle": "memgym.agents.oracle:Oracle",
    "llm": "memgym.agents.llm:LanguageModelAgent",
}

MODELS = {
    "none": "memgym.agents.models.none:NoModel",
    "openai": "memgym.agents.models.openai:OpenAIModel",
    "transformers": "memgym.agents.models.transformers:TransformersModel",
}
