"""Branches and loops as functions: what `tf.enable_control_flow_v2` builds, computes and differentiates."""

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}


def run(function):
    """Records what a function in a graph of its own returns: notes, the values of tensors, and the graph's operations."""
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        try:
            notes, tensors = function()
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                values = session.run(tensors)
            top = ["%s %s" % (node.name, node.op) for node in graph.as_graph_def().node if node.op != "Const"]
            top = [line for line in top if not line.startswith("gradients")]
            results[function.__name__] = [notes, values, top]
        except Exception as error:
            results[function.__name__] = type(error).__name__
    return function


def fed(value):
    return tf.placeholder_with_default(np.float32(value), [])


def switched():
    x = fed(2.0)
    y = tf.switch_case(tf.constant(1), [lambda: x * x, lambda: x**3, lambda: tf.sin(x)], name="choice")
    gradient = tf.gradients(y, x)[0]
    return [y.name, y.op.inputs[0].op.type], [y, gradient, tf.gradients(gradient, x)[0]]


def switched_nothing():
    return [], tf.switch_case(tf.constant(0), [lambda: None, lambda: None])


# switch_case builds its operation always, the rest once it is asked for.
run(switched)
run(switched_nothing)
tf.enable_control_flow_v2()
results["enabled"] = tf.control_flow_v2_enabled()


@run
def second_gradient_of_cond():
    x = fed(3.0)
    y = tf.cond(x > 1, lambda: x**3, lambda: x + 1)
    gradient = tf.gradients(y, x)[0]
    return [y.name, y.op.inputs[0].op.type], [y, gradient, tf.gradients(gradient, x)[0]]


@run
def second_gradient_of_loop():
    x = fed(2.0)
    i, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])
    gradient = tf.gradients(y, x)[0]
    op = y.op.inputs[0].op
    return [i.name, y.name, op.type, len(op.inputs)], [y, gradient, tf.gradients(gradient, x)[0]]


@run
def conds_in_conds():
    x = fed(3.0)
    y = tf.cond(x > 1, lambda: tf.cond(x > 2, lambda: x * x, lambda: x * 5.0), lambda: x + 1)
    return [], [y, tf.gradients(y, x)[0]]


@run
def loops_in_loops():
    x = fed(1.1)

    def body(i, y):
        z = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * x), [0, y])[1]
        return i + 1, z * 1.5

    y = tf.while_loop(lambda i, y: i < 4, body, [0, x])[1]
    return [], [y, tf.gradients(y, x)[0]]


@run
def cond_in_loop():
    x = fed(1.3)

    def body(i, y):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: y * x, lambda: y * y)

    y = tf.while_loop(lambda i, y: i < 4, body, [0, x])[1]
    return [], [y, tf.gradients(y, x)[0]]


@run
def loop_in_cond():
    x = fed(1.3)
    y = tf.cond(x > 1, lambda: tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * x), [0, x])[1], lambda: x)
    return [], [y, tf.gradients(y, x)[0]]


@run
def arrays():
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    source = tf.TensorArray(tf.float32, 4).unstack(x)
    _, made = tf.while_loop(
        lambda i, a: i < 4, lambda i, a: (i + 1, a.write(i, source.read(i) ** 2)), [0, tf.TensorArray(tf.float32, 4)]
    )
    y = made.stack()
    growing = tf.TensorArray(tf.int32, 0, dynamic_size=True)
    _, growing = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a.write(i, i * i)), [0, growing])
    parts = tf.TensorArray(tf.float32, 3).split(tf.range(6.0), [1, 2, 3])
    rows = tf.TensorArray(tf.float32, 4).scatter([1, 3], tf.constant([[1.0, 2], [3, 4]]))
    notes = [made.handle, made.flow.dtype.name, str(made.element_shape), str(rows.element_shape)]
    return notes, [
        *(y, tf.gradients(y, x)[0], made.size(), made.read(1), made.gather([0, 2]), growing.stack(), growing.size()),
        *(parts.concat(), parts.read(1), rows.read(1), rows.gather([1, 3])),
    ]


@run
def array_of_another_type():
    return [], tf.TensorArray(tf.float32, 2).write(0, tf.constant(1)).flow


@run
def mapped():
    x = tf.constant([1.0, 2.0, 3.0])
    y = tf.map_fn(lambda v: v * v, x)
    z = tf.scan(lambda a, v: a * v, x)
    f = tf.foldl(lambda a, v: a + v, x)
    pairs = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    chosen = tf.map_fn(lambda v: tf.cond(v[0] > 1.5, lambda: v * 2, lambda: v * v), pairs)
    gradients = [tf.gradients(*pair)[0] for pair in ((y, x), (z, x), (f, x), (chosen, pairs))]
    return [], [y, z, f, chosen, gradients]


