"""verl's generations: `{global_step}.jsonl` in `trainer.rollout_data_dir` and `trainer.validation_data_dir`.

The classic trainer has no group id (samples with an equal input are one); v1's `uid` is prompt, rollout and output.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from rollscope import render
from rollscope.formats.base import Claim, Place, Source
from rollscope.formats.lines.flat import FlatFormat, Keys
from rollscope.formats.lines.step_files import first_keys, is_step_file, next_step_file, step_files, step_source
from rollscope.model import Message, Sample
from rollscope.storage.store import Store

_MARKS = {"input", "output", "score"}
#: A word that says it wherever it stands: `rollout_val`, `my_validation_dump`.
_VALIDATION_WORD = re.compile(r"(?:^|[-_.])(val|valid|validations?)(?:[-_.\d]|$)", re.IGNORECASE)
_MAYBE_VALIDATION = r"(test|eval|evals|evaluation)"
#: Beside a folder of rollouts: `test`, `eval_aime`.
_VALIDATION_PART = re.compile(rf"{_MAYBE_VALIDATION}([-_.\d].*)?", re.IGNORECASE)
#: A folder on its own: `eval_generations`, but not an experiment that is called `test_new_reward`.
_VALIDATION_ALONE = re.compile(
    rf"{_MAYBE_VALIDATION}([-_.]?(data|dir|dumps?|generations?|outputs?|results?|rollouts?|sets?))?", re.IGNORECASE
)
_ROLLOUTS = re.compile(r"(?:^|[-_.])(train(ing)?|rollouts?)(?:[-_.\d]|$)", re.IGNORECASE)
_TEMPLATE = re.compile(r"\s*(<\|[a-z_]+\|>|<｜|<start_of_turn>|<bos>|<s>|\[INST\])")
_FORK_NAME = re.compile(r"(train|test|val)_(\d+)\.jsonl(?:\.gz|\.zst)?")


_NO_UID = "Without a uid, samples of a step with an equal prompt are shown as one group."


class VerlFormat(FlatFormat):
    name = "verl"
    limits = (
        "verl strips the chat template: roles are read off bare role lines and are a guess.",
        "verl writes no advantages, token counts, status or stop reason.",
        _NO_UID,
    )
    keys: ClassVar[Keys] = Keys(
        prompt="input",
        response="output",
        reward="score",
        golden="gts",
        group="uid",
        dataset="data_source",
        ignored=("step", "request_id"),
    )

    def split_text(self, prompt: str, response: str) -> list[Message]:
        # A trainer that was changed to keep special tokens leaves nothing to guess.
        split = render.split_conversation if _TEMPLATE.match(prompt) else render.split_bare_roles
        return split(prompt, response)

    # `json.dumps(default=str)` makes text of numpy values; what a model answered is text too, so only these are numbers.
    number_texts = frozenset({"acc", "accuracy", "correct", "score", "reward", "format", "format_reward", "acc_reward"})

    def limits_of(self, store: Store) -> tuple[str, ...]:
        keys, _ = first_keys(store, [source.path for source in self.sources(store)])
        return tuple(limit for limit in self.limits if limit != _NO_UID or "uid" not in keys)

    def detect(self, store: Store) -> Claim | None:
        sources = list(self.sources(store))
        keys, path = first_keys(store, [source.path for source in sources])
        if not keys >= _MARKS:
            return None
        generation = "v1 (uid)" if "uid" in keys else "classic"
        return Claim(confidence=0.9, reasons=(f"verl {generation} records with input, output and score in {path}",))

    def sources(self, store: Store) -> Iterable[Source]:
        own = step_files(store)
        if own:
            yield from _in_folder(store, own)
            for folder in store.folders():
                if _is_validation_part(folder):
                    yield from (
                        step_source(path, split=f"eval/{folder}", step=step) for step, path in step_files(store, folder)
                    )
            return
        forks: dict[tuple[str, int], str] = {}
        for name in store.files():  # a plain file comes before its compressed twin
            if match := _FORK_NAME.fullmatch(name):
                forks.setdefault((match[1], int(match[2])), name)
        for (kind, step), name in forks.items():
            yield step_source(name, split="train" if kind == "train" else f"eval/{kind}", step=step)
        if not forks:
            yield from self._paired_folders(store)

    def is_about_samples(self, path: str) -> bool:
        return is_step_file(path) or _FORK_NAME.fullmatch(path) is not None

    def next_source(self, store: Store, path: str, last: Source) -> Source | None:
        # Step 0 may be a validation in a folder of rollouts.
        return next_step_file(path, last) if last.step and is_step_file(last.path) else None

    def _paired_folders(self, store: Store) -> Iterable[Source]:
        """A run with one folder of rollouts and folders of validations beside it. Two folders of rollouts are two runs."""
        folders = [name for name in store.folders() if step_files(store, name)]
        rollouts = [name for name in folders if not _is_validation_part(name)]
        if len(rollouts) != 1 or len(folders) < 2:
            return
        for folder in [*rollouts, *(name for name in folders if name not in rollouts)]:
            split = "train" if folder in rollouts else f"eval/{folder}"
            yield from (step_source(path, split=split, step=step) for step, path in step_files(store, folder))

    def group_of(self, value: Any) -> Any:
        """`{prompt uid}_{rollout}_{output}` -> prompt uid."""
        return value.rsplit("_", 2)[0] if isinstance(value, str) and value.count("_") >= 2 else value

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        sample = super().sample(record, source, place)
        if any(message.guessed for message in sample.messages):
            sample.notes.append("Roles are guessed from bare role lines: verl strips the chat template's markers.")
        return sample


def _is_validation_part(folder: str) -> bool:
    return bool(_VALIDATION_WORD.search(folder) or _VALIDATION_PART.fullmatch(folder))


def _in_folder(store: Store, files: list[tuple[int, str]]) -> Iterable[Source]:
    """Training counts from 1, and only a validation before it writes `0.jsonl`; its records always have a `reward` beside
    their score. In a folder of rollouts, which then takes both, that file alone is known to be one."""
    folder = store.name
    named = bool(_VALIDATION_WORD.search(folder) or _VALIDATION_ALONE.fullmatch(folder))
    # A folder for each dataset of the validation.
    named = named or bool(_VALIDATION_WORD.search(store.parent_name) and not _ROLLOUTS.search(folder))
    first = [path for step, path in files if step == 0]
    before = bool(first) and "reward" in first_keys(store, first)[0]
    whole = named or (before and not _ROLLOUTS.search(folder))
    for step, path in files:
        is_eval = whole or (before and step == 0)
        yield step_source(path, split=f"eval/{folder if whole else 'validation'}" if is_eval else "train", step=step)
