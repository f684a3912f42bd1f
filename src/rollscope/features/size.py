"""How much was said, and how much of it was thought."""

from __future__ import annotations

from rollscope.features.base import MAX_READ_CHARS, Feature, SampleTexts
from rollscope.features.batches.text_batch import TextBatch, Values
from rollscope.features.batches.text_scan import Seen
from rollscope.features.batches.words import split_words


def chars(texts: SampleTexts) -> int | None:
    return None if texts.response is None else len(texts.response)


def words(texts: SampleTexts) -> int | None:
    if texts.response is None:
        return None
    if len(texts.response) <= MAX_READ_CHARS:
        return texts.stats.words
    return _words_of_long(texts.response)


def _words_of_long(text: str) -> int:
    """Piece by piece: the list of all words of 100 MB would need gigabytes."""
    count, at = 0, 0
    while at < len(text):
        end = min(at + MAX_READ_CHARS, len(text))
        count += len(split_words(text[at:end]))
        if end < len(text) and len(split_words(text[end - 1 : end + 1])) == 1 and not text[end - 1].isspace():
            count -= not text[end].isspace()  # a word that reaches over the edge is counted with the next piece
        at = end
    return count


def lines(texts: SampleTexts) -> int | None:
    if texts.response is None:
        return None
    return texts.response.count("\n") + (1 if texts.response and not texts.response.endswith("\n") else 0)


def think_chars(texts: SampleTexts) -> int | None:
    return None if texts.response is None else sum(end - start for start, end, _ in texts.thoughts)


def answer_chars(texts: SampleTexts) -> int | None:
    return None if texts.response is None else len(texts.answer_part.strip())


def _chars_of(batch: TextBatch) -> Values:
    return batch.values(batch.column(Seen.CHARS), batch.unusual, chars)


def _words_of(batch: TextBatch) -> Values:
    return batch.values(batch.column(Seen.WORDS), batch.unusual, words)


def _lines_of(batch: TextBatch) -> Values:
    return batch.values(batch.column(Seen.NEWLINES) + (batch.scan.last_bytes != ord("\n")), batch.unusual, lines)


def _think_chars_of(batch: TextBatch) -> Values:
    return batch.values(batch.column(Seen.THINK_CHARS), batch.other_thoughts, think_chars)


def _answer_chars_of(batch: TextBatch) -> Values:
    return batch.values(batch.column(Seen.ANSWER_CHARS), batch.other_thoughts, answer_chars)


FEATURES = (
    Feature(
        name="text.chars",
        type="integer",
        title="Characters",
        about="Characters of the response.",
        compute=chars,
        compute_batch=_chars_of,
    ),
    Feature(
        name="text.words",
        type="integer",
        title="Words",
        about="Words of the response, by white space; of Chinese, Japanese, Thai … each sign.",
        compute=words,
        compute_batch=_words_of,
        version=2,
    ),
    Feature(
        name="text.lines",
        type="integer",
        title="Lines",
        about="Lines of the response.",
        compute=lines,
        compute_batch=_lines_of,
    ),
    Feature(
        name="text.think_chars",
        type="integer",
        title="Thought characters",
        short="think",
        about="Characters between think delimiters; 0 where there are none.",
        compute=think_chars,
        compute_batch=_think_chars_of,
        version=2,
    ),
    Feature(
        name="text.answer_chars",
        type="integer",
        title="Answer characters",
        short="answer len",
        about="Characters after the last thought, without white space at its ends.",
        compute=answer_chars,
        compute_batch=_answer_chars_of,
        version=2,
    ),
)
