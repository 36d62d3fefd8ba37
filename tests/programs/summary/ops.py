"""Summary operations: names, tags, collections, and the messages they give. Recording it needs Pillow beside TensorFlow."""

import io

import numpy as np
import tensorflow as tf
from PIL import Image
from tensorflow.contrib import deprecated

results = {}


def graph_of(build):
    """The operations a function adds: name, type, inputs; and the collections."""
    with tf.Graph().as_default() as graph:
        build()
        ops = [[op.name, op.type, [tensor.name for tensor in op.inputs]] for op in graph.get_operations()]
        collections = {
            key: [item.name for item in graph.get_collection(key)] for key in sorted(graph.get_all_collection_keys())
        }
    return [ops, collections]


def values_of(summary):
    with tf.Session() as session:
        message = tf.Summary.FromString(session.run(summary))
    found = []
    for value in message.value:
        kind = value.WhichOneof("value")
        entry = [value.tag, value.node_name, kind]
        if kind == "simple_value":
            entry.append(value.simple_value)
        elif kind == "histo":
            histogram = value.histo
            entry.append([histogram.min, histogram.max, histogram.num, histogram.sum, histogram.sum_squares])
            entry.append([list(histogram.bucket_limit), list(histogram.bucket)])
        elif kind == "image":
            shown = value.image
            pixels = np.array(Image.open(io.BytesIO(shown.encoded_image_string)))
            entry.append([shown.height, shown.width, shown.colorspace, pixels])
        elif kind == "audio":
            sound = value.audio
            entry.append([sound.sample_rate, sound.num_channels, sound.length_frames, sound.content_type])
            entry.append(list(bytearray(sound.encoded_audio_string)))
        elif kind == "tensor":
            entry.append(tf.make_ndarray(value.tensor).tolist())
            entry[-1] = [item.decode() if isinstance(item, bytes) else item for item in np.ravel(entry[-1]).tolist()]
        metadata = value.metadata
        entry.append([metadata.display_name, metadata.summary_description, metadata.plugin_data.plugin_name])
        found.append(entry)
    return found


def attempt(function):
    try:
        return function()
    except Exception as error:
        text = getattr(error, "message", None) or str(error)
        return [type(error).__name__, text.split("\n")[0]]


def plain():
    tf.summary.scalar("loss val:1", tf.constant(3.0))
    tf.summary.scalar("a/b", 3, family="fam")
    tf.summary.scalar("a", 4, collections=["mine"])
    tf.summary.scalar("a", 4, collections=[])
    tf.summary.scalar("/slash", 4.0)


def scoped():
    with tf.name_scope("scope"):
        tf.summary.histogram("h", [1.0, 2.0])
        tf.summary.image("i", tf.zeros([2, 4, 4, 1]), max_outputs=2, family="f")
        tf.summary.audio("s", tf.zeros([2, 4, 1]), 44100.0)
        tf.summary.text("t", tf.constant("hello"))
        tf.summary.tensor_summary("x", tf.zeros([2]), display_name="D", summary_description="described")
        tf.summary.merge([tf.summary.scalar("q", 1.0)])
        tf.summary.merge([tf.summary.scalar("r", 1.0)], name="together", collections=["merged"])
        tf.summary.merge_all()
        tf.summary.merge_all(scope="scope/h")


def older():
    with tf.name_scope("scope"):
        deprecated.scalar_summary("a b", 1.0)
        deprecated.scalar_summary(["x", "y"], [1.0, 2.0], name="named")
        deprecated.histogram_summary("h", [1.0])
        deprecated.image_summary("i", tf.zeros([1, 2, 2, 1]))
        deprecated.audio_summary("a", tf.zeros([1, 2]), 8000.0)
        deprecated.merge_summary([deprecated.scalar_summary("z", 1.0)], name="merged")
        deprecated.merge_all_summaries()


results["graphs"] = [graph_of(plain), graph_of(scoped), graph_of(older)]
results["nothing to merge"] = [tf.summary.merge_all("none") is None, deprecated.merge_all_summaries("none") is None]

results["scalars"] = [
    values_of(tf.summary.scalar("s", tf.constant(value, dtype)))
    for value, dtype in [(1.5, tf.float32), (7, tf.int32), (0.1, tf.float64), (3, tf.uint8), (0.5, tf.float16)]
]
results["several"] = values_of(deprecated.scalar_summary(["x", "y"], [1.0, 2.0]))
for name, numbers in [
    ("mixed", [1.0, 2.0, -3.0, 0.0, 1e-13, 1e30, 5.5, -1e25]),
    ("none", []),
    ("zero", [0.0]),
    ("ones", [1.0, 1.0, 1.0]),
    ("many", np.arange(100) / 7.0 - 5),
    ("edges", [1e-12, 1.1e-12, -1e-12]),
]:
    results["histogram " + name] = values_of(tf.summary.histogram(name, tf.constant(numbers, tf.float64)))
