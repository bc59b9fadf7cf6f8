"""AWM: workflows of what went well only, one trajectory for each template, nearest or all shown at the next task."""

from __future__ import annotations

import pytest
from living import acted, lived
from small_house import experience
from staged import Replies, staged

import memgym
from memgym.agents.systems.awm import AWM, effective, template
from memgym.task import Experience

PUT = {"workflows": [{"name": "put a thing", "text": "1. take <object>\n2. put <object> on <place>"}]}
MUG, PLATE = experience("mug", "shelf"), experience("plate", "table")
LOST = experience("mug", "shelf", success=False)


def test_a_workflow_is_written_under_its_name_as_an_entry() -> None:
    [entry] = lived(AWM, Replies(induce=PUT), [MUG]).entries
    assert entry.text == "put a thing\n1. take <object>\n2. put <object> on <place>"
    assert entry.tags == ("workflow",)


def test_only_what_went_well_is_looked_at() -> None:
    replies = Replies(induce=PUT)
    lived(AWM, replies, [LOST, MUG, LOST])
    assert replies.asked("induce") == [{"experiences": [MUG.render()]}]


def test_without_a_success_nothing_is_asked_and_nothing_written() -> None:
    replies = Replies(induce=PUT)
    assert lived(AWM, replies, [LOST]).entries == []
    assert replies.requests == []


def test_one_trajectory_stands_for_its_template() -> None:
    replies = Replies(induce=PUT)
    kinds = [experience(thing, "shelf", task_type="put") for thing in ("mug", "cup", "jug")]
    lived(AWM, replies, [*kinds, experience("plate", "table", task_type="wash")])
    assert len(replies.asked("induce")[0]["experiences"]) == 2


def test_tasks_that_differ_in_numbers_and_quoted_words_share_a_template() -> None:
    one, other = (Experience(f'Find "{what}" on page {page}', (), True) for what, page in (("a", 1), ("b", 22)))
    assert template(one) == template(other) != template(Experience("Find page 1", (), True))


def test_the_type_of_a_task_is_its_template() -> None:
    assert template(experience("mug", "shelf", task_type="put")) == "put"


def test_steps_that_changed_nothing_are_dropped_and_the_last_is_kept() -> None:
    steps = (("a", "look"), ("a", "go"), ("b", "wait"), ("b", "take"))
    assert effective(Experience("t", steps, True)).steps == (("a", "go"), ("b", "take"))


def test_an_unusable_reply_keeps_the_trajectory_as_an_example_and_is_counted() -> None:
    played = lived(AWM, Replies(induce="no workflow comes to mind"), [MUG])
    [entry] = played.entries
    assert (entry.text, entry.attribute("degraded")) == (MUG.render(), "induce")
    assert played.usage.failures == 1


def test_a_reply_without_workflows_writes_nothing() -> None:
    assert lived(AWM, Replies(induce={"workflows": []}), [MUG]).entries == []


def test_trajectories_are_sent_in_batches() -> None:
    replies = Replies(induce=PUT)
    lived(AWM, replies, [experience(thing, "shelf") for thing in ("mug", "cup", "jug")], formation={"batch": 2})
    assert [len(inputs["experiences"]) for inputs in replies.asked("induce")] == [2, 1]


def test_the_nearest_workflow_is_shown_at_the_next_task() -> None:
    both = [
        {"name": "wash a plate", "text": "1. go to sink"},
        {"name": "put the mug on the shelf", "text": "1. take mug"},
    ]
    formed = lived(AWM, Replies(induce={"workflows": both}), [MUG, PLATE]).env.memory
    replies = Replies(act={"command": "look"})
    acted(AWM, replies, "mug-shelf", formed)
    assert replies.asked("act")[0]["memory"] == "put the mug on the shelf\n1. take mug"


def test_every_workflow_is_shown_if_asked_for() -> None:
    many = [{"name": f"way {number}", "text": f"1. step {number}"} for number in range(9)]
    formed = lived(AWM, Replies(induce={"workflows": many}), [MUG]).env.memory
    replies = Replies(act={"command": "look"})
    acted(AWM, replies, "mug-shelf", formed, retrieval={"every": True})
    assert replies.asked("act")[0]["memory"].count("way") == 9


def test_what_worked_for_a_mug_works_for_a_plate() -> None:
    formed = lived(AWM, memgym.make_model("rules"), [MUG]).env.memory
    without = acted(AWM, memgym.make_model("rules"), "plate-table")
    taught = acted(AWM, memgym.make_model("rules"), "plate-table", formed)
    assert len(taught.env.pomdp.task.given) == 2 < len(without.env.pomdp.task.given)


def test_workflows_of_earlier_episodes_stay() -> None:
    one = {"workflows": [{"name": "first", "text": "1. look"}]}
    memory = lived(AWM, Replies(induce=one), [MUG]).env.memory
    played = lived(AWM, Replies(induce=PUT), [PLATE], memory)
    assert len(played.entries) == 2


def test_a_task_that_shows_text_is_refused_by_the_key() -> None:
    with pytest.raises(ValueError, match=r"awm\.formation.*'steps'"):
        staged(AWM, Replies(), ["Mia lives in Oslo."])


@pytest.mark.parametrize("text", ["東京", "ก็" * 30, "🦊", "\x00", "x" * 50_000, "{task} <object>"])
def test_any_text_can_have_been_lived(text: str) -> None:
    odd = Experience(text, ((text, text), ("after", text)), True)
    assert lived(AWM, memgym.make_model("rules"), [odd]).env.pomdp.terminated
