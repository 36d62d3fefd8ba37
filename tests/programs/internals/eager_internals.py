"""`eager.context`, `eager.execute` and `eager.core` as unit tests and tools of the years use them."""

import tensorflow as tf
from tensorflow.python.eager import context, core, execute
from tensorflow.python.framework import ops

results = {}
tf.enable_eager_execution()
ctx = context.context()

# Devices.
for name in ["cpu:0", "/device:CPU:0", "/job:localhost/device:CPU:0"]:
    with ctx.device(name):
        results["device " + name] = ctx.device_name
        results["spec " + name] = ctx.device_spec.to_string()
        with ctx.device(None):
            results["none in " + name] = ctx.device_name
results["device"] = ctx.device_name
results["modes"] = [context.SYNC, context.ASYNC, ctx.execution_mode, ctx.device_policy]
results["flags"] = [bool(ctx.log_device_placement), ctx.optimizer_jit, ctx.executing_eagerly(), ctx.num_gpus()]
results["unknown function"] = ctx.has_function("nothing of this name")
try:
    with ctx.device(3):
        pass
except ValueError as error:
    results["no name"] = str(error).split(".")[0]

# Operations by name.
T = ("T", tf.float32.as_datatype_enum)
one, two = tf.constant(1.0), tf.constant(2.0)
results["sum"] = [t.numpy() for t in execute.execute(b"Add", 1, [one, two], T, ctx)]
results["product"] = execute.execute(
    b"MatMul", 1, [tf.ones([2, 3]), tf.ones([2, 4])], ("transpose_a", True, "transpose_b", False) + T, ctx
)[0].numpy()
results["parts"] = [
    t.numpy() for t in execute.execute(b"Split", 2, [tf.constant(0), tf.range(4.0)], ("num_split", 2) + T, ctx)
]
results["joined"] = execute.execute(
    b"ConcatV2",
    1,
    [tf.range(2.0), tf.range(3.0), tf.constant(0)],
    ("N", 2) + T + ("Tidx", tf.int32.as_datatype_enum),
    ctx,
)[0].numpy()
results["nothing"] = execute.execute(b"NoOp", 0, [], (), ctx)
try:
    execute.execute(b"NoSuchOp", 1, [], (), ctx)
except tf.errors.NotFoundError as error:
    results["no op"] = error.error_code

# Values as tensors.
kind, tensors = execute.args_to_matching_eager([1, two], ctx)
results["matching"] = [kind, [t.numpy() for t in tensors]]
kind, tensors = execute.args_to_matching_eager([1, 2], ctx, tf.int64)
results["default"] = [kind, [t.numpy() for t in tensors]]
kinds, tensors = execute.convert_to_mixed_eager_tensors([1.0, tf.constant(2)], ctx)
results["mixed"] = [kinds, [t.numpy() for t in tensors]]

for make, values in [
    ("make_int", [3, 3.7, "3", [1]]),
    ("make_float", [2, 0.5, "x"]),
    ("make_bool", [True, 1, None]),
    ("make_str", ["text", b"bytes", 3]),
    ("make_type", ["float32", tf.int64, "nothing"]),
    ("make_shape", [[1, None], [], None, 3, "x"]),
]:
    for value in values:
        try:
            results["%s %r" % (make, value)] = getattr(execute, make)(value, "argument")
        except Exception as error:
            results["%s %r" % (make, value)] = type(error).__name__

results["status"] = type(core._status_to_exception(3, "text")).__name__
results["raised"] = issubclass(core._NotOkStatusException, Exception)

# Shape functions are noted and never called.
shape = ops.RegisterShape("SomeOpOfThisProgram")(lambda op: [])
results["shape function"] = callable(shape)
try:
    ops.RegisterShape("SomeOpOfThisProgram")(lambda op: [None])
except KeyError:
    results["registered twice"] = True
