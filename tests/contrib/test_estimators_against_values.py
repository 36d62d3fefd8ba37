"""Estimators of contrib: what TensorFlow 1.15.5 finds on the same data from the same seed."""

from __future__ import annotations

import glob

import numpy as np
import pytest

import headrace as tf

POINTS = np.float32([[0, 0], [0, 1], [1, 0], [8, 8], [8, 9], [9, 8]])


def test_recurrent_estimator_clips_by_default_and_takes_sequences_of_unknown_length(tmp_path):
    tokens = np.array([["a", "b", ""], ["b", "", ""], ["a", "a", "b"], ["b", "a", ""]])
    targets = np.float32([[9.0], [-9.0], [9.0], [9.0]])

    def input_fn():
        pairs = tf.data.Dataset.from_tensor_slices((tokens, targets)).batch(2).repeat()
        return pairs.map(lambda words, target: ({"t": tf.contrib.layers.dense_to_sparse(words, "")}, target))

    words = tf.feature_column.sequence_categorical_column_with_vocabulary_list("t", ["a", "b"])
    estimator = tf.contrib.estimator.RNNEstimator(
        tf.contrib.estimator.regression_head(),
        [tf.feature_column.embedding_column(words, 2)],
        num_units=[3],
        optimizer="SGD",
        model_dir=str(tmp_path),
        config=tf.estimator.RunConfig(tf_random_seed=3),
    )
    estimator.train(input_fn, steps=3)
    found = estimator.get_variable_value("rnn/rnn/basic_rnn_cell/bias")
    np.testing.assert_allclose(found, [0.1477643996, -0.1068494319, -0.2103097587], rtol=1e-5)
    np.testing.assert_allclose(estimator.get_variable_value("rnn/logits/dense/bias"), [0.1136741042], rtol=1e-5)


def test_recurrent_estimator_gives_logits_of_steps_to_sequential_heads_only():
    with pytest.raises(ValueError, match="sequential"):
        tf.contrib.estimator.RNNEstimator(
            tf.contrib.estimator.regression_head(), [], num_units=[3], return_sequences=True
        )


def test_mixture_adds_up_likelihoods(tmp_path):
    config = tf.contrib.learn.RunConfig(tf_random_seed=1)
    mixture = tf.contrib.factorization.GMM(2, str(tmp_path), initial_clusters=POINTS[[0, 3]], config=config)

    def input_fn():
        return tf.constant(POINTS), None

    mixture.fit(input_fn=input_fn, steps=4)
    results = mixture.evaluate(input_fn=input_fn, steps=3)
    assert results["loss"] == pytest.approx(-0.27427733, abs=1e-5)
    np.testing.assert_allclose(results["scores"][:2, 0], [-1.87733507, -1.88612294], rtol=1e-5)
    assert mixture.score(input_fn=input_fn, steps=2) == pytest.approx(-0.09142576, abs=1e-5)


def test_dynamic_recurrent_estimator(tmp_path):
    values = np.arange(24, dtype=np.float32).reshape(4, 3, 2) / 24
    features = {"x": values, "c": np.arange(4, dtype=np.float32).reshape(4, 1)}

    def input_fn(times=None):
        batches = tf.data.Dataset.from_tensor_slices((features, values.sum(2))).batch(2).repeat(times)
        return batches.make_one_shot_iterator().get_next()

    estimator = tf.contrib.learn.DynamicRnnEstimator(
        2,
        2,
        [tf.contrib.layers.real_valued_column("x", 2)],
        [tf.contrib.layers.real_valued_column("c")],
        num_units=3,
        model_dir=str(tmp_path),
        config=tf.contrib.learn.RunConfig(tf_random_seed=2),
    )
    estimator.fit(input_fn=input_fn, steps=2)
    assert estimator.evaluate(input_fn=input_fn, steps=2)["loss"] == pytest.approx(0.36638173, rel=1e-5)
    events = [event for path in glob.glob(f"{tmp_path}/events*") for event in tf.train.summary_iterator(path)]
    tags = {value.tag for event in events for value in event.summary.value}
    assert "MultiValueDynamicRNNRegressor/OptimizeLoss/global_norm/gradient_norm" in tags
    # Without queues predictions end after the first batch, of iterators too.
    assert len(list(estimator.predict(input_fn=lambda: input_fn(1)))) == 2


def series(count):
    times = np.arange(count)
    return tf.contrib.timeseries.NumpyReader({"times": times, "values": np.sin(times / 3).astype(np.float32)})


