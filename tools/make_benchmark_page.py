"""Writes docs/benchmarks.md and its picture from what `make bench` measured.

    python tools/make_benchmark_page.py bench/results/20261123-120000.json

Of several files the later ones replace rows of the earlier ones.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from typing import Any

from benchmark_picture import picture

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
PICTURE = PAGE.parent / "images" / "benchmarks.svg"
NAMES = {
    "tf1": "TensorFlow 1.15.5",
    "tf2": "TensorFlow 2.21",
    "headrace": "Headrace",
    "native off": "without native runner",
}


def seconds(value: float) -> str:
    """A time in the unit that suits it."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value * 1e6:.3g} µs"


def cell(figures: dict[str, Any] | None) -> str:
    """The best chunk, and in brackets how much longer the one in the middle took."""
    if not figures or "error" in figures:
        return "–"
    spread = figures["wall_median"] / figures["wall_best"] - 1
    return f"{seconds(figures['wall_best'])} (+{spread:.0%})"


def newest_rows(results: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of all results, by workload and step."""
    return {(row["workload"], row["step"]): row for result in results for row in result["rows"]}


def page(results: list[dict[str, Any]]) -> str:
    """The text of the page."""
    rows = newest_rows(results)
    about = results[-1]
    versions = dict.fromkeys(version for result in results for version in result["versions"].values())
    columns = [name for name in NAMES if any(name in row["figures"] for row in rows.values())]
    lines = [
        "# Benchmarks",
        "",
        "Made by `tools/make_benchmark_page.py` from `make bench`: every implementation runs the same program in a",
        "process of its own, and they take turns. A time is that of the best chunk of steps, in brackets how much longer the",
        "chunk in the middle took. The ratio is Headrace's time over the faster TensorFlow's: below 1 is faster. The bar is",
        "what we want it to be; rows that miss it say so.",
        "",
        "![How many times faster than TensorFlow each group of steps is](images/benchmarks.svg)",
        "",
        f"- Machine: {about['processor']}, {about['cores']} cores; {about['machine']}; load at the end {about['load'][0]:.1f}",
        f"- Versions: Python {about['python']}, "
        + ", ".join(sorted(version for version in versions if not version.endswith(" "))),
    ]
    for key, word in (("ratio", "with"), ("ratio_native_off", "without")):
        ratios = [row[key] for row in rows.values() if row["ratio"] and row.get("ratio_native_off")]
        if ratios:
            lines.append(
                f"- Geometric mean of {len(ratios)} ratios {word} the native runner: {statistics.geometric_mean(ratios):.2f}"
            )
    for workload in dict.fromkeys(name for name, _ in rows):
        lines += ["", f"## {workload.replace('_', ' ')}", ""]
        lines.append("| step | " + " | ".join(NAMES[name] for name in columns) + " | ratio | bar |")
        lines.append("| --- |" + " ---: |" * (len(columns) + 2))
        for (of, step), row in rows.items():
            if of == workload:
                ratio, bar = row["ratio"], row["bar"]
                missed = bool(ratio and bar and ratio > bar)
                shown = "–" if ratio is None else f"**{ratio:.2f}** (missed)" if missed else f"{ratio:.2f}"
                cells = [cell(row["figures"].get(name)) for name in columns]
                lines.append(f"| {step} | " + " | ".join([*cells, shown, "–" if bar is None else f"{bar:g}"]) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    measured = [json.loads(Path(name).read_text()) for name in sys.argv[1:]]
    PAGE.write_text(page(measured), encoding="utf-8")
    PICTURE.write_text(picture(newest_rows(measured).values()), encoding="utf-8")
