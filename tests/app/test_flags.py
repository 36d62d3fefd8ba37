"""`tf.flags` and `tf.app.run`: flags of every kind from the command line, and what `main` gets and gives back."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import headrace as tf
from headrace.app.command_line_flags import FLAGS


def script(tmp_path, text, *arguments):
    """What a program in a process of its own prints, and its exit status."""
    path = tmp_path / "program.py"
    path.write_text("import headrace as tf\n" + textwrap.dedent(text))
    environment = {**os.environ, "PYTHONPATH": str(Path(tf.__file__).parent.parent)}
    command = [sys.executable, str(path), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return done.stdout.split("\n")[:-1], done.returncode


PROGRAM = """
    flags = tf.app.flags
    flags.DEFINE_string("name", "nobody", "a text")
    flags.DEFINE_integer("steps", 3, "a whole number")
    flags.DEFINE_float("rate", 0.5, "a number")
    flags.DEFINE_boolean("train", False, "a choice")
    flags.DEFINE_list("layers", ["1"], "several texts")
    flags.DEFINE_enum("mode", "slow", ["slow", "fast"], "one of these")
    FLAGS = flags.FLAGS

    def main(argv):
        print(FLAGS.name, FLAGS.steps, FLAGS.rate, FLAGS.train, FLAGS.layers, FLAGS.mode)
        print(argv[1:])
        return FLAGS.steps

    if __name__ == "__main__":
        tf.app.run()
"""


@pytest.mark.parametrize(
    ("arguments", "printed", "rest", "status"),
    [
        ([], "nobody 3 0.5 False ['1'] slow", "[]", 3),
        (["--name=x", "--steps", "0", "--rate=1e-2", "--train"], "x 0 0.01 True ['1'] slow", "[]", 0),
        (["--notrain", "--layers=a,b", "--mode=fast", "--steps=1"], "nobody 1 0.5 False ['a', 'b'] fast", "[]", 1),
        (["--steps=0", "file", "--unknown=1"], "nobody 0 0.5 False ['1'] slow", "['file', '--unknown=1']", 0),
    ],
)
def test_flags_come_from_the_command_line_and_main_gets_what_is_left(tmp_path, arguments, printed, rest, status):
    assert script(tmp_path, PROGRAM, *arguments) == ([printed, rest], status)


def test_a_value_of_another_kind_ends_the_program(tmp_path):
    printed, status = script(tmp_path, PROGRAM, "--steps=many")
    assert printed == []
    assert status != 0


def test_flags_are_attributes_that_can_be_set_and_deleted():
    tf.flags.DEFINE_integer("of_this_test", 4, "a number")
    try:
        FLAGS(["program"])
        assert FLAGS.of_this_test == 4
        FLAGS.of_this_test = 5
        assert tf.flags.FLAGS.of_this_test == 5
    finally:
        delattr(FLAGS, "of_this_test")
    with pytest.raises(AttributeError):
        _ = FLAGS.of_this_test
