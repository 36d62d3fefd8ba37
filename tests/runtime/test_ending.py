"""Processes that end while threads run steps, and those that are interrupted while they wait."""

import signal
import subprocess
import sys

import pytest

THREADS_GO_ON = """
import sys, threading
import headrace as tf

x = tf.random_normal([200, 200])
product = tf.matmul(x, x)
queue = tf.train.input_producer(product, shuffle=False)
batch = tf.train.shuffle_batch([queue.dequeue()], 8, 1000, 16, num_threads=2, shapes=[[200]])
dataset = tf.data.Dataset.range(10**6).map(lambda n: tf.py_func(lambda v: v, [n], tf.int64) + 1).prefetch(50)
value = dataset.make_one_shot_iterator().get_next()
sess = tf.Session()
sess.run(tf.global_variables_initializer())
tf.train.start_queue_runners(sess)


def work():
    while True:
        sess.run(product)


for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
sess.run([batch, value])
sys.exit(7)
"""

WAITS = """
import threading
import headrace as tf


def numbers():
    yield 1
    print("ready", flush=True)
    threading.Event().wait()


if {kind!r} == "queue":
    value = tf.FIFOQueue(3, tf.int64).dequeue()
else:
    dataset = tf.data.Dataset.from_generator(numbers, tf.int64, [])
    if {kind!r} == "prefetch":
        dataset = dataset.prefetch(2)
    value = dataset.batch(2).make_one_shot_iterator().get_next()
with tf.Session() as sess:
    if {kind!r} == "queue":
        print("ready", flush=True)
    sess.run(value)
"""


def start(program):
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_threads_that_go_on_do_not_abort_the_end():
    process = start(THREADS_GO_ON)
    _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (7, "")


@pytest.mark.parametrize("kind", ["queue", "generator", "prefetch"])
def test_an_interrupt_ends_a_wait(kind):
    process = start(WAITS.format(kind=kind))
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGINT
    assert errors.splitlines()[-1].startswith("KeyboardInterrupt")
