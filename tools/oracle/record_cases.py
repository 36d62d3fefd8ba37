"""Records what TensorFlow says of the cases declared beside the ops, into tests/golden/cases.

1.15.5 is asked. Where it lacks an op, and where a declaration says that it differs, 2.21 is; and where that has no answer
either, the record says so, and the case has to say itself what it gives. Ops that no TensorFlow has (`.own()`) have no records.

.venv/bin/python tools/oracle/record_cases.py                                      all of them
.venv/bin/python tools/oracle/record_cases.py --only ApplyAdam,ApplyMomentum       some op types
.venv/bin/python tools/oracle/record_cases.py --file headrace/ops/math/cross.py    the op types of some files
.venv/bin/python tools/oracle/record_cases.py --stale                              those without a valid record
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools" / "oracle"), str(ROOT)]

from case_programs import CaseProgram  # noqa: E402  the path to it is made above
from case_records import LATER_VERSION, PLACE, VERSION, family_of, read_records  # noqa: E402  likewise
from make_goldens import oracle_python  # noqa: E402  likewise

import headrace as tf  # noqa: E402  likewise
from headrace.api.op_index import declare_all, home_of, op_types  # noqa: E402  likewise
from headrace.core.registry import REGISTRY, Case, OpDecl, find  # noqa: E402  likewise


def chosen(options: argparse.Namespace) -> Iterator[tuple[str, OpDecl, Case]]:
    """The cases that are asked for, by name. Only their files are imported: others may be under repair."""
    types = set(filter(None, options.only.split(",")))
    modules = tuple(str(Path(name).with_suffix("")).strip("./").replace("/", ".") for name in options.file)
    if not types and not modules:
        declare_all()
    for op_type in types | set(op_types()):
        home = f"headrace.{home_of(op_type)}"
        of_file = any(home == name or home.startswith(name + ".") for name in modules)
        if (types or modules) and op_type not in types and not of_file:
            continue
        decl = find(op_type)
        if decl is None:
            raise SystemExit(f"no op {op_type} is declared")
        for i, case in enumerate(decl.cases):
            yield f"{op_type}-{i}", decl, case


def program_text(decl: OpDecl, case: Case) -> tuple[str, str]:
    with tf.Graph().as_default():
        program = CaseProgram(decl, case)
        return program.text, program.hash


def later_python() -> Path:
    """The Python that has TensorFlow 2.21."""
    python = Path(os.environ.get("HEADRACE_TF2", str(ROOT / ".oracle" / "tf2" / "bin" / "python")))
    if not python.exists():
        raise SystemExit("no TensorFlow 2.21 here: run make oracle, or set HEADRACE_TF2 to its Python")
    return python


def earlier_python() -> Path:
    """The Python that has TensorFlow 1.15.5."""
    python = oracle_python()
    if python is None:
        raise SystemExit("no TensorFlow 1.15.5 here: run make oracle, or set HEADRACE_TF1 to its Python")
    return Path(python)


def ask_both(programs: dict[str, str]) -> dict[str, dict[str, Any]]:
    """The answers of 1.15.5, and of 2.21 to what 1.15.5 cannot answer."""
    differing = {name for name in programs if case_called(name).differs is not None}
    first = {name: text for name, text in programs.items() if name not in differing}
    answers = ask(earlier_python(), first) if first else {}
    left = {name: text for name, text in programs.items() if name in differing or "absent" in answers[name]}
    later = ask(later_python(), left) if left else {}
    for name, answer in later.items():
        works = "error" not in answer and "absent" not in answer
        if name in differing and works != (case_called(name).error is None):
            answer = {"absent": True}
        answers[name] = answer if "absent" in answer else {"tensorflow": LATER_VERSION, **answer}
    return answers


def case_called(name: str) -> Case:
    """The case of a name such as "MatMul-0"."""
    op_type, _, index = name.rpartition("-")
    return REGISTRY[op_type].cases[int(index)]


def ask(python: Path, programs: dict[str, str]) -> dict[str, dict[str, Any]]:
    """The oracle's answers. What brings its process down is an answer too, and the rest is asked again."""
    answers: dict[str, dict[str, Any]] = {}
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PYTHONWARNINGS="ignore", CUDA_VISIBLE_DEVICES="")
    left = list(programs)
    while left:
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as lines:
            lines.writelines(f"[{json.dumps(name)}, {programs[name]}]\n" for name in left)
            lines.flush()
            command = [str(python), str(ROOT / "tools" / "oracle" / "run_cases.py"), lines.name]
            done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        answers.update(json.loads(line) for line in done.stdout.splitlines())
        if done.returncode == 0:
            break
        left = [name for name in left if name not in answers]
        if not left or (not done.stdout and len(left) == len(programs) and "Traceback" in done.stderr):
            raise SystemExit(f"the oracle failed:\n{done.stderr[-4000:]}")
        crashed = left.pop(0)
        answers[crashed] = {"error": "crash", "message": done.stderr.strip().split("\n")[-1][:200]}
    return answers


