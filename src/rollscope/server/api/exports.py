"""Lists to take along: as a file, as a command, as Python."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from functools import partial

from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from rollscope.query.answers import ListCommands
from rollscope.query.lists.commands import list_commands, sample_order
from rollscope.server.api.samples import DISCARDED
from rollscope.server.context import ApiCall
from rollscope.server.http.endpoints import Endpoints
from rollscope.server.schema.parameters import ExportQuery, ListQuery

endpoints = Endpoints()


@endpoints.get("/api/runs/{run}/export", answer=bytes, query=ExportQuery, media="file", place="stream")
async def export_samples(call: ApiCall, query: ExportQuery) -> FileResponse:
    """A list of samples as a file: one row each, every field a column."""
    run = call.run
    handle, path = tempfile.mkstemp(prefix="rollscope-", suffix=f".{query.format}")
    os.close(handle)
    write = partial(
        run.export,
        path,
        split=query.split,
        step=query.step,
        steps=query.steps,
        where=query.where,
        sort=sample_order(query.sort),
        discarded=DISCARDED[query.discarded],
        text=query.text,
    )
    try:
        await asyncio.get_running_loop().run_in_executor(call.context.searches, write)
    except BaseException:
        os.unlink(path)
        raise
    name = f"{re.sub(r'[^A-Za-z0-9._-]+', '_', run.name)}.{query.format}"
    headers = {"cache-control": "no-store"}
    return FileResponse(path, filename=name, headers=headers, background=BackgroundTask(os.unlink, path))


@endpoints.get("/api/runs/{run}/list_commands", answer=ListCommands, query=ListQuery)
def get_list_commands(call: ApiCall, query: ListQuery) -> ListCommands:
    """The same list as a command line and as Python."""
    return list_commands(
        call.run,
        split=query.split,
        step=query.step,
        steps=query.steps,
        where=query.where,
        sort=query.sort,
        discarded=DISCARDED[query.discarded],
    )
