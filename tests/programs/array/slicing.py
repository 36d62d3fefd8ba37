"""Slices: what stands in brackets, tf.slice and tf.strided_slice, with known and fed bounds."""

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


x = numbers(4, 5, 3)
picks = {
    "one": lambda x: x[1],
    "last": lambda x: x[-1, -2],
    "scalar": lambda x: x[1, 2, 0],
    "range": lambda x: x[1:3],
    "open": lambda x: x[:, 2:, :2],
    "stride": lambda x: x[::2, 1::3],
    "backwards": lambda x: x[::-1, 3:0:-2],
    "ellipsis": lambda x: x[..., 1],
    "middle": lambda x: x[1, ..., ::-1],
    "new axis": lambda x: x[:, tf.newaxis, 1, ..., None],
    "beyond": lambda x: x[2:100, -100:2],
    "empty": lambda x: x[3:1],
    "list": lambda x: x[[1, 2]],
    "nothing": lambda x: x[()],
    "dimension": lambda x: x[tf.Dimension(2), : tf.Dimension(2)],
}
for name in sorted(picks):
    case(name, picks[name], x, gradient=True)
    case(name + ", rows unknown", picks[name], x, dims=[[None, 5, 3]], gradient=True)
    case(name + ", rank unknown", picks[name], x, dims=[None])
    case(name + ", text", picks[name], np.array([b"%d" % v for v in x.ravel()], object).reshape(x.shape))

case("by tensors", lambda i, x: [x[i], x[i:, 0], x[:i, ::-1], x[0, i : i + 2], x[-i]], np.int32(1), x)
case("by int64", lambda i, x: x[i, 1:], np.int64(2), x)
case("out of bounds", lambda x: x[7], x)
case("out of bounds below", lambda x: x[0, -6], x)
case("out of bounds fed", lambda i, x: x[i], np.int32(9), x)
case("out of bounds, unknown", lambda x: x[7], x, dims=[None])
case("too many", lambda x: x[0, 0, 0, 0], x)
case("two ellipses", lambda x: x[..., 0, ...], x)
case("float", lambda x: x[1.0], x)
case("text index", lambda x: x["a"], x)
case("vector index", lambda x: x[tf.constant([1, 2])], x)
case("mask", lambda x: x[x > 30.0], x, gradient=True)
case("mask of rows", lambda x: x[np.array([True, False, True, True])], x, gradient=True)
case("slice", lambda x: tf.slice(x, [1, 0, 1], [2, -1, 1]), x, gradient=True)
case("slice all", lambda x: tf.slice(x, [0, 0, 0], [-1, -1, -1]), x, gradient=True)
case("slice, unknown", lambda x: tf.slice(x, [1, 0, 1], [2, -1, 1]), x, dims=[[None, None, 3]], gradient=True)
case("slice, rank unknown", lambda x: tf.slice(x, [1, 0, 1], [2, -1, 1]), x, dims=[None])
case("slice fed", lambda b, s, x: tf.slice(x, b, s), index(1, 0, 1), index(2, -1, 1), x)
case("slice partly fed", lambda n, x: tf.slice(x, [1, 0, 0], [n, 2, -1]), np.int32(2), x)
case("slice too much", lambda x: tf.slice(x, [3, 0, 0], [2, 1, 1]), x)
case("slice too far", lambda b, x: tf.slice(x, b, [1, 1, 1]), index(5, 0, 0), x)
case("slice lengths", lambda x: tf.slice(x, [0, 0], [1, 1]), x)
case("slice text", lambda x: tf.slice(x, [0, 1], [-1, 2]), words)
case("strided", lambda x: tf.strided_slice(x, [3, 0], [0, 4], [-1, 2]), x, gradient=True)
case("strided without strides", lambda x: tf.strided_slice(x, [1, 0], [3, 4]), x)
case(
    "strided masks",
    lambda x: tf.strided_slice(x, [9, 1], [9, 2], [1, 1], begin_mask=1, end_mask=1, shrink_axis_mask=2),
    x,
)
case("strided new", lambda x: tf.strided_slice(x, [0, 0], [0, 0], [1, 1], new_axis_mask=1, ellipsis_mask=2), x)
case("strided fed", lambda b, e, s, x: tf.strided_slice(x, b, e, s), index(3, 0), index(0, 4), index(-2, 1), x)
case("strided fed bounds", lambda b, e, x: tf.strided_slice(x, b, e, [1, 1]), index(1, 0), index(3, 4), x)
case("strided zero", lambda x: tf.strided_slice(x, [0], [1], [0]), x)
case("strided shrink back", lambda x: tf.strided_slice(x, [2], [1], [-1], shrink_axis_mask=1), x)
case("second gradient", lambda x: tf.gradients(tf.square(x[1:3, 0]), x)[0][1], x, gradient=True)
for kind in ("float64", "uint8", "int16", "uint16", "int64", "bool", "complex64"):
    case("of %s" % kind, lambda x: [x[1, ::-1], x[..., 0], tf.slice(x, [0, 1, 0], [1, 2, -1])], x.astype(kind))
