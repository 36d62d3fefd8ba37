"""The files that go with a SavedModel, as messages within messages: packed by the builder, unpacked by programs."""

import os
import tempfile

import tensorflow as tf
from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2
from tensorflow.python.saved_model import builder as builder_module
from tensorflow.python.saved_model import constants, loader_impl

results = {}
folder = tempfile.mkdtemp()
source = os.path.join(folder, "words.txt")
with open(source, "w") as f:
    f.write("one\ntwo\n")


def unpacked(items):
    found = []
    for packed in items:
        asset = meta_graph_pb2.AssetFileDef()
        found.append([packed.Unpack(asset), packed.Is(asset.DESCRIPTOR), asset.filename, asset.tensor_info.name])
    return found


def urls(path):
    # What is in the file itself is what other programs read.
    with open(path, "rb") as f:
        return f.read().count(b"type.googleapis.com/tensorflow.AssetFileDef")


def written(name, assets):
    export = os.path.join(folder, name)
    builder = builder_module.SavedModelBuilder(export)
    builder.add_meta_graph_and_variables(sess, ["serve"], assets_collection=assets)
    return export, builder.save()


with tf.Graph().as_default(), tf.Session() as sess:
    tf.get_variable("v", initializer=1.0)
    path = tf.constant(source, name="path")
    tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, path)
    sess.run(tf.global_variables_initializer())
    export, file = written("first", tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS))
    results["file"] = urls(file)
    results["kept"] = unpacked(tf.get_collection(constants.ASSETS_KEY))
with tf.Graph().as_default(), tf.Session() as sess:
    meta_graph = tf.saved_model.loader.load(sess, ["serve"], export)
    results["loaded"] = unpacked(meta_graph.collection_def[constants.ASSETS_KEY].any_list.value)
    results["collection"] = unpacked(tf.get_collection(constants.ASSETS_KEY))
    results["path"] = os.path.basename(sess.run("path:0").decode())
    _, file = written("second", None)
    results["again"] = urls(file)
    tf.train.export_meta_graph(os.path.join(folder, "graph.meta"))
    results["meta"] = urls(os.path.join(folder, "graph.meta"))
with tf.Graph().as_default():
    tf.train.import_meta_graph(os.path.join(folder, "graph.meta"))
    results["imported"] = unpacked(tf.get_collection(constants.ASSETS_KEY))
parsed = loader_impl.parse_saved_model(export)
results["parsed"] = unpacked(parsed.meta_graphs[0].collection_def[constants.ASSETS_KEY].any_list.value)
results["types"] = [isinstance(parsed, saved_model_pb2.SavedModel), sorted(os.listdir(os.path.join(export, "assets")))]
