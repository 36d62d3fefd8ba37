"""slim's data: records of Examples, decoded, provided and prefetched."""

import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim
from tensorflow.contrib.slim.python.slim.data import dataset as dataset_module

results = {}
R = np.random.RandomState(4)


def feature(values):
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


folder = tempfile.mkdtemp()
with tf.Graph().as_default(), tf.Session() as sess:
    image = tf.placeholder(tf.uint8, [4, 5, 3])
    encode = tf.image.encode_png(image)
    for shard in range(2):
        with tf.python_io.TFRecordWriter(os.path.join(folder, "part-%d.tfrecord" % shard)) as writer:
            for i in range(3):
                pixels = np.full([4, 5, 3], 10 * (3 * shard + i), np.uint8)
                example = tf.train.Example(
                    features=tf.train.Features(
                        feature={
                            "image/encoded": feature([sess.run(encode, {image: pixels})]),
                            "image/format": feature([b"png"]),
                            "label": feature([3 * shard + i]),
                            "size": feature([1, i + 1]),
                            "values": feature([float(k) for k in range(i + 1)]),
                            "ymin": feature([0.1, 0.2]),
                            "xmin": feature([0.3, 0.4]),
                            "ymax": feature([0.5, 0.6]),
                            "xmax": feature([0.7, 0.8]),
                            "indices": feature([0, 2, 3]),
                        }
                    )
                )
                writer.write(example.SerializeToString())

decoder_module = slim.tfexample_decoder
decoder = decoder_module.TFExampleDecoder(
    {
        "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/format": tf.FixedLenFeature((), tf.string, default_value="png"),
        "label": tf.FixedLenFeature([1], tf.int64),
        "size": tf.FixedLenFeature([2], tf.int64),
        "values": tf.VarLenFeature(tf.float32),
        "ymin": tf.VarLenFeature(tf.float32),
        "xmin": tf.VarLenFeature(tf.float32),
        "ymax": tf.VarLenFeature(tf.float32),
        "xmax": tf.VarLenFeature(tf.float32),
        "missing": tf.VarLenFeature(tf.float32),
    },
    {
        "image": decoder_module.Image(shape=[4, 5, 3]),
        "label": decoder_module.Tensor("label", shape=[]),
        "values": decoder_module.Tensor("values", shape_keys="size"),
        "boxes": decoder_module.BoundingBox(),
        "double": decoder_module.ItemHandlerCallback(["label"], lambda found: found["label"] * 2),
        "backup": decoder_module.BackupHandler(decoder_module.Tensor("missing"), decoder_module.Tensor("values")),
    },
)
data = dataset_module.Dataset(
    [os.path.join(folder, "part-*")], tf.TFRecordReader, decoder, 6, {"image": "an image"}, num_classes=7
)
results["dataset"] = [data.num_samples, data.num_classes, sorted(data.items_to_descriptions), decoder.list_items()]

provider = slim.dataset_data_provider.DatasetDataProvider(data, shuffle=False, num_epochs=1)
results["items"] = sorted(provider.list_items())
results["samples"] = provider.num_samples()
items = ["image", "label", "values", "boxes", "double", "backup"]
tensors = provider.get(items)
results["shapes"] = [[t.name.split("/")[0], str(t.dtype), str(t.shape)] for t in tensors]
rows = []
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    with slim.queues.QueueRunners(sess):
        try:
            slim.queues.QueueRunners(sess).__enter__()
            results["nested"] = "none"
        except slim.queues.NestedQueueRunnerError as e:
            results["nested"] = type(e).__name__
        try:
            while True:
                rows.append(sess.run(tensors))
        except tf.errors.OutOfRangeError:
            rows.append("end")
results["rows"] = rows
tf.reset_default_graph()

provider = slim.dataset_data_provider.DatasetDataProvider(
    data, shuffle=True, num_readers=2, common_queue_capacity=20, common_queue_min=2
)
image, label = provider.get(["image", "label"])
images, labels = tf.train.batch([image, label], batch_size=3)
queue = slim.prefetch_queue.prefetch_queue([images, labels], capacity=2)
images, labels = queue.dequeue()
results["prefetched"] = [queue.name, str(images.shape), str(labels.shape)]
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    with slim.queues.QueueRunners(sess):
        pixels, numbers = sess.run([images, labels])
        results["together"] = [bool((pixels[i] == 10 * numbers[i]).all()) for i in range(3)]
results["summaries"] = [s.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)]


def error(function):
    try:
        function()
    except (TypeError, ValueError) as e:
        return type(e).__name__
    return "none"


results["errors"] = [
    error(lambda: provider.get("image")),
    error(lambda: provider.get(["nothing"])),
    error(lambda: decoder_module.BoundingBox(["a", "b"])),
    error(lambda: decoder_module.Tensor("a", shape_keys="b", shape=[1])),
    error(lambda: decoder_module.BackupHandler(1, decoder_module.Tensor("a"))),
    error(lambda: slim.parallel_reader.get_data_files(os.path.join(folder, "none*"))),
    error(lambda: slim.parallel_reader.ParallelReader(tf.TFRecordReader, tf.FIFOQueue(3, [tf.string]))),
]
