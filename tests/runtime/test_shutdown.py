"""Processes that end while threads run steps, and those that are interrupted while they wait."""

import signal
import subprocess
import sys

THREADS_GO_ON = """
import sys, threading
import headrace as tf

x = tf.random_normal([20, 20])
product = tf.matmul(x, x)
queue = tf.train.input_producer(product, shuffle=False)
batch = tf.train.shuffle_batch([queue.dequeue()], 8, 100, 16, num_threads=2, shapes=[[20]])
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


def ready():
    print("ready", flush=True)
    return 1


dataset = tf.data.Dataset.from_generator(numbers, tf.int64, [])
first = dataset.batch(2).make_one_shot_iterator().get_next()
ahead = dataset.prefetch(2).batch(2).make_one_shot_iterator().get_next()
with tf.control_dependencies([tf.py_func(ready, [], tf.int64)]):
    queued = tf.FIFOQueue(3, tf.int64).dequeue()
with tf.Session() as sess:
    for value in (first, ahead):
        try:
            sess.run(value)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    sess.run(queued)
"""


def start(program):
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_threads_that_go_on_do_not_abort_the_end():
    process = start(THREADS_GO_ON)
    _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (7, "")


def test_an_interrupt_ends_a_wait():
    process = start(WAITS)
    for _ in ("a generator", "an element made ahead"):
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
    # For a queue, and nobody catches it.
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGINT
    assert errors.splitlines()[-1].startswith("KeyboardInterrupt")
