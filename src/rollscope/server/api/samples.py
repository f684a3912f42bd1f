"""Lists of samples and groups, and one sample in all its forms."""

from __future__ import annotations

from contextlib import suppress

from rollscope.errors import NotFoundError
from rollscope.model import Sample
from rollscope.query.answers import GroupPage, Neighbours, SamplePage, SampleRow, ScatterPoints, StepCounts
from rollscope.query.samples.shorten import shorten
from rollscope.render import mask_messages, parse_mask
from rollscope.server.context import ApiCall
from rollscope.server.http.endpoints import Endpoints
from rollscope.server.schema.answers import PartSlice
from rollscope.server.schema.decoding import names
from rollscope.server.schema.parameters import (
    MAX_PART_CHARS,
    AddressQuery,
    Discarded,
    FieldsQuery,
    GroupsQuery,
    HistoryQuery,
    NeighboursQuery,
    PartQuery,
    SampleQuery,
    SamplesQuery,
    ScatterQuery,
    StepCountsQuery,
)

endpoints = Endpoints()

DISCARDED: dict[Discarded, bool | None] = {"false": False, "0": False, "true": True, "1": True, "all": None}


@endpoints.get("/api/runs/{run}/samples", answer=SamplePage, query=SamplesQuery, by_version=True, kept_by_step=True)
def list_samples(call: ApiCall, query: SamplesQuery) -> SamplePage:
    """Samples as rows of scalars, filtered, sorted and paged."""
    return call.run.samples(
        split=query.split,
        step=query.step,
        steps=query.steps,
        where=query.where,
        sort=query.sort,
        discarded=DISCARDED[query.discarded],
        offset=query.offset,
        limit=query.limit,
        preview=query.preview,
        features=names(query.features),
        wait=False,
    )


@endpoints.get("/api/runs/{run}/groups", answer=GroupPage, query=GroupsQuery, by_version=True, kept_by_step=True)
def list_groups(call: ApiCall, query: GroupsQuery) -> GroupPage:
    """The groups of one step, of a range of steps or of all, each with its samples' values column by column."""
    return call.run.groups(
        split=query.split,
        step=query.step,
        steps=query.steps,
        where=query.where,
        sort=query.sort,
        discarded=DISCARDED[query.discarded],
        columns=names(query.columns),
        offset=query.offset,
        limit=query.limit,
        preview=query.preview,
        wait=False,
    )


@endpoints.get("/api/runs/{run}/sample", answer=Sample, query=SampleQuery)
def get_sample(call: ApiCall, query: SampleQuery) -> bytes | Sample:
    """One whole sample with its messages and its source record."""
    if call.context.options.mask is None:
        with suppress(UnicodeEncodeError, RecursionError):  # then it is left to the encoder that takes anything
            return call.run.sample_json(query.address, max_chars=query.max_chars, record=query.record)
    return shorten(_masked(call, query.address), max_chars=query.max_chars, record=query.record)


def _masked(call: ApiCall, address: str) -> Sample:
    """The sample with its pad tokens folded by the pattern that was asked for at start."""
    sample = call.run.sample(address)
    mask = call.context.options.mask
    if mask is not None:
        mask_messages(sample.messages, parse_mask(mask))
    return sample


@endpoints.get("/api/runs/{run}/part", answer=PartSlice, query=PartQuery)
def get_part(call: ApiCall, query: PartQuery) -> PartSlice:
    """A stretch of one part's text, for texts too long to send whole."""
    text = _part_text(call, query)
    start = min(query.start, len(text))
    end = min(len(text), start + MAX_PART_CHARS, max(start, len(text) if query.end is None else query.end))
    return PartSlice(start=start, end=end, chars=len(text), text=text[start:end])


def _part_text(call: ApiCall, query: PartQuery) -> str:
    if call.context.options.mask is None:
        return call.run.part_text(query.address, query.message, query.part)
    messages = _masked(call, query.address).messages
    try:
        return messages[query.message].parts[query.part].text
    except IndexError:
        raise NotFoundError(
            f"{query.address} has no part {query.part} in a message {query.message}",
            hint=f"it has {len(messages)} messages",
        ) from None


@endpoints.get("/api/runs/{run}/raw", answer=str, query=AddressQuery, media="text")
def get_raw(call: ApiCall, query: AddressQuery) -> str:
    """The sample's full text as one string."""
    return call.run.raw(query.address)


@endpoints.get("/api/runs/{run}/neighbours", answer=Neighbours, query=NeighboursQuery, by_version=True)
def get_neighbours(call: ApiCall, query: NeighboursQuery) -> Neighbours:
    """The samples before and after this one, in its group's, its step's and the list's order."""
    return call.run.neighbours(
        query.address,
        steps=query.steps,
        where=query.where,
        sort=query.sort,
        discarded=DISCARDED[query.discarded],
        listed=query.listed,
    )


@endpoints.get("/api/runs/{run}/step_counts", answer=StepCounts, query=StepCountsQuery, by_version=True)
def get_step_counts(call: ApiCall, query: StepCountsQuery) -> StepCounts:
    """How many samples of each step match a filter."""
    return call.run.step_counts(query.split, where=query.where, discarded=DISCARDED[query.discarded], wait=False)


@endpoints.get("/api/runs/{run}/scatter", answer=ScatterPoints, query=ScatterQuery, by_version=True)
def get_scatter(call: ApiCall, query: ScatterQuery) -> ScatterPoints:
    """One field of many samples against another, as columns."""
    return call.run.scatter(
        query.x,
        query.y,
        split=query.split,
        step=query.step,
        steps=query.steps,
        where=query.where,
        discarded=DISCARDED[query.discarded],
        limit=query.limit,
        wait=False,
    )


@endpoints.get("/api/runs/{run}/prompt_history", answer=list[SampleRow], query=HistoryQuery, by_version=True)
def list_prompt_history(call: ApiCall, query: HistoryQuery) -> list[SampleRow]:
    """The same prompt over the steps."""
    return call.run.prompt_history(query.address)


@endpoints.get("/api/runs/{run}/fields", answer=list[str], query=FieldsQuery, by_version=True)
def list_fields(call: ApiCall, query: FieldsQuery) -> list[str]:
    """Every numeric field that the samples of one step have."""
    return call.run.fields(query.split, query.step)
