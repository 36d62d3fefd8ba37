"""Models as estimators of scikit-learn."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.keras.engine.sequential import Sequential
from headrace.keras.utils.np_utils import to_categorical

if TYPE_CHECKING:
    from headrace.core.typing import ArrayLike
    from headrace.keras.callbacks.records import History

_Function = Callable[..., Any]


def _has_argument(function: _Function, name: str) -> bool:
    return name in inspect.signature(function).parameters


def _loss_name(loss: Any) -> str:
    return getattr(loss, "__name__", loss)


class BaseWrapper:
    """What the classifier and the regressor have in common.

    Args:
        build_fn: a function, or an object that can be called, that gives a compiled model; a subclass may define
            `__call__` instead.
        **sk_params: arguments of `build_fn`, and of `fit`, `predict` and `evaluate`.

    Raises:
        ValueError: for arguments that none of them takes.
    """

    def __init__(self, build_fn: _Function | None = None, **sk_params: Any) -> None:
        self.build_fn = build_fn
        self.sk_params = sk_params
        self.check_params(sk_params)

    def _builder(self) -> _Function:
        """The function whose arguments are looked at."""
        if self.build_fn is None:
            return self.__call__  # type: ignore[attr-defined, operator]  # a subclass has it
        if isinstance(self.build_fn, (FunctionType, MethodType)):
            return self.build_fn
        return self.build_fn.__call__  # type: ignore[operator]  # an object that can be called

    def check_params(self, params: Mapping[str, Any]) -> None:
        """Raises an error for arguments that no function takes.

        Args:
            params: the arguments.

        Raises:
            ValueError: for one that none takes.
        """
        legal: list[Any] = [
            Sequential.fit,
            Sequential.predict,
            Sequential.predict_classes,
            Sequential.evaluate,
            self._builder(),
        ]
        for name in params:
            # An older name of `epochs`.
            if name != "nb_epoch" and not any(_has_argument(function, name) for function in legal):
                raise ValueError(f"{name} is not a legal parameter")

    def get_params(self, **params: Any) -> dict[str, Any]:
        """The arguments that it was made with.

        Args:
            **params: what scikit-learn gives here; there is nothing within these arguments to look into.
        """
        return copy.deepcopy(self.sk_params) | {"build_fn": self.build_fn}

    def set_params(self, **params: Any) -> BaseWrapper:
        """Takes other arguments.

        Args:
            **params: the arguments.

        Returns:
            itself.

        Raises:
            ValueError: for one that no function takes.
        """
        self.check_params(params)
        self.sk_params.update(params)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a model: what scikit-learn asks before it predicts."""
        return hasattr(self, "model")

    def fit(self, x: ArrayLike, y: Any, **kwargs: Any) -> History:
        """Builds a model and trains it.

        Args:
            x, y: what to train with.
            **kwargs: arguments of `Sequential.fit`.

        Returns:
            its `History`.
        """
        build = self._builder()
        self.model = build(**self.filter_sk_params(build))
        if _loss_name(self.model.loss) == "categorical_crossentropy" and len(y.shape) != 2:
            y = to_categorical(y)
        arguments = copy.deepcopy(self.filter_sk_params(Sequential.fit)) | kwargs
        return self.model.fit(x, y, **arguments)

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn from 1.6 on asks of an estimator."""
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=True))

    def filter_sk_params(self, fn: _Function, override: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Those arguments that a function takes.

        Args:
            fn: the function.
            override: arguments that come before them.
        """
        own = {name: value for name, value in self.sk_params.items() if _has_argument(fn, name)}
        return own | dict(override or {})


