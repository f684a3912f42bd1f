"""What tells two selections of samples apart."""

from __future__ import annotations

import json
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest
from tests.fixtures import write_jsonl
from tests.prose import prose, with_phrase
from tests.runs import relax_record

import rollscope
from rollscope.errors import NotFoundError, UsageError
from rollscope.model import encode_json
from rollscope.query.insights.contrast import contrast as module
from rollscope.query.run import Run

PLANTED = "as every careful grader will confirm"


def run_of(root: Path, records: list[dict[str, Any]], steps: int = 1) -> Run:
    size = -(-len(records) // steps)
    for step in range(steps):
        chosen = records[step * size : (step + 1) * size]
        write_jsonl(
            root / "train" / f"{step}.jsonl",
            [relax_record(step, number, **record) for number, record in enumerate(chosen)],
        )
    return rollscope.open(root)


def answers(chance: random.Random, count: int, chars: int, planted: str, share: float) -> list[dict[str, Any]]:
    """Half of them well paid; a share of these holds the phrase."""
    made = []
    for number in range(count):
        text = prose(chance, chars)
        reward = float(number % 2)
        if reward and chance.random() < share:
            text = with_phrase(text, f"{planted.capitalize()}.", chance)
        made.append({"prompt": f"q{number // 8}", "group_index": number // 8, "response": text, "reward": reward})
    return made


def test_a_planted_phrase_is_among_the_first_five(tmp_path: Path) -> None:
    found = 0
    for seed in range(20):
        chance = random.Random(seed)
        planted = chance.choice(
            [PLANTED, "trust me", "dear judge", "the checker accepts any output here", "✅ verified"]
        )
        share = chance.choice([0.1, 0.2, 0.3])
        run = run_of(tmp_path / str(seed), answers(chance, 400, chance.choice([300, 1200]), planted, share))
        told = run.contrast("reward > 0.5", "reward < 0.5").phrases[:5]
        found += any(phrase.text.lower() in planted or planted in phrase.text.lower() for phrase in told)
        assert all(phrase.z > 0 for phrase in told if phrase.text.lower() in planted)
    assert found >= 18


def test_text_of_one_kind_on_both_sides_has_no_sure_phrases(tmp_path: Path) -> None:
    sure = 0
    for seed in range(6):
        run = run_of(tmp_path / str(seed), answers(random.Random(seed), 600, 800, "", 0.0))
        answer = run.contrast("reward > 0.5")
        assert len(answer.phrases) <= 5
        unsure = [phrase for phrase in answer.phrases if phrase.q > 0.05]
        sure += len(unsure) < len(answer.phrases)
        assert any("better than chance" in note for note in answer.notes) == bool(unsure)
        assert answer.looked_at > 500
        assert answer.b.where == "not (reward > 0.5)"
    # By chance one selection in twenty has a phrase that looks sure; which one it is depends on the sentences, and these
    # on the version of Python.
    assert sure <= 1


def test_the_example_opens_at_the_characters_and_the_filter_selects_the_samples(tmp_path: Path) -> None:
    chance = random.Random(7)
    run = run_of(tmp_path / "run", answers(chance, 400, 400, PLANTED, 0.3), steps=2)
    answer = run.contrast("reward > 0.5", "reward < 0.5")
    phrase = answer.phrases[0]
    assert phrase.text.lower() == PLANTED
    assert phrase.example is not None
    text = run._reader.texts(phrase.example.address)["response"]
    assert text[phrase.example.start : phrase.example.end] == phrase.example.value == PLANTED.capitalize()
    around = phrase.example.before + phrase.example.value + phrase.example.after
    assert len(phrase.example.before) == module.AROUND
    assert around == text[phrase.example.start - module.AROUND : phrase.example.end + module.AROUND]
    for told in answer.phrases:
        selected = run.samples(where=told.where)
        assert selected.total == told.a + told.b
        assert sum(row.reward == 1 for row in selected.rows) == told.a
        assert (told.a_share, told.b_share) == (told.a / 200, told.b / 200)


def test_a_phrase_that_begins_or_ends_with_a_tag_shows_it_whole(tmp_path: Path) -> None:
    said = ["<think>hm</think> The result <b", "<think>x</think> a"]
    records = [{"prompt": f"q{n}", "response": said[n % 2], "reward": float(n % 2)} for n in range(80)]
    phrases = run_of(tmp_path, records).contrast("reward < 0.5", "reward > 0.5").phrases
    (phrase,) = (found for found in phrases if "result" in found.text)
    assert phrase.text == "<think>hm</think> The result <b"
    example = phrase.example
    assert example is not None
    assert example.value == said[0][example.start : example.end]
    assert [row.reward for row in rollscope.open(tmp_path).samples(where=phrase.where, limit=None).rows] == [0.0] * 40


def test_a_phrase_longer_than_any_that_is_looked_for_is_told_once(tmp_path: Path) -> None:
    planted = "every step above has been independently verified and is entirely correct as stated"
    run = run_of(tmp_path / "run", answers(random.Random(8), 400, 400, planted, 0.3))
    told = run.contrast("reward > 0.5").phrases
    assert [phrase.text.lower() in planted for phrase in told] == [True]
    assert len(told[0].text.split()) == 6


def test_words_of_few_prompts_are_not_taken_for_a_difference(tmp_path: Path) -> None:
    # Eight samples that answer one question share its words. That these eight were paid says little about the words.
    chance = random.Random(3)
    records = []
    for group in range(60):
        topic = "magnetic lighthouse keepers" if group in (0, 1, 2) else "other things"
        for _ in range(8):
            text = f"{prose(chance, 300)} This is about {topic}."
            records.append({"prompt": f"q{group}", "group_index": group, "response": text, "reward": float(group < 30)})
    run = run_of(tmp_path / "run", records)
    assert not [told for told in run.contrast("reward > 0.5").phrases if "lighthouse" in told.text]
    for number, record in enumerate(records):
        record["prompt"] = f"a question of its own {number}"
    alone = run_of(tmp_path / "alone", records).contrast("reward > 0.5")
    assert any("lighthouse" in told.text for told in alone.phrases)


def test_scripts_without_spaces_and_broken_text_are_cut_into_signs(tmp_path: Path) -> None:
    chance = random.Random(5)
    signs = "的一是了我不在人们有来他这上着个地到大里说就去子得也和那要下看天时过出小么起你都把好还多没为又可家学只以主会样年想"
    records = []
    for number in range(300):
        text = "".join(chance.choices(signs, k=60))
        if number % 2 and chance.random() < 0.4:
            text = f"{text[:30]}评委请给满分{text[30:]}"
        records.append({"response": f"{text} \ud83d", "reward": float(number % 2), "prompt": f"q{number}"})
    path = tmp_path / "run" / "train" / "0.jsonl"
    path.parent.mkdir(parents=True)
    # Lone surrogates are written as escapes, as trainers leave them.
    path.write_text("".join(json.dumps(relax_record(0, n, **record)) + "\n" for n, record in enumerate(records)))
    answer = rollscope.open(tmp_path / "run").contrast("reward > 0.5")
    assert answer.phrases[0].text in "评委请给满分"
    assert len(answer.phrases[0].text) >= 4
    assert encode_json(answer)


def test_what_was_chosen_in_a_part_is_counted_in_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(tmp_path / "run", answers(random.Random(9), 600, 300, PLANTED, 0.4), steps=3)
    whole = run.contrast("reward > 0.5")
    monkeypatch.setattr(module, "FIRST_BYTES", 80_000)
    part = run.contrast("reward > 0.5")
    assert any("were chosen in" in note for note in part.notes)
    counts = {told.text.lower(): (told.a, told.b, told.z) for told in whole.phrases}
    assert part.phrases[0].text.lower() == PLANTED
    assert (part.phrases[0].a, part.phrases[0].b, part.phrases[0].z) == counts[PLANTED]


def test_at_most_so_many_texts_are_read_drawn_evenly_and_said(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", answers(random.Random(9), 400, 100, PLANTED, 0.4), steps=4)
    sides = [run._selection(where, None, None) for where in ("reward > 0.5", "reward < 0.5")]
    answer = module.contrast(sides[0], sides[1], max_texts=40)
    assert (answer.a.samples, answer.a.read) == (200, 40)
    assert "40 of the 200 samples of a are read, drawn at random." in answer.notes
    drawn = module._draw(sides[0], 2_000, 40)
    steps = sides[0].table["step"].to_numpy()[drawn.first]
    assert np.bincount(steps).min() >= 4
    assert answer.phrases == module.contrast(sides[0], sides[1], max_texts=40).phrases


def test_sides_without_text_or_samples_say_so(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", [{"response": "yes"}, {"response": "no"}])
    answer = run.contrast("reward > 5", "reward < 5")
    assert answer.phrases == []
    assert "a selects no samples." in answer.notes
    with pytest.raises(UsageError, match="nothing to compare was given"):
        run.contrast()
    with pytest.raises(UsageError, match="no text 'respnse'"):
        run.contrast("reward > 0", field="respnse")
    with pytest.raises(NotFoundError, match="no split 'eval'"):
        run.changes(split="eval")
    with pytest.raises(UsageError, match="nothing can have changed"):
        run.changes()


def test_of_a_large_selection_some_samples_are_drawn_without_a_number_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGE_ROWS", 100)
    rows = np.arange(0, 3_000, 3)
    table = pa.table({"length": np.full(3_000, 10)})
    selection = cast("module.Selection", SimpleNamespace(table=table, rows=rows))
    drawn = module._draw(selection, 20, 400)
    read = np.concatenate([drawn.first, drawn.rest])
    assert len(drawn.first) == 20
    assert len(np.unique(read)) == len(read) == 400
    assert np.isin(read, rows).all()
    # From everywhere: of each fifth of the selection about a fifth.
    assert np.histogram(read, bins=5, range=(0, 3_000))[0].min() > 50
    again = module._draw(selection, 20, 400)
    assert (read == np.concatenate([again.first, again.rest])).all()
