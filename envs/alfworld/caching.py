"""What is worked out once for many games: parsed grammars, and problems translated for the planner's library.

TextWorld does both anew at every load and every reset: 0.7 seconds for an official game, of which half is a second
translation that only its planner uses and that is left out here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memgym.extras import require

MOST_TRANSLATIONS = 32
_SENTENCE = re.compile(r'("rhs": "Your task is to: )([a-z0-9 ]+)(\.")')
_STAND_IN = "UNKNOWN GOAL"
"""What the package's own grammar has in the place of the task sentence."""


class BrokenGame(ValueError):
    """A game that the engine cannot read; the message names it and says what the engine found."""


@dataclass(frozen=True, slots=True)
class PddlGame:
    """One game: the texts of its domain, its grammar (the task sentence in it) and its problem."""

    id: str
    domain: str
    grammar: str
    problem: str

    @property
    def task(self) -> str:
        """The task sentence, "put a clean mug in desk"; "" where the grammar has none."""
        found = _SENTENCE.search(self.grammar)
        return found[2] if found else ""


@dataclass(frozen=True, slots=True)
class Logic:
    """A parsed grammar: rules by name, actions by name."""

    rules: Mapping[str, Any]
    actions: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Translation:
    """A problem in the form that the library reads, and what of it is needed beside: far less than the whole task.

    ``changing`` names the predicates that some action changes; all others hold as at the start.
    """

    sas: bytes
    facts: tuple[Any, ...]
    world: Any
    type_of: Mapping[str, str]
    parameters: Mapping[str, tuple[Any, ...]]
    changing: frozenset[str]


def logic_of(game: PddlGame) -> tuple[Logic, str]:
    """Return the parsed grammar of a game, shared by all that differ in the task sentence only, and that sentence.

    The sentence has to be put into derived texts in the place of "UNKNOWN GOAL"; "" means that it is in there already.
    """
    found = _SENTENCE.findall(game.grammar)
    if len(found) == 1 and game.grammar.count(_STAND_IN) == 0:
        return _parsed(game.domain, _SENTENCE.sub(rf"\1{_STAND_IN}\3", game.grammar)), found[0][1]
    return _parsed(game.domain, game.grammar), ""


def with_sentence(text: str, sentence: str) -> str:
    """Put the task sentence into a derived text."""
    return text.replace(_STAND_IN, sentence) if sentence else text


@lru_cache(maxsize=16)
def _parsed(domain: str, grammar: str) -> Logic:
    made = require("textworld.envs.pddl.logic", "alfworld", "ALFWorld").GameLogic(domain=domain, grammar=grammar)
    return Logic(made.grammar._rules, made.actions)


@lru_cache(maxsize=MOST_TRANSLATIONS)
def translation(domain: str, problem: str) -> Translation:
    """Translate a problem. Raises BrokenGame for text that is no problem of the domain."""
    task, sas = _translate(domain, problem)
    logic = require("textworld.logic", "alfworld", "ALFWorld")
    type_of = {one.name: one.type_name for one in task.objects}
    return Translation(
        sas.encode("utf-8"),
        tuple(_fact(logic, atom, type_of) for atom in task.init if getattr(atom, "predicate", "=") != "="),
        _world(logic, task.types),
        type_of,
        {one.name: tuple(logic.Placeholder(p.name.strip("?"), p.type_name) for p in one.parameters)
         for one in task.actions},
        frozenset(effect.literal.predicate for one in task.actions for effect in one.effects),
    )  # fmt: skip


def _world(logic: Any, types: Any) -> Any:
    """Return what a state asks of a game's logic: its types. "object" is declared twice, by PDDL and by the domain."""
    made, seen = logic.GameLogic(), set()
    for one in types:
        if one.name not in seen:
            made.types.add(logic.Type(one.name, one.supertype_names))
        seen.add(one.name)
    return made


def _fact(logic: Any, atom: Any, type_of: Mapping[str, str]) -> Any:
    return logic.Proposition(atom.predicate, [logic.Variable(name, type_of[name]) for name in atom.args])


def _translate(domain: str, problem: str) -> tuple[Any, str]:
    """Call the translator, which overwrites ``sys.argv`` and, on bad input, leaves by SystemExit."""
    translator = require("fast_downward", "alfworld", "ALFWorld")
    argv = sys.argv
    try:
        made: tuple[Any, str] = translator.pddl2sas(domain, problem)
    except (Exception, SystemExit) as error:
        raise BrokenGame(f"{type(error).__name__}: {error}") from error
    finally:
        sys.argv = argv
    return made
