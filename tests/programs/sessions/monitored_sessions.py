"""Monitored sessions: hooks and their order, checkpoints, summaries, ends of input, refusals; Supervisor."""

import glob
import os
import shutil
import tempfile

import numpy as np
import tensorflow as tf

results = {}
folder = tempfile.mkdtemp()
log = []


class Watcher(tf.train.SessionRunHook):
    def __init__(self, fetches):
        self.fetches = fetches

    def begin(self):
        log.append("begin")

    def after_create_session(self, session, coord):
        log.append("create " + type(coord).__name__)

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.fetches)

    def after_run(self, run_context, run_values):
        log.append(
            [run_values.results["loss"], run_values.results["step"][0], run_context.original_args.feed_dict is None]
        )

    def end(self, session):
        log.append(["end", session.run(tf.train.get_global_step())])


class Listener(tf.train.CheckpointSaverListener):
    def begin(self):
        log.append("listener begins")

    def before_save(self, session, global_step_value):
        log.append("before %d" % global_step_value)

    def after_save(self, session, global_step_value):
        log.append("after %d" % global_step_value)

    def end(self, session, global_step_value):
        log.append("listener ends at %d" % global_step_value)


def events(path):
    found = []
    for name in sorted(glob.glob(os.path.join(path, "*events*"))):
        for event in tf.train.summary_iterator(name):
            if event.WhichOneof("what") != "file_version":
                found.append([event.step, event.WhichOneof("what"), [v.tag for v in event.summary.value]])
    return found


def files(path):
    return sorted(name for name in os.listdir(path) if "events" not in name)


def model():
    x = tf.placeholder_with_default([1.0, 2.0], [2], name="x")
    w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean((w - x) ** 2, name="loss")
    tf.summary.scalar("loss_summary", loss)
    step = tf.train.get_or_create_global_step()
    return x, loss, step, tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)


with tf.Graph().as_default() as graph:
    x, loss, step, train = model()
    hooks = [
        Watcher({"loss": loss, "step": [step]}),
        tf.train.StopAtStepHook(last_step=5),
        tf.train.NanTensorHook(loss),
    ]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=2, save_summaries_steps=2, log_step_count_steps=2
    ) as sess:
        results["graph"] = [sess.graph is graph, graph.finalized]
        while not sess.should_stop():
            sess.run(train)
    results["after"] = [graph.finalized, sess.should_stop()]
    results["log"] = log[:]
    results["files"] = files(folder)
    results["events"] = events(folder)
    results["collections"] = [
        [key, [getattr(item, "name", type(item).__name__) for item in tf.get_collection(key)]]
        for key in ("init_op", "ready_op", "local_init_op", "ready_for_local_init_op", "summary_op", "savers")
    ]

del log[:]
with tf.Graph().as_default():
    x, loss, step, train = model()
    saver = tf.train.CheckpointSaverHook(folder, save_steps=3, scaffold=tf.train.Scaffold(), listeners=[Listener()])
    scaffold = saver._scaffold
    final = tf.train.FinalOpsHook([loss, step], {x: [0.0, 0.0]})
    feeding = tf.train.FeedFnHook(lambda: {x: [3.0, 4.0]})
    with tf.train.SingularMonitoredSession(
        hooks=[saver, final, feeding, tf.train.StopAtStepHook(num_steps=4)], scaffold=scaffold, checkpoint_dir=folder
    ) as sess:
        results["restored"] = [sess.run(step), type(sess.raw_session()).__name__]
        values = []
        while not sess.should_stop():
            values.append(sess.run([train, loss])[1])
        results["fed by a hook"] = values
    results["final"] = final.final_ops_values
    results["listener"] = log[:]

with tf.Graph().as_default():
    limited = tf.train.limit_epochs(tf.constant(7), num_epochs=3)
    seen = []
    with tf.train.MonitoredSession() as sess:
        while not sess.should_stop():
            seen.append(sess.run(limited))
    results["end of input"] = seen

with tf.Graph().as_default():
    x, loss, step, train = model()

    def step_fn(step_context):
        value = step_context.session.run(loss, {x: [9.0, 9.0]})
        if value < 70:
            step_context.request_stop()
        return [value, step_context.run_with_hooks([train, step], {x: [9.0, 9.0]})[1]]

    with tf.train.MonitoredTrainingSession(save_summaries_steps=None, save_checkpoint_secs=None) as sess:
        results["step function"] = [sess.run_step_fn(step_fn), sess.run_step_fn(lambda step_context: 5)]
        try:
            sess.run_step_fn(lambda other: 5)
        except ValueError as error:
            results["bad step function"] = str(error)
        while not sess.should_stop():
            results["last of step function"] = sess.run_step_fn(step_fn)


class Feeding(tf.train.SessionRunHook):
    def __init__(self, tensor, value):
        self.tensor, self.value = tensor, value

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(None, {self.tensor: self.value})


