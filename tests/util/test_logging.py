"""Lines of tf.logging: their form, and the place that they name."""

from __future__ import annotations

import logging
import subprocess
import sys

from headrace.util import tf_logging

PROGRAM = """
import headrace as tf

def main(_):
    tf.logging.set_verbosity(tf.logging.INFO)
    tf.logging.info("step %d", 3)
    x = tf.constant(1.8)
    hook = tf.train.LoggingTensorHook({"x": x}, every_n_iter=1)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        session.run(x)

tf.app.run(main)
"""


def test_lines_under_app_run():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    lines = done.stderr.splitlines()
    assert lines[0] == "INFO:tensorflow:step 3"
    assert lines[-1] == "INFO:tensorflow:x = 1.8"
    assert all(line.startswith("INFO:tensorflow:") for line in lines)


def test_the_place_is_that_of_the_call():
    records = []
    handler = logging.Handler()
    handler.emit = records.append
    logger = tf_logging.get_logger()
    logger.addHandler(handler)
    try:
        tf_logging.warning("first")
        tf_logging.log(tf_logging.ERROR, "second")
        tf_logging.log_if(tf_logging.ERROR, "third", True)
    finally:
        logger.removeHandler(handler)
    assert [record.filename for record in records[:2]] == ["test_logging.py"] * 2
    assert records[0].funcName == "test_the_place_is_that_of_the_call"
    assert [record.getMessage() for record in records] == ["first", "second", "third"]
