"""SavedModels and checkpoints as real TensorFlow 2.21 writes them.

    python tools/oracle/make_tf2_models.py tests/fixtures/models_tf2

Runs in the environment of TensorFlow 2.21. Beside each SavedModel stands `example.npz`: what is fed as `in:KEY`, and
what its signature gives as `out:KEY`; beside the checkpoints `values.npz`.
"""

import os
import shutil
import sys

import numpy as np
import tensorflow as tf

FLOAT = np.float32
Spec = tf.TensorSpec


def random(*shape):
    return np.random.RandomState(len(shape) + sum(shape)).randn(*shape).astype(FLOAT)


class Vocabulary(tf.Module):
    """A table from an asset, one of constants, an embedding."""

    def __init__(self, path):
        super().__init__()
        with open(path, "w") as file:
            file.write("the\ncat\nsat\n")
        self.asset = tf.saved_model.Asset(path)
        line, number = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
        rows = tf.lookup.TextFileInitializer(self.asset, tf.string, line, tf.int64, number)
        self.table = tf.lookup.StaticVocabularyTable(rows, 2)
        pairs = tf.lookup.KeyValueTensorInitializer(["a", "the"], [1.0, 2.0])
        self.scores = tf.lookup.StaticHashTable(pairs, -1.0)
        self.embedding = tf.Variable(random(5, 3))

    @tf.function(input_signature=[Spec([None], tf.string, name="words")])
    def serve(self, words):
        ids = self.table.lookup(words)
        found = tf.nn.embedding_lookup(self.embedding, ids)
        return {"ids": ids, "scores": self.scores.lookup(words), "found": found}


class Flow(tf.Module):
    """Loops that break, grow lists and count in a variable; a second signature that differentiates."""

    def __init__(self):
        super().__init__()
        self.w = tf.Variable(random(3, 3))
        self.calls = tf.Variable(0, dtype=tf.int64)

    @tf.function(input_signature=[Spec([None, 3], tf.float32, name="x"), Spec([], tf.int32, name="n")])
    def serve(self, x, n):
        self.calls.assign_add(1)
        sums = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for i in tf.range(n):
            x = tf.tanh(x @ self.w) if i % 2 == 0 else x * 1.5
            if tf.reduce_max(x) > 50.0:
                break
            sums = sums.write(sums.size(), tf.reduce_sum(x))
        chosen = tf.switch_case(n % 3, [lambda: x, lambda: x * 2, lambda: x + 5])
        rows = tf.map_fn(lambda row: tf.reduce_sum(row) * row, x)
        return {"x": x, "sums": sums.stack(), "chosen": chosen, "rows": rows, "calls": self.calls.read_value()}

    @tf.function(input_signature=[Spec([None, 3], tf.float32, name="x")])
    def slope(self, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(x @ self.w) ** 2)
        return {"slope": tape.gradient(y, x)}


class Images(tf.Module):
    """From a PNG file to what convolutions make of it."""

    def __init__(self):
        super().__init__()
        self.filters = tf.Variable(random(3, 3, 3, 4))

    @tf.function(input_signature=[Spec([], tf.string, name="file")])
    def serve(self, file):
        image = tf.io.decode_image(file, 3, expand_animations=False)
        image = tf.image.resize(tf.image.convert_image_dtype(image, tf.float32), [8, 8])[None]
        y = tf.nn.gelu(tf.nn.conv2d(image, self.filters, 2, "SAME"))
        return {"y": y, "products": tf.einsum("bijc,bijd->cd", y, y), "counts": tf.math.bincount([1, 2, 1, 5])}


class Examples(tf.Module):
    """Serialized Examples with dense, sparse and ragged features."""

    @tf.function(input_signature=[Spec([None], tf.string, name="serialized")])
    def serve(self, serialized):
        kinds = {
            "dense": tf.io.FixedLenFeature([2], tf.float32),
            "sparse": tf.io.VarLenFeature(tf.string),
            "ragged": tf.io.RaggedFeature(tf.int64),
        }
        found = tf.io.parse_example(serialized, kinds)
        return {
            "dense": found["dense"],
            "sparse": tf.sparse.to_dense(found["sparse"]),
            "ragged": found["ragged"].values,
            "splits": found["ragged"].row_splits,
        }


