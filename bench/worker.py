"""One implementation running one workload, a chunk at a time, as bench/run.py asks.

    python worker.py (headrace | tf1 | tf2 | tf2-as-2 | keras3) path/to/workload.py

Reads requests from standard input and writes answers to standard output, a line of JSON each:
    {"command": "warm", "step": s, "seconds": t}  ->  {"count": steps that fill t seconds, 0 if it has no such step}
    {"command": "chunk", "step": s, "count": n}   ->  {"wall": seconds a step, "cpu": the same, of all threads}
    {"command": "end"}                            ->  {"peak_rss_bytes": n}

This file runs on Python 3.7 too. Only what it needs is imported before the clock of the import starts.
"""

import argparse
import json
import os
import sys
import time


def import_tensorflow(implementation):
    """The module that plays `tf`: the 1.x API of each implementation, TensorFlow 2's own, or Keras 3 alone."""
    if implementation == "tf1":
        import tensorflow as tf
    elif implementation == "tf2":
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
    elif implementation == "tf2-as-2":
        import tensorflow as tf
    elif implementation == "keras3":
        os.environ["KERAS_BACKEND"] = "torch"
        import keras

        tf = argparse.Namespace(keras=keras)
    else:
        import headrace as tf
    return tf


def timed(function, *arguments):
    """Wall and CPU seconds that one call takes, and what it returned."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = function(*arguments)
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}, result


def chunk(step, count):
    """Seconds a step over `count` steps. A step is a callable, or (prepare, callable); preparing is not timed."""
    if isinstance(step, tuple):
        prepare, run = step
        total = {"wall": 0.0, "cpu": 0.0}
        for _ in range(count):
            took, _ = timed(run, prepare())
            total = {key: total[key] + took[key] for key in total}
    else:

        def steps():
            for _ in range(count):
                step()

        total, _ = timed(steps)
    return {key: value / count for key, value in total.items()}


def warm(step, seconds):
    """Run a step until its first costs are behind it; returns how many steps fill `seconds`."""
    chunk(step, 1)
    if isinstance(step, tuple):
        # What is prepared may be large (a graph): one a chunk, the chunks are many.
        return 1
    count = 1
    while True:
        took = chunk(step, count)["wall"] * count
        if took >= seconds / 2:
            return max(1, int(count * seconds / took))
        count = max(count + 1, min(count * 4, int(count * seconds / max(took, 1e-9))))


def peak_rss_bytes():
    """The most memory this process held; its own, where Linux tells, without what it inherited when it started."""
    try:
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def main():
    implementation, path = sys.argv[1:]
    # What libraries print must not end up between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(value):
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    took, tf = timed(import_tensorflow, implementation)
    import numpy as np

    scope = {"__name__": "workload", "__file__": path}
    with open(path) as source:
        exec(compile(source.read(), path, "exec"), scope)
    steps = scope["workload"](tf, np)
    answer({"import": took})
    for line in sys.stdin:
        request = json.loads(line)
        command = request["command"]
        if command == "warm" and request["step"] not in steps:
            answer({"count": 0})
        elif command == "warm":
            answer({"count": warm(steps[request["step"]], request["seconds"])})
        elif command == "chunk":
            answer(chunk(steps[request["step"]], request["count"]))
        else:
            answer({"peak_rss_bytes": peak_rss_bytes()})
            return


if __name__ == "__main__":
    main()
