"""Characters of a response, by the part of the message they stand in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rollscope.model import Message, Part
from rollscope.query.insights.findings.marks.span_places import PlacedText

texts = st.text(alphabet="ab \n😀é", min_size=1, max_size=12)


@given(st.lists(st.lists(texts, min_size=1, max_size=4), min_size=1, max_size=4), st.data())
def test_every_span_s_parts_joined_are_its_characters(told: list[list[str]], data: st.DataObject) -> None:
    messages = [
        Message(role="assistant", turn=turn, parts=[Part(type="text", text=text) for text in parts])
        for turn, parts in enumerate(told)
    ]
    response = "\n".join("".join(parts) for parts in told)
    start = data.draw(st.integers(0, len(response)))
    end = data.draw(st.integers(start, len(response)))
    raw = "".join(f"[assistant]\n{''.join(parts)}" for parts in told)
    found = PlacedText(response, messages, raw, response=True).places(start, end)
    shown = "".join(messages[each.message].parts[each.part].text[each.start : each.end] for each in found.parts)
    # What stands between messages is in none of them.
    assert len(response[start:end]) - len(shown) == sum(1 for at in _between(told) if start <= at < end)
    if found.raw is not None and shown == response[start:end]:
        assert raw[found.raw[0] : found.raw[1]] == shown


def _between(told: list[list[str]]) -> list[int]:
    at, places = -1, []
    for parts in told[:-1]:
        at += len("".join(parts)) + 1
        places.append(at)
    return places