results["histogram int"] = values_of(tf.summary.histogram("int", tf.constant([1, 2, 200], tf.int64)))
images = {
    "positive": np.array([0, 0.5, 1, 2], np.float32).reshape(1, 2, 2, 1),
    "negative": np.array([-1, 0.5, 1, 2], np.float32).reshape(1, 2, 2, 1),
    "rgb": np.arange(24).reshape(2, 2, 2, 3).astype(np.float32),
    "nan rgb": np.array([[np.nan, 1, 2], [3, 4, 5]], np.float32).reshape(1, 1, 2, 3),
    "nan grey": np.array([[np.nan, np.inf, 2], [3, 4, 5]], np.float32).reshape(1, 2, 3, 1),
    "bytes": np.arange(16).reshape(1, 2, 2, 4).astype(np.uint8),
    "half": np.arange(4).reshape(1, 2, 2, 1).astype(np.float16),
    "double": np.arange(4).reshape(1, 2, 2, 1).astype(np.float64),
    "dark": np.zeros([1, 2, 2, 1], np.float32),
    "empty": np.zeros([0, 2, 2, 1], np.float32),
    "five": np.arange(20).reshape(5, 2, 2, 1).astype(np.uint8),
}
for name in sorted(images):
    results["image " + name] = values_of(tf.summary.image("image", tf.constant(images[name])))
results["one image"] = values_of(tf.summary.image("image", tf.constant(images["five"]), max_outputs=1))
results["audio"] = [
    values_of(tf.summary.audio("sound", tf.constant([[0, 0.5, -1, 1.0, 2.0, -3, 0.1]]), 8000.0)),
    values_of(tf.summary.audio("sound", tf.constant(np.full([2, 3, 2], 0.3, np.float32)), 16000, max_outputs=1)),
    values_of(tf.summary.audio("sound", tf.constant(np.full([4, 3], -0.3, np.float32)), 16000)),
]
metadata = tf.SummaryMetadata()
metadata.plugin_data.plugin_name = "mine"
results["tensors"] = [
    values_of(tf.summary.text("text", tf.constant(["a", "b"]))),
    values_of(tf.summary.tensor_summary("t", tf.constant([1.0, 2.0]), summary_description="d", display_name="n")),
    values_of(tf.summary.tensor_summary("t", tf.constant([1, 2]), summary_metadata=metadata, family="f")),
    values_of(tf.summary.tensor_summary("t", tf.constant(["q"]))),
    values_of(tf.raw_ops.TensorSummary(tensor=[1.0], description="d", labels=["l"], display_name="n", name="raw")),
]
one = tf.summary.scalar("one", 1.0)
results["merged"] = values_of(tf.summary.merge([one, tf.summary.scalar("two", 2.0)]))
results["refusals"] = [
    attempt(lambda: values_of(tf.summary.scalar("vector", tf.constant([1.0, 2.0])))),
    attempt(lambda: values_of(tf.summary.scalar("bool", tf.constant(True)))[:1]),
    attempt(lambda: values_of(deprecated.scalar_summary(["x", "y"], [1.0, 2.0, 3.0]))),
    attempt(lambda: values_of(tf.summary.histogram("nan", tf.constant([np.nan])))),
    attempt(lambda: values_of(tf.summary.histogram("inf", tf.constant([np.inf])))),
    attempt(lambda: values_of(tf.summary.image("two", tf.constant(np.zeros([1, 2, 2, 2], np.float32))))),
    attempt(lambda: values_of(tf.summary.image("rank", tf.constant(np.zeros([2, 2, 2], np.float32))))),
    attempt(lambda: values_of(tf.summary.image("none", tf.constant(np.zeros([1, 0, 2, 1], np.float32))))),
    attempt(lambda: values_of(tf.summary.audio("rank", tf.constant(np.zeros([2], np.float32)), 8000))),
    attempt(lambda: values_of(tf.summary.merge([one, one]))),
    attempt(lambda: values_of(tf.summary.merge([tf.constant("garbage")]))),
    attempt(lambda: tf.summary.text("number", tf.constant(3.0, name="number"))),
    attempt(lambda: tf.summary.get_summary_description(tf.constant(1).op.node_def)),
]
