"""Writes a world down as exactly n documents: one a name, and dated notes that carry a part of the revisions.

Every version of a fact stands in one sentence of one document, in its subject's or its object's. A fact that a
question needs is written with both names, so that its sentence is evidence by itself; any other may use a pronoun.
Without dates the documents have an order in which every revision comes after what it revises, within a document too.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from memgym.task import Document

from .dice import Dice
from .filler import ADJECTIVES, MENTIONS, OPENINGS, SMALL_TALK, TRADES
from .language import WORDINGS, fill, lead
from .relations import month
from .undated import UNDATED
from .world import Fact, World

_SHORTEST, _USUAL = 6, 8
_TRIES = 8


@dataclass(slots=True)
class _Page:
    """A document to be: its title, the name that it is about, its rank where there are no dates, and its facts."""

    title: str
    name: str
    rank: int = 0
    facts: list[Fact] = field(default_factory=list)


class Writer:
    """Writes the documents of one world; ``sentences`` has the sentence of each fact afterwards.

    Without dates the documents are returned in an order in which revisions follow what they revise, and ``before``
    has the pairs of documents, by number, of which the first must be read before the second.
    """

    def __init__(
        self, dice: Dice, world: World, similarity: float, needed: Collection[Fact], dated: bool = True
    ) -> None:
        self._dice, self._world, self._similarity, self._needed = dice, world, similarity, needed
        self._dated, self._wordings = dated, WORDINGS if dated else {**WORDINGS, **UNDATED}
        self._profiles: dict[str, _Page] = {name: _Page(name, name) for name in world.kinds}
        self._notes: dict[str, list[_Page]] = {}
        self.sentences: dict[Fact, str] = {}
        self.before: tuple[tuple[int, int], ...] = ()

    def write(self, notes: int) -> tuple[Document, ...]:
        """Return one document a name and ``notes`` dated notes."""
        self._open_notes(notes)
        pages = [*self._profiles.values(), *(page for pages in self._notes.values() for page in pages)]
        if self._dated:
            for fact in self._world.facts:
                self._host(fact).facts.append(fact)
        else:
            pages = self._ranked(pages)
            self._place_in_order()
        return tuple(Document(page.title, self._text(page)) for page in pages)

    def _open_notes(self, count: int) -> None:
        revised = list(dict.fromkeys(fact.subject for fact in self._world.facts if fact.previous))
        names = self._dice.shuffled(revised)
        rest = self._dice.shuffled(list(self._world.kinds)) if len(names) < count else []
        for name in (*names, *rest, *names, *rest)[:count]:
            date = self._dice.between(12 * 2019, 12 * 2024 + 11)
            pages = self._notes.setdefault(name, [])
            when = f", {month(date)}" if self._dated else ""
            pages.append(_Page(f"{name} (note {len(pages) + 1}{when})", name))

    def _ranked(self, pages: list[_Page]) -> list[_Page]:
        """Put the documents into an order, notes last; facts are placed so that no revision has a lower rank."""
        profiles = self._dice.shuffled(pages[: len(self._profiles)])
        ranked = [*profiles, *pages[len(self._profiles) :]]
        for rank, page in enumerate(ranked):
            page.rank = rank
        return ranked

    def _place_in_order(self) -> None:
        last: dict[tuple[str, str], _Page] = {}
        before: dict[tuple[int, int], None] = {}
        for fact in self._world.facts:
            key = (fact.subject, fact.relation)
            page = self._later_host(fact, last[key]) if key in last else self._host(fact)
            page.facts.append(fact)
            if key in last and page is not last[key]:
                before[last[key].rank, page.rank] = None
            last[key] = page
        self.before = tuple(sorted(before))

    def _later_host(self, fact: Fact, old: _Page) -> _Page:
        """Choose where a revision is stated: after what it revises; in the same document if no later one is found."""
        people = self._world.names["person"]
        usual = (self._host(fact) for _ in range(_TRIES))
        others = (self._profiles[self._dice.pick(people)] for _ in range(_TRIES))
        candidates = (page for pages in (usual, self._notes.get(fact.subject, ()), others) for page in pages)
        return next((page for page in candidates if page.rank > old.rank), old)

    def _host(self, fact: Fact) -> _Page:
        """Choose where a fact is stated; a revision never stands where the fact was first stated by default."""
        notes, profile = self._notes.get(fact.subject), self._profiles[fact.subject]
        other = self._profiles.get(fact.object)
        if notes and (self._dice.chance(0.8) if fact.previous else self._dice.chance(0.1)):
            return self._dice.pick(notes)
        if fact.previous and other is None:
            return self._profiles[self._dice.pick(list(self._world.names["person"]))]
        if other is None or len(other.facts) >= _USUAL:
            return profile
        return other if self._dice.chance(0.8 if fact.previous else 0.35) else profile

    def _text(self, page: _Page) -> str:
        wanted = max(_SHORTEST, min(_USUAL, len(page.facts) + self._dice.between(1, 3)))
        filler = max(0, wanted - 1 - len(page.facts))
        parts: list[Fact | None] = self._dice.shuffled([*page.facts, *[None] * filler])
        if not self._dated:
            parts = _in_order(parts, page.facts)
        sentences, named = [self._filler(page.name, self._dice.pick(OPENINGS[self._kind(page)]), "")], True
        talk = self._small_talk(self._kind(page), filler)
        for part in parts:
            pronoun = self._world.pronouns[page.name] if named and self._dice.chance(0.4) else ""
            if part is None:
                sentence, named = self._filler(page.name, talk.pop(), pronoun), True
            else:
                sentence, named = self._sentence(part, page.name, pronoun)
            sentences.append(sentence)
        return " ".join(sentences)

    def _sentence(self, fact: Fact, name: str, pronoun: str) -> tuple[str, bool]:
        """Write a fact; also say whether the sentence opens with the document's name."""
        wording = self._wordings[fact.relation]
        aside = name == fact.object and bool(wording.inverse) and self._dice.chance(0.85)
        revised = fact.previous and self._dated
        forms = wording.revision if revised else wording.inverse if aside else wording.forward
        template = self._dice.pick(forms)
        values = {"s": fact.subject, "o": fact.object, "d": month(fact.date), "p": fact.previous}
        opens = values[lead(template)] == name
        sentence = fill(template, values, pronoun if opens and fact not in self._needed else "")
        self.sentences[fact] = sentence
        return sentence, opens

    def _kind(self, page: _Page) -> str:
        return self._world.kinds[page.name]

    def _small_talk(self, kind: str, count: int) -> list[str]:
        """Choose filler without repetition; the more similar the documents, the more of it mentions other names."""
        talk, mentions = self._dice.shuffled(SMALL_TALK[kind]), self._dice.shuffled(MENTIONS[kind])
        others = len(self._world.names[kind]) > 1
        return [
            mentions.pop() if others and mentions and self._dice.chance(self._similarity / 2) else talk.pop()
            for _ in range(count)
        ]

    def _filler(self, name: str, template: str, pronoun: str) -> str:
        names = self._world.names[self._world.kinds[name]]
        other = name
        while "{x}" in template and other == name:
            other = self._dice.pick(names)
        values = {"s": name, "x": other, "a": self._dice.pick(ADJECTIVES), "t": self._dice.pick(TRADES)}
        return fill(template, values, pronoun if template.startswith("{s} ") else "")


def _in_order(parts: list[Fact | None], facts: list[Fact]) -> list[Fact | None]:
    """Put the versions of a fact into their order, in the places that they have."""
    waiting: dict[tuple[str, str], list[Fact]] = {}
    for fact in facts:
        waiting.setdefault((fact.subject, fact.relation), []).append(fact)
    return [None if part is None else waiting[part.subject, part.relation].pop(0) for part in parts]
