"""Sessions that describe a cluster of their own: what their tasks are called, whose state is whose, what is refused."""

import tensorflow as tf

results = {}
one, two = tf.train.Server.create_local_server(), tf.train.Server.create_local_server()
FIRST, SECOND = [server.target[len("grpc://") :] for server in (one, two)]


def of(**jobs):
    config = tf.ConfigProto(cluster_def=tf.train.ClusterSpec(jobs).as_cluster_def())
    return config


def kind(function):
    try:
        return function()
    except Exception as error:
        return type(error).__name__


def devices(server, config=None):
    with tf.Session(server.target, graph=tf.Graph(), config=config) as session:
        return sorted(device.name for device in session.list_devices() if "XLA" not in device.name)


def at(device, server=one, config=None):
    with tf.Graph().as_default():
        with tf.device(device):
            value = tf.constant(5.0) * 2.0
        value = value + 1.0
        with tf.Session(server.target, config=config) as session:
            return session.run(value)


pair = of(worker={0: FIRST, 1: SECOND})
apart = of(worker={3: FIRST}, ps={7: SECOND})
results["names"] = [devices(server, config) for server in (one, two) for config in (None, pair, apart)]
for place in [
    "",
    "/cpu:0",
    "/job:worker",
    "/job:worker/task:0",
    "/job:worker/task:1",
    "/job:worker/task:2",
    "/job:local",
]:
    results["at %s" % place] = kind(lambda: at(place, config=pair))
    results["at %s, from the second" % place] = kind(lambda: at(place, two, pair))
results["far apart"] = [
    kind(lambda: at(place, config=apart)) for place in ["/job:ps/task:7", "/job:worker/task:3", "/job:ps/task:0"]
]

filtered = of(worker={0: FIRST, 1: SECOND})
filtered.device_filters.append("/job:worker/task:0")
results["filtered"] = [devices(one, filtered), kind(lambda: at("/job:worker/task:1", config=filtered))]

# Queues, loops and branches between tasks.
with tf.Graph().as_default():
    with tf.device("/job:worker/task:1"):
        queue = tf.FIFOQueue(3, tf.float32)
        put = queue.enqueue_many([[1.0, 2.0, 3.0]])
        step = tf.constant(2)
    with tf.device("/job:worker/task:0"):
        taken = queue.dequeue() * 10.0
        loop = tf.while_loop(lambda i: i < 7, lambda i: i + step, [0])
    with tf.Session(one.target, config=pair) as session:
        session.run(put)
        results["a queue"] = [session.run(taken), session.run(taken)]
        results["a loop"] = session.run(loop)

# What one session leaves, others do not find.
with tf.Graph().as_default():
    with tf.device("/job:worker/task:1"):
        far = tf.Variable(3.0, name="far")
    with tf.device("/job:worker/task:0"):
        near = tf.Variable(4.0, name="near")
    product = far * near
    update = far.assign_add(near)
    with tf.Session(one.target, config=pair) as session:
        session.run(tf.global_variables_initializer())
        results["product"] = session.run(product)
        results["update"] = [session.run(update), session.run(far)]
    with tf.Session(one.target, config=pair) as session:
        results["another session"] = kind(lambda: session.run(far))
for server in (one, two):
    with tf.Graph().as_default(), tf.Session(server.target) as session:
        results["a session of the server"] = [
            kind(lambda: session.run(tf.Variable(1.0, name=n))) for n in ("far", "near")
        ]

# Clusters that the server is no task of, or that are not clear about it.
results["absent"] = kind(lambda: at("", config=of(worker={0: SECOND})))
results["twice"] = kind(lambda: at("", config=of(worker={0: FIRST, 1: FIRST})))
results["its own name"] = kind(lambda: at("", config=of(local={0: FIRST, 1: SECOND})))
