"""Requests that come one by one, answered many at once: what comes while a batch is written waits for the next one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from .segments import Generated, Sampling

_Waiting = tuple[Sequence[int], Sampling, "asyncio.Future[Generated]"]


class Gathering:
    """Asks ``generate`` (prompts, samplings) in a thread, for at most ``most`` prompts at once (None: all there are).

    ``pause``: seconds for which a batch waits for prompts that are on their way. What ``generate`` raises is raised for
    every prompt of its batch, and the next one goes on.
    """

    def __init__(
        self,
        generate: Callable[[Sequence[Sequence[int]], Sequence[Sampling]], list[Generated]],
        *,
        most: int | None = None,
        pause: float = 0.0,
    ) -> None:
        self._generate, self._most, self._pause = generate, most, pause
        self._waiting: list[_Waiting] = []
        self._working: asyncio.Task[None] | None = None

    async def ask(self, prompt: Sequence[int], sampling: Sampling) -> Generated:
        """Return the reply to one prompt."""
        answer: asyncio.Future[Generated] = asyncio.get_running_loop().create_future()
        self._waiting.append((prompt, sampling, answer))
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())
        return await answer

    async def _work(self) -> None:
        while self._waiting:
            await asyncio.sleep(self._pause)
            most = len(self._waiting) if self._most is None else self._most
            batch, self._waiting = self._waiting[:most], self._waiting[most:]
            await self._answer(batch)

    async def _answer(self, batch: Sequence[_Waiting]) -> None:
        prompts, samplings, answers = zip(*batch, strict=True)
        try:
            made = await asyncio.to_thread(self._generate, prompts, samplings)
        except Exception as error:
            # Whoever asked is told.
            for answer in answers:
                if not answer.done():
                    answer.set_exception(error)
            return
        for answer, one in zip(answers, made, strict=True):
            if not answer.done():
                answer.set_result(one)
