"""Blocks of space in the batch or the depth, and sliding windows."""

import functools

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


x = numbers(2, 4, 6, 1)
none = [[0, 0], [0, 0]]
case("to batch", lambda x: tf.space_to_batch(x, none, 2), x, gradient=True)
case(
    "to batch padded",
    lambda x: tf.space_to_batch(x, [[1, 1], [0, 2]], block_size=2),
    x,
    dims=[[None, 4, 6, 1]],
    gradient=True,
)
case("to batch nd", lambda x: tf.space_to_batch_nd(x, [2, 3], none), x, gradient=True)
case("to batch one", lambda x: tf.space_to_batch_nd(x, [4], [[0, 0]]), x)
case(
    "to batch fed", lambda b, p, x: tf.space_to_batch_nd(x, b, p), index(2), index([2, 0]), x, dims=[[1], [1, 2], None]
)
case("to batch wrong", lambda x: tf.space_to_batch(x, none, 3), x)
case("to batch wrong fed", lambda x: tf.space_to_batch(x, none, 3), x, dims=[None])
case("from batch", lambda x: tf.batch_to_space(x, none, 2), numbers(4, 2, 3, 1), gradient=True)
case(
    "from batch cropped",
    lambda x: tf.batch_to_space_nd(x, [2, 2], [[1, 0], [0, 2]]),
    numbers(4, 2, 3, 2),
    gradient=True,
)
back = lambda b, p, x: tf.batch_to_space_nd(x, b, p)
case("from batch fed", back, index(2), index([1, 0]), numbers(4, 2, 2), dims=[[1], [1, 2], [None, 2, 2]])
case("from batch fed unknown", back, index(2), index([1, 0]), numbers(4, 2, 2), dims=[[None], [None, 2], [None, 2, 2]])
case("from batch wrong", lambda x: tf.batch_to_space(x, none, 2), numbers(3, 2, 2, 1))
case("to depth", lambda x: tf.space_to_depth(x, 2), x, gradient=True)
case("to depth unknown", lambda x: tf.space_to_depth(x, 2), x, dims=[[None, None, 6, 1]])
case("to depth wrong", lambda x: tf.space_to_depth(x, 4), x)
case("from depth", lambda x: tf.depth_to_space(x, 2), numbers(1, 2, 3, 8), gradient=True)
case("from depth wrong", lambda x: tf.depth_to_space(x, 2), numbers(1, 2, 3, 6))
case("paddings", lambda: tf.required_space_to_batch_paddings([5, 3], [2, 2]))
case("paddings base", lambda: tf.required_space_to_batch_paddings([5, 3], [2, 4], [[1, 0], [0, 1]]))
case("paddings fed", lambda s: tf.required_space_to_batch_paddings(s, [2, 4]), index(5, 3))
for padding in ("VALID", "SAME"):
    for step, rate in ((1, 1), (2, 1), (1, 2)):
        how = {"strides": [1, step, step, 1], "rates": [1, rate, rate, 1], "padding": padding}
        windows = functools.partial(tf.extract_image_patches, ksizes=[1, 2, 3, 1], **how)
        case("patches %s %d %d" % (padding, step, rate), windows, numbers(1, 4, 6, 2))
        case(
            "patches unknown %s %d %d" % (padding, step, rate), windows, numbers(1, 4, 6, 2), dims=[[None, None, 6, 2]]
        )
case(
    "volumes", lambda x: tf.extract_volume_patches(x, [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], "VALID"), numbers(1, 3, 3, 3, 1)
)
for kind in ("float64", "uint8", "int32", "int64"):
    case("of %s" % kind, lambda x: [tf.space_to_batch(x, none, 2), tf.space_to_depth(x, 2)], x.astype(kind))
