"""Mistakes with loops, conditionals, TensorArrays and Python functions: the class of the error, and when it comes."""

import numpy as np
import tensorflow as tf

results = {}
BUILDING, RUNNING = "building", "running"
# Mistakes that may be found before TensorFlow finds them.
EARLY = ["array: write another dtype", "loop: body returns another dtype", "map_fn: another dtype"]


def mistake(name, build):
    """Notes whether building or running `build()` fails, and with which error."""
    with tf.Graph().as_default():
        feeds = {}
        try:
            fetched = build(feeds)
        except Exception as error:
            results[name] = [BUILDING if name not in EARLY else RUNNING, type(error).__name__]
            return
        with tf.Session() as sess:
            try:
                sess.run(tf.global_variables_initializer())
                sess.run(fetched, feeds)
                results[name] = ["no error"]
            except Exception as error:
                results[name] = [RUNNING, type(error).__name__]


def unknown(feeds, value):
    """A placeholder of unknown shape, fed with `value`."""
    x = tf.placeholder(tf.as_dtype(np.asarray(value).dtype))
    feeds[x] = value
    return x


one = lambda: tf.constant(1.0)

CONDS = {
    "cond: predicate is a Python bool": lambda f: tf.cond(True, one, one),
    "cond: predicate is an int tensor": lambda f: tf.cond(tf.constant(1), one, one),
    "cond: predicate is a vector": lambda f: tf.cond(tf.constant([True, False]), one, one),
    "cond: predicate is a vector at run time": lambda f: tf.cond(unknown(f, np.array([True, False])), one, one),
    "cond: branch is no function": lambda f: tf.cond(tf.constant(True), 1.0, one),
    "cond: branches of other dtypes": lambda f: tf.cond(tf.constant(True), one, lambda: tf.constant(1)),
    "cond: branches of other counts": lambda f: tf.cond(tf.constant(True), one, lambda: [one(), one()]),
    "cond: branches of other structures": lambda f: tf.cond(
        tf.constant(True), lambda: (one(), one()), lambda: [one(), one()]
    ),
    "cond: branch returns nothing": lambda f: tf.cond(tf.constant(True), one, lambda: None),
    "cond: both fn1 and true_fn": lambda f: tf.cond(tf.constant(True), one, one, fn1=one),
    "cond: branch takes an argument": lambda f: tf.cond(tf.constant(True), lambda x: x, one),
    "case: nothing": lambda f: tf.case([]),
    "case: predicate is no bool": lambda f: tf.case([(tf.constant(1), one)]),
    "case: no branch taken": lambda f: tf.case([(unknown(f, np.array(False)), one)], exclusive=True),
    "case: two exclusive branches": lambda f: tf.case(
        [(unknown(f, np.array(True)), one), (unknown(f, np.array(True)), one)], default=one, exclusive=True
    ),
    "case: value is no function": lambda f: tf.case([(tf.constant(True), 3)]),
}


def inside_of_a_branch(feeds):
    kept = []
    tf.cond(tf.constant(True), lambda: kept.append(one() * 2.0) or kept[0], one)
    return kept[0]


def inside_of_a_loop(feeds):
    kept = []
    tf.while_loop(lambda i: i < 3, lambda i: kept.append(i + 1) or kept[0], [0])
    return kept[0]


def used_outside(feeds):
    kept = []
    tf.while_loop(lambda i: i < 3, lambda i: kept.append(i + 1) or kept[0], [0])
    return kept[0] + 1


