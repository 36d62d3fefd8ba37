"""Modules of TensorFlow's own tree: they are there, and what they lack says so."""

import importlib
import sys

import numpy as np
import pytest

import headrace as tf
from headrace.api import internal_paths
from headrace.api.internal_remaining import REMAINING

REMAINING_PATHS = sorted(
    f"python.{folder}.{name}" if folder else f"python.{name}"
    for folder, modules in REMAINING.items()
    for names in modules.values()
    for name in names.split()
)


@pytest.mark.parametrize("path", REMAINING_PATHS)
def test_modules_with_few_counterparts_are_there(path):
    assert importlib.import_module(f"headrace.{path}").__name__ == f"tensorflow.{path}"


@pytest.mark.parametrize(
    ("module", "name", "public"),
    [
        ("python.autograph.impl.api", "to_graph", "autograph.to_graph"),
        ("python.compiler.xla.xla", "compile", "xla.experimental.compile"),
        ("python.tpu.tpu_estimator", "TPUEstimator", "contrib.tpu.TPUEstimator"),
        ("python.keras.layers.serialization", "Dense", "keras.layers.Dense"),
        ("python.keras.layers", "BatchNormalizationV2", "compat.v2.keras.layers.BatchNormalization"),
        ("python.keras.initializers", "ConstantV2", "compat.v2.keras.initializers.Constant"),
        ("python.lib.io.file_io", "create_dir_v2", "compat.v2.io.gfile.mkdir"),
        (
            "python.distribute.cluster_resolver",
            "TFConfigClusterResolver",
            "distribute.cluster_resolver.TFConfigClusterResolver",
        ),
        ("python.ops.stateful_random_ops", "Generator", "random.experimental.Generator"),
        ("python.ops.proto_ops", "decode_proto", "io.decode_proto"),
        ("python.training.distribution_strategy_context", "get_replica_context", "distribute.get_replica_context"),
        ("contrib.learn.python.learn.session_run_hook", "SessionRunHook", "train.SessionRunHook"),
        ("contrib.autograph", "set_loop_options", "autograph.experimental.set_loop_options"),
    ],
)
def test_names_are_the_public_ones(module, name, public):
    found = getattr(importlib.import_module(f"headrace.{module}"), name)
    wanted = tf
    for part in public.split("."):
        wanted = getattr(wanted, part)
    assert found is wanted


@pytest.mark.parametrize(
    ("path", "told"),
    [("python.tpu.tpu", "contrib.tpu"), ("python.framework.ops", "internal"), ("python.grappler.item", "explain")],
)
def test_what_is_not_there_says_what_it_was(path, told):
    module = importlib.import_module(f"headrace.{path}")
    assert not hasattr(module, "never_heard_of")
    with pytest.raises(AttributeError, match=f"internal to TensorFlow 1.x.*{told}|{told} to TensorFlow 1.x"):
        module.never_heard_of  # noqa: B018
    with pytest.raises(ImportError, match=r"never_heard_of.*internal to TensorFlow 1\.x"):
        exec(f"from headrace.{path} import never_heard_of")


def test_a_public_module_says_what_is_close():
    with pytest.raises(ImportError, match="close: dense"):
        exec("from headrace.layers import dnse")
    assert internal_paths.advice("layers") is None


def test_a_module_of_contrib_that_is_not_offered_says_what_to_use():
    with pytest.raises(ImportError, match=r"tf\.train"):
        exec("from headrace.contrib import optimizer_v2")
    assert "headrace.contrib.optimizer_v2" not in sys.modules


def test_levels_of_logging_are_in_its_dictionary():
    """As programs look them up by what a flag says."""
    assert [vars(tf.logging)[name] for name in ("DEBUG", "INFO", "WARN", "ERROR", "FATAL")] == [10, 20, 30, 40, 50]


def test_transformers_of_source_can_be_derived_from():
    """TensorFlow Probability 0.8 does when it is imported; it makes one only where it batches functions."""
    transformer = importlib.import_module("headrace.python.autograph.pyct.transformer")
    with pytest.raises(NotImplementedError, match="to_graph"):
        type("Own", (transformer.Base,), {})(None)


