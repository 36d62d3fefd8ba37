"""Draws a timeline, as `tf.python.client.timeline` writes it, as an SVG picture.

    python tools/timeline_svg.py timeline.json out.svg [--from MS] [--to MS]

One row for each lane of each device; waiting for data is red, the work of the input's threads green, the step blue.
"""

from __future__ import annotations

import argparse
import json
from xml.sax.saxutils import escape

WIDTH, ROW, LEFT, TOP = 900, 24, 150, 24
STEP, INPUT, WAIT = "#4c78a8", "#54a24b", "#e45756"


def draw(events: list[dict], begin: float, end: float) -> str:
    """The picture of the events between two times in milliseconds, counted from the first event."""
    devices = {event["pid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    spans = [event for event in events if event["ph"] == "X"]
    start = min(event["ts"] for event in spans)
    rows = sorted({(event["pid"], event["tid"]) for event in spans})
    scale = (WIDTH - LEFT - 10) / (end - begin)
    height = TOP + ROW * len(rows) + 24
    size = f'width="{WIDTH}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
    ]
    for i, (pid, tid) in enumerate(rows):
        kind = "input thread" if "input" in devices[pid] else "step"
        parts.append(f'<text x="4" y="{TOP + i * ROW + 16}">{kind} {tid or ""}</text>')
    for event in spans:
        at = (event["ts"] - start) / 1000.0
        until = at + event["dur"] / 1000.0
        if until < begin or at > end:
            continue
        name = event["name"]
        is_input = "input" in devices[event["pid"]]
        color = INPUT if is_input else WAIT if name.startswith(("IteratorGetNext", "Queue")) else STEP
        x = LEFT + (max(at, begin) - begin) * scale
        y = TOP + rows.index((event["pid"], event["tid"])) * ROW
        width = max(0.7, (min(until, end) - max(at, begin)) * scale)
        title = escape(f"{name} {event['dur']} us")
        parts.append(
            f'<rect x="{x:.1f}" y="{y + 3}" width="{width:.1f}" height="{ROW - 6}" fill="{color}">'
            f"<title>{title}</title></rect>"
        )
    for i in range(6):
        at = begin + (end - begin) * i / 5
        x = LEFT + (at - begin) * scale
        parts.append(f'<text x="{x:.0f}" y="{height - 8}" text-anchor="middle" fill="#666">{at:.1f} ms</text>')
    parts.append(
        f'<text x="{LEFT}" y="16"><tspan fill="{STEP}">operations of the step</tspan> '
        f'<tspan fill="{WAIT}">waiting for data</tspan> <tspan fill="{INPUT}">making batches</tspan></text>'
    )
    return "\n".join([*parts, "</svg>\n"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("trace")
    parser.add_argument("picture")
    parser.add_argument("--from", dest="begin", type=float, default=0.0, help="in milliseconds")
    parser.add_argument("--to", dest="end", type=float, help="in milliseconds")
    flags = parser.parse_args()
    with open(flags.trace) as lines:
        events = json.load(lines)["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    whole = (max(event["ts"] + event["dur"] for event in spans) - min(event["ts"] for event in spans)) / 1000.0
    with open(flags.picture, "w") as out:
        out.write(draw(events, flags.begin, whole if flags.end is None else flags.end))


if __name__ == "__main__":
    main()