LOOPS = {
    "loop: no variables": lambda f: tf.while_loop(lambda: True, lambda: (), []),
    "loop: condition is no function": lambda f: tf.while_loop(True, lambda i: i, [0]),
    "loop: body is no function": lambda f: tf.while_loop(lambda i: i < 3, 3, [0]),
    "loop: condition is no bool": lambda f: tf.while_loop(lambda i: i, lambda i: i + 1, [0]),
    "loop: condition is a vector": lambda f: tf.while_loop(lambda i: i < [3, 4], lambda i: i + 1, [0]),
    "loop: condition is a vector at run time": lambda f: tf.while_loop(
        lambda i, v: v, lambda i, v: (i + 1, v), [0, unknown(f, np.array([True, False]))]
    ),
    "loop: body returns more": lambda f: tf.while_loop(lambda i: i < 3, lambda i: [i + 1, i], [0]),
    "loop: body returns fewer": lambda f: tf.while_loop(lambda i, j: i < 3, lambda i, j: [i + 1], [0, 1]),
    "loop: body returns another structure": lambda f: tf.while_loop(
        lambda i, p: i < 3, lambda i, p: (i + 1, [p[0], p[1]]), (0, (1, 2))
    ),
    "loop: body returns another dtype": lambda f: tf.while_loop(lambda i: i < 3, lambda i: tf.to_float(i) + 1.0, [0]),
    "loop: shape changes": lambda f: tf.while_loop(
        lambda i, v: i < 3, lambda i, v: (i + 1, tf.concat([v, v], 0)), [0, tf.ones([2])]
    ),
    "loop: rank changes": lambda f: tf.while_loop(
        lambda i, v: i < 3, lambda i, v: (i + 1, tf.expand_dims(v, 0)), [0, tf.ones([2])]
    ),
    "loop: invariant does not fit": lambda f: tf.while_loop(
        lambda i, v: i < 3,
        lambda i, v: (i + 1, v),
        [0, tf.ones([2])],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([3])],
    ),
    "loop: invariants of another structure": lambda f: tf.while_loop(
        lambda i, v: i < 3, lambda i, v: (i + 1, v), [0, tf.ones([2])], shape_invariants=[tf.TensorShape([])]
    ),
    "loop: maximum_iterations is a float": lambda f: tf.while_loop(
        lambda i: i < 3, lambda i: i + 1, [0], maximum_iterations=2.5
    ),
    "loop: maximum_iterations is a vector": lambda f: tf.while_loop(
        lambda i: i < 3, lambda i: i + 1, [0], maximum_iterations=[2]
    ),
    "loop: parallel_iterations is 0": lambda f: tf.while_loop(
        lambda i: i < 3, lambda i: i + 1, [0], parallel_iterations=0
    ),
    "loop: variable is no tensor": lambda f: tf.while_loop(lambda i: True, lambda i: i, [object()]),
    "loop: assertion fails": lambda f: tf.while_loop(
        lambda i: i < 3, lambda i: (tf.check_numerics(1.0 / tf.to_float(1 - i), "no") > 0 and i + 1) or i + 1, [0]
    ),
    "loop: check in the body": lambda f: tf.while_loop(
        lambda i, v: i < 3, lambda i, v: (i + 1, tf.check_numerics(v / tf.to_float(1 - i), "no")), [0, 1.0]
    ),
    "loop: shapes meet at run time": lambda f: tf.while_loop(
        lambda i, v: i < 3,
        lambda i, v: (i + 1, tf.matmul(v, v)),
        [0, unknown(f, np.ones((2, 3), np.float32))],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)],
    ),
    "branch's tensor fetched": inside_of_a_branch,
    "loop's tensor fetched": inside_of_a_loop,
    "loop's tensor used outside": used_outside,
    "map_fn: no function": lambda f: tf.map_fn(3, tf.ones([2])),
    "map_fn: another dtype": lambda f: tf.map_fn(lambda x: tf.to_int32(x), tf.ones([2])),
    "map_fn: another structure": lambda f: tf.map_fn(lambda x: (x, x), tf.ones([2])),
    "map_fn: a scalar": lambda f: tf.map_fn(lambda x: x, tf.constant(1.0)),
    "map_fn: lengths differ": lambda f: tf.map_fn(
        lambda x: x[0] + x[1], (tf.ones([2]), tf.ones([3])), dtype=tf.float32
    ),
    "scan: result changes shape": lambda f: tf.scan(
        lambda a, x: tf.concat([a, [x]], 0), tf.ones([3]), initializer=tf.ones([1])
    ),
    "foldl: no function": lambda f: tf.foldl(None, tf.ones([2])),
}


def array(size=2, dtype=tf.float32, **how):
    return tf.TensorArray(dtype, size=size, **how)


