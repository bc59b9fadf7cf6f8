"""The canonical dialect: inverse of itself on every action, and total on every text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memgym.dialects.xml import XmlDialect
from memgym.operations import (
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
    Scratchpad,
    Update,
    pairs,
)

XML = XmlDialect()
PIECES = (
    *("<", ">", "&", '"', "'", "/", ",", "，", "、", ";", "#", "\\", "[", "]", "{", "}", "=", " ", "\n", "\t", "\u00a0", "\x1c"),
    *("\x00", "\ud800", "\udc00", "😀", "北京", "กรุงเทพ", "Ελλάδα", "İ", "K", "a", "Z", "7", "_", "_x0041_", "&amp;", "&#44;", "&#;", "&lt"),
    *("<create_memory>", "</create_memory>", "<create_memory", "<think>", "</think>", "<answer>", "</answer>", "<creat_memory>", "id", "text", "keywords"),
    *("<!--", "<![CDATA[", "]]>", "a < b", "<tool_call>", r"\boxed{x}", "Memory 1: "),
)  # fmt: skip
texts = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=6).map("".join),
    st.text(st.characters(exclude_categories=()), max_size=12),
)
lists = st.lists(texts, max_size=3).map(tuple)
maybe_texts = st.none() | texts
free = st.dictionaries(texts, texts, max_size=3).map(pairs)
operations = st.one_of(
    st.builds(Create, texts, lists, lists, texts, lists, texts, free, maybe_texts),
    st.builds(
        Read,
        texts,
        st.none() | st.integers(1, 10**9),
        st.sampled_from([None, "text", "dense", "hybrid"]),
        st.integers(0, 99),
        maybe_texts,
    ),
    st.builds(Update, texts, texts),
    st.builds(Delete, texts),
    st.builds(Link, texts, lists),
    st.builds(Evolve, texts, st.none() | lists, st.none() | lists, maybe_texts, free),
    st.builds(Scratchpad, texts),
)
commands = st.none() | st.builds(Answer, texts) | st.builds(Act, texts) | st.just(Advance())
actions = st.builds(Action, st.lists(operations, max_size=4).map(tuple), commands)


def malformed(text: str) -> list[Malformed]:
    return [one for one in XML.parse(text).operations if isinstance(one, Malformed)]


def only_malformed(text: str) -> Malformed:
    action = XML.parse(text)
    assert action.command is None
    (one,) = action.operations
    assert isinstance(one, Malformed)
    return one


class TestInverse:
    @given(actions)
    @example(Action((Create("", keywords=("", "a,b", " c ")),)))
    @example(Action((Evolve("m1", (), None, "", ()), Evolve("m1", None, ("",), None, (("", ""), ("Keywords", "x"))))))
    @example(Action((Update("[m3]", "&#;&amp;#;"), Delete(""), Link("a b", ("", "c,d", "[e]")))))
    @example(Action((Create("x" * 100_000 + "</create_memory>"),), Answer(" ")))
    def test_parsing_what_was_formatted_gives_the_action_back(self, action: Action) -> None:
        assert XML.parse(XML.format(action)) == action

    @given(actions)
    def test_an_unknown_tag_beside_an_action_changes_nothing(self, action: Action) -> None:
        assert XML.parse(f"<b>{XML.format(action)}") == action

    @given(actions)
    def test_thinking_before_an_action_changes_nothing(self, action: Action) -> None:
        text = f"<think>Should I <delete_memory id='m1'/> or <answer>no</answer>?</think>\n{XML.format(action)}"
        assert XML.parse(text) == action

    def test_an_action_in_prose_is_read_as_if_it_stood_alone(self) -> None:
        text = "First a < b & c, then I note:\n<create_memory>x</create_memory> <b>and</b> done > ok"
        assert XML.parse(text) == Action((Create("x"),))

    def test_malformed_formats_to_its_own_text(self) -> None:
        assert XML.format(Action((Malformed("<creat_memory>x", "why"),))) == "<creat_memory>x"

    def test_an_operation_that_is_no_text_value_is_written_and_answered_as_malformed(self) -> None:
        assert only_malformed(XML.format(Action((Read("q", k=0),)))).reason.startswith("<read_memory>: k is '0'")


class TestWhatModelsWrite:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("<create_memory>a < b & c</create_memory>", Create("a < b & c")),
            ("<create_memory>\n  two\n lines \n</create_memory>", Create("two\n lines")),
            ("<create_memory>R&amp;D &lt;b&gt; &#65;&#x42; &nbsp; ?a=1&copy=2</create_memory>", Create("R&D <b> AB &nbsp; ?a=1&copy=2")),
            ("<create_memory>&amp;lt;</create_memory>", Create("&lt;")),
            ("<create_memory>&#55357;&#9999999;</create_memory>", Create("&#55357;&#9999999;")),
            ("<Create_Memory KEYWORDS='a, b,, c ,'>x</CREATE_MEMORY>", Create("x", keywords=("a", "b", "c"))),
            ("<create_memory keywords='北京，上海、广州'>x</create_memory>", Create("x", keywords=("北京", "上海", "广州"))),
            ("<create_memory 类别='城市' Mood=\"calm\">x</create_memory>", Create("x", attributes=pairs(Mood="calm", 类别="城市"))),
            ("<create_memory time=1/2/2024 links='[m1], [m2] #1'>x</create_memory>", Create("x", links=("m1", "m2", "#1"), time="1/2/2024")),
            ("<create_memory>x</create_memory", Create("x")),
            ("<create_memory/>", Create("")),
            ("<read_memory k=5 by = 'text' follow='0'>q</read_memory>", Read("q", k=5, by="text")),
            ("<update_memory id=[m3]>y</update_memory>", Update("m3", "y")),
            ("<delete_memory id='#2'></delete_memory>", Delete("#2")),
            ("<delete_memory id='m3' />", Delete("m3")),
            ("<delete_memory id=m3/>", Delete("m3")),
            ("<link_memory id='m3' to=''/>", Link("m3", ())),
            ("<evolve_memory id='m3' tags=''/>", Evolve("m3", tags=())),
            ("<scratchpad><b>bold</b> & <create_memory>no</create_memory></scratchpad>", Scratchpad("<b>bold</b> & <create_memory>no</create_memory>")),
            ("<create_memory>a <create_memory>b</create_memory> c</create_memory>", Create("a <create_memory>b</create_memory> c")),
            ("<create_memory>it <think>thinks</think> so</create_memory>", Create("it <think>thinks</think> so")),
            ("<create_memory_note>x</create_memory_note><scratchpad>y</scratchpad>", Scratchpad("y")),
        ],
    )  # fmt: skip
    def test_is_read_as_it_was_meant(self, text: str, expected: object) -> None:
        action = XML.parse(text)
        assert [one for one in action.operations if not isinstance(one, Malformed)] == [expected]

    @pytest.mark.parametrize(
        ("text", "command"),
        [
            ("<answer> Oslo </answer>", Answer("Oslo")),
            ("<act>go north</act>", Act("go north")),
            ("<advance/>", Advance()),
            ("<advance></advance>", Advance()),
        ],
    )
    def test_commands_are_read(self, text: str, command: object) -> None:
        assert XML.parse(text) == Action(command=command)

    @pytest.mark.parametrize(
        "text",
        ["", " ", "I do nothing.", "a < b > c", "<b>x</b><br/>", "</p>", "<<<>>>", "&lt;answer&gt;", "\x00\ud800"],
    )
    def test_a_text_without_tags_of_ours_is_an_empty_action(self, text: str) -> None:
        assert XML.parse(text) == Action()


class TestMalformed:
    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("<read_memory k='abc'>q</read_memory>", "<read_memory>: k is 'abc'; expected a whole number from 1"),
            ("<read_memory k='-3'>q</read_memory>", "<read_memory>: k is '-3'; expected a whole number from 1"),
            ("<read_memory k='0'>q</read_memory>", "<read_memory>: k is '0'; expected a whole number from 1"),
            ("<read_memory k='６'>q</read_memory>", "<read_memory>: k is '６'; expected a whole number from 1"),
            (f"<read_memory k='{'9' * 5000}'>q</read_memory>", f"<read_memory>: k is '{'9' * 40}...'; expected a whole number from 1"),
            ("<read_memory follow='yes'>q</read_memory>", "<read_memory>: follow is 'yes'; expected a whole number from 0"),
            ("<read_memory by='dens'>q</read_memory>", "<read_memory>: There is no way to read 'dens'. Did you mean 'dense'?"),
            ("<update_memory>x</update_memory>", '<update_memory>: which entry? Name it by its id, as in id="m3"'),
            ("<delete_memory/>", '<delete_memory>: which entry? Name it by its id, as in id="m3"'),
            ("<link_memory id='m3'/>", '<link_memory>: to which entries? Name them, as in to="m1 m2"'),
            ("<delete_memory id='m1' ID='m2'/>", "<delete_memory>: the attribute 'id' is given twice"),
            ("<create_memory>", "<create_memory> is never closed: write <create_memory>...</create_memory>"),
            ("<delete_memory id='m3'>", "<delete_memory> is never closed: write <delete_memory .../>"),
            ("</answer>", "</answer> closes nothing: there is no <answer> before it"),
            ('<create_memory context="he said "hi"">x</create_memory>', 'the attributes of <create_memory> cannot be read: expected name="value", with &quot; for a quote inside'),
            ("<delete_memory m3/>", 'the attributes of <delete_memory> cannot be read: expected name="value", with &quot; for a quote inside'),
            ("<creat_memory>x</creat_memory>", "there is no tag <creat_memory>. Did you mean <create_memory>?"),
            ("<add_memory>x</add_memory>", "there is no tag <add_memory>. Did you mean <create_memory>?"),
            ("<action>go <answer>x</answer></action>", "there is no tag <action>. Did you mean <act>?"),
        ],
    )  # fmt: skip
    def test_says_why(self, text: str, reason: str) -> None:
        assert only_malformed(text) == Malformed(text, reason)

    def test_it_stands_at_its_place_and_the_rest_is_carried_out(self) -> None:
        action = XML.parse(
            "<create_memory>1</create_memory><read_memory k='0'>2</read_memory><scratchpad>3</scratchpad>"
        )
        assert [one.kind for one in action.operations] == ["create", "malformed", "scratchpad"]

    def test_an_unclosed_tag_does_not_swallow_the_next_one(self) -> None:
        action = XML.parse("<create_memory>one <create_memory>two</create_memory>")
        assert [one.kind for one in action.operations] == ["malformed", "create"]
        assert action.operations[1] == Create("two")

    def test_of_two_commands_the_first_stands(self) -> None:
        action = XML.parse("<answer>Oslo</answer><scratchpad>x</scratchpad><act>go</act>")
        assert action.command == Answer("Oslo")
        reason = "one action takes one command: answer came first, so this act was not done"
        assert action.operations == (Scratchpad("x"), Malformed("<act>go</act>", reason))

    @pytest.mark.parametrize(
        ("text", "operation", "reason"),
        [
            ("<update_memory id='m3' tags='a'>x</update_memory>", Update("m3", "x"), "There is no attribute of <update_memory> named 'tags'. Known: id."),
            ("<read_memory kk='3'>q</read_memory>", Read("q"), "There is no attribute of <read_memory> named 'kk'. Did you mean 'k'?"),
            ("<scratchpad id='1'>x</scratchpad>", Scratchpad("x"), "<scratchpad> has no attributes; 'id' was not used"),
            ("<create_memory id='m9'>x</create_memory>", Create("x"), "<create_memory> cannot set 'id': the id is given to it"),
            ("<evolve_memory id='m3' links='m1'/>", Evolve("m3"), "<evolve_memory> cannot set 'links': write <link_memory>"),
            ("<create_memory text='x'/>", Create(""), "<create_memory> takes its text between the tags: <create_memory>text</create_memory>"),
            ("<evolve_memory id='m3'>new</evolve_memory>", Evolve("m3"), "<evolve_memory> holds no text; the text in it was not used"),
        ],
    )  # fmt: skip
    def test_what_a_tag_does_not_take_is_reported_and_the_rest_of_it_is_carried_out(
        self, text: str, operation: object, reason: str
    ) -> None:
        done, left = XML.parse(text).operations
        assert done == operation
        assert isinstance(left, Malformed)
        assert left.reason == reason

    @pytest.mark.parametrize("id", ["nobody", "#0", "#-1", "#999999999999", "m" * 100_000, "\ud800", "0"])
    def test_an_address_that_means_nothing_is_left_to_the_environment(self, id: str) -> None:
        assert XML.parse(f"<delete_memory id='{id}'/>") == Action((Delete(id),))


class TestThinking:
    def test_tags_in_closed_thinking_are_not_carried_out(self) -> None:
        text = "<think><answer>no</answer><create_memory></think><answer>yes</answer>"
        assert XML.parse(text) == Action(command=Answer("yes"))

    def test_thinking_that_the_prompt_opened_is_not_carried_out(self) -> None:
        text = "Maybe <answer>no</answer> or <create_memory>x\n</think><answer>yes</answer>"
        assert XML.parse(text) == Action(command=Answer("yes"))

    def test_nothing_after_unclosed_thinking_is_carried_out_and_it_is_reported(self) -> None:
        action = XML.parse("<scratchpad>x</scratchpad><think>hm <answer>no</answer>")
        assert action.command is None
        assert action.operations[0] == Scratchpad("x")
        assert action.operations[1].kind == "malformed"
        assert "</think> is missing" in action.operations[1].reason

    def test_execute_takes_thinking_for_any_unknown_tag(self) -> None:
        text = "<think>hm <scratchpad>x</scratchpad></think><think><answer>yes</answer>"
        assert XmlDialect(think="execute").parse(text) == Action((Scratchpad("x"),), Answer("yes"))

    def test_an_unknown_way_to_treat_thinking_is_an_error_with_the_nearest_one(self) -> None:
        with pytest.raises(ValueError, match="Did you mean 'strip'"):
            XmlDialect(think="stripp")
