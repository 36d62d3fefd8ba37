"""A device that is missing ends a session's steps, also where what asks for it does not run; which options pass over it."""

import tensorflow as tf

results = {}


def kind(function):
    try:
        return function()
    except Exception as error:
        return type(error).__name__


def misplaced_constant():
    with tf.device("/gpu:5"):
        tf.constant(1.0)


def misplaced_update():
    with tf.device("/cpu:0"):
        value = tf.Variable(1.0)
    with tf.device("/cpu:3"):
        value.assign(2.0)


def misplaced_branch():
    def taken():
        with tf.device("/gpu:5"):
            return tf.constant(2.0)

    tf.cond(tf.constant(True), taken, lambda: tf.constant(1.0))


def by_function():
    with tf.device(lambda op: "/gpu:5" if op.type == "NoOp" else ""):
        tf.no_op()


def beside_a_misplaced_one():
    with tf.device("/gpu:5"):
        first = tf.constant(1.0)
    with tf.colocate_with(first.op):
        tf.constant(2.0)


def beside_another():
    first = tf.constant(1.0)
    with tf.device("/gpu:5"), tf.colocate_with(first.op):
        tf.identity(first)


def of_another_task():
    with tf.device("/job:elsewhere/task:1"):
        tf.placeholder(tf.float32)


def in_a_function():
    @tf.function
    def body():
        with tf.device("/gpu:5"):
            return tf.constant(2.0)

    body()


def well_placed():
    with tf.device("/job:localhost/replica:0/task:0/cpu:0"):
        tf.constant(1.0)


CONFIGS = {
    "plain": {},
    "soft": {"allow_soft_placement": True},
    "pruned": {"graph_options": tf.GraphOptions(place_pruned_graph=True)},
    "more": {"device_count": {"CPU": 6}},
}
for build in [
    misplaced_constant,
    misplaced_update,
    misplaced_branch,
    by_function,
    beside_a_misplaced_one,
    beside_another,
    of_another_task,
    in_a_function,
    well_placed,
]:
    for name, options in CONFIGS.items():
        with tf.Graph().as_default():
            build()
            other = tf.constant(3.0)
            with tf.Session(config=tf.ConfigProto(**options)) as session:
                results["%s, %s" % (build.__name__, name)] = kind(lambda: session.run(other))

with tf.Graph().as_default():
    misplaced_constant()
    other = tf.constant(3.0)
    session = tf.InteractiveSession()
    results["interactive"] = kind(other.eval)
    session.close()

with tf.Graph().as_default(), tf.Session() as session:
    results["at first"] = kind(lambda: session.run(tf.constant(3.0)))
    misplaced_constant()
    late = tf.constant(4.0)
    results["added later"] = [kind(lambda: session.run(late)), kind(lambda: session.run(late))]
    results["a callable"] = kind(lambda: session.make_callable(late)())

imported = tf.GraphDef()
with tf.Graph().as_default() as graph:
    misplaced_constant()
    imported.MergeFrom(graph.as_graph_def())
with tf.Graph().as_default(), tf.Session() as session:
    tf.import_graph_def(imported)
    results["imported"] = kind(lambda: session.run(tf.constant(3.0)))
