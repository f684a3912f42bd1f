"""Write the tables of commands, flags, settings and formats into docs/: `python -m scripts.reference` (or `make docs`).

Each table lies between two marks in its page, and the prose around it is written by hand. A test compares.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from textwrap import wrap

import msgspec

from rollscope.cli.arguments import Command, Option, usage
from rollscope.cli.command_table import COMMANDS
from rollscope.cli.help import shown_flag
from rollscope.fields import ALIASES, FIELDS, SPACES, STORED, Field
from rollscope.formats.registry import formats
from rollscope.query.answers import SampleRow
from rollscope.query.language.vocabulary import vocabulary
from rollscope.record.samples.schema import RolloutLine
from rollscope.settings import EVERY, OPEN, QUERY, SETTINGS, Setting

DOCS = Path(__file__).resolve().parent.parent / "docs"


def settings_table() -> str:
    rows = ["| flag | environment variable | default | what it does |", "| --- | --- | --- | --- |"]
    for setting in SETTINGS:
        value = "\\|".join(setting.about.choices) or setting.about.metavar
        flag = f"{setting.about.flag} {value}".strip()
        rows.append(f"| `{flag}` | `{setting.env}` | {_default(setting)} | {_cell(setting.about.help)} |")
    return "\n".join(rows)


def _default(setting: Setting) -> str:
    if setting.about.shown_default:
        return setting.about.shown_default
    if setting.is_switch:
        return "yes (`1`)" if setting.default else "no (`0`)"
    return f"`{setting.default}`"


def command_reference(command: Command) -> str:
    """Usage, its own flags as a table, the settings it takes by name, examples."""
    own = [option for option in command.options if option.setting is None]
    settings = [option for option in command.options if option.setting is not None and option.setting not in _SHARED]
    lines = ["```console", f"$ {usage(command)}", "```", "", f"{command.summary}.", ""]
    if command.positionals or own:
        lines += ["| argument | what it does |", "| --- | --- |"]
        lines += [f"| `{positional.metavar}` | {_cell(positional.help)} |" for positional in command.positionals]
        lines += [f"| `{_cell(shown_flag(option))}` | {_cell(option.help)} |" for option in own]
        lines.append("")
    if settings:
        lines += [f"Its own settings: {', '.join(_setting_link(option) for option in settings)}.", ""]
    return "\n".join([*lines, "```console", *(f"$ {example}" for example in command.examples), "```"])


#: The settings of every command that opens runs, and of those that ask about samples.
_SHARED = tuple(setting for setting in SETTINGS if setting.about.scope in (OPEN, QUERY, EVERY))


def shared_settings() -> str:
    """The flags that most commands take, named once."""

    def flags(scope: str) -> str:
        return ", ".join(f"`{each.about.flag}`" for each in SETTINGS if each.about.scope == scope)

    return (
        f"[Settings](settings.md): every command takes {flags(EVERY)}, every one that opens runs {flags(OPEN)}, every one "
        f"with a filter or SQL {flags(QUERY)}. A command's own settings are named below."
    )


def _setting_link(option: Option) -> str:
    differs = f" (here {option.default} unless told)" if option.default is not None else ""
    return f"[`{option.flag}`](settings.md){differs}"


def limits_list(name: str) -> str:
    """What a format cannot know, in its own words."""
    limits = formats()[name].limits or ("Nothing that matters: it records everything the viewers show.",)
    return "\n".join(f"- {limit}" for limit in limits)


#: Fields of a row that only HTTP fills, and those that hold others.
_OF_PREVIEWS = ("prompt_start", "response_start")
_MAPPINGS = ("metrics", "rewards", "nonfinite", "features")


def sample_rows() -> str:
    """What `samples --json` prints of each sample."""
    names = dict.fromkeys(("run", "address", *SampleRow.__struct_encode_fields__))
    shown = [f"{name} {{}}" if name in _MAPPINGS else name for name in names if name not in _OF_PREVIEWS]
    return "\n".join(wrap(f"JSON rows: `{', '.join(shown)}`.", 130))


_TYPES = {
    "number": "number",
    "integer": "integer",
    "boolean": "true or false",
    "string": "text",
    "strings": "list of texts",
}


def fields_table() -> str:
    """What a filter may name."""
    other = {name: alias for alias, name in ALIASES.items()}
    rows = ["| field | is | what it says |", "| --- | --- | --- |"]
    for field in FIELDS:
        if field.origin != "sample":
            name = f"`{field.name}`" + (f", or `{other[field.name]}`" if field.name in other else "")
            rows.append(f"| {name} | {_kind(field)} | {field.about} |")
    rows += [f"| `{space.prefix}NAME` | number | {space.about} |" for space in SPACES.values()]
    rows.append(
        "| `text.NAME`, `token.NAME` | number, text or list | [Computed](insights.md#features) from its text, its tokens. |"
    )
    return "\n".join([*rows, "| `prompt_hash` | number | The same for samples of the same prompt. |"])


def _kind(field: Field) -> str:
    return "what was said" if field.origin == "text" else _TYPES[field.type]


def columns_table() -> str:
    """The columns of `samples` in SQL."""
    rows = ["| column | type | what it is |", "| --- | --- | --- |", "| `run` | text | The run (SQL only). |"]
    address = next(field for field in FIELDS if field.name == "address")
    rows += [f"| `{field.name}` | {_TYPES[field.type]} | {field.about} |" for field in (address, *STORED)]
    for name in sorted(SPACES, reverse=True):
        about = f"{SPACES[name].about} In SQL `{name}.NAME`; in Arrow one column `{name}.NAME` each."
        rows.append(f"| `{name}` | struct | {about} |")
    return "\n".join(rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def tables() -> dict[str, dict[str, str]]:
    """Page -> mark -> what belongs between its marks."""
    return {
        "settings.md": {"settings": settings_table()},
        **{f"formats/{name}.md": {"limits": limits_list(name)} for name in formats()},
        "filter-language.md": {"fields": fields_table()},
        "python.md": {"columns": columns_table()},
        "cli.md": {"shared settings": shared_settings(), "sample rows": sample_rows()}
        | {command.name: command_reference(command) for command in COMMANDS},
    }


def filled(page: str, parts: dict[str, str]) -> str:
    """The page's text with every table brought up to date; a mark that is missing is an error."""
    for mark, table in parts.items():
        pattern = re.compile(rf"(<!-- {mark}: made by `make docs` -->\n).*?(<!-- /{mark} -->)", re.DOTALL)
        page, count = pattern.subn(lambda match, table=table: match[1] + table + "\n" + match[2], page)  # type: ignore[misc]
        if count != 1:
            raise ValueError(f"the page has {count} places for {mark!r}; it needs one")
    return page


