"""Function calls: every shape that models write them in, typed checks, and total on every text."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memgym.dialects.calls import REPAIRABLE
from memgym.dialects.tools import ToolsDialect
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

TOOLS = ToolsDialect()
PIECES = (
    *("<", ">", "&", '"', "'", "/", ",", ":", "\\", "[", "]", "{", "}", " ", "\n", "\x00", "\ud83d", "\ude00", "😀", "北京", "กรุงเทพ", "Ελλάδα", "a", "7"),
    *("<think>", "</think>", "<tool_call>", "</tool_call>", "</THINKING >", "```json\n", '{"name": ', '"create_memory"', '"arguments": ', '[{"', "null", "\\u003c"),
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=6).map("".join) | st.text(
    st.characters(exclude_categories=()), max_size=9
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


def call(name: str, **arguments: object) -> str:
    return json.dumps({"name": name, "arguments": arguments})


def only_malformed(text: str) -> Malformed:
    action = TOOLS.parse(text)
    assert action.command is None
    (one,) = action.operations
    assert isinstance(one, Malformed)
    return one


class TestInverse:
    @given(actions)
    @example(Action((Create("x" * 100_000 + "</think><tool_call>"),), Answer("\\<think>")))
    @example(Action((Evolve("", (), None, "", (("", ""),)), Evolve("", None, ("",)))))
    def test_parsing_what_was_formatted_gives_the_action_back(self, action: Action) -> None:
        assert TOOLS.parse(TOOLS.format(action)) == action

    @given(actions)
    def test_what_is_formatted_is_json(self, action: Action) -> None:
        assert isinstance(json.loads(TOOLS.format(action)), list)

    @given(actions)
    def test_thinking_before_an_action_changes_nothing(self, action: Action) -> None:
        text = f"<think>Or {call('delete_memory', id='m1')}?</think>\n{TOOLS.format(action)}"
        assert TOOLS.parse(text) == action

    @given(actions)
    def test_both_dialects_say_the_same(self, action: Action) -> None:
        xml = XmlDialect()
        assert xml.parse(xml.format(TOOLS.parse(TOOLS.format(action)))) == action

    def test_malformed_keeps_its_text(self) -> None:
        one = only_malformed(TOOLS.format(Action((Malformed("gar<think>bage", "why"),))))
        assert one.text == "gar<think>bage"

    def test_an_operation_that_is_no_valid_value_is_written_and_answered_as_malformed(self) -> None:
        text = TOOLS.format(Action((Read("q", k=0),)))
        assert only_malformed(text).reason == "read_memory: k is 0; expected a whole number from 1"


class TestShapes:
    DELETE = call("delete_memory", id="m3")

    @pytest.mark.parametrize(
        "text",
        [
            DELETE,
            f"[{DELETE}]",
            f" \n{DELETE}\n",
            f"I remove it: {DELETE} That is all [1].",
            f"```json\n[{DELETE}]\n```",
            f"<tool_call>\n{DELETE}\n</tool_call>",
            f'<tool_call>{DELETE}</tool_call> {{"not": "read"}}',
            f"<tool_call>{DELETE}",
            f"hm {call('delete_memory', id='m1')} no </think>{DELETE}",
            '{"name": "delete_memory", "arguments": "{\\"id\\": \\"m3\\"}"}',
            '{"type": "function", "id": "call_1", "function": {"name": "delete_memory", "arguments": "{\\"id\\": \\"m3\\"}"}}',
            f'{{"role": "assistant", "content": null, "tool_calls": [{{"type": "function", "function": {DELETE}}}]}}',
            '{"name": "delete_memory", "parameters": {"id": "m3"}}',
            '{"type": "tool_use", "name": "delete_memory", "input": {"id": "m3"}}',
            '{"function": "delete_memory", "arguments": {"id": "m3"}}',
        ],
    )
    def test_a_call_is_read(self, text: str) -> None:
        assert TOOLS.parse(text) == Action((Delete("m3"),))

    def test_calls_are_read_in_order_wherever_they_stand(self) -> None:
        text = f"<tool_call>{call('scratchpad', text='a')}</tool_call> and <tool_call>{call('answer', text='b')}</tool_call>"
        assert TOOLS.parse(text) == Action((Scratchpad("a"),), Answer("b"))
        assert TOOLS.parse(f"{call('scratchpad', text='a')}\n{call('answer', text='b')}") == TOOLS.parse(text)

    @pytest.mark.parametrize(
        "text", ["", " ", "[]", "I do nothing.", "See [1] and {x}.", "\x00\ud800", "[1, 2]", "null", "7"]
    )
    def test_a_text_without_calls_is_an_empty_action(self, text: str) -> None:
        assert TOOLS.parse(text) == Action()

    @pytest.mark.parametrize(
        "text",
        ['{"name": "advance"}', '{"name": "advance", "arguments": ""}', '{"name": "advance", "arguments": null}'],
    )
    def test_a_call_without_arguments_needs_none(self, text: str) -> None:
        assert TOOLS.parse(text) == Action(command=Advance())

    def test_null_means_not_given(self) -> None:
        text = call("read_memory", query="q", k=None, by=None, follow=None, store=None)
        assert TOOLS.parse(text) == Action((Read("q"),))


class TestBrokenJson:
    @pytest.mark.parametrize(
        "text",
        [
            '{"name": "delete_memory", "arguments": {"id": "m3",},}',
            "{'name': 'delete_memory', 'arguments': {'id': 'm3'}}",
            '{"name": "delete_memory", "arguments": {"id": "m3"} ]',
            '{"name": "delete_memory", "arguments": {id: "m3"}} Done.',
            '{"name": "delete_memory", "arguments": "{id: \\"m3\\"}"}',
        ],
    )
    def test_is_repaired_where_nothing_is_lost(self, text: str) -> None:
        assert TOOLS.parse(text) == Action((Delete("m3"),))

    def test_a_line_end_in_a_text_is_no_fault(self) -> None:
        assert TOOLS.parse('{"name": "scratchpad", "arguments": {"text": "a\nb"}}') == Action((Scratchpad("a\nb"),))

    @pytest.mark.parametrize(
        "text",
        [
            '{"name": "create_memory", "arguments": {"text": "hello wor',
            '{"name": "create_memory", "arguments": {"text": "the set {a} wor',
            "[{",
            '{"',
            '{"name": "create_memory", "arguments": {"text": "5" nail"}}',
        ],
    )
    def test_a_text_that_was_cut_off_is_not_stored(self, text: str) -> None:
        one = only_malformed(f"Now: {text}")
        assert one.text in {text, f"Now: {text}"}
        assert "cut off" in one.reason

    def test_calls_before_the_cut_stand(self) -> None:
        text = f'[{call("scratchpad", text="a")}, {{"name": "create_memory", "arguments": {{"text": "hello wor'
        done, left = TOOLS.parse(text).operations
        assert done == Scratchpad("a")
        assert isinstance(left, Malformed)
        assert left.reason == "the JSON is cut off here"

    def test_too_much_of_it_is_not_repaired(self) -> None:
        text = "{'name': 'scratchpad', 'arguments': {'text': '" + "x" * REPAIRABLE + "'}}"
        assert "too long to repair" in only_malformed(text).reason

    def test_many_broken_arguments_share_one_bound(self) -> None:
        text = json.dumps([{"name": "scratchpad", "arguments": "{'text': '" + "x" * 3000 + "'}"}] * 3)
        assert [one.kind for one in TOOLS.parse(text).operations] == ["scratchpad", "malformed", "malformed"]


class TestMalformed:
    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            (call("creat_memory", text="x"), "there is no function 'creat_memory'. Did you mean 'create_memory'?"),
            (call("Delete_Memory", id="m3"), "there is no function 'Delete_Memory'. Did you mean 'delete_memory'?"),
            (call("add_memory", text="x"), "there is no function 'add_memory'. Did you mean 'create_memory'?"),
            (call("create_memory"), "create_memory needs the argument 'text': The text to remember, complete enough to be understood alone."),
            (call("delete_memory", id=None), "delete_memory needs the argument 'id': The id of the entry."),
            (call("create_memory", text=["x"]), "create_memory: text is [\"x\"]; expected a text"),
            (call("delete_memory", id=3), "delete_memory: id is 3; expected a text"),
            (call("create_memory", text="x", keywords="a, b"), "create_memory: keywords is \"a, b\"; expected a list of texts"),
            (call("create_memory", text="x", tags=["a", 1]), "create_memory: tags is [\"a\", 1]; expected a list of texts"),
            (call("create_memory", text="x", attributes={"a": 1}), "create_memory: attributes is {\"a\": 1}; expected an object of texts"),
            (call("read_memory", query="q", k="6"), "read_memory: k is \"6\"; expected a whole number from 1"),
            (call("read_memory", query="q", k=0), "read_memory: k is 0; expected a whole number from 1"),
            (call("read_memory", query="q", k=-3), "read_memory: k is -3; expected a whole number from 1"),
            (call("read_memory", query="q", k=True), "read_memory: k is true; expected a whole number from 1"),
            (call("read_memory", query="q", follow=1.5), "read_memory: follow is 1.5; expected a whole number from 0"),
            (call("read_memory", query="q", by="dens"), "read_memory: by is \"dens\"; expected one of 'text', 'dense', 'hybrid'"),
            ('{"name": "delete_memory", "arguments": ["m3"]}', "arguments are [\"m3\"]; expected an object"),
            ('{"name": 3, "arguments": {}}', 'expected a call like {"name": "delete_memory", "arguments": {"id": "m3"}}'),
            ('{"id": "m3"}', 'expected a call like {"name": "delete_memory", "arguments": {"id": "m3"}}'),
        ],
    )  # fmt: skip
    def test_says_what_was_given_and_what_was_expected(self, text: str, reason: str) -> None:
        assert only_malformed(text) == Malformed(text, reason)

    def test_an_unknown_function_that_is_near_none_is_told_the_known_ones(self) -> None:
        assert "Known: create_memory, read_memory, " in only_malformed(call("launch", at="dawn")).reason

    def test_an_unknown_argument_is_reported_and_the_rest_is_carried_out(self) -> None:
        action = TOOLS.parse(call("update_memory", id="m3", text="x", tags=["a"]))
        reason = "update_memory has no argument 'tags'; it has: id, text"
        assert action == Action((Update("m3", "x"), Malformed('{"tags": ["a"]}', reason)))

    def test_it_stands_at_its_place_and_the_rest_is_carried_out(self) -> None:
        text = f"[{call('scratchpad', text='a')}, 7, {call('read_memory', query='q', k=0)}, {call('delete_memory', id='m1')}]"
        assert [one.kind for one in TOOLS.parse(text).operations] == ["scratchpad", "malformed", "malformed", "delete"]

    def test_of_two_commands_the_first_stands(self) -> None:
        action = TOOLS.parse(f"[{call('answer', text='a')}, {call('act', text='go')}]")
        assert action.command == Answer("a")
        (late,) = action.operations
        assert isinstance(late, Malformed)
        assert late.reason == "one action takes one command: answer came first, so this act was not done"

    def test_nothing_of_unfinished_thinking_is_carried_out_and_it_is_reported(self) -> None:
        text = f"<think>hm {call('delete_memory', id='m1')}"
        assert "</think> is missing" in only_malformed(text).reason
        assert ToolsDialect(think="execute").parse(text) == Action((Delete("m1"),))

    def test_an_unknown_way_to_treat_thinking_is_an_error_with_the_nearest_one(self) -> None:
        with pytest.raises(ValueError, match="Did you mean 'execute'"):
            ToolsDialect(think="exec")

    @pytest.mark.parametrize("id", ["nobody", "#0", "#-1", "m" * 100_000, "\ud800", ""])
    def test_an_address_that_means_nothing_is_left_to_the_environment(self, id: str) -> None:
        assert TOOLS.parse(call("delete_memory", id=id)) == Action((Delete(id),))
