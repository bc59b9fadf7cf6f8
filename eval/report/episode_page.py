"""``memgym view``: one episode, step by step, as one page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memgym.memory.entry import Entry
from memgym.records import EpisodeRecord

from .changes import FIELDS, Changes, changes, field_text, told
from .graph import link_graph
from .playback import Asked, Moment, Playback, play_back
from .rescoring import question_scores
from .texts import render
from .timeline import timeline

LONG = 700
"""Characters from which a text is folded away."""


@dataclass(frozen=True, slots=True)
class Version:
    """One state of an entry: from which step on it was so, and before which step it ended (None: to the end)."""

    entry: Entry
    first: int
    end: int | None
    fields: tuple[tuple[str, str], ...]
    shown: tuple[int, ...]
    again: bool


@dataclass(frozen=True, slots=True)
class Step:
    """A moment with what a page says of it. ``same`` names texts that are long and as they were at an earlier step."""

    moment: Moment
    summary: str
    changes: Changes
    same: Mapping[str, int]
    size_before: int


def view(
    record: EpisodeRecord,
    records: Sequence[EpisodeRecord] = (),
    run: str = "",
    credits: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Return the page of one episode. It is played again, so its environment and data must be there.

    ``credits`` are what ``memgym credit`` found of the episode, as its files hold it.
    """
    playback = play_back(record, records)
    states = [playback.start, *(moment.entries for moment in playback.moments)]
    scores = question_scores(record.outcome) if record.outcome else []
    return render(
        "episode.html",
        run=run,
        record=record,
        playback=playback,
        steps=steps_of(playback),
        versions=versions_of(playback),
        credits=[{**one, "credits": earning(one["credits"])} for one in credits],
        graph=link_graph(states),
        timeline=timeline(playback.moments),
        scores=dict(enumerate(scores)),
        told=told,
        verdict=verdict,
        long=LONG,
    )


def earning(credits: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the parts of an episode without which something is different, greatest difference of reward first."""
    changed = [one for one in credits if one["error"] or one["difference"] or one["shown"] or one["questions"]]
    return sorted(changed, key=lambda one: (-abs(one["difference"] or 0), -abs(one["shown"] or 0)))


def steps_of(playback: Playback) -> list[Step]:
    """Return every step with its changes."""
    found: list[Step] = []
    before, pad = playback.start, playback.start_scratchpad
    first_seen: dict[tuple[str, str], int] = {}
    for moment in playback.moments:
        changed = changes(before, moment.entries, (pad, moment.scratchpad))
        same = {name: first_seen[name, said] for name, said in moment.seen.items() if (name, said) in first_seen}
        for name, said in moment.seen.items():
            if len(said) > LONG:
                first_seen.setdefault((name, said), moment.number)
        found.append(Step(moment, _summary(moment), changed, same, len(before)))
        before, pad = moment.entries, moment.scratchpad
    return found


def _summary(moment: Moment) -> str:
    counts = Counter(part.kind for part, _ in moment.parts)
    return ", ".join(kind if count == 1 else f"{kind} ×{count}" for kind, count in counts.items()) or "nothing"


def versions_of(playback: Playback) -> list[Version]:
    """Return every state that an entry was ever in, oldest entry first."""
    shown: dict[str, list[int]] = {}
    for moment in playback.moments:
        for hit in moment.hits:
            shown.setdefault(hit.entry.id, []).append(moment.number)
    open_ = {id: (entry, 0, False) for id, entry in playback.start.items()}
    done: list[Version] = []
    for moment in playback.moments:
        for id in [id for id, (entry, _, _) in open_.items() if moment.entries.get(id) != entry]:
            done.append(_version(*open_.pop(id), moment.number, shown))
            if id in moment.entries:
                open_[id] = (moment.entries[id], moment.number, True)
        for id, entry in moment.entries.items():
            open_.setdefault(id, (entry, moment.number, False))
    done += [_version(*one, None, shown) for one in open_.values()]
    return sorted(done, key=lambda one: (len(one.entry.id), one.entry.id, one.first))


def _version(entry: Entry, first: int, again: bool, end: int | None, shown: Mapping[str, Sequence[int]]) -> Version:
    fields = tuple((name, said) for name in FIELDS[:-1] if (said := field_text(entry, name)))
    steps = tuple(step for step in shown.get(entry.id, ()) if step >= first and (end is None or step < end))
    return Version(entry, first, end, fields, steps, again)


def verdict(asked: Asked) -> str:
    """Return in one sentence what memory did for a question; "" where its evidence is not known."""
    pieces = len(asked.question.evidence)
    if not pieces:
        return ""
    if asked.step is None:
        return "Never answered."
    stored, shown = (sum(bool(one) for one in held) for held in (asked.stored, asked.shown))
    if shown == pieces:
        return "All of its evidence was shown."
    if stored == pieces:
        return f"Stored, but {'not' if not shown else f'only {shown} of {pieces} pieces'} shown: retrieval lost it."
    return f"Only {stored} of {pieces} pieces of evidence were in memory: writing lost it."
