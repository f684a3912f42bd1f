"""config.json takes any config there is, names callables, and keeps secrets out."""

from __future__ import annotations

import argparse
import dataclasses
import enum
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import msgspec
import numpy as np
import pydantic
import pytest

from rollscope.record.config import MASK, config_dict


class Mode(enum.Enum):
    SYNC = "sync"


@dataclasses.dataclass
class Inner:
    path: Path = Path("data/train.jsonl")
    mode: Mode = Mode.SYNC


@dataclasses.dataclass
class AsDataclass:
    lr: float = 1e-4
    inner: Inner = dataclasses.field(default_factory=Inner)


@attrs.define
class AsAttrs:
    lr: float = 1e-4
    inner: Inner = attrs.Factory(Inner)


class AsPydantic(pydantic.BaseModel):
    lr: float = 1e-4
    inner: Any = Inner()


class AsStruct(msgspec.Struct):
    lr: float = 1e-4
    inner: Inner = msgspec.field(default_factory=Inner)


class AsChz:
    """chz keeps its fields in ``__chz_fields__``."""

    __chz_fields__ = {"lr": None, "inner": None}

    def __init__(self) -> None:
        self.lr, self.inner = 1e-4, Inner()


class AsOmega:
    """OmegaConf's DictConfig: keys and items, and no Mapping."""

    def keys(self) -> Iterator[str]:
        return iter(["lr", "inner"])

    def __getitem__(self, key: str) -> Any:
        return {"lr": 1e-4, "inner": Inner()}[key]


CONFIGS = [
    {"lr": 1e-4, "inner": Inner()},
    AsDataclass(),
    AsAttrs(),
    AsPydantic(),
    AsStruct(),
    AsChz(),
    AsOmega(),
    argparse.Namespace(lr=1e-4, inner=Inner()),
]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: type(config).__name__)
def test_every_kind_of_config(config: Any) -> None:
    assert config_dict(config, mask_secrets=True, complain=pytest.fail) == {
        "lr": 1e-4,
        "inner": {"path": "data/train.jsonl", "mode": "sync"},
    }


def reward(text: str) -> float:
    return float(len(text))


def test_values_that_json_has_no_word_for() -> None:
    config = {
        "function": reward,
        "class": AsAttrs,
        "partial": functools.partial(reward, text="x"),
        "lambda": lambda: None,
        "set": {3, 1},
        "array": np.arange(2),
        "number": np.float32(0.5),
        "nan": float("nan"),
        "huge": 2**200,
        "none": None,
    }
    got = config_dict(config, mask_secrets=True, complain=pytest.fail)
    name = reward.__module__
    assert got["function"] == f"{name}.reward"
    assert got["class"] == f"{name}.AsAttrs"
    assert got["partial"] == f"{name}.reward(text=x, …)"
    assert "<lambda>" in got["lambda"]
    assert (got["set"], got["array"], got["number"], got["nan"], got["huge"], got["none"]) == (
        [1, 3], [0, 1], 0.5, "NaN", 2**200, None,
    )  # fmt: skip


def test_a_config_that_contains_itself() -> None:
    config: dict[str, Any] = {"lr": 1}
    config["self"] = config
    said: list[str] = []
    assert config_dict(config, mask_secrets=True, complain=said.append)["lr"] == 1
    assert len(said) == 1


@pytest.mark.parametrize(
    "key", ["hf_token", "token", "WANDB_API_KEY", "apiKey", "client_secret", "password", "authToken", "db_passwd"]
)
def test_secrets_are_masked(key: str) -> None:
    assert config_dict({"a": {key: "hunter2"}}, mask_secrets=True, complain=pytest.fail) == {"a": {key: MASK}}
    assert config_dict({key: "hunter2"}, mask_secrets=False, complain=pytest.fail) == {key: "hunter2"}


@pytest.mark.parametrize(
    ("key", "value"),
    [("max_tokens", 512), ("tokenizer", "qwen"), ("pad_token", "<pad>"), ("num_tokens", "all"), ("token", None)],
)
def test_what_only_looks_like_a_secret_is_kept(key: str, value: Any) -> None:
    assert config_dict({key: value}, mask_secrets=True, complain=pytest.fail) == {key: value}


def test_a_whole_block_of_secrets_is_masked() -> None:
    assert config_dict({"secrets": {"hf": "x"}}, mask_secrets=True, complain=pytest.fail) == {"secrets": MASK}
