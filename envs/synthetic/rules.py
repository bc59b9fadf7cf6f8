"""The chat model "rules": a deterministic reader of the synthetic world's language, in the place of a language model.

It answers typed requests from their inputs alone, so that agents can be compared where no endpoint is at hand. It
knows nothing of natural text, and every table that it is used in says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from memgym.model import ModelError, Reply, Request, Usage
from memgym.tokens import make_tokenizer

from ..dialogue import reader as talk
from ..dialogue.notes import take_notes as take_notes_of_talk
from ..rewards import exact_match
from .notes import take_notes
from .replies import REPLIES
from .solve import answer


class RulesModel:
    """Answers the requests named in ``REQUESTS``, each with a JSON object.

    "answer": inputs ``question`` and ``text`` give {"answer": ...}, "unknown" where the text does not hold the whole
    chain. "note": inputs ``questions``, ``scratchpad``, ``text`` and ``limit`` (tokens) give {"scratchpad": ...}.
    "judge": inputs ``question``, ``answers`` and ``prediction`` give {"reason": ..., "verdict": ...}, by exact match.
    The requests of memory systems are answered by ``replies``. A text that is a conversation (the header of a session,
    or dated turns) is read in the language of ``SyntheticDialogue`` for both, any other in that of ``Synthetic``.
    Tokens are counted with cl100k: of the messages, or of the input texts where there are no messages.
    """

    name = "rules"

    @classmethod
    def kinds(cls) -> frozenset[str]:
        """Return the kinds of request that it answers; a model without such a list may answer any."""
        return frozenset(REQUESTS)

    def __init__(self) -> None:
        self._count = make_tokenizer("cl100k").count

    async def chat(self, request: Request) -> Reply:
        """Answer one request; raises ModelError for a name or inputs that it does not know."""
        if not set(INPUTS.get(request.name, ("",))) <= set(request.inputs):
            raise ModelError(self._refusal(request))
        text = json.dumps(REQUESTS[request.name](request.inputs, self._count), ensure_ascii=False)
        return Reply(text, Usage(calls=1, prompt_tokens=self._prompt(request), completion_tokens=self._count(text)))

    def _refusal(self, request: Request) -> str:
        if request.name not in REQUESTS:
            known = ", ".join(REQUESTS)
            return (
                f"The model 'rules' is no language model and does not answer the request {request.name!r}; "
                f"give one, as in openai:NAME. It answers: {known}."
            )
        wanted = ", ".join(INPUTS[request.name])
        given = ", ".join(map(str, request.inputs)) or "none"
        return f"The model 'rules' answers {request.name!r} from the inputs {wanted}; given: {given}."

    def _prompt(self, request: Request) -> int:
        if request.messages:
            return sum(self._count(message.content) for message in request.messages)
        return sum(self._count(text) for value in request.inputs.values() for text in _texts(value))


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, (list, tuple)) else []


def _answer(inputs: Mapping[str, Any], count: Callable[[str], int]) -> dict[str, str]:
    read = talk.answer if talk.is_conversation(inputs["text"]) else answer
    return {"answer": read(inputs["question"], inputs["text"])}


def _note(inputs: Mapping[str, Any], count: Callable[[str], int]) -> dict[str, str]:
    listening = any(talk.is_conversation(inputs[name]) for name in ("scratchpad", "text"))
    said = (take_notes_of_talk if listening else take_notes)(
        inputs["questions"], inputs["scratchpad"], inputs["text"], inputs["limit"], count
    )
    return {"scratchpad": said}


def _judge(inputs: Mapping[str, Any], count: Callable[[str], int]) -> dict[str, str]:
    """Say what exact match says: no judge of language, but one whose verdicts are known in advance."""
    equal = exact_match(inputs["prediction"], inputs["answers"]) == 1.0
    said = "Equal to an accepted answer." if equal else "Equal to no accepted answer."
    return {"reason": f"{said} (exact match)", "verdict": "correct" if equal else "wrong"}


REQUESTS: dict[str, Callable[[Mapping[str, Any], Callable[[str], int]], dict[str, Any]]] = {
    "answer": _answer,
    "note": _note,
    "judge": _judge,
    **{name: reply for name, (_, reply) in REPLIES.items()},
}
INPUTS: dict[str, tuple[str, ...]] = {
    "answer": ("question", "text"),
    "note": ("questions", "scratchpad", "text", "limit"),
    "judge": ("question", "answers", "prediction"),
    **{name: inputs for name, (inputs, _) in REPLIES.items()},
}
