"""The public names of TensorFlow 1.15: those that Headrace offers take the calls TensorFlow takes, and none goes."""

from __future__ import annotations

import pytest
from facts.missing_names import SYMBOLS, by_namespace, offered_and_missing, recorded_as_missing
from facts.signatures import fact_differences

_OWN_OBJECTS = "objects of Headrace's own are made of it; programs do not make them"
_LENIENT = "what may be left out besides"
_REWRITES = "rewrites of the graph are refused; none is the same as those of 1.15"
DIFFERENT = {
    "tf.COMPILER_VERSION": "nothing was compiled",
    "tf.GIT_VERSION": "it tells Headrace from TensorFlow",
    "tf.version.COMPILER_VERSION": "nothing was compiled",
    "tf.version.GIT_VERSION": "it tells Headrace from TensorFlow",
    "tf.Operation.__init__": _OWN_OBJECTS,
    "tf.data.Dataset.__init__": _OWN_OBJECTS,
    "tf.contrib.training.NextQueuedSequenceBatch.__init__": _OWN_OBJECTS,
    "tf.SparseTensor.__init__": "0.x calls the dense_shape shape",
    "tf.sparse.SparseTensor.__init__": "0.x calls the dense_shape shape",
    "tf.Variable.gather_nd": "only resource variables have it, and hasattr must say so",
    "tf.Variable.sparse_read": "only resource variables have it, and hasattr must say so",
    "tf.batch_to_space": f"block_shape says the same as block_size; {_LENIENT}",
    "tf.profiler.Profiler.advise": f"all checkers run; {_LENIENT}",
    "tf.profiler.advise": "None stands for the options that 1.15 writes as 0",
    "tf.profiler.profile": "None stands for the options that 1.15 writes as 0",
    "tf.contrib.tfprof.model_analyzer.advise": "it is tf.profiler.advise",
    "tf.contrib.tfprof.model_analyzer.FLOAT_OPS_OPTIONS": "min_occurrence as in tf.profiler",
    "tf.contrib.tfprof.model_analyzer.PRINT_ALL_TIMING_MEMORY": "min_occurrence as in tf.profiler",
    "tf.contrib.tfprof.model_analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS": "min_occurrence as in tf.profiler",
    "tf.contrib.opt.GGTOptimizer.compute_gradients": "as all optimizers of tf.train; there are no replicas",
    "tf.contrib.opt.GGTOptimizer.minimize": "as all optimizers of tf.train; there are no replicas",
    "tf.contrib.seq2seq.ScheduledEmbeddingTrainingHelper.next_inputs": _LENIENT,
    "tf.contrib.seq2seq.ScheduledEmbeddingTrainingHelper.sample": _LENIENT,
    "tf.contrib.seq2seq.ScheduledOutputTrainingHelper.next_inputs": _LENIENT,
    "tf.contrib.seq2seq.ScheduledOutputTrainingHelper.sample": _LENIENT,
    "tf.contrib.seq2seq.TrainingHelper.next_inputs": "as every helper; arguments without use are refused",
    "tf.contrib.seq2seq.TrainingHelper.sample": "as every helper; arguments without use are refused",
    "tf.contrib.factorization.GMM.export_savedmodel": _REWRITES,
    "tf.contrib.factorization.WALSMatrixFactorization.export_savedmodel": _REWRITES,
    "tf.contrib.kernel_methods.KernelLinearClassifier.export_savedmodel": _REWRITES,
    "tf.contrib.learn.models.get_rnn_model": "releases before 0.9 had no attention there",
    "tf.contrib.learn.io.HAS_PANDAS": "pandas may be installed",
    "tf.contrib.learn.io.data_feeder.HAS_PANDAS": "pandas may be installed",
    "tf.contrib.learn.io.pandas_io.HAS_PANDAS": "pandas may be installed",
    "tf.contrib.tensor_forest.random_forest.MultiForestMultiHeadEstimator.export_savedmodel": _REWRITES,
    "tf.contrib.tensor_forest.random_forest.TensorForestEstimator.export_savedmodel": _REWRITES,
    "tf.contrib.tpu.TPUEstimator.__init__": "SavedModels have one version here",
    "tf.estimator.tpu.TPUEstimator.__init__": "SavedModels have one version here",
    **{
        f"tf.contrib.learn.{estimator}.export_savedmodel": _REWRITES
        for estimator in (
            *("Estimator", "DNNClassifier", "DNNEstimator", "DNNRegressor", "LinearClassifier"),
            *("LinearEstimator", "LinearRegressor", "DNNLinearCombinedClassifier", "DNNLinearCombinedEstimator"),
            *("DNNLinearCombinedRegressor", "SVM", "DynamicRnnEstimator", "KMeansClustering"),
        )
    },
}


OFFERED, NOT_OFFERED = offered_and_missing()


@pytest.mark.parametrize("namespace", by_namespace(OFFERED))
def test_the_names_that_are_offered_take_tensorflow_s_calls(namespace):
    paths = [path for path in OFFERED if path.rpartition(".")[0] == namespace]
    found = [what for path in paths for what in fact_differences(path, SYMBOLS[path], OFFERED[path])]
    assert [what for what in found if what.partition(":")[0] not in DIFFERENT] == []


def test_each_exception_is_one():
    said = {
        w.partition(":")[0] for path, value in OFFERED.items() for w in fact_differences(path, SYMBOLS[path], value)
    }
    assert sorted(set(DIFFERENT) - said) == []


def test_no_name_goes():
    assert sorted(set(NOT_OFFERED) - recorded_as_missing()) == []


def test_names_that_have_come_are_crossed_out():
    come = sorted(recorded_as_missing() - set(NOT_OFFERED))
    assert come == [], "run PYTHONPATH=tests .venv/bin/python -m facts.missing_names"
