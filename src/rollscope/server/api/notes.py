"""People's notes and labels on a run's samples."""

from __future__ import annotations

from collections import Counter

from rollscope.server.context import ApiCall
from rollscope.server.http.endpoints import Endpoints
from rollscope.server.schema.answers import NotesPage
from rollscope.server.schema.decoding import decode_body
from rollscope.server.schema.parameters import NoteQuery, NotesQuery, Query
from rollscope.userdata.notes import NewNote, Note

endpoints = Endpoints()


@endpoints.get("/api/runs/{run}/notes", answer=NotesPage, query=NotesQuery)
def list_notes(call: ApiCall, query: NotesQuery) -> NotesPage:
    """The notes on one sample, or on all samples of the run."""
    notes = call.run.notes(query.address)
    labels = Counter(label for note in notes for label in note.labels)
    return NotesPage(notes=notes, labels=dict(labels.most_common()), skipped=call.context.library.notes.skipped)


@endpoints.add("PUT", "/api/runs/{run}/notes", answer=Note, body=NewNote)
def put_note(call: ApiCall, _query: Query) -> Note:
    """Write a note on a sample; with `id`, in place of an earlier one of the same author."""
    new = decode_body(call.body, NewNote, '{"address": "train/12/37", "labels": ["hack"]}')
    note = call.run.write_note(new)
    call.context.live.look_soon()
    return note


@endpoints.add("DELETE", "/api/runs/{run}/notes", answer=Note, query=NoteQuery)
def delete_note(call: ApiCall, query: NoteQuery) -> Note:
    """Take a note back. Only its author can."""
    note = call.run.remove_note(query.id, query.author)
    call.context.live.look_soon()
    return note
