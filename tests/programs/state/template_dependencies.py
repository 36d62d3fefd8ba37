"""What templates depend on when objects are saved, templates in templates, and creators left in the wrong order."""

import os
import tempfile

import tensorflow as tf

results = {}


def part():
    return tf.get_variable("x", initializer=[1.0, 2.0])


def whole():
    first, second = tf.make_template("part", part), tf.make_template("part", part)
    with tf.variable_scope("own"):
        own = tf.get_variable("y", initializer=3.0)
    local = tf.Variable(4.0, trainable=False, name="z")
    return first() + second() + own + local


def tree(item):
    return [[name, tree(below)] for name, below in getattr(item, "_checkpoint_dependencies", ())]


template = tf.make_template("whole", whole)
total = template()
results["names"] = [variable.name for variable in template.variables]
results["tree"] = tree(template)
template()
results["called again"] = tree(template)
scoped = tf.make_template("whole", part, create_scope_now_=True)
with tf.variable_scope("elsewhere"):
    scoped()
results["scoped"] = [tree(scoped), [variable.name for variable in scoped.variables]]

checkpoint = tf.train.Checkpoint(template=template, scoped=scoped)
folder = tempfile.mkdtemp()
pair = next(variable for variable in template.variables if variable.shape.ndims)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    path = checkpoint.save(os.path.join(folder, "saved"), session=sess)
    results["saved"] = sorted(name for name, _ in tf.train.list_variables(path))
    sess.run(pair.assign([5.0, 6.0]))
    checkpoint.restore(path).assert_consumed().run_restore_ops(sess)
    results["restored"] = sess.run(pair)


def creator(next_creator, **kwargs):
    return next_creator(**kwargs)


with tf.Graph().as_default():
    outer, inner = tf.variable_creator_scope(creator), tf.variable_creator_scope(creator)
    outer.__enter__()
    inner.__enter__()
    try:
        outer.__exit__(None, None, None)
    except RuntimeError as error:
        results["order"] = str(error)
