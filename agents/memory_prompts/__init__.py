"""The requests that memory systems share: what a model is asked when memory is formed, evolved, retrieved or used.

Separate from the systems, so that two systems that ask the same thing ask it in the same words, and a deterministic
model can answer every kind from its inputs. Memories are shown as lines "[m3] text", the id in square brackets.
"""

from .acting import ACT, Move
from .experience import COMPARE, INDUCE, RuleEdit, RuleEdits, Workflow, Workflows
from .facts import DECIDE, EDGES, EXTRACT, INVALIDATE, Decision, Edge, Edges, Facts, Invalidated
from .notes import ANALYSE, EVOLVE, RELATE, Analysis, Change, Evolved, Related
from .reflection import FOCUS, INFER, RATE, SUMMARISE, FocalQuestions, Insight, Insights, Rating, Summary
from .searching import ENOUGH, PLAN, SELECT, Plan, Selection, Sufficiency

__all__ = [
    "ACT",
    "ANALYSE",
    "COMPARE",
    "DECIDE",
    "EDGES",
    "ENOUGH",
    "EVOLVE",
    "EXTRACT",
    "FOCUS",
    "INDUCE",
    "INFER",
    "INVALIDATE",
    "PLAN",
    "RATE",
    "RELATE",
    "SELECT",
    "SUMMARISE",
    "Analysis",
    "Change",
    "Decision",
    "Edge",
    "Edges",
    "Evolved",
    "Facts",
    "FocalQuestions",
    "Insight",
    "Insights",
    "Invalidated",
    "Move",
    "Plan",
    "Rating",
    "Related",
    "RuleEdit",
    "RuleEdits",
    "Selection",
    "Sufficiency",
    "Summary",
    "Workflow",
    "Workflows",
]
