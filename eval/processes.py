"""Workers that are processes of this machine: each plays many jobs at once and sends each back as it is done.

An executor of the standard library would do one call at a time in a process, and lose them all with one process.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from memgym.rollout import Cast, Played

from .crew import WorkerLost
from .jobs import Job, play_job

GRACE = 5.0
"""Seconds that a worker has for its end, before it is killed."""
_READY = -1
_STOP = b""


class ProcessWorker:
    """One spawned process and the connection to it. Made by ``hire``."""

    def __init__(self, process: BaseProcess, connection: Connection[Any, Any]) -> None:
        self.process = process
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._sending = threading.Lock()
        self._sent = 0
        self._gone = False
        self._answers: dict[int, asyncio.Future[Any]] = {_READY: self._loop.create_future()}
        threading.Thread(target=self._listen, daemon=True).start()

    async def ready(self) -> None:
        """Wait until the process can play; a WorkerLost if it was killed, a RuntimeError if it ended by itself."""
        await self._answers[_READY]
        del self._answers[_READY]

    async def play(self, job: Job) -> Played:
        """Play one job there; see ``Worker``."""
        if self._gone:
            raise self._lost()
        number, self._sent = self._sent, self._sent + 1
        answer = self._answers[number] = self._loop.create_future()
        try:
            await asyncio.to_thread(self._send, pickle.dumps((number, job)))
            played: Played = await answer
        finally:
            self._answers.pop(number, None)
        return played

    def stop(self) -> None:
        """Tell the worker to end; what it still plays is lost. Its process may be slow to listen: nobody waits here."""
        if not self._gone:
            self._gone = True
            threading.Thread(target=self._send, args=(_STOP,), daemon=True).start()

    def _send(self, data: bytes) -> None:
        with self._sending, suppress(OSError):  # of a dead worker the listener knows, and tells
            self._connection.send_bytes(data)

    def _listen(self) -> None:
        """Hand over what comes, until the process ends; this is a thread of its own."""
        try:
            while True:
                number, result, error = pickle.loads(self._connection.recv_bytes())
                self._loop.call_soon_threadsafe(self._answer, number, result, error)
        except (EOFError, OSError):
            self.process.join(GRACE)
        self._connection.close()
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            self._loop.call_soon_threadsafe(self._end)

    def _answer(self, number: int, result: Any, error: Exception | None) -> None:
        future = self._answers.get(number)
        if future is None or future.done():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def _end(self) -> None:
        self._gone = True
        for number, future in self._answers.items():
            if not future.done():
                future.set_exception(self._failed() if number == _READY else self._lost())

    def _failed(self) -> Exception:
        if (self.process.exitcode or 0) > 0:
            return RuntimeError(
                f"A worker process ended with status {self.process.exitcode} before it could play; what it said stands "
                'above. A script that uses workers must start them under `if __name__ == "__main__":`.'
            )
        return self._lost()

    def _lost(self) -> WorkerLost:
        code = self.process.exitcode
        how = f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with status {code}"
        return WorkerLost(f"process {self.process.pid} {how}")


class Processes:
    """The worker processes of one run, ``size`` at once: hires them, and sees them all end."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._context = get_context("spawn")
        self._hired: list[BaseProcess] = []

    async def hire(self) -> ProcessWorker:
        """Start a process and wait until it is ready."""
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=serve, args=(theirs,))
        process.start()
        theirs.close()  # else nobody would notice when it dies
        self._hired.append(process)
        worker = ProcessWorker(process, ours)
        try:
            await worker.ready()
        except BaseException:
            worker.stop()
            raise
        return worker

    def close(self) -> None:
        """Wait until all processes, which were told to stop, have ended; those that take too long are killed."""
        end_all(self._hired)


def end_all(processes: Iterable[BaseProcess]) -> None:
    """Join processes that were told to end, and kill those that have not after a while."""
    until = time.monotonic() + GRACE
    for process in processes:
        process.join(max(0.0, until - time.monotonic()))
        if process.is_alive():
            process.kill()
            process.join()


def serve(connection: Connection[Any, Any]) -> None:
    """Play what comes through the connection until its other end is gone; Ctrl-C is the parent's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(_Service(connection).run())


class _Service:
    """One event loop for the life of a worker, so that environments, models and their connections are kept."""

    def __init__(self, connection: Connection[Any, Any]) -> None:
        self._connection = connection
        self._cast = Cast()
        self._playing: set[asyncio.Task[None]] = set()
        self._over = asyncio.Event()

    async def run(self) -> None:
        threading.Thread(target=self._listen, args=(asyncio.get_running_loop(),), daemon=True).start()
        self._send(_READY, None, None)
        await self._over.wait()

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            while True:
                if not (data := self._connection.recv_bytes()):
                    break
                loop.call_soon_threadsafe(self._start, *pickle.loads(data))
        except (EOFError, OSError):
            pass  # the parent is gone, as good as a word to stop
        loop.call_soon_threadsafe(self._over.set)
        time.sleep(GRACE)  # an episode that does not wait for anything would keep the process
        os._exit(1)

    def _start(self, number: int, job: Job) -> None:
        task = asyncio.create_task(self._play(number, job))
        self._playing.add(task)
        task.add_done_callback(self._playing.discard)

    async def _play(self, number: int, job: Job) -> None:
        played, error = None, None
        try:
            played = await play_job(job, self._cast)
        except Exception as raised:
            error = portable(raised)
        self._send(number, played, error)

    def _send(self, number: int, played: Played | None, error: Exception | None) -> None:
        with suppress(OSError):  # the parent is gone, of which the listener tells
            self._connection.send_bytes(pickle.dumps((number, played, error)))


def portable(error: Exception) -> Exception:
    """Return an error that another process can read: itself, or one that says its kind and its words."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
