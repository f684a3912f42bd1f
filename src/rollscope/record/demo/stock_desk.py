"""The demo's second environment: a stock desk. The policy asks real tools over several turns and must find a number.

Tools run for real on a small made-up database, malformed calls get real errors, and the reward is computed from what was
done and answered.
"""

from __future__ import annotations

import ast
import json
import operator
from collections.abc import Callable, Generator, Iterator
from fractions import Fraction
from random import Random
from typing import Any

from msgspec import Struct

from rollscope.record.demo.grading import grade_answer
from rollscope.record.demo.policy import Policy
from rollscope.record.demo.tokens import count_tokens

MAX_TURNS = 6
VALID_CALL, INVALID_CALL = 0.02, -0.05

PriceRow = dict[str, Any]

PRODUCTS = ("oak shelf", "desk lamp", "wool rug", "steel stool", "wall clock", "plant pot", "bed frame", "coat rack")
WAREHOUSES = ("Bergen", "Porto", "Gdansk", "Trieste")
CUSTOMERS = ("Arlo & Co", "Birch Ltd", "Casa Nova", "Dune Studio", "Elm Street Hotel")

SYSTEM = """You are the assistant of a stock desk. Answer with one number inside <answer></answer>.

<tools>
[{"name": "list_tables", "description": "Names and columns of all tables.", "parameters": {}},
 {"name": "query", "description": "Rows of a table that match.", "parameters": {"table": "string", "where": "object"}},
 {"name": "calculate", "description": "Evaluate an arithmetic expression.", "parameters": {"expression": "string"}}]
</tools>"""


class DeskTask(Struct):
    """A question over a database. ``plan`` says which rows answer it and how they are combined."""

    id: str
    question: str
    tables: dict[str, list[PriceRow]]
    product: str
    kind: str
    answer: Fraction


def make_task(seed: str) -> DeskTask:
    rng = Random(seed)  # noqa: S311
    products = rng.sample(PRODUCTS, 4)
    prices = {product: Fraction(rng.randint(8, 480) * 25, 100) for product in products}
    stock: list[PriceRow] = [
        {"warehouse": place, "product": product, "units": rng.randint(0, 140), "price": float(prices[product])}
        for product in products
        for place in rng.sample(WAREHOUSES, 3)
    ]
    orders: list[PriceRow] = [
        {
            "order": 4100 + number,
            "customer": rng.choice(CUSTOMERS),
            "product": rng.choice(products),
            "units": rng.randint(1, 18),
            "status": rng.choice(["open", "open", "shipped", "cancelled"]),
        }
        for number in range(14)
    ]
    product = products[0]
    mine = [row for row in stock if row["product"] == product]
    reserved = sum(row["units"] for row in orders if row["product"] == product and row["status"] == "open")
    kind = rng.choice(["value", "free", "reserved_value"])
    units = sum(row["units"] for row in mine)
    questions = {
        "value": f"What is our whole stock of “{product}” worth, in dollars, over all warehouses?",
        "free": f"How many units of “{product}” are left when every open order for it is served?",
        "reserved_value": f"What are the open orders for “{product}” worth at list price, in dollars?",
    }
    answers = {
        "value": units * prices[product],
        "free": Fraction(units - reserved),
        "reserved_value": reserved * prices[product],
    }
    return DeskTask(
        id=f"desk-{seed}",
        question=questions[kind],
        tables={"stock": stock, "orders": orders},
        product=product,
        kind=kind,
        answer=Fraction(answers[kind]),
    )


# -- tools -----------------------------------------------------------------------------------------------------------------

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip


def calculate(expression: str) -> float:
    """Arithmetic and nothing else."""

    def value(tree: ast.expr) -> float:
        if isinstance(tree, ast.Constant) and isinstance(tree.value, (int, float)):
            return tree.value
        if isinstance(tree, ast.BinOp) and type(tree.op) in _OPERATORS:
            return float(_OPERATORS[type(tree.op)](value(tree.left), value(tree.right)))
        if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
            return -value(tree.operand)
        raise ValueError(f"not arithmetic: {ast.unparse(tree)}")

    return value(ast.parse(expression, mode="eval").body)


def call_tool(task: DeskTask, name: str, arguments: str) -> tuple[bool, str]:
    """Whether the call was valid, and what the tool says."""
    try:
        given = json.loads(arguments)
        if name == "list_tables":
            return True, json.dumps({table: list(rows[0]) for table, rows in task.tables.items()})
        if name == "query":
            where = given.get("where", {})
            rows = task.tables[given["table"]]
            return True, json.dumps([row for row in rows if all(row.get(key) == item for key, item in where.items())])
        if name == "calculate":
            return True, json.dumps({"result": round(calculate(given["expression"]), 4)})
    except (ValueError, KeyError, SyntaxError, ZeroDivisionError) as error:
        return False, json.dumps({"error": f"{type(error).__name__}: {error}"})
    return False, json.dumps({"error": f"unknown tool {name!r}; there are list_tables, query, calculate"})


# -- an episode ------------------------------------------------------------------------------------------------------------


class DeskEpisode(Struct):
    """What happened: messages and turns in the shapes the recorder takes."""

    messages: list[dict[str, Any]]
    turns: list[dict[str, Any]]
    final_reward: float
    stop_reason: str
    metrics: dict[str, float]