def test_seeded_autoregression_starts_where_it_did(tmp_path):
    ts = tf.contrib.timeseries
    config = tf.estimator.RunConfig(tf_random_seed=3, save_summary_steps=1)
    estimator = ts.ARRegressor(8, 4, 2, 1, model_dir=str(tmp_path), config=config)
    estimator.train(ts.WholeDatasetInputFn(series(6)), steps=3)
    kernel = estimator.get_variable_value("model/flat_prediction_model/predicted_mean/kernel")
    np.testing.assert_allclose(kernel.ravel()[:4], [0.2857759, 0.25694549, 0.30026054, -0.07553015], rtol=1e-5)
    evaluation = estimator.evaluate(ts.WholeDatasetInputFn(series(40)), steps=1)
    assert evaluation["loss"] == pytest.approx(3.1910119, rel=1e-5)
    predicted = next(estimator.predict(ts.predict_continuation_input_fn(evaluation, steps=3)))
    np.testing.assert_allclose(predicted["mean"][:, 0], [0.72517729, 1.19844198, 0.92049038], rtol=1e-5)
    events = [event for path in glob.glob(f"{tmp_path}/events*") for event in tf.train.summary_iterator(path)]
    tags = {value.tag for event in events for value in event.summary.value}
    assert {"loss", "head/model/loss", "enqueue_input/queue/enqueue_input/fifo_queuefraction_over_0_of_2_full"} <= tags


def test_windows_start_one_record_later_now_and_then():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.set_random_seed(1)
        draws = tf.contrib.timeseries.RandomWindowInputFn(
            series(60), window_size=10, batch_size=4, num_threads=1, shuffle_seed=3
        )
        draws()
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        reading, cutting = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[:2]
        threads = reading.create_threads(session, coordinator, daemon=True, start=True)
        threads += cutting.create_threads(session, coordinator, daemon=True, start=True)
        windows = graph.get_tensor_by_name("Reshape:0")
        first = [session.run(windows)[:, 0].tolist() for _ in range(3)]
        coordinator.request_stop()
        coordinator.join(threads)
    assert first == [[1, 11, 21, 31], [42, 52, 2, 12], [23, 33, 43, 53]]


@pytest.mark.parametrize(("given", "missing"), [(None, None), (["int64", "float32"], 0.0)])
def test_columns_whose_types_are_given_may_lack_values(tmp_path, given, missing):
    path = tmp_path / "series.csv"
    path.write_text("1,2.5\n,3.5\n5,\n")
    with tf.Graph().as_default(), tf.Session() as session:
        features = tf.contrib.timeseries.CSVReader(str(path), column_dtypes=given).read_full()
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        if missing is None:
            with pytest.raises(tf.errors.InvalidArgumentError, match="Field 1"):
                session.run(features)
        else:
            found = session.run(features)
            assert found["times"].tolist() == [1, 0, 5]
            assert found["values"].tolist() == [[2.5], [3.5], [missing]]
        coordinator.request_stop()
        coordinator.join(threads)


