"""SavedModels: written, loaded, signatures, tags, assets, init operations, predictors."""

import os
import shutil
import tempfile

import numpy as np
import tensorflow as tf

results = {}
folder = tempfile.mkdtemp()
saved_model = tf.saved_model


def path(name):
    return os.path.join(folder, name)


def attempt(function):
    try:
        return function()
    except Exception as error:
        return [type(error).__name__, str(error).replace(folder, "FOLDER").split("\n")[0].split(" To inspect")[0]]


def files(top):
    found = []
    for where, _, names in os.walk(top):
        found += [os.path.relpath(os.path.join(where, name), top) for name in names]
    return sorted(found)


def signature_of(signature):
    def infos(items):
        return {
            key: [item.name, item.dtype, [dim.size for dim in item.tensor_shape.dim], item.tensor_shape.unknown_rank]
            for key, item in items.items()
        }

    return [infos(signature.inputs), infos(signature.outputs), signature.method_name]


with open(path("words.txt"), "w") as file:
    file.write("one\ntwo\n")
batch = np.arange(6, dtype=np.float32).reshape(2, 3)
with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.5))
    b = tf.get_variable("b", [2], use_resource=True, initializer=tf.constant_initializer(0.25))
    y = tf.nn.softmax(tf.matmul(x, w) + b, name="y")
    counter = tf.Variable(0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], name="counter")
    asset = tf.constant(path("words.txt"), name="asset_path")
    tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, asset)
    content = tf.identity(asset, name="content")
    set_counter = tf.group(tf.assign(counter, 41), name="set_counter")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(w.assign([[1, 2], [3, 4], [5, 6]]))
        results["y"] = session.run(y, {x: batch})
        signature = saved_model.signature_def_utils.predict_signature_def({"features": x}, {"scores": y})
        builder = saved_model.builder.SavedModelBuilder(path("full"))
        results["too early"] = attempt(lambda: builder.add_meta_graph(["train"]))
        builder.add_meta_graph_and_variables(
            session,
            [saved_model.tag_constants.SERVING],
            signature_def_map={saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
            assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
            main_op=set_counter,
            strip_default_attrs=True,
        )
        results["twice"] = attempt(lambda: builder.add_meta_graph_and_variables(session, ["serve"]))
        builder.add_meta_graph(["serve", "gpu"], clear_devices=True)
        results["saved"] = builder.save().decode().replace(folder, "FOLDER")
        builder.save(as_text=True)
        results["files"] = files(path("full"))
        results["not empty"] = attempt(lambda: saved_model.builder.SavedModelBuilder(path("full")))
        saved_model.simple_save(session, path("simple"), {"x": x}, {"y": y, "w": w})
        results["simple files"] = files(path("simple"))

results["there"] = [
    saved_model.loader.maybe_saved_model_directory(path("full")),
    saved_model.loader.maybe_saved_model_directory(folder),
]
for scope in (None, "inner"):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        meta = saved_model.loader.load(session, ["serve"], path("full"), import_scope=scope)
        prefix = scope + "/" if scope else ""
        entry = [
            signature_of(meta.signature_def["serving_default"]),
            list(meta.meta_info_def.tags),
            sorted(meta.collection_def),
            session.run(prefix + "y:0", {prefix + "x:0": batch}),
            int(session.run(prefix + "counter:0")),
            [variable.name for variable in tf.global_variables()],
        ]
        results["loaded into {}".format(scope)] = entry
with tf.Graph().as_default(), tf.Session() as session:
    saved_model.load(session, {"gpu", "serve"}, path("full"))
    results["other tags"] = session.run("y:0", {"x:0": batch})
with tf.Graph().as_default(), tf.Session() as session:
    meta = saved_model.loader.load(session, [saved_model.tag_constants.SERVING], path("simple"))
    results["simple"] = signature_of(meta.signature_def["serving_default"])
    results["refusals"] = [
        attempt(lambda: saved_model.loader.load(session, ["other"], path("full"))),
        attempt(lambda: saved_model.loader.load(session, ["serve"], path("none"))),
        attempt(lambda: saved_model.signature_def_utils.predict_signature_def({}, {})),
    ]

predict = tf.contrib.predictor.from_saved_model(path("full"))
results["predicted"] = predict({"features": batch})
named = tf.contrib.predictor.from_saved_model(path("full"), input_names={"a": "x:0"}, output_names={"b": "y:0"})
results["by names"] = named({"a": batch})
results["predictor refusals"] = [
    attempt(lambda: predict({"other": batch})),
    attempt(lambda: tf.contrib.predictor.from_saved_model(path("full"), input_names={"a": "x:0"})),
]

with tf.Graph().as_default():
    examples = tf.placeholder(tf.string, [None], name="examples")
    scores = tf.constant([1.0], name="scores")
    classes = tf.constant(["a"], name="classes")
    sparse = tf.sparse_placeholder(tf.float32, name="sparse")
    utils = saved_model.signature_def_utils
    info = saved_model.utils.build_tensor_info(sparse)
    results["sparse"] = [info.dtype, info.coo_sparse.values_tensor_name, info.coo_sparse.indices_tensor_name]
    found = saved_model.utils.get_tensor_from_tensor_info(info)
    results["sparse again"] = [found.values.name, found.indices.name, found.dense_shape.name]
    regression = utils.regression_signature_def(examples, scores)
    classification = utils.classification_signature_def(examples, classes, scores)
    results["kinds"] = [signature_of(regression), signature_of(classification)]
    results["valid"] = [
        utils.is_valid_signature(item) for item in (regression, classification, signature, utils.build_signature_def())
    ]
    results["kind refusals"] = [
        attempt(lambda: utils.regression_signature_def(scores, scores)),
        attempt(lambda: utils.classification_signature_def(examples, None, None)),
        attempt(lambda: utils.classification_signature_def(examples, scores, None)),
    ]
shutil.rmtree(folder)
