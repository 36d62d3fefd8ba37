"""Training that is interrupted leaves a whole checkpoint, from which the next training goes on."""

import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest

import headrace as tf

SAVED_EVERY = 3
LIMIT_SECONDS = 120

TRAINING = """
import signal
import sys

import numpy as np

import headrace as tf

if sys.argv[2] == "orderly":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))


class Tell(tf.train.SessionRunHook):
    def after_run(self, run_context, run_values):
        print("step", flush=True)


def model_fn(features, labels, mode):
    weights = tf.get_variable("weights", [1000], initializer=tf.zeros_initializer())
    step = tf.train.get_global_step()
    train_op = tf.group(weights.assign_add(features), tf.assign_add(step, 1))
    return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(features), train_op=train_op)


config = tf.estimator.RunConfig(save_checkpoints_steps=int(sys.argv[3]), keep_checkpoint_max=2)
estimator = tf.estimator.Estimator(model_fn, sys.argv[1], config)
estimator.train(lambda: (tf.ones([1000]), None), hooks=[Tell()], steps=int(sys.argv[4]))
"""


def _training(folder: pathlib.Path, way: str, steps: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", TRAINING, str(folder), way, str(SAVED_EVERY), str(steps)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _interrupt(process: subprocess.Popen[str], number: signal.Signals, after: int) -> int:
    """Sends the signal once so many steps were told; returns what the process ends with."""
    assert process.stdout is not None
    for _ in range(after):
        assert process.stdout.readline() == "step\n"
    process.send_signal(number)
    process.communicate(timeout=LIMIT_SECONDS)
    return process.returncode


def _checked_step(folder: pathlib.Path) -> int:
    """The step of the newest checkpoint, all of which can be read and is of that one step."""
    newest = tf.train.latest_checkpoint(str(folder))
    assert newest is not None
    reader = tf.train.load_checkpoint(newest)
    step = int(reader.get_tensor("global_step"))
    assert newest.endswith(f"model.ckpt-{step}")
    np.testing.assert_array_equal(reader.get_tensor("weights"), np.full(1000, step, np.float32))
    return step


@pytest.mark.parametrize(
    ("number", "way", "code"),
    [
        (signal.SIGINT, "plain", (-signal.SIGINT, 130, 1)),
        (signal.SIGTERM, "plain", (-signal.SIGTERM,)),
        (signal.SIGTERM, "orderly", (7,)),
        (signal.SIGKILL, "plain", (-signal.SIGKILL,)),
    ],
    ids=["ctrl-c", "sigterm", "sigterm-handled", "kill"],
)
def test_interrupted_training_goes_on_from_a_whole_checkpoint(number, way, code, tmp_path):
    reached = 0
    # Another number of steps each time: signals meet the process before, in and after a save.
    for after in (SAVED_EVERY + 1, 2 * SAVED_EVERY):
        assert _interrupt(_training(tmp_path, way, 10**9), number, after) in code
        step = _checked_step(tmp_path)
        assert step > reached
        reached = step
    last = _training(tmp_path, way, 4)
    _, errors = last.communicate(timeout=LIMIT_SECONDS)
    assert last.returncode == 0, errors
    assert _checked_step(tmp_path) == reached + 4
