"""Savers: the operations they add, the files they write, what they keep, and how they refuse."""

import os
import re
import shutil
import tempfile

import numpy as np
import tensorflow as tf

results = {}
folder = tempfile.mkdtemp()


def inside(path):
    """A path without the folder, which is another one every time."""
    return path.replace(folder, "DIR") if isinstance(path, str) else path


def text(name):
    with open(folder + name) as file:
        return file.read()


def files(part=""):
    return sorted(name for name in os.listdir(folder) if name.startswith(part))


def refusal(function):
    try:
        function()
    except Exception as error:
        text = inside(str(getattr(error, "message", error))).split("\n\t [[")[0].split("\nNode '")[0].split("\nIn ")[0]
        return [type(error).__name__, text]
    return "nothing"


def listed(scope):
    found = []
    for op in tf.get_default_graph().get_operations():
        if op.name.startswith(scope + "/"):
            name = re.sub("_temp_[0-9a-f]+", "_temp", op.name)
            found.append(
                [name, op.type, [i.name for i in op.inputs], sorted(c.name for c in op.control_inputs), op.device]
            )
    return found


try:
    weights = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="weights")
    bias = tf.get_variable("bias", [3], initializer=tf.ones_initializer(), use_resource=True)
    step = tf.Variable(7, name="step", trainable=False)
    words = tf.Variable(["some", "words"], name="words")
    with tf.variable_scope("wide", partitioner=tf.fixed_size_partitioner(3)):
        table = tf.get_variable("table", [5, 2], initializer=tf.random_normal_initializer(seed=2))
        rows = tf.get_variable("rows", [6], initializer=tf.random_uniform_initializer(seed=1), use_resource=True)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())

    # What is added to the graph, and under which names.
    saver = tf.train.Saver()
    results["ops"] = listed("save")
    tf.train.Saver(sharded=True, name="sharded")
    results["sharded ops"] = listed("sharded")
    tf.train.Saver([weights, bias], write_version=tf.train.SaverDef.V1, reshape=True, name="old")
    results["V1 ops"] = listed("old")
    with tf.name_scope("outer"):
        named = tf.train.Saver({"w": weights}, name="mine")
    definition = named.as_saver_def()
    results["definition"] = [
        definition.filename_tensor_name,
        definition.save_tensor_name,
        definition.restore_op_name,
        definition.max_to_keep,
        definition.sharded,
        definition.keep_checkpoint_every_n_hours,
        definition.version,
    ]
    scoped = named.to_proto(export_scope="outer")
    results["scoped"] = [scoped.filename_tensor_name, scoped.save_tensor_name, scoped.restore_op_name]
    results["outside"] = named.to_proto(export_scope="elsewhere") is None

    # Saving, and what is there then.
    returned = [inside(saver.save(sess, folder + "/model", global_step=i)) for i in range(7)]
    results["returned"] = returned
    results["files"] = files()
    results["kept"] = [inside(path) for path in saver.last_checkpoints]
    results["state"] = inside(text("/checkpoint"))
    results["latest"] = inside(tf.train.latest_checkpoint(folder))
    before = sess.run([weights, bias, step, words, table.as_tensor(), rows.as_tensor()])
    sess.run([tf.assign(weights, weights * 0.0), bias.assign([9.0, 9.0, 9.0]), tf.assign(step, 0)])
    saver.restore(sess, tf.train.latest_checkpoint(folder))
    after = sess.run([weights, bias, step, words, table.as_tensor(), rows.as_tensor()])
    results["restored"] = after
    results["same"] = all(np.array_equal(a, b) for a, b in zip(before, after))
    fresh = tf.Session()
    saver.restore(fresh, folder + "/model-4")
    results["not initialized"] = fresh.run([weights, step])

    # By a tensor, a variable, a name; padded; relative; without state or graph; another name of the state file.
    results["by tensor"] = inside(saver.save(sess, folder + "/by", global_step=step))
    results["by name"] = inside(saver.save(sess, folder + "/by", global_step="step:0"))
    padded = tf.train.Saver([weights], pad_step_number=True, save_relative_paths=True, max_to_keep=2)
    results["padded"] = inside(padded.save(sess, folder + "/padded", global_step=12, latest_filename="other"))
    results["relative state"] = text("/other")
    results["other latest"] = inside(tf.train.latest_checkpoint(folder, "other"))
    padded.save(sess, folder + "/bare", write_meta_graph=False, write_state=False)
    results["bare"] = files("bare")
    results["bare state"] = [inside(path) for path in padded.last_checkpoints]
    padded.save(sess, folder + "/suffix", meta_graph_suffix="graph")
    results["suffix"] = files("suffix")

    # Other names, other shapes.
    renamed = tf.train.Saver({"first": weights, "second": bias})
    renamed.save(sess, folder + "/renamed")
    results["renamed"] = tf.train.list_variables(folder + "/renamed")
    flat = tf.Variable([0.0, 0.0, 0.0, 0.0], name="flat")
    tf.train.Saver({"first": flat}, reshape=True).restore(sess, folder + "/renamed")
    results["flat"] = sess.run(flat)
    results["wrong shape"] = refusal(lambda: tf.train.Saver({"first": flat}).restore(sess, folder + "/renamed"))
    results["wrong type"] = refusal(lambda: tf.train.Saver({"first": step}).restore(sess, folder + "/renamed"))
    results["missing"] = refusal(lambda: tf.train.Saver({"third": flat}).restore(sess, folder + "/renamed"))

    # Sharded, and the older format.
    sharded = tf.train.Saver(sharded=True)
    results["sharded"] = inside(sharded.save(sess, folder + "/shards", global_step=1))
    results["shards"] = files("shards")
    sharded.restore(sess, folder + "/shards-1")
    old = tf.train.Saver([weights, bias, step, words, table, rows], write_version=tf.train.SaverDef.V1, max_to_keep=1)
    results["old"] = [inside(old.save(sess, folder + "/old", global_step=i)) for i in range(2)]
    results["old files"] = files("old")
    sess.run(tf.assign(weights, weights * 0.0))
    old.restore(sess, folder + "/old-1")
    results["old weights"] = sess.run([weights, words, rows.as_tensor()])
    saver_old_shards = tf.train.Saver([weights, bias], write_version=tf.train.SaverDef.V1, sharded=True)
    path = saver_old_shards.save(sess, folder + "/parts")
    results["old shards"] = [inside(path), files("parts"), tf.train.checkpoint_exists(path)]
    saver_old_shards.restore(sess, path)

    # A part of a variable restores from the whole, and the whole from its parts.
    whole = tf.get_variable("whole", [5, 2])
    tf.train.Saver({"wide/table": whole}).restore(sess, folder + "/model-6")
    results["whole"] = sess.run(whole)
    tf.train.Saver({"table": whole}).save(sess, folder + "/whole")
    tf.train.Saver({"table": table}).restore(sess, folder + "/whole")
    results["parts"] = [sess.run(part) for part in table]
    results["stored"] = tf.train.list_variables(folder + "/model-6")

    # Bookkeeping.
    state = tf.train.get_checkpoint_state(folder)
    results["state paths"] = [inside(state.model_checkpoint_path)] + [
        inside(p) for p in state.all_model_checkpoint_paths
    ]
    results["exists"] = [tf.train.checkpoint_exists(folder + name) for name in ("/model-6", "/old-1", "/nothing")]
    results["times"] = len(
        tf.train.get_checkpoint_mtimes([folder + "/model-6", folder + "/nothing", folder + "/old-1"])
    )
    second = tf.train.Saver(max_to_keep=3)
    second.recover_last_checkpoints([folder + "/model-4", folder + "/gone", folder + "/model-5", folder + "/model-6"])
    results["recovered"] = [inside(p) for p in second.last_checkpoints]
    second.save(sess, folder + "/model", global_step=100)
    results["after recovery"] = files("model")
    second.set_last_checkpoints([folder + "/x"])
    results["set"] = [inside(p) for p in second.last_checkpoints]
    second.set_last_checkpoints_with_time([("a", 1.0), ("b", 2.0)])
    results["set with time"] = second.last_checkpoints
    unlimited = tf.train.Saver([step], max_to_keep=None)
    for i in range(3):
        unlimited.save(sess, folder + "/all", global_step=i, latest_filename="unlimited", write_meta_graph=False)
    results["unlimited"] = [files("all"), unlimited.last_checkpoints, inside(text("/unlimited"))]
    hourly = tf.train.Saver([step], max_to_keep=1, keep_checkpoint_every_n_hours=1e-9)
    for i in range(3):
        hourly.save(sess, folder + "/hourly", global_step=i, write_meta_graph=False)
    results["hourly"] = files("hourly")
    tf.train.remove_checkpoint(folder + "/all-1")
    results["removed"] = files("all")
    tf.train.update_checkpoint_state(folder, folder + "/all-2", [folder + "/all-0"], latest_filename="written")
    results["written"] = inside(text("/written"))
    made = tf.train.generate_checkpoint_state_proto("some", "some/model-2", ["some/model-1"])
    results["generated"] = [made.model_checkpoint_path, list(made.all_model_checkpoint_paths)]
    again = tf.train.Saver(saver_def=saver.as_saver_def())
    again.restore(sess, folder + "/model-6")
    results["again"] = sess.run(step)
    empty = tf.train.Saver([], allow_empty=True)
    results["empty"] = [empty.save(sess, folder + "/empty", write_meta_graph=False), files("empty")]
    later = tf.train.Saver(defer_build=True)
    results["deferred"] = refusal(lambda: later.save(sess, folder + "/later"))
    later.build()
    results["one at a time"] = len(
        tf.train.Saver([weights, bias], builder=tf.train.Saver([step])._builder).last_checkpoints
    )

    # Refusals.
    results["refusals"] = {
        "none": refusal(lambda: saver.restore(sess, None)),
        "nowhere": refusal(lambda: saver.restore(sess, folder + "/nowhere")),
        "nothing": refusal(lambda: tf.train.Saver([])),
        "twice": refusal(lambda: tf.train.Saver([step, step])),
        "two names": refusal(lambda: tf.train.Saver({"a": step, "b": step})),
        "number": refusal(lambda: tf.train.Saver({1: step})),
        "constant": refusal(lambda: tf.train.Saver([tf.constant(1, name="constant")])),
        "single": refusal(lambda: tf.train.Saver(step)),
        "in dict": refusal(lambda: tf.train.Saver({"a": tf.constant(1, name="constant")})),
        "no session": refusal(lambda: saver.save(None, folder + "/x")),
        "collision": refusal(lambda: saver.save(sess, folder + "/checkpoint")),
        "folders": refusal(lambda: saver.save(sess, folder + "/x", latest_filename="a/b")),
        "no folder": refusal(lambda: saver.save(sess, folder + "/a/b/c/x")),
        "uninitialized": refusal(lambda: saver.save(tf.Session(), folder + "/x"))[0],
        "defer": refusal(lambda: tf.train.Saver([step], defer_build=True)),
        "definition": refusal(lambda: tf.train.Saver(saver_def=tf.train.SaverDef(save_tensor_name="a")))[0],
    }
    results["none left"] = [name for name in os.listdir(folder) if "temp" in name]
    results["no folder latest"] = tf.train.latest_checkpoint(folder + "/nothing here")
finally:
    shutil.rmtree(folder)
