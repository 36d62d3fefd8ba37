"""What somebody reads whose program failed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import headrace as tf
from headrace.util import tracebacks

IN_A_STEP = """
import {tensorflow} as tf

def model(x):
    return tf.matmul(x, tf.ones([5, 3]))

x = tf.placeholder(tf.float32, [None, None])
y = model(x)
with tf.Session() as sess:
    sess.run(y, {{x: [[1.0, 2.0]]}})
"""
WHILE_BUILDING = IN_A_STEP.replace("[None, None]", "[None, 4]")
OF_A_CALLBACK = """
import {tensorflow} as tf

def broken(x):
    return 1 / 0

with tf.Session() as sess:
    sess.run(tf.py_func(broken, [1.0], tf.float32))
"""


def failed(tmp_path, program, tensorflow="headrace", runner=(), **environment):
    (tmp_path / "program.py").write_text(program.format(tensorflow=tensorflow))
    paths = {"PYTHONPATH": str(Path(tf.__file__).parent.parent)}
    command = [sys.executable, *runner, str(tmp_path / "program.py")]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **paths, **environment})
    assert done.returncode == 1
    return done.stderr


@pytest.mark.parametrize(("tensorflow", "runner"), [("headrace", ()), ("tensorflow", ("-m", "headrace"))])
@pytest.mark.parametrize(
    ("program", "error"),
    [
        (IN_A_STEP, "InvalidArgumentError: Matrix size-incompatible"),
        (WHILE_BUILDING, "ValueError: Dimensions must be equal, but are 4 and 5"),
    ],
)
def test_the_users_lines_are_shown_and_no_others(tmp_path, program, error, tensorflow, runner):
    shown = failed(tmp_path, program, tensorflow, runner)
    assert error in shown
    assert os.path.join("headrace", "") not in shown.replace("-m headrace", "")
    assert shown.count("Traceback (most recent call last)") == 1
    assert len(shown.splitlines()) <= 20
    assert "HEADRACE_TRACEBACK=full" in shown.splitlines()[-1]


def test_everything_is_shown_where_asked_for(tmp_path):
    shown = failed(tmp_path, IN_A_STEP, HEADRACE_TRACEBACK="full")
    assert "matmul.py" in shown
    assert "left out" not in shown
    assert shown.count("Traceback (most recent call last)") == 2


def test_the_line_of_a_callback_is_shown(tmp_path):
    shown = failed(tmp_path, OF_A_CALLBACK)
    assert "return 1 / 0" in shown
    assert "sess.run(tf.py_func" in shown


def test_errors_of_the_program_alone_stay_as_they_are(tmp_path):
    shown = failed(tmp_path, "import {tensorflow}\n{{}}['key']\n")
    assert shown.splitlines()[-1] == "KeyError: 'key'"


def test_a_hook_of_the_programs_own_is_kept(tmp_path):
    shown = failed(tmp_path, "import sys\nsys.excepthook = lambda *e: print('mine', file=sys.stderr)\n" + IN_A_STEP)
    assert shown == "mine\n"


def test_an_error_that_was_caught_keeps_what_it_has():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Dimensions") as caught:
        tf.matmul(tf.ones([1, 4]), tf.ones([5, 3]))
    frames = len(caught.traceback)
    left_out = tracebacks.shorten(caught.value)
    kept = 0
    traceback = caught.value.__traceback__
    while traceback is not None:
        kept, traceback = kept + 1, traceback.tb_next
    assert kept == 1
    assert kept + left_out == frames


def test_where_nothing_is_the_users_everything_stays():
    error = ValueError("made, never raised")
    assert tracebacks.shorten(error) == 0
    assert tracebacks.shorten(None) == 0