@run
def recurrent():
    x = tf.constant(np.linspace(-1, 1, 24).reshape(2, 4, 3).astype(np.float32))
    with tf.variable_scope("r", initializer=tf.constant_initializer(0.1), use_resource=True):
        outputs, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(3), x, dtype=tf.float32, sequence_length=[3, 4])
    variables = tf.trainable_variables()
    gradients = tf.gradients(tf.reduce_sum(outputs), variables + [x])
    return [v.name for v in variables], [outputs, state.h, gradients]


@run
def limits():
    one = tf.while_loop(lambda i: i < 10, lambda i: i + 1, [tf.constant(0)], maximum_iterations=4)
    two = tf.while_loop(
        lambda i, j: i < 10, lambda i, j: (i + 1, j + 2), [0, 0], maximum_iterations=3, return_same_structure=True
    )
    three = tf.while_loop(lambda i: i < 10, lambda i: [i + 1], [0], return_same_structure=True, name="named")
    return [one.name, [t.name for t in two], [t.name for t in three]], [one, two, three]


@run
def changing_shape():
    x = tf.constant([1.0])
    y = tf.while_loop(
        lambda i, x: i < 3,
        lambda i, x: (i + 1, tf.concat([x, x], 0)),
        [0, x],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )[1]
    return [str(y.shape)], [y, tf.gradients(y, x)[0]]


@run
def forbidden_shape():
    x = tf.constant([1.0])
    return [], tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.concat([x, x], 0)), [0, x])


@run
def another_type_goes_round():
    return [], tf.while_loop(lambda i: i < 3, lambda i: tf.cast(i, tf.float32), [0])


@run
def another_structure_goes_round():
    return [], tf.while_loop(lambda i: i < 3, lambda i: (i, i), [0])


@run
def branches_of_two_types():
    return [], tf.cond(tf.constant(True), lambda: 1, lambda: 1.0)


@run
def no_results():
    return [], tf.cond(tf.constant(True), lambda: None, lambda: None)


@run
def python_predicate():
    return [], tf.cond(True, lambda: 1, lambda: 2)


@run
def predicate_of_one_element():
    return [], tf.cond(tf.constant([True]), lambda: 1, lambda: 2)


@run
def one_branch_uses_the_other():
    made = []

    def first():
        made.append(tf.constant(1) + 1)
        return made[0]

    return [], tf.cond(tf.constant(True), first, lambda: made[0] + 1)


@run
def structures():
    x = fed(3.0)
    y = tf.cond(x > 1, lambda: {"a": x, "b": [x * 2]}, lambda: {"a": x + 1, "b": [x]})
    z = tf.cond(x > 1, lambda: [x], lambda: [x + 1])
    return [y["b"][0].name, len(z)], [y, z]


@run
def operations_returned():
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    done = tf.cond(tf.constant(True), lambda: v.assign_add(2.0).op, lambda: tf.no_op())
    with tf.control_dependencies([done]):
        return [done.dtype.name], tf.identity(v.read_value())


@run
def variables():
    v = tf.get_variable("v", initializer=1.5, use_resource=True)
    w = tf.get_variable("w", initializer=1.5, use_resource=False)
    y = tf.cond(v > 1, lambda: v * v, lambda: v + 0)
    z = tf.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z * v), [0, 1.0])[1]
    u = tf.cond(w > 1, lambda: w * w, lambda: w)
    return [], [y, tf.gradients(y, v), z, tf.gradients(z, v), u, tf.gradients(u, w)]


@run
def slices():
    v = tf.get_variable("v", initializer=np.arange(6.0).reshape(3, 2).astype(np.float32), use_resource=True)
    y = tf.cond(tf.constant(True), lambda: tf.nn.embedding_lookup(v, [0, 2]), lambda: tf.zeros([2, 2]))
    z = tf.cond(tf.constant(False), lambda: tf.nn.embedding_lookup(v, [0, 2]), lambda: v[:2] * 2)
    gradients = [tf.gradients(t, v)[0] for t in (y, z)]
    return [type(g).__name__ for g in gradients], [y, z, [tf.convert_to_tensor(g) for g in gradients]]


@run
def looked_up_in_a_loop():
    v = tf.get_variable("v", initializer=np.arange(6.0).reshape(3, 2).astype(np.float32), use_resource=True)
    start = tf.zeros([1, 2])
    y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y + tf.gather(v, [i])), [0, start])[1]
    return [], [y, tf.convert_to_tensor(tf.gradients(y, v)[0])]


