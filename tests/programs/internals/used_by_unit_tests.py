"""What unit tests of variables, gradients, initializers and checkpoints reach below the public names."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import trackable_object_graph_pb2
from tensorflow.python.framework import cpp_shape_inference_pb2, function, function_def_to_graph, graph_to_function_def
from tensorflow.python.ops import init_ops, init_ops_v2, resource_variable_ops, variable_scope
from tensorflow.python.training import checkpoint_management, warm_starting_util
from tensorflow.python.training.saving import functional_saver, saveable_object_util
from tensorflow.python.training.tracking import base, data_structures, graph_view, tracking
from tensorflow.python.training.tracking import util as trackable_utils
from tensorflow.python.util import example_parser_configuration

results = {}
folder = tempfile.mkdtemp()


def said(build):
    with tf.Graph().as_default():
        try:
            build()
        except (AttributeError, TypeError, ValueError, tf.errors.OpError) as error:
            return [type(error).__name__, str(error).split("\n")[0].replace(folder, "FOLDER")]
    return "nothing"


# Gradients with respect to what a function captures, and inside loops.
with tf.Graph().as_default(), tf.Session() as session:
    x = tf.constant(1.5)
    y = x * x
    w = tf.get_variable("w", initializer=3.0, use_resource=True)

    @function.Defun()
    def inner():
        return tf.gradients(y * y, x)[0]

    @function.Defun()
    def of_variable():
        return tf.gradients(w * w * y, w)[0]

    @function.Defun()
    def outermost():
        z = y * x

        @function.Defun()
        def below():
            return tf.gradients(z * 2.0, x)[0]

        return below()

    session.run(w.initializer)
    results["captured"] = session.run([inner(), of_variable(), outermost()])
    unused = tf.gradients(y, [w, x], unconnected_gradients=tf.UnconnectedGradients.ZERO)
    results["unconnected"] = session.run(unused)


def through_initial_value():
    x = tf.constant(2.0, name="begin")
    tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.gradients(a * 3.0, x)[0]), [0, x])


def wrong_count():
    @tf.RegisterGradient("TwoForOneInput")
    def two(op, grad):
        return grad, grad

    with tf.get_default_graph().gradient_override_map({"Identity": "TwoForOneInput"}):
        x = tf.constant(1.0)
        tf.gradients(tf.identity(x), x)


results["loop_error"] = said(through_initial_value)
results["count_error"] = said(wrong_count)

# Initializers.
for rank, make in enumerate(
    (init_ops.convolutional_orthogonal_1d, init_ops.convolutional_orthogonal_2d, init_ops.convolutional_orthogonal_3d),
    1,
):
    with tf.Graph().as_default(), tf.Session() as session:
        results["orthogonal_%d" % rank] = session.run(make(gain=2.0, seed=5, dtype=tf.float64)([2] * rank + [3, 3]))
for name in (
    "Zeros",
    "Ones",
    "Constant",
    "RandomUniform",
    "RandomNormal",
    "TruncatedNormal",
    "VarianceScaling",
    "Identity",
):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)
        made = getattr(init_ops_v2, name)()
        results["later_" + name] = [made.get_config(), session.run(made([3, 3]))]
results["later_errors"] = [
    said(lambda: init_ops_v2.RandomNormal()([2], dtype=tf.int32)),
    said(lambda: init_ops_v2.RandomUniform()([2], dtype=tf.string)),
    said(lambda: init_ops_v2.Constant([1, 2, 3])([2])),
    said(lambda: init_ops.random_normal_initializer(dtype=tf.int32)),
    said(lambda: variable_scope._PartitionInfo([6, 4], [2, 7])),
]
info = variable_scope._PartitionInfo(full_shape=[6, 4], var_offset=[2, 0])
results["partition"] = [info.single_offset([2, 4]), info.single_slice_dim([2, 4])]

# Variables and stores.
with tf.Graph().as_default():
    store = variable_scope._get_default_variable_store()
    made = store.get_variable("v", [1])
    results["store"] = [made.name, store.get_variable("v", [1]) is made, type(store).__name__.lstrip("_")]
    copied = resource_variable_ops.copy_to_graph_uninitialized(resource_variable_ops.ResourceVariable(1.0, name="q"))
    results["uninitialized"] = [
        copied.name,
        str(copied.dtype),
        [op.type for op in tf.get_default_graph().get_operations()],
    ]
    data = resource_variable_ops.get_resource_handle_data(copied.handle)
    results["handle"] = str(data)
    kind = cpp_shape_inference_pb2.CppShapeInferenceResult.HandleData
    results["handle_kind"] = isinstance(data, kind) or kind.DESCRIPTOR.name
for resource in (False, True):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=resource)
        session.run(v.initializer)
        delta = tf.IndexedSlices(tf.constant([[1.0, 5.0]]), tf.constant([1]))
        session.run(v.batch_scatter_update(delta))
        results["batch_scatter_%s" % resource] = [
            session.run(v),
            [op.name for op in tf.get_default_graph().get_operations() if "Read" not in op.name],
        ]

# Functions as graphs.
with tf.Graph().as_default() as graph:
    a, b = tf.placeholder(tf.float32, name="a"), tf.placeholder(tf.float32, name="b")
    halves = tf.split(a + b, 2, name="halves")
    total = tf.add(halves[0], halves[1], name="total")
    message = graph_to_function_def.graph_to_function_def(graph, graph.get_operations(), [a, b], [total], ["total"])
    message.signature.name = "named"
body = function_def_to_graph.function_def_to_graph(message, input_shapes=[tf.TensorShape([4]), None])
with tf.Session(graph=body) as session:
    results["body"] = [
        body.name,
        session.run(body.outputs, {"a:0": [1.0, 2.0, 3.0, 4.0], "b:0": np.ones(4, "f")}),
        [str(t) for t in body.inputs],
    ]
results["flat_names"] = function_def_to_graph.function_def_to_graph_def(message)[1]
results["shapes_error"] = said(lambda: function_def_to_graph.function_def_to_graph(message, input_shapes=[None]))
with tf.Graph().as_default(), tf.Session() as session:
    features = {"dense": tf.FixedLenFeature([2], tf.float32, [1.0, 2.0]), "sparse": tf.VarLenFeature(tf.int64)}
    parsed = tf.parse_example(tf.placeholder(tf.string, [None]), features, name="parse")
    config = example_parser_configuration.extract_example_parser_configuration(parsed["dense"].op, session)
    results["parser"] = [str(config.feature_map[key]) for key in ("dense", "sparse")]


# Objects in checkpoints.
class Part(tracking.AutoTrackable):
    pass


def assembled():
    root = Part()
    root.v = tf.Variable([1.0, 2.0], use_resource=True, name="v")
    root.parts = [tf.Variable(3.0, use_resource=True), Part()]
    root.named = {"a": tf.Variable(4.0, use_resource=True)}
    return root


with tf.Graph().as_default(), tf.Session().as_default() as session:
    root = assembled()
    view = graph_view.ObjectGraphView(root)
    saveables, proto, _ = view.serialize_object_graph()
    results["view"] = [
        [type(item).__name__ for item in view.list_objects()],
        [saveable.name for saveable in saveables],
        str(proto),
        [saveable.name for saveable in view.frozen_saveable_objects()],
        [ref.name for ref in view.list_dependencies(root)],
        type(proto).__name__ == trackable_object_graph_pb2.TrackableObjectGraph.__name__,
    ]
    session.run(tf.global_variables_initializer())
    path = os.path.join(folder, "frozen")
    session.run(trackable_utils.frozen_saver(root).save(tf.constant(path)))
    results["frozen"] = sorted(tf.train.NewCheckpointReader(path).get_variable_to_shape_map())
    several = functional_saver.MultiDeviceSaver(saveable_object_util.saveable_objects_for_op(root.v, "x"))
    session.run(several.save(tf.constant(path + "2")))
    session.run(root.v.assign([9.0, 9.0]))
    session.run(several.restore(tf.constant(path + "2")))
    results["functional"] = session.run([root.v, functional_saver.sharded_filename(tf.constant("f"), 1, 3)])
    numbered = trackable_utils.CheckpointV1(root=root).save(os.path.join(folder, "objects"))
    session.run(root.v.assign([8.0, 8.0]))
    status = trackable_utils.CheckpointV1(root=root).restore(numbered)
    trackable_utils.streaming_restore(status, session)
    results["streamed"] = session.run(root.v)

    class Texted(tracking.AutoTrackable):
        text = "first"

        def _take(self, text):
            self.text = text

        def _gather_saveables_for_checkpoint(self):
            def made(name="text"):
                return base.PythonStringStateSaveable(name, lambda: self.text, restore_callback=self._take)

            return {"text": made}

    texted = Texted()
    kept = trackable_utils.CheckpointV1(texted=texted).save(os.path.join(folder, "text"))
    texted.text = "second"
    trackable_utils.CheckpointV1(texted=texted).restore(kept).initialize_or_restore(session)
    results["text"] = texted.text if isinstance(texted.text, str) else texted.text.decode()

with tf.Graph().as_default():
    owner = Part()
    v = trackable_utils.add_variable(owner, name="v", shape=[2], initializer=tf.ones_initializer())
    results["added"] = [v.name, [ref.name for ref in owner._checkpoint_dependencies]]
    for name, change in (
        ("append", lambda items: items.append(Part())),
        ("extend", lambda items: items.extend([1, Part()])),
        ("insert", lambda items: items.insert(0, Part())),
        ("pop", lambda items: items.pop()),
        ("set", lambda items: items.__setitem__(0, 5)),
        ("clear", lambda items: items.clear()),
    ):
        owner.items = [Part(), 2]
        change(owner.items)
        try:
            results["list_" + name] = [ref.name for ref in owner.items._checkpoint_dependencies]
        except ValueError as error:
            results["list_" + name] = "ValueError" if "Unable to save the object" in str(error) else str(error)
    results["kinds"] = [type(value).__name__ for value in (owner.items, data_structures._wrap_or_unwrap({"a": 1}))]
    tracker = tracking.ResourceTracker()
    with tracking.resource_tracker_scope(tracker):
        tracking.TrackableResource()
    results["tracked"] = len(tracker.resources)

results["prefix"] = checkpoint_management._prefix_to_checkpoint_path("model-3", tf.train.SaverDef.V2)
with tf.Graph().as_default():
    v = tf.get_variable("m", [4, 2], partitioner=tf.fixed_size_partitioner(2))
    name, parts = warm_starting_util._get_var_info(v)
    results["warm"] = [name, warm_starting_util._infer_var_name(list(v)), len(list(parts))]
