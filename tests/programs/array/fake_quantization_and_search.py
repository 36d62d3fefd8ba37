"""Floats kept to the values of integer types, and places in sorted rows."""

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


x = np.linspace(-8, 8, 24).reshape(4, 6).astype(np.float32)
case("args", lambda x: tf.fake_quant_with_min_max_args(x, min=-3.0, max=5.0, num_bits=4), x, gradient=True)
case("args narrow", lambda x: tf.fake_quant_with_min_max_args(x, narrow_range=True), x, gradient=True)
case(
    "vars", lambda x, a, b: tf.fake_quant_with_min_max_vars(x, a, b, 3), x, np.float32(-2), np.float32(6), gradient=True
)
case("vars of one sign", lambda x, a, b: tf.fake_quant_with_min_max_vars(x, a, b), x, np.float32(1), np.float32(6))
case(
    "vars none",
    lambda x, a, b: tf.fake_quant_with_min_max_vars(x, a, b),
    x,
    np.float32(0),
    np.float32(0),
    gradient=True,
)
low, high = np.float32([-1, -2, -3, 0, 0, -8]), np.float32([1, 1, 5, 7, 0, 0])
channels = tf.quantization.fake_quant_with_min_max_vars_per_channel
case("channels", lambda x, a, b: channels(x, a, b, num_bits=5), x, low, high, gradient=True)
rounded = tf.quantization.quantize_and_dequantize
for signed in (True, False):
    for mode in ("HALF_TO_EVEN", "HALF_UP"):
        how = {"signed_input": signed, "round_mode": mode, "num_bits": 4}
        name = "%s %s" % (signed, mode)
        given = functools.partial(rounded, input_min=-4.0, input_max=6.0, range_given=True, **how)
        found = functools.partial(rounded, input_min=0.0, input_max=0.0, narrow_range=True, **how)
        case("given " + name, given, x, gradient=True)
        case("found " + name, found, x)
case("sorted left", lambda s, v: tf.searchsorted(s, v), np.float32([1, 3, 3, 5]), np.float32([3, 0, 4, 9]))
case(
    "sorted right",
    lambda s, v: tf.searchsorted(s, v, "right", tf.int64),
    index([1, 3, 3], [2, 4, 6]),
    index([3, 1], [6, 7]),
)
case("sorted side", lambda s, v: tf.searchsorted(s, v, "middle"), index(1, 2), index(1))
