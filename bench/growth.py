"""Whether anything grows: memory, the graph and plans over many runs, sessions and graphs.

    python bench/growth.py [RUNS]

Prints, for each way of using sessions, the resident memory before and after, and what else could have grown. Linux only.
"""

from __future__ import annotations

import gc
import linecache
import sys
import time
from collections.abc import Callable

import numpy as np

import headrace as tf


def resident() -> float:
    """The resident memory of this process in MB."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))


def plans() -> int:
    """The plans whose source is still held."""
    return sum(name.startswith("<headrace plan") for name in linecache.cache)


def measure(name: str, warm_up: int, count: int, act: Callable[[int], object]) -> None:
    """Acts `warm_up` times, then `count` times, and prints what has grown in between."""
    for i in range(warm_up):
        act(i)
    gc.collect()
    before = resident(), plans(), len(gc.get_objects())
    began = time.perf_counter()
    for i in range(count):
        act(i)
    took = time.perf_counter() - began
    gc.collect()
    after = resident(), plans(), len(gc.get_objects())
    print(
        f"{name:<38} {count:>7} times, {took:6.1f} s: {before[0]:.1f} -> {after[0]:.1f} MB, plans {before[1]} -> {after[1]}, "
        f"objects {before[2]} -> {after[2]}"
    )


def model() -> tuple[tf.Tensor, list[tf.Tensor], tf.Operation]:
    """A placeholder, what to fetch in a step, and what initializes."""
    x = tf.placeholder(tf.float32, [None, 8])
    w = tf.Variable(np.ones((8, 4), np.float32))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    train = tf.train.GradientDescentOptimizer(1e-4).minimize(loss)
    return x, [train, loss], tf.global_variables_initializer()


def whole_life(_: int) -> None:
    """A graph with a loop, a Python function and an optimizer, its session, and their end."""
    with tf.Graph().as_default():
        x, step, init = model()
        total = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
        function = tf.py_func(lambda value: value, [total], tf.int32)
        with tf.Session() as sess:
            sess.run(init)
            sess.run([step, function], {x: np.ones((2, 8))})


def main(runs: int) -> None:
    """Measures runs with changing feeds, sessions, and graphs."""
    data = np.random.rand(64, 8).astype(np.float32)
    x, step, init = model()
    graph = tf.get_default_graph()
    graph.finalize()
    with tf.Session() as sess:
        sess.run(init)
        operations = len(graph.get_operations())
        measure("runs with changing feeds", 2000, runs, lambda i: sess.run(step, {x: data[: 1 + i % 60]}))
        nested = runs // 10
        measure("runs of nested fetches", 200, nested, lambda i: sess.run({"a": [step[1]], "b": (x,)}, {x: data[:3]}))
        print(f"operations {operations} -> {len(graph.get_operations())}")

    def session(_: int) -> None:
        with tf.Session(graph=graph) as sess:
            sess.run(init)
            sess.run(step, {x: data})

    measure("sessions of one graph", 50, max(runs // 200, 1), session)
    measure("graphs with sessions", 50, max(runs // 500, 1), whole_life)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