class Numbers(tf.Module):
    """A dataset inside the function."""

    @tf.function(input_signature=[Spec([], tf.int64, name="n")])
    def serve(self, n):
        total = tf.constant(0, tf.int64)
        for value in tf.data.Dataset.range(n).map(lambda a: a * 2).filter(lambda a: a > 2):
            total += value
        return {"total": total}


def saved(folder, module, signatures, **fed):
    tf.saved_model.save(module, folder, signatures=signatures)
    noted(folder, fed)


def noted(folder, fed):
    """What the default signature gives, as it is loaded."""
    signature = tf.saved_model.load(folder).signatures["serving_default"]
    found = signature(**{key: tf.constant(value) for key, value in fed.items()})
    arrays = {"in:" + key: np.asarray(value) for key, value in fed.items()}
    arrays.update({"out:" + key: value.numpy() for key, value in found.items()})
    np.savez(folder + "/example.npz", **arrays)


def keras(folder):
    """A recurrent network, exported for serving."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input([5], dtype="int32", name="tokens"),
            layers.Embedding(10, 4, mask_zero=True),
            layers.Bidirectional(layers.LSTM(3, return_sequences=True)),
            layers.GRU(3),
            layers.Dense(1),
        ]
    )
    model.export(folder, verbose=False)
    loaded = tf.saved_model.load(folder).signatures["serving_default"]
    (key,) = loaded.structured_input_signature[1]
    noted(folder, {key: np.random.RandomState(0).randint(0, 10, [2, 5]).astype(np.int32)})


def checkpoints(folder):
    """Objects with an optimizer's slots, and variables by name in both formats."""
    os.makedirs(folder)
    weights, scale = tf.Variable(random(2, 3), name="weights"), tf.Variable(2.0, name="scale")
    optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
    optimizer.build([weights])
    objects = tf.train.Checkpoint(net=tf.train.Checkpoint(weights=weights, parts=[scale]), optimizer=optimizer)
    objects.save(folder + "/objects")
    values = {"weights": weights.numpy(), "scale": scale.numpy()}
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v1.disable_resource_variables()
        with v1.variable_scope("layer", partitioner=v1.fixed_size_partitioner(2)):
            rows = v1.get_variable("rows", [5, 2], initializer=v1.random_uniform_initializer(seed=1))
        half = v1.get_variable("half", initializer=tf.constant(random(3), tf.bfloat16))
        words = v1.get_variable("words", initializer=tf.constant(["a", "bc"]))
        step = v1.train.get_or_create_global_step()
        session.run(v1.global_variables_initializer())
        for version in (1, 2):
            names = {
                "layer/rows": rows,
                "words": words,
                "global_step": step,
                **({"half": half} if version == 2 else {}),
            }
            saver = v1.train.Saver(names, write_version=version)
            saver.save(session, folder + "/named_v%d" % version, write_meta_graph=False, write_state=False)
        values.update(
            {"layer/rows": session.run(tf.convert_to_tensor(rows)), "half": session.run(tf.cast(half, tf.float32))}
        )
    np.savez(folder + "/values.npz", **values)
    os.remove(folder + "/checkpoint")


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    vocabulary = Vocabulary(folder + "/words.txt")
    saved(folder + "/vocabulary", vocabulary, vocabulary.serve, words=np.array([b"cat", b"the", b"zzz"]))
    flow = Flow()
    signatures = {"serving_default": flow.serve, "slope": flow.slope}
    saved(folder + "/flow", flow, signatures, x=random(2, 3), n=np.int32(5))
    pixels = np.random.RandomState(0).randint(0, 255, [10, 12, 3]).astype(np.uint8)
    images = Images()
    saved(folder + "/images", images, images.serve, file=np.array(tf.io.encode_png(pixels).numpy(), object))
    example = tf.train.Example()
    example.features.feature["dense"].float_list.value.extend([1, 2])
    example.features.feature["sparse"].bytes_list.value.extend([b"x", b"y"])
    example.features.feature["ragged"].int64_list.value.extend([3, 4])
    parsing = Examples()
    saved(folder + "/examples", parsing, parsing.serve, serialized=np.array([example.SerializeToString()] * 2))
    numbers = Numbers()
    saved(folder + "/numbers", numbers, numbers.serve, n=np.int64(6))
    keras(folder + "/keras")
    checkpoints(folder + "/checkpoints")
    os.remove(folder + "/words.txt")


if __name__ == "__main__":
    main(sys.argv[1])
