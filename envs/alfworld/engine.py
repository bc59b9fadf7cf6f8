"""The engine room: one game on TextWorld's PDDL engine, as it is (Stock) and the same with its work cached (Fast).

Both give the same texts byte for byte; a test compares them. Only the library that keeps the state is TextWorld's in
both, as are its states and queries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memgym.extras import require

from ..engines import Pool, Shown
from .caching import BrokenGame, PddlGame, logic_of, translation, with_sentence
from .grammar import Context, derive, query, symbols, textgen
from .planner import Deed, next_deed

NOTHING = "Nothing happens."


@dataclass(frozen=True, slots=True)
class _Move:
    """An action that is possible now: its command, and what its reply is derived in."""

    number: int
    name: str
    command: str
    mapping: Mapping[Any, Any]


class FastEngine:
    """TextWorld's engine with everything cached that does not change: more than ten times as fast.

    Each has a copy of the library of its own, which is never unloaded: make few, use them again (``POOL``).
    """

    def __init__(self) -> None:
        self._pddl = require("textworld.envs.pddl.logic", "alfworld", "ALFWorld")
        self._downward = require("fast_downward", "alfworld", "ALFWorld")
        self._library = self._downward.load_lib()
        self._game: PddlGame | None = None

    def start(self, game: PddlGame) -> Shown:
        if game != self._game:
            self._load(game)
        self._state = self._begun()
        text = derive(self._logic.rules, "#intro#", Context(self._state, self._infos, {}, {}))
        return self._shown(with_sentence(text, self._sentence))

    def step(self, command: str) -> Shown:
        """Take a command. One that is not admissible, but for white space around it, changes nothing."""
        move = self._moves.get(command.strip())
        if move is None:
            return self._shown(NOTHING, accepted=False)
        self._apply(move.number)
        context = Context(self._state, self._infos, {}, {}).bound(move.mapping)
        return self._shown(derive(self._logic.rules, self._logic.actions[move.name].feedback_rule, context))

    def facts(self) -> list[str]:
        return sorted(f"{fact.name}({', '.join(one.name for one in fact.arguments)})" for fact in self._state.facts)

    def winning(self) -> str:
        assert self._game is not None
        deed = next_deed(((fact.name, *(v.name for v in fact.arguments)) for fact in self._state.facts), self._game)
        return self._command(deed)

    # ---------------------------------------------------------------- loading

    def _load(self, game: PddlGame) -> None:
        self._game = None
        try:
            self._logic, self._sentence = logic_of(game)
            self._made = translation(game.domain, game.problem)
            self._state = self._begun()
            self._infos = named({one.name: one for fact in self._state.facts for one in fact.arguments})
        except BrokenGame as error:
            raise BrokenGame(f"The game {game.id!r} cannot be played: {error}") from error.__cause__
        except KeyError as error:
            # What the library answers to a goal that cannot be reached, or to a problem without an agent.
            raise BrokenGame(
                f"The game {game.id!r} cannot be played: it has no agent, or a goal that can never be reached."
            ) from error
        self._static = {name: self._unchanging(action.template) for name, action in self._logic.actions.items()}
        self._known: dict[str, tuple[str, dict[Any, Any], str]] = {}
        self._game = game

    def _begun(self) -> Any:
        """Return a state at the start of the game, with the library in the same."""
        made, library = self._made, self._library
        state = self._pddl.PddlState.__new__(self._pddl.PddlState)
        self._pddl.textworld.logic.State.__init__(state, made.world, made.facts)
        state.downward_lib, state.name2type = library, made.type_of
        library.load_sas(made.sas)
        atoms = (self._pddl.Atom * library.get_state_size())()
        library.get_state(atoms)
        found = [atom.get_fact(made.type_of) for atom in atoms]
        state.add_facts([fact for fact in found if not fact.is_negation])
        return state

    def _unchanging(self, template: str) -> bool:
        """Whether a template's text depends on nothing that an action can change."""
        kinds, changing = textgen(), self._made.changing
        for symbol in symbols(template):
            inner = symbol.symbol if isinstance(symbol, kinds.ListSymbol) else symbol
            if isinstance(inner, kinds.TerminalSymbol):
                continue
            if not isinstance(inner, kinds.ConditionalSymbol) or not isinstance(inner.expression, kinds.EvalSymbol):
                return False
            asked = query(inner.given).preconditions if inner.given else ()
            if any(one.name.removeprefix("not_") in changing for one in asked):
                return False
        return True

    # ---------------------------------------------------------------- playing

    def _shown(self, text: str, accepted: bool = True) -> Shown:
        self._moves = self._possible()
        return Shown(text, tuple(sorted(self._moves)), bool(self._library.check_goal()), accepted=accepted)

    def _possible(self) -> dict[str, _Move]:
        """Return the possible actions by command; of several with one command the first, as TextWorld chooses."""
        operators = (self._downward.Operator * self._library.get_applicable_operators_count())()
        self._library.get_applicable_operators(operators)
        self._operators = {one.id: one for one in operators}
        moves: dict[str, _Move] = {}
        seen = set()
        for one in operators:
            full = one.name
            if full not in seen:
                seen.add(full)
                name, mapping, command = self._known.get(full) or self._describe(full)
                moves.setdefault(command, _Move(one.id, name, command, mapping))
        return moves

    def _describe(self, full: str) -> tuple[str, dict[Any, Any], str]:
        name, *arguments = full.split()
        variable = self._pddl.Variable
        pairs = zip(self._made.parameters[name], arguments, strict=False)
        mapping = {placeholder: variable(one, placeholder.type) for placeholder, one in pairs}
        context = Context(self._state, self._infos, {}, {}).bound(mapping)
        words = derive(self._logic.rules, self._logic.actions[name].template, context)
        described = name, mapping, words.format(**{id: info.name for id, info in self._infos.items()})
        if self._static[name]:
            self._known[full] = described
        return described

    def _apply(self, number: int) -> None:
        state = self._state
        effects = (self._pddl.Atom * self._operators[number].nb_effect_atoms)()
        self._library.apply_operator(number, effects)
        for effect in effects:
            fact = effect.get_fact(state.name2type)
            state.remove_fact(fact.negate())
            state.add_fact(fact)

    def _command(self, deed: Deed) -> str:
        for command, move in self._moves.items():
            arguments = {placeholder.name: variable.name for placeholder, variable in move.mapping.items()}
            if move.name == deed.action and deed.arguments.items() <= arguments.items():
                return command
        raise RuntimeError(f"There is no command for {deed} now.")


