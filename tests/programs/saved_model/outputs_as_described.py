"""What the signatures of a loaded model say of their outputs."""

import os
import tempfile

import tensorflow as tf

tf.enable_eager_execution()
v2 = tf.compat.v2
results = {}
folder = os.path.join(tempfile.mkdtemp(), "model")
root = v2.Module()
root.weight = tf.Variable(2.0)
root.served = v2.function(
    lambda x: {"scaled": x * root.weight, "total": tf.reduce_sum(x)},
    input_signature=[tf.TensorSpec([None, 2], tf.float32, name="given")],
)
v2.saved_model.save(root, folder, root.served)
loaded = v2.saved_model.load(folder)
signature = loaded.signatures["serving_default"]
described = signature.structured_outputs
results["kinds"] = {key: type(spec).__name__ for key, spec in described.items()}
results["named"] = {key: [spec.name, str(spec.shape), spec.dtype.name] for key, spec in described.items()}
found = signature(tf.constant([[1.0, 2.0]]))
results["values"] = {key: found[key].numpy() for key in described}
results["shapes"] = {key: str(shape) for key, shape in signature.output_shapes.items()}
again = os.path.join(tempfile.mkdtemp(), "again")
v2.saved_model.save(loaded, again, signature)
reloaded = v2.saved_model.load(again)
second = reloaded.signatures["serving_default"]
results["saved again"] = [sorted(second.structured_outputs), second(given=tf.constant([[3.0, 4.0]]))["total"].numpy()]