def test_rows_of_queues_come_out_as_they_went_in():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(9, [tf.int32, tf.float32], shapes=[[], [2]])
        session.run(queue.enqueue_many([[0, 1, 2], [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]]))
        session.run(queue.enqueue([3, [6.0, 7.0]]))
        session.run(queue.enqueue_many([[4, 5], [[8.0, 9.0], [10.0, 11.0]]]))
        first, rest = session.run(queue.dequeue()), session.run(queue.dequeue_many(5))
        session.run(queue.enqueue_many([[6, 7], [[0.0, 0.0], [1.0, 1.0]]]))
        last = session.run(queue.dequeue_up_to(2))
    assert first[0] == 0
    assert first[1].tolist() == [0.0, 1.0]
    assert rest[0].tolist() == [1, 2, 3, 4, 5]
    assert rest[1].tolist() == [[2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]
    assert [part.tolist() for part in last] == [[6, 7], [[0, 0], [1, 1]]]


def test_estimators_of_trees_make_variables_resources_from_then_on():
    ages = tf.feature_column.bucketized_column(tf.feature_column.numeric_column("age"), [10.0, 20.0])
    assert not tf.resource_variables_enabled()
    tf.estimator.BoostedTreesRegressor([ages], n_batches_per_layer=1)
    assert tf.resource_variables_enabled()
    with tf.Graph().as_default():
        assert tf.train.get_or_create_global_step().dtype == tf.int64


def test_programs_for_tpus_count_steps_by_a_resource(tmp_path):
    found = []

    def model_fn(features, labels, mode, params):
        found.append((tf.train.get_global_step().dtype, tf.get_variable("w", []).dtype))
        loss = tf.reduce_sum(features)
        step = tf.train.get_global_step().assign_add(1)
        return tf.contrib.tpu.TPUEstimatorSpec(mode, loss=loss, train_op=step.op)

    config = tf.contrib.tpu.RunConfig(model_dir=str(tmp_path))
    estimator = tf.contrib.tpu.TPUEstimator(model_fn, config=config, use_tpu=False, train_batch_size=2)
    estimator.train(lambda params: (tf.ones([params["batch_size"]]), tf.ones([2])), steps=1)
    assert found == [(tf.int64, tf.as_dtype("float32_ref"))]


def test_warm_starts_say_how_many_variables_they_begin_with(tmp_path, caplog):
    path = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("a", [2]), tf.get_variable("b", [])
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, path)
    with caplog.at_level("INFO", logger="tensorflow"), tf.Graph().as_default():
        tf.get_variable("a", [2]), tf.get_variable("b", [])
        tf.train.warm_start(path)
        tf.train.warm_start(path, ["b"])
    lines = [message for message in caplog.messages if "Warm-start" in message]
    assert lines == [
        f"Warm-starting from: {path}",
        "Warm-starting variables only in TRAINABLE_VARIABLES.",
        "Warm-started 2 variables.",
        f"Warm-starting from: {path}",
        "Warm-started 1 variables.",
    ]


@pytest.mark.parametrize(
    ("stopped", "limit", "throttled", "exported"),
    [(True, 6, False, False), (True, 6, True, False), (False, 6, True, True), (False, None, True, False)],
)
def test_last_export_is_that_of_the_last_step_that_was_asked_for(tmp_path, caplog, stopped, limit, throttled, exported):
    column = tf.feature_column.numeric_column("x", [2])

    def input_fn():
        return tf.data.Dataset.from_tensor_slices(({"x": POINTS}, POINTS[:, 0])).batch(1)

    class StopAfterFour(tf.train.SessionRunHook):
        steps = 0

        def after_run(self, run_context, run_values):
            self.steps += 1
            if stopped and self.steps == 4:
                run_context.request_stop()

    def receiver_fn():
        parsing = tf.feature_column.make_parse_example_spec([column])
        return tf.estimator.export.build_parsing_serving_input_receiver_fn(parsing)()

    config = tf.estimator.RunConfig(save_checkpoints_steps=2)
    estimator = tf.estimator.LinearRegressor([column], model_dir=str(tmp_path), config=config)
    metrics, exports = tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(input_fn, max_steps=limit, hooks=[StopAfterFour()]),
        tf.estimator.EvalSpec(
            input_fn,
            throttle_secs=600 if throttled else 0,
            start_delay_secs=0,
            exporters=[tf.estimator.FinalExporter("last", receiver_fn)],
        ),
    )
    assert metrics["global_step"] == (4 if stopped else 6)
    assert [bool(path) for path in exports] == [exported]
    assert not [message for message in caplog.messages if "No new checkpoint" in message]


@pytest.mark.parametrize(("every", "loop", "steps"), [(2, 2, [2, 3, 4, 5, 6]), (3, 2, [3, 5]), (2, 1, [3, 5])])
def test_rates_of_programs_for_tpus_are_counted_in_loops(tmp_path, every, loop, steps):
    def model_fn(features, labels, mode, params):
        step = tf.train.get_global_step().assign_add(1)
        return tf.contrib.tpu.TPUEstimatorSpec(mode, loss=tf.reduce_sum(features), train_op=step.op)

    config = tf.contrib.tpu.RunConfig(
        model_dir=str(tmp_path),
        log_step_count_steps=every,
        tpu_config=tf.contrib.tpu.TPUConfig(iterations_per_loop=loop),
    )
    estimator = tf.contrib.tpu.TPUEstimator(model_fn, config=config, use_tpu=False, train_batch_size=2)
    estimator.train(lambda params: (tf.ones([params["batch_size"]]), tf.ones([2])), steps=6)
    events = [event for path in glob.glob(f"{tmp_path}/events*") for event in tf.train.summary_iterator(path)]
    found = [event.step for event in events for value in event.summary.value if value.tag == "examples/sec"]
    assert found == steps


