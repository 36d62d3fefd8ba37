"""Batches made ahead of time, in threads and in processes: in order, and ended whatever happens."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import headrace as tf
from headrace.keras.utils.worker_pool import WorkerDied, WorkerPool

utils = tf.keras.utils


class Numbers(utils.Sequence):
    def __init__(self, count: int = 6, scale: int = 1) -> None:
        self.count, self.scale = count, scale

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> int:
        return index * self.scale

    def on_epoch_end(self) -> None:
        self.scale *= 10


class Failing(Numbers):
    def __getitem__(self, index: int) -> int:
        raise IndexError("no such batch")


class Killed(Numbers):
    def __getitem__(self, index: int) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class FailingAfterwards(Numbers):
    def on_epoch_end(self) -> None:
        raise ValueError("no more epochs")


class Unsendable(Numbers):
    def __getitem__(self, index: int) -> object:  # type: ignore[override]  # what cannot be sent
        return threading.Lock()


@pytest.fixture(params=[False, True], ids=["threads", "processes"])
def in_processes(request):
    yield request.param
    assert multiprocessing.active_children() == []


def started(kind, source, in_processes, workers=2, **arguments):
    enqueuer = kind(source, use_multiprocessing=in_processes, **arguments)
    enqueuer.start(workers, max_queue_size=3)
    return enqueuer


def test_order_and_epochs(in_processes):
    enqueuer = started(utils.OrderedEnqueuer, Numbers(), in_processes)
    batches = enqueuer.get()
    assert [next(batches) for _ in range(13)] == [0, 1, 2, 3, 4, 5, 0, 10, 20, 30, 40, 50, 0]
    enqueuer.stop()
    assert not enqueuer.is_running()
    assert not enqueuer.run_thread.is_alive()
    assert list(batches) == []


def test_shuffled(in_processes):
    enqueuer = started(utils.OrderedEnqueuer, Numbers(20), in_processes, shuffle=True)
    batches = enqueuer.get()
    assert sorted(next(batches) for _ in range(20)) == list(range(20))
    enqueuer.stop()


def test_errors_of_a_sequence(in_processes):
    enqueuer = started(utils.OrderedEnqueuer, Failing(), in_processes)
    with pytest.raises(IndexError, match="no such batch"):
        next(enqueuer.get())
    assert not enqueuer.is_running()


def test_errors_between_epochs(in_processes):
    enqueuer = started(utils.OrderedEnqueuer, FailingAfterwards(2), in_processes)
    batches = enqueuer.get()
    assert [next(batches), next(batches)] == [0, 1]
    with pytest.raises(ValueError, match="no more epochs"):
        next(batches)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_process_that_is_killed():
    enqueuer = started(utils.OrderedEnqueuer, Killed(), True)
    with pytest.raises(WorkerDied, match="exit code -9"):
        next(enqueuer.get())
    assert multiprocessing.active_children() == []


def test_what_cannot_be_sent():
    enqueuer = started(utils.OrderedEnqueuer, Unsendable(), True)
    with pytest.raises(TypeError, match="pickle"):
        next(enqueuer.get())


def test_a_generator_that_ends(in_processes):
    enqueuer = started(utils.GeneratorEnqueuer, iter([1, 2, None, 3]), in_processes, workers=1)
    assert list(enqueuer.get()) == [1, 2, 3]
    assert not enqueuer.is_running()


def test_a_generator_of_several_threads_has_to_allow_it():
    inside = threading.Barrier(2, timeout=5)

    def generator():
        while True:
            inside.wait()
            yield 1

    enqueuer = started(utils.GeneratorEnqueuer, generator(), False)
    with pytest.raises((RuntimeError, threading.BrokenBarrierError)):
        list(enqueuer.get())
    enqueuer.stop()


def test_seeds_of_processes():
    def generator():
        while True:
            yield np.random.randint(1 << 30)

    enqueuer = started(utils.GeneratorEnqueuer, generator(), True, workers=1, random_seed=3)
    np.random.seed(3)
    batches = enqueuer.get()
    assert [next(batches) for _ in range(3)] == [np.random.randint(1 << 30) for _ in range(3)]
    enqueuer.stop()


@pytest.mark.skipif(os.name == "nt", reason="processes are copies elsewhere")
def test_processes_end_with_a_program_that_is_killed():
    program = """if True:
        import os, signal
        import headrace as tf
        class Numbers(tf.keras.utils.Sequence):
            def __len__(self): return 5
            def __getitem__(self, i): return i
        enqueuer = tf.keras.utils.OrderedEnqueuer(Numbers(), use_multiprocessing=True)
        enqueuer.start(2, 3)
        next(enqueuer.get())
        print(os.getpid(), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    # The pipe of the output is at its end when the last process has ended that has it.
    ended = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, timeout=60, check=False)
    assert ended.returncode == -signal.SIGKILL


