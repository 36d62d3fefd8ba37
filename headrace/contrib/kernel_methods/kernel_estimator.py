"""Linear classifiers of features that approximate kernels.

Rahimi and Recht, "Random features for large-scale kernel machines", NIPS 2007.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.kernel_methods.dense_kernel_mapper import DenseKernelMapper
from headrace.contrib.layers.feature_column_makers import real_valued_column
from headrace.contrib.learn.canned import CannedEstimator
from headrace.contrib.learn.classification_heads import multi_class_head
from headrace.contrib.learn.linear import LinearEstimator
from headrace.contrib.learn.metric_spec import PredictionKey
from headrace.kernels.composing.arranging import concat

if TYPE_CHECKING:
    from headrace.estimator.run_config import RunConfig

_SUFFIX = "_MAPPED"


def _check(feature_columns: Any, kernel_mappers: Mapping[Any, Iterable[Any]] | None) -> None:
    if not feature_columns and not kernel_mappers:
        raise ValueError("You should set at least one of feature_columns, kernel_mappers.")
    for mappers in (kernel_mappers or {}).values():
        if not all(isinstance(mapper, DenseKernelMapper) for mapper in mappers):
            raise ValueError("Invalid kernel mappers.")


def _mapped(kernel_mappers: Mapping[Any, Sequence[DenseKernelMapper]]) -> Callable[..., tuple[Any, Any]]:
    def with_mapped(features: Any, labels: Any) -> tuple[Any, Any]:
        features = dict(features)
        for column, mappers in kernel_mappers.items():
            parts = [mapper.map(features[column.name]) for mapper in mappers]
            features[column.name + _SUFFIX] = concat(parts, axis=1)
        return features, labels

    return with_mapped


class KernelLinearClassifier(CannedEstimator, LinearEstimator):
    """A linear classifier of features, and of others that kernel mappers make of them.

    Args:
        feature_columns: columns of `tf.contrib.layers` that the model sees as they are.
        model_dir: the folder of checkpoints and summaries.
        n_classes: how many classes there are.
        weight_column_name: the key of the examples' weights among the features.
        optimizer: an optimizer, or a function that returns one; FTRL by default.
        kernel_mappers: from a real-valued column to the mappers whose features of it the model sees.
        config: a `RunConfig`.

    Raises:
        ValueError: without columns and mappers, for what is no mapper, or for less than two classes.

    Example:
        >>> x = tf.contrib.layers.real_valued_column("x", dimension=3)
        >>> mapper = tf.contrib.kernel_methods.RandomFourierFeatureMapper(3, 2000, stddev=5.0)
        >>> classifier = tf.contrib.kernel_methods.KernelLinearClassifier(kernel_mappers={x: [mapper]})
    """

    def __init__(
        self,
        feature_columns: Any = None,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        kernel_mappers: Mapping[Any, Sequence[DenseKernelMapper]] | None = None,
        config: RunConfig | None = None,
    ) -> None:
        _check(feature_columns, kernel_mappers)
        columns = list(feature_columns or ())
        for column, mappers in (kernel_mappers or {}).items():
            dimension = sum(mapper.output_dim for mapper in mappers)
            columns.append(real_valued_column(column.name + _SUFFIX, dimension))
        LinearEstimator.__init__(
            self,
            tuple(columns),
            multi_class_head(n_classes, weight_column_name=weight_column_name),
            model_dir,
            weight_column_name,
            optimizer,
            config=config,
            feature_engineering_fn=_mapped(kernel_mappers) if kernel_mappers else None,
        )

    def predict_classes(self, input_fn: Callable[[], Any] | None = None) -> Any:
        """An iterator over the likeliest classes.

        Args:
            input_fn: returns features.
        """
        return self._chosen(PredictionKey.CLASSES, None, input_fn, None, as_iterable=True)

    def predict_proba(self, input_fn: Callable[[], Any] | None = None) -> Any:
        """An iterator over the probabilities of all classes.

        Args:
            input_fn: returns features.
        """
        return self._chosen(PredictionKey.PROBABILITIES, None, input_fn, None, as_iterable=True)
