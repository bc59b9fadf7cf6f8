"""How one conversation of LoCoMo reads: its sessions in order, its questions with their evidence, and its oddities.

Separate from the benchmark, which chooses questions and scores them. Layout: snap-research/locomo, data/locomo10.json.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from memgym.task import Question, Sample

from .formats import BrokenData, Row
from .layouts import note, text
from .sessions import Session, line

CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
"""The right mapping; its copies are often mislabelled (snap-research/locomo issues 6 and 29)."""

NOT_SAID = "not mentioned"
_SESSION = re.compile(r"session_(\d+)")
_PLAIN = re.compile(r"D[1-9]\d*:[1-9]\d*")
_DIALOG = re.compile(r"D:?(\d+):(\d+)")


def parse(row: Row, notes: Counter[str]) -> Sample:
    """Read one conversation with all its questions. Raises BrokenData.

    ``notes`` counts: "dates_without_session"; "questions_without_evidence"; "evidence_malformed" (items that are not
    one id; the ids in them that name a turn are used) and "evidence_unreadable" (items of which no id could be);
    "answers_not_text" (numbers, read as text).
    """
    conversation = row.values.get("conversation")
    if not isinstance(conversation, Mapping) or not isinstance(row.values.get("qa"), list):
        raise BrokenData(f"{row.place} has no 'conversation' with 'qa': it is not a conversation of LoCoMo.")
    id = text(row, "sample_id")
    sessions, turns = _sessions(row, conversation, notes)
    questions = tuple(
        _question(row, f"{id}-q{number}", value, turns, notes) for number, value in enumerate(row.values["qa"], 1)
    )
    documents = tuple(session.document() for session in sessions)
    return Sample(id, questions, documents, {"sessions": tuple(sessions)})


def _sessions(
    row: Row, conversation: Mapping[str, Any], notes: Counter[str]
) -> tuple[list[Session], dict[tuple[int, int], str]]:
    """Return the sessions by number, not by the order of their keys, and every rendered turn by (session, turn)."""
    numbers = sorted(int(found[1]) for key in conversation if (found := _SESSION.fullmatch(key)))
    dates = sum(bool(re.fullmatch(r"session_\d+_date_time", key)) for key in conversation)
    note(notes, dates_without_session=max(0, dates - len(numbers)))
    sessions, turns = [], {}
    for number in numbers:
        values = conversation[f"session_{number}"]
        date = conversation.get(f"session_{number}_date_time")
        if not isinstance(values, list) or not isinstance(date, str):
            raise BrokenData(f"{row.place}: session_{number} is not a list of turns with a date.")
        said = [_turn(row, number, value) for value in values]
        sessions.append(Session(number, date, tuple((speaker, words) for _, speaker, words in said)))
        turns.update({key: line(speaker, words) for key, speaker, words in said})
    if not turns:
        raise BrokenData(f"{row.place} has no turns.")
    return sessions, turns


def _turn(row: Row, number: int, value: Any) -> tuple[tuple[int, int], str, str]:
    """Return a turn's place, speaker and text; an image is told by its caption, as the data set's own readers do."""
    if not isinstance(value, Mapping) or not all(isinstance(value.get(key), str) for key in ("speaker", "text")):
        raise BrokenData(f"{row.place}: session_{number} holds {value!r:.60} where a turn was expected.")
    found = _DIALOG.fullmatch(str(value.get("dia_id")))
    if found is None:
        raise BrokenData(f"{row.place}: session_{number} has a turn with the dia_id {value.get('dia_id')!r}.")
    caption = value.get("blip_caption")
    shown = f"[shares {caption.strip()}]" if isinstance(caption, str) and caption.strip() else ""
    words = " ".join(part for part in (value["text"].strip(), shown) if part)
    return (int(found[1]), int(found[2])), value["speaker"].strip(), words


def _question(row: Row, id: str, value: Any, turns: Mapping[tuple[int, int], str], notes: Counter[str]) -> Question:
    if not isinstance(value, Mapping) or value.get("category") not in CATEGORIES:
        raise BrokenData(f"{row.place}: {id} is not a question with a category from 1 to 5: {value!r:.80}.")
    if not str(value.get("question", "")).strip():
        raise BrokenData(f"{row.place}: {id} has no text.")
    category = CATEGORIES[value["category"]]
    wrong = value.get("adversarial_answer")
    answer = NOT_SAID if category == "adversarial" else value.get("answer")
    if answer is None or (category == "adversarial" and wrong is None):
        missing = "adversarial_answer" if category == "adversarial" else "answer"
        raise BrokenData(f"{row.place}: {id} ({category}) has no {missing!r}.")
    note(notes, answers_not_text=int(not isinstance(answer, str)))
    facts = (("suggested", str(wrong)),) if wrong is not None else ()
    evidence = _evidence(value.get("evidence", []), turns, notes)
    return Question(str(value["question"]).strip(), _answers(str(answer), category), evidence, id, category, facts)


def _answers(answer: str, category: str) -> tuple[str, ...]:
    """Return the whole key last; before it, in category 3, what stands before ";", all that the official rule sees."""
    if category != "open_domain":
        return (answer,)
    return tuple(dict.fromkeys((answer.partition(";")[0].strip(), answer)))


def _evidence(items: Any, turns: Mapping[tuple[int, int], str], notes: Counter[str]) -> tuple[str, ...]:
    """Return the turns that can be found of the ids in the items, whatever else stands in these."""
    items = items if isinstance(items, list) else [items]
    found: dict[str, None] = {}
    for item in map(str, items):
        named = [(int(one[1]), int(one[2])) for one in _DIALOG.finditer(item)]
        known = [turns[key] for key in named if key in turns]
        found.update(dict.fromkeys(known))
        whole = _PLAIN.fullmatch(item.strip()) is not None
        note(notes, evidence_malformed=int(not whole), evidence_unreadable=int(len(known) < max(1, len(named))))
    note(notes, questions_without_evidence=int(not found))
    return tuple(found)
