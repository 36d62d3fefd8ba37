"""Strategies of one process: what plans, checkpoints and scopes come to, beside what the differential programs compare."""

import copy

import numpy as np
import pytest

import headrace as tf
from headrace.distribute import cross_device_utils, device_maps, values
from headrace.distribute.cross_device_ops import AllReduceCrossDeviceOps

CONFIG = tf.ConfigProto(device_count={"CPU": 2})


def mirrored(**settings):
    return tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"], **settings)


def trained(strategy, steps=5):
    """The weights after some steps of momentum, on a batch that is divided among the replicas."""
    x = np.linspace(-1.0, 1.0, 24, dtype=np.float32).reshape(8, 3)
    y = x.sum(1, keepdims=True)
    with tf.Graph().as_default(), strategy.scope():
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        iterator = strategy.make_dataset_iterator(tf.data.Dataset.from_tensors((x, y)).repeat())

        def step(inputs):
            out = tf.layers.dense(inputs[0], 1, kernel_initializer=tf.constant_initializer(0.5), name="out")
            loss = tf.reduce_mean(tf.square(out - inputs[1])) / strategy.num_replicas_in_sync
            return optimizer.minimize(loss)

        train = strategy.group(strategy.experimental_run_v2(step, args=(iterator.get_next(),)))
        weights = [strategy.experimental_local_results(v)[0] for v in tf.trainable_variables()]
        with tf.Session(config=CONFIG) as sess:
            sess.run([iterator.initialize(), tf.global_variables_initializer()])
            for _ in range(steps):
                sess.run(train)
            return sess.run(weights)


@pytest.mark.parametrize(
    "make",
    [
        mirrored,
        lambda: mirrored(cross_device_ops=tf.distribute.ReductionToOneDevice("/cpu:1")),
        lambda: mirrored(cross_device_ops=tf.distribute.NcclAllReduce()),
        lambda: mirrored(cross_device_ops=tf.distribute.HierarchicalCopyAllReduce(num_packs=3)),
        lambda: mirrored(cross_device_ops=AllReduceCrossDeviceOps("nccl", 0, 64, 2)),
        lambda: tf.distribute.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"], "/cpu:0"),
        lambda: tf.distribute.experimental.ParameterServerStrategy(),
    ],
    ids=["mirrored", "one device", "nccl", "packed", "small ones packed", "central", "servers"],
)
def test_replicas_train_as_one_device_does_with_the_whole_batch(make):
    alone = trained(tf.distribute.OneDeviceStrategy("/cpu:0"))
    for value, expected in zip(trained(make()), alone, strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)


def variables_under(strategy):
    with strategy.scope():
        v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
        total = tf.get_variable(
            "total",
            [],
            initializer=tf.zeros_initializer(),
            trainable=False,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )
    return v, total


def test_a_checkpoint_of_replicas_goes_on_without_a_strategy_and_the_other_way_round(tmp_path):
    path = str(tmp_path / "model")
    strategy = mirrored()
    with tf.Graph().as_default(), tf.Session(config=CONFIG) as sess:
        v, total = variables_under(strategy)
        with strategy.scope():
            saver = tf.train.Saver()
            sess.run(tf.global_variables_initializer())
            sess.run([v.assign([3.0, 4.0]), *[part.assign(2.0) for part in total.values]])
            saver.save(sess, path)
    assert tf.train.list_variables(path) == [("total", []), ("v", [2])]
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.get_variable("v", [2])
        total = tf.get_variable("total", [])
        saver = tf.train.Saver()
        saver.restore(sess, path)
        assert sess.run([v, total])[0].tolist() == [3.0, 4.0]
        assert sess.run(total) == 4.0
        sess.run([v.assign([5.0, 6.0]), total.assign(10.0)])
        saver.save(sess, path)
    with tf.Graph().as_default(), tf.Session(config=CONFIG) as sess:
        v, total = variables_under(strategy)
        with strategy.scope():
            tf.train.Saver().restore(sess, path)
            assert [part.tolist() for part in sess.run(list(v.values))] == [[5.0, 6.0]] * 2
            assert sess.run(list(total.values)) == [5.0, 5.0]


