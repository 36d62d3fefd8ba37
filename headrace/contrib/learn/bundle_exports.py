"""Writing the model of an estimator of `tf.contrib.learn` as a session bundle, the format before SavedModels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.checkpoints.saver import Saver
from headrace.contrib.learn.estimator_parts import TensorSignature
from headrace.contrib.learn.metric_spec import PredictionKey
from headrace.contrib.learn.trainable import NotFittedError
from headrace.contrib.session_bundle.exporter import (
    Exporter,
    classification_signature,
    generic_signature,
    regression_signature,
)
from headrace.core.collections import GraphKeys
from headrace.core.composite import SparseTensor
from headrace.core.defaults import get_collection
from headrace.core.dtypes import float32, int64
from headrace.core.graph import Graph
from headrace.core.random_seed import set_random_seed
from headrace.core.tensor import Tensor
from headrace.estimator.gc import largest_export_versions
from headrace.functions.parsing.example import parse_example
from headrace.functions.parsing.features import FixedLenFeature, VarLenFeature
from headrace.kernels.composing.arranging import identity
from headrace.lookup.tables import tables_initializer
from headrace.ops.array.constant import placeholder
from headrace.ops.flow.grouping import group
from headrace.runtime.session import Session
from headrace.state.collecting import local_variables_initializer
from headrace.state.global_step import create_global_step

if TYPE_CHECKING:
    from headrace.contrib.learn.base_estimator import BaseEstimator

    # Of the examples, the features and the predictions: the default signature, and others by name.
    SignatureFn = Callable[[Tensor | None, Any, Any], tuple[Any, Mapping[str, Any]]]


def _required(examples: Tensor | None) -> Tensor:
    if examples is None:
        raise ValueError("examples cannot be None when using this signature fn.")
    return examples


def _of(predictions: Any, key: str) -> Tensor:
    chosen: Tensor = predictions[key] if isinstance(predictions, dict) else predictions
    return chosen


def generic_signature_fn(
    examples: Tensor | None, unused_features: Any, predictions: Tensor | Mapping[str, Tensor]
) -> tuple[Any, dict[str, Any]]:
    """Signatures of a model of any kind: tensors by name.

    Args:
        examples: the serialized examples.
        unused_features: the features.
        predictions: a tensor, or tensors by name.

    Returns:
        (the default signature, others by name).

    Raises:
        ValueError: without examples.
    """
    tensors = dict(predictions) if isinstance(predictions, Mapping) else {"outputs": predictions}
    tensors["inputs"] = _required(examples)
    return generic_signature(tensors), {}


def classification_signature_fn(
    examples: Tensor | None, unused_features: Any, predictions: Any
) -> tuple[Any, dict[str, Any]]:
    """Signatures of a classifier that gives classes; arguments as of `generic_signature_fn`."""
    classes = _of(predictions, PredictionKey.CLASSES) if examples is not None else None
    return classification_signature(_required(examples), classes_tensor=classes), {}


def classification_signature_fn_with_prob(
    examples: Tensor | None, unused_features: Any, predictions: Any
) -> tuple[Any, dict[str, Any]]:
    """Signatures of a classifier that gives probabilities; arguments as of `generic_signature_fn`."""
    scores = _of(predictions, PredictionKey.PROBABILITIES) if examples is not None else None
    return classification_signature(_required(examples), scores_tensor=scores), {}


def regression_signature_fn(
    examples: Tensor | None, unused_features: Any, predictions: Tensor
) -> tuple[Any, dict[str, Any]]:
    """Signatures of a model that predicts numbers; arguments as of `generic_signature_fn`."""
    return regression_signature(_required(examples), predictions), {}


def logistic_regression_signature_fn(
    examples: Tensor | None, unused_features: Any, predictions: Any
) -> tuple[Any, dict[str, Any]]:
    """Signatures of a classifier of two classes: the probability of the second.

    Arguments as of `generic_signature_fn`; probabilities are [batch, 2].
    """
    known = _required(examples)
    both = _of(predictions, PredictionKey.PROBABILITIES)
    if both.get_shape().with_rank_at_least(2)[1].value not in (2, None):
        raise ValueError(f"probabilities should be [batch, 2], got shape {both.get_shape()}")
    return regression_signature(known, both[:, 1]), {}


def _default_input_fn(estimator: BaseEstimator, examples: Tensor) -> Any:
    """The features that serialized examples hold, by what the estimator was trained on; a single one is called "feature".

    Raises:
        NotFittedError: if it was not trained in this process.
    """
    known = estimator._features
    if known is None:
        raise NotFittedError("What features the model takes is known after fit: give export an input_fn.")
    if isinstance(known, Mapping):
        return parse_example(examples, {name: _parsed_as(each) for name, each in known.items()})
    return parse_example(examples, {"feature": _parsed_as(known)})["feature"]


def _parsed_as(signature: TensorSignature) -> FixedLenFeature | VarLenFeature:
    # Examples hold numbers of these two types only.
    dtype = {"int32": int64, "float64": float32}.get(signature.dtype.name, signature.dtype)
    return VarLenFeature(dtype) if signature.is_sparse else FixedLenFeature(signature.shape[1:].as_list(), dtype)


def export_estimator(
    estimator: BaseEstimator,
    export_dir: str,
    signature_fn: SignatureFn | None = None,
    input_fn: Callable[..., Any] = _default_input_fn,
    default_batch_size: int | None = 1,
    exports_to_keep: int | None = None,
) -> bytes:
    """Writes the model of an estimator as a session bundle.

    Args:
        estimator: the estimator.
        export_dir: the folder of exports.
        signature_fn: of (examples, features, predictions); returns (the default signature, others by name).
        input_fn: of (estimator, serialized examples); returns features.
        default_batch_size: how many examples there are in a request; None for any number.
        exports_to_keep: how many exports to keep; None for all.

    Returns:
        the export's folder.
    """
    return export_bundle(estimator, export_dir, signature_fn, input_fn, default_batch_size, exports_to_keep)


def export_bundle(
    estimator: BaseEstimator,
    export_dir: str,
    signature_fn: SignatureFn | None,
    input_fn: Callable[..., Any],
    default_batch_size: int | None,
    exports_to_keep: int | None,
    input_feature_key: str | None = None,
    use_deprecated_input_fn: bool = True,
    prediction_key: str | None = None,
    checkpoint_path: str | None = None,
) -> bytes:
    """`BaseEstimator.export`; arguments as there.

    Raises:
        NotFittedError: if there is no checkpoint.
        ValueError: if `input_fn` gives neither features nor examples.
    """
    checkpoint = checkpoint_path or latest_checkpoint(estimator.model_dir)
    if not checkpoint:
        raise NotFittedError(f"Couldn't find trained model at {estimator.model_dir}.")
    with Graph().as_default() as graph:
        create_global_step(graph)
        set_random_seed(estimator.config.tf_random_seed)
        if use_deprecated_input_fn:
            examples: Tensor | None = placeholder("string", [default_batch_size], name="input_example_tensor")
            features = input_fn(estimator, examples)
        else:
            features, _ = input_fn()
            examples = features.pop(input_feature_key) if input_feature_key is not None else None
        if not features and examples is None:
            raise ValueError("Either features or examples must be defined.")
        predictions = estimator._get_predict_ops(features).predictions
        if prediction_key is not None:
            predictions = predictions[prediction_key]
        default, named = (signature_fn or generic_signature_fn)(examples, features, _named_outputs(predictions))
        return _written(graph, checkpoint, export_dir, default, named, exports_to_keep)


def _named_outputs(predictions: Any) -> Any:
    """Predictions as tensors, which signatures name."""
    if isinstance(predictions, dict):
        return {key: _named_outputs(value) for key, value in predictions.items()}
    return predictions if isinstance(predictions, (Tensor, SparseTensor)) else identity(predictions)


def _written(
    graph: Graph,
    checkpoint: str,
    export_dir: str,
    default_signature: Any,
    named_signatures: Mapping[str, Any],
    exports_to_keep: int | None,
) -> bytes:
    started = group(local_variables_initializer(), tables_initializer())
    with Session(graph=graph) as session:
        session.run(started)
        savers = get_collection(GraphKeys.SAVERS)
        saver = savers[0] if savers else Saver(sharded=True)
        saver.restore(session, checkpoint)
        exporter = Exporter(saver)
        exporter.init(
            init_op=started,
            default_graph_signature=default_signature,
            named_graph_signatures=named_signatures,
            assets_collection=get_collection(GraphKeys.ASSET_FILEPATHS),
        )
        keep = None if exports_to_keep is None else largest_export_versions(exports_to_keep)
        return exporter.export(export_dir, get_collection(GraphKeys.GLOBAL_STEP)[0], session, keep)
