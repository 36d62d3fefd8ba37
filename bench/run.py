"""Headrace beside TensorFlow, measured in one run on one machine.

    python bench/run.py [--only NAME] [--reference tf1,tf2] [--rounds N] [--strict]

Every workload is one file of bench/workloads, the same text for every implementation. Each implementation runs it in
a process of its own (bench/worker.py); they take turns, one chunk of steps each, so that a busy moment of the machine
meets all of them. The best chunk counts, in wall time. The ratio is Headrace's time over the faster TensorFlow's, and
the bar is what that ratio may be. CPU time (of all threads) and peak memory of the processes stand beside it.

The references are the environments that `make oracle` makes; HEADRACE_TF1 and HEADRACE_TF2 name other Pythons. Workloads
of Keras have a column for Keras 3 on PyTorch too, where `make keras3` has made its environment (or HEADRACE_KERAS3 names
one): it is shown, and no bar is about it. Headrace has a second column without its native runner, where that is built, and
the geometric means of both ratios end the table.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import pathlib
import platform
import signal
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

BENCH = pathlib.Path(__file__).resolve().parent
ROOT = BENCH.parent
OURS = "headrace"
REFERENCES = {"tf1": "TensorFlow 1.15.5", "tf2": "TensorFlow 2.21"}
# Runs the workloads that say `KERAS = True`, and is compared with by nobody.
BESIDE = "keras3"
# Headrace without its native runner: shown, with a ratio of its own, and no bar is about it.
WITHOUT_NATIVE = "native off"
# How long an answer may take; a chunk of steps takes a fraction of a second, and the first step the time to plan it.
MOST_SECONDS = 180


@dataclass
class Workload:
    """What a workload file says about itself; it is read, not imported, as this process has no TensorFlow."""

    name: str
    path: pathlib.Path
    bars: dict[str, float | None]  # by step; None: reported, no bar
    fresh: bool  # every measurement in a new process (import time)
    keras: bool = False  # of Keras alone: TensorFlow 2 runs it in its own way, and Keras 3 can


@dataclass
class Figures:
    """One step under one implementation: seconds a step by chunk, and the peak memory of its process."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    rss: int = 0
    error: str = ""
    absent: bool = False  # the implementation has no such step

    def summary(self) -> dict[str, object]:
        if self.error or self.absent:
            return {"error": self.error or "not there"}
        return {
            "wall_best": min(self.wall),
            "wall_median": statistics.median(self.wall),
            "cpu_best": min(self.cpu),
            "cpu_median": statistics.median(self.cpu),
            "peak_rss_bytes": self.rss,
        }