class KerasClassifier(BaseWrapper):
    """A model that tells classes, for scikit-learn.

    Args:
        build_fn, **sk_params: as for `BaseWrapper`.

    Example:
        >>> def build():
        ...     model = tf.keras.Sequential([tf.keras.layers.Dense(2, activation="softmax", input_shape=(3,))])
        ...     model.compile("sgd", "categorical_crossentropy")
        ...     return model
        >>> classifier = tf.keras.wrappers.scikit_learn.KerasClassifier(build, epochs=10, verbose=0)
        >>> history = classifier.fit(np.ones([6, 3]), [0, 1, 1, 0, 1, 1])
        >>> classifier.predict(np.ones([4, 3])).shape
        (4,)
    """

    def fit(self, x: ArrayLike, y: ArrayLike, **kwargs: Any) -> History:
        """Builds a model and trains it.

        Args:
            x: what is known.
            y: classes, as numbers or texts, or rows with a 1 at the class's place.
            **kwargs: arguments of `Sequential.fit`.

        Raises:
            ValueError: for another shape of `y`.
        """
        labels = np.array(y)
        if labels.ndim == 2 and labels.shape[1] > 1:
            self.classes_ = np.arange(labels.shape[1])
        elif labels.ndim == 1 or (labels.ndim == 2 and labels.shape[1] == 1):
            self.classes_ = np.unique(labels)
            labels = np.searchsorted(self.classes_, labels)
        else:
            raise ValueError(f"Invalid shape for y: {labels.shape}")
        self.n_classes_ = len(self.classes_)
        return super().fit(x, labels, **kwargs)

    def predict(self, x: ArrayLike, **kwargs: Any) -> np.ndarray:
        """The class of each.

        Args:
            x: what is known.
            **kwargs: arguments of `Sequential.predict_classes`.
        """
        classes = self.model.predict_classes(x, **self.filter_sk_params(Sequential.predict_classes, kwargs))
        return self.classes_[classes]

    def predict_proba(self, x: ArrayLike, **kwargs: Any) -> np.ndarray:
        """How likely each class is: [rows, classes].

        Args:
            x: what is known.
            **kwargs: arguments of `Sequential.predict_proba`.
        """
        probabilities = self.model.predict_proba(x, **self.filter_sk_params(Sequential.predict_proba, kwargs))
        if probabilities.shape[1] == 1:
            # Of two classes one is as likely as the other is not.
            probabilities = np.hstack([1 - probabilities, probabilities])
        return probabilities

    def score(self, x: ArrayLike, y: ArrayLike, **kwargs: Any) -> float:
        """The part of the classes that it tells.

        Args:
            x, y: as for `fit`.
            **kwargs: arguments of `Sequential.evaluate`.

        Raises:
            ValueError: if the model was not compiled with `metrics=["accuracy"]`.
        """
        labels: np.ndarray = np.searchsorted(self.classes_, np.asarray(y))
        arguments = self.filter_sk_params(Sequential.evaluate, kwargs)
        if _loss_name(self.model.loss) == "categorical_crossentropy" and labels.ndim != 2:
            labels = to_categorical(labels)
        outputs = self.model.evaluate(x, labels, **arguments)
        values = outputs if isinstance(outputs, list) else [outputs]
        for name, value in zip(self.model.metrics_names, values, strict=True):
            if name in ("accuracy", "acc"):
                return value
        raise ValueError(
            'The model is not configured to compute accuracy. You should pass `metrics=["accuracy"]` to the '
            "`model.compile()` method."
        )


class KerasRegressor(BaseWrapper):
    """A model that tells numbers, for scikit-learn.

    Args:
        build_fn, **sk_params: as for `BaseWrapper`.
    """

    def predict(self, x: ArrayLike, **kwargs: Any) -> np.ndarray:
        """The number of each.

        Args:
            x: what is known.
            **kwargs: arguments of `Sequential.predict`.
        """
        return np.squeeze(self.model.predict(x, **self.filter_sk_params(Sequential.predict, kwargs)))

    def score(self, x: ArrayLike, y: ArrayLike, **kwargs: Any) -> float:
        """The loss, with the sign that makes more better.

        Args:
            x, y: as for `fit`.
            **kwargs: arguments of `Sequential.evaluate`.
        """
        loss = self.model.evaluate(x, y, **self.filter_sk_params(Sequential.evaluate, kwargs))
        return -loss[0] if isinstance(loss, list) else -loss
