"""`export`, `convert`: samples, or a whole run, written as other files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rollscope.cli import output
from rollscope.cli.numbers import byte_count, plural
from rollscope.cli.opening import one_run, refresh

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments


def convert(arguments: Arguments) -> None:
    from rollscope.query.convert import convert as write
    from rollscope.query.convert import left_out

    run = one_run(arguments)
    refresh(run)
    count = write(run, arguments.to)
    if arguments.json:
        path = os.path.abspath(arguments.to)
        output.write_json({"run": run.name, "path": path, "samples": count, "left_out": left_out(run)})
    else:
        output.talk(f"wrote {plural(count, 'sample')} to {arguments.to}; not written: {', '.join(left_out(run))}")


def export(arguments: Arguments) -> None:
    run = one_run(arguments)
    refresh(run)
    count = run.export(arguments.to, where=arguments.where, text=arguments.text, features=arguments.features)
    size = os.path.getsize(arguments.to)
    if arguments.json:
        output.write_json({"run": run.name, "path": os.path.abspath(arguments.to), "samples": count, "bytes": size})
    else:
        output.talk(f"wrote {plural(count, 'sample')} to {arguments.to}, {byte_count(size)}")