@run
def assignments_that_are_waited_for():
    v = tf.get_variable("v", initializer=1, use_resource=True)

    def body(i):
        with tf.control_dependencies([v.assign_add(i)]):
            return i + 1

    left = tf.while_loop(lambda i: i < 4, body, [0])
    with tf.control_dependencies([left]):
        return [], [left, v.read_value()]


@run
def assignments_that_nobody_waits_for():
    v = tf.get_variable("v", initializer=0, use_resource=True)

    def changing():
        v.assign_add(5)
        return tf.constant(1)

    y = tf.cond(tf.constant(True), changing, lambda: tf.constant(2))
    with tf.control_dependencies([y]):
        return [], [y, v.read_value()]


@run
def random_values_are_those_of_the_branch():
    x = fed(1.0)
    y = tf.cond(x > 0, lambda: tf.nn.dropout(tf.ones([1000]) * x, keep_prob=0.5), lambda: tf.ones([1000]) * x)
    return [], tf.reduce_sum(y) - tf.gradients(y, x)[0]


@run
def cases():
    x = fed(2.0)
    y = tf.case([(x > 3, lambda: x * x), (x > 1, lambda: x**3)], default=lambda: tf.sin(x), exclusive=True)
    z = tf.case([(x > 3, lambda: x * x), (x > 1, lambda: x**3)])
    return [], [y, tf.gradients(y, x)[0], z]


@run
def sparse_tensors():
    s = tf.SparseTensor([[0, 1]], [2.0], [2, 2])
    y = tf.cond(tf.constant(True), lambda: s, lambda: tf.SparseTensor([[0, 0]], [1.0], [2, 2]))
    z = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * 2.0), [0, s])[1]
    return [], [tf.sparse.to_dense(y), tf.sparse.to_dense(z)]


@run
def imported():
    x = tf.placeholder_with_default(np.float32(2), [], name="x")
    y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])[1]
    y = tf.identity(y, name="y")
    z = tf.cond(x > 1, lambda: x * 4, lambda: x, name="c")
    tf.identity(tf.gradients([y, z], x)[0], name="g")
    message = tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default():
        found = tf.import_graph_def(message, return_elements=["x:0", "y:0", "g:0", "c/Identity:0"], name="")
        gradients = [tf.gradients(found[i], found[0]) for i in (1, 3)]
        with tf.Session() as session:
            values = session.run([found, gradients])
    return values, tf.constant(0)


@run
def two_calls_of_gradients():
    x = fed(1.5)
    y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * tf.sin(x)), [0, x])[1]
    z = tf.cond(x > 1, lambda: x * tf.sin(x), lambda: x)
    return [], [tf.gradients(t, x)[0] for t in (y, y * 2, z, z * z)]


@run
def gradients_inside_a_loop():
    w = tf.get_variable("w", initializer=np.ones((2, 2), np.float32), use_resource=True)

    def body(i, inner):
        loss = tf.reduce_sum(tf.matmul(inner, inner))
        return i + 1, inner - 0.1 * tf.gradients(loss, inner)[0]

    return [], tf.while_loop(lambda i, _: i < 2, body, [0, w.read_value()])[1]


@run
def trained():
    v = tf.get_variable("v", initializer=np.ones((3, 2), np.float32))
    x = tf.constant(np.arange(6.0).reshape(2, 3).astype(np.float32))
    y = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.nn.relu(tf.matmul(x, v)), lambda: tf.matmul(x, v))
    with tf.control_dependencies([tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(y))]):
        return [], v.read_value()


@run
def collections():
    x = fed(2.0)

    def first():
        tf.add_to_collection("mine", 1)
        return x

    y = tf.cond(x > 1, first, lambda: x)
    return [tf.get_collection("mine"), len(tf.get_collection(tf.GraphKeys.COND_CONTEXT))], y


@run
def strings():
    y = tf.cond(tf.constant(True), lambda: tf.constant("a"), lambda: tf.constant("b"))
    z = tf.while_loop(lambda s: tf.strings.length(s) < 5, lambda s: s + "x", ["a"])
    return [], [y, z]


@run
def the_operation_itself():
    y = tf.cond(fed(2.0) > 1, lambda: tf.constant(1.0), lambda: tf.constant(2.0))
    return [], y.op.inputs[0]


@run
def traced():
    @tf.function
    def summed(x, n):
        total = 0.0
        for i in tf.range(n):
            if i % 2 == 0:
                total += x * tf.cast(i, tf.float32)
            else:
                total -= x
        while total > 3.0:
            total = total / 2.0
        return total

    x = fed(2.0)
    y = summed(x, tf.constant(6))
    return [], [y, tf.gradients(y, x)[0]]


tf.disable_control_flow_v2()
results["disabled"] = tf.control_flow_v2_enabled()
