"""Models that train: `Model`, networks of layers with losses, metrics and an optimizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.checkpoints.tracking_internals import no_automatic_dependency_tracking
from headrace.core.eager import executing_eagerly
from headrace.core.tensor import Tensor
from headrace.data.eager_iterator import EagerIterator
from headrace.data.iterator import Iterator
from headrace.keras.engine import (
    network,
    training_arrays,
    training_generator,
    training_replicas,
    training_splitting,
    training_v2,
)
from headrace.keras.engine.training_batchwise import Batchwise
from headrace.keras.engine.training_compiling import Compiling
from headrace.keras.engine.training_copies import compiled_copy
from headrace.keras.engine.training_datasets import is_dataset, validate_dataset_input
from headrace.keras.engine.training_functions import Functions
from headrace.keras.engine.training_generator import is_generator_or_sequence, unpack_validation_data
from headrace.keras.engine.training_input_checks import can_take_newer_loops, has_symbolic_tensors
from headrace.keras.engine.training_loop import PREDICT, TEST
from headrace.keras.engine.training_metrics import metrics_of_layers
from headrace.keras.engine.training_standardizing import Standardizing
from headrace.keras.optimizers import serialization as optimizers
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.keras.callbacks.records import History

_SESSION_ARGUMENTS = {"feed_dict", "fetches", "options", "run_metadata"}


class Model(Batchwise, Compiling, Functions, Standardizing, network.Network):  # type: ignore[misc]  # the parts name what others define
    """A network that can be compiled, trained, evaluated and asked for predictions.

    Given `inputs` and `outputs` it is the graph of layers between them. A class derived from it makes its layers in
    `__init__` and says in `call` what it computes.

    Args:
        inputs: a tensor, or a structure of tensors, from `tf.keras.Input`.
        outputs: what layers compute from them.
        name: its name.

    Example:
        >>> x = tf.keras.Input((4,))
        >>> model = tf.keras.Model(x, tf.keras.layers.Dense(2)(x))
        >>> model.compile("sgd", "mse")
        >>> history = model.fit(np.ones([8, 4]), np.zeros([8, 2]), epochs=3)
    """

    stop_training: bool
    history: Any
    _has_touched_metrics: bool
    _run_eagerly: Any
    train_function: Any
    test_function: Any
    predict_function: Any
    _v2_functions: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._set_untracked(
            _is_compiled=False,
            _training_endpoints=[],
            _compile_metric_functions=[],
            _function_kwargs={},
            _run_eagerly=None,
            _has_target_tensors=False,
            stop_training=False,
            _has_touched_metrics=False,
            history=None,
        )

    def _set_untracked(self, **attributes: Any) -> None:
        """Sets attributes that hold no layers of the model."""
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    # ---- compiling ----

    @no_automatic_dependency_tracking
    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        metrics: Any = None,
        loss_weights: Any = None,
        sample_weight_mode: Any = None,
        weighted_metrics: Any = None,
        target_tensors: Any = None,
        distribute: Any = None,
        **kwargs: Any,
    ) -> None:
        """Says how the model is trained.

        Args:
            optimizer: an optimizer, one of `tf.train`, or the name of one.
            loss: a function of targets and outputs, a `Loss`, the name of one; a list or dict of them for several outputs.
            metrics: a list of metrics, functions or names; a dict or a list of lists for several outputs.
            loss_weights: factors of the losses in their total, a list or dict.
            sample_weight_mode: "temporal" where the steps of samples have weights of their own, for each output if it is
                a list or dict.
            weighted_metrics: metrics that take the weights of samples and classes into account.
            target_tensors: tensors to train on instead of targets that are fed.
            distribute: a strategy: a copy of the model is trained under it. A model made in its scope needs none.
            **kwargs: `run_eagerly`, and in graphs what `Session.run` takes: `feed_dict`, `fetches`, `options`,
                `run_metadata`.

        Raises:
            ValueError: if an argument does not fit the outputs; TypeError: for other keyword arguments.
        """
        self._compile_distribution, self._copy_under_strategy = distribute is not None, None
        if distribute is not None:
            self._copy_under_strategy = compiled_copy(
                self, distribute, optimizer, loss=loss, metrics=metrics, loss_weights=loss_weights,
                sample_weight_mode=sample_weight_mode, weighted_metrics=weighted_metrics, target_tensors=target_tensors,
                **kwargs,
            )  # fmt: skip
        self._distribution_strategy = training_replicas.strategy_of(self)
        if self._distribution_strategy is not None:
            training_replicas.check_compilable(self, sample_weight_mode, weighted_metrics, target_tensors, kwargs)
            with self._distribution_strategy.scope():
                self._compile(
                    optimizer, loss, metrics, loss_weights, sample_weight_mode, weighted_metrics, target_tensors, kwargs
                )
            return
        self._compile(
            optimizer, loss, metrics, loss_weights, sample_weight_mode, weighted_metrics, target_tensors, kwargs
        )

    def _compile(
        self,
        optimizer: Any,
        loss: Any,
        metrics: Any,
        loss_weights: Any,
        sample_weight_mode: Any,
        weighted_metrics: Any,
        target_tensors: Any,
        kwargs: dict[str, Any],
    ) -> None:
        self._run_eagerly = kwargs.pop("run_eagerly", None)
        run_tf_function = kwargs.pop("experimental_run_tf_function", True)
        kwargs.pop("cloning", None)
        if self.run_eagerly and kwargs:
            # They are of sessions, and 1.15 does not look at them there.
            tf_logging.warning("compile: %s mean nothing with `run_eagerly=True`.", sorted(kwargs))
            kwargs = {}
        self._function_kwargs = kwargs
        self._set_optimizer(optimizer)
        run_tf_function = run_tf_function and not kwargs
        self._experimental_run_tf_function = run_tf_function and can_take_newer_loops(
            self.optimizer, sample_weight_mode, target_tensors
        )
        self.loss = loss or {}
        self.loss_weights, self.sample_weight_mode = loss_weights, sample_weight_mode
        self._compile_metrics, self._compile_weighted_metrics = metrics or [], weighted_metrics
        self._training_endpoints = []
        self._init_metric_attributes()
        self._forget_functions()
        if not self.built or not self.inputs or not self.outputs:
            # It will be compiled when the first data tells its inputs.
            self._is_compiled = False
            return
        self._is_compiled = True
        self._make_endpoints()
        if target_tensors is not None and self.run_eagerly:
            raise ValueError("target_tensors argument is not supported when running a model eagerly.")
        self._has_target_tensors = target_tensors is not None
        if self._steps_are_eager():
            self._compile_eagerly(metrics, weighted_metrics, sample_weight_mode)
        else:
            self._compile_in_graph(metrics, weighted_metrics, sample_weight_mode, target_tensors)
        self._collected_trainable_weights = self._unique_trainable_weights

    def _steps_are_eager(self) -> bool:
        """Whether batches are run eagerly or by functions rather than in the graph of symbolic tensors."""
        return bool(self.run_eagerly) or (executing_eagerly() and not self._has_target_tensors)

    def _forget_functions(self) -> None:
        self.total_loss = None
        self.train_function = self.test_function = self.predict_function = None
        self._v2_functions: dict[str, Any] = {}

    def _set_optimizer(self, optimizer: Any) -> None:
        # Some models train their parts with an optimizer each.
        several = isinstance(optimizer, (list, tuple))
        self.optimizer = [optimizers.get(each) for each in optimizer] if several else optimizers.get(optimizer)

    @property
    def run_eagerly(self) -> bool:
        """Whether each batch is run eagerly, operation after operation."""
        if self._run_eagerly is True and not executing_eagerly():
            raise ValueError("You can only set `run_eagerly=True` if eager execution is enabled.")
        if not self.dynamic:
            return bool(self._run_eagerly)
        if not executing_eagerly():
            raise ValueError(
                "Your model contains layers that can only be successfully run in eager execution (layers constructed with "
                "`dynamic=True`). You must enable eager execution with `tf.enable_eager_execution()`."
            )
        if self._run_eagerly is False:
            raise ValueError(
                "Your model contains layers that can only be successfully run in eager execution (layers constructed with "
                "`dynamic=True`). You cannot set `run_eagerly=False`."
            )
        return True

    @run_eagerly.setter
    def run_eagerly(self, value: bool) -> None:
        self._run_eagerly = value

    @property  # type: ignore[override]  # that of other layers is such a property too
    def metrics(self) -> list[Any]:
        """Its metrics: those given to `compile`, then those that it and its layers add."""
        compiled = self._compile_metric_functions if self._is_compiled else []
        return [*compiled, *self._metrics, *metrics_of_layers(self._layers)]

    @property
    def metrics_names(self) -> list[str]:
        """The names of the numbers that training and `evaluate` give: "loss", the losses of several outputs, metrics."""
        names = ["loss"]
        if self._is_compiled and len(self._training_endpoints) > 1:
            names += [e.loss_name for e in self._training_endpoints if not e.should_skip_target()]
        return [*names, *(metric.name for metric in self.metrics)]

    def reset_metrics(self) -> None:
        """Sets the metrics back to their beginnings."""
        object.__setattr__(self, "_has_touched_metrics", False)
        for metric in self._all_training_metrics():
            metric.reset_states()

    # ---- whole data ----

    @training_replicas.on_worker
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: int = 1,
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool | str = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_freq: Any = 1,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        **kwargs: Any,
    ) -> History:
        """Trains the model.

        Args:
            x: arrays or tensors, one or a list or dict of them for several inputs; a dataset, a generator or a `Sequence`
                of batches.
            y: targets, like `x`; what gives batches gives them too.
            batch_size: the number of samples of a batch, 32 by default.
            epochs: how often it goes through the data.
            verbose: 0, 1 for a bar, 2 for a line an epoch.
            callbacks: called while it trains.
            validation_split: the share of the samples, the last ones, kept for validation.
            validation_data: (x, y) or (x, y, weights) to validate with, or what gives such batches.
            shuffle: whether samples are shuffled before each epoch; "batch" shuffles batches as wholes.
            class_weight: weights of classes, a dict by number.
            sample_weight: weights of samples.
            initial_epoch: the epoch to begin with.
            steps_per_epoch, validation_steps: the number of batches of an epoch, and that of a validation.
            validation_freq: after how many epochs to validate, or after which.
            max_queue_size, workers, use_multiprocessing: how generators and sequences are read ahead.

        Returns:
            a `History`, whose attribute `history` has the numbers of each epoch by name.

        Raises:
            RuntimeError: if the model is not compiled; ValueError: if the data does not fit it.

        Example:
            >>> history = model.fit(np.ones([8, 3]), np.zeros([8, 2]), epochs=2, validation_split=0.25).history
        """
        if "nb_epoch" in kwargs:
            tf_logging.warning("The `nb_epoch` argument in `fit` has been renamed `epochs`.")
            epochs = kwargs.pop("nb_epoch")
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        self._assert_compile_was_called()
        self._check_call_args("fit")
        self._check_data_source(x, y, batch_size, sample_weight, validation_split)
        training_splitting.check_validation_steps(x, validation_steps, validation_data, validation_split)
        queue: dict[str, Any] = {
            "max_queue_size": max_queue_size, "workers": workers, "use_multiprocessing": use_multiprocessing
        }  # fmt: skip
        common: dict[str, Any] = {
            "epochs": epochs, "verbose": verbose, "callbacks": callbacks, "initial_epoch": initial_epoch,
            "steps_per_epoch": steps_per_epoch, "validation_steps": validation_steps,
            "validation_freq": validation_freq, "shuffle": shuffle,
        }  # fmt: skip
        if self._steps_are_eager():
            return training_v2.fit(
                self, x, y, batch_size=batch_size, sample_weight=sample_weight, class_weight=class_weight,
                validation_data=validation_data, validation_split=validation_split, **common, **queue,
            )  # fmt: skip
        if is_generator_or_sequence(x):
            return training_generator.fit(
                self, x, class_weight=class_weight, validation_data=validation_data, **common, **queue
            )
        return self._fit_in_graph(
            x, y, batch_size, sample_weight, class_weight, validation_data, validation_split, common, queue
        )

    def _fit_in_graph(
        self,
        x: Any,
        y: Any,
        batch_size: int | None,
        sample_weight: Any,
        class_weight: Any,
        validation_data: Any,
        validation_split: float,
        common: dict[str, Any],
        queue: dict[str, Any],
    ) -> History:
        training_replicas.check_fit_in_graph(self, x, validation_split, class_weight)
        steps, validation_steps = common["steps_per_epoch"], common["validation_steps"]
        batch_size = self._validate_or_infer_batch_size(batch_size, steps, x)
        x, y, weights = self._standardize_user_data(
            x, y, sample_weight=sample_weight, class_weight=class_weight, batch_size=batch_size, check_steps=True,
            steps_name="steps_per_epoch", steps=steps, validation_split=validation_split, shuffle=common["shuffle"],
        )  # fmt: skip
        validation: Any
        if is_generator_or_sequence(validation_data):
            training_generator.check_length_of_validation(validation_data, validation_steps)
            validation = training_generator.validation_by(
                self, validation_data, validation_steps, common["validation_freq"], queue
            )
        else:
            validation = self._prepare_validation_data(validation_data, batch_size, validation_steps)
        if validation is None and validation_split and 0.0 < validation_split < 1.0:
            x, y, weights, *validation = training_splitting.split_training_and_validation_data(
                x, y, weights, validation_split
            )
        return training_arrays.fit(self, x, y, weights, batch_size, validation_data=validation, **common)

    @training_replicas.on_worker
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: int = 1,
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:
        """The loss and the metrics of the model on data.

        Args:
            x, y, batch_size, sample_weight, callbacks, max_queue_size, workers, use_multiprocessing: as of `fit`.
            verbose: 0, or 1 for a bar.
            steps: the number of batches.

        Returns:
            the loss, or a list of it and the metrics in the order of `metrics_names`.
        """
        self._assert_compile_was_called()
        return self._without_training(
            TEST, x, y, batch_size, verbose, sample_weight, steps, callbacks,
            max_queue_size=max_queue_size, workers=workers, use_multiprocessing=use_multiprocessing,
        )  # fmt: skip

    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: int = 0,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:
        """The outputs of the model for data.

        Args:
            x, batch_size, callbacks, max_queue_size, workers, use_multiprocessing: as of `fit`.
            verbose: 0, or 1 for a bar.
            steps: the number of batches.

        Returns:
            an array, or a list of them for several outputs.
        """
        return self._without_training(
            PREDICT, x, None, batch_size, verbose, None, steps, callbacks,
            max_queue_size=max_queue_size, workers=workers, use_multiprocessing=use_multiprocessing,
        )  # fmt: skip

    def _without_training(
        self,
        mode: str,
        x: Any,
        y: Any,
        batch_size: int | None,
        verbose: int,
        sample_weight: Any,
        steps: int | None,
        callbacks: Any,
        **queue: Any,
    ) -> Any:
        self._check_call_args("predict" if mode == PREDICT else "evaluate")
        self._check_data_source(x, y, batch_size, sample_weight)
        if self._steps_are_eager():
            return training_v2.evaluate_or_predict(
                self, mode, x, y, batch_size, verbose, sample_weight, steps, callbacks, **queue
            )
        if is_generator_or_sequence(x):
            return training_generator.evaluate_or_predict(self, mode, x, steps, verbose, callbacks, **queue)
        training_replicas.check_divisible(self, x)
        batch_size = self._validate_or_infer_batch_size(batch_size, steps, x)
        x, y, weights = self._standardize_user_data(
            x, y, sample_weight=sample_weight, batch_size=batch_size, check_steps=True, steps_name="steps", steps=steps
        )
        return training_arrays.evaluate_or_predict(self, mode, x, y, weights, batch_size, verbose, steps, callbacks)

    def _check_data_source(
        self, x: Any, y: Any, batch_size: int | None, sample_weight: Any, validation_split: float = 0.0
    ) -> None:
        """Checks that what gives batches is not an iterator, and that nothing it gives itself comes beside it."""
        if isinstance(x, (Iterator, EagerIterator)):
            raise ValueError(
                "For performance reasons Keras `fit`, `evaluate` and `predict` accept tf.data `Datasets` as input but not "
                "iterators that have been manually generated from Datasets by users. Please directly pass in the original "
                "`Dataset` object instead of passing in `iter(dataset)`."
            )
        if is_generator_or_sequence(x):
            if batch_size is not None:
                self._no_batch_size(x, batch_size)
            training_splitting.check_no_targets(y, sample_weight, validation_split)
        elif is_dataset(x):
            validate_dataset_input(x, y, sample_weight, validation_split)
            if batch_size is not None:
                self._no_batch_size(x, batch_size)

    def _no_batch_size(self, x: Any, batch_size: int) -> None:
        raise ValueError(
            "The `batch_size` argument must not be specified for the given input type. Received input: "
            f"{x}, batch_size: {batch_size}"
        )

    def _validate_or_infer_batch_size(self, batch_size: int | None, steps: int | None, x: Any) -> int | None:
        """The size of batches: what is given, that of the input layer, or 32; None where steps are counted or replicas divide."""
        if is_dataset(x):
            return None
        if steps is not None and batch_size is None and not has_symbolic_tensors(x):
            tf_logging.warning(
                "When passing input data as arrays, do not specify `steps_per_epoch`/`steps` argument. Please use "
                "`batch_size` instead."
            )
        static = next((shape[0] for shape in getattr(self, "_feed_input_shapes", None) or () if shape), None)
        if static is not None:
            if batch_size is not None and batch_size != static and not has_symbolic_tensors(x):
                raise ValueError(
                    f"The `batch_size` argument value {batch_size} is incompatible with the specified batch size of your "
                    f"Input Layer: {static}"
                )
            if steps is None:
                return static
        by_samples = steps is None and self._distribution_strategy is None
        return 32 if batch_size is None and by_samples else batch_size

    def _prepare_validation_data(
        self, validation_data: Any, batch_size: int | None, validation_steps: int | None
    ) -> tuple[Any, Any, Any] | None:
        """What is validated with, as lists of arrays."""
        if not _given(validation_data):
            return None
        x, y, weights = unpack_validation_data(validation_data)
        return self._standardize_user_data(
            x, y, sample_weight=weights, batch_size=batch_size, steps=validation_steps, steps_name="validation_steps"
        )


def _given(data: Any) -> bool:
    """Whether validation data is given; an array has no truth of its own."""
    return data is not None and not (isinstance(data, (list, tuple)) and not data) and not isinstance(data, Tensor)
