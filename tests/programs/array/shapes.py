"""Shapes as tensors and ops that change only the shape, with all, some or nothing known beforehand."""

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


for known in ([2, 3], [None, 3], None):
    at = {"dims": [known]}
    case("shape %s" % known, tf.shape, numbers(2, 3), **at)
    case("shape int64 %s" % known, lambda x: tf.shape(x, out_type=tf.int64), numbers(2, 3), **at)
    case("size %s" % known, tf.size, numbers(2, 3), **at)
    case("rank %s" % known, tf.rank, numbers(2, 3), **at)
    case("flatten %s" % known, lambda x: tf.reshape(x, [-1]), numbers(2, 3), gradient=True, **at)
    case("reshape %s" % known, lambda x: tf.reshape(x, [3, -1]), numbers(2, 3), gradient=True, **at)
    case("keep rows %s" % known, lambda x: tf.reshape(x, [tf.shape(x)[0], 3, 1]), numbers(2, 3), **at)
    case("expand %s" % known, lambda x: tf.expand_dims(x, -1), numbers(2, 3), gradient=True, **at)
    case("squeeze %s" % known, lambda x: tf.squeeze(tf.expand_dims(x, 0)), numbers(2, 3), gradient=True, **at)
    case("squeeze axis %s" % known, lambda x: tf.squeeze(tf.expand_dims(x, 1), [1]), numbers(2, 3), gradient=True, **at)
    case("old names %s" % known, lambda x: tf.squeeze(tf.expand_dims(x, dim=0), squeeze_dims=0), numbers(2, 3), **at)
    case("shape_n %s" % known, lambda x: tf.shape_n([x, x]), numbers(2, 3), **at)
    case("zeros of shape %s" % known, lambda x: tf.zeros(tf.shape(x)), numbers(2, 3), **at)
    case("zeros_like %s" % known, tf.zeros_like, numbers(2, 3), **at)
    case("ones_like %s" % known, lambda x: tf.ones_like(x, tf.int64), numbers(2, 3), **at)
    case("unoptimized %s" % known, lambda x: tf.zeros_like(x, optimize=False), numbers(2, 3), **at)

fed = {"dims": [[None], [None, None]]}
case("reshape to fed", lambda s, x: tf.reshape(x, s), index(3, -1), numbers(2, 3), gradient=True, **fed)
case("reshape wrong", lambda s, x: tf.reshape(x, s), index(4, 2), numbers(2, 3), **fed)
case("reshape no fit", lambda s, x: tf.reshape(x, s), index(4, -1), numbers(2, 3), **fed)
case("reshape two unknown", lambda s, x: tf.reshape(x, s), index(-1, -1), numbers(2, 3), **fed)
case("reshape empty", lambda s, x: tf.reshape(x, s), index(3, -1), numbers(0, 3), **fed)
case("reshape known wrong", lambda x: tf.reshape(x, [4, 2]), numbers(2, 3))
case("reshape rank", lambda x: tf.reshape(x, 6), numbers(2, 3))
case("fill fed", lambda s: tf.fill(s, 2.5), index(2, 2), dims=[[2]])
case("fill negative", lambda s: tf.fill(s, 2.5), index(2, -2), dims=[[2]])
case("fill gradient", lambda v: tf.fill([2, 3], v), np.float32(2), gradient=True)
case("broadcast to fed", lambda s, x: tf.broadcast_to(x, s), index(2, 2, 3), numbers(2, 1), dims=[[None], None])
case("broadcast", lambda x: tf.broadcast_to(x, [4, 2, 3]), numbers(2, 1), gradient=True)
case("broadcast wrong", lambda s, x: tf.broadcast_to(x, s), index(4, 3), numbers(2, 1), dims=[[None], None])
case("broadcast shapes", tf.broadcast_dynamic_shape, index(2, 1, 3), index(4, 1), dims=[[None], [2]])
case("broadcast shapes wrong", tf.broadcast_dynamic_shape, index(2, 5), index(4, 1))
case("expand by fed", lambda a, x: tf.expand_dims(x, a), np.int32(1), numbers(2, 3))
case("expand out of range", lambda x: tf.expand_dims(x, 4), numbers(2, 3))
case("squeeze not one", lambda x: tf.squeeze(x, [0]), numbers(2, 1))
case("squeeze fed not one", lambda x: tf.squeeze(x, [0]), numbers(2, 1), dims=[None])
case("ensure", lambda x: tf.ensure_shape(x, [None, 3]), numbers(2, 3), dims=[None], gradient=True)
case("ensure wrong", lambda x: tf.ensure_shape(x, [None, 4]), numbers(2, 3), dims=[None])
case("identity_n", lambda x: tf.identity_n([x, tf.shape(x)]), numbers(2, 3))
case("stop", lambda x: x * tf.stop_gradient(x), numbers(3), gradient=True)
case("zeros of list", lambda x: tf.zeros([tf.shape(x)[0], 5]), numbers(2, 3), dims=[[None, 3]])
case("zeros of mixed", lambda x: tf.zeros([2, tf.shape(x)[0], 4], tf.bool), numbers(2, 3), dims=[[None, 3]])
case("zeros", lambda: [tf.zeros([2, 3]), tf.zeros(3), tf.zeros(tf.TensorShape([2])), tf.zeros([40, 50]), tf.zeros([])])
case(
    "ones",
    lambda: [tf.ones([2, 3], tf.int64), tf.ones(np.array([2])), tf.ones([1], tf.bool), tf.ones([], tf.complex64)],
)
case("zeros text", lambda: [tf.zeros([2], tf.string), tf.fill([2, 2], "w")])
case("text", lambda x: [tf.reshape(x, [3, 2]), tf.expand_dims(x, 1), tf.squeeze(x[:1]), tf.identity(x)], words)
case("text shapes", lambda x: [tf.shape(x), tf.size(x), tf.rank(x), tf.zeros_like(x)], words, dims=[None])
case("static", lambda: [tf.reshape(tf.range(6), tf.stack([2, 3])), tf.zeros(tf.shape(tf.zeros([2, 3]))[1:])])
for kind in ("float16", "float64", "uint8", "int8", "int16", "uint16", "int64", "bool", "complex64", "complex128"):
    array = numbers(2, 3).astype(kind)
    case(
        "of %s" % kind,
        lambda x: [tf.reshape(x, [3, 2]), tf.zeros_like(x, optimize=False), tf.fill([2], x[0, 1])],
        array,
    )
results["static broadcast"] = str(tf.broadcast_static_shape(tf.TensorShape([None, 1, 3]), tf.TensorShape([4, None])))
