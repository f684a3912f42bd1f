"""NaN and infinities in answers to SQL are told apart from missing values."""

from __future__ import annotations

import json
import math
from pathlib import Path

from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.model import encode_json
from rollscope.query.sql.nonfinite import with_names


def test_a_query_names_what_json_has_no_word_for(tmp_path: Path) -> None:
    rewards = [math.nan, 0.5, None, -math.inf]
    write_jsonl(tmp_path / "train" / "0.jsonl", [relax_record(0, i, reward=r, kl=r) for i, r in enumerate(rewards)])
    answer = rollscope.open(tmp_path).sql("SELECT reward, metrics FROM samples ORDER BY index")
    assert answer.nonfinite == {
        "0.reward": "NaN",
        "0.metrics.kl": "NaN",
        "3.reward": "-Infinity",
        "3.metrics.kl": "-Infinity",
    }
    assert [row[0] for row in json.loads(encode_json(answer))["rows"]] == [None, 0.5, None, None]


def test_a_record_is_left_alone_unless_it_holds_one() -> None:
    assert with_names({"a": 1.0, "b": None}) == {"a": 1.0, "b": None}
    named = with_names({"a": [1.0, math.inf]})
    assert named["nonfinite"] == {"a.1": "Infinity"}


def test_a_column_that_is_called_so_stays() -> None:
    assert with_names({"nonfinite": math.inf}) == {"nonfinite": math.inf}
