"""Writes a large checkpoint and restores it in another process; says how much memory each took at most.

    python bench/large_restore.py [--gigabytes 2] [--variables 8] [--folder FOLDER]

Not part of `make bench`: it needs twice the disk and somewhat more than once the memory of what is written.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np


def build(tf, variables: int, megabytes: int) -> list:
    return [
        tf.get_variable(f"v{i}", initializer=lambda i=i: tf.fill([megabytes, 1 << 18], float(i + 1)))
        for i in range(variables)
    ]


def peak() -> float:
    """The most memory this process has had, in gigabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)


def part(action: str, folder: str, variables: int, megabytes: int) -> None:
    import headrace as tf

    made = build(tf, variables, megabytes)
    saver = tf.train.Saver()
    path = os.path.join(folder, "model")
    with tf.Session() as session:
        small = tf.constant(0)
        session.run(small)
        before = peak()
        if action == "save":
            session.run(tf.global_variables_initializer())
            before = peak()
        start = time.perf_counter()
        if action == "save":
            saver.save(session, path, write_meta_graph=False)
        else:
            saver.restore(session, path)
        seconds = time.perf_counter() - start
        most = peak()
        if action == "restore":
            found = session.run([v[-1, -1] for v in made])
            assert np.array_equal(found, np.arange(1, variables + 1, dtype=np.float32)), found
    print(f"{action:8} {seconds:6.2f} s   peak {most:5.2f} GB   (before {before:5.2f} GB)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--variables", type=int, default=8)
    parser.add_argument("--folder", help="where to write; a temporary folder by default")
    parser.add_argument("--part", choices=("save", "restore"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    megabytes = round(options.gigabytes * 1024 / options.variables)
    if options.part:
        part(options.part, options.folder, options.variables, megabytes)
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        print(f"{options.variables} variables of {megabytes} MB each")
        for action in ("save", "restore"):
            command = [sys.executable, __file__, "--part", action, "--folder", folder]
            command += ["--gigabytes", str(options.gigabytes), "--variables", str(options.variables)]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
