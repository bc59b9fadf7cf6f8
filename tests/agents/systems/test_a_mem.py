"""A-Mem: notes are described, linked by ids and revised, and links change what is read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from staged import Replies, Staged, staged

import memgym
from memgym.agents.systems.a_mem import LINK_AND_EVOLVE, AMem
from memgym.contracts import ContractError
from memgym.operations import Evolve
from memgym.records import Episode
from memgym.rollout import play

DESCRIBED = {"keywords": ["violin"], "context": "About music.", "tags": ["music"]}
PAGES = ("Mia plays the violin.", "The violin was made in Cremona.", "Cremona lies in Italy.", "Otto bakes bread.")


def model(**said: Any) -> Replies:
    return Replies(**{"analyse": DESCRIBED, "link_and_evolve": {"ids": [], "tags": [], "changes": []}, **said})


def shown(inputs: Any) -> list[str]:
    return [line[1 : line.index("]")] for line in inputs["neighbours"]]


def test_a_note_costs_two_calls_and_the_first_one_because_it_has_no_neighbours() -> None:
    replies = model()
    staged(AMem, replies, PAGES)
    assert replies.kinds() == ["analyse", *["analyse", "link_and_evolve"] * 3, "answer"]


def test_the_papers_separate_prompts_make_three_calls_a_note() -> None:
    replies = model(relate={"ids": []}, evolve={"changes": []})
    staged(AMem, replies, PAGES[:2], options={"evolution": {"separate": True}})
    assert replies.kinds() == ["analyse", "analyse", "relate", "evolve", "answer"]


def test_a_note_keeps_its_text_and_gets_keywords_context_and_tags() -> None:
    [entry] = staged(AMem, model(), PAGES[:1]).entries
    assert (entry.text, entry.keywords, entry.context, entry.tags) == (
        PAGES[0], ("violin",), "About music.", ("music",),
    )  # fmt: skip


def test_at_most_five_neighbours_are_looked_at_and_never_the_note_itself() -> None:
    replies = model()
    staged(AMem, replies, [f"Note number {number} on the violin." for number in range(9)])
    seen = [shown(inputs) for inputs in replies.asked("link_and_evolve")]
    assert [len(ids) for ids in seen] == [1, 2, 3, 4, 5, 5, 5, 5]
    assert all(f"m{number}" not in ids for number, ids in enumerate(seen, start=2))


def test_links_are_ids_of_notes() -> None:
    entries = staged(AMem, model(link_and_evolve=lambda inputs: {"ids": shown(inputs)}), PAGES).entries
    ids = {entry.id for entry in entries}
    assert all(set(entry.links) <= ids - {entry.id} for entry in entries)
    assert set(entries[3].links) == {"m1", "m2", "m3"}


def read(follow: int) -> list[str]:
    """Return the ids that a question about Mia shows, where every note is linked to all before it."""
    replies = model(link_and_evolve=lambda inputs: {"ids": shown(inputs)})
    options = {"retrieval": {"k": 1, "follow": follow}}
    played = staged(AMem, replies, PAGES, ["Where does Cremona lie?"], options=options)
    return [id for result in played.results if result.operation == "read" for id in result.ids][-2:]


def test_following_links_changes_what_is_retrieved() -> None:
    assert "m3" in read(follow=0)
    assert read(follow=1) != read(follow=0)
    assert read(follow=1)[0] == "m3"


def test_a_revised_neighbour_is_indexed_with_its_new_context_at_once() -> None:
    change = {"id": "m1", "context": "Zanzibar dulcimer festival.", "tags": ["travel"]}
    options = {"retrieval": {"k": 1, "follow": 0}}
    replies = model(link_and_evolve=[{"changes": [change]}, {}])
    played = staged(AMem, replies, PAGES, ["Zanzibar dulcimer festival"], options=options)
    assert played.entries[0].context == "Zanzibar dulcimer festival."
    assert played.entries[0].tags == ("travel",)
    [last] = [result for result in played.results if result.operation == "read"][-1:]
    assert last.ids == ("m1",)


def test_an_empty_context_or_empty_tags_leave_what_was_there() -> None:
    changes = [{"id": "m1", "context": "", "tags": []}, {"id": "m1", "context": "New.", "tags": []}]
    played = staged(AMem, model(link_and_evolve={"changes": changes}), PAGES[:2])
    assert (played.entries[0].context, played.entries[0].tags) == ("New.", ("music",))


def test_new_tags_of_the_note_itself_replace_its_own() -> None:
    played = staged(AMem, model(link_and_evolve={"ids": ["m1"], "tags": ["craft"]}), PAGES[:2])
    assert played.entries[1].tags == ("craft",)


@pytest.mark.parametrize("id", ["m9", "12", "", "all", "m1 m2", "-1", "\ud800", "x" * 100_000])
def test_an_id_that_was_not_shown_is_refused_on_record_and_nothing_breaks(id: str) -> None:
    decided = {"ids": [id], "changes": [{"id": id, "context": "Wrong.", "tags": []}]}
    played = staged(AMem, model(link_and_evolve=decided), PAGES[:2])
    assert played.ended("evolve") == ["unknown_id"]
    assert played.ended("link") == (["unknown_id"] if id else [])
    assert all(entry.context != "Wrong." for entry in played.entries)


IDS = st.sampled_from([f"m{number}" for number in range(1, 13)] + ["0", "1", "#1", "m0"])


@settings(max_examples=25)
@given(decided=st.lists(st.tuples(st.lists(IDS, max_size=3), st.lists(IDS, max_size=3)), min_size=1, max_size=4))
def test_only_notes_that_were_shown_are_ever_changed(decided: list[tuple[list[str], list[str]]]) -> None:
    said = [
        {"ids": ids, "changes": [{"id": one, "context": "Changed.", "tags": []} for one in changed]}
        for ids, changed in decided
    ]
    replies = model(link_and_evolve=said)
    played = staged(
        AMem, replies, [f"Page {number}." for number in range(12)], options={"evolution": {"neighbours": 2}}
    )
    allowed = {id for inputs in replies.asked("link_and_evolve") for id in shown(inputs)}
    assert {entry.id for entry in played.entries if entry.context == "Changed."} <= allowed
    assert {id for entry in played.entries for id in entry.links} <= allowed


def test_the_same_passage_twice_is_one_note_and_no_second_decision() -> None:
    replies = model()
    played = staged(AMem, replies, [PAGES[0], PAGES[0]])
    assert played.texts == [PAGES[0]]
    assert played.ended("create") == ["ok", "duplicate"]
    assert "link_and_evolve" not in replies.kinds()


def test_an_unreadable_description_keeps_the_note_marks_it_and_is_counted() -> None:
    played = staged(AMem, model(analyse="no JSON at all"), PAGES[:1])
    [entry] = played.entries
    assert entry.attribute("degraded") == "analysis"
    assert (entry.keywords, entry.context) == (("Mia", "plays", "the"), "General")
    assert played.usage.failures == 1


def test_an_unreadable_decision_keeps_the_note_unlinked_and_is_counted() -> None:
    played = staged(AMem, model(link_and_evolve="?"), PAGES[:2])
    assert played.texts == list(PAGES[:2])
    assert played.ended("link") == []
    assert played.usage.failures == 1


@pytest.mark.parametrize("text", ["美亞拉小提琴。", "มีอาเล่นไวโอลิน", "🎻🎻🎻", "\ud800 alone", "a\x00b", "x" * 100_000])
def test_any_text_becomes_a_note(text: str) -> None:
    played = staged(AMem, model(analyse="unreadable"), [text])
    assert len(played.entries) >= 1
    assert all(entry.keywords for entry in played.entries)


def test_links_and_revisions_that_are_masked_leave_plain_notes() -> None:
    replies = model(link_and_evolve=lambda inputs: {"ids": shown(inputs)})
    played = staged(AMem, replies, PAGES, env_options={"operations": ("create", "read")})
    assert set(played.ended("link")) == {"masked"}
    assert all(not entry.links for entry in played.entries)


def test_the_model_is_shown_time_context_keywords_and_tags() -> None:
    replies = model()
    staged(AMem, replies, PAGES[:1])
    [inputs] = replies.asked("answer")
    assert inputs["text"] == f"{PAGES[0]}\ncontext: About music.\nkeywords: violin\ntags: music"


def test_its_retrieval_reads_notes_that_another_formation_wrote() -> None:
    replies = model()
    played = staged(AMem, replies, PAGES, formation="passage.formation", evolution="none.evolution")
    assert played.texts == list(PAGES)
    assert PAGES[2] in replies.asked("answer")[0]["text"]


def test_its_evolution_refuses_a_formation_without_annotations_and_names_the_keys() -> None:
    with pytest.raises(ContractError, match=r"a-mem\.evolution.*context, keywords, tags.*a-mem\.formation"):
        AMem(memgym.make_model("rules"), formation="passage.formation")


def test_the_merged_decision_may_be_empty() -> None:
    assert LINK_AND_EVOLVE.output.model_validate({}).changes == []


def test_with_the_rules_model_notes_that_share_a_name_are_linked_and_revised() -> None:
    played: Staged = staged(
        AMem, memgym.make_model("rules"), ["Mia Berg plays the violin.", "Mia Berg is 171 cm tall."]
    )
    assert played.entries[1].links == ("m1",)
    assert any(isinstance(operation, Evolve) for action in played.actions for operation in action.operations)


def test_it_plays_the_synthetic_world_to_the_end_at_two_calls_a_note() -> None:
    [record] = play([
        Episode(
            "one", "MemGym/Synthetic-50doc", "a-mem", 0, model="rules",
            options={"advance": "explicit", "encoder": "hashing", "questions": 3},
            agent_options={"options": {"backend": {"encoder": "hashing"}}},
        )
    ])  # fmt: skip
    assert record.error is None
    assert record.terminated
    assert record.outcome is not None
    notes = record.outcome.metrics["memory_size"]
    assert sum(step.usage.calls for step in record.steps) == 2 * notes - 1 + 3
