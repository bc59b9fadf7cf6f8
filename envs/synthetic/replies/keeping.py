"""A reply for who reads once with the question in hand: is this sentence to be kept, and in whose place?

Apart from ``facts``, whose decisions know of no question.
"""

from __future__ import annotations

from typing import Any

from ..asking import Chain
from ..relations import INVERSE, RELATIONS
from ..world import Fact
from .facts import decide
from .sayings import Count, Inputs, aim, sayings, text, texts


def keep(inputs: Inputs, count: Count) -> dict[str, Any]:
    """Decide as ``decide`` does on a fact that may lie on a chain of the questions; anything else changes nothing.

    The first hop of a chain must be about the name that it starts from. Of a later hop only the relation is known
    before the hops in front of it are: every such fact is kept.
    """
    chains = aim(texts(inputs["question"])).chains
    facts = [one.fact for one in sayings(text(inputs["fact"])) if one.fact is not None]
    if not any(_may_lie_on(chain, fact) for chain in chains for fact in facts):
        return {"action": "none", "id": "", "text": ""}
    return decide(inputs, count)


def _may_lie_on(chain: Chain, fact: Fact) -> bool:
    relations = [relation.removeprefix(INVERSE) for relation in chain.relations]
    if fact.relation in relations[1:]:
        return True
    if not relations or fact.relation != relations[0]:
        return False
    if RELATIONS[fact.relation].symmetric:
        return chain.start in (fact.subject, fact.object)
    return chain.start == (fact.object if chain.relations[0].startswith(INVERSE) else fact.subject)
