"""Support vector machines, linear models of kernels, probabilities of two classes, and what they export as bundles."""

import glob
import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib.learn.python.learn.utils import export
from tensorflow.contrib.session_bundle import exporter, gc, manifest_pb2

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
learn, methods = tf.contrib.learn, tf.contrib.kernel_methods
HEIGHTS = np.array([[0.0, 1.0], [1.0, 0.5], [3.0, 2.0], [2.0, 0.0]], np.float32)
SIDES = np.array([[1], [0], [1], [0]], np.int64)


def rows():
    return {"name": tf.constant(list("abcd")), "height": tf.constant(HEIGHTS)}, tf.constant(SIDES)


def measured(estimator):
    found = estimator.evaluate(input_fn=rows, steps=1)
    return {name: value for name, value in found.items() if not np.isnan(value)}


def signatures(folder):
    message = tf.MetaGraphDef()
    with open(sorted(glob.glob(os.path.join(folder, "*", "export.meta")))[-1], "rb") as file:
        message.ParseFromString(file.read())
    found = manifest_pb2.Signatures()
    found.ParseFromString(message.collection_def["serving_signatures"].any_list.value[0].value)
    return message, found


def bound(signature):
    """The kind of a signature, and the tensors that it names."""
    kind = signature.WhichOneof("type")
    made = getattr(signature, kind)
    if kind == "generic_signature":
        return [kind] + sorted("%s %s" % (name, each.tensor_name) for name, each in made.map.items())
    return [kind] + ["%s %s" % (field.name, each.tensor_name) for field, each in made.ListFields()]


height = tf.contrib.layers.real_valued_column("height", dimension=2)
config = learn.RunConfig(tf_random_seed=1)

machine = learn.SVM("name", [height], l2_regularization=1.0, config=config)
# Which example a step takes first depends on threads: what matters is where it ends.
machine.fit(input_fn=rows, steps=20)
results["machine"] = sorted(measured(machine))
results["machine predicts"] = [sorted(each) for each in machine.predict(input_fn=rows)]

mapper = methods.RandomFourierFeatureMapper(2, 6, stddev=2.0, seed=3, name="waves")
kernels = methods.KernelLinearClassifier(kernel_mappers={height: [mapper]}, config=config)
kernels.fit(input_fn=rows, steps=10)
results["kernels"] = measured(kernels)
results["kernels predict"] = [list(each) for each in kernels.predict_proba(input_fn=rows)]
results["kernels' variables"] = sorted(name for name in kernels.get_variable_names() if "Ftrl" not in name)


def logistic(features, labels, mode):
    weights = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
    logits = tf.matmul(features["height"], weights)
    loss = tf.losses.sigmoid_cross_entropy(labels, logits)
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.sigmoid(logits), loss, step


regressor = learn.LogisticRegressor(logistic, config=config)
regressor.fit(input_fn=rows, steps=5)
results["probabilities"] = measured(regressor)

network = learn.DNNClassifier([3], [height], config=config)
network.fit(input_fn=rows, steps=2)
line = learn.LinearRegressor([height], config=config)
line.fit(input_fn=rows, steps=2)


def requests():
    serialized = tf.placeholder(tf.string, [None], name="requests")
    found = tf.parse_example(serialized, {"height": tf.FixedLenFeature([2], tf.float32)})
    return dict(found, serialized=serialized), None


asked = dict(input_fn=requests, input_feature_key="serialized", use_deprecated_input_fn=False)
for label, estimator, settings in (
    ("machine", machine, {}),
    ("network", network, {}),
    ("network of requests", network, asked),
    ("line", line, {}),
    ("line by name", line, {"signature_fn": export.generic_signature_fn}),
):
    folder = tempfile.mkdtemp()
    path = estimator.export(folder, **settings)
    _, found = signatures(folder)
    results["export of " + label] = [os.path.basename(path).decode()] + bound(found.default_signature)

# A bundle written by hand, a few times.
folder = tempfile.mkdtemp()
words = os.path.join(folder, "words.txt")
with open(words, "w") as file:
    file.write("cook\n")
with tf.Graph().as_default() as graph, tf.Session() as session:
    x = tf.placeholder(tf.float32, [None], name="x")
    factor = tf.Variable(2.0, name="factor")
    y = tf.multiply(x, factor, name="y")
    step = tf.train.get_or_create_global_step()
    asset = tf.constant(words, name="words")
    session.run(tf.global_variables_initializer())
    writer = exporter.Exporter(tf.train.Saver(sharded=True))
    try:
        writer.export(folder, step, session)
    except RuntimeError as error:
        results["before init"] = str(error)
    writer.init(
        default_graph_signature=exporter.regression_signature(x, y),
        named_graph_signatures={"both": exporter.generic_signature({"from": x, "to": y})},
        init_op=tf.group(tf.tables_initializer(), name="started"),
        assets_collection=[asset],
    )
    for value in (3, 10, 20):
        session.run(step.assign(value))
        writer.export(os.path.join(folder, "out"), step, session, gc.largest_export_versions(2))
    try:
        writer.export(os.path.join(folder, "out"), step, session)
    except RuntimeError as error:
        results["twice"] = "Duplicate export dir" in str(error)
    try:
        exporter.Exporter(tf.train.Saver()).init(init_op=3)
    except TypeError as error:
        results["no operation"] = str(error)
message, found = signatures(os.path.join(folder, "out"))
results["kept"] = sorted(os.listdir(os.path.join(folder, "out")))
results["assets"] = os.listdir(os.path.join(folder, "out", "00000020", "assets"))
results["by hand"] = [bound(found.default_signature), bound(found.named_signatures["both"])]
results["collections"] = sorted(name for name in message.collection_def if name.startswith("serving"))
