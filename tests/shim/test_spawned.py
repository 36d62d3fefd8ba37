"""Processes that a program under the runner starts through `multiprocessing`."""

import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
    import multiprocessing
    import numpy as np
    import tensorflow as tf
    from beside import twice

    def work(value):
        with tf.Graph().as_default(), tf.Session() as sess:
            return float(sess.run(twice(tf.constant(float(value))))) + np.float(0)

    if __name__ == "__main__":
        with multiprocessing.get_context(METHOD).Pool(2) as pool:
            print pool.map(work, [1, 2, 3])
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_children_run_the_program_as_their_parent_does(tmp_path, method):
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM).replace("METHOD", repr(method)))
    (tmp_path / "beside.py").write_text("def twice(x):\n    unused = 'print' if False else `3`\n    return x * 2\n")
    command = [sys.executable, "-m", "headrace", str(tmp_path / "program.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.stdout, done.returncode) == ("[2.0, 4.0, 6.0]\n", 0), done.stderr


def test_a_program_may_be_given_as_text(tmp_path):
    text = "import sys, tensorflow as tf; print sys.argv, repr(sys.path[0]), __name__, tf.__version__; sys.exit(3)"
    for start in (["-c"], ["run", "-c"]):
        command = [sys.executable, "-m", "headrace", *start, text, "a", "--help"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (done.stdout, done.returncode) == ("['-c', 'a', '--help'] '' __main__ 1.15.5\n", 3), done.stderr
