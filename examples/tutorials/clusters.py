# %% [markdown]
# # Many processes
#
# Parameter servers hold the variables, workers compute the gradients: the way TensorFlow 1 trained on many machines. A
# program of that kind is a script that is started once for every task, with flags that say which. This page writes one, and
# starts a small cluster of it on this machine.

# %%
import os
import re
import subprocess
import sys
import tempfile

import matplotlib.pyplot as plt

folder = tempfile.mkdtemp()
script = os.path.join(folder, "train.py")

# %% [markdown]
# ## The program
#
# `replica_device_setter` puts variables on the servers and everything else on the task's own device.
# `MonitoredTrainingSession` lets the chief initialize and the others wait, writes checkpoints, and goes on after failures. The
# device filters say that a worker needs the servers and itself: without them its session waits for the other workers too,
# and for ever if one of them has ended already. A worker that comes before the chief has initialized asks again every thirty
# seconds, which is longer than this training: it waits for the chief's first checkpoint instead. And the chief waits in a
# queue that lies on the server, shared by its name, until all have arrived.

# %%
source = """
import time

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string("ps_hosts", "", "addresses of the parameter servers")
tf.app.flags.DEFINE_string("worker_hosts", "", "addresses of the workers")
tf.app.flags.DEFINE_string("job_name", "", "ps or worker")
tf.app.flags.DEFINE_integer("task_index", 0, "which of them this is")
tf.app.flags.DEFINE_string("checkpoints", None, "a folder")
FLAGS = tf.app.flags.FLAGS


def main(_):
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()

    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 20])
        y = tf.placeholder(tf.float32, [None])
        guess = tf.squeeze(tf.layers.dense(tf.layers.dense(x, 32, tf.nn.relu), 1), axis=1)
        loss = tf.losses.mean_squared_error(y, guess)
        step = tf.train.get_or_create_global_step()
        train = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=step)
    with tf.device("/job:ps/task:0"):
        arrived = tf.FIFOQueue(10, tf.int32, [[]], shared_name="arrived")
    arrive, all_arrived = arrived.enqueue(FLAGS.task_index), arrived.dequeue_many(cluster.num_tasks("worker"))

    state = np.random.RandomState(FLAGS.task_index)
    while FLAGS.task_index > 0 and not tf.train.latest_checkpoint(FLAGS.checkpoints):
        time.sleep(0.1)
    mine_and_servers = ["/job:ps", "/job:worker/task:%d" % FLAGS.task_index]
    with tf.train.MonitoredTrainingSession(
        server.target,
        FLAGS.task_index == 0,
        FLAGS.checkpoints,
        hooks=[tf.train.StopAtStepHook(last_step=300)],
        config=tf.ConfigProto(device_filters=mine_and_servers),
    ) as sess:
        sess.run(arrive)
        if FLAGS.task_index == 0:
            sess.run(all_arrived)
        mine = 0
        while not sess.should_stop():
            rows = state.normal(size=[64, 20])
            _, now, count = sess.run([train, loss, step], {x: rows, y: rows[:, 0] * 2 + np.abs(rows[:, 1])})
            mine += 1
            if mine % 25 == 0:
                print("step %d: loss %.4f" % (count, now), flush=True)
    print("made %d steps" % mine, flush=True)


tf.app.run()
"""
with open(script, "w") as file:
    file.write(source)

# %% [markdown]
# ## The cluster
#
# `headrace launch` starts a process for each task, with free ports and a token of its own, gives the flags that the script
# defines, and ends the servers with the last worker. The workers train at the same time on the same variables; `global_step`
# counts the steps of both.

# %%
command = [sys.executable, "-m", "headrace", "launch", "--ps", "1", "--workers", "2", script]
command += ["--checkpoints", os.path.join(folder, "run")]
done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240)
lines = [line for line in done.stdout.splitlines() if "step" in line]
print("\n".join(lines[:3] + ["..."] + lines[-4:]))
print("exit code", done.returncode)

# %%
for task in sorted({line.split("]")[0] for line in lines}):
    found = [re.search(r"step (\d+): loss ([\d.]+)", line) for line in lines if line.startswith(task)]
    plt.plot(*zip(*[(int(match[1]), float(match[2])) for match in found if match]), "o-", label=task.strip("["))
plt.xlabel("global step")
plt.ylabel("loss")
plt.legend()
plt.show()

# %% [markdown]
# ## On one machine again
#
# The checkpoint of a cluster is one like any other:

# %%
import headrace as tf  # noqa: E402

checkpoint = tf.train.latest_checkpoint(os.path.join(folder, "run"))
for name, shape in tf.train.list_variables(checkpoint):
    print(name, shape)
print("global step:", tf.train.load_variable(checkpoint, "global_step"))

# %% [markdown]
# On several machines each starts its own task by hand, by Slurm or by Kubernetes: [clusters](../clusters.md) has the recipes,
# what happens when a task fails, and how to ask for a token and TLS.
