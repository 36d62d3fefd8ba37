"""SavedModels that 1.x programs write, loaded as objects; parts of wrapped functions."""

import os
import tempfile

import tensorflow as tf

tf.enable_eager_execution()
results = {}
folder = tempfile.mkdtemp()
vocabulary = os.path.join(folder, "words.txt")
with open(vocabulary, "w") as file:
    file.write("alpha\nbeta\n")
path = os.path.join(folder, "model")

with tf.Graph().as_default(), tf.Session() as session:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    kernel = tf.get_variable("kernel", initializer=[[1.0], [2.0]], use_resource=True)
    scale = tf.get_variable("scale", initializer=3.0, use_resource=True, trainable=False)
    y = tf.multiply(tf.matmul(x, kernel), scale, name="y")
    other = tf.placeholder_with_default(1.0, [], name="other")
    z = tf.add(y, other, name="z")
    words = tf.placeholder(tf.string, [None], name="words")
    numbers = tf.contrib.lookup.index_table_from_file(vocabulary).lookup(words)
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    session.run(scale.assign(4.0))
    builder = tf.saved_model.builder.SavedModelBuilder(path)
    predict = tf.saved_model.signature_def_utils.predict_signature_def
    builder.add_meta_graph_and_variables(
        session,
        ["serve"],
        {
            "serving_default": predict({"x": x}, {"y": y}),
            "words": predict({"words": words}, {"numbers": numbers}),
            "two": predict({"x": x, "other": other}, {"z": z, "y": y}),
        },
        assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
        main_op=tf.tables_initializer(),
    )
    builder.save()

model = tf.saved_model.load_v2(path)
serve = model.signatures["serving_default"]
given = tf.constant([[1.0, 1.0]])
results["attributes"] = [hasattr(model, name) for name in ("signatures", "variables", "graph", "prune", "asset_paths")]
results["keys"] = sorted(model.signatures)
results["serving"] = [serve(x=given)["y"].numpy().tolist(), serve(given)["y"].numpy().tolist()]
results["words"] = model.signatures["words"](words=tf.constant(["beta", "alpha"]))["numbers"].numpy().tolist()
two = model.signatures["two"](x=given, other=tf.constant(5.0))
results["two"] = {key: value.numpy().tolist() for key, value in sorted(two.items())}
results["variables"] = sorted([v.name, v.shape.as_list(), v.trainable, v.numpy().tolist()] for v in model.variables)


def refused(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except Exception as error:
        return type(error).__name__


results["refused"] = [
    refused(serve),
    refused(serve, z=given),
    refused(serve, x=[[1.0, 1.0]]),
    refused(model.signatures["two"], given, tf.constant(5.0)),
    refused(model.prune, "x", "y:0"),
    refused(model.prune, "x:0", "nothing:0"),
    refused(model.prune, [], "y:0"),
    refused(tf.saved_model.load_v2, path, ["other"]),
]
part = model.prune("x:0", {"twice": "y:0", "kernel": "kernel/Read/ReadVariableOp:0"})
results["pruned"] = {key: value.numpy().tolist() for key, value in sorted(part(given).items())}
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(serve(x=given)["y"])
trained = [v for v in model.variables if v.trainable]
results["gradients"] = [g.numpy().tolist() for g in tape.gradient(loss, trained)]
trained[0].assign_sub([[1.0], [1.0]])
results["after a step"] = serve(x=given)["y"].numpy().tolist()

again = os.path.join(folder, "again")
tf.saved_model.save(model, again, signatures=model.signatures)
reloaded = tf.saved_model.load_v2(again)
results["written again"] = [
    reloaded.signatures["serving_default"](x=given)["y"].numpy().tolist(),
    reloaded.signatures["words"](words=tf.constant(["beta"]))["numbers"].numpy().tolist(),
]

with tf.Graph().as_default(), tf.Session() as session:
    in_graph = tf.saved_model.load_v2(path)
    y = in_graph.signatures["serving_default"](x=tf.constant([[1.0, 1.0]]))["y"]
    session.run(tf.tables_initializer())
    results["in a graph"] = session.run(y).tolist()


def of_two(a, b):
    v = tf.get_variable("v", initializer=2.0, use_resource=True)
    total = tf.add(a * v, b, name="total")
    tf.assign_add(v, 1.0, name="step")
    return {"total": total, "product": total * v}


wrapped = tf.wrap_function(of_two, [tf.TensorSpec([], tf.float32)] * 2)
c = tf.constant
results["wrapped"] = {key: value.numpy().tolist() for key, value in sorted(wrapped(c(1.0), c(2.0)).items())}
results["wrapped part"] = float(wrapped.prune(wrapped.inputs[:2], "total:0")(c(1.0), c(2.0)).numpy())
results["wrapped refused"] = [
    refused(wrapped, a=c(1.0), b=c(2.0)),
    refused(wrapped, c(1.0)),
    refused(wrapped.prune, "total", "total:0"),
    refused(wrapped.prune, wrapped.inputs[:1], "total:0"),
]
