"""`export`, `convert`: samples, or a whole run, written as other files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rollscope.cli import output
from rollscope.cli.numbers import byte_count, plural
from rollscope.cli.opening import expect_step, having_split, one_run, refresh
from rollscope.errors import UsageError

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.query.run import Run


def convert(arguments: Arguments) -> None:
    from rollscope.query.export.convert import convert as write
    from rollscope.query.export.convert import left_out

    run = one_run(arguments)
    refresh(run)
    count = write(run, arguments.to)
    if arguments.json:
        path = output.written_path(arguments.to)
        output.write_json({"run": run.name, "path": path, "samples": count, "left_out": left_out(run)})
    else:
        output.talk(f"wrote {plural(count, 'sample')} to {arguments.to}; not written: {', '.join(left_out(run))}")


def export(arguments: Arguments) -> None:
    if getattr(arguments, "as"):
        _export_training_data(arguments)
        return
    if arguments.keep_secrets or arguments.margin:
        raise UsageError("--keep-secrets and --margin go with --as")
    run = _run_with_step(arguments)
    count = run.export(
        arguments.to,
        split=arguments.split,
        step=arguments.step,
        steps=arguments.steps,
        where=arguments.where,
        sort=arguments.sort,
        discarded=_discarded(arguments),
        text=arguments.text,
        features=arguments.features,
    )
    size = os.path.getsize(arguments.to)
    if arguments.json:
        output.write_json({"run": run.name, "path": output.written_path(arguments.to), "samples": count, "bytes": size})
    else:
        output.talk(f"wrote {plural(count, 'sample')} to {arguments.to}, {byte_count(size)}")


def _run_with_step(arguments: Arguments) -> Run:
    run = one_run(arguments)
    refresh(run)
    expect_step(having_split([run], arguments.split), arguments.split, arguments.step)
    return run


def _discarded(arguments: Arguments) -> bool | None:
    return True if arguments.discarded else False if arguments.kept else None


def _export_training_data(arguments: Arguments) -> None:
    if arguments.text or arguments.features or arguments.sort:
        raise UsageError("--text, --features and --sort do not go with --as", hint="its rows are made of texts")
    run = _run_with_step(arguments)
    manifest = run.export_training_data(
        arguments.to,
        getattr(arguments, "as"),
        split=arguments.split,
        steps=arguments.steps if arguments.step is None else f"{arguments.step}:{arguments.step + 1}",
        where=arguments.where,
        discarded=_discarded(arguments),
        margin=arguments.margin,
        keep_secrets=arguments.keep_secrets,
    )
    if arguments.json:
        output.write_json(manifest)
        return
    size = byte_count(os.path.getsize(arguments.to))
    output.talk(
        f"wrote {plural(manifest.rows, 'row')} from {plural(manifest.samples, 'sample')} to {arguments.to}, {size}"
    )
    for reason, count in manifest.left_out.items():
        output.talk(f"left out {plural(count, 'sample')}: {reason}")
    for kind, count in (manifest.secrets or {}).items():
        output.talk(f"replaced {count:,} of what looks like a secret: {kind}; --keep-secrets leaves them")
