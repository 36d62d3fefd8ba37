"""Checkpoints of which only a part is used, restored one over another, and written by functions."""

import gc
import logging
import os
import tempfile

import tensorflow as tf

tf.enable_eager_execution()
results = {}
folder = tempfile.mkdtemp()
told = []


class Teller(logging.Handler):
    def emit(self, record):
        told.append(record.getMessage())


log = tf.get_logger()
log.handlers[:] = [Teller()]
log.propagate = False


def said():
    """What has been said of parts of a checkpoint since the last call, and whether the way out was named."""
    gc.collect()
    lines = [line for line in told if line.startswith(("Unresolved", "Unused"))]
    found = [lines, any("expect_partial" in line for line in told)]
    told.clear()
    return found


class Part(tf.contrib.checkpoint.Checkpointable):
    pass


optimizer = tf.keras.optimizers.Adam(0.1)
root = tf.train.Checkpoint(v1=tf.Variable(2.0), v2=tf.Variable(3.0), optimizer=optimizer)
root.part = Part()
root.part.x = tf.Variable(1.0)
optimizer.minimize(root.v1.read_value, [root.v1])
path = root.save(os.path.join(folder, "ckpt"))
# What programs before this one left behind is not meant.
said()

some = tf.train.Checkpoint(v1=tf.Variable(0.0))
status = some.restore(path)
del some
results["status kept"] = said()
del status
results["all gone"] = said()

some = tf.train.Checkpoint(v1=Part())
some.restore(path)
results["object kept"] = said()
del some
results["another object there"] = said()

some = tf.train.Checkpoint(v1=tf.Variable(0.0))
some.restore(path).expect_partial()
del some
results["expected"] = said()

later = tf.train.Checkpoint(v1=tf.Variable(0.0), v2=tf.Variable(0.0), part=Part())
later.restore(path).expect_partial()
later.optimizer = tf.keras.optimizers.Adam(0.1)
results["slots of keras"] = [(v.name, v.shape.as_list(), abs(v.numpy()) > 0) for v in later.optimizer.weights]

old = tf.train.AdamOptimizer(0.1)
weight = tf.Variable([1.0, 2.0])
old.apply_gradients([(tf.constant([0.5, -0.5]), weight)])
old_path = tf.train.Checkpoint(optimizer=old, weight=weight).save(os.path.join(folder, "old"))
again = tf.train.Checkpoint(optimizer=tf.train.AdamOptimizer(0.1))
again.restore(old_path)
again.weight = tf.Variable([0.0, 0.0])
results["slots of train"] = again.optimizer.get_slot(again.weight, "m").numpy()

with tf.Graph().as_default(), tf.Session() as session:
    built = tf.train.Checkpoint(v1=tf.Variable(0.0))
    built.restore(path).run_restore_ops(session)
    told.clear()
    del built
    results["in a graph"] = said()

# What was asked for last has the last word, whichever object is there first.
source = tf.train.Checkpoint(part=Part())
source.part.x = tf.Variable(12.0)
first_path = source.save(os.path.join(folder, "first"))
source.part.x.assign(13.0)
second_path = source.save(os.path.join(folder, "second"))
for name, paths in (("in turn", (first_path, second_path)), ("the other way", (second_path, first_path))):
    roots = [tf.train.Checkpoint() for _ in paths]
    statuses = [root.restore(each) for root, each in zip(roots, paths)]
    shared = Part()
    shared.x = tf.Variable(0.0)
    values = []
    for root in roots[::-1]:
        root.part = shared
        values.append(shared.x.numpy())
    results["overlapping, " + name] = values

two = tf.train.Checkpoint(one=Part(), other=Part())
two.one.below = two.other.below = Part()
two.one.below.x = tf.Variable(5.0)
two_path = two.save(os.path.join(folder, "two"))
apart = tf.train.Checkpoint(one=Part(), other=Part())
apart.one.below, apart.other.below = Part(), Part()
apart.one.below.x, apart.other.below.x = tf.Variable(0.0), tf.Variable(0.0)
told.clear()
apart.restore(two_path)
results["one of two"] = [apart.one.below.x.numpy(), apart.other.below.x.numpy()]
results["said of two"] = any("Inconsistent references" in line for line in told)

counted = tf.train.Checkpoint(v=tf.Variable(1.0))


@tf.function
def write():
    return counted.write(os.path.join(folder, "written"))


@tf.function
def save():
    return counted.save(os.path.join(folder, "saved"))


written = []
for value in (4.0, 6.0):
    counted.v.assign(value)
    where = write().numpy().decode()
    target = tf.train.Checkpoint(v=tf.Variable(0.0))
    target.restore(where).assert_nontrivial_match()
    written.append([os.path.relpath(where, folder), target.v.numpy()])
results["written by a function"] = written
try:
    save()
except NotImplementedError as error:
    results["saved by a function"] = "Checkpoint.write" in str(error)