errors = []
with tf.Graph().as_default():
    x, loss, step, train = model()
    with tf.train.MonitoredSession(hooks=[Feeding(x, [1.0, 1.0])]) as sess:
        errors.append(sess.run(loss))
        for feeds in ({x: [2.0, 2.0]},):
            try:
                sess.run(loss, feeds)
            except RuntimeError as error:
                errors.append(str(error).split(" Conflict")[0])
    with tf.train.MonitoredSession(hooks=[Feeding(x, [1.0, 1.0]), Feeding(x, [1.0, 1.0])]) as sess:
        try:
            sess.run(loss)
        except RuntimeError as error:
            errors.append(str(error).split(" Conflict")[0])
    for fail in (True, False):
        nan = tf.train.NanTensorHook(loss, fail_on_nan_loss=fail)
        try:
            with tf.train.MonitoredSession(hooks=[nan]) as sess:
                errors.append([np.isnan(sess.run(loss, {x: [np.nan, 1.0]})), sess.should_stop()])
        except tf.train.NanLossDuringTrainingError as error:
            errors.append(str(error))
    try:
        with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(last_step=0)]) as sess:
            sess.run(loss)
            sess.run(loss)
    except RuntimeError as error:
        errors.append(str(error))
    try:
        with tf.train.MonitoredSession() as sess:
            sess.run(tf.constant(1))
    except RuntimeError as error:
        errors.append(str(error))
with tf.Graph().as_default():
    for make in (
        lambda: tf.train.StopAtStepHook(),
        lambda: tf.train.StopAtStepHook(1, 2),
        lambda: tf.train.LoggingTensorHook(["a"]),
        lambda: tf.train.LoggingTensorHook(["a"], every_n_iter=0),
        lambda: tf.train.LoggingTensorHook(["a"], every_n_iter=1, every_n_secs=1),
        lambda: tf.train.StepCounterHook(every_n_steps=1, every_n_secs=1),
        lambda: tf.train.SummarySaverHook(save_steps=1),
        lambda: tf.train.CheckpointSaverHook(folder),
        lambda: tf.train.CheckpointSaverHook(folder, save_steps=1, save_secs=1),
        lambda: tf.train.SecondOrStepTimer(),
        lambda: tf.train.Scaffold(copy_from_scaffold=1),
        lambda: tf.train.SessionManager(ready_for_local_init_op=1),
        lambda: tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(1)]),
        lambda: tf.train.MonitoredSession(hooks=[tf.train.StepCounterHook()]),
        lambda: tf.train.MonitoredSession(hooks=[tf.train.LoggingTensorHook([tf.Graph()], 1)]),
    ):
        try:
            make()
            errors.append("none")
        except (ValueError, RuntimeError, TypeError) as error:
            errors.append("%s: %s" % (type(error).__name__, str(error).split("<")[0]))
results["errors"] = errors

timer = tf.train.SecondOrStepTimer(every_steps=3)
answers = []
for number in (0, 1, 2, 3, 3, 7):
    if timer.should_trigger_for_step(number):
        answers.append([number, timer.update_last_triggered_step(number)[1], timer.last_triggered_step()])
results["timer"] = answers

other = tempfile.mkdtemp()
with tf.Graph().as_default():
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", [])
    ready = tf.get_variable("late", [], initializer=tf.ones_initializer())
    grow = tf.assign_add(step, 2)
    supervisor = tf.train.Supervisor(logdir=other, save_model_secs=0, save_summaries_secs=0)
    with supervisor.managed_session() as sess:
        results["supervisor"] = [sess.run(grow), sess.run(grow), sess.run(ready), supervisor.should_stop()]
        supervisor.saver.save(sess, supervisor.save_path, global_step=supervisor.global_step)
    results["supervisor after"] = [supervisor.should_stop(), files(other), os.path.basename(supervisor.save_path)]
    results["supervisor ops"] = [t.name for t in (supervisor.init_op, supervisor.ready_op, supervisor.global_step)] + [
        supervisor.is_chief,
        supervisor.summary_op is None,
        events(other),
    ]
with tf.Graph().as_default():
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", [])
    late = tf.get_variable("late", [])
    supervisor = tf.train.Supervisor(logdir=other, init_fn=lambda sess: None, save_model_secs=0)
    with supervisor.managed_session(start_standard_services=False) as sess:
        results["supervisor restored"] = sess.run(step)
    try:
        with supervisor.managed_session(start_standard_services=False) as sess:
            raise ValueError("from the body")
    except ValueError as error:
        results["supervisor raises"] = str(error)
with tf.Graph().as_default():
    w = tf.get_variable("w", [])
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    for make in (
        lambda: manager.prepare_session(""),
        lambda: manager.prepare_session("", init_op=tf.no_op()),
        lambda: manager.wait_for_session("", max_wait_secs=0),
    ):
        try:
            make()
        except (RuntimeError, tf.errors.DeadlineExceededError) as error:
            results.setdefault("manager", []).append("%s: %s" % (type(error).__name__, error))
    sess, restored = manager.recover_session("")
    results["recovered"] = restored
shutil.rmtree(folder)
shutil.rmtree(other)