def test_what_stand_alone_keras_takes_from_them():
    """An installed Keras 2.2 or 2.3 stands on these."""
    backend = importlib.import_module("headrace.python.keras.backend")
    assert backend.rnn is tf.keras.backend.rnn
    ops = importlib.import_module("headrace.python.framework.ops")
    sparse, slices = tf.SparseTensor([[0]], [1.0], [1]), tf.IndexedSlices(tf.ones([1]), tf.constant([0]))
    assert all(isinstance(x, ops._TensorLike) for x in (tf.constant(1), sparse, slices))
    assert not any(isinstance(x, ops._TensorLike) for x in (tf.Variable(1.0), np.ones(1), 1.0))


@pytest.mark.parametrize(
    "path",
    [
        "contrib.framework.python.ops.arg_scope",
        "contrib.learn.python.learn.learn_io.numpy_input_fn",
        "contrib.losses.python.metric_learning.triplet_semihard_loss",
        "contrib.timeseries.python.timeseries.TFExampleReader",
        "python.keras.optimizers.adam",
    ],
)
def test_a_function_or_class_is_no_module_of_its_name(path):
    module, _, name = path.rpartition(".")
    found = getattr(importlib.import_module(f"headrace.{module}"), name)
    assert callable(found)


@pytest.mark.parametrize(
    "path",
    [
        "contrib.eager.python.metrics.Recall",
        "contrib.eager.python.network._default_naming_conflict_error_message",
        "contrib.quantize.python.fold_batch_norms.fold",
        "python.keras.backend.rnn",
    ],
)
def test_what_lies_in_a_module_is_no_module(path):
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"headrace.{path}")


def test_all_of_a_contrib_module_hides_no_builtin():
    scope = {}
    exec("from headrace.contrib.framework.python.ops.arg_scope import *", scope)
    assert scope["arg_scope"] is tf.contrib.framework.arg_scope
    assert not {"print", "range", "abs", "math"} & set(scope)


def test_importing_a_module_leaves_the_function_of_its_name():
    ops = importlib.import_module("headrace.contrib.framework.python.ops")
    importlib.import_module("headrace.contrib.framework.python.ops.arg_scope")
    assert ops.arg_scope is tf.contrib.framework.arg_scope


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("eager.python.metrics_impl", "Accuracy BinaryAccuracy CategoricalAccuracy Mean Metric SparseAccuracy"),
        ("factorization.python.ops.clustering_ops", "CLUSTERS_VAR_NAME KMeans"),
        ("factorization.python.ops.kmeans", "KMeansClustering _InitializeClustersHook _LossRelativeChangeHook"),
        (
            "layers.python.layers.target_column",
            "ProblemType _BinarySvmTargetColumn binary_svm_target get_default_binary_metrics_for_eval",
        ),
        ("learn.python.learn.estimators.estimator", "Estimator GraphRewriteSpec"),
        ("learn.python.learn.estimators.linear", "LinearClassifier _SdcaUpdateWeightsHook sdca_model_fn"),
        ("model_pruning.python.pruning", "Pruning _MASK_COLLECTION _WEIGHT_COLLECTION apply_mask"),
        ("saved_model.python.saved_model.reader", "get_saved_model_tag_sets read_saved_model"),
        ("seq2seq.python.ops.helper", "TrainingHelper bernoulli_sample"),
        ("slim.python.slim.nets.inception_v3", "inception_v3_base trunc_normal"),
        ("tfprof.model_analyzer", "ALL_ADVICE advise"),
        ("copy_graph.python.util.copy_elements", "copy_op_to_graph copy_variable_to_graph get_copied_op"),
        ("distributions.python.ops.statistical_testing", "_dkwm_cdf_envelope min_num_samples_for_dkwm_mean_test"),
        ("distributions.python.ops.shape", "_DistributionShape"),
        ("distributions.python.ops.vector_student_t", "_VectorStudentT"),
    ],
)
def test_what_modules_of_contrib_define_is_there(module, names):
    found = importlib.import_module(f"headrace.contrib.{module}")
    assert [name for name in names.split() if not hasattr(found, name)] == []