def test_what_a_replica_raises_comes_to_the_caller_and_ends_the_others():
    strategy = mirrored()
    ended = []

    def step():
        context = tf.distribute.get_replica_context()
        try:
            context.merge_call(lambda strategy: None)
            raise KeyError("lost")
        finally:
            ended.append(tf.get_static_value(context.replica_id_in_sync_group))

    with pytest.raises(KeyError, match="lost"):
        strategy.experimental_run_v2(step)
    assert sorted(ended) == [0, 1]
    assert not tf.distribute.has_strategy()


def test_sums_of_gradients_are_one_operation_a_variable():
    strategy = mirrored()
    with tf.Graph().as_default() as graph, strategy.scope():
        v = tf.Variable([1.0, 2.0])
        strategy.experimental_run_v2(
            lambda: tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(3.0 * v), var_list=[v])
        )
        kinds = [op.type for op in graph.get_operations()]
        assert kinds.count("AddN") == 1
        assert kinds.count("ResourceApplyGradientDescent") == 2


def test_a_strategy_set_for_all_that_follows():
    strategy = mirrored()
    with tf.Graph().as_default():
        tf.distribute.experimental_set_strategy(strategy)
        assert tf.distribute.get_strategy() is strategy
        assert len(tf.get_variable("w", []).values) == 2
        tf.distribute.experimental_set_strategy(None)
        assert not tf.distribute.has_strategy()


def test_a_strategy_is_copied_with_all_it_holds():
    strategy = mirrored()
    with pytest.raises(RuntimeError, match="deepcopy"):
        copy.copy(strategy)
    other = copy.deepcopy(strategy)
    assert other.extended._container_strategy() is other
    assert other.extended.worker_devices == strategy.extended.worker_devices


def test_variables_that_replicas_name_differently_are_refused():
    def step():
        number = tf.get_static_value(tf.distribute.get_replica_context().replica_id_in_sync_group)
        return tf.Variable(0.0, name=f"only{number}a")

    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="mismatching name"):
        mirrored().experimental_run_v2(step)


def test_structures_of_values_are_put_together_and_taken_apart():
    devices = device_maps.ReplicaDeviceMap(["/cpu:0", "/cpu:1"])
    whole = values.regroup(devices, ({"a": (1, [2])}, {"a": (3, [2])}))
    assert whole["a"][0].values == (1, 3)
    assert whole["a"][1] == [2]
    assert values.select_replica(1, whole) == {"a": (3, [2])}
    with pytest.raises(AssertionError, match="keys"):
        values.regroup(devices, ({"a": 1}, {"b": 1}))
    with pytest.raises(TypeError, match="mirrored"):
        values.select_device_mirrored("/cpu:0", whole)


def test_packed_tensors_come_out_as_they_went_in():
    arrays = [np.arange(6.0, dtype=np.float32).reshape(2, 3), np.float32([7.0]), np.float32([[8.0], [9.0]])]
    for packer in (cross_device_utils.ConcatAndSplitPacker(2), cross_device_utils.SmallTensorPacker(8, 4)):
        with tf.Graph().as_default(), tf.Session() as sess:
            pairs = [[(tf.constant(array), None) for array in arrays] for _ in range(2)]
            unpacked = packer.unpack(packer.pack(pairs))
            for replica in unpacked:
                for made, array in zip(sess.run([grad for grad, _ in replica]), arrays, strict=True):
                    np.testing.assert_array_equal(made, array)


def test_groups_of_devices_share_some_where_they_cannot_be_even():
    assert cross_device_utils.group_device_names(["a", "b", "c"], 2) == [["a", "c"], ["b", "a"]]
    with pytest.raises(ValueError, match="group_size=4"):
        cross_device_utils.group_device_names(["a"], 4)


