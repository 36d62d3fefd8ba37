"""`SVM`: a support vector machine over feature columns, by stochastic dual coordinate ascent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.learn.bundle_exports import generic_signature_fn
from headrace.contrib.learn.canned import Classifier
from headrace.contrib.learn.classification_heads import binary_svm_head
from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.linear import LinearEstimator
from headrace.contrib.learn.metric_spec import PredictionKey
from headrace.contrib.linear_optimizer.sdca_optimizer import SDCAOptimizer

if TYPE_CHECKING:
    from headrace.estimator.run_config import RunConfig


class SVM(Classifier, LinearEstimator):
    """A support vector machine for two classes.

    Args:
        example_id_column: the key of the feature that tells examples apart, strings.
        feature_columns: columns of `tf.contrib.layers`.
        weight_column_name: the key of the examples' weights among the features.
        model_dir: the folder of checkpoints and summaries.
        l1_regularization, l2_regularization: how much weights cost.
        num_loss_partitions: how many workers train at once.
        kernels: not supported, as in 1.15: the machine is linear.
        config: a `RunConfig`.
        feature_engineering_fn: of features and labels; returns others, which the model gets.

    Raises:
        ValueError: for kernels.

    Example:
        >>> def input_fn():
        ...     features = {"id": tf.constant(["a", "b", "c"]), "x": tf.constant([[-1.0], [1.0], [2.0]])}
        ...     return features, tf.constant([[0], [1], [1]])
        >>> svm = tf.contrib.learn.SVM("id", [tf.contrib.layers.real_valued_column("x")], l2_regularization=1.0)
        >>> svm.fit(input_fn=input_fn, steps=30)
    """

    def __init__(
        self,
        example_id_column: str,
        feature_columns: Iterable[Any],
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        num_loss_partitions: int = 1,
        kernels: Any = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        if kernels is not None:
            raise ValueError("Kernel SVMs are not currently supported.")
        optimizer = SDCAOptimizer(
            example_id_column,
            num_loss_partitions=num_loss_partitions,
            symmetric_l1_regularization=l1_regularization,
            symmetric_l2_regularization=l2_regularization,
        )
        LinearEstimator.__init__(
            self,
            tuple(feature_columns),
            binary_svm_head(weight_column_name=weight_column_name),
            model_dir,
            weight_column_name,
            optimizer,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )

    # As of any estimator: all predictions.
    predict = Estimator.predict  # type: ignore[assignment]  # with iterate_batches

    def export(  # type: ignore[override]  # 1.15's takes less, and in another order
        self,
        export_dir: str,
        signature_fn: Callable[..., Any] | None = None,
        input_fn: Callable[..., Any] | None = None,
        default_batch_size: int | None = 1,
        exports_to_keep: int | None = None,
    ) -> bytes:
        """Writes a session bundle that gives classes and logits; arguments as in `BaseEstimator.export`."""
        return self._export_of(
            export_dir,
            input_fn,
            None,
            True,
            signature_fn or generic_signature_fn,
            default_batch_size,
            exports_to_keep,
            None,
        )

    def predict_proba(  # type: ignore[override]  # outputs come before as_iterable, as in 1.15
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Raises, as in 1.15: a support vector machine gives logits, not probabilities.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            f"SVM predicts no probabilities: ask for its logits with predict(outputs=[{PredictionKey.LOGITS!r}])."
        )
