"""Public functions and classes of TensorFlow that other programs here do not name: ops, layers, hooks, versions, logs."""

import os

import numpy as np
import tensorflow as tf

results = {}
random = np.random.RandomState(4)
image = random.randn(1, 4, 5, 2).astype(np.float32)
volume = random.randn(1, 3, 3, 4, 2).astype(np.float32)


def outcome(function):
    try:
        return ["nothing", type(function()).__name__]
    except Exception as error:
        return [type(error).__name__, str(error)]


# ---- ops ----
ones = np.ones([2, 3], np.float32)
wide = np.array([[-9.0, 0.5, 2.0], [7.0, 6.5, -2.0]], np.float32)
calls = {
    "args grad": lambda: tf.fake_quant_with_min_max_args_gradient(ones, wide, -6.0, 6.0, 4, True),
    "vars grad": lambda: tf.fake_quant_with_min_max_vars_gradient(ones, wide, -1.0, 3.0, 8)[0],
    "vars grad min": lambda: tf.quantization.fake_quant_with_min_max_vars_gradient(ones, wide, -1.0, 3.0)[1],
    "channel grad": lambda: tf.fake_quant_with_min_max_vars_per_channel_gradient(
        ones, wide, [-1.0, -1.0, -1.0], [1.0, 2.0, 3.0]
    )[2],
    "guarantee": lambda: tf.guarantee_const(tf.constant([1.0, 2.0]), name="sure"),
    "eigvalsh": lambda: tf.linalg.eigvalsh([[2.0, 1.0], [1.0, 3.0]], name="values"),
    "diag": lambda: tf.linalg.tensor_diag([[1, 2], [3, 4]]),
    "diag part": lambda: tf.linalg.tensor_diag_part(tf.reshape(tf.range(16), [2, 2, 2, 2])),
    "no nan": lambda: tf.math.divide_no_nan([1.0, 2.0], [0.0, 4.0]),
    "norm": lambda: tf.math.reduce_euclidean_norm([[3, 4], [1, 1]], 1, True),
    "norm float": lambda: tf.math.reduce_euclidean_norm([[3.0, 4.0], [1.0, 1.0]]),
    "variance": lambda: tf.math.reduce_variance([[1.0, 4.0], [1.0, 1.0]], axis=0, name="spread"),
    "segment min": lambda: tf.math.segment_min([[4, 2], [1, 5], [0, 9]], [0, 0, 2]),
    "unsorted min": lambda: tf.math.unsorted_segment_min([4.0, 2.0, 7.0], [1, 1, -1], 3),
    "unsorted sqrt": lambda: tf.math.unsorted_segment_sqrt_n([[4.0, 2.0], [1.0, 5.0]], [1, 1], 2),
    "sparse sqrt": lambda: tf.sparse.segment_sqrt_n([[4.0, 2.0], [1.0, 5.0]], [0, 1, 1], [0, 0, 2], num_segments=4),
    "conv3d filter": lambda: tf.nn.conv3d_backprop_filter_v2(
        volume, [2, 2, 2, 2, 1], tf.ones([1, 2, 2, 3, 1]), [1] * 5, "VALID"
    ),
    "conv3d filter old": lambda: tf.nn.conv3d_backprop_filter(
        volume, [2, 2, 2, 2, 1], tf.ones([1, 3, 3, 4, 1]), [1] * 5, "SAME", name="back"
    ),
    "depthwise filter": lambda: tf.nn.depthwise_conv2d_backprop_filter(
        image, [2, 2, 2, 3], tf.ones([1, 4, 5, 6]), [1, 1, 1, 1], "SAME"
    ),
    "depthwise input": lambda: tf.nn.depthwise_conv2d_native_backprop_input(
        [1, 4, 5, 2], tf.ones([2, 2, 2, 3]), tf.ones([1, 2, 2, 6]), [1, 2, 2, 1], "VALID"
    ),
    "avg": lambda: tf.nn.quantized_avg_pool(
        tf.cast(np.arange(16).reshape(1, 4, 4, 1), tf.quint8), 0.0, 1.0, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"
    )[0],
    "max": lambda: tf.nn.quantized_max_pool(
        tf.cast(np.arange(16).reshape(1, 4, 4, 1), tf.quint8), 0.0, 1.0, [1, 2, 2, 1], [1, 1, 1, 1], "VALID"
    )[0],
    "rfft3d": lambda: tf.signal.rfft3d(tf.constant(volume[0, :, :, :, 0]), [3, 4, 6]),
    "irfft3d": lambda: tf.signal.irfft3d(tf.complex(volume[0, :, :, :, 0], volume[0, :, :, :, 1]), [3, 3, 6]),
    "hash": lambda: tf.strings.to_hash_bucket_strong(["a", "b"], 1000, [1, 2]),
    "add": lambda: tf.tensor_scatter_nd_add(tf.zeros([4]), [[1], [1]], [2.0, 3.0]),
    "sub": lambda: tf.tensor_scatter_nd_sub(tf.zeros([4, 2]), [[3]], [[2.0, 3.0]]),
    "update": lambda: tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [7, 8], name="changed"),
    "jpeg": lambda: tf.shape(tf.image.adjust_jpeg_quality(tf.zeros([8, 8, 3]), 50)),
    "indexed": lambda: tf.convert_to_tensor_or_indexed_slices([1, 2], tf.float32, name="x"),
}
values, names = {}, {}
with tf.Session() as session:
    for name in sorted(calls):
        made = calls[name]()
        names[name] = [made.name, str(made.shape), made.dtype.name]
        if made.dtype.is_quantized:
            made = tf.cast(made, tf.int32)
        values[name] = session.run(made)
