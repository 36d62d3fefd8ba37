"""Both kinds of variable: the operations they are made of, initial values from other variables, assigning, reading."""

import numpy as np
import tensorflow as tf

results = {}


def ops_of(graph):
    rows = []
    for op in graph.get_operations():
        attrs = op.node_def.attr
        colocated = [c.decode() for c in attrs["_class"].list.s] if "_class" in attrs else []
        inputs = [t.name for t in op.inputs] + ["^" + c.name for c in op.control_inputs]
        rows.append(" ".join([op.name, op.type] + inputs + colocated))
    return rows


v = tf.Variable([1.0, 2.0, 3.0], name="w")
m = tf.Variable(lambda: tf.zeros([3, 2]), name="m")
r = tf.Variable([1.0, 2.0, 3.0], name="r", use_resource=True)
with tf.name_scope("s"):
    r2 = tf.get_variable("r2", [2, 2], use_resource=True)
    plus, times = r2 + 1.0, v * 2.0
    from_value = tf.Variable(v.initialized_value() * 2)
    from_read = tf.Variable(v * 2.0, name="v3")
    from_resource = tf.Variable(r.initialized_value() * 3.0, name="r3")
assign = tf.assign(v, [4.0, 5.0, 6.0])
added = v.assign_add([1.0, 1.0, 1.0])
subtracted = r.assign_sub([1.0, 1.0, 1.0])
after = subtracted + 0.0
read = r.read_value()
init = tf.global_variables_initializer()
missing = tf.report_uninitialized_variables()
asserted = tf.assert_variables_initialized()
sliced = v[1:].assign([9.0, 9.0])
gathered = r.sparse_read([0, 1])
with tf.control_dependencies([assign]):
    z = tf.get_variable(
        "z", [3], initializer=tf.ones_initializer(), regularizer=lambda x: tf.reduce_sum(x, name="penalty")
    )
    waited = v.read_value()
batched = tf.batch_scatter_update(m, [[1], [0], [1]], [[7.0], [8.0], [9.0]])
turned = tf.assign(m, tf.reverse(m, [0]))
results["ops"] = ops_of(tf.get_default_graph())
results["repr"] = [repr(x) for x in (v, m, r, r2, from_value, z)]
results["static"] = [
    str(assign.shape),
    str(assign.dtype),
    str(v.dtype),
    str(r.dtype),
    str(v.value()),
    str(r.handle.dtype),
]

with tf.Session() as sess:
    results["uninitialized"] = sess.run(missing)
    for key, fetch in (
        ("ref", v),
        ("resource", r),
        ("ref read", times),
        ("resource read", plus),
        ("asserted", asserted),
    ):
        try:
            sess.run(fetch)
            results["error " + key] = "none"
        except tf.errors.FailedPreconditionError as error:
            results["error " + key] = error.message.split("\n")[0][:50] if key != "asserted" else "raised"
    sess.run(init)
    sess.run(z.initializer)
    results["initial"] = sess.run([v, m, r, from_value, from_read, from_resource, z])
    results["all have values"] = sess.run(missing)
    results["updates"] = [sess.run(x) for x in (assign, added, after, read, sliced, gathered, batched)]
    results["turned"] = [sess.run(turned), sess.run(m)]
    results["waited"] = sess.run(waited)
    results["asserted"] = sess.run(asserted)
    v.load([7.0, 8.0, 9.0], sess)
    r.load([7.0, 8.0, 9.0], sess)
    results["loaded"] = [v.eval(sess), r.eval(sess)]
    results["is initialized"] = sess.run([tf.is_variable_initialized(v), tf.is_variable_initialized(r)])
    # What was fetched is a snapshot: later writes leave it alone.
    before = sess.run(v)
    sess.run(assign)
    results["snapshot"] = before
    with tf.Session() as other:
        other.run(v.initializer)
        results["sessions apart"] = [other.run(v), sess.run(v)]

# Types: each is kept, counted and compared.
kept = {}
with tf.Graph().as_default(), tf.Session() as sess:
    for name in (
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "float16", "float32", "float64"),
        *("complex64", "complex128", "bool", "string"),
    ):
        dtype = tf.as_dtype(name)
        values = np.array([1, 0, 2]).astype(dtype.as_numpy_dtype) if name != "string" else [b"a", b"", b"c"]
        for resource in (False, True):
            var = tf.Variable(values, dtype=dtype, use_resource=resource)
            sess.run(var.initializer)
            sess.run(var.assign(values[::-1]))
            kept["%s %s" % (name, resource)] = sess.run(var)
            if name not in ("bool", "string"):
                sess.run(var.assign_add(values))
                sess.run(var.assign_sub(values[::-1]))
                kept["%s %s counted" % (name, resource)] = sess.run(var)
results["types"] = kept

# Shapes that are not known, or not kept.
with tf.Graph().as_default(), tf.Session() as sess:
    fed = tf.placeholder(tf.float32, None)
    loose = tf.Variable(fed, validate_shape=False, name="loose")
    sess.run(loose.initializer, {fed: [1.0, 2.0]})
    results["loose"] = [str(loose.shape), sess.run(loose)]
    try:
        sess.run(tf.assign(loose, fed), {fed: [1.0, 2.0, 3.0]})
    except tf.errors.InvalidArgumentError as error:
        results["loose checked"] = error.message.split("\n")[0][:90]
    results["loose again"] = sess.run(tf.assign(loose, fed, validate_shape=False), {fed: [[1.0, 2.0, 3.0]]})
    results["loose now"] = sess.run(loose)
    counter = tf.Variable(7, name="counter")
    sess.run(counter.initializer)
    counted = counter.count_up_to(9)
    results["counted"] = [sess.run(counted), sess.run(counted), sess.run(counter)]
    try:
        sess.run(counted)
    except tf.errors.OutOfRangeError as error:
        results["limit"] = error.message.split("\n")[0][:20]

# Order: reads and writes that wait for one another.
with tf.Graph().as_default(), tf.Session() as sess:
    for resource in (False, True):
        x = tf.Variable(1.0, use_resource=resource)
        first = x.assign(2.0)
        with tf.control_dependencies([first]):
            b = x.read_value() + 0.0
        with tf.control_dependencies([b]):
            second = x.assign(3.0)
        with tf.control_dependencies([second]):
            c = x.read_value() + 0.0
        sess.run(x.initializer)
        results["in order %s" % resource] = sess.run([b, c])
    # A variable in a branch is made outside of it.
    one = tf.constant([1.0, 1.0])
    inside = tf.cond(
        tf.constant(True), lambda: tf.get_variable("in", [2], initializer=tf.ones_initializer()) + one, lambda: one
    )
    sess.run(tf.global_variables_initializer())
    results["in a branch"] = sess.run(inside)
    results["names in a branch"] = [t.name for t in tf.global_variables()]

collections = {}
with tf.Graph().as_default():
    tf.Variable(1.0, name="plain")
    tf.Variable(1.0, name="still", trainable=False)
    tf.Variable(1.0, name="local", collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
    tf.get_local_variable("local2", [2])
    for function in (
        tf.global_variables,
        tf.all_variables,
        tf.trainable_variables,
        tf.local_variables,
        tf.model_variables,
    ):
        collections[function.__name__] = [x.name for x in function()]
    results["init names"] = [
        tf.initialize_all_variables().name,
        tf.local_variables_initializer().name,
        tf.initialize_variables([]).name,
        tf.report_uninitialized_variables([]).name,
    ]
results["collections"] = collections
