"""Text from a game's grammar, as TextWorld's own derivation gives it, without its copies: about thirty times faster.

TextWorld copies every symbol and its whole context at each step of a derivation, and parses each template and query
anew. Here symbols are never changed, so parsed ones are shared, and a context is a plain value handed down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import CodeType, ModuleType
from typing import Any

from memgym.extras import require


@cache
def textgen() -> ModuleType:
    """Return TextWorld's module of grammars."""
    return require("textworld.envs.pddl.textgen", "alfworld", "ALFWorld")


@dataclass(frozen=True, slots=True)
class Context:
    """What a symbol is derived in: the state, entities by placeholder name, variables by placeholder."""

    state: Any
    infos: Mapping[str, Any]
    names: Mapping[str, Any]
    mapping: Mapping[Any, Any]

    def bound(self, more: Mapping[Any, Any]) -> Context:
        """Return this context with further placeholders bound to variables."""
        names = {placeholder.name: self.infos[variable.name] for placeholder, variable in more.items()}
        return replace(self, names={**self.names, **names}, mapping={**self.mapping, **more})


def derive(rules: Mapping[str, Any], text: str, context: Context) -> str:
    """Return a template's text, as ``ContextSensitiveGrammar.derive`` does; ``rules`` are the grammar's."""
    return "".join(_texts(rules, symbols(text), context))


@lru_cache(maxsize=4096)
def symbols(text: str) -> tuple[Any, ...]:
    """Return the parsed symbols of a template; they are shared, so nobody may change them."""
    return tuple(textgen()._parse_and_convert(text, rule_name="symbols"))


@lru_cache(maxsize=4096)
def query(expression: str) -> Any:
    """Return a parsed conjunctive query."""
    return textgen().Rule.parse_conjunctive_query(expression)


@lru_cache(maxsize=4096)
def _code(expression: str) -> CodeType:
    return compile(expression.strip(), "<grammar>", "eval")


def _texts(rules: Mapping[str, Any], parts: tuple[Any, ...] | list[Any], context: Context) -> Iterator[str]:
    for part in parts:
        yield from _text(rules, part, context)


def _text(rules: Mapping[str, Any], symbol: Any, context: Context) -> Iterator[str]:
    kinds = textgen()
    if isinstance(symbol, kinds.TerminalSymbol):
        yield str(symbol)
    elif isinstance(symbol, kinds.NonterminalSymbol):
        yield from _texts(rules, _chosen(rules, symbol, context), context)
    elif isinstance(symbol, kinds.EvalSymbol):
        # The expressions are those of the grammar file, evaluated as TextWorld does.
        yield str(eval(_code(symbol.expression), vars(kinds), dict(context.names)))
    elif isinstance(symbol, kinds.ConditionalSymbol):
        for inner in _contexts(symbol, context):
            yield from _text(rules, symbol.expression, inner)
    else:
        yield from _listed(rules, symbol, context)


def _chosen(rules: Mapping[str, Any], symbol: Any, context: Context) -> list[Any]:
    """Return the right-hand side of the first rule whose condition holds."""
    found = rules.get(str(symbol))
    if not found:
        raise textgen().CSGUnknownSymbolError(symbol)
    for rule in found:
        if not rule.condition or _holds(rule.condition, context):
            return list(rule.rhs)
    raise IndexError(f"No rule of the grammar applies to {symbol}.")


def _holds(condition: str, context: Context) -> bool:
    return any(True for _ in context.state.all_assignments(query(condition), context.mapping))


def _contexts(symbol: Any, context: Context) -> list[Context]:
    if not symbol.given:
        return [context]
    return [context.bound(found) for found in context.state.all_assignments(query(symbol.given), context.mapping)]


def _listed(rules: Mapping[str, Any], symbol: Any, context: Context) -> Iterator[str]:
    """Join what a list symbol stands for with the grammar's own separators."""
    inner = _contexts(symbol.symbol, context)
    parts = ["".join(_text(rules, symbol.symbol.expression, one)) for one in inner]
    if not parts:
        parts = ["".join(_named(rules, "list_empty", context))]
    for number, part in enumerate(parts):
        if number:
            name = "list_last_separator" if number == len(parts) - 1 else "list_separator"
            yield from _named(rules, name, context)
        yield part


def _named(rules: Mapping[str, Any], name: str, context: Context) -> Iterator[str]:
    return _text(rules, textgen().NonterminalSymbol(name), context)