def play(policy: Policy, task: DeskTask, rng: Random) -> DeskEpisode:
    """Let the policy work on the task until it answers or has used its turns."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": SYSTEM, "tokens": count_tokens(SYSTEM)},
        {"role": "user", "content": task.question, "tokens": count_tokens(task.question)},
    ]
    turns: list[dict[str, Any]] = []
    seen = sum(message["tokens"] for message in messages)
    stop, errors = "max_turns", 0
    script = _Script(policy, task, rng)
    result = ""
    for number in range(MAX_TURNS):
        message = script.next(result)
        size = count_tokens(message.get("content", "") + message.get("reasoning_content", "")) + 12
        message["tokens"] = size
        messages.append(message)
        turn: dict[str, Any] = {
            "prompt_tokens": seen,
            "completion_tokens": size,
            "reward": 0.0,
            "metrics": {},
            "logs": {},
        }
        turns.append(turn)
        seen += size
        calls = message.get("tool_calls", [])
        if not calls:
            stop = "stop"
            break
        for call in calls:
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            valid, result = call_tool(task, name, arguments)
            errors += not valid
            turn["reward"] += VALID_CALL if valid else INVALID_CALL
            turn["metrics"] = {"tool_ok": float(valid)}
            turn["logs"] = {"tool": name, "arguments": arguments} | ({} if valid else {"error": result})
            answer = {"role": "tool", "name": name, "tool_call_id": call["id"], "content": result}
            answer["tokens"] = count_tokens(result)
            messages.append(answer)
            seen += count_tokens(result)
        turn["timings"] = {"sampling": round(0.4 + size / 90, 3), "tool": round(rng.uniform(0.01, 0.2), 3)}
        turn["stop_reason"] = "tool_calls"
        if number == MAX_TURNS - 1:
            stop = "max_turns"
    final = grade_answer(str(messages[-1].get("content", "")), task.answer) if stop == "stop" else 0.0
    return DeskEpisode(
        messages=messages,
        turns=turns,
        final_reward=final,
        stop_reason=stop,
        metrics={"correct": final, "tool_errors": float(errors), "tool_calls": float(len(turns) - (stop == "stop"))},
    )


class _Script:
    """What the policy does next. Its numbers come from the rows it was given, so a wrong query leads to a wrong answer."""

    def __init__(self, policy: Policy, task: DeskTask, rng: Random) -> None:
        self._policy = policy
        self._task = task
        self._rng = rng
        self._calls = 0
        self._steps = self._plan()
        self._result = ""

    def next(self, result: str) -> dict[str, Any]:
        self._result = result
        return next(self._steps)

    def _plan(self) -> Iterator[dict[str, Any]]:
        task, rng, policy = self._task, self._rng, self._policy
        if rng.random() < 0.75:
            yield self._call("I should see which tables there are.", "list_tables", {})
        while rng.random() > policy.form:
            yield self._clumsy_call()
        skilled = rng.random() < policy.skill + 0.1
        units, price = 0, 0.0
        if task.kind in ("value", "free"):
            rows = yield from self._query("The stock over all warehouses.", "stock", {"product": task.product})
            units = sum(row["units"] for row in rows)
            price = rows[0]["price"] if rows else 0.0
        if task.kind in ("free", "reserved_value"):
            where = {"product": task.product} | ({"status": "open"} if skilled else {})
            thought = "Only open orders count." if skilled else "Now the orders for it."
            rows = yield from self._query(thought, "orders", where)
            reserved = sum(row["units"] for row in rows)
        if task.kind == "reserved_value":
            rows = yield from self._query("I also need the list price.", "stock", {"product": task.product})
            price = rows[0]["price"] if rows else 0.0
        expression = {
            "value": lambda: f"{units} * {price}",
            "free": lambda: f"{units} - {reserved}",
            "reserved_value": lambda: f"{reserved} * {price}",
        }[task.kind]()
        if rng.random() < policy.form:
            yield self._call("I'd better not do this in my head.", "calculate", {"expression": expression})
            value = float(json.loads(self._result).get("result", 0.0))
        else:
            value = calculate(expression) * (1 if skilled else rng.choice([1, 0.1, 2]))
        yield self._answer(expression, value)

    def _query(self, thought: str, table: str, where: PriceRow) -> Generator[dict[str, Any], None, list[PriceRow]]:
        yield self._call(thought, "query", {"table": table, "where": where})
        rows = json.loads(self._result)
        return rows if isinstance(rows, list) else []

    def _call(self, thought: str, name: str, arguments: PriceRow | str) -> dict[str, Any]:
        self._calls += 1
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        call = {"id": f"call_{self._calls}", "type": "function", "function": {"name": name, "arguments": text}}
        return {"role": "assistant", "reasoning_content": thought, "content": "", "tool_calls": [call]}

    def _clumsy_call(self) -> dict[str, Any]:
        """Calls as early policies write them."""
        ways = (
            ("query", '{"table": "stock", "where": {"product": '),
            ("sql", json.dumps({"statement": f"SELECT * FROM stock WHERE product = '{self._task.product}'"})),
            ("query", json.dumps({"table": "inventory"})),
            ("calculate", json.dumps({"expression": "units * price"})),
        )
        return self._call("Let me just try this.", *self._rng.choice(ways))

    def _answer(self, expression: str, value: float) -> dict[str, Any]:
        shown = f"{value:.2f}".rstrip("0").rstrip(".")
        text = f"From the tables: `{expression}` = {shown}.\n\n<answer>{shown}</answer>"
        if self._rng.random() > self._policy.form:
            text = f"It comes to about {shown}."
        return {"role": "assistant", "reasoning_content": "That is all I need.", "content": text}
