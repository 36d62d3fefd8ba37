"""Checkpoints of objects: cells of recurrent networks and layers, variables captured by name, parts of one variable."""

import tempfile

import numpy as np
import tensorflow as tf

results = {}
folder = tempfile.mkdtemp()
checkpoint = tf.contrib.checkpoint
rnn_cell = tf.nn.rnn_cell


def keys(path):
    return [[name, shape] for name, shape in tf.train.list_variables(path)]


def dependencies(item):
    return [[name, type(reference).__name__] for name, reference in item._checkpoint_dependencies]


class Own(tf.layers.Layer):
    def __init__(self):
        super(Own, self).__init__()
        # Attributes of such layers are no dependencies: only what they make themselves is.
        self.inner = tf.layers.Dense(2)
        self.list_of_layers = [tf.layers.Dense(2)]
        self.plain = tf.Variable(1.0, name="plain")

    def build(self, input_shape):
        self._hidden = self.add_weight("sub/hidden", shape=[2])
        self.other = self.add_variable("named_otherwise", shape=[3])
        self.built = True

    def call(self, inputs):
        return inputs


def stepped(cell):
    cell(tf.ones([1, 3]), cell.zero_state(1, tf.float32))
    return cell


with tf.Graph().as_default():
    own = Own()
    own(tf.ones([1, 2]))
    norm = tf.layers.BatchNormalization()
    norm(tf.ones([1, 2]))
    gru = stepped(rnn_cell.GRUCell(3))
    lstm = stepped(rnn_cell.LSTMCell(3, use_peepholes=True, num_proj=2))
    objects = {
        "own": own,
        "norm": norm,
        "lstm": lstm,
        "multi": rnn_cell.MultiRNNCell([gru, lstm]),
        "dropout": rnn_cell.DropoutWrapper(gru, 0.5),
        "residual": rnn_cell.ResidualWrapper(gru),
        "device": rnn_cell.DeviceWrapper(gru, "/cpu:0"),
    }
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for name in sorted(objects):
            results["dependencies of " + name] = dependencies(objects[name])
            path = tf.train.Checkpoint(it=objects[name]).write(folder + "/" + name, session=sess)
            results["keys of " + name] = keys(path)

        before = sess.run(gru.trainable_variables)
        scrambled = tf.group(*[variable.assign(tf.zeros_like(variable)) for variable in gru.variables])
        sess.run(scrambled)
        status = tf.train.Checkpoint(it=objects["residual"]).restore(folder + "/residual")
        status.run_restore_ops(sess)
        results["a cell restored"] = all(
            np.array_equal(a, b) for a, b in zip(before, sess.run(gru.trainable_variables))
        )


class Captured(checkpoint.Checkpointable):
    def __init__(self, name, inner=None):
        with tf.variable_scope(name) as scope:
            self.variable_scope = scope
            with checkpoint.capture_dependencies(template=self):
                tf.get_variable("first", initializer=[1.0, 2.0])
                with tf.variable_scope("deeper"):
                    tf.get_variable("second", initializer=3.0)
                if inner is not None:
                    Captured(inner)
                tf.Variable(4.0, name="fourth")


with tf.Graph().as_default():
    captured = Captured("net", inner="below")
    results["captured"] = dependencies(captured)
    results["captured variables"] = [variable.name for variable in tf.global_variables()]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        results["captured keys"] = keys(tf.train.Checkpoint(net=captured).write(folder + "/captured", session=sess))


class Halves(checkpoint.Checkpointable):
    def __init__(self, value):
        self.opaque = checkpoint.NoDependency(tf.Variable(value, name="opaque", use_resource=True))
        parts = checkpoint.split_dependency(
            component_names=("head", "tail"),
            component_dtypes=(tf.float32, tf.float32),
            fill_save_buffer_fn=self._fill,
            consume_restore_buffer_fn=self._take,
            device=self.opaque.device,
        )
        for name in sorted(parts):
            self._track_trackable(parts[name], name)

    def _fill(self, buffer):
        buffer["head"], buffer["tail"] = tf.split(self.opaque, [1, 2])

    def _take(self, buffer):
        return self.opaque.assign(tf.concat([buffer["head"], buffer["tail"]], 0))


class Whole(checkpoint.Checkpointable):
    def __init__(self):
        self.head = tf.Variable([7.0], name="head")
        self.tail = tf.Variable([8.0, 9.0], name="tail")


with tf.Graph().as_default():
    halves = Halves([1.0, 2.0, 3.0])
    whole = Whole()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        saver = tf.train.Checkpoint(it=halves)
        path = saver.write(folder + "/halves", session=sess)
        results["keys of halves"] = keys(path)
        sess.run(halves.opaque.assign([0.0, 0.0, 0.0]))
        saver.restore(path).run_restore_ops(sess)
        results["halves again"] = sess.run(halves.opaque)
        other = tf.train.Checkpoint(it=whole).write(folder + "/whole", session=sess)
        saver.restore(other).run_restore_ops(sess)
        results["halves of the whole"] = sess.run(halves.opaque)
        tf.train.Checkpoint(it=whole).restore(path).run_restore_ops(sess)
        results["whole of the halves"] = sess.run([whole.head, whole.tail])

with tf.Graph().as_default():
    torn = checkpoint.split_dependency(
        ["a", "b"], [tf.float32] * 2, lambda b: b.update(a=tf.ones([]), b=tf.zeros([])), lambda b: tf.no_op(), ""
    )
    first = tf.train.Checkpoint(a=torn["a"])
    with tf.Session() as sess:
        first.write(folder + "/torn", session=sess)
        try:
            tf.train.Checkpoint(c=torn["a"]).write(folder + "/again", session=sess)
        except AssertionError as error:
            results["torn apart"] = "unsynchronized" in str(error)
