"""SavedModels whose operations to run are signatures: what the files say, and what is found when they are loaded."""

import os
import tempfile

import tensorflow as tf
from tensorflow.python.saved_model import builder, loader_impl

results = {}
folder = os.path.join(tempfile.mkdtemp(), "model")

with tf.Graph().as_default(), tf.Session() as sess:
    v = tf.get_variable("v", initializer=1.0)
    more = tf.assign_add(v, 1.0, name="more")
    start = tf.assign(v, 7.0, name="start").op
    sess.run(v.initializer)
    made = builder._SavedModelBuilder(folder)
    made.add_meta_graph_and_variables(sess, ["train"], train_op=more.op, init_op=start)
    made.add_meta_graph(["serve"], train_op=more)
    for key in ["__saved_model_init_op", "__saved_model_train_op"]:
        try:
            made.add_meta_graph(["wrong"], signature_def_map={key: tf.saved_model.build_signature_def()})
        except KeyError:
            results[key] = "reserved"
    made.save()

for tag in ["train", "serve"]:
    with tf.Graph().as_default(), tf.Session() as sess:
        meta_graph = tf.saved_model.loader.load(sess, [tag], folder, import_scope="inside")
        init = loader_impl.get_init_op(meta_graph, import_scope="inside")
        train = loader_impl.get_train_op(meta_graph, import_scope="inside")
        results[tag] = [init and init.name, train.name, type(train).__name__]
        results[tag + " value"] = sess.run("inside/v:0")
        sess.run(train)
        results[tag + " trained"] = sess.run("inside/v:0")
        signatures = meta_graph.signature_def
        results[tag + " signatures"] = {
            key: [(info.name, info.tensor_shape.unknown_rank) for info in signatures[key].outputs.values()]
            for key in signatures
        }
