"""Synchronous steps of three workers in a given order, with and without backup workers: which wait, which are dropped."""

import socket

import numpy as np
import tensorflow as tf

results = {}


def addresses(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("localhost", 0))
    found = ["localhost:%d" % each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return found


hosts = addresses(4)
spec = tf.train.ClusterSpec({"ps": hosts[:1], "worker": hosts[1:]})
servers = [tf.train.Server(spec, "ps", 0)] + [tf.train.Server(spec, "worker", i) for i in range(3)]
data = np.random.RandomState(0).randn(3, 40, 8, 4).astype(np.float32)


class Worker:
    """The graph and session of a worker."""

    def __init__(self, number, aggregate, sparse):
        self.number, self.taken = number, 0
        setter = tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % number, cluster=spec)
        with tf.Graph().as_default() as graph, tf.device(setter):
            self.step = tf.train.get_or_create_global_step()
            self.x = tf.placeholder(tf.float32, [8, 4])
            weights = tf.get_variable("weights", [4, 2], initializer=tf.constant_initializer(0.5))
            bias = tf.get_variable("bias", [2], initializer=tf.zeros_initializer())
            if sparse:
                rows = tf.nn.embedding_lookup(weights, tf.constant([0, number, 3]))
                self.loss = tf.reduce_mean(tf.square(rows + bias - tf.reduce_mean(self.x)))
            else:
                targets = tf.reduce_sum(self.x, 1, keepdims=True)
                self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, weights) + bias - targets))
            averages = tf.train.ExponentialMovingAverage(0.9, self.step)
            self.optimizer = tf.train.SyncReplicasOptimizer(
                tf.train.AdamOptimizer(0.05),
                aggregate,
                total_num_replicas=3,
                variable_averages=averages,
                variables_to_average=tf.trainable_variables(),
            )
            self.train = self.optimizer.minimize(self.loss, global_step=self.step)
            self.apply = self.optimizer.get_chief_queue_runner().enqueue_ops[0]
            self.fill = self.optimizer.get_init_tokens_op()
            self.tokens = self.optimizer._sync_token_queue.size()
            self.fresh = [accumulator.num_accumulated() for accumulator, _ in self.optimizer._accumulator_list]
            self.values = [weights, bias, averages.average(weights)]
            initializer = tf.global_variables_initializer()
            local = self.optimizer.local_step_init_op if number else self.optimizer.chief_init_op
        self.session = tf.Session(servers[number + 1].target, graph=graph)
        if not number:
            self.session.run(initializer)
        self.session.run(local)

    def run(self):
        """The loss of a step, or that it would have to wait for a token."""
        if not self.session.run(self.tokens):
            return "waits"
        loss, _ = self.session.run([self.loss, self.train], {self.x: data[self.number, self.taken]})
        self.taken += 1
        return loss


def play(case, aggregate, order, sparse=False):
    """Steps of workers by their numbers; "apply" is what the chief's queue runner does when there are enough gradients."""
    workers = [Worker(i, aggregate, sparse) for i in range(3)]
    chief = workers[0]
    chief.session.run(chief.fill)
    seen = []
    for turn in order:
        if turn == "apply":
            fresh = chief.session.run(chief.fresh)
            if min(fresh) >= aggregate:
                chief.session.run(chief.apply)
            seen.append([turn, fresh, chief.session.run(chief.step)])
        else:
            seen.append([turn, workers[turn].run(), chief.session.run(chief.tokens)])
    results[case] = {"steps": seen, "values": chief.session.run(chief.values)}
    for worker in workers:
        worker.session.close()
    tf.Session.reset(servers[1].target)


play("all", 3, [0, 1, 2, "apply", 2, 1, 1, "apply", 0, 0, 2, 1, "apply"])
play("backup", 2, [0, 1, "apply", 2, 0, 1, "apply", 2, 2, "apply", 0, 1, "apply", 1, 0, "apply", 2, 0, "apply"])
play("backup of rows", 2, [0, 1, "apply", 2, 1, 0, "apply", 0, 2, "apply", 1, "apply"], sparse=True)
play("one", 1, [0, "apply", 1, 2, 1, "apply", 0, 0, "apply", 2, 1, "apply"])
play("more than workers", 4, [0, 1, 2, "apply", 0, "apply", 1, 2, 0, 1, "apply", 2, 2, "apply"])