results["values"], results["names"] = values, names

with tf.Graph().as_default(), tf.Session() as session:
    scattered = {}
    for resource in (False, True):
        for name in ("scatter_div", "scatter_max", "scatter_min", "scatter_mul", "scatter_nd_sub"):
            variable = tf.get_variable("%s_%s" % (name, resource), initializer=[8.0, 6.0, 4.0], use_resource=resource)
            session.run(variable.initializer)
            indices = [[0], [2]] if "nd" in name else [0, 2]
            done = getattr(tf, name)(variable, indices, [2.0, 5.0])
            scattered["%s %s" % (name, resource)] = [session.run(done), session.run(variable), done.op.type]
    results["scattered"] = scattered

# ---- layers ----
with tf.Graph().as_default():
    start = tf.constant_initializer(0.2)
    sequence = tf.constant(random.randn(2, 6, 3).astype(np.float32))
    flat_image, cube = tf.constant(image), tf.constant(volume)
    layers = [
        (tf.layers.AveragePooling1D(2, 1, "same"), sequence),
        (tf.layers.AveragePooling2D([2, 2], 2), flat_image),
        (tf.layers.AveragePooling3D(2, 1, "valid"), cube),
        (tf.layers.MaxPooling1D(2, 2), sequence),
        (tf.layers.MaxPooling2D(2, [1, 2], "same", name="largest"), flat_image),
        (tf.layers.MaxPooling3D(2, 2, "same"), cube),
        (tf.layers.Conv1D(2, 3, 2, "same", kernel_initializer=start), sequence),
        (tf.layers.Conv2DTranspose(2, 3, 2, "valid", kernel_initializer=start), flat_image),
        (tf.layers.Conv3D(2, 2, kernel_initializer=start, activation=tf.nn.relu), cube),
        (tf.layers.Conv3DTranspose(1, 2, 2, kernel_initializer=start, use_bias=False), cube),
        (tf.layers.SeparableConv1D(2, 2, depthwise_initializer=start, pointwise_initializer=start), sequence),
        (tf.layers.Flatten(), flat_image),
    ]
    outputs = [layer(x) for layer, x in layers]
    results["layers"] = [
        [layer.name, one.name, str(one.shape), [v.name for v in layer.trainable_variables], layer.count_params()]
        for (layer, _), one in zip(layers, outputs)
    ]
    results["shapes"] = [str(layer.compute_output_shape(x.shape)) for layer, x in layers]
    results["wrong rank"] = [
        outcome(lambda: tf.layers.Conv1D(2, 3)(flat_image))[0],
        outcome(lambda: tf.layers.MaxPooling2D(2, 2)(cube)),
    ]
    spec = tf.layers.InputSpec(tf.float32, ndim=3, axes={-1: 4})
    results["spec"] = [spec.ndim, str(spec.axes), repr(spec)]

    class Scaled(tf.layers.Layer):
        def build(self, shape):
            self.scale = self.add_weight("scale", shape[-1:], initializer=tf.ones_initializer())
            self.input_spec = tf.layers.InputSpec(axes={-1: int(shape[-1])})
            super(Scaled, self).build(shape)

        def call(self, x):
            return x * self.scale

    own = Scaled(name="mine")
    outputs.append(own(sequence))
    results["own"] = [own.scale.name, outcome(lambda: own(flat_image))[0]]
    with tf.layers.experimental.keras_style_scope():
        styled = tf.layers.Dense(2, name="dense")
        again = tf.layers.Dense(2, name="dense")
        styled(tf.ones([1, 2]))
        again(tf.ones([1, 2]))
        results["styled"] = [[v.name for v in layer.variables] for layer in (styled, again)]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        results["layer values"] = session.run(outputs)

# ---- sessions, hooks ----
with tf.Graph().as_default():
    step = tf.train.get_or_create_global_step()
    increase = tf.assign_add(step, 1)
    waiter = tf.train.GlobalStepWaiterHook(0)

    seen = []

    class Watching(tf.train.SessionRunHook):
        def before_run(self, run_context):
            assert isinstance(run_context, tf.train.SessionRunContext)
            return tf.train.SessionRunArgs({"step": step})

        def after_run(self, run_context, run_values):
            assert isinstance(run_values, tf.train.SessionRunValues)
            seen.append([sorted(run_values.results), run_context.original_args.fetches.name])
            if len(seen) == 2:
                run_context.request_stop()

    creator = tf.train.ChiefSessionCreator()
    with tf.train.MonitoredSession(creator, [waiter, Watching()]) as session:

        def two(step_context):
            assert isinstance(step_context, tf.train.MonitoredSession.StepContext)
            return step_context.run_with_hooks(increase), int(step_context.session.run(step))

        results["context"] = list(session.run_step_fn(two))
        while not session.should_stop():
            session.run(increase)
    results["seen"] = seen
    results["creators"] = [
        issubclass(kind, tf.train.SessionCreator)
        for kind in (tf.train.ChiefSessionCreator, tf.train.WorkerSessionCreator)
    ]

