"""What a model reads where it calls functions: the list of tools, entries, feedback, instructions."""

from __future__ import annotations

import pytest

from memgym.dialects.schemas import schema
from memgym.dialects.tools import ToolsDialect, tool_list
from memgym.memory.entry import Entry, Hit, Write
from memgym.operations import COMMANDS, OPERATIONS, Result, Status

TOOLS = ToolsDialect()


class TestToolList:
    def test_it_names_the_allowed_functions_in_one_order(self) -> None:
        tools = tool_list({"read", "create"}, {"answer"})
        assert [tool["function"]["name"] for tool in tools] == ["create_memory", "read_memory", "answer"]

    def test_a_tool_is_a_function_with_a_description_and_parameters(self) -> None:
        (tool,) = tool_list({"delete"}, ())
        assert tool == {
            "type": "function",
            "function": {
                "name": "delete_memory",
                "description": "Remove an entry; links to it are removed with it.",
                "parameters": {
                    "type": "object",
                    "properties": {"id": {"type": "string", "description": "The id of the entry."}},
                    "required": ["id"],
                    "additionalProperties": False,
                },
            },
        }

    def test_parameters_are_those_of_the_schema(self) -> None:
        for tool, cls in zip(tool_list(OPERATIONS, COMMANDS), [*OPERATIONS.values(), *COMMANDS.values()], strict=True):
            assert tool["function"]["parameters"]["properties"] == schema(cls)["properties"]

    def test_an_unknown_kind_is_an_error_with_the_nearest_one(self) -> None:
        with pytest.raises(LookupError, match="Did you mean 'delete'"):
            tool_list({"delet"}, ())


class TestShowing:
    def test_entries_show_their_id_in_brackets(self) -> None:
        written = Write("e", 1, "create", 1)
        assert TOOLS.render([Hit(Entry("m3", "x", "", written, written), 1.0, "text")]) == "[m3] x"

    def test_feedback_uses_the_names_of_functions(self) -> None:
        assert (
            TOOLS.feedback([Result("delete", Status.MASKED, reason="not allowed")])
            == "delete_memory: masked: not allowed"
        )

    @pytest.mark.parametrize("kind", [*OPERATIONS, *COMMANDS])
    def test_every_example_is_read_as_what_it_explains(self, kind: str) -> None:
        given = TOOLS.instructions([kind] if kind in OPERATIONS else [], [kind] if kind in COMMANDS else [])
        action = TOOLS.parse(given)
        assert [one.kind for one in (*action.operations, action.command) if one] == [kind]
