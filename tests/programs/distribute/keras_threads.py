"""Workers of a Keras model as threads of one process, each with a TF_CONFIG of its own; they train in the scope."""

import collections
import json
import os
import socket
import threading

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
INPUTS = np.array([[0.0], [1.0], [2.0], [0.5]] * 4, np.float32)
OUTPUTS = 1.5 * INPUTS + 0.5


class Environment(collections.abc.MutableMapping):
    """Variables, of which each thread has those of its own besides."""

    def __init__(self, variables):
        self.shared, self.threads = dict(variables), threading.local()

    def __getitem__(self, name):
        own = self.threads.__dict__
        return own[name] if name in own else self.shared[name]

    def __setitem__(self, name, value):
        self.threads.__dict__[name] = value

    def __delitem__(self, name):
        del self.threads.__dict__[name]

    def __iter__(self):
        return iter(self.copy())

    def __len__(self):
        return len(self.copy())

    def copy(self):
        return dict(self.shared, **self.threads.__dict__)


def addresses(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("localhost", 0))
    found = ["localhost:%d" % each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return found


def trained(batch, steps):
    data = tf.data.Dataset.from_tensor_slices((INPUTS, OUTPUTS)).batch(batch).repeat()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(1,))])
    model.compile(tf.keras.optimizers.SGD(0.1, momentum=0.5), "mse", metrics=["mae"])
    history = model.fit(data, epochs=2, verbose=0, steps_per_epoch=steps).history
    return {
        "history": [history[name] for name in sorted(history)],
        "evaluated": model.evaluate(data, verbose=0, steps=2),
        "weights": model.get_weights(),
    }


def in_threads(cluster, batch, steps):
    """What each worker makes of the model; a worker that fails is told by its error."""
    found = {}

    def work(job, index):
        os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": {"type": job, "index": index}})
        try:
            with tf.Graph().as_default():
                strategy = tf.contrib.distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=0)
                with strategy.scope():
                    found["%s %d" % (job, index)] = trained(batch, steps)
        except Exception as error:  # told in the results
            found["%s %d" % (job, index)] = repr(error)

    tasks = [(job, index) for job in sorted(cluster) for index in range(len(cluster[job]))]
    threads = [threading.Thread(target=work, args=task, daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    return found


if __name__ == "__main__":
    before = os.environ
    setattr(os, "environ", Environment(before))  # noqa: B010  the processes' own variables stay as they are
    try:
        results["two workers"] = in_threads({"worker": addresses(2)}, 8, 2)
        one, other, third = addresses(3)
        results["chief"] = in_threads({"chief": [one], "worker": [other, third]}, 6, 3)
    finally:
        setattr(os, "environ", before)  # noqa: B010
