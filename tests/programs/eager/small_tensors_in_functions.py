"""Small eager tensors that functions use: their values are known inside, so shapes are static and ops have their order."""

import tensorflow as tf

tf.enable_eager_execution()
results = {}
count, sizes = tf.constant(3), tf.constant([2, 3])
pair, many, text = tf.constant([1.0, 2.0]), tf.zeros([200]), tf.constant("a")
variable = tf.Variable([1.0, 2.0])
spec = tf.TensorSpec([None], tf.float32)


def shape_in_function(function):
    concrete = tf.function(function, autograph=False).get_concrete_function(spec)
    return [output.shape.as_list() for output in concrete.outputs]


for name, function in {
    "zeros": lambda x: tf.zeros(sizes),
    "fill": lambda x: tf.fill([count, 2], 1.0),
    "reshape": lambda x: tf.reshape(x, [-1, count]),
    "range": lambda x: tf.range(count),
    "one_hot": lambda x: tf.one_hot(tf.cast(x, tf.int32), count),
    "random": lambda x: tf.random.normal([count, 2]),
    "reduce": lambda x: tf.reduce_sum(tf.ones([2, 3, 4]), axis=count - 1),
    "slice": lambda x: tf.ones([5, 2])[:count],
    "concat": lambda x: tf.concat([tf.ones([2, 3]), tf.ones([2, 3])], count - 2),
    "tile": lambda x: tf.tile(tf.ones([2]), [count]),
    "transpose": lambda x: tf.transpose(tf.ones([2, 3]), sizes - 2),
    "pad": lambda x: tf.pad(tf.ones([2]), [[count, count]]),
    "eye": lambda x: tf.eye(count),
    "linspace": lambda x: tf.linspace(0.0, 1.0, count),
    "scatter": lambda x: tf.scatter_nd([[0]], [1.0], [count]),
    "mask": lambda x: tf.sequence_mask([1, 2], count),
    "broadcast": lambda x: tf.broadcast_to(x, [count, 5]),
    "static value": lambda x: tf.zeros(tf.get_static_value(sizes)),
}.items():
    results[name] = shape_in_function(function)


def ops(function):
    concrete = tf.function(function, autograph=False).get_concrete_function(tf.TensorSpec([2], tf.float32))
    # Those made of a tensor without a name are called by a number.
    names = {op.name: "number" if op.name.isdigit() else op.name for op in concrete.graph.get_operations()}
    listed = [
        (names[op.name], op.type, [names[i.op.name] for i in op.inputs]) for op in concrete.graph.get_operations()
    ]
    inputs = [names[tensor.op.name] for tensor in concrete.inputs]
    outputs = [names[tensor.op.name] for tensor in concrete.outputs]
    return listed, inputs, outputs, len(concrete.captured_inputs)


def assigned(x):
    variable.assign(pair)
    variable.assign_add(pair + x)
    return variable + pair


for name, function in {
    "second operand": lambda x: x + pair,
    "first operand": lambda x: pair * x,
    "twice": lambda x: tf.add(pair, pair) + x,
    "large": lambda x: tf.square(many),
    "converted": lambda x: tf.convert_to_tensor(pair) + x,
    "returned": lambda x: pair,
    "of a shape": lambda x: (tf.reshape(x, [count - 2, 2]), text),
    "dropout": lambda x: tf.nn.dropout(pair, rate=0.5),
    "lists": lambda x: (tf.concat([pair, x, pair], 0), tf.stack([count, count]), tf.gather(x, count - 2)),
    "item": lambda x: x[count - 2 :],
    "strings and casts": lambda x: (tf.strings.join([text, text]), x * tf.cast(count, tf.float32)),
    "assignments": assigned,
    "structure": lambda x: {"a": pair, "b": [x, count]},
}.items():
    results["ops: " + name] = ops(function)


@tf.function
def drawn():
    tf.set_random_seed(3)
    kept = tf.nn.dropout(pair, rate=0.5)
    return kept, tf.random.uniform([2]) + tf.cast(count, tf.float32), tf.random.normal([count])


results["drawn"] = [value.numpy() for value in drawn()]


@tf.function
def scaled(x):
    return x * pair


with tf.GradientTape() as tape:
    tape.watch(pair)
    loss = tf.reduce_sum(scaled(tf.constant([3.0, 4.0])))
results["gradient"] = tape.gradient(loss, pair).numpy()


def first_and_second(function, source):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(source)
        with tf.GradientTape() as inner:
            inner.watch(source)
            y = tf.function(function)(x)
        first = inner.gradient(y, source)
    second = None if first is None else outer.gradient(first, source)
    return [None if gradient is None else tf.convert_to_tensor(gradient).numpy() for gradient in (first, second)]


scale = tf.constant(3.0)
for name, function in {
    "cubed": lambda x: tf.reduce_sum(x * scale**3),
    "of two": lambda x: tf.reduce_sum(x * pair**3) * scale,
    "nested": lambda x: tf.function(lambda z: tf.reduce_sum(z * scale * scale))(x) * scale,
    "branch": lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: tf.reduce_sum(x * scale**3), lambda: tf.reduce_sum(x)),
    "alone": lambda x: scale**4,
    "returned": lambda x: scale,
    "stopped": lambda x: tf.stop_gradient(scale) * scale * scale,
    "normalized": lambda x: tf.reduce_sum(tf.nn.softmax(pair * x) ** 2),
}.items():
    results["derivatives: " + name] = [first_and_second(function, source) for source in (scale, pair)]

wrapped = tf.compat.v1.wrap_function(lambda x: x * scale + 1.0, [tf.TensorSpec([], tf.float32)])
results["pruned"] = wrapped.prune(wrapped.inputs, wrapped.outputs[0])(tf.constant(2.0)).numpy()
