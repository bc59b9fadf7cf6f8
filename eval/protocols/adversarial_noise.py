"""AdversarialNoise: another protocol, played twice: as it is, and with noise among what memory is formed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from memgym.records import Episode, EpisodeRecord

from ..metrics.intervals import estimate
from ..metrics.scores import is_score
from .noise import lies, texts
from .plan import Plan
from .protocol import (
    DECLARATIVE,
    PROCEDURAL,
    Lane,
    Measure,
    Protocol,
    declarative,
    differences,
    forming_cost,
    make_protocol,
    rewards,
    tagged,
)  # fmt: skip
from .provenance import Provenance, share

ARMS = ("clean", "noise")


class AdversarialNoise(Protocol):
    """A base protocol is played clean and with noise, on the same samples from the same seeds, and compared.

    Noise is input, not entries: an agent is shown it in an episode of its own and makes of it what it will; what such
    an episode writes, and nothing else, has noise as its provenance.

    base: the protocol, by name or with its knobs; None: offline-declarative or offline-procedural, as the benchmark is.
    noise: "contradictory" (what was said or lived, told otherwise) or "irrelevant" (of other samples, or senseless).
    ratio: pieces of noise for each piece of truth: for each question, document or experience. when: "after" what it
    contradicts is formed, or "before".
    """

    name: ClassVar[str] = "adversarial-noise"
    requires: ClassVar[tuple[frozenset[str], ...]] = (DECLARATIVE, PROCEDURAL)

    base: dict[str, Any] | None = None
    noise: Literal["contradictory", "irrelevant"] = "contradictory"
    ratio: float = Field(default=0.5, ge=0)
    when: Literal["after", "before"] = "after"

    @field_validator("base", mode="before")
    @classmethod
    def _resolved(cls, value: Any) -> Any:
        if value is None:
            return None
        base = make_protocol(value)
        if not base.keeps or isinstance(base, AdversarialNoise):
            raise ValueError(
                f"The protocol {base.name!r} cannot be the base of {cls.name!r}: no memory is formed in it."
            )
        return base.to_json()

    def protocol(self, plan: Plan) -> Protocol:
        """Return the base protocol."""
        return make_protocol(self.base or ("offline-declarative" if declarative(plan) else "offline-procedural"))

    def check(self, plan: Plan) -> None:
        super().check(plan)
        self.protocol(plan).check(plan)

    def lanes(self, plan: Plan) -> list[Lane]:
        base = self.protocol(plan)
        arms = [[self._lane(plan, lane, arm) for lane in base.lanes(plan)] for arm in ARMS]
        return [lane for pair in zip(*arms, strict=True) for lane in pair]

    def _lane(self, plan: Plan, lane: Lane, arm: str) -> Lane:
        """Pass on the episodes of a lane under names of this arm; the memory that noise left is the next one's."""
        names: dict[str, str] = {}
        batch = next(lane, None)
        while batch is not None:
            episodes = [_of_arm(episode, arm, names) for episode in batch]
            noises = [self._noise(plan, episode) for episode in episodes] if arm == "noise" else []
            told = [noise for noise in noises if noise is not None]
            if told and self.when == "before":
                yield told
                episodes = [
                    episode if noise is None else replace(episode, after=noise.id)
                    for episode, noise in zip(episodes, noises, strict=True)
                ]
            played = yield episodes
            if told and self.when == "after":
                pairs = [(old, noise) for old, noise in zip(batch, noises, strict=True) if noise is not None]
                yield [replace(noise, after=names[old.id]) for old, noise in pairs]
                names.update((old.id, noise.id) for old, noise in pairs)
            try:
                batch = lane.send(played)
            except StopIteration:
                return

    def _noise(self, plan: Plan, episode: Episode) -> Episode | None:
        """Return the episode of noise that goes with one in which memory is formed, or None."""
        if episode.tags["phase"] != "form":
            return None
        rng = plan.rng(int(episode.tags["number"]))
        noise = replace(episode, id=f"{episode.id}/noise", tags={**episode.tags, "phase": "noise"})
        if "experiences" in episode.options:
            told = lies(episode.options["experiences"], self.noise, self.ratio, rng)
            return replace(noise, options={**episode.options, "experiences": told}) if told else None
        shown = texts(plan, str(episode.sample), self.noise, self.ratio, rng)
        return replace(noise, part={"texts": shown}) if shown else None

    def measures(self, records: Sequence[EpisodeRecord]) -> list[Measure]:
        provenance, scored = Provenance(records), [one for one in records if is_score(one)]
        bad = [one.episode.id for one in tagged(records, phase="noise")]
        found = []
        for player in dict.fromkeys(one.episode.tags["who"] for one in scored):
            own = tagged(scored, who=player)
            clean, noisy = tagged(own, arm="clean"), tagged(own, arm="noise")
            shown = [share(provenance.shown(one), bad) for one in noisy]
            stored = [share(provenance.stored(one), bad) for one in noisy]
            found += [
                Measure(player, "clean", estimate(rewards(clean))),
                Measure(player, "with noise", estimate(rewards(noisy))),
                *differences(player, "noise - clean", clean, noisy),
                Measure(
                    player, "noise among stored", estimate([one for one in stored if one is not None]), rewarded=False
                ),
                Measure(
                    player, "noise among shown", estimate([one for one in shown if one is not None]), rewarded=False
                ),
            ]
        return [*found, *forming_cost(records)]


def _of_arm(episode: Episode, arm: str, names: dict[str, str]) -> Episode:
    """Return an episode of the base under a name of this arm, after the one that stands for its predecessor there."""
    row = episode.tags["row"]
    id = f"{arm}/{episode.id}"
    names[episode.id] = id
    after = None if episode.after is None else names[episode.after]
    tags = {**episode.tags, "row": row if arm == "clean" else f"{row} + noise", "arm": arm, "who": row}
    return replace(episode, id=id, after=after, tags=tags)
