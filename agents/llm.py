"""A language model that writes its memory operations itself, in the episode's dialect: AtomMem's policy, untrained."""

from __future__ import annotations

from collections import deque
from typing import Any

from memgym.agent import Agent, Briefing, Observation
from memgym.dialects import Dialect
from memgym.model import ChatModel, Message, Request
from memgym.registry import unknown

from .asking import needed

PROMPTS = ("full", "compact")

STRATEGY = """\
You work through a task that is longer than what you can see at once. All that stays with you from one step to the \
next is the scratchpad, shown at every step, and a store of memories, of which you see only what you ask for.

At every step you get the task, the scratchpad, the memories that you asked for at the step before, how your last \
operations went, and the present part of the input. Then you write operations.

- While you read: keep what helps with any of the questions, and facts that lead on to such facts. One memory, one \
fact, understandable by itself, with full names. Keep the scratchpad short: the questions, what is settled, what is \
missing.
- When something is said anew or differently, change the memory that you have instead of adding a second one, and \
delete what is no longer true or needed.
- What you ask for now is shown at the next step. Ask with the words that the wanted memory would contain, and ask \
differently if the first try did not find it.
- When a question has to be answered: ask for what is missing first, then answer with the shortest exact span, \
without explanation.\
"""


class LanguageModelAgent(Agent):
    """Shows the model each observation as one prompt and returns its reply as it is; the environment parses it.

    history: how many earlier steps (prompt and reply) stay in the conversation. 0, as AtomMem: every step is a fresh
    prompt, so that memory is the only way to remember. instructions: replaces the strategy part of the system text;
    the grammar of the dialect, for the operations and commands allowed now, is always added. temperature: None is
    greedy; above 0 each step draws a seed from the episode's generator. max_tokens: the longest reply (AtomMem: 4096).
    prompt: "full", or "compact" for a model that is trained rather than told: questions (else the task), scratchpad,
    memories and input, each behind one letter, with no strategy, grammar, budget or results and no system text.

    Deviations from AtomMem's prompt: our own words; no count of queries (the environment's budget is shown instead).
    """

    name = "llm"
    asks = ("policy",)

    def __init__(
        self,
        model: ChatModel | None = None,
        *,
        history: int = 0,
        instructions: str | None = None,
        temperature: float | None = None,
        max_tokens: int = 4096,
        prompt: str = "full",
    ) -> None:
        if prompt not in PROMPTS:
            raise unknown("prompt", prompt, PROMPTS)
        if history < 0 or max_tokens < 1:
            raise ValueError(f"history is {history}, max_tokens is {max_tokens}; at least 0 and 1 were expected.")
        self.model = needed(model, self.name)
        self.strategy = STRATEGY if instructions is None else instructions
        self.temperature = temperature or 0.0
        self.max_tokens = max_tokens
        self._compact = prompt == "compact"
        self._past: deque[Message] = deque(maxlen=2 * history)

    async def reset(self, briefing: Briefing) -> None:
        self._briefing = briefing
        self._grammars: dict[tuple[str, ...], str] = {}
        self._past.clear()

    async def act(self, observation: Observation) -> str:
        prompt = Message("user", self._prompt(observation))
        reply = await self.model.chat(self._request(observation, prompt))
        self._past.extend((prompt, Message("assistant", reply.text)))
        return reply.text

    def _request(self, observation: Observation, prompt: Message) -> Request:
        seed = int(self._briefing.rng.integers(2**31)) if self.temperature > 0 else None
        return Request(
            name="policy",
            messages=(*self._said(observation), *self._past, prompt),
            inputs=_inputs(observation),
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            seed=seed,
        )

    def _said(self, observation: Observation) -> tuple[Message, ...]:
        return () if self._compact else (Message("system", self._system(observation)),)

    def _system(self, observation: Observation) -> str:
        briefing, commands = self._briefing, tuple(observation.view.commands)
        grammar = self._grammars.get(commands)
        if grammar is None:
            grammar = briefing.dialect.instructions(sorted(briefing.operations), commands)
            self._grammars[commands] = grammar
        return f"{self.strategy}\n\n{grammar}".strip()

    def _prompt(self, observation: Observation) -> str:
        if self._compact:
            return compact(observation, self._briefing.dialect)
        view, dialect = observation.view, self._briefing.dialect
        parts = {
            "Task": view.instruction,
            "Budget": observation.budget,
            "Scratchpad": observation.scratchpad or "(empty)",
            "Memories that you asked for": dialect.render(observation.memories) or "(none)",
            "How your last operations went": dialect.feedback(observation.results),
            "Commands that are possible": "\n".join(view.admissible),
            "Present input": view.text,
        }
        return "\n\n".join(f"## {heading}\n{text}" for heading, text in parts.items() if text)


def compact(observation: Observation, dialect: Dialect) -> str:
    """Return an observation in as few tokens as can be; a part that is empty is left out."""
    view = observation.view
    parts = {
        "Q": " ".join(view.questions) or view.instruction,
        "S": observation.scratchpad,
        "M": dialect.render(observation.memories),
        "A": "; ".join(view.admissible),
        "T": view.text,
    }
    return "\n".join(f"{letter}: {text}" for letter, text in parts.items() if text)


def _inputs(observation: Observation) -> dict[str, Any]:
    """Return the observation as data, for a model that plays without reading a prompt."""
    view = observation.view
    return {
        "phase": view.phase,
        "instruction": view.instruction,
        "questions": list(view.questions),
        "text": view.text,
        "scratchpad": observation.scratchpad,
        "memories": [{"id": hit.entry.id, "text": hit.entry.text} for hit in observation.memories],
        "commands": list(view.commands),
        "admissible": list(view.admissible),
        "remaining": observation.remaining,
    }
