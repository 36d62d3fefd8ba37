"""Tasks of clusters as processes of their own: functions for `multiprocessing`, which starts them from one that has imported
everything."""

from __future__ import annotations

import os
from multiprocessing.connection import Connection

import torch

import headrace as tf


def serve(cluster: dict[str, list[str]], job: str, index: int, variables: dict[str, str], report: Connection) -> None:
    """A server that stands still; says "listening" when it answers."""
    os.environ.update(variables)
    torch.set_num_threads(1)
    server = tf.train.Server(cluster, job, index)
    report.send("listening")
    server.join()


def counting_model(cluster: dict[str, list[str]]) -> tuple[tf.Tensor, tf.Variable, tf.Operation]:
    """The global step, a variable that each step raises by one, and the step."""
    with tf.device(tf.train.replica_device_setter(cluster=tf.train.ClusterSpec(cluster))):
        step = tf.train.get_or_create_global_step()
        v = tf.get_variable("v", [3], initializer=tf.zeros_initializer())
        return step, v, tf.train.GradientDescentOptimizer(1.0).minimize(-tf.reduce_sum(v), global_step=step)


def session(target: str, folder: str, last: int, **options: object) -> tf.train.MonitoredSession:
    """A session that trains up to a step and saves every fifth."""
    return tf.train.MonitoredTrainingSession(
        target,
        checkpoint_dir=folder,
        save_checkpoint_steps=5,
        save_checkpoint_secs=None,
        save_summaries_steps=None,
        save_summaries_secs=None,
        log_step_count_steps=None,
        hooks=[tf.train.StopAtStepHook(last_step=last)],
        **options,
    )


def train(
    cluster: dict[str, list[str]],
    job: str,
    index: int,
    variables: dict[str, str],
    report: Connection,
    folder: str,
    last: int,
) -> None:
    """A worker; the first one is the chief. Says how many steps there were before each of its runs, "done" at the end."""
    os.environ.update(variables)
    torch.set_num_threads(1)
    worker = tf.train.Server(cluster, job, index)
    step, _, run = counting_model(cluster)
    config = tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{index}"])
    with session(worker.target, folder, last, is_chief=index == 0, config=config) as sess:
        while not sess.should_stop():
            report.send(int(sess.run([run, step])[1]))
    report.send("done")


def session_in_step(
    cluster: dict[str, list[str]], index: int, target: str, last: int
) -> tuple[tf.train.MonitoredSession, tf.Operation, tf.Variable]:
    """A session of two workers that make each step together; the step, and the variable that it raises by one."""
    with tf.device(tf.train.replica_device_setter(cluster=tf.train.ClusterSpec(cluster))):
        step = tf.train.get_or_create_global_step()
        v = tf.get_variable("v", [3], initializer=tf.zeros_initializer())
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 2, 2)
        run = optimizer.minimize(-tf.reduce_sum(v), global_step=step)
    hooks = [optimizer.make_session_run_hook(index == 0, num_tokens=0), tf.train.StopAtStepHook(last_step=last)]
    config = tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{index}"])
    sess = tf.train.MonitoredTrainingSession(
        target, is_chief=index == 0, hooks=hooks, config=config, stop_grace_period_secs=1, log_step_count_steps=None
    )
    return sess, run, v


def train_in_step(
    cluster: dict[str, list[str]], job: str, index: int, variables: dict[str, str], report: Connection, last: int
) -> None:
    """A worker whose steps are made together with the chief's; says "step" after each of its own, "done" at the end."""
    os.environ.update(variables)
    torch.set_num_threads(1)
    worker = tf.train.Server(cluster, job, index)
    sess, run, _ = session_in_step(cluster, index, worker.target, last)
    with sess:
        while not sess.should_stop():
            sess.run(run)
            report.send("step")
    report.send("done")
