"""Summaries that write themselves, and the projector's configuration."""

import os
import shutil
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib import summary
from tensorflow.contrib.tensorboard.plugins import projector

results = {}
folder = tempfile.mkdtemp()


def events_of(name):
    found = []
    for file in sorted(os.listdir(os.path.join(folder, name))):
        for event in tf.train.summary_iterator(os.path.join(folder, name, file)):
            kind = event.WhichOneof("what")
            entry = [event.step, kind]
            if kind == "summary":
                for value in event.summary.value:
                    entry.append([value.tag, value.WhichOneof("value"), value.simple_value])
            found.append(entry)
    return found


def attempt(function):
    try:
        return function()
    except Exception as error:
        return [type(error).__name__, str(error).split("\n")[0]]


with tf.Graph().as_default() as graph, tf.Session() as session:
    step = tf.train.get_or_create_global_step()
    value = tf.placeholder_with_default(2.0, [], name="value")
    results["nothing yet"] = attempt(lambda: summary.initialize(session=session))
    results["no writer"] = summary.scalar("early", 1.0).type
    writer = summary.create_file_writer(os.path.join(folder, "logs"), filename_suffix=".end", flush_millis=10)
    with writer.as_default(), summary.always_record_summaries():
        with tf.name_scope("scope"):
            summary.scalar("loss", value)
            summary.histogram("histogram", tf.ones([3]))
            summary.image("image", tf.ones([1, 2, 2, 1]))
            summary.audio("audio", tf.zeros([1, 4, 1]), 8000.0, 1)
            summary.generic("generic", tf.constant([1, 2]))
            summary.scalar("given", value * 2, family="family", step=7)
        with summary.never_record_summaries():
            summary.scalar("never", value)
        with summary.record_summaries_every_n_global_steps(2):
            summary.scalar("every second", value)
        session.run(tf.global_variables_initializer())
        summary.initialize(graph=graph, session=session)
        ops = summary.all_summary_ops()
        results["ops"] = [len(ops), len(tf.summary.all_v2_summary_ops()), len(summary.summary_writer_initializer_op())]
        for _ in range(3):
            session.run(ops)
            session.run(tf.assign_add(step, 1))
        session.run(summary.flush())
    session.run(writer.close())
    # Summaries of one run are written in any order.
    found = events_of("logs")
    results["events"] = found[:2] + sorted(found[2:], key=str)
    results["shapes"] = [tensor.dtype.name for tensor in ops[:1]]

with tf.Graph().as_default() as graph, tf.Session() as session:
    with tf.summary.FileWriter(os.path.join(folder, "shared"), session=session) as writer:
        writer.add_summary(session.run(tf.summary.scalar("a", 1.5)), 3)
    results["through a session"] = events_of("shared")

config = projector.ProjectorConfig()
embedding = config.embeddings.add()
embedding.tensor_name = "embedding:0"
embedding.metadata_path = "metadata.tsv"
embedding.sprite.image_path = "sprite.png"
embedding.sprite.single_image_dim.extend([28, 28])
with tf.summary.FileWriter(os.path.join(folder, "projected")) as writer:
    projector.visualize_embeddings(writer, config)
with open(os.path.join(folder, "projected", "projector_config.pbtxt")) as file:
    results["projector"] = file.read()
results["mean"] = float(np.mean([1.0]))
shutil.rmtree(folder)
