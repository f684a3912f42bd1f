"""Series, distributions and SQL, asked of a running server."""

from __future__ import annotations

from tests.server.client import Server


def test_the_catalog_s_series_have_points(server: Server, run: str) -> None:
    catalog = server.json(f"{run}/catalog")
    names = [item["name"] for item in catalog]
    assert names
    assert all({"section", "group", "metric", "origin"} <= item.keys() for item in catalog)
    series = server.json(f"{run}/series", name=names[:3])
    assert [item["name"] for item in series] == names[:3]
    reward = next(name for name in names if name.endswith("reward/mean"))
    (curve,) = server.json(f"{run}/series", name=reward)
    assert [point[0] for point in curve["points"]] == [0, 1, 2]


def test_a_distribution_counts_every_sample(server: Server, run: str) -> None:
    spread = server.json(f"{run}/distribution", field="reward")
    assert spread["steps"] == [0, 1, 2]
    assert all(sum(counts) == 24 for counts in spread["counts"])


def test_sql_reads_the_index(server: Server, run: str) -> None:
    answer = server.json(
        f"{run}/sql", query="SELECT step, count(*) FROM samples WHERE split = 'train' GROUP BY 1 ORDER BY 1"
    )
    assert answer["rows"] == [[0, 24], [1, 24], [2, 24]]
