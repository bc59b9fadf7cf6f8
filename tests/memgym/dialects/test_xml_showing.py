"""What a model reads in the canonical dialect: entries, feedback, and instructions that it can follow."""

from __future__ import annotations

import pytest

from memgym.dialects.xml import XmlDialect
from memgym.memory.entry import Entry, Hit, Write
from memgym.operations import COMMANDS, OPERATIONS, Result, Status, pairs

XML = XmlDialect()


def hit(id: str, text: str, **more: object) -> Hit:
    written = Write("e", 1, "create", 1)
    return Hit(Entry(id, text, "", written, written, **more), 1.0, "text")


class TestShowing:
    def test_no_entries_are_no_text(self) -> None:
        assert XML.render([]) == ""

    def test_an_entry_shows_its_id_and_its_unchanged_text(self) -> None:
        assert XML.render([hit("m3", "a <b> & c\n d ")]) == "[m3] a <b> & c\n d "

    def test_annotations_follow_the_text_and_empty_ones_are_left_out(self) -> None:
        whole = hit(
            "m3",
            "x",
            keywords=("a", "b"),
            tags=("t",),
            context="c",
            links=("m1", "m2"),
            time="May",
            attributes=pairs(mood="calm"),
        )
        assert XML.render([whole, hit("m4", "y", tags=("t",))]) == (
            "[m3] x (May; keywords: a, b; tags: t; context: c; mood: calm; links: m1 m2)\n[m4] y (tags: t)"
        )

    def test_feedback_tells_new_ids_failures_and_remarks_only(self) -> None:
        results = [
            Result("create", Status.OK, ("m7",)),
            Result("read", Status.OK, ("m1",)),
            Result("update", Status.UNKNOWN_ID, reason="no entry has the id 'm9'"),
            Result("create", Status.DUPLICATE, ("m2",), "it is stored already"),
            Result("malformed", Status.MALFORMED, reason="why"),
            Result("malformed", Status.MALFORMED, reason="why"),
            Result("delete", Status.MASKED),
            Result("answer", Status.OK),
        ]
        assert XML.feedback(results).split("\n") == [
            "create_memory: stored as [m7]",
            "update_memory: unknown_id: no entry has the id 'm9'",
            "create_memory: duplicate [m2]: it is stored already",
            "malformed: why (2 times)",
            "delete_memory: masked",
        ]

    def test_no_results_are_no_feedback(self) -> None:
        assert XML.feedback([]) == ""


class TestInstructions:
    def test_every_example_is_read_as_what_it_explains(self) -> None:
        for kind in (*OPERATIONS, *COMMANDS):
            given = XML.instructions([kind] if kind in OPERATIONS else [], [kind] if kind in COMMANDS else [])
            action = XML.parse("\n".join(given.split("\n")[3:]))
            assert [one.kind for one in (*action.operations, action.command) if one] == [kind]

    def test_only_what_is_allowed_is_explained(self) -> None:
        given = XML.instructions({"create", "read"}, {"answer"})
        assert "<create_memory" in given
        assert "<answer>" in given
        assert "update_memory" not in given
        assert "<advance" not in given

    def test_they_say_how_ids_are_shown(self) -> None:
        assert "in brackets" in XML.instructions({"delete"}, set())

    def test_the_order_does_not_depend_on_the_order_of_the_argument(self) -> None:
        assert XML.instructions(["read", "create"], ["answer"]) == XML.instructions({"create", "read"}, {"answer"})

    def test_an_unknown_kind_is_an_error_with_the_nearest_one(self) -> None:
        with pytest.raises(LookupError, match="Did you mean 'create'"):
            XML.instructions({"creat"}, set())
