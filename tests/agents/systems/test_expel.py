"""ExpeL: votes on rules, success compared with failure, rules by votes and like experiences at use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from living import acted, lived
from small_house import experience
from staged import Replies, Staged, staged

import memgym
from memgym.agents.systems.expel import EXPERIENCE, RULE, ExpeL
from memgym.memory import Memory
from memgym.task import Experience

WON, LOST = experience("mug", "shelf"), experience("mug", "shelf", success=False)
PLATE = experience("plate", "table")


def edit(action: str, number: int = 0, text: str = "") -> dict[str, Any]:
    return {"action": action, "number": number, "text": text}


def taught(*edits: Sequence[Mapping[str, Any]], memory: Memory | str = "fresh", **options: Any) -> Staged:
    """Play one success for each list of edits, each in an episode of its own on the same memory."""
    played = None
    for number, said in enumerate(edits):
        shown = [experience(f"thing{number}", "shelf")]
        played = lived(ExpeL, Replies(compare={"edits": list(said)}), shown, memory, **options)
        memory = played.env.memory
    assert played is not None
    return played


def rules(played: Staged) -> dict[str, int]:
    return {entry.text: int(entry.attribute("votes")) for entry in played.entries if RULE in entry.tags}


ADD = [edit("add", 0, "Look first.")]


def test_a_new_rule_starts_with_two_votes() -> None:
    assert rules(taught(ADD)) == {"Look first.": 2}


def test_agreeing_adds_a_vote() -> None:
    assert rules(taught(ADD, [edit("agree", 1)])) == {"Look first.": 3}


def test_editing_adds_a_vote_and_keeps_the_entry() -> None:
    played = taught(ADD, [edit("edit", 1, "Look twice.")])
    assert rules(played) == {"Look twice.": 3}
    [rule] = [entry for entry in played.entries if RULE in entry.tags]
    assert rule.version > 1


def test_removing_takes_a_vote_and_at_none_the_rule_is_dropped() -> None:
    assert rules(taught(ADD, [edit("remove", 1)])) == {"Look first.": 1}
    assert rules(taught(ADD, [edit("remove", 1)], [edit("remove", 1)])) == {}


def test_from_a_full_list_removing_takes_three_votes() -> None:
    full = {"evolution": {"max_rules": 1, "slack": 0}}
    assert rules(taught(ADD, [edit("agree", 1)], [edit("remove", 1)], **full)) == {}


def test_nothing_is_added_to_a_full_list() -> None:
    full = {"evolution": {"max_rules": 1, "slack": 0}}
    assert rules(taught(ADD, [edit("add", 0, "Hurry.")], **full)) == {"Look first.": 2}


def test_removing_comes_first_and_makes_room_for_what_is_added() -> None:
    full = {"evolution": {"max_rules": 1, "slack": 0}}
    assert rules(taught(ADD, [edit("add", 0, "Hurry."), edit("remove", 1)], **full)) == {"Hurry.": 2}


def test_a_rule_that_is_added_again_is_agreed_with() -> None:
    assert rules(taught(ADD, ADD)) == {"Look first.": 3}


def test_a_number_that_was_not_shown_changes_nothing_and_stands_in_the_record() -> None:
    played = taught(ADD, [edit("remove", 7), edit("agree", 0)])
    assert rules(played) == {"Look first.": 2}
    assert played.ended("delete") == ["unknown_id", "unknown_id"]


def test_rules_are_shown_to_the_model_with_most_votes_first() -> None:
    memory = taught(ADD, [edit("add", 0, "Hurry.")], [edit("agree", 2)]).env.memory
    replies = Replies(compare={"edits": []})
    lived(ExpeL, replies, [WON], memory)
    assert replies.asked("compare")[0]["rules"] == ["Hurry.", "Look first."]


def test_each_success_is_compared_with_the_failures_at_its_task_then_successes_together() -> None:
    replies = Replies(compare={"edits": []})
    lived(ExpeL, replies, [LOST, WON, PLATE])
    asked = [(inputs["success"], inputs["failure"]) for inputs in replies.asked("compare")]
    assert asked == [(WON.render(), LOST.render()), (f"{WON.render()}\n\n{PLATE.render()}", "")]


def test_successes_are_looked_at_eight_at_a_time() -> None:
    replies = Replies(compare={"edits": []})
    lived(ExpeL, replies, [experience(f"thing{number}", "shelf") for number in range(9)])
    assert [inputs["success"].count("Task:") for inputs in replies.asked("compare")] == [8, 1]


def test_a_success_is_compared_with_a_failure_of_an_earlier_episode_once() -> None:
    memory = lived(ExpeL, Replies(compare={"edits": []}), [LOST]).env.memory
    replies = Replies(compare={"edits": []})
    lived(ExpeL, replies, [WON], memory)
    assert [bool(inputs["failure"]) for inputs in replies.asked("compare")] == [True, False]
    later = Replies(compare={"edits": []})
    lived(ExpeL, later, [PLATE], memory)
    assert [inputs["failure"] for inputs in later.asked("compare")] == [""]


def test_all_experiences_are_kept_as_they_were() -> None:
    played = lived(ExpeL, Replies(compare={"edits": []}), [WON, LOST])
    assert [(entry.text, entry.attribute("success")) for entry in played.entries] == [
        (WON.render(), "yes"), (LOST.render(), "no"),
    ]  # fmt: skip
    assert all(entry.tags == (EXPERIENCE,) for entry in played.entries)


def test_an_unusable_reply_changes_no_rule_and_is_counted() -> None:
    memory = taught(ADD).env.memory
    played = lived(ExpeL, Replies(compare="hm"), [WON], memory)
    assert rules(played) == {"Look first.": 2}
    assert played.usage.failures == 1


def shown(memory: Memory, **options: Any) -> str:
    replies = Replies(act={"command": "look"})
    acted(ExpeL, replies, "mug-shelf", memory, **options)
    return str(replies.asked("act")[0]["memory"])


def test_at_use_the_best_rules_come_before_the_examples() -> None:
    memory = lived(ExpeL, Replies(compare={"edits": ADD}), [WON]).env.memory
    assert shown(memory) == f"What earlier episodes taught, the most trusted first:\n- Look first.\n\n{WON.render()}"


def test_only_so_many_rules_are_shown() -> None:
    many = [edit("add", 0, f"Rule {number}.") for number in range(9)]
    memory = taught(many, [edit("agree", 5)]).env.memory
    text = shown(memory, retrieval={"max_rules": 2, "shots": 0})
    assert text.splitlines()[1:] == ["- Rule 4.", "- Rule 0."]


def test_a_failure_is_no_example() -> None:
    memory = lived(ExpeL, Replies(compare={"edits": []}), [LOST, WON]).env.memory
    assert "without success" not in shown(memory)


def test_the_number_of_examples_is_bounded_however_many_rules_lie_near() -> None:
    near = [edit("add", 0, f"Put the mug on the shelf, way {number}.") for number in range(20)]
    wins = [experience("mug", "shelf"), experience("cup", "shelf"), experience("jug", "shelf")]
    memory = lived(ExpeL, Replies(compare=[{"edits": near}, {"edits": []}]), wins).env.memory
    assert shown(memory).count("Task:") == 2


def test_an_example_that_is_too_long_is_left_out() -> None:
    memory = lived(ExpeL, Replies(compare={"edits": []}), [WON]).env.memory
    assert shown(memory, retrieval={"tokens": 5}) == ""


def test_a_task_that_shows_text_is_refused_by_the_key() -> None:
    with pytest.raises(ValueError, match=r"expel\.formation.*'steps'"):
        staged(ExpeL, Replies(), ["Mia lives in Oslo."])


def test_it_learns_with_the_rules_model_and_an_errand_takes_fewer_commands() -> None:
    memory = lived(ExpeL, memgym.make_model("rules"), [LOST, WON]).env.memory
    before = acted(ExpeL, memgym.make_model("rules"), "mug-shelf")
    after = acted(ExpeL, memgym.make_model("rules"), "mug-shelf", memory)
    assert after.env.pomdp.task.given == ["take mug", "put mug on shelf"] != before.env.pomdp.task.given


@pytest.mark.parametrize("text", ["東京", "ก็" * 30, "🦊", "\x00", "x" * 50_000, "expelrule"])
def test_any_text_can_have_been_lived(text: str) -> None:
    odd = [Experience(text, ((text, text),), success) for success in (True, False)]
    assert lived(ExpeL, memgym.make_model("rules"), odd).env.pomdp.terminated
