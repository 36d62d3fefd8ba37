"""Steps over several processes: servers hold variables, and this process pulls them and pushes updates.

Servers and a worker are processes of the same implementation, started when they are first needed.
"""

import json
import os
import socket
import subprocess
import sys

BARS = {
    "remote run": 1.0,
    "pull 100 MB, 1 server": 0.7,
    "push 100 MB, 1 server": 0.7,
    "pull 100 MB, 2 servers": 0.7,
    "push 100 MB, 2 servers": 0.7,
    "asynchronous MNIST step": 0.8,
    "embedding of 1,000,000 x 64": 1.0,
}

# It ends when this process has ended, however that does, and not before: TensorFlow's worker waits at its end for servers
# that it has known, without a limit.
_TASK = """
import json, os, sys
import {module} as tf
server = tf.train.Server(json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
print("listening")
sys.stdout.flush()
sys.stdin.read()
os._exit(0)
"""


def workload(tf, np):
    cluster = _Cluster(tf)
    return {
        "remote run": _Later(lambda: remote_run(tf, cluster)),
        "pull 100 MB, 1 server": _Later(lambda: pull(tf, cluster, 1)),
        "push 100 MB, 1 server": _Later(lambda: push(tf, cluster, 1)),
        "pull 100 MB, 2 servers": _Later(lambda: pull(tf, cluster, 2)),
        "push 100 MB, 2 servers": _Later(lambda: push(tf, cluster, 2)),
        "asynchronous MNIST step": _Later(lambda: mnist(tf, np, cluster)),
        "embedding of 1,000,000 x 64": _Later(lambda: embedding(tf, np, cluster)),
    }


class _Later:
    """A step that is made when it is first asked for."""

    def __init__(self, make):
        self._make, self._step = make, None

    def __call__(self):
        if self._step is None:
            self._step = self._make()
        return self._step()


class _Cluster:
    """Two servers as processes, and this process as the worker."""

    def __init__(self, tf):
        self._tf, self._server = tf, None
        self._processes = []

    def target(self):
        if self._server is None:
            tf = self._tf
            sockets = [socket.socket() for _ in range(3)]
            for each in sockets:
                each.bind(("localhost", 0))
            ports = ["localhost:%d" % each.getsockname()[1] for each in sockets]
            for each in sockets:
                each.close()
            cluster = {"ps": ports[:2], "worker": ports[2:]}
            text = _TASK.format(module=tf.__name__.partition(".")[0])
            for i in range(2):
                command = [sys.executable, "-c", text, json.dumps(cluster), "ps", str(i)]
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=dict(os.environ, HEADRACE_CLUSTER_BIND=""),
                )
                self._processes.append(process)
            for process in self._processes:
                process.stdout.readline()
            self._server = tf.train.Server(cluster, "worker", 0)
        return self._server.target


def _session(tf, cluster, graph):
    session = tf.Session(cluster.target(), graph=graph)
    with graph.as_default():
        session.run(tf.global_variables_initializer())
    return session


def remote_run(tf, cluster):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [])
        with tf.device("/job:ps/task:0"):
            y = x + 1.0
    session = _session(tf, cluster, graph)
    return lambda: session.run(y, {x: 2.0})


def _variables(tf, servers):
    """Twenty variables of 5 MB, in turns on the servers."""
    found = []
    for i in range(20):
        with tf.device("/job:ps/task:%d" % (i % servers)):
            found.append(tf.get_variable("v%d_%d" % (servers, i), [1250, 1000], initializer=tf.zeros_initializer()))
    return found


def pull(tf, cluster, servers):
    graph = tf.Graph()
    with graph.as_default():
        variables = _variables(tf, servers)
        with tf.device("/job:worker/task:0"):
            corner = tf.add_n([tf.identity(v)[0, 0] for v in variables])
        session = _session(tf, cluster, graph)
    return lambda: session.run(corner)


def push(tf, cluster, servers):
    graph = tf.Graph()
    with graph.as_default():
        variables = _variables(tf, servers)
        with tf.device("/job:worker/task:0"):
            updates = [
                tf.get_variable("u%d" % i, v.shape, initializer=tf.ones_initializer()) for i, v in enumerate(variables)
            ]
        with tf.control_dependencies([tf.assign_sub(v, u.value()) for v, u in zip(variables, updates)]):
            done = tf.no_op()
        session = _session(tf, cluster, graph)
    return lambda: session.run(done)


def mnist(tf, np, cluster):
    random = np.random.RandomState(0)
    images = random.rand(100, 784).astype(np.float32)
    labels = random.randint(10, size=100)
    graph = tf.Graph()
    setter = tf.train.replica_device_setter(ps_tasks=1, worker_device="/job:worker/task:0")
    with graph.as_default(), tf.device(setter):
        x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.int64, [None])
        hidden = tf.layers.dense(x, 100, tf.nn.relu)
        logits = tf.layers.dense(hidden, 10)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        step = tf.train.get_or_create_global_step()
        train = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=step)
        session = _session(tf, cluster, graph)
    return lambda: session.run([train, loss, step], {x: images, y: labels})


def embedding(tf, np, cluster):
    rows = np.random.RandomState(0).randint(1000000, size=1024)
    graph = tf.Graph()
    setter = tf.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:0")
    with graph.as_default(), tf.device(setter):
        ids = tf.placeholder(tf.int64, [None])
        table = tf.get_variable(
            "table", [1000000, 64], initializer=tf.zeros_initializer(), partitioner=tf.fixed_size_partitioner(2)
        )
        loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, ids, partition_strategy="div") - 1.0))
        train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        session = _session(tf, cluster, graph)
    return lambda: session.run([train, loss], {ids: rows})