@pytest.mark.parametrize(
    ("given", "expected"),
    [(None, "/device:CPU:0"), ("/cpu:1", "/device:CPU:1"), (lambda op: "/device:CPU:2", "/device:CPU:2")],
)
def test_trees_of_a_forest_lie_on_the_device_that_is_given(given, expected):
    forests = tf.contrib.tensor_forest.python.tensor_forest
    params = forests.ForestHParams(num_classes=2, num_features=2, num_trees=2, max_nodes=10).fill()
    with tf.Graph().as_default() as graph:
        forests.RandomForestGraphs(params, device_assigner=given).training_graph(
            tf.ones([3, 2]), tf.ones([3], tf.int32)
        )
        placed = [op for op in graph.get_operations() if op.type == "GrowTreeV4" or op.name.startswith("device_dummy")]
    kinds = {op.type: op.device for op in placed if op.type in ("VariableV2", "GrowTreeV4")}
    assert kinds == {"VariableV2": expected, "GrowTreeV4": expected}


def test_statistics_of_trees_are_summed_in_double_precision_if_they_are_dense():
    nodes = bucket = np.zeros(3, np.int32)
    sums = {"gradients": np.float32([[1], [1e8], [-1e8]]), "hessians": np.float32([[1e8], [1], [-1e8]])}
    size = {"node_ids": nodes, "max_splits": 1, "num_buckets": 1}
    with tf.Graph().as_default(), tf.Session() as session:
        summary = tf.raw_ops.BoostedTreesMakeStatsSummary(bucketized_features_list=[bucket], **sums, **size)
        dense = tf.raw_ops.BoostedTreesAggregateStats(feature=bucket[:, None], **sums, **size)
        sparse = tf.raw_ops.BoostedTreesSparseAggregateStats(
            feature_indices=[[0, 0], [1, 0], [2, 0]], feature_values=bucket, feature_shape=[3, 1], **sums, **size
        )
        found = session.run([summary, dense, sparse.stats_summary_values])
    assert found[0].ravel().tolist() == [1, 1]
    assert found[1].ravel().tolist()[:2] == [1, 1]
    assert found[2].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("periods", "window", "is_given", "anomalies", "rows", "loss", "first"),
    [
        (8, 4, True, {}, 81, 9.252882, [0.7100833, 0.7683696]),
        ([], 4, False, {}, 4, 3.7874424, [0.4963585, 0.9037306]),
        (8, 0, False, {}, 30, 4.0028105, [0.3104214, 0.3061930]),
        (
            8,
            4,
            False,
            {"anomaly_prior_probability": 0.1, "anomaly_distribution": "cauchy"},
            74,
            2.6533613,
            [0.7249309, 0.6572715],
        ),
    ],
)
def test_seeded_autoregressions_of_every_kind(tmp_path, periods, window, is_given, anomalies, rows, loss, first):
    ts = tf.contrib.timeseries

    def read(count):
        times = np.arange(count)
        data = {"times": times, "values": np.sin(times / 3).astype(np.float32)}
        if is_given:
            data["given"] = np.cos(times).astype(np.float32)[:, None]
        return ts.WholeDatasetInputFn(ts.NumpyReader(data))

    estimator = ts.ARRegressor(
        periods,
        window,
        3,
        1,
        exogenous_feature_columns=[tf.feature_column.numeric_column("given", [1])] if is_given else None,
        model_dir=str(tmp_path),
        config=tf.estimator.RunConfig(tf_random_seed=3),
        **anomalies,
    )
    estimator.train(read(window + 3), steps=3)
    kernel = estimator.get_variable_value("model/flat_prediction_model/predicted_mean/kernel")
    assert kernel.shape == (rows, 3)
    evaluation = estimator.evaluate(read(30), steps=1)
    assert evaluation["loss"] == pytest.approx(loss, rel=1e-5)
    np.testing.assert_allclose(evaluation["mean"][0, :2, 0], first, rtol=1e-5)


def test_clusters_are_found_after_trees_made_variables_resources():
    tf.enable_resource_variables()
    config = tf.estimator.RunConfig(tf_random_seed=1)
    clusters = tf.estimator.experimental.KMeans(2, use_mini_batch=False, seed=3, config=config)
    clusters.train(lambda: tf.train.limit_epochs(tf.constant(POINTS), num_epochs=1))
    assert clusters.cluster_centers().tolist() == [[8, 9], [9, 8]]
