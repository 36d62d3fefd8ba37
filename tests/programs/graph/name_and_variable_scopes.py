"""Names: default, given, made unique, under name scopes and variable scopes; sharing variables and refusing to."""

import tensorflow as tf

results = {}
names = results.setdefault("names", [])


def refused(action):
    try:
        action()
    except (ValueError, TypeError, KeyError) as error:
        return type(error).__name__
    return "nothing"


names += [tf.constant(1).name, tf.Variable(1).name, tf.constant(1).name, tf.Variable(1).name]
names += [tf.constant(1, name="a").name, tf.Variable(1, name="b").name, tf.constant(1, name="a").name]

with tf.name_scope("scope") as scope:
    names += [scope, tf.constant(1, name="a").name, tf.Variable(1, name="b").name]
    names += [tf.get_variable(name="c", shape=[]).name, tf.get_default_graph().get_name_scope()]
with tf.name_scope("scope") as again, tf.name_scope("inner"):
    names += [again, tf.constant(1, name="a").name]
with tf.name_scope(scope):
    names += [tf.constant(1, name="d").name]
with tf.name_scope(None):
    names += [tf.constant(1, name="root").name]
with tf.name_scope(None, "default_name", [tf.constant(1)]) as given:
    names += [given]

with tf.variable_scope("vs") as vs:
    names += [tf.constant(1, name="a").name, tf.Variable(1, name="b").name, tf.get_variable("c", []).name]
    names += [vs.name, vs.original_name_scope]
    with tf.variable_scope("deep"):
        names += [tf.get_variable("c", []).name, tf.add(1, 1).name, tf.get_variable_scope().name]
with tf.variable_scope("vs", reuse=True):
    shared = tf.get_variable("c", [])
    names += [shared.name, tf.constant(1, name="a").name, str(tf.get_variable_scope().reuse)]
    results["unknown under reuse"] = refused(lambda: tf.get_variable("new", []))
with tf.variable_scope(vs, reuse=True), tf.variable_scope("deep"):
    names += [tf.get_variable("c", []).name, tf.constant(1, name="x").name]
with tf.variable_scope(vs, auxiliary_name_scope=False):
    names += [tf.constant(1, name="bare").name]
with tf.variable_scope("auto", reuse=tf.AUTO_REUSE):
    one, other = tf.get_variable("v", [2]), tf.get_variable("v", [2])
    names += [one.name, str(one is other)]
    results["other shape"] = refused(lambda: tf.get_variable("v", [3]))
    results["other dtype"] = refused(lambda: tf.get_variable("v", [2], tf.int32))
with tf.variable_scope("half") as half:
    tf.get_variable("v", [])
    half.reuse_variables()
    names += [tf.get_variable("v", []).name]
for _ in range(2):
    with tf.variable_scope(None, default_name="layer"):
        names += [tf.get_variable("w", [1]).name, tf.identity(1.0, name="out").name]
results["declared twice"] = refused(lambda: [tf.get_variable("twice", []) for _ in range(2)])
results["reuse of nothing"] = refused(lambda: tf.get_variable("nothing"))

# What a scope sets for the variables inside it.
seen = []


def watching(getter, name, *args, **kwargs):
    seen.append(name)
    return getter(name, *args, **kwargs)


with tf.variable_scope(
    "settings",
    initializer=tf.constant_initializer(3.0),
    regularizer=tf.nn.l2_loss,
    dtype=tf.float64,
    custom_getter=watching,
):
    w = tf.get_variable("w", [2])
    with tf.variable_scope("own", initializer=tf.zeros_initializer()):
        v = tf.get_variable("v", [2], tf.float32, regularizer=tf.no_regularizer)
penalties = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
names += [w.name, v.name] + [p.name for p in penalties]
results["custom getter saw"] = seen
results["dtypes"] = [w.dtype.name, v.dtype.name, str(w.dtype)]

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    results["values"] = sess.run([w, v] + penalties)

results["collections"] = {
    key: [v.name for v in tf.get_collection(key)]
    for key in (tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES, tf.GraphKeys.LOCAL_VARIABLES)
}
results["within vs"] = [v.name for v in tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="vs/")]
results["ops"] = [op.name + " " + op.type for op in tf.get_default_graph().get_operations()]
results["bad names"] = [refused(lambda bad=bad: tf.constant(1, name=bad)) for bad in ("a b", "_x", "-", "ok.-/_")]