ARRAYS = {
    "array: read past the end": lambda f: array().write(0, 1.0).read(5),
    "array: read before the start": lambda f: array().write(0, 1.0).read(-1),
    "array: write past the end": lambda f: array().write(2, 1.0).flow,
    "array: write another dtype": lambda f: array().write(0, tf.constant(1)).flow,
    "array: write twice": lambda f: array().write(0, 1.0).write(0, 2.0).flow,
    "array: read twice": lambda f: (lambda a: [a.read(0), tf.identity(a.read(0))])(
        array(clear_after_read=True).write(0, 1.0)
    ),
    "array: read what was not written": lambda f: array().write(0, 1.0).read(1),
    "array: stack what was not written": lambda f: array(element_shape=[]).write(0, 1.0).stack(),
    "array: stack what was not written, of unknown shape": lambda f: (
        array().write(0, unknown(f, np.float32(1))).stack()
    ),
    "array: write other shapes": lambda f: array().write(0, [1.0]).write(1, [1.0, 2.0]).flow,
    "array: write other shapes at run time": lambda f: (
        array(infer_shape=False)
        .write(0, unknown(f, np.ones(1, np.float32)))
        .write(1, unknown(f, np.ones(2, np.float32)))
        .stack()
    ),
    "array: write against the element shape": lambda f: array(element_shape=[3]).write(0, [1.0]).flow,
    "array: unstack a scalar": lambda f: array().unstack(tf.constant(1.0)).flow,
    "array: unstack too many": lambda f: array().unstack(tf.ones([3])).flow,
    "array: scatter past the end": lambda f: array().scatter([0, 7], tf.ones([2])).flow,
    "array: gather past the end": lambda f: array().unstack(tf.ones([2])).gather([0, 9]),
    "array: split lengths that do not add up": lambda f: array(infer_shape=False).split(tf.ones([4]), [1, 2]).flow,
    "array: split a scalar": lambda f: array(infer_shape=False).split(tf.constant(1.0), [1]).flow,
    "array: index is a float": lambda f: array().write(0.5, 1.0).flow,
    "array: no dtype": lambda f: tf.TensorArray(None, size=2),
    "array: size and handle": lambda f: tf.TensorArray(tf.float32, size=2, handle=array().handle, flow=array().flow),
    "array: negative size": lambda f: array(size=-1).size(),
}


def failing(value):
    raise ValueError("a message of mine")


def in_functions(build):
    """What `build` makes of loops that are functions."""

    def built(f):
        tf.enable_control_flow_v2()
        try:
            return build(f)
        finally:
            tf.disable_control_flow_v2()

    return built


def counting(*invariants):
    return lambda f: tf.while_loop(
        lambda i, v: i < 3, lambda i, v: (i + 1, v), [tf.constant(0), tf.ones([2])], shape_invariants=list(invariants)
    )


INVARIANTS = {
    "invariants: None": (None, None),
    "invariants: a list": (tf.TensorShape([]), [2]),
    "invariants: shapes": (tf.TensorShape([]), tf.TensorShape([None])),
}
for name, invariants in sorted(INVARIANTS.items()):
    LOOPS[name] = counting(*invariants)
    LOOPS[name + ", in a function"] = in_functions(counting(*invariants))

PY_FUNCS = {
    "py_func: no function": lambda f: tf.py_func(3, [1.0], tf.float32),
    "py_func: another dtype": lambda f: tf.py_func(lambda x: 1.0, [1.0], tf.float32),
    "py_func: too few": lambda f: tf.py_func(lambda x: x, [1.0], [tf.float32, tf.float32]),
    "py_func: too many": lambda f: tf.py_func(lambda x: (x, x), [1.0], [tf.float32]),
    "py_func: nothing": lambda f: tf.py_func(lambda x: None, [1.0], tf.float32),
    "py_func: fails": lambda f: tf.py_func(failing, [1.0], tf.float32),
    "py_func: wrong number of arguments": lambda f: tf.py_func(lambda: 1.0, [1.0], tf.float64),
    "py_func: ragged": lambda f: tf.py_func(lambda x: object(), [1.0], tf.float32),
    "py_func: fails in a loop": lambda f: tf.while_loop(
        lambda i, v: i < 3,
        lambda i, v: (i + 1, tf.py_func(failing, [v], tf.float32)),
        [0, 1.0],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)],
    ),
    "py_func: fails in a branch": lambda f: tf.cond(
        unknown(f, np.array(True)), lambda: tf.py_func(failing, [1.0], tf.float32), one
    ),
    "py_func: gradient": lambda f: tf.gradients(tf.py_func(lambda x: x, [one()], tf.float32), [one()]),
    "py_func: shape does not hold": lambda f: (lambda y: [y.set_shape([2]), y][1] + tf.ones([2]))(
        tf.py_func(lambda x: np.ones(3, np.float32), [1.0], tf.float32)
    ),
}

for table in (CONDS, LOOPS, ARRAYS, PY_FUNCS):
    for name, build in table.items():
        mistake(name, build)
