"""The estimators of `tf.contrib.learn` before release 0.12, and of the `skflow` package before it: models of arrays.

A model is a function of features and labels (a row of zeros and a one for each class) that returns predictions and a loss;
the estimator adds the training step. `fit` begins anew each time unless `continue_training` is set.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from headrace.checkpoints.checkpoint_state import latest_checkpoint, update_checkpoint_state
from headrace.contrib.layers.optimizers import optimize_loss
from headrace.contrib.learn.data_feeder import setup_train_data_feeder
from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.metric_spec import ModeKeys
from headrace.contrib.learn.network_ops import IS_TRAINING
from headrace.contrib.learn.parameters import Parameterized
from headrace.contrib.learn.scores import accuracy_score
from headrace.contrib.learn.trainable import NotFittedError
from headrace.core.defaults import add_to_collection
from headrace.estimator.run_config import RunConfig
from headrace.files import file_io
from headrace.files.paths import as_path
from headrace.ops.array.constant import constant, placeholder
from headrace.ops.array.where import one_hot
from headrace.ops.math.cast import cast
from headrace.sessions.hooks import FeedFnHook
from headrace.state.global_step import get_global_step
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor

Self = TypeVar("Self", bound="TensorFlowEstimator")
ModelFn = Callable[[Any, Any], tuple[Any, Any]]
_DEFINITION = "model.def"
_CHECKPOINT = "model.ckpt"
# By the names that `restore` reads in a definition.
_KINDS: dict[str, type[TensorFlowEstimator]] = {}


class TensorFlowEstimator(Parameterized):
    """A model of arrays in the manner of scikit-learn.

    Args:
        model_fn: of features and labels; returns predictions and a loss.
        n_classes: how many classes labels are of; 0 or 1 for numbers.
        batch_size: how many examples a step takes.
        steps: how many steps `fit` takes.
        optimizer: a name, an optimizer, its class, or a function of the learning rate.
        learning_rate: a number, or a function of the step's tensor.
        clip_gradients: the largest global norm of gradients; None for any.
        class_weight: a weight for each class, which models find as the tensor "class_weight".
        continue_training: whether `fit` goes on where the last one ended.
        config: a `RunConfig`.
        verbose: whether the loss that training ends with is logged, as information.

    Example:
        >>> def model(x, y):
        ...     return tf.contrib.learn.models.logistic_regression(tf.contrib.learn.ops.dnn(x, [10, 20, 10]), y)
        >>> x, y = np.float32([[0, 1], [1, 0], [1, 1], [0, 0]]), np.array([0, 1, 1, 0])
        >>> classifier = tf.contrib.learn.TensorFlowEstimator(model_fn=model, n_classes=2, steps=10)
        >>> classes = classifier.fit(x, y).predict(x)
    """

    def __init__(
        self,
        model_fn: ModelFn | None,
        n_classes: int,
        batch_size: int = 32,
        steps: int = 200,
        optimizer: Any = "Adagrad",
        learning_rate: Any = 0.1,
        clip_gradients: float | None = 5.0,
        class_weight: Sequence[float] | None = None,
        continue_training: bool = False,
        config: RunConfig | None = None,
        verbose: int = 1,
    ) -> None:
        self.model_fn = model_fn
        self.n_classes = n_classes
        self.batch_size = batch_size
        self.steps = steps
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.clip_gradients = clip_gradients
        self.class_weight = class_weight
        self.continue_training = continue_training
        self.config = config
        self.verbose = verbose
        self._estimator: Estimator | None = None
        # The type and sizes of labels, by which models are built that are asked only.
        self._labels: tuple[str, list[int | None]] = ("float32", [])

    def fit(
        self: Self,
        x: Any,
        y: Any,
        monitors: Any = None,
        logdir: str | None = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitor: Any = None,
    ) -> Self:
        """Trains the model.

        Args:
            x: features: an array, pandas data, or an iterator.
            y: labels of the same kind: numbers of classes, or numbers to predict.
            monitors: monitors or hooks.
            logdir: the folder of checkpoints and summaries, which are gone on with; a new temporary one by default.
            steps, batch_size: others than those of the estimator.
            monitor: one monitor, as releases before 0.9 took it.

        Returns:
            the estimator itself.
        """
        feeder = setup_train_data_feeder(x, y, self.n_classes or None, batch_size or self.batch_size)
        if self._estimator is None or not self.continue_training:
            self._estimator = self._made(logdir)
        asked = [] if monitors is None else list(monitors) if isinstance(monitors, (list, tuple)) else [monitors]
        asked += [] if monitor is None else [monitor]
        hooks = [FeedFnHook(feeder.get_feed_dict_fn()), *asked]
        self._estimator.fit(input_fn=feeder.input_builder, steps=steps or self.steps, monitors=hooks)
        if self.verbose:
            tf_logging.info("Trained %s; it is in %s.", type(self).__name__, self._estimator.model_dir)
        return self

    def partial_fit(self: Self, x: Any, y: Any) -> Self:
        """Trains the model further; arguments as in `fit`."""
        before = self.continue_training
        self.continue_training = True
        try:
            return self.fit(x, y)
        finally:
            self.continue_training = before

    def predict(self, x: Any, axis: int = 1, batch_size: int | None = None) -> np.ndarray:
        """The classes or numbers predicted for examples.

        Args:
            x: features.
            axis: that of the classes in what the model predicts.
            batch_size: how many examples are computed at a time.

        Raises:
            NotFittedError: if it was not trained.
        """
        found = self._predictions(x, batch_size)
        return found.argmax(axis=axis) if self.n_classes > 1 else found

    def predict_proba(self, x: Any, batch_size: int | None = None) -> np.ndarray:
        """The probabilities of classes for examples; arguments as in `predict`."""
        return self._predictions(x, batch_size)

    def score(self, x: Any, y: Any) -> float:
        """The share of classes that are predicted rightly; for numbers, the coefficient of determination.

        Args:
            x, y: features and labels.
        """
        found, labels = self.predict(x), np.asarray(y)
        if self.n_classes > 1:
            return accuracy_score(labels, found)
        missed = np.square(labels - found.reshape(labels.shape)).sum()
        return float(1.0 - missed / np.square(labels - labels.mean(axis=0)).sum())

    def get_variable_names(self) -> list[str]:
        """The names of the model's variables."""
        return self._fitted().get_variable_names()

    def get_variable_value(self, name: str) -> np.ndarray:
        """The value of a variable.

        Args:
            name: its name.
        """
        return self._fitted().get_variable_value(name)

    def get_tensor_value(self, name: str) -> np.ndarray:
        """The value of a variable by the name of its tensor, "weights:0"."""
        return self.get_variable_value(name.removesuffix(":0"))

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and summaries."""
        return self._fitted().model_dir

    def save(self, path: str) -> None:
        """Writes the estimator to a folder, from which `restore` makes it again.

        Args:
            path: the folder.

        Raises:
            NotFittedError: if it was not trained.
            TypeError: if a parameter cannot be written, such as an optimizer that is no name.
        """
        checkpoint = latest_checkpoint(self._fitted().model_dir)
        given = {name: value for name, value in self.get_params(deep=False).items() if name != "config"}
        if self.class_weight is None:
            # Not all of them take one.
            del given["class_weight"]
        functions = sorted({name for name, value in vars(self).items() if callable(value)} - {"model_fn"})
        saved = {"class": type(self).__name__, "params": given, "functions": functions, "labels": self._labels}
        definition = json.dumps(saved, default=_plain_number)
        folder = as_path(path)
        file_io.recursive_create_dir(folder)
        file_io.write_string_to_file(os.path.join(folder, _DEFINITION), definition)
        target = os.path.join(folder, _CHECKPOINT)
        for part in file_io.get_matching_files(f"{checkpoint}*"):
            file_io.copy(part, target + part.removeprefix(str(checkpoint)), overwrite=True)
        update_checkpoint_state(folder, _CHECKPOINT)

    @classmethod
    def restore(cls, path: str, config: RunConfig | None = None) -> TensorFlowEstimator:
        """An estimator from a folder that `save` has written.

        Args:
            path: the folder.
            config: its `RunConfig`.

        Raises:
            NotImplementedError: for models of functions, which no file holds.
        """
        folder = as_path(path)
        saved = json.loads(file_io.read_file_to_string(os.path.join(folder, _DEFINITION)))
        kind = _KINDS.get(saved["class"])
        functions = saved["functions"] if kind else ["model_fn"]
        if kind is None or functions:
            raise NotImplementedError(
                f"A saved {saved['class']} does not hold its functions {functions}: make the estimator with them, and "
                "fit(x, y, logdir=folder) goes on with the checkpoints in the folder."
            )
        restored = kind(**saved["params"], config=config)
        name, sizes = saved["labels"]
        restored._labels = (name, sizes)
        restored._estimator = restored._made(folder)
        return restored

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _KINDS[cls.__name__] = cls

    def _fitted(self) -> Estimator:
        if self._estimator is None:
            raise NotFittedError(f"{type(self).__name__} was not trained: call fit first.")
        return self._estimator

    def _made(self, folder: str | None) -> Estimator:
        return Estimator(self._build, folder or tempfile.mkdtemp(), self.config)

    def _model(self, features: Tensor, labels: Tensor) -> tuple[Any, Any]:
        if self.model_fn is None:
            raise ValueError(f"{type(self).__name__} was made without a model_fn.")
        return self.model_fn(features, labels)

    def _build(self, features: Any, labels: Any, mode: str) -> tuple[Any, Any, Any]:
        training = mode == ModeKeys.TRAIN
        add_to_collection(IS_TRAINING, training)
        if self.class_weight is not None:
            constant(self.class_weight, dtype="float32", name="class_weight")
        features = _in_float32(features)
        if labels is None:
            name, sizes = self._labels
            labels = placeholder(name, [None, *sizes])
        elif self.n_classes > 1:
            one_column = labels.shape.ndims == 1
            labels = one_hot(cast(labels, "int64"), self.n_classes) if one_column else cast(labels, "float32")
        else:
            labels = _in_float32(labels)
        if training:
            self._labels = (labels.dtype.name, labels.shape.as_list()[1:])
        predictions, loss = self._model(features, labels)
        if not training:
            return predictions, loss, None
        step = get_global_step()
        rate = self.learning_rate(step) if callable(self.learning_rate) else self.learning_rate
        return (
            predictions,
            loss,
            optimize_loss(loss, step, learning_rate=rate, optimizer=self.optimizer, clip_gradients=self.clip_gradients),
        )

    def _predictions(self, x: Any, batch_size: int | None) -> np.ndarray:
        found = self._fitted().predict(x=x, batch_size=batch_size, as_iterable=False)
        return np.asarray(found)


def _in_float32(tensor: Any) -> Any:
    """NumPy's floats have 64 bits where models' have 32."""
    return cast(tensor, "float32") if tensor.dtype.base_dtype.name == "float64" else tensor


def _plain_number(value: object) -> Any:
    """A number of NumPy's as JSON writes it; TypeError for anything else."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"A parameter {value!r} cannot be saved: give names and numbers.")
