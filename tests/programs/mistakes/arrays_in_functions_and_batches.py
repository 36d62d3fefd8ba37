"""TensorArrays, conditions and ranges inside of functions, batches of unknown size, places, feeds of several parts."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
C = tf.constant


def ones(*shape):
    return np.ones(shape, np.float32)


def traced(function):
    """What a function without arguments gives when it is traced and called."""
    return tf.function(function, autograph=False)().numpy()


def array(size=2):
    return tf.TensorArray(tf.float32, size)


def counted(n):
    total = 0
    for i in range(n):
        total = total + i
    return total


def from_two(n):
    total = 0
    for i in range(2, n):
        total = total + i
    return total


def chosen(x):
    if x:
        y = 1
    else:
        y = "a"
    return y


def halves(x):
    return tf.cast(x, tf.int32)


def over_loop():
    _, made = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a.write(i, i)), [C(0), array()])
    return made.stack()


def read_in_loop():
    filled = array(3).unstack([1.0, 2.0, 3.0])
    step = lambda i, s: (i + 1, s + filled.read(0) * filled.read(i))
    return tf.while_loop(lambda i, s: i < 3, step, [C(0), C(0.0)])[1]


def slope_of_reads():
    x = C([1.0, 2.0, 3.0])

    def square(x):
        filled = array(3).unstack(x)
        return filled.read(0) * filled.read(0) + filled.read(2)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(square, autograph=False)(x)
    return tape.gradient(y, x).numpy()


def read_after_closing():
    filled = array().unstack([1.0, 2.0])
    filled.close()
    return filled.read(1)


CASES = {
    "read twice": lambda: traced(lambda: (lambda a: a.read(0) + a.read(0))(array().unstack([1.0, 2.0]))),
    "read and stacked": lambda: traced(lambda: (lambda a: a.read(0) + a.stack())(array().unstack([1.0, 2.0]))),
    "read in a loop": lambda: traced(read_in_loop),
    "slope of reads": slope_of_reads,
    "closed": lambda: traced(read_after_closing),
    "unstack": lambda: traced(lambda: array().unstack(C([1, 2])).stack()),
    "scatter": lambda: traced(lambda: array().scatter([0, 1], C([1, 2])).stack()),
    "split": lambda: traced(lambda: array().split(C([1, 2]), [1, 1]).concat()),
    "write": lambda: traced(lambda: array().write(0, C(1)).stack()),
    "write in a loop": lambda: traced(over_loop),
    "map": lambda: traced(lambda: tf.map_fn(halves, C([1.0, 2.0]))),
    "map to texts": lambda: traced(lambda: tf.map_fn(lambda x: "a", C([1, 2]))),
    "map of a type": lambda: traced(lambda: tf.map_fn(lambda x: x, C([1.0, 2.0]), dtype=tf.int32)),
    "scan": lambda: traced(lambda: tf.scan(lambda a, x: halves(x), C([1.0, 2.0]))),
    "fold": lambda: traced(lambda: tf.foldl(lambda a, x: halves(x), C([1.0, 2.0]))),
    "range of a bool": lambda: tf.function(counted)(True).numpy(),
    "range of a negative number": lambda: tf.function(counted)(C(-3)).numpy(),
    "range to less": lambda: tf.function(from_two)(C(-3)).numpy(),
    "range between": lambda: tf.function(from_two)(C(5)).numpy(),
    "range of a truth": lambda: tf.function(counted)(C(True)).numpy(),
    "range of a text": lambda: tf.function(counted)(C("a")).numpy(),
    "condition of a number": lambda: traced(lambda: tf.cond(C(1), lambda: C(1), lambda: C(2))),
    "condition of a number, types": lambda: traced(lambda: tf.cond(C(1), lambda: C(1), lambda: C("a"))),
    "condition of a vector": lambda: traced(lambda: tf.cond(C([True]), lambda: C(1), lambda: C(2))),
    "if of a number": lambda: tf.function(chosen)(C(1)),
}


def rows_in_place(updates):
    variable = tf.Variable([1.0, 2.0])
    tf.scatter_add(variable, [0], updates)
    return variable.numpy()


CASES["rows of a loose shape"] = lambda: rows_in_place([[1.0]])


def squared(make, compiled):
    """A model whose product of two batches only fits where there are as many samples as features."""
    model = tf.keras.Sequential([tf.keras.layers.Lambda(lambda x: tf.matmul(x, x))])
    if compiled:
        model.compile("sgd", "mse")
    made = make(model)
    return made if isinstance(made, np.ndarray) else "made"


def pairs(drop):
    return tf.data.Dataset.from_tensor_slices((ones(4, 2), ones(4, 2))).batch(4, drop_remainder=drop)


def singles(drop):
    return tf.data.Dataset.from_tensor_slices(ones(4, 2)).batch(4, drop_remainder=drop)


for size in (None, 2, 3, 5):
    CASES["predict by %s" % size] = lambda s=size: squared(lambda m: m.predict(ones(4, 2), batch_size=s), False)
    CASES["compiled predict by %s" % size] = lambda s=size: squared(lambda m: m.predict(ones(4, 2), batch_size=s), True)
    CASES["fit by %s" % size] = lambda s=size: squared(
        lambda m: m.fit(ones(4, 2), ones(4, 2), batch_size=s, verbose=0), True
    )
    CASES["evaluate by %s" % size] = lambda s=size: squared(
        lambda m: m.evaluate(ones(4, 2), ones(4, 2), batch_size=s, verbose=0), True
    )
for drop in (True, False):
    CASES["predict a dataset %s" % drop] = lambda d=drop: squared(lambda m: m.predict(singles(d)), False)
    CASES["compiled predict a dataset %s" % drop] = lambda d=drop: squared(lambda m: m.predict(singles(d)), True)
    CASES["fit a dataset %s" % drop] = lambda d=drop: squared(lambda m: m.fit(pairs(d), verbose=0), True)


def eagerly_in_graph(train):
    with tf.Graph().as_default():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
        model.compile("sgd", "mse", run_eagerly="x")
        train(model)


CASES["eager fit in a graph"] = lambda: eagerly_in_graph(lambda m: m.fit(ones(4, 2), ones(4, 1), verbose=0))
CASES["eager batch in a graph"] = lambda: eagerly_in_graph(lambda m: m.train_on_batch(ones(4, 2), ones(4, 1)))


def sparse(value):
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.sparse_placeholder(tf.float32)
        return sess.run(tf.sparse_tensor_to_dense(x), {x: value})


PARTS = {
    "array": ones(2),
    "matrix": ones(2, 2),
    "two": ([[0, 0]], [1.0]),
    "two of wrong shapes": ([1.0], [1.0]),
    "one": ([[0, 0]],),
    "none": (),
    "all": ([[0, 0]], [1.0], [1, 1]),
}
for name in PARTS:
    CASES["parts: " + name] = lambda n=name: sparse(PARTS[n])


def placed(where):
    with tf.Graph().as_default(), tf.colocate_with(where):
        return np.asarray(C(1).op.colocation_groups())


for name, where in {"number": 3, "text": "a", "list": [1], "object": object(), "none": None}.items():
    CASES["placed with a " + name] = lambda w=where: placed(w)


def outcome(make):
    """The class of the error, or what is made."""
    try:
        made = make()
    except Exception as error:
        return type(error).__name__
    return np.asarray(made) if isinstance(made, (np.ndarray, np.number)) else "made"


for name in sorted(CASES):
    results[name] = outcome(CASES[name])
