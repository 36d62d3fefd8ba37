"""Threads that feed queues, as training programs start, stop and join them, and what becomes of their exceptions."""

import re
import sys
import threading

import numpy as np
import tensorflow as tf

results = {}
ERRORS = (tf.errors.OpError, ArithmeticError, LookupError, RuntimeError, TypeError, ValueError)


def message(error):
    # The names of queues count all that the process has made.
    text = re.sub("'_[0-9]+_", "'", str(error).split("\n")[0].split(" [[")[0].split(" (op ")[0])
    return type(error).__name__ + ": " + text[:60]


def raised(error):
    try:
        raise error
    except ERRORS:
        return sys.exc_info()


def case(function):
    with tf.Graph().as_default():
        try:
            results[function.__name__] = function()
        except ERRORS as error:
            results[function.__name__] = "raised " + message(error)


@case
def classic():
    x = tf.train.input_producer(tf.range(5), num_epochs=2, shuffle=False).dequeue()
    b = tf.train.batch([x], 3)
    out = []
    with tf.Session() as s:
        s.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        c = tf.train.Coordinator()
        t = tf.train.start_queue_runners(s, c)
        try:
            while not c.should_stop():
                out.append(s.run(b).tolist())
        except tf.errors.OutOfRangeError as e:
            out.append(message(e)[:60])
        finally:
            c.request_stop()
        c.join(t)
    return out, sorted((i.name if hasattr(i, "name") else str(i)) for i in t)[:2], len(t)


@case
def stop_exc_info():
    c = tf.train.Coordinator()
    log = []
    try:
        raise KeyError("k")
    except KeyError:
        c.request_stop(sys.exc_info())
    try:
        c.join([])
    except ERRORS as e:
        log.append(message(e))
    c.clear_stop()
    c.request_stop(raised(RuntimeError("r")))
    c.request_stop(ValueError("second"))
    try:
        c.join([])
    except ERRORS as e:
        log.append(message(e))
    c = tf.train.Coordinator()
    c.request_stop(tf.errors.OutOfRangeError(None, None, "x"))
    c.join([])
    log.append("ok")
    c = tf.train.Coordinator(clean_stop_exception_types=(ValueError,))
    c.request_stop(raised(ValueError("x")))
    c.join([])
    log.append("ok2")
    c = tf.train.Coordinator(clean_stop_exception_types=(ValueError,))
    c.request_stop(raised(tf.errors.OutOfRangeError(None, None, "oor")))
    try:
        c.join([])
    except ERRORS as e:
        log.append(message(e))
    c = tf.train.Coordinator()
    c.join([])
    log.append(c.should_stop())
    log.append(c.joined)
    c = tf.train.Coordinator()
    log.append(c.wait_for_stop(0.05))
    c.request_stop()
    log.append(c.wait_for_stop(0.05))
    c.request_stop(ValueError("late"))
    log.append("no raise")
    try:
        c.join([])
    except ERRORS as e:
        log.append(message(e))
    return log


@case
def grace():
    c = tf.train.Coordinator()
    ev = threading.Event()
    log = []

    def stuck():
        ev.wait()

    ts = [threading.Thread(target=stuck, name="st0", daemon=True)]
    for t in ts:
        t.start()
    c.request_stop()
    try:
        c.join(ts, stop_grace_period_secs=0.3)
    except ERRORS as e:
        log.append(message(e))
    c2 = tf.train.Coordinator()
    c2.request_stop()
    try:
        c2.join(ts, stop_grace_period_secs=0.3, ignore_live_threads=True)
        log.append("ignored")
    except ERRORS as e:
        log.append(message(e))
    c3 = tf.train.Coordinator()
    c3.request_stop(raised(ValueError("v")))
    try:
        c3.join(ts, stop_grace_period_secs=0.3)
    except ERRORS as e:
        log.append(message(e))
    ev.set()
    return log


@case
def looper():
    c = tf.train.Coordinator()
    n = []

    def f(a, k=0):
        n.append(a + k)
        if len(n) >= 3:
            c.request_stop()

    t = tf.train.LooperThread.loop(c, 0.01, f, args=(1,), kwargs={"k": 2})
    c.join([t])

    class L(tf.train.LooperThread):
        def start_loop(self):
            n.append("start")

        def run_loop(self):
            n.append("run")
            self._coord.request_stop()

        def stop_loop(self):
            n.append("stop")

    c = tf.train.Coordinator()
    thread = L(c, None)
    thread.start()
    c.join()
    c = tf.train.Coordinator()
    log = []

    def bad():
        raise IndexError("loop")

    t = tf.train.LooperThread.loop(c, None, bad)
    try:
        c.join([t])
    except ERRORS as e:
        log.append(message(e))
    try:
        tf.train.LooperThread("x", 1)
    except ERRORS as e:
        log.append(message(e))
    return n, log, t.daemon


@case
def registered():
    c = tf.train.Coordinator()
    done = []
    t = threading.Thread(target=lambda: (c.wait_for_stop(), done.append(1)))
    t.start()
    c.register_thread(t)
    c.request_stop()
    c.join()
    return done


