"""Tasks killed at random moments: no checkpoint is lost, and no step is counted that the variables have not taken.

    PYTHONPATH=tests python -m cluster.kills 100

kills as often, a server or the chief, and says what became of it.
"""

from __future__ import annotations

import random
import sys
import tempfile
from typing import TYPE_CHECKING

import numpy as np
from cluster import task
from cluster.processes import TaskProcess

import headrace as tf
from headrace.cluster.launching import free_addresses

if TYPE_CHECKING:
    from collections.abc import Iterator


def kill_at_random(folder: str, times: int, seed: int) -> Iterator[tuple[str, int]]:
    """Trains on one server and kills it or the chief, again and again; yields which, and the step that was saved.

    Raises:
        AssertionError: if a checkpoint cannot be read, is older than the one before, or is of no step.
    """
    chance = random.Random(seed)
    one, other = free_addresses(2)
    cluster = {"ps": [one], "worker": [other]}

    def server() -> TaskProcess:
        started = TaskProcess(task.serve, cluster, "ps", 0, {})
        assert started.said() == "listening"
        return started

    def chief() -> TaskProcess:
        return TaskProcess(task.train, cluster, "worker", 0, {}, folder, 1_000_000)

    running = {"ps": server(), "chief": chief()}
    saved = 0
    try:
        for _ in range(times):
            for _ in range(chance.randrange(1, 25)):
                running["chief"].said()
            running["chief"].reports.poll(chance.random() * 0.003)
            which = chance.choice(sorted(running))
            running[which].close()
            step = saved_step(folder)
            assert step >= saved, f"step {step} is saved, where {saved} was"
            saved = step
            yield which, saved
            running[which] = server() if which == "ps" else chief()
    finally:
        for each in running.values():
            each.close()


def saved_step(folder: str, most: int = 0) -> int:
    """The step of the last checkpoint, whose variable has taken that many.

    Args:
        folder: of the checkpoints.
        most: how many steps it may have taken besides: those of workers that went before they could count them.
    """
    path = tf.train.latest_checkpoint(folder)
    if path is None:
        return 0
    reader = tf.train.NewCheckpointReader(path)
    step = int(reader.get_tensor("global_step"))
    values = reader.get_tensor("v")
    assert np.all((step <= values) & (values <= step + most)), f"{values} at step {step}"
    return step


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for number, (killed, at) in enumerate(kill_at_random(place, int(sys.argv[1]), 0), 1):
            print(f"{number:4}: {killed} killed, step {at} is saved", flush=True)
