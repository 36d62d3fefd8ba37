"""Sessions that lose their workers: when a new one is made, what hooks see of it, and which errors come out."""

import os
import tempfile

import numpy as np
import tensorflow as tf

results = {}
LOST = {"aborted": tf.errors.AbortedError, "unavailable": tf.errors.UnavailableError}
OTHERS = {"deadline": tf.errors.DeadlineExceededError, "failed": tf.errors.FailedPreconditionError}


class Faults(tf.train.SessionRunHook):
    """Notes all calls; raises errors at some of them, each once."""

    def __init__(self, events, plan):
        self.events, self.plan = events, dict(plan)

    def fail(self, name):
        self.events.append(name)
        key = name, sum(each == name for each in self.events)
        if key in self.plan:
            raise self.plan.pop(key)(None, None, "lost")

    def begin(self):
        self.fail("begin")

    def after_create_session(self, session, coord):
        self.fail("created at %d" % session.run(tf.train.get_global_step()))
        self.fail("created")

    def before_run(self, run_context):
        self.fail("before")

    def after_run(self, run_context, run_values):
        self.fail("after")

    def end(self, session):
        self.fail("end")


class Creator(tf.train.ChiefSessionCreator):
    def __init__(self, faults, **arguments):
        super(Creator, self).__init__(**arguments)
        self.faults = faults

    def create_session(self):
        self.faults.fail("create")
        return super(Creator, self).create_session()


def training(plan, every=2, last=5, step_fn=False, through=tf.train.MonitoredSession):
    events = []
    folder = tempfile.mkdtemp()
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
        train = tf.train.GradientDescentOptimizer(1.0).minimize(-v, global_step=step)
        faults = Faults(events, plan)
        saving = tf.train.CheckpointSaverHook(folder, save_steps=every)
        hooks = [faults, saving, tf.train.StopAtStepHook(last_step=last)]
        try:
            with through(Creator(faults, checkpoint_dir=folder), hooks=hooks) as sess:
                while not sess.should_stop():
                    if step_fn:
                        got = sess.run_step_fn(lambda step_context: step_context.run_with_hooks([train, step])[1])
                    else:
                        got = sess.run([train, step])[1]
                    events.append("step %d" % got)
        except tf.errors.OpError as error:
            events.append(type(error).__name__)
        saved = tf.train.latest_checkpoint(folder)
        events.append("saved %s" % (saved and os.path.basename(saved)))
        if saved:
            events.append("v %g" % tf.train.load_variable(saved, "v"))
    return events


cases = {
    "nothing": {},
    "while hooks begin": {("begin", 1): "aborted"},
    "while the session is made": {("create", 1): "unavailable"},
    "after it was made": {("created", 1): "aborted"},
    "before the first step": {("before", 1): "unavailable"},
    "after the first step": {("after", 1): "aborted"},
    "before a step": {("before", 4): "unavailable"},
    "after a step": {("after", 4): "aborted"},
    "after the last step": {("after", 5): "unavailable"},
    "at the end": {("end", 1): "aborted"},
    "again and again": {("before", 3): "aborted", ("create", 2): "unavailable", ("created", 3): "aborted"},
    "a time limit": {("before", 4): "deadline"},
    "a time limit while it is made": {("create", 1): "deadline"},
}
for name in sorted(cases):
    results[name] = training({where: {**LOST, **OTHERS}[kind] for where, kind in cases[name].items()})
results["in a step function"] = training({("after", 3): LOST["aborted"]}, step_fn=True)
results["before anything is saved"] = training({("after", 1): LOST["unavailable"]}, every=100)


def thread(error):
    """An error of a queue runner's thread, in its third run."""
    events, runs = [], []

    def produce():
        runs.append(1)
        if len(runs) == 3:
            raise error(None, None, "lost")
        return np.float32(1.0)

    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        queue = tf.FIFOQueue(1, tf.float32, [[]])
        once = tf.reshape(tf.py_func(produce, [], tf.float32), [])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(once)]))
        with tf.control_dependencies([queue.dequeue()]):
            train = tf.assign_add(step, 1)
        try:
            with tf.train.MonitoredSession(Creator(Faults(events, {})), [tf.train.StopAtStepHook(last_step=6)]) as sess:
                while not sess.should_stop():
                    events.append("step %d" % sess.run(train))
        except tf.errors.OpError as caught:
            events.append(type(caught).__name__)
    return events


for name in sorted(LOST) + ["failed"]:
    events = thread({**LOST, **OTHERS}[name])
    # How far the others were when the thread failed is not told.
    results["in a thread: " + name] = events.count("create"), events[-1]
