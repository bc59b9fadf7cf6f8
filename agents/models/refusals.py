"""What a failed call means and what would help: errors of the ``openai`` client, put into words."""

from __future__ import annotations

_HELP = {
    400: "the server did not accept the request; a prompt longer than its context is the usual reason",
    401: "set OPENAI_API_KEY or MEMGYM_API_KEY, or give api_key",
    403: "this key may not use the model",
    404: "check the model's name and that base_url ends with the version part, as in .../v1",
    422: "the server did not accept the request; it may lack a field that was sent",
    429: "lower concurrency, or raise retries",
}
_SCHEMA_REFUSED = (400, 422)


def explain(error: Exception, model: str, endpoint: str) -> str:
    """Say which endpoint failed for which model, how (status and the server's own words), and what would help."""
    import openai

    where = f"{endpoint} (model {model!r})"
    if isinstance(error, openai.APITimeoutError):
        return f"{where} did not answer in time, with all retries; raise timeout, or lower concurrency."
    if isinstance(error, openai.APIConnectionError):
        reason = error.__cause__ or error
        return f"{where} could not be reached ({reason}); is the server running, and is base_url right?"
    if isinstance(error, openai.APIStatusError):
        help_ = _HELP.get(error.status_code, "the server failed; its log says why, and retries may be raised")
        return f"{where} answered with status {error.status_code}: {_words(error)}; {help_}."
    return f"{where} sent a reply that cannot be read ({error}); is it an OpenAI-compatible endpoint?"


def may_refuse_schema(error: BaseException | None) -> bool:
    """Return whether a refusal may be about the JSON schema: it is then worth asking once without."""
    return getattr(error, "status_code", None) in _SCHEMA_REFUSED or refuses_all_schemas(error)


def refuses_all_schemas(error: BaseException | None) -> bool:
    """Return whether the server's words are about the field that carries schemas (llama-cpp-python's, with a 500)."""
    return hasattr(error, "status_code") and "response_format" in str(error)


def _words(error: Exception) -> str:
    """Return the server's own message, shortened; the client's wrapping of it says the status a second time."""
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    return str(message or error)[:500].rstrip(".")
