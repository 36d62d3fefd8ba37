"""Templates made in templates while executing eagerly: what they keep, and what is saved and restored of them."""

import os
import tempfile

import tensorflow as tf

tf.enable_eager_execution()

results = {}


def part():
    return tf.get_variable("x", initializer=[1.0, 2.0])


def whole():
    return tf.make_template("part", part)() + tf.make_template("part", part)()


def tree(item):
    return [[name, tree(below)] for name, below in getattr(item, "_checkpoint_dependencies", ())]


template = tf.make_template("whole", whole)
template()
results["tree"] = tree(template)
results["names"] = [variable.name for variable in template.variables]
results["trained"] = [variable.name for variable in template.trainable_variables]
template.variables[0].assign([7.0, 8.0])
path = tf.train.Checkpoint(template=template).save(os.path.join(tempfile.mkdtemp(), "saved"))
results["saved"] = sorted(name for name, _ in tf.train.list_variables(path))
other = tf.make_template("whole", whole)
status = tf.train.Checkpoint(template=other).restore(path)
results["restored"] = other().numpy()
status.assert_consumed()
results["others"] = [variable.name for variable in other.variables]