class StockEngine:
    """TextWorld's PddlEnv as it is shipped, with ALFWorld's names: the reference that FastEngine is compared with."""

    def __init__(self) -> None:
        core = require("textworld", "alfworld", "ALFWorld")
        infos = core.EnvInfos(won=True, admissible_commands=True)
        self._env = require("textworld.envs", "alfworld", "ALFWorld").PddlEnv(infos)

    def start(self, game: PddlGame) -> Shown:
        self._env.load({"pddl_domain": game.domain, "grammar": game.grammar, "pddl_problem": game.problem})
        for id, info in named(self._env._entity_infos).items():
            self._env._entity_infos[id].name = info.name
        return self._shown(self._env.reset())

    def step(self, command: str) -> Shown:
        accepted = command.strip() in self._env.state["_valid_commands"]
        return self._shown(self._env.step(command)[0], accepted)

    def facts(self) -> list[str]:
        found = self._env._pddl_state.facts
        return sorted(f"{fact.name}({', '.join(one.name for one in fact.arguments)})" for fact in found)

    def winning(self) -> str:
        raise RuntimeError("The stock engine is for comparison only; it does not plan.")

    def _shown(self, state: Any, accepted: bool = True) -> Shown:
        return Shown(state["feedback"], tuple(state["admissible_commands"]), bool(state["won"]), accepted=accepted)


def named(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return entities under ALFWorld's names: "Mug_bar_..." is "mug 2", numbered by kind from the last id to the first.

    As ``alfworld.agents.utils.misc.Demangler`` does it, without shuffling. An id without a place, such as the agent's,
    keeps its own name and gets a blank behind it.
    """
    info = require("textworld.generator.game", "alfworld", "ALFWorld").EntityInfo
    made: dict[str, Any] = {}
    numbers: dict[str, int] = {}
    for id in sorted(found, reverse=True):
        kind, _, place = id.partition("_bar_")
        kind += "basin" if place and "basin" in id else ""
        numbers[kind] = numbers.get(kind, 0) + 1
        one = made[id] = info(id, found[id].type)
        one.name = f"{kind} {numbers[kind]}" if place else f"{id} "
        one.definite, one.indefinite = "the", "a"
    return made


POOL = Pool(FastEngine)
"""The engines of this process, lent to tasks."""