def test_monitor_runs_steps_until_the_data_end():
    strategy = mirrored()
    with tf.Graph().as_default(), strategy.scope(), tf.Session(config=CONFIG) as sess:
        layer = tf.layers.Dense(1, use_bias=False, kernel_initializer=tf.zeros_initializer())
        step = tf.contrib.distribute.StandardSingleLossStep(
            lambda: tf.data.Dataset.from_tensors([[1.0]]).repeat(4),
            lambda _, x: tf.reduce_sum(layer(x)),
            tf.train.GradientDescentOptimizer(0.5),
            strategy,
        )
        monitor = tf.contrib.distribute.Monitor(step, sess)
        with pytest.raises(tf.errors.OutOfRangeError):
            monitor.run_steps()
        # Two steps of two replicas, of which each takes the gradient 1 twice.
        assert sess.run(layer.kernel.values[1]) == -2.0


@pytest.mark.parametrize("name", ["tf.distribute.experimental.TPUStrategy", "tf.contrib.distribute.TPUStrategy"])
def test_what_is_not_supported_says_what_is(name):
    found = tf
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    with pytest.raises(NotImplementedError, match="MirroredStrategy"):
        found()


@pytest.mark.parametrize(
    "spec",
    [
        "nccl",
        ("pscpu", 3, -1),
        ("pscpu/pscpu", 2, -1),
        ("nccl/rechd", 1, -1),
        ("nccl/pscpu", 1, -1),
        ("xring", 1, -1),
        [("pscpu", 1, 5), ("nccl", 1, -1)],
    ],
)
@pytest.mark.parametrize("settings", [{}, {"num_packs": 1}, {"agg_small_grads_max_bytes": 100}])
def test_algorithms_of_several_workers_give_the_sums(spec, settings):
    devices = [f"/job:localhost/replica:0/task:0/device:CPU:{i}" for i in range(2)]
    device_map = device_maps.ReplicaDeviceMap(devices)
    pairs = []
    with tf.Graph().as_default(), tf.Session(config=CONFIG) as sess:
        for shape in ((4,), (2, 3)):
            parts = []
            for number, where in enumerate(devices):
                with tf.device(where):
                    parts.append(tf.reshape(tf.range(24.0)[: np.prod(shape)] * 3.0**number, shape))
            pairs.append((values.PerReplica(device_map, parts),) * 2)
        ops = tf.contrib.distribute.MultiWorkerAllReduce(devices, 2, spec, **settings)
        made = ops.batch_reduce(tf.distribute.ReduceOp.SUM, pairs)
        assert [value.device for value in made[1].values] == devices
        for value, shape in zip(made, ((4,), (2, 3)), strict=True):
            expected = 4.0 * np.arange(np.prod(shape)).reshape(shape)
            np.testing.assert_allclose(sess.run(list(value.values)), [expected] * 2)


@pytest.mark.parametrize("spec", [["nccl"], [], 5])
def test_algorithms_are_given_as_tuples(spec):
    with pytest.raises(ValueError, match="A tuple is expected"):
        tf.contrib.distribute.MultiWorkerAllReduce(["/cpu:0", "/cpu:1"], 0, spec)


def test_unknown_algorithms_are_refused():
    parts = values.PerReplica(device_maps.ReplicaDeviceMap(["/cpu:0", "/cpu:1"]), [tf.constant(1.0), tf.constant(2.0)])
    ops = tf.contrib.distribute.MultiWorkerAllReduce(["/cpu:0", "/cpu:1"], 0, ("shuffled", 1, -1))
    with pytest.raises(ValueError, match="unsupported all_reduce alg"):
        ops.batch_reduce(tf.distribute.ReduceOp.SUM, [(parts, parts)])


def test_a_mirrored_variable_as_a_whole_goes_where_its_handle_is_refused():
    """In cross-replica context 1.15.5 reads the first part: in look-ups, in a backend's reads, under custom gradients."""
    with tf.Graph().as_default(), mirrored().scope(), tf.Session(config=CONFIG) as sess:
        tf.keras.backend.set_session(sess)
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        sess.run(tf.global_variables_initializer())
        with pytest.raises(ValueError, match="`handle` is not available"):
            _ = v.handle
        assert tf.keras.backend.get_value(v).tolist() == [[1.0, 2.0], [3.0, 4.0]]
        row = tf.nn.embedding_lookup(v, [1])
        one = tf.SparseTensor([[0, 0]], tf.constant([1], tf.int64), [1, 1])
        mean = tf.nn.embedding_lookup_sparse(v, one, None, combiner="mean")
        scaled = tf.custom_gradient(lambda x: (x * v, lambda d, variables=None: (d, [d])))(tf.constant(2.0))
        found = sess.run([row, mean, scaled])
        assert [each.tolist() for each in found] == [[[3.0, 4.0]], [[3.0, 4.0]], [[2.0, 4.0], [6.0, 8.0]]]


