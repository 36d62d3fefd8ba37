"""Checkpoints of objects: what they hold, how they are matched, what they refuse, and which are kept."""

import os
import re
import shutil
import tempfile

import numpy as np
import tensorflow as tf

results = {}
folder = tempfile.mkdtemp()


def inside(text):
    return text.replace(folder, "DIR")


def text(name):
    with open(folder + name) as file:
        return inside(file.read())


def managed():
    # Into how many data files a checkpoint goes is no business of programs.
    return sorted(name for name in os.listdir(folder + "/managed") if ".data-" not in name)


def refusal(function):
    try:
        function()
    except Exception as error:
        return [type(error).__name__, re.sub(" at 0x[0-9a-f]+", "", inside(str(error))).split("\n")[0][:90]]
    return "nothing"


class Net(tf.contrib.checkpoint.Checkpointable):
    def __init__(self):
        self.weights = tf.get_variable(
            "weights", [2, 3], initializer=tf.random_normal_initializer(seed=1), use_resource=True
        )
        self.more = [
            tf.get_variable("first", [3], initializer=tf.ones_initializer(), use_resource=True),
            tf.get_variable("second", [1], initializer=tf.zeros_initializer(), use_resource=True),
        ]
        self.named = {"scale": tf.get_variable("scale", [], initializer=tf.ones_initializer(), use_resource=True)}
        self.size = 3

    def loss(self, x):
        y = tf.matmul(x, self.weights) * self.named["scale"] + self.more[0] + self.more[1]
        return tf.reduce_mean(tf.square(y))


x = np.array([[1.0, -1.0], [0.5, 2.0], [3.0, 0.0]], np.float32)


def build():
    net = Net()
    optimizer = tf.train.AdamOptimizer(0.1)
    step = tf.train.get_or_create_global_step()
    train = optimizer.minimize(net.loss(tf.constant(x)), global_step=step)
    return net, optimizer, step, train


def described(path):
    graph = tf.contrib.checkpoint.object_metadata(path)
    nodes = []
    for node in graph.nodes:
        nodes.append(
            {
                "children": sorted([child.local_name, child.node_id] for child in node.children),
                "attributes": [[a.name, a.full_name, a.checkpoint_key] for a in node.attributes],
                "slots": [
                    [s.slot_name, s.original_variable_node_id, s.slot_variable_node_id] for s in node.slot_variables
                ],
            }
        )
    return nodes


