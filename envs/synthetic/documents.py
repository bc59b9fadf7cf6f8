"""Writes a world down as exactly n documents: one a name, and dated notes that carry a part of the revisions.

Every version of a fact stands in one sentence of one document, in its subject's or its object's. A fact that a
question needs is written with both names, so that its sentence is evidence by itself; any other may use a pronoun.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from memgym.task import Document

from .dice import Dice
from .filler import ADJECTIVES, MENTIONS, OPENINGS, SMALL_TALK, TRADES
from .language import WORDINGS, fill, lead
from .relations import month
from .world import Fact, World

_SHORTEST, _USUAL = 6, 8


@dataclass(slots=True)
class _Page:
    """A document to be: its title, the name that it is about, and the facts that it states."""

    title: str
    name: str
    facts: list[Fact] = field(default_factory=list)


class Writer:
    """Writes the documents of one world; ``sentences`` has the sentence of each fact afterwards."""

    def __init__(self, dice: Dice, world: World, similarity: float, needed: Collection[Fact]) -> None:
        self._dice, self._world, self._similarity, self._needed = dice, world, similarity, needed
        self._profiles: dict[str, _Page] = {name: _Page(name, name) for name in world.kinds}
        self._notes: dict[str, list[_Page]] = {}
        self.sentences: dict[Fact, str] = {}

    def write(self, notes: int) -> tuple[Document, ...]:
        """Return one document a name and ``notes`` dated notes."""
        self._open_notes(notes)
        for fact in self._world.facts:
            self._host(fact).facts.append(fact)
        pages = [*self._profiles.values(), *(page for pages in self._notes.values() for page in pages)]
        return tuple(Document(page.title, self._text(page)) for page in pages)

    def _open_notes(self, count: int) -> None:
        revised = list(dict.fromkeys(fact.subject for fact in self._world.facts if fact.previous))
        names = self._dice.shuffled(revised)
        rest = self._dice.shuffled(list(self._world.kinds)) if len(names) < count else []
        for name in (*names, *rest, *names, *rest)[:count]:
            date = self._dice.between(12 * 2019, 12 * 2024 + 11)
            pages = self._notes.setdefault(name, [])
            pages.append(_Page(f"{name} (note {len(pages) + 1}, {month(date)})", name))

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
        wording = WORDINGS[fact.relation]
        aside = name == fact.object and bool(wording.inverse) and self._dice.chance(0.85)
        forms = wording.revision if fact.previous else wording.inverse if aside else wording.forward
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