def test_a_functional_model_with_an_embedding_trains_under_a_strategy():
    """Two replicas of half a batch make what one device makes of the whole."""
    ids = np.arange(64).reshape(16, 4) % 10
    y = np.linspace(-1.0, 1.0, 16, dtype=np.float32)[:, None]

    def weights(strategy):
        tf.keras.backend.clear_session()
        with strategy.scope():
            inputs = tf.keras.Input((4,), dtype="int32")
            rows = tf.keras.layers.Embedding(10, 3, embeddings_initializer="ones")(inputs)
            pooled = tf.keras.layers.GlobalAveragePooling1D()(rows)
            model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, kernel_initializer="ones")(pooled))
            model.compile(tf.keras.optimizers.SGD(0.1), "mse")
        model.fit(ids, y, batch_size=8, epochs=2, verbose=0, shuffle=False)
        return model.get_weights()

    for value, expected in zip(weights(mirrored()), weights(tf.distribute.OneDeviceStrategy("/cpu:0")), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("make", "kind", "parts"),
    [
        (mirrored, "MirroredVariable", ["", "/replica_1"]),
        (lambda: tf.distribute.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"]), "AggregatingVariable", [""]),
    ],
    ids=["mirrored", "central"],
)
@pytest.mark.parametrize("in_replica", [False, True])
def test_parts_of_variables_of_tensorflow_2_are_global_variables_too(make, kind, parts, in_replica):
    def make_both():
        tf.compat.v2.Variable(1.0, name="later")
        tf.Variable(1.0, name="earlier")

    with tf.Graph().as_default():
        strategy = make()
        with strategy.scope():
            strategy.experimental_run_v2(make_both) if in_replica else make_both()
        found = [(type(v).__name__, v.name) for v in tf.global_variables()]
        assert found == [
            *(("ResourceVariable", f"later{part}:0") for part in parts),
            (kind, "later:0"),
            (kind, "earlier:0"),
        ]
        assert [v.name for v in tf.trainable_variables()] == [
            f"{name}{part}:0" for name in ("later", "earlier") for part in parts
        ]


def test_slots_of_keras_optimizers_are_saved_for_each_replica(tmp_path):
    with tf.Graph().as_default():
        strategy = mirrored()
        with strategy.scope():
            weight = tf.Variable(1.0, name="w")
            optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
            train = strategy.experimental_run_v2(lambda: optimizer.apply_gradients([(tf.constant(0.5), weight)]))
            saver = tf.train.Saver()
        with tf.Session(config=CONFIG) as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(strategy.group(train))
            path = saver.save(sess, str(tmp_path / "model"))
            reader = tf.train.load_checkpoint(path)
            slots = [name for name in reader.get_variable_to_shape_map() if "momentum" in name and "w" in name]
            # The gradients of two replicas are summed: -0.1 * (0.5 + 0.5).
            assert {name: round(float(reader.get_tensor(name)), 6) for name in slots} == {
                "SGD/w/momentum": -0.1,
                "SGD/w/momentum/replica_1": -0.1,
            }
            sess.run(tf.global_variables_initializer())
            saver.restore(sess, path)
            slot = optimizer.get_slot(weight, "momentum")
            assert sess.run(list(slot.values)) == pytest.approx([-0.1, -0.1])


@pytest.mark.parametrize(("devices", "rows"), [(["/cpu:0"], 4), (["/cpu:0", "/cpu:1"], 2)])
def test_datasets_tell_what_a_replica_gets(devices, rows):
    strategy = tf.distribute.MirroredStrategy(devices)
    batches = tf.data.Dataset.range(8).batch(4, drop_remainder=True)
    assert strategy.experimental_distribute_dataset(batches).element_spec == tf.TensorSpec([rows], tf.int64)
