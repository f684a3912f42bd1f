"""The OpenAPI document, made from the endpoints. ``python -m rollscope.server.schema.openapi`` prints it.

It is committed as ``docs/openapi.json``, and the page's TypeScript types are generated from there (``npm run api``), so what
the server declares is what the page can use.
"""

from __future__ import annotations

import copy
import inspect
import json
import re
import sys
from collections.abc import Iterable
from typing import Any

import msgspec

from rollscope import __version__
from rollscope.server.http.endpoints import Endpoint
from rollscope.server.schema.answers import HelloEvent, Problem, RunEvent, RunsEvent, SearchEnd

REF = "#/components/schemas/{name}"
EVENTS = (HelloEvent, RunEvent, RunsEvent)


def document(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    endpoints = list(endpoints)
    # Types are taken together: msgspec then names each once and refers to it everywhere.
    types: list[Any] = [Problem, SearchEnd, *EVENTS]
    for endpoint in endpoints:
        types += [endpoint.answer, endpoint.query, *([endpoint.body] if endpoint.body else [])]
    schemas, components = msgspec.json.schema_components(types, ref_template=REF)
    schema_of = dict(zip(map(_key, types), schemas))
    queries = {endpoint.query.__name__ for endpoint in endpoints}

    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        operation = _operation(endpoint, schema_of, components)
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = operation

    kept = {name: component for name, component in components.items() if name not in queries}
    for struct in _structs(types):
        if struct.__name__ in kept:
            _describe(kept[struct.__name__], struct)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Rollscope",
            "version": __version__,
            "description": "What the Rollscope page uses. Paths are below the server's base path.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": dict(sorted(kept.items()))},
    }


def _key(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) and not hasattr(kind, "__origin__") else repr(kind)


def _operation(endpoint: Endpoint, schema_of: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {"operationId": endpoint.name, "summary": endpoint.summary}
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)", endpoint.path)
    ]
    component = components[endpoint.query.__name__]
    for name, schema in component.get("properties", {}).items():
        parameters.append(_parameter(name, dict(schema), required=name in component.get("required", ())))
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schema_of[_key(endpoint.body)]}},
        }
    answer = schema_of[_key(endpoint.answer)]
    content: dict[str, Any]
    if endpoint.media == "lines":
        end = schema_of[_key(SearchEnd)]
        content = {"application/x-ndjson": {"schema": {"anyOf": [answer, end]}}}
    elif endpoint.media == "events":
        content = {"text/event-stream": {"schema": {"anyOf": [schema_of[_key(event)] for event in EVENTS]}}}
    elif endpoint.media == "file":
        content = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    elif endpoint.media == "text":
        content = {"text/plain": {"schema": answer}}
    else:
        content = {"application/json": {"schema": answer}}
    problem = {"application/problem+json": {"schema": schema_of[_key(Problem)]}}
    operation["responses"] = {
        "200": {"description": "The answer.", "content": content},
        "default": {"description": "What went wrong, and what to do.", "content": problem},
    }
    return operation


def _parameter(name: str, schema: dict[str, Any], *, required: bool) -> dict[str, Any]:
    schema = copy.deepcopy(schema)  # two requests may take the same parameters
    description = schema.pop("description", None)
    # An optional parameter is one that may be left out; it has no value null in a query string.
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    if choices:
        (schema,) = choices
        description = schema.pop("description", description)
    elif schema.get("default", ...) is None:
        del schema["default"]
    parameter: dict[str, Any] = {"name": name, "in": "query", "required": required, "schema": schema}
    return parameter | ({"description": description} if description else {})


def _describe(component: dict[str, Any], struct: type[msgspec.Struct]) -> None:
    """What msgspec's schema of a Struct does not say about the JSON that is made from it."""
    if "description" in component:
        component["description"] = inspect.cleandoc(component["description"])
    # A Struct that does not leave out defaults sends every field.
    if not struct.__struct_config__.omit_defaults:
        component["required"] = list(struct.__struct_encode_fields__)
    for schema in component["properties"].values():
        # JSON has no NaN: a number of a mapping (a metric, a reward's component) that is none is sent as null.
        if schema.get("additionalProperties") == {"type": "number"}:
            schema["additionalProperties"] = {"anyOf": [{"type": "number"}, {"type": "null"}]}


def _structs(types: list[Any]) -> list[type[msgspec.Struct]]:
    seen: dict[type[msgspec.Struct], None] = {}

    def visit(info: Any) -> None:
        if isinstance(info, msgspec.inspect.StructType):
            if info.cls in seen:
                return
            seen[info.cls] = None
            for field in info.fields:
                visit(field.type)
        for name in ("item_type", "key_type", "value_type"):
            if (inner := getattr(info, name, None)) is not None:
                visit(inner)
        for name in ("types", "item_types"):
            for inner in getattr(info, name, ()):
                visit(inner)

    for kind in types:
        visit(msgspec.inspect.type_info(kind))
    return list(seen)


def encoded(endpoints: Iterable[Endpoint]) -> str:
    return json.dumps(document(endpoints), indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    from rollscope.server.api import ENDPOINTS

    sys.stdout.write(encoded(ENDPOINTS))


if __name__ == "__main__":
    main()
