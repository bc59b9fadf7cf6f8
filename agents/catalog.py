"""Who acts: agents and the chat models that they ask. Strings only."""

AGENTS = {
    "no-memory": "memgym.agents.scripted:NoMemory",
    "full-context": "memgym.agents.scripted:FullContext",
    "bm25-rag": "memgym.agents.rag:TextRag",
    "dense-rag": "memgym.agents.rag:DenseRag",
    "hybrid-rag": "memgym.agents.rag:HybridRag",
    "scratchpad-only": "memgym.agents.scripted:ScratchpadOnly",
    "random": "memgym.agents.chance:RandomAgent",
    "handcoded": "memgym.agents.handcoded:Handcoded",
    "oracle": "memgym.agents.oracle:Oracle",
    "llm": "memgym.agents.llm:LanguageModelAgent",
    "memory-system": "memgym.agents.lifecycle.system:MemorySystem",
}

MODELS = {
    "none": "memgym.agents.models.none:NoModel",
    "openai": "memgym.agents.models.openai:OpenAIModel",
    "transformers": "memgym.agents.models.transformers:TransformersModel",
}

COMPONENTS = {
    "none.backend": "memgym.agents.lifecycle.builtin:NoStore",
    "text.backend": "memgym.agents.lifecycle.builtin:TextStore",
    "vector.backend": "memgym.agents.lifecycle.builtin:VectorStore",
    "passage.formation": "memgym.agents.lifecycle.builtin:PassageFormation",
    "none.evolution": "memgym.agents.lifecycle.builtin:NoEvolution",
    "text.retrieval": "memgym.agents.lifecycle.builtin:TextSearch",
    "dense.retrieval": "memgym.agents.lifecycle.builtin:DenseSearch",
    "hybrid.retrieval": "memgym.agents.lifecycle.builtin:HybridSearch",
    "none.retrieval": "memgym.agents.lifecycle.builtin:NoSearch",
    "prompt.utilization": "memgym.agents.lifecycle.builtin:PromptInjection",
    "scratchpad.utilization": "memgym.agents.lifecycle.builtin:ScratchpadInjection",
}
