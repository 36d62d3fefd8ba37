"""Run one TensorFlow 1 program and print its `results` as a golden file: the oracle's side of tests/oracle.py.

.oracle/tf1/bin/python tools/oracle/run_program.py program.py    (- reads it from standard input)
"""

import os
import sys

import recorded


def main():
    path = sys.argv[1]
    # Only the results may reach standard output, whatever the program or a library prints.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if path == "-":
        text = sys.stdin.read()
    else:
        with open(path, encoding="utf-8") as source:
            text = source.read()
    scope = {"__name__": "__main__", "__file__": path}
    exec(compile(text, path, "exec"), scope)
    answer.write(recorded.golden_dumps(scope["results"], sys.modules["tensorflow"].__version__, text))
    answer.close()


if __name__ == "__main__":
    main()
