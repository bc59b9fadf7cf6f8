"""The endpoint that the tests of the OpenAI client talk to."""

from endpoint import server

__all__ = ["server"]
