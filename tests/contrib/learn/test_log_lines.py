"""What estimators and experiments of `tf.contrib.learn` log, and what they show of themselves, as 1.15 words it."""

import logging
import re

import pytest

import headrace as tf

learn = tf.contrib.learn


@pytest.fixture
def lines():
    """What is logged while a test runs."""
    found = []

    class Keeping(logging.Handler):
        def emit(self, record):
            found.append(record.getMessage())

    logger, handler = logging.getLogger("tensorflow"), Keeping()
    before = tf.logging.get_verbosity()
    logger.addHandler(handler)
    tf.logging.set_verbosity(tf.logging.INFO)
    yield found
    tf.logging.set_verbosity(before)
    logger.removeHandler(handler)


def _model(features, labels, mode, params):
    weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(weight * features["x"] - labels))
    train_op = tf.train.GradientDescentOptimizer(params["rate"]).minimize(loss, tf.train.get_global_step())
    return weight * features["x"], loss, train_op


def _examples():
    return {"x": tf.constant([[1.0], [2.0]])}, tf.constant([[2.0], [4.0]])


def test_an_evaluation_tells_the_step_among_its_metrics(lines):
    estimator = learn.Estimator(_model, params={"rate": 0.1})
    estimator.fit(input_fn=_examples, steps=2)
    estimator.evaluate(input_fn=_examples, steps=1)
    (told,) = [line for line in lines if line.startswith("Saving dict for global step 2")]
    assert "global_step = 2" in told
    assert "loss = " in told


def test_an_experiment_tells_what_it_waits_for(lines, monkeypatch):
    waits = []
    monkeypatch.setattr("time.sleep", waits.append)
    estimator = learn.Estimator(_model, params={"rate": 0.1})
    experiment = learn.Experiment(estimator, _examples, _examples, train_steps=1, eval_steps=1, eval_delay_secs=120)
    experiment.train(delay_secs=3)
    experiment.evaluate()
    assert "Waiting 3 secs before starting training." in lines
    assert "Waiting 120 secs before starting eval." in lines
    assert {3, 120} <= set(waits)


def test_an_estimator_shows_its_parameters_as_text():
    params = tf.contrib.training.HParams(rate=0.5, size=2)
    assert repr(learn.Estimator(_model, params=params)) == "Estimator(params=rate=0.5,size=2)"


@pytest.mark.parametrize(("assets", "told"), [(None, "No assets to save."), ([], "Assets added to graph.")])
def test_a_saved_model_tells_of_its_assets(lines, tmp_path, assets, told):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("v", [])
        session.run(tf.global_variables_initializer())
        builder = tf.saved_model.builder.SavedModelBuilder(str(tmp_path / "model"))
        builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=assets)
        builder.save()
    at = lines.index(told)
    assert lines[at + 1] == "No assets to write."


def test_sparse_labels_need_two_classes_at_least():
    head = learn.multi_label_head(n_classes=3)
    head._logits_dimension = 1
    labels = tf.SparseTensor([[0, 0]], [0], [1, 1])
    with tf.Graph().as_default(), pytest.raises(ValueError, match="num_classes >= 2"):
        head.create_model_fn_ops({}, learn.ModeKeys.TRAIN, labels, learn.no_op_train_fn, logits=tf.zeros([1, 1]))


def test_a_configuration_is_told_with_its_folder_in_the_order_of_its_settings(lines, tmp_path):
    config = learn.RunConfig(tf_random_seed=3, save_checkpoints_secs=None, save_checkpoints_steps=7)
    learn.Estimator(_model, model_dir=str(tmp_path), params={"rate": 0.1}, config=config)
    (told,) = [line for line in lines if line.startswith("Using config: ")]
    names = re.findall(r"'_(\w+)': ", told)
    assert " ".join(names) == (
        "task_type task_id cluster_spec master num_ps_replicas num_worker_replicas environment is_chief "
        "evaluation_master train_distribute eval_distribute experimental_max_worker_delay_secs device_fn tf_config "
        "tf_random_seed save_summary_steps save_checkpoints_secs log_step_count_steps protocol session_config "
        "save_checkpoints_steps keep_checkpoint_max keep_checkpoint_every_n_hours model_dir "
        "session_creation_timeout_secs"
    )
    assert f"'_model_dir': '{tmp_path}'" in told


@pytest.mark.parametrize(("labels", "times"), [([[1], [0]], 2), ([[True], [False]], 0)])
def test_areas_under_curves_tell_that_they_cast_labels(lines, labels, times):
    head = learn.multi_class_head(2)
    with tf.Graph().as_default():
        ops = head.create_model_fn_ops({}, "eval", labels=tf.constant(labels), logits=tf.constant([[0.5], [-0.5]]))
    assert "auc" in ops.eval_metric_ops
    assert lines.count("Casting <dtype: 'int32'> labels to bool.") == times


def _on_a_gpu(features, labels, mode, params):
    with tf.device("/gpu:7"):
        return _model(features, labels, mode, params)


@pytest.mark.parametrize("config", [None, learn.RunConfig(num_cores=1)])
def test_devices_that_are_not_there_are_a_wish(config):
    estimator = learn.Estimator(_on_a_gpu, params={"rate": 0.1}, config=config)
    estimator.fit(input_fn=_examples, steps=2)
    assert estimator.evaluate(input_fn=_examples, steps=1)["global_step"] == 2
