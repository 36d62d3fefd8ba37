"""Kills a process that saves in a loop, again and again, and looks at what each one leaves.

    python tests/checkpoints/kill_saver.py FOLDER ROUNDS [SEED]

Prints the number of rounds after which `latest_checkpoint` led to a checkpoint that restores and matches its step. The
steps go to names of their own in some rounds, and over one and the same name in others.
"""

import os
import random
import signal
import sys
import time

import numpy as np

import headrace as tf


def loop(sess, saver, value, path, first, numbered):
    """Saves one step after the other until killed."""
    for step in range(first, first + 100000):
        sess.run(value.initializer, {value.initializer.inputs[1]: np.full([50, 40], step, np.float32)})
        saver.save(sess, path, global_step=step if numbered else None)


def main(folder, rounds, seed):
    random.seed(seed)
    value = tf.get_variable("value", [50, 40])
    saver = tf.train.Saver(max_to_keep=3)
    in_shards = tf.train.Saver(max_to_keep=3, sharded=True)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    saver.save(sess, os.path.join(folder, "warm"), write_state=False)
    in_shards.save(sess, os.path.join(folder, "warm"), write_state=False)
    seen, good = -1, 0
    for number in range(rounds):
        numbered = number % 2 == 0
        child = os.fork()
        if child == 0:
            path = os.path.join(folder, "model")
            loop(sess, in_shards if number % 4 >= 2 else saver, value, path, seen + 1, numbered)
        time.sleep(random.uniform(0.005, 0.06))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        latest = tf.train.latest_checkpoint(folder)
        if latest is None:
            assert seen == -1, "there was a checkpoint, and there is none"
            good += 1
            continue
        saver.restore(sess, latest)
        found = sess.run(value)
        assert (found == found[0, 0]).all(), "a mixture of steps"
        assert found[0, 0] >= seen, "an older step than before"
        if numbered and "-" in os.path.basename(latest):
            assert latest.endswith(f"-{int(found[0, 0])}"), "another step than the name says"
        assert os.path.getsize(latest + ".meta") > 100
        seen, good = int(found[0, 0]), good + 1
    # What the killed ones left is taken away by the next who saves; there are few, however many were killed.
    abandoned = [name for name in os.listdir(folder) if ".tempstate" in name]
    assert len(abandoned) <= 2, abandoned
    in_shards.save(sess, os.path.join(folder, "other"), write_state=False)
    left = [name for name in os.listdir(folder) if "_temp_" in name]
    in_shards.save(sess, os.path.join(folder, "model"), write_state=False)
    # Empty ones may be of a process that is about to write: they stay for a minute.
    assert not [name for name in os.listdir(folder) if "_temp_" in name and os.listdir(os.path.join(folder, name))]
    print(good)
    print(f"{len(left)} folders of shards were left, and taken away", file=sys.stderr)
    print(f"last step {seen}, {len(os.listdir(folder))} files", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
