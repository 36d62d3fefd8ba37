"""Variables in branches and loops of a `tf.function` are read and written in the order of the text; what has a gradient."""

import tensorflow as tf

tf.compat.v1.enable_eager_execution()
tf.compat.v1.logging.set_verbosity("ERROR")
results = {}
v, w = tf.Variable(1.0), tf.Variable(2.0)


def values(*tensors):
    return [tensor.numpy().tolist() for tensor in (*tensors, v, w)]


@tf.function
def halved(x):
    v.assign(v * 0.5 + x)
    return v.read_value()


@tf.function
def of_branches(x):
    if x > 0.0:
        v.assign_add(1.0)
        first = v.read_value()
        v.assign(first * 5.0)
        second = v + 0.0
    else:
        first = v.read_value()
        v.assign_sub(3.0)
        second = halved(x)
        v.assign(7.0)
    return first, second, v.read_value()


@tf.function
def of_conditions(x):
    def grown():
        v.assign_add(x)
        return v.read_value()

    return tf.cond(x > 1.0, grown, lambda: v + 0.0), tf.cond(v > 9.0, lambda: w.assign(v * 2.0), grown)


@tf.function
def of_branches_in_branches(x):
    if x > 0.0:
        w.assign(x)
        if w > 1.0:
            v.assign(w * 3.0)
            w.assign(v - 1.0)
        x = w + v
    w.assign_add(x)
    return x, w.read_value()


@tf.function
def before_a_loop(x):
    v.assign(halved(x) * 0.5 + 1.0)
    i = tf.constant(0)
    while i < 2:
        w.assign(v * 0.25)
        x = w.read_value() + 0.0
        i += 1
    v.assign(x - 10.0)
    return x


@tf.function
def in_a_loop(x):
    total = 0.0
    for _ in tf.range(4):
        v.assign(v * 2.0)
        seen = v.read_value()
        if seen > 20.0:
            v.assign(1.0)
            total += v
        else:
            w.assign_add(seen + x)
            total += w
        while w > 30.0:
            w.assign(w - 25.0)
            total += w
    return total


for function in (of_branches, of_conditions, of_branches_in_branches, before_a_loop, in_a_loop):
    results[function.__name__] = []
    for x in (2.0, -0.5, 0.75):
        found = function(tf.constant(x))
        results[function.__name__].append(values(*tf.nest.flatten(found)))


def gradients(function):
    """The gradients of a function of two numbers by a tape, and in a graph."""
    traced = tf.function(function)
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        result = traced(x, y)
    found = [None if g is None else g.numpy() for g in tape.gradient(result, [x, y])]
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        x, y = tf.constant(2.0), tf.constant(3.0)
        made = tf.gradients(traced(x, y), [x, y])
        return found, [None if g is None else sess.run(g) for g in made]


results["gradients"] = {
    "compared": gradients(lambda x, y: tf.cast(x > 0.0, tf.float32) * y),
    "stopped": gradients(lambda x, y: tf.stop_gradient(x) * y),
    "of conditions": gradients(lambda x, y: tf.cond(x > 0.0, lambda: y * 1.0, lambda: y * 2.0)),
    "of one branch": gradients(lambda x, y: tf.cond(x > 0.0, lambda: x * 1.0, lambda: y * 2.0)),
    "stopped in a branch": gradients(lambda x, y: tf.cond(x > 0.0, lambda: tf.stop_gradient(x) * y, lambda: y)),
    "stopped in branches": gradients(
        lambda x, y: tf.cond(
            x > 0.0, lambda: tf.cond(y > 0.0, lambda: tf.stop_gradient(x), lambda: tf.constant(1.0)), lambda: y
        )
    ),
    "stopped in a loop": gradients(
        lambda x, y: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.stop_gradient(a) * y), [0, x])[1]
    ),
    "taken into a loop": gradients(
        lambda x, y: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.stop_gradient(x) * a), [0, y])[1]
    ),
}