class Rows(utils.Sequence):
    """Batches to train on, with the process that made each in the log of a list."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        return np.full((3, 2), index, np.float32), np.full((3, 1), 2.0 * index, np.float32)


def small_model():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    return model


@pytest.mark.parametrize("in_processes", [False, True], ids=["threads", "processes"])
def test_an_interrupt_while_training_ends_the_workers(in_processes):
    class Interrupting(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if batch == 1:
                raise KeyboardInterrupt

    with tf.Graph().as_default(), tf.Session().as_default():
        model = small_model()
        with pytest.raises(KeyboardInterrupt):
            model.fit_generator(
                Rows(), epochs=3, workers=2, use_multiprocessing=in_processes, verbose=0, callbacks=[Interrupting()]
            )
        assert multiprocessing.active_children() == []
        # And training goes on afterwards.
        history = model.fit_generator(Rows(), epochs=2, workers=2, use_multiprocessing=in_processes, verbose=0).history
        assert len(history["loss"]) == 2
    assert multiprocessing.active_children() == []


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_the_keyboards_interrupt_reaches_the_program_only():
    """The terminal sends it to all processes of a program."""
    program = """if True:
        import multiprocessing, os, signal, threading, time
        import headrace as tf
        class Numbers(tf.keras.utils.Sequence):
            def __len__(self): return 1000
            def __getitem__(self, i): return i
        enqueuer = tf.keras.utils.OrderedEnqueuer(Numbers(), use_multiprocessing=True)
        enqueuer.start(2, 3)
        batches = enqueuer.get()
        assert next(batches) == 0
        try:
            os.killpg(os.getpgrp(), signal.SIGINT)
            while True:
                next(batches)
        except KeyboardInterrupt:
            enqueuer.stop()
        print(len(multiprocessing.active_children()), flush=True)
    """
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, timeout=120, check=False, start_new_session=True
    )
    assert ended.returncode == 0, ended.stderr.decode()
    assert ended.stdout == b"0\n"
    assert b"Traceback" not in ended.stderr


SPAWNING = """
import multiprocessing
import os
import numpy as np
import headrace as tf

class Rows(tf.keras.utils.Sequence):
    def __init__(self, parent):
        self.parent = parent
    def __len__(self):
        return 4
    def __getitem__(self, index):
        assert os.getpid() != self.parent
        return np.full((3, 2), index, np.float32), np.full((3, 1), 2.0 * index, np.float32)

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    history = model.fit_generator(Rows(os.getpid()), epochs=1, workers=1, use_multiprocessing=True, verbose=0)
    print(len(history.history["loss"]), len(multiprocessing.active_children()))
"""


def test_processes_are_started_as_the_program_says(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(SPAWNING)
    ended = subprocess.run([sys.executable, str(program)], capture_output=True, timeout=180, check=False)
    assert ended.returncode == 0, ended.stderr.decode()
    assert ended.stdout.decode().split() == ["1", "0"]


@pytest.mark.parametrize("kill", [False, True])
def test_all_processes_end_when_a_program_says_so(kill):
    pool = WorkerPool(2, str.upper, processes=True)
    assert pool.submit("word").result() == "WORD"
    children = [process._process for process in pool._processes]
    assert tf.keras.experimental.terminate_keras_multiprocessing_pools(use_sigkill=kill) == []
    assert not any(child.is_alive() for child in children)
    assert pool.submit("more").cancelled()