class Worker:
    """The other end of bench/worker.py: requests and answers are lines of JSON."""

    def __init__(self, python: str, implementation: str, path: pathlib.Path) -> None:
        environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PYTHONWARNINGS="ignore")
        # An installed package has its bytecode beside it, whatever a developer's shell says of that.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if implementation in (OURS, WITHOUT_NATIVE):
            environment["HEADRACE_NATIVE"] = "1" if implementation == OURS else "0"
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        self.process = subprocess.Popen(
            [python, str(BENCH / "worker.py"), implementation, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.hello = self.answer()

    def answer(self) -> dict:
        # TensorFlow waits for a server that has died, without a limit.
        limit = threading.Timer(MOST_SECONDS, self.process.kill)
        limit.start()
        try:
            line = self.process.stdout.readline()
        finally:
            limit.cancel()
        if not line:
            lines = self.process.stderr.read().strip().splitlines() or ["ended without a word"]
            killed = self.process.wait() == -signal.SIGKILL
            raise RuntimeError(f"killed: no answer in {MOST_SECONDS} s" if killed else lines[-1])
        return json.loads(line)

    def ask(self, **request: object) -> dict:
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def close(self) -> int:
        """End the process; returns its peak resident memory in bytes."""
        try:
            peak = self.ask(command="end")["peak_rss_bytes"]
        except (RuntimeError, OSError):
            peak = 0
        self.process.communicate()
        return peak


def read_workload(path: pathlib.Path) -> Workload:
    found: dict = {"BARS": None, "FRESH": False, "KERAS": False}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in found:
            found[node.targets[0].id] = ast.literal_eval(node.value)
    if found["BARS"] is None:
        raise SystemExit(f"{path}: a workload states its bars: BARS = {{'step': 0.5}}")
    return Workload(path.stem, path, found["BARS"], found["FRESH"], found["KERAS"])


def measure_fresh(load: Workload, pythons: dict[str, str], rounds: int) -> dict[str, dict[str, Figures]]:
    """Each round a new process for each implementation; each step once in it, the import being one of them."""
    figures = {name: {step: Figures() for step in load.bars} for name in pythons}
    for _ in range(rounds):
        for name, python in pythons.items():
            mine = figures[name]
            if any(one.error for one in mine.values()):
                continue
            try:
                worker = Worker(python, name, load.path)
                seen = {"import": worker.hello["import"]}
                for step in load.bars:
                    if step not in seen:
                        seen[step] = worker.ask(command="chunk", step=step, count=1)
                peak = worker.close()
            except RuntimeError as failure:
                for one in mine.values():
                    one.error = str(failure)
                continue
            for step, one in mine.items():
                one.wall.append(seen[step]["wall"])
                one.cpu.append(seen[step]["cpu"])
                one.rss = max(one.rss, peak)
    return figures


def measure(load: Workload, pythons: dict[str, str], rounds: int, chunk: float) -> dict[str, dict[str, Figures]]:
    """One process for each implementation; for each step they take turns, one chunk each."""
    figures = {name: {step: Figures() for step in load.bars} for name in pythons}
    workers: dict[str, Worker] = {}

    def fail(name: str, failure: Exception) -> None:
        for one in figures[name].values():
            # What was measured before stands.
            if not one.wall:
                one.error = one.error or str(failure)
        workers.pop(name, None)

    for name, python in pythons.items():
        try:
            workers[name] = Worker(python, "tf2-as-2" if name == "tf2" and load.keras else name, load.path)
        except RuntimeError as failure:
            fail(name, failure)
    for step in load.bars:
        counts = {}
        for name in list(workers):
            try:
                counts[name] = workers[name].ask(command="warm", step=step, seconds=chunk)["count"]
            except RuntimeError as failure:
                fail(name, failure)
        for name, count in counts.items():
            figures[name][step].absent = not count
        for _ in range(rounds):
            for name in [name for name in workers if counts.get(name)]:
                try:
                    took = workers[name].ask(command="chunk", step=step, count=counts[name])
                except RuntimeError as failure:
                    fail(name, failure)
                    continue
                figures[name][step].wall.append(took["wall"])
                figures[name][step].cpu.append(took["cpu"])
    for name, worker in workers.items():
        peak = worker.close()
        for one in figures[name].values():
            one.rss = peak
    return figures


def duration(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def python_of(name: str) -> str:
    return os.environ.get(f"HEADRACE_{name.upper()}", str(ROOT / ".oracle" / name / "bin" / "python"))


def pythons_to_use(wanted: list[str], console: Console) -> dict[str, str]:
    found = {}
    for name in wanted:
        if name not in REFERENCES:
            raise SystemExit(f"--reference takes {', '.join(REFERENCES)}; got {name!r}")
        python = python_of(name)
        if pathlib.Path(python).exists():
            found[name] = python
        else:
            console.print(f"[yellow]{REFERENCES[name]} left out: {python} does not exist (make oracle makes it)")
    found[OURS] = os.environ.get("HEADRACE_PYTHON", sys.executable)
    asked = [found[OURS], "-c", "from headrace import native; print(native.available())"]
    if subprocess.run(asked, cwd=ROOT, capture_output=True, text=True).stdout.strip() == "True":
        found[WITHOUT_NATIVE] = found[OURS]
    return found


def processor() -> str:
    """What the machine computes with, as it calls itself."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def versions(pythons: dict[str, str]) -> dict[str, str]:
    """Of each implementation, the version of what computes for it."""
    # Python 3.7 has no importlib.metadata.
    asked = "try:\n import importlib.metadata as m\nexcept ImportError:\n import importlib_metadata as m\nprint(m.version('{}'))"
    found = {}
    for name, python in pythons.items():
        package = "tensorflow" if name in REFERENCES else "keras" if name == BESIDE else "torch"
        said = subprocess.run([python, "-c", asked.format(package)], capture_output=True, text=True).stdout.strip()
        found[name] = f"{package} {said}"
    return found


def verdict(
    figures: dict[str, Figures], bar: float | None, of: str = "wall", name: str = OURS
) -> tuple[float | None, str]:
    """Headrace over the faster TensorFlow, and what that means for the bar."""
    ours = figures.get(name)
    peers = [min(getattr(one, of)) for name, one in figures.items() if name in REFERENCES and getattr(one, of)]
    if ours is None or ours.error or ours.absent or not peers:
        return None, "[red]error" if ours is not None and ours.error else "–"
    ratio = min(getattr(ours, of)) / min(peers)
    if bar is None:
        return ratio, "reported"
    return ratio, "[green]pass" if ratio <= bar else "[red]FAIL"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only the workloads whose name contains this")
    parser.add_argument("--reference", default="tf1,tf2", help="the TensorFlows to compare with (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=7, help="chunks a step and implementation (default: %(default)s)")
    parser.add_argument("--chunk", type=float, default=0.1, help="seconds a chunk (default: %(default)s)")
    parser.add_argument("--no-headrace", action="store_true", help="measure the references alone")
    parser.add_argument("--strict", action="store_true", help="exit status 1 when a bar is missed")
    arguments = parser.parse_args()

    console = Console(width=max(Console().width, 132))
    pythons = pythons_to_use([name for name in arguments.reference.split(",") if name], console)
    if arguments.no_headrace:
        pythons = {name: python for name, python in pythons.items() if name not in (OURS, WITHOUT_NATIVE)}
    paths = sorted((BENCH / "workloads").glob("*.py"))
    loads = [read_workload(path) for path in paths if arguments.only in path.stem]
    if loads and any(load.keras for load in loads) and pathlib.Path(python_of(BESIDE)).exists():
        pythons = {BESIDE: python_of(BESIDE), **pythons}
    if not loads:
        raise SystemExit(f"no workload is called {arguments.only!r}; there are {', '.join(p.stem for p in paths)}")

    table = Table(title="seconds a step, best chunk; ratio = headrace / the faster TensorFlow", title_justify="left")
    table.add_column("workload")
    table.add_column("step")
    for name in pythons:
        table.add_column(name, justify="right")
    for heading in ("ratio", "off", "bar", "", "CPU ratio", "peak MB " + "/".join(pythons)):
        table.add_column(heading, justify="right")

    rows, missed, errors = [], 0, []
    for load in loads:
        console.print(f"[dim]{load.name} …")
        used = {name: python for name, python in pythons.items() if name != BESIDE or load.keras}
        if load.fresh:
            figures = measure_fresh(load, used, min(arguments.rounds, 5))
        else:
            figures = measure(load, used, arguments.rounds, arguments.chunk)
        for step, bar in load.bars.items():
            mine = {name: figures[name][step] if name in used else Figures(absent=True) for name in pythons}
            ratio, word = verdict(mine, bar)
            cpu_ratio, _ = verdict(mine, None, "cpu")
            off, _ = verdict(mine, None, name=WITHOUT_NATIVE)
            missed += "FAIL" in word or "error" in word
            errors += [f"{load.name}, {name}: {one.error}" for name, one in mine.items() if one.error]
            table.add_row(
                load.name,
                step,
                *("error" if one.error else "–" if one.absent else duration(min(one.wall)) for one in mine.values()),
                "–" if ratio is None else f"{ratio:.2f}",
                "–" if off is None else f"{off:.2f}",
                "–" if bar is None else f"{bar:g}",
                word,
                "–" if cpu_ratio is None else f"{cpu_ratio:.2f}",
                "/".join(f"{one.rss / 1e6:.0f}" if one.rss else "–" for one in mine.values()),
            )
            rows.append(
                {
                    "workload": load.name,
                    "step": step,
                    "bar": bar,
                    "ratio": ratio,
                    "ratio_native_off": off,
                    "cpu_ratio": cpu_ratio,
                    "figures": {name: one.summary() for name, one in mine.items()},
                }
            )
    console.print(table)
    for key, word in (("ratio", "native on"), ("ratio_native_off", "native off")):
        ratios = [row[key] for row in rows if row["ratio"] and row["ratio_native_off"]]
        if ratios:
            console.print(f"geometric mean of {len(ratios)} ratios, {word}: {statistics.geometric_mean(ratios):.2f}")
    for line in dict.fromkeys(errors):
        console.print(f"[red]{line}", highlight=False)

    results = BENCH / "results"
    results.mkdir(exist_ok=True)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    target = results / f"{stamp}.json"
    about = {"when": stamp, "machine": platform.platform(), "cores": os.cpu_count(), "load": os.getloadavg()}
    about |= {"processor": processor(), "python": platform.python_version(), "versions": versions(pythons)}
    target.write_text(json.dumps({**about, "rows": rows}, indent=1))
    console.print(f"written to {target.relative_to(ROOT)}")
    return 1 if missed and arguments.strict else 0


if __name__ == "__main__":
    sys.exit(main())
