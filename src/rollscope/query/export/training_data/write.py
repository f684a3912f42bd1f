"""Training data written to a JSONL file, and beside it a manifest: what was asked of which run, and what became of it."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from rollscope import __version__
from rollscope.errors import UnreadableError, UsageError
from rollscope.model import Sample
from rollscope.query.export.training_data.recipes import RULES, Recipe, RowMaker, TrainingRow
from rollscope.query.export.training_data.secrets import replace_secrets
from rollscope.storage.atomic import replacing, write_atomically
from rollscope.userdata.notes import content_key


class TrainingManifest(Struct, kw_only=True, rename={"as_": "as"}):
    """Where a file of training data came from."""

    rollscope: Annotated[str, Meta(description="The version that wrote it.")]
    written: Annotated[str, Meta(description="When, in UTC.")]
    run: str
    path: str
    source: Annotated[str, Meta(description="A hash of the selected samples: their addresses, texts and rewards.")]
    as_: Recipe
    rule: Annotated[str, Meta(description="How rows were chosen.")]
    where: str | None
    split: str | None
    steps: Annotated[str | None, Meta(description="A range such as 10:20; null: all.")]
    margin: Annotated[float | None, Meta(description="Of dpo: rewards that differ by no more are no pair.")]
    samples: Annotated[int, Meta(description="How many the filter selected.")]
    rows: Annotated[int, Meta(description="How many were written.")]
    left_out: Annotated[dict[str, int], Meta(description="Selected samples that are in no row, by reason.")]
    secrets: Annotated[
        dict[str, int] | None, Meta(description="Keys and tokens that were replaced, by kind; null: not looked for.")
    ]
    sha256: Annotated[str, Meta(description="Of the file.")]


def manifest_path(path: str) -> str:
    return f"{path}.manifest.json"


def check_name(path: str) -> None:
    if os.path.splitext(path)[1].lower() != ".jsonl":
        raise UsageError(
            f"cannot write training data to {os.path.basename(path)!r}", hint="the name must end in .jsonl"
        )


def write_training_data(
    path: str,
    samples: Iterable[Sample],
    maker: RowMaker,
    *,
    run: str,
    run_path: str,
    where: str | None,
    split: str | None = None,
    steps: str | None = None,
    keep_secrets: bool = False,
) -> TrainingManifest:
    """Write what becomes of the samples, and the manifest. A file that cannot be written whole is not written at all."""
    found: Counter[str] = Counter()
    written, source = hashlib.sha256(), hashlib.sha256()
    count = rows = 0

    def counted() -> Iterable[Sample]:
        nonlocal count
        for sample in samples:
            count += 1
            source.update(f"{sample.address} {content_key(sample)} {sample.reward}\n".encode())
            yield sample

    try:
        with replacing(path, durable=False) as temporary, open(temporary, "wb") as file:
            for row in maker.rows(counted()):
                line = _line(row if keep_secrets else replace_secrets(row, found))
                written.update(line)
                file.write(line)
                rows += 1
        manifest = TrainingManifest(
            rollscope=__version__,
            written=datetime.now(UTC).isoformat(timespec="seconds"),
            run=run,
            path=run_path,
            source=source.hexdigest(),
            as_=maker.recipe,
            rule=RULES[maker.recipe],
            where=where,
            split=split,
            steps=steps,
            margin=maker.margin if maker.recipe == "dpo" else None,
            samples=count,
            rows=rows,
            left_out=dict(maker.left_out.most_common()),
            secrets=None if keep_secrets else dict(found),
            sha256=written.hexdigest(),
        )
        body = msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
        write_atomically(manifest_path(path), body, durable=False)
    except OSError as error:
        raise UnreadableError(
            f"could not write {path}: {error.strerror or error}", hint="check the folder and its space"
        ) from None
    return manifest


def _line(row: TrainingRow) -> bytes:
    # Lone surrogates are no UTF-8, and a trainer's reader refuses the file for one of them.
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