def rollouts_schema(page: str) -> str:
    """The recorder's JSON Schema in the order of its lines; a new field of the table brings its own sentence along."""
    schema = json.loads(page)
    made = msgspec.json.schema(RolloutLine)["$defs"]["RolloutLine"]["properties"]
    known = schema["properties"]
    schema["properties"] = {
        name: known.get(name) or {key: value for key, value in made[name].items() if key in _SCHEMA_KEYS}
        for name in RolloutLine.__struct_fields__
    }
    schema["required"] = [name for name in RolloutLine.__struct_fields__ if name in schema["required"]]
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


_SCHEMA_KEYS = ("type", "anyOf", "description", "items")


def example_vocabulary() -> str:
    """The server's vocabulary, for the page's tests."""
    body = msgspec.json.format(msgspec.json.encode(vocabulary()), indent=2).decode()
    head = "/** The server's vocabulary, for tests: made by `make docs`. The page asks the server. */\n\n"
    return (
        head
        + f'import type {{ Vocabulary }} from "./types";\n\nexport const EXAMPLE_VOCABULARY: Vocabulary = {body};\n'
    )


EXAMPLE_VOCABULARY = DOCS.parent / "web" / "src" / "api" / "exampleVocabulary.ts"


def main() -> None:
    EXAMPLE_VOCABULARY.write_text(example_vocabulary(), encoding="utf-8")
    schema = DOCS / "rollouts.schema.json"
    schema.write_text(rollouts_schema(schema.read_text(encoding="utf-8")), encoding="utf-8")
    for name, parts in tables().items():
        path = DOCS / name
        path.write_text(filled(path.read_text(encoding="utf-8"), parts), encoding="utf-8")


if __name__ == "__main__":
    main()
