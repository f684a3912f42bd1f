"""Records as lines of JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from rollscope.record.output.problems import Problems
from rollscope.record.samples.values import plain, valid_tree

_encoder = msgspec.json.Encoder()


def encode_line(record: Any, problems: Problems) -> bytes:
    """One record as one line. Text that UTF-8 cannot hold is repaired and reported, never a lost record."""
    try:
        line = _encoder.encode(record)
    except UnicodeEncodeError:
        problems.defer("surrogate", "A text holds half a surrogate pair, which no file can; it is written as \\udXXX.")
        line = _encoder.encode(valid_tree(msgspec.to_builtins(record)))
    except (TypeError, ValueError, msgspec.MsgspecError):
        line = _encoder.encode(valid_tree(plain(record, lambda text: problems.defer("value", text))))
    # JSON escapes every newline, so the only one is ours.
    return line + b"\n"
