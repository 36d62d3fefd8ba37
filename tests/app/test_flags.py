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


BEFORE_1_5 = """
    flags = tf.flags
    flags.DEFINE_integer("steps", 3, "a whole number")
    flags.DEFINE_boolean("train", False, "a choice")
    FLAGS = flags.FLAGS
    print(FLAGS.__dict__["__parsed"])
    FLAGS._parse_flags()
    for name, value in sorted(FLAGS.__flags.items()):
        print(name.upper(), value)
    FLAGS.__flags["steps"] = 8
    FLAGS.__flags["found"] = "new"
    print(FLAGS.steps, FLAGS.found, len(FLAGS.__flags), FLAGS.__dict__["__parsed"], FLAGS.__flags)
"""


def test_programs_of_before_1_5_parse_flags_themselves_and_list_plain_values(tmp_path):
    printed, status = script(tmp_path, BEFORE_1_5, "--steps=5")
    last = "8 new 3 True {'steps': 8, 'train': False, 'found': 'new'}"
    assert (printed, status) == (["False", "STEPS 5", "TRAIN False", last], 0)


def test_flags_that_nobody_parsed_himself_are_listed_as_those_of_absl(tmp_path):
    text = """
        tf.flags.DEFINE_integer("steps", 3, "a whole number")
        print(tf.flags.FLAGS.__flags["steps"].value)
    """
    assert script(tmp_path, text) == (["3"], 0)


def test_help_lists_the_flags_of_the_program(tmp_path):
    printed, _ = script(tmp_path, PROGRAM, "--help")
    listed = "\n".join(printed)
    assert "program.py:" in listed
    assert "--name: a text" in listed
    assert "--[no]train: a choice" in listed


def test_a_flag_defined_twice_is_told_with_the_program_that_did(tmp_path):
    text = """
        tf.flags.DEFINE_integer("steps", 3, "a whole number")
        try:
            tf.flags.DEFINE_integer("steps", 4, "another")
        except tf.flags.DuplicateFlagError as error:
            print("program.py" in str(error), "headrace" in str(error))
    """
    assert script(tmp_path, text) == (["True False"], 0)
