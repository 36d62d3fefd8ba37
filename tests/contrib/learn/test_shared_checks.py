"""What tests of estimators use of contrib's: irises, checks, writers and folders of exports."""

import numpy as np
import pytest

import headrace as tf
from headrace.contrib.learn import iris_inputs
from headrace.contrib.learn.data_feeder import check_array


def test_irises_of_two_and_of_three_kinds():
    features, labels = iris_inputs.iris_input_logistic_fn()
    assert features["feature"].shape.as_list() == [100, 4]
    assert (labels.dtype, labels.shape.as_list()) == (tf.int32, [100, 1])
    assert iris_inputs.iris_input_multiclass_fn()[1].shape.as_list() == [150, 1]
    assert set(iris_inputs.prepare_iris_data_for_logistic_regression().target) == {0, 1}


def test_boundaries_of_equal_shares():
    assert iris_inputs.get_quantile_based_buckets(np.arange(21.0), 3) == [5.0, 10.0, 15.0]


def test_the_contract_of_estimators():
    class Tester:
        def assertTrue(self, holds):
            assert holds

    for name in ("DNNClassifier", "Estimator", "KMeansClustering", "SVM"):
        iris_inputs.assert_estimator_contract(Tester(), getattr(tf.contrib.learn, name))
    with pytest.raises(AssertionError):
        iris_inputs.assert_estimator_contract(Tester(), dict)


def test_metrics_between_bounds():
    iris_inputs.assert_in_range(1, 3, "loss", {"loss": 3})
    with pytest.raises(ValueError, match=r"loss: 4 > 3\."):
        iris_inputs.assert_in_range(1, 3, "loss", {"loss": 4})
    with pytest.raises(ValueError, match=r"loss: 0 < 1\."):
        iris_inputs.assert_in_range(1, 3, "loss", {"loss": 0})


def test_arrays_are_converted_where_they_must_be():
    numbers = np.array([1.0, 2.0])
    assert check_array(numbers, np.float64) is numbers
    assert check_array([1, 2], np.float32).dtype == np.float32


def test_one_writer_a_folder(tmp_path):
    actions = tf.contrib.learn.graph_actions
    writer = actions.get_summary_writer(str(tmp_path))
    assert actions.get_summary_writer(str(tmp_path)) is writer
    actions.clear_summary_writers()
    assert actions.get_summary_writer(str(tmp_path)) is not writer
    actions.clear_summary_writers()
    exports = tf.contrib.learn.utils.saved_model_export_utils
    assert exports.get_timestamped_export_dir(str(tmp_path)).startswith(str(tmp_path).encode())
