"""Any OpenAI-compatible endpoint as a ChatModel: hosted, or a server of one's own (vLLM, llama.cpp, ...)."""

from __future__ import annotations

import asyncio
import logging
import os
import weakref
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgym.model import ModelError, Reply, Request, Usage

from .cache import ResponseCache, digest
from .refusals import explain, may_refuse_schema, refuses_all_schemas
from .unicode import encodable

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_log = logging.getLogger(__name__)

NO_KEY = "none"
"""Sent where no key is known: the client insists on one, a local server ignores it."""
_KNOCK = 10.0
"""Seconds that an endpoint has for its list of models."""
_PAUSE = 0.5
"""Seconds until a connection that could not be made is tried once more."""


@dataclass(slots=True)
class _Door:
    """What belongs to one event loop: a client's connections and a semaphore cannot move to another."""

    client: AsyncOpenAI
    gate: asyncio.Semaphore
    closing: AsyncGenerator[None, None]
    knock: asyncio.Task[None] | None = None


class OpenAIModel:
    """A model behind an OpenAI-compatible chat endpoint. Usable from any number of event loops.

    Args:
        model: the name that the endpoint knows the model by.
        base_url: the endpoint, with its version part ("http://127.0.0.1:8000/v1"); default: MEMGYM_BASE_URL, then
            OPENAI_BASE_URL, then OpenAI itself.
        api_key: default: MEMGYM_API_KEY, then OPENAI_API_KEY. An endpoint of one's own needs none.
        cache: a folder, or a ResponseCache; None: nothing is kept. A request that samples (temperature above 0)
            without a seed is never cached: its reply is not a function of it.
        prices: dollars per million tokens, (prompt, completion). None: the cost counts as 0, and ``describe`` says so.
        timeout: seconds a call may take; retries: further tries after a time-out, a lost connection, 408, 409, 429 or
            5xx, with exponential back-off or as Retry-After says; concurrency: most calls at once in one event loop.
        limit: the name of the field that bounds the reply: "max_tokens", or "max_completion_tokens" (the default for
            OpenAI itself, whose newer models refuse the other).
        schemas: send JSON schemas; False spares a server that knows none the first try.
        logprobs: ask for the log-probabilities of the reply's tokens.
        extra: more fields for the body of every call, as the endpoint knows them; they win over our own.

    A server that refuses a JSON schema is asked again without (the text of a request says the form too). If that
    works, it is remembered and the log says so once: for requests of this name, or for all where the server's words
    are about ``response_format`` itself. Errors are ModelError.

    Before its first call an endpoint is asked for its list of models. If no connection can be made, twice in a row,
    that is a ModelError within about a second, and not after all retries; any answer at all will do.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        api_key: str | None = None,
        cache: str | os.PathLike[str] | ResponseCache | None = None,
        prices: Sequence[float] | None = None,
        timeout: float = 120.0,
        retries: int = 5,
        concurrency: int = 16,
        limit: str | None = None,
        schemas: bool = True,
        logprobs: bool = False,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        if concurrency < 1 or retries < 0:
            raise ValueError(f"concurrency is {concurrency}, retries is {retries}; at least 1 and 0 were expected.")
        own = base_url or os.environ.get("MEMGYM_BASE_URL") or os.environ.get("OPENAI_BASE_URL")
        self.model = model
        self.name = f"openai:{model}"
        self.base_url = own or "https://api.openai.com/v1"
        self.cache = ResponseCache(cache) if isinstance(cache, str | os.PathLike) else cache
        self.prices = _checked(prices)
        self._key = _key(api_key, own, model)
        self._timeout, self._retries, self._concurrency = timeout, retries, concurrency
        self._limit = limit or ("max_tokens" if own else "max_completion_tokens")
        self._logprobs = logprobs
        self._extra = dict(extra or {})
        self._schemas = schemas
        self._no_schema: set[str] = set()
        self._reached = False
        self._doors: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Door] = weakref.WeakKeyDictionary()

    def describe(self) -> dict[str, Any]:
        """Return what identifies the model for a record; the key is not in it."""
        unpriced = "unknown: cost counts as 0"
        return {
            "model": self.model,
            "endpoint": self.base_url,
            "extra": self._extra,
            "prices": list(self.prices) if self.prices else unpriced,
        }

    async def chat(self, request: Request) -> Reply:
        """Answer a request, from the cache where it is there. Raises ModelError when the endpoint cannot answer."""
        key = self._cache_key(request)
        if self.cache is not None and key is not None and (kept := self.cache.get(key)) is not None:
            return kept
        reply = self._reply(await self._complete(request))
        if self.cache is not None and key is not None:
            self.cache.put(key, reply)
        return reply

    async def reach(self) -> None:
        """Find out whether the endpoint answers at all, in any words; a ModelError if not.

        With a cache it is not asked: there may be no call to make.
        """
        if self.cache is None:
            await self._reach(await self._door())

    async def close(self) -> None:
        """Close the connections of the present event loop, which its end would do too; the model can be used on."""
        door = self._doors.pop(asyncio.get_running_loop(), None)
        if door is not None:
            await door.closing.aclose()

    def _cache_key(self, request: Request) -> str | None:
        if request.temperature > 0 and request.seed is None:
            return None
        about = {"model": self.model, "endpoint": self.base_url, "extra": self._extra, "logprobs": self._logprobs}
        return digest(request, about)

    async def _complete(self, request: Request) -> Any:
        if request.schema is None or not self._schemas or request.name in self._no_schema:
            return await self._send(request, with_schema=False)
        try:
            return await self._send(request, with_schema=True)
        except ModelError as error:
            refused = error
        if not may_refuse_schema(refused.__cause__):
            raise refused
        completion = await self._send(request, with_schema=False)
        self._remember(request.name, refuses_all_schemas(refused.__cause__))
        return completion

    def _remember(self, name: str, every: bool) -> None:
        if self._schemas and name not in self._no_schema:
            what = "no JSON schema" if every else f"no JSON schema for {name!r}"
            _log.warning("%s takes %s: asking without from now on.", self.base_url, what)
        self._no_schema.add(name)
        self._schemas = self._schemas and not every

    async def _send(self, request: Request, *, with_schema: bool) -> Any:
        import openai

        door = await self._door()
        await self._reach(door)
        async with door.gate:
            try:
                return await door.client.chat.completions.create(**self._body(request, with_schema))
            except (openai.OpenAIError, ValueError) as error:
                raise ModelError(explain(error, self.model, self.base_url)) from error

    async def _reach(self, door: _Door) -> None:
        """Knock, unless the endpoint has answered before; all who wait in one event loop share one knock."""
        if self._reached:
            return
        if door.knock is None or door.knock.done():
            door.knock = asyncio.create_task(self._knock(door.client))
        await asyncio.shield(door.knock)
        self._reached = True

    async def _knock(self, client: AsyncOpenAI) -> None:
        import openai

        for pause in (_PAUSE, None):
            try:
                await client.with_options(max_retries=0, timeout=_KNOCK).models.list()
            except openai.APIConnectionError as error:
                # By name: releases of openai differ in the HTTP package whose error it is.
                if type(error.__cause__).__name__ != "ConnectError":
                    return  # it is there; whether it is slow, or knows no such list, the calls will tell
                if pause is None:
                    raise ModelError(explain(error, self.model, self.base_url)) from error
                await asyncio.sleep(pause)
            except (openai.OpenAIError, ValueError):
                return
            else:
                return

    def _body(self, request: Request, with_schema: bool) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": one.role, "content": encodable(one.content)} for one in request.messages],
            "temperature": request.temperature,
            self._limit: request.max_tokens,
        }
        if request.seed is not None:
            body["seed"] = request.seed
        if with_schema:
            form = {"name": request.name, "schema": request.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        if self._logprobs:
            body |= {"logprobs": True, "top_logprobs": 1}  # llama.cpp gives none without the second
        if self._extra:
            body["extra_body"] = self._extra
        return body

    async def _door(self) -> _Door:
        loop = asyncio.get_running_loop()
        if loop not in self._doors:
            from openai import AsyncOpenAI

            client = AsyncOpenAI(
                api_key=self._key, base_url=self.base_url, timeout=self._timeout, max_retries=self._retries
            )
            closing = _closing(client)
            await anext(closing)
            self._doors[loop] = _Door(client, asyncio.Semaphore(self._concurrency), closing)
        return self._doors[loop]

    def _reply(self, completion: Any) -> Reply:
        try:
            choice = completion.choices[0]
            text = choice.message.content or ""
        except (AttributeError, TypeError, IndexError):
            shown = str(completion)[:200]
            raise ModelError(
                f"{self.base_url} answered for model {self.model!r} with something that is not a chat completion: "
                f"{shown!r}. Does base_url end with the version part, as in .../v1?"
            ) from None
        return Reply(text, self._usage(completion), logprobs=_logprobs(choice) if self._logprobs else None)

    def _usage(self, completion: Any) -> Usage:
        counted = getattr(completion, "usage", None)
        prompt = getattr(counted, "prompt_tokens", None) or 0
        written = getattr(counted, "completion_tokens", None) or 0
        per_prompt, per_written = self.prices or (0.0, 0.0)
        cost = (prompt * per_prompt + written * per_written) / 1_000_000
        return Usage(calls=1, prompt_tokens=prompt, completion_tokens=written, cost=cost)


async def _closing(client: AsyncOpenAI) -> AsyncGenerator[None, None]:
    """Close a client's connections when its event loop ends: ``asyncio.run`` closes the generators left open."""
    try:
        yield
    finally:
        await client.close()


def _logprobs(choice: Any) -> tuple[float, ...] | None:
    tokens = getattr(getattr(choice, "logprobs", None), "content", None)
    return None if tokens is None else tuple(float(token.logprob) for token in tokens)


def _checked(prices: Sequence[float] | None) -> tuple[float, float] | None:
    if prices is None:
        return None
    if len(prices) != 2 or any(price < 0 for price in prices):
        raise ValueError(f"prices is {prices!r}; two numbers were expected: dollars per million (prompt, completion).")
    return float(prices[0]), float(prices[1])


def _key(given: str | None, endpoint: str | None, model: str) -> str:
    key = given or os.environ.get("MEMGYM_API_KEY") or os.environ.get("OPENAI_API_KEY")
    if key is None and endpoint is None:
        raise ValueError(
            f"The model {model!r} at OpenAI needs a key: set OPENAI_API_KEY. For another endpoint set MEMGYM_BASE_URL "
            "or give base_url; a server of your own needs no key."
        )
    return key or NO_KEY
