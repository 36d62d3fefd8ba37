"""Joining tensors, taking them apart, repeating, padding and permuting them."""

import numpy as np
import tensorflow as tf

results = {}


def case(name, build, *arrays, **options):
    """One expression in a graph of its own: the operations made, static shapes, values, and gradients if asked for.

    `dims` are the static shapes of the placeholders that `arrays` are fed to, their own by default.
    """
    dims = options.get("dims") or [array.shape for array in arrays]
    with tf.Graph().as_default() as graph:
        inputs = [tf.placeholder(array.dtype, shape, "x") for array, shape in zip(arrays, dims)]
        try:
            outputs = build(*inputs)
        except (TypeError, ValueError) as error:
            results[name] = type(error).__name__
            return
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        said = {"made": ["%s %s" % (op.name, op.type) for op in graph.get_operations()]}
        said["shapes"] = [str(output.get_shape()) for output in outputs]
        said["types"] = [output.dtype.name for output in outputs]
        feed = dict(zip(inputs, arrays))
        with tf.Session() as session:
            try:
                values = said["values"] = session.run(outputs, feed)
            except tf.errors.OpError as error:
                said["values"] = type(error).__name__
            if options.get("gradient"):
                weights = [np.arange(1, v.size + 1).reshape(v.shape).astype(v.dtype) for v in values]
                count = len(graph.get_operations())
                wanted = [x for x in inputs if x.dtype.is_floating]
                gradients = tf.gradients(outputs, wanted, [tf.constant(w, name="w") for w in weights])
                made = graph.get_operations()[count:]
                said["gradient made"] = ["%s %s" % (op.name, op.type) for op in made]
                parts = [g for g in gradients if g is not None]
                dense = [tf.convert_to_tensor(g) for g in parts]
                said["gradients"] = [type(g).__name__ for g in gradients]
                said["gradient values"] = session.run(dense, feed)
        results[name] = said


def numbers(*shape):
    return np.arange(1, np.prod(shape, dtype=int) + 1).reshape(shape).astype(np.float32)


words = np.array([[b"a", b"bb", b""], [b"ccc", b"a", b"\xff"]], dtype=object)


def index(*values):
    return np.array(values, np.int32)


