"""Functions of saved objects: what serves by itself, lists for tensors, and what is refused."""

import os
import tempfile

import tensorflow as tf

tf.enable_eager_execution()
v2 = tf.compat.v2
results = {}
folder = tempfile.mkdtemp()


def failing(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "none"


def saved_and_loaded(root, *signatures):
    path = os.path.join(folder, str(len(os.listdir(folder))))
    v2.saved_model.save(root, path, *signatures)
    return v2.saved_model.load(path)


scalar = tf.TensorSpec([], tf.float32)
root = v2.Module()
root.nested = v2.function(lambda x: {"a": (x, [x + 1.0]), "b": x * 2.0}, input_signature=[scalar])
loaded = saved_and_loaded(root)
found = loaded.nested(tf.constant(1.0))
results["nested"] = [sorted(found), found["a"][0].numpy(), found["a"][1][0].numpy(), sorted(loaded.signatures)]

root = v2.Module()
root.plain = v2.function(lambda x: {"y": x * 2.0, "z": x}, input_signature=[tf.TensorSpec([None], tf.float32)])
loaded = saved_and_loaded(root, root.plain)
served = loaded.signatures["serving_default"]
results["serves"] = {name: value.numpy() for name, value in served(x=tf.constant([1.0, 2.0])).items()}
results["list"] = {name: value.numpy() for name, value in loaded.plain([1.0, 2.0]).items()}
results["refused"] = [
    failing(lambda: served()),
    failing(lambda: served(q=tf.constant([1.0]))),
    failing(lambda: loaded.plain([[1.0]])),
    failing(lambda: loaded.plain(tf.constant([1]))),
    failing(lambda: loaded.signatures["other"]),
]

root = v2.Module()
root.items = [tf.Variable(1.0), v2.Module()]
loaded = saved_and_loaded(root)
results["list of objects"] = [type(loaded.items).__name__, len(loaded.items), loaded.items[0].numpy()]

for name in ("saved_model.pb", "saved_model.pbtxt"):
    path = tempfile.mkdtemp()
    with open(os.path.join(path, name), "w") as file:
        file.write("no message")
    try:
        v2.saved_model.load(path)
    except IOError as error:
        results["damaged " + name] = "Cannot parse file" in str(error)
