"""The reference of SPEC's speed table: a FastAPI server that has the parsed file in memory, written as one writes it."""

from __future__ import annotations

import json
import sys
from typing import Any

import uvicorn
from fastapi import FastAPI

app = FastAPI()
samples: list[dict[str, Any]] = []


@app.get("/sample")
def sample(index: int) -> dict[str, Any]:
    return samples[index]


@app.get("/sample_async")
async def sample_async(index: int) -> dict[str, Any]:
    return samples[index]


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        samples.extend(json.loads(line) for line in file)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning", access_log=False)
