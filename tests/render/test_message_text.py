from __future__ import annotations

from rollscope.model import Part
from rollscope.render import calls_on_lines, join_messages


def test_a_call_that_came_as_structure_begins_a_line_for_the_eye() -> None:
    said, call = Part(type="text", text="Calling"), Part(type="tool_call", text='buy({"n": 1})')
    text = join_messages([("Calling" + call.text, [said, call]), ("ok", [Part(type="tool_result", text="ok")])])
    assert text == 'Callingbuy({"n": 1})\nok', "search finds what was recorded"
    assert calls_on_lines(text) == 'Calling\nbuy({"n": 1})\nok'
    assert calls_on_lines(calls_on_lines(text)) == 'Calling\nbuy({"n": 1})\nok'
    assert calls_on_lines("plain") == "plain"