@tf.function
def by_python(x, y):
    squared, product = tf.py_function(lambda a, b: (a * a, a * b), [x, y], [tf.float32, tf.float32])
    if x > 0.0:
        product = tf.py_function(lambda a: a * a * 0.5, [product], tf.float32)
    return squared + product * y


x, y = tf.constant(3.0), tf.constant(0.5)
with tf.GradientTape() as tape:
    tape.watch([x, y])
    z = by_python(x, y)
results["of Python functions"] = [z.numpy(), [g.numpy() for g in tape.gradient(z, [x, y])]]


@tf.function
def stepped(x):
    v.assign_add(1.0)
    return x * v


@tf.function
def stepped_before(x):
    y = stepped(x)
    v.assign(100.0)
    return y


@tf.function
def stepped_in_a_branch(x):
    y = tf.cond(x > 0.0, lambda: stepped(x) * x, lambda: x)
    v.assign(50.0)
    return y


@tf.function
def stepped_in_a_loop(x):
    for _ in tf.range(3):
        x = stepped(x)
        v.assign(v * 2.0)
    return x


@tf.function
def taped(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = stepped(x) * x
    v.assign(7.0)
    return tape.gradient(y, x)


results["of calls in functions"] = []
for function in (stepped_before, stepped_in_a_branch, stepped_in_a_loop):
    v.assign(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            z = function(x)
        slope = inner.gradient(z, x)
    second = tape.gradient(slope, x)
    results["of calls in functions"].append(values(z, slope, *([] if second is None else [second])))
v.assign(1.0)
results["of calls in functions"].append(values(taped(x)))

with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    counted = tf.Variable(0.0, use_resource=True)
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=True)
    x = tf.compat.v1.placeholder_with_default(2.0, [])

    @tf.function
    def counting(x):
        counted.assign_add(1.0)
        return x * x * counted

    @tf.function
    def rows(i, x):
        return tf.gather(table, i) * x, tf.stop_gradient(x)

    def counting_in_a_branch(x):
        return tf.cond(x > 0.0, lambda: counting(x) + 1.0, lambda: x)

    results["in graphs"] = []
    for function in (counting, tf.function(counting_in_a_branch), lambda x: counting(x) + counting(x)):
        y = function(x)
        slope = tf.gradients(y, x)[0]
        second = tf.gradients(slope, x)[0]
        sess.run(tf.compat.v1.global_variables_initializer())
        results["in graphs"].append(
            [sess.run(fetched) for fetched in ([y, slope], counted, slope, counted, second, counted)]
        )
    row, _ = rows([1, 1], x)
    slopes = tf.gradients(row, [table, x])
    results["rows"] = [type(slopes[0]).__name__, sess.run([row, tf.convert_to_tensor(slopes[0]), slopes[1]])]

noted = []


def note(x):
    noted.append(int(x))
    return x


@tf.function
def noting(n):
    for i in tf.range(n):
        if i > 0:
            tf.py_function(note, [i * 10], tf.int32)
        else:
            tf.py_function(note, [i * 10 + 5], tf.int32)
            if i < 5:
                tf.py_function(note, [i + 7], tf.int32)
        tf.py_function(note, [i], tf.int32)
        j = 0
        while j < 2:
            tf.py_function(note, [100 + j], tf.int32)
            j += 1
        tf.py_function(note, [-i], tf.int32)
    tf.py_function(note, [1000], tf.int32)
    return n


noting(tf.constant(3))
results["noted"] = noted

level = tf.Variable(1.0)


def raised(x):
    level.assign_add(1.0)
    return tf.identity(x * level, name="y")


wrapped = tf.compat.v1.wrap_function(raised, [tf.TensorSpec([], tf.float32)])
writes = [op for op in wrapped.graph.get_operations() if op.type == "AssignAddVariableOp"]
results["pruned"] = []
for pruned in (
    wrapped,
    wrapped.prune(wrapped.inputs[:1], "y:0"),
    wrapped.prune(wrapped.inputs[:1], ["y:0", writes[0]]),
):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nest.flatten(pruned(x))[0]
    results["pruned"].append([y.numpy(), *(g.numpy() for g in tape.gradient(y, [x, level])), level.numpy()])
