"""The commands of `headrace`."""

import os
import subprocess
import sys
import textwrap

import pytest
from click.testing import CliRunner

from headrace.cli.commands import headrace as command
from headrace.core.version import VERSION


def invoke(*arguments):
    return CliRunner().invoke(command, [str(a) for a in arguments])


def run(*arguments, cwd):
    return subprocess.run([sys.executable, *map(str, arguments)], cwd=cwd, capture_output=True, text=True)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["run"],
        ["check"],
        ["explain"],
        ["op"],
        ["shim"],
        ["shim", "install"],
        ["shim", "remove"],
        ["shim", "status"],
        ["version"],
        ["doctor"],
    ],
)
def test_every_command_has_help(arguments):
    done = invoke(*arguments, "--help")
    assert done.exit_code == 0
    assert done.output.startswith("Usage:")


def test_the_doctor_says_what_the_process_computes_with():
    lines = dict(line.split(maxsplit=1) for line in invoke("doctor").output.splitlines())
    assert set(lines) == {"headrace", "python", "torch", "numpy", "threads", "gpus", "native"}
    assert lines["native"].startswith(("on, ", "off, "))


def test_version_names_both_versions():
    assert f"(TensorFlow {VERSION})" in invoke("version").output


@pytest.fixture
def program(tmp_path):
    """Writes a program and returns its path."""

    def write(text, name="train.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    return write


def test_run_gives_the_program_its_own_options(program):
    path = program("import sys; print(sys.argv[1:])")
    for start in (["run"], []):
        done = run("-m", "headrace", *start, path, "--help", "-m", "x", cwd=path.parent)
        assert done.stdout.strip() == "['--help', '-m', 'x']", done.stderr


def test_a_command_s_name_is_a_command_even_beside_a_file_of_that_name(program):
    path = program("print('script')", "version")
    assert run("-m", "headrace", "version", cwd=path.parent).stdout.startswith("headrace ")
    assert run("-m", "headrace", "run", "version", cwd=path.parent).stdout == "script\n"


def test_starting_a_program_imports_nothing_of_the_command_line(program):
    path = program("import sys; print(sorted({'click', 'torch', 'numpy', 'fissix'} & set(sys.modules)))")
    assert run("-m", "headrace", path, cwd=path.parent).stdout == "[]\n"


def check(path, *more):
    done = invoke("check", "-q", path, *more)
    return done.exit_code, [line.removeprefix(f"{path}:") for line in done.output.splitlines()]


def test_check_finds_nothing_in_what_is_there(program):
    path = program(
        """
        import tensorflow as tf
        import numpy as np
        from tensorflow.python.framework import dtypes
        x = tf.float32
        try:
            tf.errors.InvalidArgumentError
            tf.no_such_thing_but_guarded
        except AttributeError:
            pass
        try:
            from tensorflow.contrib import no_such_part
        except ImportError:
            no_such_part = None
        if hasattr(tf, "no_such_either"):
            tf.no_such_either()
        np.no_such_function, dtypes.float32, getattr(tf, "no_such_name", None)
        def f(x):
            return x.tf.no_such_attribute
        """
    )
    assert check(path) == (0, [])


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("import tensorflow as tf\n\ntf.no_such_op(1)", ["3: tf.no_such_op"]),
        ("import tensorflow\ntensorflow.no_such_op(1)", ["2: tf.no_such_op"]),
        ("import tensorflow as tf\ntf.nn.no_such_op.deeper(1)", ["2: tf.nn.no_such_op"]),
        ("from tensorflow.nn import no_such_op as f\nf(1)", ["1: tf.nn.no_such_op"]),
        ("from tensorflow import nn\nnn.no_such_op", ["2: tf.nn.no_such_op"]),
        ("import tensorflow.compat.v1 as tf\ntf.no_such_op", ["2: tf.compat.v1.no_such_op"]),
        ("import headrace as tf\ntf.no_such_op", ["2: tf.no_such_op"]),
        ("import tensorflow as tf\nerr = tf.errors\nerr.NoSuchError", ["3: tf.errors.NoSuchError"]),
        ("import tensorflow as tf\ndef f(): err.NoSuchError\nerr = tf.errors", ["2: tf.errors.NoSuchError"]),
        ("import tensorflow as tf\ntf.DType.no_such_method", ["2: tf.DType.no_such_method"]),
        ("import tensorflow as tf\ntf.float32.attribute_of_a_value", []),
        ("import tensorflow as tf\ngetattr(tf, 'no_such_op')", ["2: tf.no_such_op"]),
        ("import tensorflow as tf\nprint tf.no_such_op\nprint tf.float32", ["2: tf.no_such_op"]),
        (
            "import tensorflow as tf\ntf.no_such_op + tf.no_such_op\ntf.no_such_op",
            ["2: tf.no_such_op", "3: tf.no_such_op"],
        ),
    ],
)
def test_check_lists_each_missing_name_with_its_line(program, text, missing):
    path = program(text)
    code, lines = check(path)
    assert [line.split("  ")[0] for line in lines if not line.startswith("headrace: ")] == missing
    assert code == bool(missing)


def test_check_names_missing_modules_and_close_spellings(program):
    path = program("import tensorflow as tf\nimport tensorflow.no_such_module\ntf.flaot32\n")
    code, lines = check(path)
    assert code == 1
    assert lines[0].startswith("2: tf.no_such_module")
    assert lines[1] == "3: tf.flaot32  (close: float32)"


