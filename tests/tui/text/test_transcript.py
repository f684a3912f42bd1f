"""A sample as a document: what stands where, what is hidden, what is masked, and that nothing dangerous is in it."""

from __future__ import annotations

import re

from rollscope.model import Message, Part, Sample, Turn
from rollscope.render import DEFAULT_MASK, split_conversation
from rollscope.tui.text.document import Document
from rollscope.tui.text.fields import field_names, shown_at_first
from rollscope.tui.text.table import table
from rollscope.tui.text.transcript import ReadingOptions, raw_document, transcript

PLAIN = ReadingOptions(shows=shown_at_first, mask=DEFAULT_MASK)


def asked(
    response: str, prompt: str = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n", **fields: object
) -> Sample:
    return Sample(address="train/0/0", messages=split_conversation(prompt, response), **fields)  # type: ignore[arg-type]


def lines(document: Document) -> list[str]:
    return [line.replace("\u00a0", " ") for block in document.blocks for line in (block.title, block.text) if line]


def text(document: Document) -> str:
    return "\n".join(lines(document))


def test_roles_are_headings_and_the_templates_tokens_are_gone() -> None:
    document = transcript(asked("4"), PLAIN)
    assert lines(document) == ["user", "Hi", "assistant", "4"]


def test_thinking_stands_apart_and_can_be_folded() -> None:
    document = transcript(asked("<think>\n2 and 2\n</think>\n\n4"), PLAIN)
    thinking = next(block for block in document.blocks if block.look == "thinking")
    assert thinking.text == "2 and 2"
    assert thinking.foldable
    assert thinking.title == "thinking · 7 characters"
    assert text(document).endswith("4")


def test_thinking_that_was_cut_off_says_so() -> None:
    document = transcript(asked("<think>\nfor ever"), PLAIN)
    assert any("not closed" in block.title for block in document.blocks)


def test_tool_calls_are_verbatim_under_their_name() -> None:
    call = '<tool_call>\n{"name": "add", "arguments": {"a": 2}}\n</tool_call>'
    document = transcript(asked(call), PLAIN)
    block = next(block for block in document.blocks if block.look == "tool_call")
    assert block.text == call
    assert block.title == "tool call · add"


def test_golden_answers_and_turn_numbers_follow_the_conversation() -> None:
    sample = asked("4", golden_answers={"label": "four"}, turns=[Turn(index=0, reward=0.5, logs={"tool": "ok"})])
    assert lines(transcript(sample, PLAIN))[-3:] == ["turn 1: reward 0.5 · tool ok", "golden answer", "four"]


def test_fields_run_on_in_one_block_and_can_be_hidden() -> None:
    sample = asked("4", reward=0.0, advantage=0.25, metrics={"correct": 1.0})
    assert lines(transcript(sample, PLAIN))[0] == "reward 0  advantage +0.25  metrics.correct 1"
    without = ReadingOptions(shows=lambda name: name not in ("reward", "prompt"), mask=None)
    shown = lines(transcript(sample, without))
    assert shown[0] == "advantage +0.25  metrics.correct 1"
    assert "Hi" not in shown


def test_missing_values_are_missing_and_zero_is_a_value() -> None:
    names = field_names(asked("4", reward=0.0, staleness=0))
    assert "reward" in names
    assert "staleness" in names
    assert "advantage" not in names


def test_values_json_has_no_word_for_are_named() -> None:
    sample = asked("4", reward=float("nan"), nonfinite={"reward": "NaN"})
    assert lines(transcript(sample, PLAIN))[0] == "reward NaN"


def test_runs_of_pad_tokens_are_counted_and_shown_whole_without_a_mask() -> None:
    sample = asked("I see <|image_pad|><|image_pad|><|image_pad|> here")
    assert "I see *×3 here" in text(transcript(sample, PLAIN))
    assert "<|image_pad|><|image_pad|>" in text(transcript(sample, ReadingOptions(shows=shown_at_first)))
    assert "*×3" in text(table(sample, PLAIN))


def test_another_mask_masks_what_it_matches_and_nothing_else() -> None:
    sample = asked("xx <|image_pad|> oo")
    shown = text(transcript(sample, ReadingOptions(shows=shown_at_first, mask=re.compile("x"))))
    assert "*×2 <|image_pad|> oo" in shown


def test_a_pad_run_inside_thinking_does_not_end_the_thought() -> None:
    document = transcript(asked("<think>look <|image_pad|><|image_pad|> there</think>ok"), PLAIN)
    thoughts = [block for block in document.blocks if block.look == "thinking"]
    assert [block.text for block in thoughts] == ["look *×2 there"]


def test_control_characters_are_pictures_everywhere() -> None:
    evil = "\x1b]0;gone\x07 \x1b[31m \x9b2J \u202e \x00"
    sample = Sample(
        address="train/0/0",
        messages=[
            Message(role=evil, name=evil, turn=0, parts=[Part(text=evil), Part(type="tool_call", text=evil, name=evil)])
        ],
        golden_answers={evil: evil},
        metrics={evil: 1.0},
        status=evil,
        discard_reason=evil,
        notes=[evil],
        tags=[evil],
        env=evil,
        turns=[Turn(index=0, logs={evil: evil})],
        record={evil: evil},
    )
    everything = ReadingOptions(shows=lambda name: True, mask=DEFAULT_MASK, markdown_width=40)
    for document in (transcript(sample, everything), table(sample, everything), raw_document(evil)):
        shown = text(document) + "".join(block.label + block.indent for block in document.blocks)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
        assert "␛" in shown


def test_the_table_has_numbers_first_and_texts_in_full() -> None:
    sample = asked("line one\nline two", reward=1.0, status="completed")
    blocks = table(sample, PLAIN).blocks
    assert [block.label.strip() or block.title for block in blocks if block.label or block.title] == [
        "reward",
        "status",
        "prompt",
        "response",
    ]
    assert blocks[-1].text is not None
    assert "line one\nline two" in blocks[-1].text


def test_raw_masks_nothing() -> None:
    assert raw_document("<|image_pad|><|image_pad|>").blocks[0].text == "<|image_pad|><|image_pad|>"


def test_markdown_is_rendered_to_lines_of_the_width() -> None:
    response = "# Title\n\nsome **bold** words and `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1\n```\n"
    document = transcript(asked(response), ReadingOptions(shows=shown_at_first, markdown_width=40))
    block = document.blocks[-1]
    assert block.wrapped
    assert document.width == 40
    assert block.text is not None
    assert "**" not in block.text
    assert "▏ x = 1" in block.text
    bold = next(span for span in block.spans if block.text[span.start : span.end] == "bold")
    assert "bold" in bold.look


def test_markdown_links_are_text_and_never_links_of_the_terminal() -> None:
    document = transcript(
        asked("[here](https://evil.example/)"), ReadingOptions(shows=shown_at_first, markdown_width=60)
    )
    block = document.blocks[-1]
    assert "https://evil.example/" in (block.text or "")
    assert not any("link" in span.look for span in block.spans)


def test_a_text_too_long_for_markdown_stays_as_it_is() -> None:
    document = transcript(asked("**x** " * 20_000), ReadingOptions(shows=shown_at_first, markdown_width=60))
    assert not document.blocks[-1].wrapped
