"""Two workers that reduce over both: this process, and another one of the same implementation that steps along with it.

The shares of a reduction in a step are told by the two steps of a convolutional network: one worker, and two.
"""

import json
import os
import socket
import subprocess
import sys

BARS = {
    "all-reduce of 4 KB": None,
    "all-reduce of 100 MB": 0.5,
    "convnet step, one worker": None,
    "convnet step, two workers": None,
}

# The other worker: it takes the step that a line names. It ends when this process has ended.
_PARTNER = """
import importlib.util, os, sys
import numpy as np
import {module} as tf
spec = importlib.util.spec_from_file_location("collectives", {path!r})
workload = importlib.util.module_from_spec(spec)
spec.loader.exec_module(workload)
steps = workload.Worker(tf, np, sys.argv[1], 1).steps()
print("ready")
sys.stdout.flush()
for line in sys.stdin:
    steps[line.strip()]()
os._exit(0)
"""


def workload(tf, np):
    if tf.__name__.startswith("tensorflow") and tf.VERSION.startswith("2"):
        # Its strategies ask for another program.
        return {}
    pair = _Pair(tf, np)
    return {name: pair.step(name) for name in BARS}


class _Pair:
    """Both workers, started when a step is first taken."""

    def __init__(self, tf, np):
        self._tf, self._np, self._steps, self._partner = tf, np, None, None

    def _start(self):
        sockets = [socket.socket() for _ in range(2)]
        for each in sockets:
            each.bind(("localhost", 0))
        cluster = json.dumps({"worker": ["localhost:%d" % each.getsockname()[1] for each in sockets]})
        for each in sockets:
            each.close()
        text = _PARTNER.format(module=self._tf.__name__.partition(".")[0], path=os.path.abspath(__file__))
        self._partner = subprocess.Popen(
            [sys.executable, "-c", text, cluster],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(os.environ, HEADRACE_CLUSTER_BIND=""),
        )
        self._steps = Worker(self._tf, self._np, cluster, 0).steps()
        self._partner.stdout.readline()

    def step(self, name):
        def take():
            if self._steps is None:
                self._start()
            if name != "convnet step, one worker":
                self._partner.stdin.write((name + "\n").encode())
                self._partner.stdin.flush()
            return self._steps[name]()

        return take


class Worker:
    """One of the two workers."""

    def __init__(self, tf, np, cluster, index):
        self._tf, self._np, self._index = tf, np, index
        told = {"cluster": json.loads(cluster), "task": {"type": "worker", "index": index}}
        os.environ["TF_CONFIG"] = json.dumps(told)
        self._strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
        del os.environ["TF_CONFIG"]
        self._config = self._strategy.update_config_proto(tf.ConfigProto())
        self._server = tf.train.Server(told["cluster"], "worker", index, config=self._config)

    def steps(self):
        """Each step, which builds its graph when it is first taken."""
        return {
            "all-reduce of 4 KB": _Later(lambda: self._reduce(1000)),
            "all-reduce of 100 MB": _Later(lambda: self._reduce(25000000)),
            "convnet step, one worker": _Later(lambda: self._convnet(self._tf.distribute.OneDeviceStrategy("/cpu:0"))),
            "convnet step, two workers": _Later(lambda: self._convnet(self._strategy)),
        }

    def _session(self, graph, alone=False):
        tf = self._tf
        session = tf.Session("" if alone else self._server.target, graph=graph, config=None if alone else self._config)
        session.run(tf.global_variables_initializer())
        return session

    def _reduce(self, elements):
        tf = self._tf
        with tf.Graph().as_default() as graph, self._strategy.scope():
            with tf.device(self._strategy.extended.worker_devices[0]):
                value = tf.Variable(tf.ones([elements]), trainable=False)
                here = tf.identity(self._strategy.extended.read_var(value))
            total = self._strategy.reduce(tf.distribute.ReduceOp.SUM, here)
            with tf.device(self._strategy.extended.worker_devices[0]):
                corner = total[0]
            session = self._session(graph)
        return lambda: session.run(corner)

    def _convnet(self, strategy):
        tf, np = self._tf, self._np
        random = np.random.RandomState(self._index)
        images = random.rand(32, 28, 28, 1).astype(np.float32)
        labels = random.randint(10, size=32)
        with tf.Graph().as_default() as graph, strategy.scope():

            def step():
                x = tf.layers.conv2d(tf.constant(images), 32, 3, activation=tf.nn.relu)
                x = tf.layers.max_pooling2d(x, 2, 2)
                x = tf.layers.conv2d(x, 64, 3, activation=tf.nn.relu)
                x = tf.layers.flatten(tf.layers.max_pooling2d(x, 2, 2))
                x = tf.layers.dense(x, 128, activation=tf.nn.relu)
                logits = tf.layers.dense(x, 10)
                loss = tf.reduce_mean(
                    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.constant(labels), logits=logits)
                )
                return tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)

            train = strategy.group(strategy.experimental_run_v2(step))
            session = self._session(graph, strategy is not self._strategy)
        return lambda: session.run(train)


class _Later:
    """A step that is made when it is first asked for."""

    def __init__(self, make):
        self._make, self._step = make, None

    def __call__(self):
        if self._step is None:
            self._step = self._make()
        return self._step()
