"""Several server processes on the same ports, for machines of many cores."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Sequence

from headrace.util import tf_logging

# A worker that ends sooner than this is not going to live when it is started again.
_TOO_SOON = 5.0


def run_workers(count: int, arguments: Sequence[str], grace: float) -> int:
    """Runs processes of `headrace serve` until SIGTERM or SIGINT, and starts those again that end.

    Args:
        count: how many.
        arguments: those of the command.
        grace: how long they may take to end, in seconds.

    Returns:
        the exit code: 0, or that of a worker that ended as soon as it began.
    """
    ending = False

    def end(*_: object) -> None:
        nonlocal ending
        ending = True
        for worker, _began in workers:
            if worker.poll() is None:
                worker.send_signal(signal.SIGTERM)

    def start() -> tuple[subprocess.Popen[bytes], float]:
        command = [sys.executable, "-m", "headrace", "serve", *arguments, "--share_ports", "--workers=1"]
        return subprocess.Popen(command), time.monotonic()

    workers: list[tuple[subprocess.Popen[bytes], float]] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    workers.extend(start() for _ in range(count))
    code = 0
    while not ending:
        time.sleep(0.2)
        for index, (worker, began) in enumerate(workers):
            status = worker.poll()
            if status is None or ending:
                continue
            if time.monotonic() - began < _TOO_SOON:
                code = status or 1
                end()
                break
            tf_logging.error("A worker ended with status %d; another is started", status)
            workers[index] = start()
    for worker, _ in workers:
        try:
            worker.wait(grace + 5)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()
    return code
