"""Chat models: one file an engine, all behind ``memgym.model.ChatModel``."""