# ---- critical sections ----
with tf.Graph().as_default(), tf.Session() as session:
    section = tf.CriticalSection(name="guarded")
    count = tf.get_variable("count", initializer=0.0, use_resource=True)

    def add(by):
        with tf.control_dependencies([count.assign_add(by)]):
            return count.read_value()

    runs = [section.execute(lambda: add(1.0)) for _ in range(3)] + [section.execute(lambda: add(10.0), name="ten")]
    session.run(tf.variables_initializer([count]))
    session.run(runs)
    results["section"] = [session.run(count), section.name]

    def double():
        # Read, computed and written in several operations: a step's other executions must not come between them.
        seen = count.read_value()
        with tf.control_dependencies([seen]), tf.control_dependencies([count.assign(seen * 2.0)]):
            return count.read_value()

    results["doubled"] = sorted(session.run([section.execute(double) for _ in range(4)]))

# ---- values and small functions ----
results["versions"] = [
    type(one).__name__ for one in (tf.GIT_VERSION, tf.COMPILER_VERSION, tf.CXX11_ABI_FLAG, tf.MONOLITHIC_BUILD)
]
results["graphs"] = [tf.GRAPH_DEF_VERSION_MIN_PRODUCER, tf.GRAPH_DEF_VERSION_MIN_CONSUMER]
results["numbers"] = [
    tf.data.experimental.AUTOTUNE,
    tf.data.experimental.INFINITE_CARDINALITY,
    tf.logging.DEBUG,
    tf.logging.FATAL,
]
constants = tf.saved_model
results["constants"] = {
    name: getattr(constants, name)
    for name in sorted(dir(constants))
    if name.isupper() and isinstance(getattr(constants, name), str)
}
before = tf.logging.get_verbosity()
tf.logging.set_verbosity(tf.logging.DEBUG)
results["verbosity"] = tf.logging.get_verbosity()
tf.logging.set_verbosity(before)
tf.logging.log_every_n(tf.logging.DEBUG, "%d", 2, 1)
tf.logging.log_first_n(tf.logging.DEBUG, "%d", 1, 1)
tf.logging.vlog(3, "%s", "x")
results["status"] = outcome(lambda: tf.logging.TaskLevelStatusMessage(3, "%s", "x"))
folder = os.path.dirname(os.path.abspath(tf.resource_loader.get_path_to_datafile("x")))
results["loader"] = [
    os.path.isabs(folder),
    os.path.basename(tf.resource_loader.get_path_to_datafile("a/b.txt")),
    tf.resource_loader.readahead_file_path("some/path", "32M"),
    outcome(lambda: tf.resource_loader.load_resource("no/such/file"))[0],
]
results["built"] = [tf.test.is_gpu_available(), tf.test.gpu_device_name(), type(tf.test.is_built_with_cuda()).__name__]
tf.add_to_collections(["one", "two"], 3)
results["collections"] = [tf.get_collection("one"), tf.get_collection("two")]
with tf.op_scope([tf.constant(1.0)], "given", "default") as scope:
    results["scope"] = [scope, tf.constant(1.0).name]
results["protos"] = [
    str(tf.NameAttrList(name="f")),
    str(tf.GraphOptions(infer_shapes=True)),
    str(tf.train.ClusterDef(job=[tf.train.JobDef(name="w", tasks={0: "h:1"})])),
    str(tf.train.ServerDef(job_name="w", task_index=1)),
    str(tf.HistogramProto(min=1.5, max=2.5)),
    str(tf.LogMessage(level=tf.LogMessage.WARN, message="m")),
    str(tf.summary.SummaryDescription(type_hint="t")),
    str(tf.summary.TaggedRunMetadata(tag="t")),
]
with tf.variable_scope("over") as over:
    results["variable scope"] = [isinstance(over, tf.VariableScope), over.name]
dataset = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [[1.0], [2.0]]})
results["dataset"] = [
    str(sorted(tf.data.experimental.get_structure(dataset).items())),
    [kind is tf.Tensor for kind in tf.data.get_output_classes(dataset).values()],
    isinstance(tf.data.experimental.get_structure(dataset)["a"], tf.data.experimental.Structure),
    isinstance(tf.TensorSpec([], tf.int32), tf.TypeSpec),
    str(tf.data.experimental.TensorStructure(tf.int32, [])),
]
variant = tf.data.experimental.to_variant(dataset)
back = tf.data.experimental.from_variant(variant, tf.data.experimental.get_structure(dataset))
with tf.Session() as session:
    results["variant"] = [variant.dtype.name, session.run(tf.data.make_one_shot_iterator(back).get_next())]
