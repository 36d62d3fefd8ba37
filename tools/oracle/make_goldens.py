"""Record what TensorFlow 1.15.5 says about programs, for test runs without TensorFlow.

    python tools/oracle/make_goldens.py tests/programs/nn/pool.py tests/programs/data     (make goldens: all of them)

Each program fills a dict called `results`; it is written, with TensorFlow's version and the program's fingerprint, to
where its name lies below tests/golden instead of tests. A program is one file and imports no other of ours, so its
text is all that its results depend on. The oracle's Python is .oracle/tf1/bin/python (make oracle), or what HEADRACE_TF1 names.
"""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def oracle_python():
    """The Python that has TensorFlow 1.15.5, or None."""
    python = pathlib.Path(os.environ.get("HEADRACE_TF1", str(ROOT / ".oracle" / "tf1" / "bin" / "python")))
    return python if python.exists() else None


def ask_oracle(path, text=None):
    """What a golden file says of the program at `path`, or of `text`. Raises RuntimeError with its last words."""
    python = oracle_python()
    if python is None:
        raise RuntimeError("no TensorFlow 1.15.5 here: run make oracle, or set HEADRACE_TF1 to its Python")
    command = [str(python), str(HERE / "run_program.py"), "-" if text is not None else str(path)]
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PYTHONWARNINGS="ignore")
    done = subprocess.run(
        command,
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        env=environment,
    )
    if done.returncode != 0:
        raise RuntimeError("the oracle failed on %s:\n%s" % (path, done.stderr[-4000:]))
    return done.stdout


def golden_path(program):
    """Where the results of a program are kept."""
    below = pathlib.Path(program).resolve().relative_to(ROOT / "tests")
    return (ROOT / "tests" / "golden" / below).with_suffix(".json")


def programs_in(path):
    """The program at a path, or all of a folder."""
    found = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return [program for program in found if not program.name.startswith(("test_", "conftest"))]


def main(paths):
    if not paths:
        raise SystemExit(__doc__)
    for program in [program for path in paths for program in programs_in(pathlib.Path(path))]:
        target = golden_path(program)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(ask_oracle(program))
        print("%s -> %s" % (program, target.relative_to(ROOT)))


if __name__ == "__main__":
    main(sys.argv[1:])
