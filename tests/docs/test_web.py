"""What docs/web.md says of keys, held against the page's own table."""

from __future__ import annotations

import re

from tests.test_docs import text_of

SIGNS = {"ArrowRight": "→", "ArrowLeft": "←", "Escape": "Esc", "Ctrl+k": "Ctrl K"}


def test_the_table_of_keys_is_the_page_s_own() -> None:
    source = text_of("web/src/state/keys.ts").partition("export const INSIGHT_KEYS")[0]
    rows = re.findall(r'\{ keys: \[(.*?)\], action: "[\w-]+", says: "(.*?)" \}', source)
    assert len(rows) > 30
    own = [(" ".join(f"`{SIGNS.get(key, key)}`" for key in re.findall(r'"(.*?)"', keys)), says) for keys, says in rows]
    table = text_of("docs/web.md").partition("## Keys")[2].partition("\n\nIn the list")[0]
    assert re.findall(r"^\| (`.*`) \| (.*) \|$", table, re.MULTILINE) == own


def test_the_page_names_the_keys_of_insights() -> None:
    source = text_of("web/src/state/keys.ts").partition("export const INSIGHT_KEYS")[2].partition("\n];")[0]
    section = text_of("docs/web.md").partition("## Insights")[2].partition("\n## ")[0]
    keys = {
        key for keys in re.findall(r"keys: \[(.*?)\], says: \"", source) for key in re.findall(r'"(.*?)"', keys)
    } - {"…"}
    assert len(keys) > 10
    assert [key for key in keys if f"`{key}`" not in section] == []