x, y = numbers(2, 3), -numbers(1, 3)
case("concat", lambda x, y: tf.concat([x, y], 0), x, y, gradient=True)
case("concat last", lambda x, y: tf.concat([x, x, x], -1), x, y, gradient=True)
case("concat unknown", lambda x, y: tf.concat([x, y], 0), x, y, dims=[[None, 3], [None, None]], gradient=True)
case("concat rank unknown", lambda x, y: tf.concat([x, y], 0), x, y, dims=[None, [1, 3]])
case("concat fed axis", lambda a, x: tf.concat([x, x], a), np.int32(1), x)
case("concat one", lambda x: tf.concat([x], 0), x, gradient=True)
case("concat lists", lambda x: tf.concat([x, [[7, 8, 9]]], 0), x)
case("concat mismatch", lambda x, y: tf.concat([x, y], 1), x, y)
case("concat mismatch fed", lambda x, y: tf.concat([x, y], 1), x, y, dims=[None, None])
case("concat axis out", lambda x: tf.concat([x, x], 2), x)
case("concat scalars", lambda x: tf.concat([x, x], 0), np.float32(1))
case("concat many", lambda x: tf.concat([x] * 18, 1), x, dims=[[None, 3]], gradient=True)
case("concat text", lambda x: tf.concat([x, x], 1), words)
case("concat empty", lambda x, y: tf.concat([x, y], 0), x, numbers(0, 3))
case("stack", lambda x, y: tf.stack([x, x + 1.0]), x, y, gradient=True)
case("stack last", lambda x: tf.stack([x, x], axis=-1), x, dims=[[None, 3]], gradient=True)
case("stack numbers", lambda: [tf.stack([1, 2]), tf.stack([[1, 2], [3, 4]], 1), tf.stack([1.0, 2])])
case("stack mixed", lambda x: tf.stack([x, 2.0, [3.0][0]]), np.float32(1), gradient=True)
case("stack merge", lambda x, y: tf.stack([x, y]), x, x, dims=[[None, 3], [2, None]])
case("stack mismatch", lambda x, y: tf.stack([x, y]), x, y)
case("stack axis out", lambda x: tf.stack([x, x], 4), x)
case("stack text", lambda x: tf.stack([x, x], 1), words)
case(
    "nested lists",
    lambda x: tf.reshape(x, [[1, 2], [x[0], 3]][0]) + tf.reduce_sum([[1.0, 2.0], [x[0], 3.0]]),
    numbers(2),
)
case("parallel", lambda x: tf.parallel_stack([x, x]), x)
case("unstack", tf.unstack, x, gradient=True)
case("unstack last", lambda x: tf.unstack(x, axis=-1), x, dims=[[None, 3]], gradient=True)
case("unstack num", lambda x: tf.unstack(x, num=2), x, dims=[None])
case("unstack wrong num", lambda x: tf.unstack(x, num=3), x, dims=[None])
case("unstack unknown", tf.unstack, x, dims=[[None, 3]])
case("unstack axis out", lambda x: tf.unstack(x, axis=2), x)
case("unstack text", tf.unstack, words)
case("split", lambda x: tf.split(x, 3, 1), x, gradient=True)
case("split sizes", lambda x: tf.split(x, [1, -1], axis=1), x, gradient=True)
case("split unknown", lambda x: tf.split(x, 2), x, dims=[[None, 3]], gradient=True)
case("split sizes unknown", lambda x: tf.split(x, [1, 2], -1), x, dims=[[2, None]])
case("split fed axis", lambda a, x: tf.split(x, 3, a), np.int32(1), x)
case("split fed sizes", lambda s, x: tf.split(x, s, 1), index(2, 1), x)
case("split not even", lambda x: tf.split(x, 2, 1), x)
case("split not even fed", lambda x: tf.split(x, 2, 1), x, dims=[None])
case("split wrong sizes", lambda x: tf.split(x, [1, 1], 1), x)
case("split wrong sizes fed", lambda s, x: tf.split(x, s, 1), index(2, 2), x)
case("split text", lambda x: tf.split(x, 3, 1) + tf.split(x, [2, 1], 1), words)
case("tile", lambda x: tf.tile(x, [2, 1]), x, gradient=True)
case("tile unknown", lambda x: tf.tile(x, [2, 3]), x, dims=[[None, 3]], gradient=True)
case("tile fed", lambda m, x: tf.tile(x, m), index(1, 2), x, gradient=True)
case("tile none", lambda x: tf.tile(x, [0, 1]), x)
case("tile wrong", lambda x: tf.tile(x, [2]), x)
case("tile negative", lambda m, x: tf.tile(x, m), index(1, -2), x)
case("tile text", lambda x: tf.tile(x, [1, 2]), words)
case("meshgrid", lambda: tf.meshgrid([1, 2], [3.0, 4.0, 5.0][1:] and [3, 4, 5]))
case("meshgrid ij", lambda x: tf.meshgrid(x, x, [7.0], indexing="ij"), numbers(2), gradient=True)
case("repeat", lambda x: tf.repeat(x, 2, axis=1), x, gradient=True)
case("repeat counts", lambda x: tf.repeat(x, [1, 2], axis=0), x, gradient=True)
case("repeat counts last", lambda x: tf.repeat(x, [0, 2, 1], axis=1), x, dims=[[None, 3]])
case("repeat flat", lambda x: tf.repeat(x, 2), x, dims=[None])
case("pad", lambda x: tf.pad(x, [[1, 0], [2, 1]]), x, gradient=True)
case("pad unknown", lambda x: tf.pad(x, [[1, 0], [2, 1]]), x, dims=[[None, 3]], gradient=True)
case("pad partly", lambda n, x: tf.pad(x, [[1, n], [2, 1]]), np.int32(2), x, gradient=True)
case("pad fed", lambda p, x: tf.pad(x, p), np.array([[0, 1], [1, 0]], np.int32), x, dims=[[None, 2], None])
case("pad value", lambda x: tf.pad(x, [[1, 0], [2, 1]], constant_values=9), x, gradient=True)
case("pad value fed", lambda v, x: tf.pad(x, [[1, 0], [2, 1]], constant_values=v), np.float32(4), x)
case("pad reflect", lambda x: tf.pad(x, [[1, 0], [2, 1]], "REFLECT"), x, gradient=True)
case("pad symmetric", lambda x: tf.pad(x, [[2, 1], [3, 0]], "symmetric"), x, gradient=True)
case("pad reflect far", lambda p, x: tf.pad(x, p, "REFLECT"), np.array([[2, 0], [0, 0]], np.int32), x)
case("pad mode", lambda x: tf.pad(x, [[1, 0], [2, 1]], "AROUND"), x)
case("pad rank", lambda x: tf.pad(x, [[1, 0]]), x)
case("pad negative", lambda x: tf.pad(x, [[-1, 0], [0, 0]]), x)
case("transpose", tf.transpose, x, gradient=True)
case("transpose perm", lambda x: tf.transpose(x, [2, 0, 1]), numbers(2, 3, 4), gradient=True)
case("transpose unknown", lambda x: tf.transpose(x, [1, 0]), x, dims=[[None, 3]], gradient=True)
case("transpose rank unknown", tf.transpose, x, dims=[None], gradient=True)
case("transpose fed", lambda p, x: tf.transpose(x, p), index(1, 0), x, gradient=True)
case("transpose wrong", lambda x: tf.transpose(x, [0, 2]), x)
case("transpose wrong fed", lambda p, x: tf.transpose(x, p), index(0, 0), x)
case("transpose text", tf.transpose, words)
case("conjugate", lambda x: tf.transpose(x, conjugate=True), np.array([[1 + 2j, 3 - 1j]], np.complex64))
case("matrix_transpose", tf.matrix_transpose, numbers(2, 3, 4), gradient=True)
case("matrix_transpose unknown", tf.matrix_transpose, numbers(2, 3), dims=[None])
case("matrix_transpose vector", tf.matrix_transpose, numbers(2))
case("invert", lambda p: tf.invert_permutation(p), index(2, 0, 1))
case("invert wrong", lambda p: tf.invert_permutation(p), index(2, 0, 0))
case("reverse", lambda x: tf.reverse(x, [-1]), x, gradient=True)
case("reverse both", lambda a, x: tf.reverse(x, a), index(0, 1), x)
case("reverse twice", lambda x: tf.reverse(x, [0, -2]), x)
case("reverse text", lambda x: tf.reverse(x, [0]), words)
case("reverse_sequence", lambda n, x: tf.reverse_sequence(x, n, seq_axis=1), index(2, 3), x, gradient=True)
case("reverse_sequence batch", lambda n, x: tf.reverse_sequence(x, n, seq_dim=0, batch_dim=1), index(2, 0, 1), x)
case("reverse_sequence far", lambda n, x: tf.reverse_sequence(x, n, seq_axis=1), index(2, 4), x)
case("roll", lambda x: tf.roll(x, 1, 1), x, gradient=True)
case("roll both", lambda x: tf.roll(x, [1, -1], [0, 1]), x, dims=[None])
case("roll text", lambda x: tf.roll(x, 1, 0), words)
for kind in ("float16", "float64", "uint8", "int16", "int64", "bool", "complex64"):
    array = numbers(2, 3).astype(kind)
    case("joined %s" % kind, lambda x: [tf.concat([x, x], 0), tf.stack([x, x], 2), tf.tile(x, [2, 1])], array)
    case("moved %s" % kind, lambda x: [tf.transpose(x), tf.reverse(x, [1])], array)
    case("parts of %s" % kind, lambda x: tf.unstack(x) + tf.split(x, [1, 2], 1), array)
