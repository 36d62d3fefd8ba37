"""The runner against plain Python: the same script must leave the same output, traceback and exit code."""

import signal
import subprocess
import sys
import textwrap

import pytest

SAME = {
    "argv_and_names": """
        import sys
        print(sys.argv, __name__, __file__, __package__, __spec__, __cached__, sys.path[0])
        print(type(__builtins__).__name__, __annotations__, type(__loader__).__name__, __doc__)
    """,
    "main_is_registered": """
        import sys, pickle
        class Point: pass
        print(sys.modules["__main__"].Point is Point, type(pickle.loads(pickle.dumps(Point()))) is Point)
    """,
    "imports_beside": """
        import beside
        from package import inner
        print(beside.VALUE, inner.VALUE)
    """,
    "exit_none": "import sys; sys.exit()",
    "exit_code": "import sys; sys.exit(7)",
    "exit_text": "import sys; sys.exit('stopped')",
    "exit_hook": "import atexit; atexit.register(print, 'bye'); print('hello')",
    "exception": """
        def inner(x):
            return 1 / x

        def outer():
            inner(0)

        outer()
    """,
    "chained": """
        try:
            {}["key"]
        except KeyError as error:
            raise ValueError("no key") from error
    """,
    "in_module": "import failing",
    "syntax_error": "def f(:\n    pass\n",
    "syntax_error_in_module": "import broken",
    "missing_module": "import no_such_module_anywhere",
    "excepthook": """
        import sys
        sys.excepthook = lambda kind, error, traceback: print("hook", kind.__name__, error)
        raise RuntimeError("boom")
    """,
    "group": "raise ExceptionGroup('many', [ValueError(1), TypeError(2)])" if sys.version_info >= (3, 11) else "",
    "encoding": "# -*- coding: latin-1 -*-\nprint(ascii('\u00e9'))",
    "annotations_are_strings_only_if_asked": "def f(x: int): pass\nprint(f.__annotations__)",
    "thread": """
        import threading
        threading.Thread(target=lambda: print("from a thread")).start()
    """,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A program's folder, with modules beside the script."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "beside.py").write_text("VALUE = 1\n")
    (folder / "failing.py").write_text("def f():\n    raise OSError('from a module')\n\nf()\n")
    (folder / "broken.py").write_text("x = (1,\n")
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").write_text("")
    (folder / "package" / "inner.py").write_text("from . import other\nVALUE = other.VALUE + 1\n")
    (folder / "package" / "other.py").write_text("VALUE = 1\n")
    (folder / "package" / "__main__.py").write_text(
        "import sys\nprint(sys.argv, __name__, __file__, __package__, __spec__.name, sys.path[0])\n"
        "from . import other\nprint(other.VALUE)\nraise SystemExit(3)\n"
    )
    (folder / "application").mkdir()
    (folder / "application" / "part.py").write_text("VALUE = 5\n")
    (folder / "application" / "__main__.py").write_text(
        "import part, sys\nprint(part.VALUE, sys.argv, __file__, __name__, __package__, sys.path[0])\n"
    )
    return folder


def run_both(*arguments, cwd):
    """The outcome under plain Python and under Headrace; both run at once."""
    commands = [[sys.executable, *arguments], [sys.executable, "-m", "headrace", *arguments]]
    started = [
        subprocess.Popen(c, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for c in commands
    ]
    plain, ours = ((*p.communicate(), p.returncode) for p in started)
    return plain, ours


def run(*arguments, cwd):
    return subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, text=True)


@pytest.mark.parametrize("name", SAME)
def test_a_script_runs_as_under_python(name, folder):
    script = folder / f"{name}.py"
    text = textwrap.dedent(SAME[name])
    script.write_bytes(text.encode("latin-1" if "latin-1" in text else "utf-8"))
    plain, ours = run_both(script.name, "--flag", "value", cwd=folder)
    assert ours == plain


@pytest.mark.parametrize("target", [["-m", "package"], ["-m", "package.inner"], ["application"]])
def test_modules_and_folders_run_as_under_python(target, folder):
    plain, ours = run_both(*target, "argument", cwd=folder)
    assert ours == plain


@pytest.mark.parametrize(
    ("target", "code", "text"),
    [
        (["nothing.py"], 2, "can't open file"),
        (["run", "nothing"], 2, "can't open file"),
        (["-m", "no_such_module"], 1, "No module named no_such_module"),
        (["-m", "no_such_package.module"], 1, "No module named 'no_such_package'"),
    ],
)
def test_what_is_not_there_is_refused_as_python_refuses_it(target, code, text, folder):
    done = run("-m", "headrace", *target, cwd=folder)
    assert done.returncode == code
    assert text in done.stderr
    assert "Traceback" not in done.stderr


def test_an_interrupt_ends_with_130(folder):
    (folder / "interrupted.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nsignal.pause()\n")
    done = run("-m", "headrace", "interrupted.py", cwd=folder)
    assert done.returncode == 128 + signal.SIGINT
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")


def test_tensorflow_is_headrace(folder):
    (folder / "uses.py").write_text(
        "import tensorflow as tf, headrace\n"
        "import importlib.metadata\n"
        "import tensorflow.compat.v1 as v1\n"
        "from tensorflow.python.framework import ops\n"
        "print(tf.__version__, tf.VERSION, tf.nn is headrace.nn, v1.float32 is tf.float32, ops.Graph.__name__)\n"
        "print(importlib.metadata.version('tensorflow'), tf.__name__)\n"
    )
    done = run("-m", "headrace", "uses.py", cwd=folder)
    assert done.stdout.splitlines() == ["1.15.5 1.15.5 True True Graph", "1.15.5 tensorflow"], done.stderr


def test_a_missing_name_is_an_error_at_the_line_that_uses_it(folder):
    (folder / "lacks.py").write_text("import tensorflow as tf\n\ndef model():\n    return tf.flaot32\n\nmodel()\n")
    done = run("-m", "headrace", "lacks.py", cwd=folder)
    lines = done.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    said = (
        "AttributeError: module 'tensorflow' has no attribute 'flaot32'; close: float32 [lacks.py:4: return tf.flaot32]"
    )
    assert said in lines
    assert [line.split("line ")[1] for line in lines if line.startswith("  File")] == [
        "6, in <module>",
        "4, in model",
    ]
    (folder / "lacks_module.py").write_text("import tensorflow.contrib.no_such_part\n")
    done = run("-m", "headrace", "lacks_module.py", cwd=folder)
    assert "No module named 'tensorflow.contrib" in done.stderr
    assert "lacks_module.py" in done.stderr