def test_check_reads_folders_and_says_what_it_cannot_read(program):
    program("import tensorflow as tf\ntf.no_such_op", "code/a.py")
    program("x = (", "code/deep/b.py")
    program("import tensorflow as tf\ntf.no_such_op", "code/.venv/c.py")
    folder = program("x = 1", "code/d.py").parent
    done = invoke("check", folder)
    assert done.exit_code == 1
    assert f"{folder}/a.py:2: tf.no_such_op" in done.output
    assert f"{folder}/deep/b.py: cannot be read" in done.output
    assert ".venv" not in done.output
    assert "1 missing of 1 uses of tf.* names in 3 files" in done.output


def test_check_runs_nothing(program, tmp_path):
    check(program(f"open({str(tmp_path / 'made')!r}, 'w')"))
    assert not (tmp_path / "made").exists()


ENDLESS_PLANS = """
    from types import SimpleNamespace
    from headrace.runtime import session
    print("output")
    for number in (1, 2):
        for listener in session.plan_listeners:
            listener(SimpleNamespace(summary=f"fetches {number}", source=f"def step_{number}():\\n    return\\n"))
    raise SystemExit(3)
"""


def test_explain_prints_the_plans_after_the_program(program):
    path = program(ENDLESS_PLANS)
    done = run("-m", "headrace", "explain", path, cwd=path.parent)
    assert done.returncode == 3, done.stderr
    assert done.stdout.splitlines() == [
        "output",
        "# plan 1 of 2: fetches 1",
        "def step_1():",
        "    return",
        "",
        "# plan 2 of 2: fetches 2",
        "def step_2():",
        "    return",
        "",
    ]
    done = run("-m", "headrace", "explain", "--last", path, cwd=path.parent)
    assert done.stdout.splitlines()[:3] == ["output", "# plan: fetches 2", "def step_2():"]


def test_the_package_is_installed_works_and_is_removed(tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    assert "no tensorflow" in invoke("shim", "status", "--python", site).output
    for _ in range(2):
        done = invoke("shim", "install", "--python", site)
        assert done.exit_code == 0, done.output
    assert f"Headrace as tensorflow {VERSION}" in invoke("shim", "status", "--python", site).output
    program = (
        "import tensorflow.nn, tensorflow as tf, headrace, importlib.metadata as m\n"
        "from tensorflow.python.framework import ops\n"
        "assert tensorflow.nn is tf.nn is headrace.nn and tensorflow is tf\n"
        "print(tf.__version__, m.version('tensorflow'), [f.name for f in m.files('tensorflow')])"
    )
    environment = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{os.environ['PYTHONPATH']}"}
    command_line = [sys.executable, "-c", program]
    done = subprocess.run(command_line, env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.startswith(f"{VERSION} {VERSION} ['"), done.stderr
    assert "'py.typed', '__init__.py', " in done.stdout
    assert invoke("shim", "remove", "--python", site).exit_code == 0
    assert list(site.iterdir()) == []
    assert "There is none" in invoke("shim", "remove", "--python", site).output


@pytest.mark.parametrize(
    "files",
    [
        {"tensorflow/__init__.py": "__version__ = '2.21.0'"},
        {"tensorflow-2.21.0.dist-info/INSTALLER": "pip\n"},
        {"tensorflow/python/x.py": ""},
    ],
)
def test_another_tensorflow_is_left_as_it_is(tmp_path, files):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    done = invoke("shim", "install", "--python", tmp_path)
    assert done.exit_code == 1
    assert "another tensorflow" in done.output
    assert invoke("shim", "remove", "--python", tmp_path).exit_code == 1
    found = {str(p.relative_to(tmp_path)): p.read_text() for p in tmp_path.rglob("*") if p.is_file()}
    assert found == files


def test_what_others_put_beside_the_package_stays(tmp_path):
    invoke("shim", "install", "--python", tmp_path)
    (tmp_path / "tensorflow" / "mine.py").write_text("")
    assert invoke("shim", "remove", "--python", tmp_path).exit_code == 0
    assert [p.name for p in (tmp_path / "tensorflow").iterdir()] == ["mine.py"]


def test_a_python_that_is_none_is_refused(tmp_path):
    done = invoke("shim", "status", "--python", tmp_path / "nothing")
    assert done.exit_code == 1
    assert "neither a Python nor a folder" in done.output


@pytest.mark.parametrize(
    ("op_type", "said"),
    [
        ("ApplyAdam", ["var: ref T", "headrace/ops/train/", "writes var, m, v", "tf.train.AdamOptimizer"]),
        ("MatMul", ["transpose_a=False", "matmul_gradient", "MatMul([2, 3], [3, 4])", "tf.matmul"]),
        ("SegmentSum", ["segment_ids: Tindices", "tf.segment_sum"]),
        ("Shape", ["none: a gradient ends here", "tf.shape"]),
        ("_Feed", ["graphs from elsewhere cannot have it", "nothing: the planner makes it"]),
    ],
)
def test_the_card_of_an_op(op_type, said):
    done = invoke("op", op_type)
    assert done.exit_code == 0
    assert done.output.splitlines()[0] == op_type
    assert [text for text in said if text not in done.output] == []


def test_the_card_of_an_op_that_is_not_there():
    done = invoke("op", "MatMull")
    assert done.exit_code == 1
    assert "close: MatMul" in done.output