@case
def runner_exc():
    q = tf.FIFOQueue(10, tf.int64, [])
    bad = tf.py_func(lambda: 1 // 0, [], tf.int64)
    bad.set_shape([])
    qr = tf.train.QueueRunner(q, [q.enqueue(bad)] * 2)
    d = q.dequeue()
    log = []
    with tf.Session() as s:
        c = tf.train.Coordinator()
        ts = qr.create_threads(s, c, start=True)
        try:
            s.run(d)
        except tf.errors.OpError as e:
            log.append(message(e))
        try:
            c.join(ts)
        except ERRORS as e:
            log.append(message(e))
        log.append(len(qr.exceptions_raised))
    return log


@case
def runner_nocoord():
    q = tf.FIFOQueue(3, tf.int64, [])
    e = q.enqueue(tf.constant(1, tf.int64))
    qr = tf.train.QueueRunner(q, [e] * 2)
    d = q.dequeue()
    with tf.Session() as s:
        ts = qr.create_threads(s, start=True, daemon=True)
        r = [int(s.run(d)) for _ in range(10)]
        s.run(q.close(cancel_pending_enqueues=True))
        [t.join(5) for t in ts]
        return r, [t.is_alive() for t in ts], sorted(t.name for t in ts), len(qr.exceptions_raised)


@case
def two_sessions_runner():
    x = tf.train.batch([tf.train.range_input_producer(4, shuffle=False).dequeue()], 2)
    log = []
    s1, s2 = tf.Session(), tf.Session()
    for s in (s1, s2):
        s.run(tf.global_variables_initializer())
        c = tf.train.Coordinator()
        ts = tf.train.start_queue_runners(s, c)
        log.append(s.run(x).tolist())
        c.request_stop()
        c.join(ts)
        s.close()
    return log


@case
def no_runner_default_session():
    log = []
    try:
        tf.train.start_queue_runners()
    except ERRORS as e:
        log.append(message(e))
    with tf.Session():
        log.append(len(tf.train.start_queue_runners()))
    try:
        tf.train.start_queue_runners("nosess")
    except ERRORS as e:
        log.append(message(e))
    return log


@case
def monitored():
    x = tf.train.batch(
        [tf.train.range_input_producer(4, num_epochs=2, shuffle=False).dequeue()], 3, allow_smaller_final_batch=True
    )
    tf.train.get_or_create_global_step()
    out = []
    with tf.train.MonitoredTrainingSession() as s:
        while not s.should_stop():
            out.append(s.run(x).tolist())
    with tf.train.MonitoredTrainingSession() as s:
        while not s.should_stop():
            out.append(s.run(x).tolist())
    return out


@case
def monitored_fail():
    q = tf.train.range_input_producer(4, shuffle=False).dequeue()
    y = tf.py_func(lambda v: np.int32(10 // (2 - int(v))), [q], tf.int32)
    y.set_shape([])
    x = tf.train.batch([y], 1)
    tf.train.get_or_create_global_step()
    out = []
    try:
        with tf.train.MonitoredTrainingSession() as s:
            while not s.should_stop():
                out.append(s.run(x).tolist())
    except ERRORS as e:
        out.append(message(e)[:60])
    return out[-1]


@case
def supervisor():
    x = tf.train.batch([tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()], 2)
    tf.train.get_or_create_global_step()
    out = []
    sv = tf.train.Supervisor(logdir=None, summary_op=None)
    with sv.managed_session() as s:
        while not sv.should_stop():
            out.append(s.run(x).tolist())
    return out, sv.should_stop()


@case
def supervisor_exc():
    tf.train.get_or_create_global_step()
    sv = tf.train.Supervisor(logdir=None, summary_op=None)
    with sv.managed_session():
        sv.loop(0.01, lambda: 1 // 0)
        while not sv.should_stop():
            sv.coord.wait_for_stop(1)
    return "no raise"


@case
def managed_raise():
    tf.train.get_or_create_global_step()
    sv = tf.train.Supervisor(logdir=None, summary_op=None)
    with sv.managed_session():
        raise tf.errors.OutOfRangeError(None, None, "done")
    return "clean"


@case
def empty_producer():
    q = tf.train.string_input_producer(tf.constant([], tf.string))
    d = q.dequeue()
    with tf.Session() as s:
        c = tf.train.Coordinator()
        ts = tf.train.start_queue_runners(s, c)
        log = []
        try:
            s.run(d)
        except tf.errors.OpError as e:
            log.append(message(e))
        c.request_stop()
        try:
            c.join(ts)
        except ERRORS as e:
            log.append(message(e))
    return log


@case
def uninit_epochs():
    q = tf.train.range_input_producer(4, num_epochs=1)
    d = q.dequeue()
    log = []
    with tf.Session() as s:
        c = tf.train.Coordinator()
        ts = tf.train.start_queue_runners(s, c)
        try:
            s.run(d)
        except tf.errors.OpError as e:
            log.append(message(e)[:60])
        c.request_stop()
        try:
            c.join(ts)
        except ERRORS as e:
            log.append(message(e)[:60])
    return log


@case
def summaries():
    tf.train.string_input_producer(["a"])
    tf.train.range_input_producer(3, name="r")
    (a,) = tf.train.slice_input_producer([[1, 2]])
    tf.train.batch([a], 2)
    tf.train.shuffle_batch([a], 2, 10, 4)
    tf.train.batch_join([[a], [a]], 2)
    tf.train.shuffle_batch_join([[a], [a]], 2, 10, 4, name="sj")
    tf.train.batch([a], 2, dynamic_pad=True)
    tf.train.maybe_batch([a], True, 2)
    tf.train.maybe_shuffle_batch([a], 2, 10, 4, True)
    tf.contrib.training.bucket([a], a, 2, 3)
    tf.contrib.training.bucket_by_sequence_length(a, [a], 2, [3])
    tf.contrib.training.stratified_sample([a], a, [0.5, 0.5], 2, init_probs=[0.5, 0.5])
    tf.contrib.training.rejection_sample([a], lambda t: tf.constant(0.5), 2)
    return [t.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)], [
        q.name for q in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    ]
