"""A picture of what `make bench` measured: how many times faster than TensorFlow each group of steps is."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

_ROW, _LEFT, _WIDTH, _RIGHT, _TOP = 20, 190, 430, 60, 44
_FASTER, _SLOWER, _TEXT, _LINE = "#2a7f9e", "#c0663c", "#24292f", "#d0d7de"
_TICKS = (0.5, 1, 2, 5, 10, 20, 50)


def speeds(rows: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Of each workload how many times faster it is than the faster TensorFlow, its rows' geometric mean, fastest first."""
    ratios: dict[str, list[float]] = {}
    for row in rows:
        if row["ratio"]:
            ratios.setdefault(row["workload"].replace("_", " "), []).append(row["ratio"])
    found = {name: 1 / statistics.geometric_mean(values) for name, values in ratios.items()}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def picture(rows: Iterable[Mapping[str, Any]]) -> str:
    """Bars on a logarithmic axis that begin at 1, as fast as the faster TensorFlow, as SVG."""
    shown = speeds(rows)
    lowest = min(_TICKS[0], *shown.values())
    highest = max(_TICKS[1] * 2, *shown.values())
    ticks = [tick for tick in _TICKS if lowest <= tick <= highest]

    def place(speed: float) -> float:
        return _LEFT + _WIDTH * (math.log(speed) - math.log(lowest)) / (math.log(highest) - math.log(lowest))

    height = _TOP + _ROW * len(shown) + 30
    size = f'viewBox="0 0 {_LEFT + _WIDTH + _RIGHT} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
        f'<rect width="100%" height="100%" rx="6" fill="#ffffff"/><g fill="{_TEXT}">',
        '<text x="12" y="24" font-size="14">Times faster than TensorFlow, the faster of 1.15.5 and 2.21</text>',
    ]
    bottom = _TOP + _ROW * len(shown)
    for tick in ticks:
        x = place(tick)
        weight = 1.5 if tick == 1 else 0.5
        parts.append(f'<path d="M{x:.1f} {_TOP - 6}V{bottom}" stroke="{_LINE}" stroke-width="{weight}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}×</text>')
    for number, (name, speed) in enumerate(shown.items()):
        y = _TOP + _ROW * number
        begin, end = sorted((place(1), place(speed)))
        colour = _FASTER if speed >= 1 else _SLOWER
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 13}" text-anchor="end">{escape(name)}</text>')
        parts.append(
            f'<rect x="{begin:.1f}" y="{y + 3}" width="{end - begin:.1f}" height="{_ROW - 6}" fill="{colour}"/>'
        )
        parts.append(f'<text x="{max(begin, end) + 5:.1f}" y="{y + 13}">{speed:.2g}×</text>')
    return "\n".join([*parts, "</g></svg>", ""])
