"""AtomMem's released grammar: each quirk behind its switch, and total on every text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.dialects.atommem import AtomMemDialect, boxed
from memgym.memory.entry import Entry, Hit, Write
from memgym.operations import (
    COMMANDS,
    OPERATIONS,
    Act,
    Action,
    Advance,
    Answer,
    Create,
    Delete,
    Evolve,
    Link,
    Malformed,
    Read,
    Result,
    Scratchpad,
    Status,
    Update,
)

ATOMMEM = AtomMemDialect()
KEEPS_IDS = AtomMemDialect(modify_makes_new=False)
RAW_ANSWERS = AtomMemDialect(answers_in_box=False)
PIECES = (
    *("<", ">", "&", '"', "/", "#", "\\", "{", "}", ":", " ", "\n", "\x00", "\ud800", "😀", "北京", "กรุงเทพ", "Ελλάδα", "a", "7", "-"),
    *("<add_memory>", "</add_memory>", "<modify_memory>", "</modify_memory>", "<delete_memory>", "</delete_memory>", "<update_query>"),
    *("</update_query>", "<update_memory>", "</update_memory>", "<final_answer>", "</final_answer>", "<think>", "</think>", "<b>", "</b>"),
    *("<read_memory>", "<create_memory>", "<ad_memory>", r"\boxed{", r"\boxed{x}", "Memory 1", "Memory 0: ", "Memory -1:", "&amp;"),
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=6).map("".join) | st.text(
    st.characters(exclude_categories=()), max_size=9
)
plain = st.text(st.characters(exclude_characters="<{}"), max_size=20).map(str.strip)
ranks = st.integers(-3, 12).map(lambda rank: f"#{rank}")
common = [plain.map(Create), plain.map(Read), plain.map(Scratchpad), ranks.map(Delete)]
answers = st.none() | plain.map(Answer)
without_update = st.builds(Action, st.lists(st.one_of(common), max_size=5).map(tuple), answers)
updates = st.builds(Update, ranks, plain.filter(bool))
with_update = st.builds(Action, st.lists(st.one_of(*common, updates), max_size=5).map(tuple), answers)
anything = st.one_of(
    st.builds(Create, texts),
    st.builds(Create, texts, st.just(("keyword",))),
    st.builds(Read, texts, st.none() | st.just(6)),
    st.builds(Update, ranks | texts, texts),
    st.builds(Delete, ranks | texts),
    st.builds(Link, ranks, st.just(("#1",))),
    st.builds(Evolve, ranks),
    st.builds(Scratchpad, texts),
)
any_action = st.builds(Action, st.lists(anything, max_size=3).map(tuple), st.none() | st.builds(Answer, texts))


class TestTags:
    @pytest.mark.parametrize(
        ("text", "operations"),
        [
            ("<add_memory> a & b < c\n</add_memory>", [Create("a & b < c")]),
            ("<add_memory>&lt;b&gt;</add_memory>", [Create("&lt;b&gt;")]),
            ("<ADD_memory kind='x'>a</add_MEMORY>", [Create("a")]),
            ("<add_memory> </add_memory>", [Create("")]),
            ("<modify_memory>Memory 2: new\ntext</modify_memory>", [Delete("#2"), Create("new\ntext")]),
            ("<modify_memory> memory #2 : x</modify_memory>", [Delete("#2"), Create("x")]),
            ("<modify_memory>Memory 2:</modify_memory>", [Delete("#2")]),
            ("<delete_memory>Memory 3</delete_memory>", [Delete("#3")]),
            ("<delete_memory>Memory 3: it is wrong</delete_memory>", [Delete("#3")]),
            ("<delete_memory>Memory 0</delete_memory>", [Delete("#0")]),
            ("<delete_memory>Memory -1</delete_memory>", [Delete("#-1")]),
            ("<update_query>where?</update_query>", [Read("where?")]),
            ("<update_query></update_query>", [Read("")]),
            ("<update_memory>notes</update_memory>", [Scratchpad("notes")]),
            ("<add_memory>a <update_query>b</update_query></add_memory>", [Create("a <update_query>b</update_query>")]),
            ("<add_memory>a <add_memory>b</add_memory>", [Create("a <add_memory>b")]),
            ("<b><add_memory>hidden</add_memory></b><add_memory>x</add_memory>", [Create("x")]),
            ("<b><add_memory>x</add_memory>", [Create("x")]),
            ("<think>no <add_memory>no</add_memory></think><add_memory>x</add_memory>", [Create("x")]),
            ("", []),
            ("I do nothing, 1 < 2.", []),
        ],
    )  # fmt: skip
    def test_are_read_as_the_released_code_reads_them(self, text: str, operations: list[object]) -> None:
        assert ATOMMEM.parse(text) == Action(tuple(operations))

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("<modify_memory>new text</modify_memory>", '<modify_memory> does not say which entry: expected "Memory 2: the new text"'),
            ("<modify_memory>Memory 2</modify_memory>", '<modify_memory> does not say which entry: expected "Memory 2: the new text"'),
            ("<delete_memory>the second</delete_memory>", '<delete_memory> does not say which entry: expected "Memory 2"'),
            ("<delete_memory>Memory ２</delete_memory>", '<delete_memory> does not say which entry: expected "Memory 2"'),
            ("<add_memory>", "<add_memory> is never closed: write <add_memory>...</add_memory>"),
            ("</add_memory>", "</add_memory> closes nothing: there is no <add_memory> before it"),
            ("<ad_memory>x</ad_memory>", "there is no tag <ad_memory>. Did you mean <add_memory>?"),
            ("<answer>x</answer>", "there is no tag <answer>. Did you mean <final_answer>?"),
        ],
    )  # fmt: skip
    def test_what_cannot_be_read_is_reported_and_the_rest_is_carried_out(self, text: str, reason: str) -> None:
        action = ATOMMEM.parse(f"<update_query>q</update_query>{text}<update_memory>s</update_memory>")
        assert action == Action((Read("q"), Malformed(text, reason), Scratchpad("s")))

    def test_of_several_answers_the_first_stands(self) -> None:
        action = ATOMMEM.parse(r"<final_answer>\boxed{a}</final_answer><final_answer>\boxed{b}</final_answer>")
        assert action.command == Answer("a")
        assert [one.kind for one in action.operations] == ["malformed"]


class TestSwitches:
    def test_paper_names_are_taken_unless_switched_off(self) -> None:
        text = "<create_memory>a</create_memory><read_memory>q</read_memory><update_memory>s</update_memory>"
        assert ATOMMEM.parse(text) == Action((Create("a"), Read("q"), Scratchpad("s")))
        kinds = [one.kind for one in AtomMemDialect(paper_names=False).parse(text).operations]
        assert kinds == ["malformed", "malformed", "scratchpad"]

    def test_a_modify_can_keep_the_id(self) -> None:
        text = "<modify_memory>Memory 2: x</modify_memory><modify_memory>Memory 1:</modify_memory>"
        assert KEEPS_IDS.parse(text) == Action((Update("#2", "x"), Delete("#1")))

    def test_unclosed_thinking_executes_only_as_the_released_code_does(self) -> None:
        text = "<think>hm <add_memory>x</add_memory>"
        assert AtomMemDialect(think_executes=True).parse(text) == Action((Create("x"),))
        (report,) = ATOMMEM.parse(text).operations
        assert isinstance(report, Malformed)
        assert "</think> is missing" in report.reason

    def test_thinking_that_the_prompt_opened_executes_only_as_the_released_code_does(self) -> None:
        text = "hm <add_memory>x</add_memory></think><add_memory>y</add_memory>"
        assert AtomMemDialect(think_executes=True).parse(text) == Action((Create("x"), Create("y")))
        assert ATOMMEM.parse(text) == Action((Create("y"),))

    @pytest.mark.parametrize(
        ("body", "answer"),
        [
            (r"It is \boxed{Oslo}.", "Oslo"),
            (r"\boxed{a} or \boxed{ \frac{1}{2} }", r"\frac{1}{2}"),
            (r"\boxed{\boxed{x}}", "x"),
            (r"\boxed{}", ""),
            (r"\boxed{Oslo", r"\boxed{Oslo"),
            ("Oslo", "Oslo"),
        ],
    )
    def test_the_answer_is_what_the_last_box_holds(self, body: str, answer: str) -> None:
        text = f"<final_answer> {body} </final_answer>"
        assert ATOMMEM.parse(text) == Action(command=Answer(answer))
        assert RAW_ANSWERS.parse(text) == Action(command=Answer(body))

    def test_the_box_may_be_looked_for_at_the_end_only(self) -> None:
        text = rf"<final_answer>\boxed{{Oslo}}{'.' * 296}</final_answer>"
        assert ATOMMEM.parse(text).command == Answer("Oslo")
        assert AtomMemDialect(answer_tail=300).parse(text).command == Answer("slo}" + "." * 296)

    def test_a_tail_of_no_character_is_an_error(self) -> None:
        with pytest.raises(ValueError, match="answer_tail is 0"):
            AtomMemDialect(answer_tail=0)

    def test_the_defaults_are_those_of_the_released_run(self) -> None:
        assert dict(AtomMemDialect.defaults) == {
            "advance": "on_write",
            "reads": "persistent",
            "chunk_tokens": 4000,
            "overlap": 100,
            "cut": "token",
            "k": 6,
            "query_limit": 3,
        }

    def test_no_box_is_none(self) -> None:
        assert boxed("{x} boxed{y}") is None


class TestInverse:
    @given(without_update)
    def test_parsing_what_was_formatted_gives_the_action_back(self, action: Action) -> None:
        assert ATOMMEM.parse(ATOMMEM.format(action)) == action

    @given(with_update)
    def test_updates_come_back_where_a_modify_keeps_the_id(self, action: Action) -> None:
        assert KEEPS_IDS.parse(KEEPS_IDS.format(action)) == action

    @pytest.mark.parametrize(
        "dialect", [ATOMMEM, KEEPS_IDS, RAW_ANSWERS, AtomMemDialect(think_executes=True, paper_names=False)]
    )
    @given(any_action)
    def test_any_action_comes_back_or_is_refused(self, dialect: AtomMemDialect, action: Action) -> None:
        try:
            text = dialect.format(action)
        except ValueError as error:
            assert "AtomMem's tags cannot express" in str(error)  # noqa: PT017
        else:
            assert dialect.parse(text) == action

    @pytest.mark.parametrize(
        "item",
        [
            Link("#1", ("#2",)),
            Evolve("#1", tags=("a",)),
            Create("x", keywords=("a",)),
            Create("x", store="s"),
            Create(" x"),
            Create("</add_memory>"),
            Read("q", k=6),
            Read("q", follow=1),
            Update("#1", "x"),
            Delete("m1"),
        ],
    )
    def test_an_operation_that_the_tags_cannot_say_is_an_error_that_names_it(self, item: object) -> None:
        with pytest.raises(ValueError, match=f"cannot express {type(item).__name__}"):
            ATOMMEM.format(Action((Scratchpad("s"), item)))

    @pytest.mark.parametrize("command", [Act("go"), Advance(), Answer("a}")])
    def test_a_command_that_the_tags_cannot_say_is_an_error_that_names_it(self, command: object) -> None:
        with pytest.raises(ValueError, match=f"cannot express {type(command).__name__}"):
            ATOMMEM.format(Action(command=command))

    def test_a_delete_and_a_create_are_written_as_the_modify_that_they_are_read_from(self) -> None:
        action = Action((Delete("#2"), Create("x")))
        assert ATOMMEM.format(action) == "<modify_memory>Memory 2: x</modify_memory>"
        assert KEEPS_IDS.format(action).count("<") == 4

    def test_malformed_formats_to_its_own_text(self) -> None:
        assert (
            ATOMMEM.format(Action((Malformed("<ad_memory>x", "why"), Create("y"))))
            == "<ad_memory>x\n<add_memory>y</add_memory>"
        )


class TestAnyText:
    @given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(st.characters(exclude_categories=())))
    def test_never_raises(self, text: str) -> None:
        assert isinstance(ATOMMEM.parse(text), Action)

    @pytest.mark.parametrize(
        ("text", "count"),
        [
            ("x" * 1_000_000, 0),
            ("<" * 1_000_000, 0),
            ("<add_memory>" * 80_000, 80_000),
            ("<add_memory>" * 40_000 + "</add_memory>" * 40_000, 40_000),
            ("".join(f"<a{i}>" for i in range(100_000)), 0),
            ("<modify_memory>Memory " + "9" * 1_000_000 + ": x</modify_memory>", 2),
            ("<modify_memory>" + " " * 1_000_000 + "x</modify_memory>", 1),
            ("<think>" * 140_000, 1),
        ],
    )
    def test_a_megabyte_of_anything_is_read(self, text: str, count: int) -> None:
        assert len(ATOMMEM.parse(text).operations) == count

    def test_a_megabyte_of_open_boxes_is_read(self) -> None:
        text = r"\boxed{" * 140_000
        assert ATOMMEM.parse(f"<final_answer>{text}</final_answer>").command == Answer(text)


def hit(text: str) -> Hit:
    written = Write("e", 1, "create", 1)
    return Hit(Entry("m7", text, "", written, written, keywords=("a",), time="May"), 1.0, "dense")


class TestShowing:
    def test_entries_are_numbered_texts_without_ids(self) -> None:
        assert ATOMMEM.render([hit("a\nb"), hit("c")]) == "Memory 1: a\nb\nMemory 2: c"

    def test_no_entries_are_said(self) -> None:
        assert ATOMMEM.render([]) == "No previous memory"

    def test_feedback_shows_failures_and_no_ids(self) -> None:
        results = [
            Result("create", Status.OK, ("m7",)),
            Result("delete", Status.UNKNOWN_ID, reason="'#9' is no rank"),
            Result("create", Status.DUPLICATE, ("m2",)),
        ]
        assert ATOMMEM.feedback(results) == "delete_memory: unknown_id: '#9' is no rank\nadd_memory: duplicate"

    @pytest.mark.parametrize("kind", ["create", "read", "delete", "scratchpad", "answer"])
    def test_every_example_is_read_as_what_it_explains(self, kind: str) -> None:
        given = ATOMMEM.instructions([kind] if kind in OPERATIONS else [], [kind] if kind in COMMANDS else [])
        action = ATOMMEM.parse(given)
        assert [one.kind for one in (*action.operations, action.command) if one] == [kind]

    def test_instructions_leave_out_what_the_grammar_lacks(self) -> None:
        given = ATOMMEM.instructions(OPERATIONS, COMMANDS)
        assert "<modify_memory>Memory 2: " in given
        assert "link" not in given
        assert "<act" not in given
