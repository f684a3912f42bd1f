"""Problems of the demo's first environment: small, varied, each with a worked solution and the slips people make.

Texts use LaTeX in all four delimiters, markdown tables and code, so that a demo run shows what a viewer has to render.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from random import Random

from msgspec import Struct


class Slip(Struct):
    """A mistake in the working, and the answer it leads to."""

    text: str
    answer: Fraction


class MathProblem(Struct):
    """``steps`` is the working, ``check`` how to see that the answer is right."""

    id: str
    topic: str
    question: str
    answer: Fraction
    steps: list[str]
    check: str
    slips: list[Slip]
    shown: str = ""  # the answer in LaTeX, where it is not the plain number

    @property
    def latex(self) -> str:
        return self.shown or number_latex(self.answer)


def number_latex(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    sign = "-" if value < 0 else ""
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def _signed(value: int, *, unit: str = "") -> str:
    """``+ 3x`` or ``- 3x``; 1 is not written before a unit."""
    size = "" if unit and abs(value) == 1 else str(abs(value))
    return f"{'+' if value >= 0 else '-'} {size}{unit}"


def quadratic(rng: Random, key: str) -> MathProblem:
    a, b = sorted(rng.sample([n for n in range(-9, 12) if n], 2))
    total, product = a + b, a * b
    polynomial = f"x^2 {_signed(-total, unit='x')} {_signed(product)}" if total else f"x^2 {_signed(product)}"
    return MathProblem(
        id=key,
        topic="algebra",
        question=f"Let $r < s$ be the two roots of ${polynomial} = 0$. Find $s - 2r$.",
        answer=Fraction(b - 2 * a),
        steps=[
            rf"By Vieta, the roots satisfy \(r + s = {total}\) and \(rs = {product}\).",
            rf"The discriminant is \[\Delta = ({total})^2 - 4 \cdot ({product}) = {total**2 - 4 * product} = {b - a}^2.\]",
            rf"So \(r = \frac{{{total} - {b - a}}}{{2}} = {a}\) and \(s = \frac{{{total} + {b - a}}}{{2}} = {b}\).",
            rf"Therefore $$s - 2r = {b} - 2 \cdot ({a}) = {b - 2 * a}.$$",
        ],
        check=rf"$({a}) \cdot ({b}) = {product}$ and $({a}) + ({b}) = {total}$, as they should be.",
        slips=[
            Slip(rf"The larger root is \(r = {b}\), so \(s - 2r = {a} - 2 \cdot ({b})\).", Fraction(a - 2 * b)),
            Slip(rf"With the signs swapped the roots are \({-b}\) and \({-a}\).", Fraction(-a + 2 * b)),
        ],
    )


def linear_system(rng: Random, key: str) -> MathProblem:
    x, y = rng.randint(-6, 9), rng.randint(-6, 9)
    a, b, c, d = next(m for m in iter(lambda: [rng.randint(1, 7) for _ in range(4)], []) if m[0] * m[3] != m[1] * m[2])
    e, f, det = a * x + b * y, c * x + d * y, a * d - b * c
    return MathProblem(
        id=key,
        topic="algebra",
        question=rf"Solve $$\begin{{cases}} {a}x + {b}y = {e} \\ {c}x + {d}y = {f} \end{{cases}}$$ and give $x + y$.",
        answer=Fraction(x + y),
        steps=[
            rf"Cramer's rule: \(\det = {a} \cdot {d} - {b} \cdot {c} = {det}\), which is not zero, so there is one solution.",
            rf"\[x = \frac{{{e} \cdot {d} - {b} \cdot {f}}}{{{det}}} = \frac{{{e * d - b * f}}}{{{det}}} = {x}\]",
            rf"\[y = \frac{{{a} \cdot {f} - {c} \cdot {e}}}{{{det}}} = \frac{{{a * f - c * e}}}{{{det}}} = {y}\]",
            rf"Their sum is $x + y = {x + y}$.",
        ],
        check=rf"Put back: ${a} \cdot ({x}) + {b} \cdot ({y}) = {e}$ ✓ and ${c} \cdot ({x}) + {d} \cdot ({y}) = {f}$ ✓.",
        slips=[
            Slip(rf"\(\det = {a} \cdot {d} + {b} \cdot {c}\), so the sum comes out differently.", Fraction(x - y)),
            Slip(rf"So $x = {x}$, and the question asks for $x$.", Fraction(x)),
        ],
    )


def modular_power(rng: Random, key: str) -> MathProblem:
    base, exponent, modulus = rng.randint(2, 12), rng.randint(20, 99), rng.choice([7, 9, 11, 13, 17, 19])
    power, rows, square, bit = 1, [], base % modulus, 1
    while bit <= exponent:
        used = bool(exponent & bit)
        rows.append(f"| {bit} | {square} | {'yes' if used else 'no'} |")
        if used:
            power = power * square % modulus
        square, bit = square * square % modulus, bit * 2
    table = "| exponent | residue | used |\n| ---: | ---: | :---: |\n" + "\n".join(rows)
    return MathProblem(
        id=key,
        topic="number theory",
        question=rf"What is the remainder when \({base}^{{{exponent}}}\) is divided by \({modulus}\)?",
        answer=Fraction(power),
        steps=[
            rf"Write the exponent in binary: ${exponent} = {exponent:b}_2$, and square repeatedly modulo ${modulus}$:",
            table,
            rf"Multiplying the used residues gives $${base}^{{{exponent}}} \equiv {power} \pmod{{{modulus}}}.$$",
        ],
        check=f"The same with code:\n\n```python\n>>> pow({base}, {exponent}, {modulus})\n{power}\n```",
        slips=[
            Slip(
                rf"By Fermat the exponent can be reduced to ${exponent % modulus}$.",
                Fraction(base ** (exponent % modulus) % modulus),
            ),
            Slip("One of the squares was multiplied twice.", Fraction((power * base) % modulus)),
        ],
    )


def integral(rng: Random, key: str) -> MathProblem:
    a, b, c = rng.randint(1, 6), rng.choice([-5, -4, -3, 2, 3, 4]), rng.randint(1, 9)
    low, high = rng.choice([(0, 1), (0, 2), (1, 3), (-1, 2)])

    def primitive(x: int) -> Fraction:
        return Fraction(a, 3) * x**3 + Fraction(b, 2) * x**2 + c * x

    value = primitive(high) - primitive(low)
    middle = f"{'+' if b > 0 else '-'} {number_latex(Fraction(abs(b), 2))}"
    return MathProblem(
        id=key,
        topic="calculus",
        question=rf"Compute exactly: \[\int_{{{low}}}^{{{high}}} \left({a}x^2 {_signed(b, unit='x')} + {c}\right) dx\]",
        answer=value,
        steps=[
            rf"A primitive is \(F(x) = {number_latex(Fraction(a, 3))}x^3 {middle}x^2 + {c}x\).",
            rf"\(F({high}) = {number_latex(primitive(high))}\) and \(F({low}) = {number_latex(primitive(low))}\).",
            rf"$$\int_{{{low}}}^{{{high}}} = F({high}) - F({low}) = {number_latex(value)}$$",
        ],
        check=rf"As a decimal that is about ${float(value):.4f}$, which fits the midpoint rule.",
        slips=[
            Slip(
                "The middle term keeps its factor: its primitive was taken without the half.",
                value + Fraction(b, 2) * (high**2 - low**2),
            ),
            Slip(rf"Only the upper limit matters, since $F({low})$ vanishes.", primitive(high) if low else value + 1),
        ],
    )


def committee(rng: Random, key: str) -> MathProblem:
    women, men, size = rng.randint(4, 8), rng.randint(4, 8), rng.randint(3, 5)
    least = rng.randint(1, size - 1)
    terms = [(k, math.comb(women, k) * math.comb(men, size - k)) for k in range(least, size + 1)]
    total = sum(count for _, count in terms)
    rows = "\n".join(
        rf"| {k} | $\binom{{{women}}}{{{k}}}\binom{{{men}}}{{{size - k}}}$ | {count} |" for k, count in terms
    )
    everything = math.comb(women + men, size)
    return MathProblem(
        id=key,
        topic="combinatorics",
        question=(
            f"A committee of {size} is chosen from {women} women and {men} men. In how many ways can it be chosen so that "
            f"it has at least {least} {'woman' if least == 1 else 'women'}?"
        ),
        answer=Fraction(total),
        steps=[
            f"Count by the number $k$ of women, from {least} to {size}:",
            f"| $k$ | ways | count |\n| ---: | :--- | ---: |\n{rows}",
            rf"\[\text{{total}} = {' + '.join(str(count) for _, count in terms)} = {total}\]",
        ],
        check=rf"In all there are $\binom{{{women + men}}}{{{size}}} = {everything}$ committees, so ${total}$ is plausible.",
        slips=[
            Slip("“At least” was read as “exactly”.", Fraction(terms[0][1])),
            Slip("The last case was left out.", Fraction(total - terms[-1][1])),
        ],
    )


def dice(rng: Random, key: str) -> MathProblem:
    target = rng.randint(4, 10)
    ways = 6 - abs(7 - target)
    at_least = sum(6 - abs(7 - s) for s in range(target, 13))
    value = Fraction(at_least, 36)
    rows = "\n".join(f"| {s} | {6 - abs(7 - s)} |" for s in range(target, 13))
    return MathProblem(
        id=key,
        topic="probability",
        question=f"Two fair dice are rolled. What is the probability that their sum is at least ${target}$?",
        answer=value,
        steps=[
            r"There are $6 \times 6 = 36$ equally likely outcomes. Favourable sums:",
            f"| sum | outcomes |\n| ---: | ---: |\n{rows}",
            rf"That makes ${at_least}$ outcomes, so \(P = \frac{{{at_least}}}{{36}} = {number_latex(value)}\).",
        ],
        check=rf"The complement: $\frac{{{36 - at_least}}}{{36}} + {number_latex(value)} = 1$.",
        slips=[
            Slip(f"The sums from 2 to 12 are equally likely, so it is {13 - target} of 11.", Fraction(13 - target, 11)),
            Slip(f"More than {target} means leaving out {target} itself.", Fraction(at_least - ways, 36)),
        ],
    )


def series(rng: Random, key: str) -> MathProblem:
    first, ratio = rng.randint(1, 9), Fraction(rng.choice([1, 2, 3]), rng.choice([4, 5, 7]))
    total = first / (1 - ratio)
    return MathProblem(
        id=key,
        topic="analysis",
        question=rf"Find the value of $$\sum_{{n=0}}^{{\infty}} {first} \left({number_latex(ratio)}\right)^n.$$",
        answer=total,
        steps=[
            rf"This is a geometric series with \(a = {first}\) and \(q = {number_latex(ratio)}\), and \(|q| < 1\).",
            rf"\[\frac{{a}}{{1 - q}} = \frac{{{first}}}{{{number_latex(1 - ratio)}}} = {number_latex(total)}\]",
        ],
        check=rf"Three terms give ${float(first * (1 + ratio + ratio**2)):.3f}$; the limit is ${float(total):.3f}$.",
        slips=[
            Slip("The sum starts at $n = 1$, so one factor of $q$ comes out.", total * ratio),
            Slip(r"The formula is \(\frac{a}{1 + q}\).", first / (1 + ratio)),
        ],
    )


def euclid(rng: Random, key: str) -> MathProblem:
    common = rng.choice([3, 4, 6, 7, 9, 12, 14])
    a, b = common * rng.randint(11, 40), common * rng.randint(11, 40)
    divisor = math.gcd(a, b)
    rows, x, y = [], max(a, b), min(a, b)
    while y:
        rows.append(rf"{x} &= {x // y} \cdot {y} + {x % y} \\")
        x, y = y, x % y
    return MathProblem(
        id=key,
        topic="number theory",
        question=f"Find the least common multiple of {a} and {b}.",
        answer=Fraction(a * b // divisor),
        steps=[
            "Euclid's algorithm for the greatest common divisor:",
            "$$\\begin{aligned}\n" + "\n".join(rows) + "\n\\end{aligned}$$",
            rf"So \(\gcd({a}, {b}) = {divisor}\), and $$\frac{{{a} \cdot {b}}}{{{divisor}}} = {a * b // divisor}.$$",
        ],
        check=(
            f"```python\nfrom math import gcd\n\na, b = {a}, {b}\nprint(a * b // gcd(a, b))  # {a * b // divisor}\n```"
        ),
        slips=[
            Slip("That is the greatest common divisor, and it is asked for.", Fraction(divisor)),
            Slip(f"The common factor is {common} at first sight.", Fraction(a * b, common)),
        ],
    )


def invoice(rng: Random, key: str) -> MathProblem:
    goods = rng.sample(["notebook", "pencil case", "ruler", "eraser", "folder", "compass"], 3)
    prices = [rng.randint(2, 19) * 25 for _ in goods]
    counts = [rng.randint(2, 9) for _ in goods]
    percent = rng.choice([5, 10, 20, 25])
    gross = sum(price * count for price, count in zip(prices, counts))
    value = Fraction(gross * (100 - percent), 10_000)
    rows = "\n".join(
        f"| {name} | ${price / 100:.2f} | {count} | ${price * count / 100:.2f} |"
        for name, price, count in zip(goods, prices, counts)
    )
    listing = ", ".join(f"{count} {name}s at ${price / 100:.2f}" for name, price, count in zip(goods, prices, counts))
    return MathProblem(
        id=key,
        topic="word problems",
        question=f"Mira buys {listing}. She gets {percent}% off the whole bill. How many dollars does she pay?",
        answer=value,
        steps=[
            f"| item | price | number | total |\n| :--- | ---: | ---: | ---: |\n{rows}",
            f"Before the discount that is ${gross / 100:.2f}.",
            rf"Less {percent}%: \({gross / 100:.2f} \cdot {(100 - percent) / 100:.2f} = {float(value):.7g}\) dollars.",
        ],
        check=f"The discount is ${gross * percent / 10_000:.2f}, and ${gross / 100:.2f} less that is what she pays.",
        slips=[
            Slip("The discount itself is what is asked for.", Fraction(gross * percent, 10_000)),
            Slip(
                "The discount applies to the first item only.",
                Fraction(gross, 100) - Fraction(prices[0] * counts[0] * percent, 10_000),
            ),
        ],
        shown=f"{float(value):.7g}",
    )


def determinant(rng: Random, key: str) -> MathProblem:
    m = [[rng.randint(-4, 6) for _ in range(3)] for _ in range(3)]
    (a, b, c), (d, e, f), (g, h, i) = m
    terms = [a * (e * i - f * h), -b * (d * i - f * g), c * (d * h - e * g)]
    rows = r" \\ ".join(" & ".join(map(str, row)) for row in m)
    return MathProblem(
        id=key,
        topic="linear algebra",
        question=rf"Evaluate $$\begin{{vmatrix}} {rows} \end{{vmatrix}}.$$",
        answer=Fraction(sum(terms)),
        steps=[
            "Expand along the first row:",
            rf"\[{a} \cdot ({e * i - f * h}) - ({b}) \cdot ({d * i - f * g}) + ({c}) \cdot ({d * h - e * g})\]",
            rf"\(= {terms[0]} {_signed(terms[1])} {_signed(terms[2])} = {sum(terms)}\)",
        ],
        check=f"```python\nimport numpy as np\n\nround(np.linalg.det(np.array({m})))  # {sum(terms)}\n```",
        slips=[
            Slip("The middle term enters with a plus.", Fraction(terms[0] - terms[1] + terms[2])),
            Slip("The last cofactor was forgotten.", Fraction(terms[0] + terms[1])),
        ],
    )


def tangent(rng: Random, key: str) -> MathProblem:
    a, b, x = rng.randint(1, 4), rng.randint(-6, 6), rng.randint(-3, 4)
    value, slope = a * x**3 + b * x, 3 * a * x**2 + b
    return MathProblem(
        id=key,
        topic="calculus",
        question=rf"The tangent to \(y = {a}x^3 {_signed(b, unit='x')}\) at \(x = {x}\) meets the $y$-axis at $t$. Find $t$.",
        answer=Fraction(value - slope * x),
        steps=[
            rf"The derivative is \(y' = {3 * a}x^2 {_signed(b)}\), so the slope at \(x = {x}\) is \({slope}\).",
            rf"The point of contact is \(({x}, {value})\).",
            rf"\[t = {value} - {slope} \cdot ({x}) = {value - slope * x}\]",
        ],
        check=rf"The line $y = {slope}x {_signed(value - slope * x)}$ goes through $({x}, {value})$.",
        slips=[
            Slip("The tangent passes through the point, so $t$ is its height.", Fraction(value)),
            Slip(rf"\(t = {value} + {slope} \cdot ({x})\).", Fraction(value + slope * x)),
        ],
    )


KINDS: tuple[Callable[[Random, str], MathProblem], ...] = (
    quadratic, linear_system, modular_power, integral, committee, dice, series, euclid, invoice, determinant, tangent,
)  # fmt: skip


def make_problem(seed: str) -> MathProblem:
    """The problem of this name; the same one every time, so that it can come back in a later step."""
    rng = Random(seed)  # noqa: S311  # a simulation, not a secret
    kind = rng.choice(KINDS)
    return kind(rng, f"{kind.__name__}-{seed}")
