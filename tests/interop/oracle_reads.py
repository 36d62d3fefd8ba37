"""Run by the real TensorFlow 1.15.5: opens what Headrace wrote into a folder and tells what it found, as JSON.

python oracle_reads.py FOLDER
"""

import json
import os
import sys

import numpy as np
import tensorflow as tf


def records(folder):
    found = {}
    for kind in ("", "GZIP", "ZLIB"):
        path = os.path.join(folder, "records" + kind)
        found[kind] = [
            record.decode() for record in tf.python_io.tf_record_iterator(path, tf.python_io.TFRecordOptions(kind))
        ]
    return found


def events(folder):
    (name,) = os.listdir(os.path.join(folder, "logs"))
    found = []
    for event in tf.train.summary_iterator(os.path.join(folder, "logs", name)):
        kind = event.WhichOneof("what")
        entry = [event.step, kind]
        if kind == "summary":
            entry += sorted(value.tag for value in event.summary.value)
        if kind == "graph_def":
            graph_def = tf.GraphDef.FromString(event.graph_def)
            with tf.Graph().as_default():
                tf.import_graph_def(graph_def, name="")
            entry.append(len(graph_def.node) > 0)
        if kind == "meta_graph_def":
            entry.append("train_op" in tf.MetaGraphDef.FromString(event.meta_graph_def).collection_def)
        found.append(entry)
    return found


def training(folder):
    batch = np.load(os.path.join(folder, "batch.npz"))
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(os.path.join(folder, "model.meta"))
        saver.restore(session, os.path.join(folder, "model"))
        # The loop and the branch came with their contexts: they can be differentiated.
        (grad,) = tf.gradients(tf.get_collection("looped")[0], tf.trainable_variables()[:1])
        gradient = session.run(grad, {"x:0": batch["x"]}).tolist()
        loss, train = tf.get_collection("loss")[0], tf.get_collection("train_op")[0]
        losses = [float(session.run([loss, train], {"x:0": batch["x"]})[0]) for _ in range(5)]
        return [losses, gradient]


def serving(folder):
    batch = np.load(os.path.join(folder, "batch.npz"))
    predict = tf.contrib.predictor.from_saved_model(os.path.join(folder, "saved_model"))
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["serve"], os.path.join(folder, "saved_model"))
        described = meta.collection_def["saved_model_assets"].any_list.value[0]
        asset = tf.MetaGraphDef().asset_file_def.add()
        described.Unpack(asset)
    frozen = tf.GraphDef()
    with open(os.path.join(folder, "frozen.pb"), "rb") as file:
        frozen.ParseFromString(file.read())
    with tf.Graph().as_default(), tf.Session() as session:
        (y,) = tf.import_graph_def(frozen, return_elements=["y:0"], name="")
        again = session.run(y, {"x:0": batch["x"]}).tolist()
    return [predict({"x": batch["x"]})["y"].tolist(), [asset.filename, asset.tensor_info.name], again]


if __name__ == "__main__":
    where = sys.argv[1]
    answer = {f.__name__: f(where) for f in (records, events, training, serving)}
    with open(os.path.join(where, "answer.json"), "w") as out:
        json.dump(answer, out)