def write(records: dict[str, dict[str, dict[str, Any]]], gone: Iterable[str]) -> None:
    """Puts records into the files of their families, and takes those of the same ops out of all others."""
    PLACE.mkdir(parents=True, exist_ok=True)
    types = {name.rpartition("-")[0] for family in records.values() for name in family} | set(gone)
    lock = os.open(PLACE, os.O_RDONLY)
    try:
        # Several may record at once.
        fcntl.flock(lock, fcntl.LOCK_EX)
        for family in {*records, *(path.stem for path in PLACE.glob("*.json"))}:
            path = PLACE / f"{family}.json"
            old = json.loads(path.read_text())["cases"] if path.exists() else {}
            new = {name: record for name, record in old.items() if name.rpartition("-")[0] not in types}
            new.update(records.get(family, {}))
            if new == old:
                continue
            lines = [f"{json.dumps(name)}: {json.dumps(new[name], sort_keys=True)}" for name in sorted(new)]
            text = f'{{"tensorflow": "{VERSION}", "cases": {{\n' + ",\n".join(lines) + "\n}}\n"
            partial = path.with_suffix(f".{os.getpid()}")
            partial.write_text(text)
            partial.replace(path)
            if not new:
                path.unlink()
    finally:
        os.close(lock)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="op types, with commas between")
    parser.add_argument("--file", nargs="*", default=[], help="files or folders of headrace/ops")
    parser.add_argument("--stale", action="store_true", help="only what has no record, or one of another case")
    parser.add_argument("--print", action="store_true", help="say what the oracle said")
    options = parser.parse_args()
    programs: dict[str, str] = {}
    hashes: dict[str, str] = {}
    families: dict[str, str] = {}
    known = read_records()
    for name, decl, case in chosen(options):
        if decl.of_the_planner or decl.why_own is not None:
            continue
        text, digest = program_text(decl, case)
        programs[name], hashes[name], families[name] = text, digest, family_of(decl.type)
    if options.stale:
        types = {name.rpartition("-")[0] for name in programs}
        left_over = {name for name in known if name not in programs and name.rpartition("-")[0] in types}
        changed = {name for name in programs if known.get(name, {}).get("hash") != hashes[name]}
        stale = {name.rpartition("-")[0] for name in changed | left_over}
        programs = {name: text for name, text in programs.items() if name.rpartition("-")[0] in stale}
    records: dict[str, dict[str, dict[str, Any]]] = {}
    for name, answer in ask_both(programs).items():
        records.setdefault(families[name], {})[name] = {"hash": hashes[name], **answer}
        case = case_called(name)
        if options.print:
            print(name, json.dumps(answer))
        elif "absent" in answer and case.differs is None:
            print(f"{name}: in no TensorFlow; its declaration says so with .own()")
        elif "absent" not in answer and (case.error is None) == ("error" in answer):
            print(
                f"{name}: TensorFlow "
                + (f"raises {answer['error']}: {answer['message']}" if "error" in answer else "works")
            )
    write(records, {decl.type for _, decl, _ in chosen(options) if decl.why_own is not None})
    print(f"{len(programs)} cases recorded in {', '.join(sorted(f'{family}.json' for family in records)) or 'no file'}")


if __name__ == "__main__":
    main()
