"""Feeding and fetching: the structures that work, and the exception of everything that does not."""

import collections

import numpy as np
import tensorflow as tf

results = {}
x = tf.placeholder(tf.float32, [None, 2], name="x")
n = tf.placeholder(tf.int32, [], name="n")
product = x * 2.0
y = tf.reduce_sum(product, 1, name="y")
v = tf.get_variable("v", [2], initializer=tf.constant_initializer(4.0))
constant = tf.constant([1.0, 2.0], name="constant")
default = tf.placeholder_with_default([5.0], [None], name="default")
Pair = collections.namedtuple("Pair", "first second")
ones = np.ones([3, 2], np.float32)

sess = tf.Session()
sess.run(v.initializer)
results["fetched"] = {
    "one": sess.run(y, {x: ones}),
    "by name": sess.run("y:0", {"x:0": ones}),
    "op": sess.run(y.op, {x: ones}),
    "list": sess.run([y, [x, ()]], {x: ones}),
    "dict": sess.run({"a": y, "b": {"c": n}}, {x: ones, n: 3}),
    "namedtuple": list(sess.run(Pair(first=n, second=[n]), {n: 3})),
    "variable": sess.run(v),
    "nothing": sess.run([]),
    "intermediate fed": sess.run(y, {product: [[1.0, 2.0]]}),
    "constant fed": sess.run(constant + 1.0, {constant: [10.0, 20.0]}),
    "variable fed": sess.run(v * 2.0, {v: [1.0, 1.0]}),
    "default": [sess.run(default * 2.0), sess.run(default * 2.0, {default: [1.0, 2.0]})],
    "float64 becomes float32": sess.run(y, {x: [[0.1, 0.2]]}),
    "int becomes float": sess.run(y, {x: [[1, 2]]}),
    "eval": [y.eval({x: ones}, sess), v.eval(session=sess)],
    "same fetch twice": sess.run([n, n], {n: 1}),
}
run = sess.make_callable([y, n], [x, n])
results["callable"] = run(ones, 8)

other = tf.Graph()
with other.as_default():
    stranger = tf.constant(1.0)
unset = tf.get_variable("unset", [])
nan = tf.check_numerics(tf.log(tf.constant(-1.0)), "here")
indices = tf.placeholder(tf.int32, [None])
gathered = tf.gather(constant, indices)
target = tf.placeholder(tf.int32, [2])
reshaped = tf.reshape(x, target)
asserted = tf.Assert(tf.less(n, 3), [n])


def refused(*arguments):
    try:
        sess.run(*arguments)
    except Exception as error:
        if isinstance(error, tf.errors.OpError):
            return [type(error).__name__, error.error_code, error.op.name if error.op else None]
        return [type(error).__name__]
    return ["nothing"]


results["refused"] = {
    "not fed": refused(y),
    "wrong shape": refused(y, {x: np.ones([3, 3])}),
    "wrong rank": refused(y, {x: np.ones([2])}),
    "wrong dtype": refused(n, {n: "three"}),
    "float for an int": refused(n * 1, {n: 1.5}),
    "ragged": refused(y, {x: [[1.0], [1.0, 2.0]]}),
    "a tensor as the value": refused(y, {x: constant}),
    "None fetched": refused(None),
    "number fetched": refused(3),
    "unknown name": refused("no_such:0"),
    "op name as a tensor": refused("y:1"),
    "unknown name fed": refused(y, {"no_such:0": 1}),
    "number fed": refused(y, {3: 1}),
    "other graph fetched": refused(stranger),
    "other graph fed": refused(y, {stranger: 1.0}),
    "uninitialized": refused(unset + 1.0),
    "nan": refused(nan),
    "index out of range": refused(gathered, {indices: [5]}),
    "size mismatch when running": refused(reshaped, {x: np.ones([2, 2]), target: [3, 3]}),
    "assertion": refused(asserted, {n: 4}),
}
results["still works"] = sess.run(y, {x: ones})
sess.close()
results["closed"] = refused(y, {x: ones})


def building(action):
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "nothing"


results["while building"] = {
    "eval without a session": building(lambda: constant.eval()),
    "two graphs": building(lambda: tf.add(stranger, constant)),
    "mismatched shapes": building(lambda: tf.matmul(x, tf.zeros([3, 2]))),
    "mismatched dtypes": building(lambda: tf.add(constant, tf.constant([1, 2]))),
    "bad attribute": building(
        lambda: tf.nn.conv2d(tf.zeros([1, 4, 4, 1]), tf.zeros([2, 2, 1, 1]), [1, 1, 1, 1], "SOME")
    ),
    "unknown tensor": building(lambda: tf.get_default_graph().get_tensor_by_name("no_such:0")),
    "unknown operation": building(lambda: tf.get_default_graph().get_operation_by_name("no_such")),
    "malformed tensor name": building(lambda: tf.get_default_graph().get_tensor_by_name("constant")),
    "no conversion": building(lambda: tf.constant(object())),
    "None": building(lambda: tf.convert_to_tensor(None)),
}
tf.get_default_graph().finalize()
results["finalized"] = building(lambda: tf.constant(1))


# Structures of tensors are fed with structures of values: the states of recurrent networks.
with tf.Graph().as_default():
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(2), tf.nn.rnn_cell.GRUCell(3)])
    state = cell.zero_state(2, tf.float32)
    sparse = tf.sparse_placeholder(tf.float32)
    scalar = tf.placeholder(tf.float32, [])
    moved = tf.contrib.framework.nest.map_structure(lambda part: part * 2.0 + scalar, state)
    total = tf.sparse_reduce_sum(sparse) + scalar
    shifted = [moved[0].c, moved[0].h, moved[1]]
    structures = {}
    with tf.Session() as sess:
        start = (tf.nn.rnn_cell.LSTMStateTuple(np.ones([2, 2]), np.zeros([2, 2])), np.full([2, 3], 3.0))
        structures["state"] = sess.run(shifted, {state: start, scalar: 1.0})
        structures["together"] = sess.run(shifted, {(state, scalar): (start, 0.5)})
        for name, wrong in (("short", start[:1]), ("array", np.zeros([2]))):
            try:
                sess.run(shifted, {state: wrong, scalar: 1.0})
            except ValueError as error:
                structures[name] = str(error).split(" Key:")[0]
        try:
            sess.run(total, {(sparse, scalar): (tf.SparseTensorValue([[0]], [1.0], [2]), 5.0)})
        except ValueError as error:
            structures["sparse"] = str(error).split(" Key:")[0]
    results["structures"] = structures

# Python integers that a type cannot hold.
results["held"] = held = {}
numbers = {"bool": (3, 1), "uint8": (300,), "int8": (-200,), "float16": (100000,), "float32": (2**24 + 1,)}
with tf.Graph().as_default(), tf.Session() as own:
    for name, given in numbers.items():
        fed = tf.placeholder(name)
        for number in given:
            try:
                held["%s %d" % (name, number)] = own.run(fed, {fed: number})
            except TypeError as error:
                held["%s %d" % (name, number)] = type(error).__name__

# What is fed is what is fetched: an array, of one number too.
with tf.Graph().as_default(), tf.Session() as own:
    number, texts = tf.placeholder(tf.float32), tf.placeholder(tf.string)
    fed = {number: 3, texts: b"a"}
    run = own.run([number, number * 2.0, [texts]], fed)
    called = own.make_callable([number, number + 1.0], [number])(4)
    results["fed and fetched"] = [
        isinstance(value, np.ndarray) for value in (*run[:2], run[2][0], own.run(number, fed), *called)
    ]