try:
    with tf.Graph().as_default(), tf.Session() as sess:
        net, optimizer, step, train = build()
        checkpoint = tf.train.Checkpoint(net=net, optimizer=optimizer, step=step)
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(train)
        first = checkpoint.save(os.path.join(folder, "new", "ckpt"))
        second = checkpoint.save(os.path.join(folder, "new", "ckpt"), session=sess)
        results["paths"] = [inside(first), inside(second), inside(tf.train.latest_checkpoint(folder + "/new"))]
        results["written"] = inside(checkpoint.write(folder + "/plain"))
        results["counter"] = [sess.run(checkpoint.save_counter), checkpoint.save_counter.name]
        results["keys"] = [[name, list(shape)] for name, shape in tf.train.list_variables(first)][1:]
        results["graph"] = described(first)
        results["state"] = text("/new/checkpoint")
        expected = [sess.run(tf.global_variables()), [sess.run(train)] and sess.run(net.weights)]
        results["trained"] = expected
        saved_by_name = tf.train.Saver().save(sess, folder + "/named")
        results["objects"] = len(tf.contrib.checkpoint.list_objects(checkpoint))

    with tf.Graph().as_default(), tf.Session() as sess:
        net, optimizer, step, train = build()
        checkpoint = tf.train.Checkpoint(net=net, optimizer=optimizer, step=step)
        status = checkpoint.restore(first)
        status.assert_consumed().run_restore_ops()
        results["restored"] = sess.run(net.weights)
        sess.run(train)
        results["next step"] = sess.run([net.weights, step])
        size = len(tf.get_default_graph().get_operations())
        checkpoint.save(folder + "/again", session=sess)
        operations = len(tf.get_default_graph().get_operations())
        checkpoint.save(folder + "/again", session=sess)
        results["no new operations"] = len(tf.get_default_graph().get_operations()) == operations

    # Parts, other programs, other savers.
    with tf.Graph().as_default(), tf.Session() as sess:
        net, optimizer, step, train = build()
        net.extra = tf.get_variable("extra", [2], initializer=tf.ones_initializer(), use_resource=True)
        partial = tf.train.Checkpoint(net=net)
        status = partial.restore(second)
        results["partial"] = [
            refusal(status.assert_consumed),
            refusal(status.assert_existing_objects_matched),
            refusal(status.assert_nontrivial_match),
        ]
        status.initialize_or_restore()
        results["partly"] = sess.run([net.weights, net.extra])
        other = tf.train.Checkpoint(unknown=net)
        results["nothing matches"] = refusal(other.restore(second).assert_nontrivial_match)
        fresh = tf.train.Checkpoint(net=net).restore(None)
        results["nothing"] = [
            refusal(fresh.assert_consumed),
            refusal(fresh.assert_existing_objects_matched),
            refusal(fresh.run_restore_ops),
        ]
        fresh.initialize_or_restore(sess)
        results["initialized"] = sess.run(net.more[0])
        results["absent"] = refusal(lambda: other.restore(folder + "/absent"))
        results["not trackable"] = refusal(lambda: tf.train.Checkpoint(number=3))
        by_name = tf.train.Saver([net.weights, net.more[0]])
        by_name.restore(sess, first)
        results["by name from objects"] = sess.run(net.weights)
        results["missing by name"] = refusal(lambda: tf.train.Saver([net.extra]).restore(sess, first))[0]

    with tf.Graph().as_default(), tf.Session() as sess:
        weights = tf.get_variable("weights", [2, 3], use_resource=True)
        status = tf.train.Checkpoint(any_name=weights).restore(saved_by_name)
        status.run_restore_ops()
        results["objects from names"] = sess.run(weights)
        results["not of objects"] = refusal(lambda: tf.contrib.checkpoint.object_metadata(saved_by_name))
        tf.train.warm_start(first, vars_to_warm_start=[weights])
        sess.run(weights.initializer)
        results["warm from objects"] = sess.run(weights)

    # A file for each device that an object names, and for what names none; the place of an iterator.
    with tf.Graph().as_default(), tf.Session() as sess:
        os.makedirs(folder + "/devices")
        anywhere = tf.get_variable("anywhere", [], initializer=tf.ones_initializer(), use_resource=True)
        with tf.device("/cpu:0"):
            somewhere = tf.get_variable("somewhere", [], initializer=tf.ones_initializer(), use_resource=True)
        iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.range(5))
        element = iterator.get_next()
        sess.run([tf.global_variables_initializer(), element])
        tf.train.Checkpoint(here=somewhere).save(folder + "/devices/one")
        both = tf.train.Checkpoint(here=somewhere, there=anywhere, iterator=iterator)
        path = both.save(folder + "/devices/two")
        results["files"] = sorted(os.listdir(folder + "/devices"))
        results["keys of an iterator"] = [name for name, _ in tf.train.list_variables(path)]
        sess.run([somewhere.assign(7.0), anywhere.assign(7.0), element])
        both.restore(path).assert_consumed().run_restore_ops()
        results["from two files"] = sess.run([somewhere, anywhere, element])

    # The manager.
    with tf.Graph().as_default(), tf.Session() as sess:
        value = tf.get_variable("value", [], initializer=tf.zeros_initializer(), use_resource=True)
        checkpoint = tf.train.Checkpoint(value=value)
        manager = tf.train.CheckpointManager(checkpoint, folder + "/managed", max_to_keep=2)
        results["none yet"] = [manager.latest_checkpoint, manager.checkpoints]
        checkpoint.restore(manager.latest_checkpoint).initialize_or_restore()
        for i in range(4):
            sess.run(value.assign(float(i)))
            manager.save()
        results["managed"] = [inside(path) for path in manager.checkpoints]
        results["managed files"] = managed()
        results["numbered"] = inside(manager.save(checkpoint_number=42))
        results["limit"] = refusal(lambda: tf.train.CheckpointManager(checkpoint, folder, max_to_keep=0))
        again = tf.train.CheckpointManager(checkpoint, folder + "/managed", max_to_keep=1)
        results["recovered"] = [inside(path) for path in again.checkpoints]
        checkpoint.restore(again.latest_checkpoint).assert_consumed().run_restore_ops()
        results["value"] = sess.run(value)
        again.save()
        results["one left"] = managed()
        state = tf.train.get_checkpoint_state(folder + "/managed")
        results["times"] = [len(state.all_model_checkpoint_timestamps), state.last_preserved_timestamp > 0]
finally:
    shutil.rmtree(folder)
