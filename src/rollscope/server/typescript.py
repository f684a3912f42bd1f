"""The page's types, made from the OpenAPI document: ``python -m rollscope.server.typescript > web/src/api/types.ts``.

Made here and not by a tool of Node's, so that the test which notices a difference needs no Node.
"""

from __future__ import annotations

import json
import sys
from typing import Any, get_args

from rollscope.model import PartType, Status
from rollscope.query.answers import RunState
from rollscope.server.schema.openapi import document

#: Unions of words that have a name in the sources; elsewhere they would be repeated in full.
NAMED_UNIONS = {"PartType": PartType, "RunState": RunState, "Status": Status}

#: As the page's formatter has it, which checks this file as any other.
LINE_LENGTH = 120

HEAD = """\
/**
 * The shapes of requests and answers, made from the Python sources; do not edit.
 * `python -m rollscope.server.typescript > web/src/api/types.ts` makes them anew.
 * A field with `?` is left out of an answer when it has its default value.
 */
"""


def typescript(spec: dict[str, Any]) -> str:
    unions = {name: sorted(get_args(union)) for name, union in NAMED_UNIONS.items()}
    blocks = [HEAD, *(_alias(name, words) for name, words in unions.items())]
    for name, schema in spec["components"]["schemas"].items():
        blocks.append(_interface(name, schema))
    for path, operations in spec["paths"].items():
        for operation in operations.values():
            parameters = [item for item in operation.get("parameters", ()) if item["in"] == "query"]
            if parameters:
                blocks.append(_parameters(path, operation, parameters))
    return "\n".join(blocks)


def _alias(name: str, words: list[str]) -> str:
    line = f"export type {name} = {_union(words)};\n"
    if len(line) <= LINE_LENGTH:
        return line
    return "\n".join([f"export type {name} =", *(f"  | {json.dumps(word)}" for word in words)]) + ";\n"


def _interface(name: str, schema: dict[str, Any]) -> str:
    required = set(schema.get("required", ()))
    lines = [f"export interface {name} {{"]
    for field, inner in schema.get("properties", {}).items():
        lines += _comment(inner.get("description"), "  ")
        lines.append(f"  {field}{'' if field in required else '?'}: {_type(inner)};")
    return "\n".join([*_comment(schema.get("description"), ""), *lines, "}\n"])


def _parameters(path: str, operation: dict[str, Any], parameters: list[dict[str, Any]]) -> str:
    lines = [f"/** What {path} may be asked. */", f"export interface {_camel(operation['operationId'])}Query {{"]
    for item in parameters:
        lines += _comment(item.get("description"), "  ")
        lines.append(f"  {item['name']}{'' if item['required'] else '?'}: {_type(item['schema'])};")
    return "\n".join([*lines, "}\n"])


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(choice) for choice in schema["anyOf"]))
    if "enum" in schema:
        return _named(schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"])
    match schema.get("type"):
        case "integer" | "number":
            return "number"
        case "string" | "boolean" | "null" as plain:
            return str(plain)
        case "array" if "prefixItems" in schema:
            return f"[{', '.join(map(_type, schema['prefixItems']))}]"
        case "array":
            inner = _type(schema.get("items", {}))
            return f"({inner})[]" if "anyOf" in schema.get("items", {}) else f"{inner}[]"
        case "object":
            values = schema.get("additionalProperties", {})
            return f"Record<string, {_type(values if isinstance(values, dict) else {})}>"
        case _:
            return "unknown"


def _named(words: list[Any]) -> str:
    for name, union in NAMED_UNIONS.items():
        if sorted(get_args(union)) == sorted(words):
            return name
    return _union(words)


def _union(words: list[Any]) -> str:
    return " | ".join(json.dumps(word) for word in words)


def _comment(text: str | None, indent: str) -> list[str]:
    if not text:
        return []
    line = " ".join(text.split()).replace("*/", "* /").replace("``", "`")
    return [f"{indent}/** {line} */"]


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def main() -> None:
    from rollscope.server.api import ENDPOINTS

    sys.stdout.write(typescript(document(ENDPOINTS)))


if __name__ == "__main__":
    main()
