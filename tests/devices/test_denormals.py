"""Numbers too small to be normal are 0 within a step, and what they are is known outside of it."""

from __future__ import annotations

import subprocess
import sys

# In a process of its own, where nobody has asked NumPy for the limits of a type.
PROGRAM = """
import warnings
warnings.simplefilter("error")
import headrace as tf
import numpy as np

def limits(x):
    np.unique(x)
    return x[0] * np.float32(1e-30) == 0

with tf.Session() as session:
    asked = tf.py_func(limits, [tf.constant([1e-15, 1.0])], tf.bool)
    print(session.run(asked), session.run(tf.sets.size(tf.SparseTensor([[0, i] for i in range(400)], [1] * 400, [1, 400]))))
print(np.finfo(np.float32).smallest_subnormal > 0)
"""


def test_limits_of_types_are_found_outside_of_steps():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["True", "[1]", "True"], done.stderr
