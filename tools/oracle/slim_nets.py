"""Slim's networks against TensorFlow 1.15.5: names, shapes, its checkpoints, and what they predict.

    python tools/oracle/slim_nets.py            # every network, one after the other (a few minutes)
    python tools/oracle/slim_nets.py vgg_16 resnet_v2_50

TensorFlow builds a network with random weights, writes a checkpoint into a temporary folder and predicts; Headrace
builds the same, compares the names of operations, variables and collections, restores that checkpoint and predicts.
In inference and in training, where batch normalisation takes the batch's own statistics. The oracle's Python is found
as in make_goldens.py.

    ... slim_nets.py --write NET FOLDER         # TensorFlow's half
    ... slim_nets.py --read NET FOLDER          # Headrace's half, compares and prints a line
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

# What may differ, relative to the largest number of an output. Where a batch of two is normalised by its own statistics,
# layer after layer, small differences grow.
TOLERANCE = {False: 1e-4, True: 2e-3}
# A change of the input in its last place changes what this one gives by as much as 4e-3.
SENSITIVE = {("resnet_v1_200", True): 2e-2}

# Network -> module, function, the scope of its arguments and its options, input size, arguments. The sizes are the
# smallest the networks take without becoming others.
PLAIN = {
    "alexnet_v2": ("alexnet", "alexnet_v2_arg_scope", {}, 224, {}),
    "overfeat": ("overfeat", "overfeat_arg_scope", {"weight_decay": 0.001}, 231, {}),
    "vgg_a": ("vgg", "vgg_arg_scope", {}, 224, {}),
    "vgg_16": ("vgg", "vgg_arg_scope", {"weight_decay": 0.001}, 224, {"spatial_squeeze": False}),
    "vgg_19": ("vgg", "vgg_arg_scope", {}, 224, {}),
    "inception_v1": ("inception", "inception_v1_arg_scope", {}, 224, {}),
    "inception_v2": ("inception", "inception_v2_arg_scope", {"batch_norm_var_collection": "statistics"}, 224, {}),
    "inception_v3": ("inception", "inception_v3_arg_scope", {"batch_norm_decay": 0.9}, 299, {}),
}
for _depth in (50, 101, 152, 200):
    PLAIN["resnet_v1_%d" % _depth] = ("resnet_v1", "resnet_arg_scope", {}, 65, {"num_classes": 10})
    PLAIN["resnet_v2_%d" % _depth] = (
        "resnet_v2",
        "resnet_arg_scope",
        {"weight_decay": 0.001, "batch_norm_decay": 0.9, "batch_norm_scale": False},
        65,
        {"num_classes": 10, "output_stride": 16, "global_pool": _depth < 152},
    )
DROPS_OUT = ("alexnet_v2", "overfeat", "vgg_a", "vgg_16", "vgg_19", "inception_v1", "inception_v2", "inception_v3")


def build(name, training):
    """The placeholder, the output and the end points of a network."""
    import tensorflow as tf
    import tensorflow.contrib.slim as slim
    from tensorflow.contrib.slim.python.slim.nets import (
        alexnet,
        inception,
        overfeat,
        resnet_utils,
        resnet_v1,
        resnet_v2,
        vgg,
    )

    module, scope, options, size, arguments = PLAIN[name]
    modules = {"alexnet": alexnet, "overfeat": overfeat, "vgg": vgg, "inception": inception}
    modules.update(resnet_v1=resnet_v1, resnet_v2=resnet_v2)
    scopes = resnet_utils if module.startswith("resnet") else modules[module]
    if name in DROPS_OUT:
        # What is dropped is random, so nothing is.
        arguments = dict(arguments, dropout_keep_prob=1.0)
    images = tf.placeholder(tf.float32, [2, size, size, 3], name="images")
    with slim.arg_scope(getattr(scopes, scope)(**options)):
        net, points = getattr(modules[module], name)(images, is_training=training, **arguments)
    return images, net, points


def described(points):
    """The names and shapes of all that a graph now holds."""
    import tensorflow as tf

    keys = tf.GraphKeys
    collections = [keys.MODEL_VARIABLES, keys.TRAINABLE_VARIABLES, keys.REGULARIZATION_LOSSES, keys.UPDATE_OPS]
    return {
        "variables": [[v.name, v.shape.as_list(), v.dtype.name] for v in tf.global_variables()],
        "operations": [[op.name, op.type] for op in tf.get_default_graph().get_operations()],
        "collections": [[item.name for item in tf.get_collection(key)] for key in collections],
        "points": [[key, t.name, t.shape.as_list()] for key, t in sorted(points.items())],
    }


def values_of(variables):
    """Weights that keep the size of what goes through, and statistics that are not the initial ones."""
    random = np.random.RandomState(5)
    for variable in variables:
        shape = variable.shape.as_list()
        if len(shape) >= 2:
            value = random.standard_normal(shape) * np.sqrt(2.0 / np.prod(shape[:-1]))
        elif variable.op.name.endswith(("moving_variance", "gamma")):
            value = random.uniform(0.5, 1.5, shape)
        else:
            value = random.standard_normal(shape) * 0.1
        yield variable, value.astype(np.float32)


def predict(name, training, folder, restore):
    """The description of the graph, and the output and end points for one batch."""
    import tensorflow as tf

    tf.reset_default_graph()
    images, net, points = build(name, training)
    about = described(points)
    saver = tf.train.Saver()
    probes = [tf.reduce_mean(tf.abs(points[key])) for key in sorted(points)]
    path = os.path.join(folder, "model.ckpt")
    with tf.Session() as sess:
        if restore:
            saver.restore(sess, path)
        else:
            values = list(values_of(tf.global_variables()))
            # All in one step: what the initializers would draw is fed.
            feed = {variable.initializer.inputs[1]: value for variable, value in values}
            sess.run([variable.initializer for variable, _ in values], feed)
            saver.save(sess, path, write_state=False)
        batch = np.random.RandomState(7).uniform(-1.0, 1.0, images.shape.as_list())
        found, stages = sess.run([net, probes], {images: batch})
    return about, found, np.array(stages)


def write(name, folder):
    for training in (True, False):
        about, found, stages = predict(name, training, folder, restore=False)
        with open(os.path.join(folder, "graph_%d.json" % training), "w") as file:
            json.dump(about, file)
        np.savez(os.path.join(folder, "found_%d.npz" % training), found=found, stages=stages)


def read(name, folder):
    """Compares, prints a line, and returns whether all is the same."""
    words, good = [], True
    for training in (True, False):
        about, found, stages = predict(name, training, folder, restore=True)
        with open(os.path.join(folder, "graph_%d.json" % training)) as file:
            theirs = json.load(file)
        expected = np.load(os.path.join(folder, "found_%d.npz" % training))
        for what in theirs:
            if json.loads(json.dumps(about[what])) != theirs[what]:
                good = False
                pairs = zip(about[what], theirs[what])
                words.append("%s differ: %s" % (what, next((pair for pair in pairs if list(pair[0]) != pair[1]), "")))
        worst = np.abs(found - expected["found"]).max() / np.abs(expected["found"]).max()
        inside = np.abs(stages - expected["stages"]).max() / np.abs(expected["stages"]).max()
        allowed = SENSITIVE.get((name, training), TOLERANCE[training])
        good = good and found.shape == expected["found"].shape and max(worst, inside) < allowed
        words.append("%s %.1e (stages %.1e)" % ("training" if training else "inference", worst, inside))
    count = len(theirs["variables"])
    print("%-14s %4d variables %5d operations; %s" % (name, count, len(theirs["operations"]), "; ".join(words)))
    return good


def main(arguments):
    if arguments[:1] == ["--write"]:
        return write(*arguments[1:])
    if arguments[:1] == ["--read"]:
        return None if read(*arguments[1:]) else 1
    from make_goldens import oracle_python

    oracle = oracle_python()
    if oracle is None:
        raise SystemExit("no TensorFlow 1.15.5 here: run make oracle, or set HEADRACE_TF1 to its Python")
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PYTHONWARNINGS="ignore")
    failed = []
    for name in arguments or sorted(PLAIN):
        with tempfile.TemporaryDirectory() as folder:
            theirs = [str(oracle), __file__, "--write", name, folder]
            ours = [sys.executable, "-m", "headrace", __file__, "--read", name, folder]
            if any(subprocess.run(command, env=environment).returncode for command in (theirs, ours)):
                failed.append(name)
    return "not the same: " + ", ".join(failed) if failed else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
