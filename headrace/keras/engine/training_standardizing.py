"""What `fit` and its like are given, made lists of arrays in the order of a model's inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest
from headrace.core.composite import SparseTensor
from headrace.core.errors import InvalidArgumentError
from headrace.core.tensor import Tensor
from headrace.data.dataset_base import DatasetBase
from headrace.keras.backend.learning import symbolic_learning_phase
from headrace.keras.backend.variables import is_placeholder
from headrace.keras.engine import training_dataset_kinds, training_datasets
from headrace.keras.engine.training_input_checks import (
    check_array_lengths,
    check_loss_and_target_compatibility,
    check_steps_argument,
    is_composite,
    is_tensor,
    standardize_class_weights,
    standardize_input_data,
    standardize_sample_weights,
)
from headrace.keras.engine.training_model_inputs import ModelInputs, generic_output_names
from headrace.keras.engine.training_weights import standardize_weights
from headrace.kernels import composing
from headrace.layers.context import get_graph
from headrace.state.scoping import makes_eager_variables
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.keras.engine.training_endpoints import TrainingEndpoint


def _without_surplus(x: Any, names: Sequence[str]) -> Any:
    """The arrays for inputs that there are: those after them are left out, as 1.x does not look at them."""
    if not isinstance(x, (list, tuple)) or not 0 < len(names) < len(x) or not all(hasattr(a, "shape") for a in x):
        return x
    # Once: batches come one by one, too.
    tf_logging.log_first_n(
        tf_logging.WARN,
        f"The model has {len(names)} inputs {list(names)} and is given {len(x)} arrays: those after the first "
        f"{len(names)} are not used.",
        1,
    )
    return list(x[: len(names)])


def _refused_in_a_step(text: str) -> InvalidArgumentError:
    """The error for data of another shape under a strategy: 1.15 does not look at it there, and an operation refuses it."""
    return InvalidArgumentError(None, None, text)


class Standardizing:
    """The part of `Model` that takes in data, and makes a model of unknown inputs for the first that come."""

    # Whether each epoch shuffles the order of the one before, as those of stand-alone Keras do.
    _goes_on_shuffling = False

    if TYPE_CHECKING:
        inputs: Any
        outputs: Any
        built: bool
        optimizer: Any
        loss: Any
        loss_weights: Any
        run_eagerly: Any
        stateful: bool
        sample_weight_mode: Any
        input_names: list[str]
        output_names: list[str]
        _compile_metrics: Any
        _compile_weighted_metrics: Any
        _expects_training_arg: bool
        _is_graph_network: bool
        _is_compiled: bool
        _feed_input_names: list[str]
        _feed_input_shapes: list[Any]
        _feed_inputs: list[Any]
        _distribution_strategy: Any

        @property
        def _feed_output_names(self) -> list[str]: ...
        @property
        def _feed_output_shapes(self) -> list[Any]: ...
        @property
        def _feed_loss_fns(self) -> list[Any]: ...

        _function_kwargs: dict[str, Any]

        @property
        def _sample_weight_modes(self) -> list[Any]: ...

        _training_endpoints: list[TrainingEndpoint]

        def _fed_endpoints(self) -> list[TrainingEndpoint]: ...
        def compile(self, *args: Any, **kwargs: Any) -> None: ...
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def _standardize_user_data(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        batch_size: int | None = None,
        check_steps: bool = False,
        steps_name: str = "steps",
        steps: int | None = None,
        validation_split: float | None = 0,
        shuffle: bool | str = False,
        extract_tensors_from_dataset: bool = False,
    ) -> tuple[list[Any], list[Any], list[Any]]:
        """Data as lists of arrays for the inputs, the targets and the weights of samples.

        Args:
            x, y, sample_weight, class_weight: as of `fit`.
            batch_size: where it is set, a stateful model's samples must be a multiple of it.
            check_steps: whether `steps` must be given for data whose length is not known.
            steps_name, steps: the name and value of that argument.
            validation_split: the share of samples kept for validation.
            shuffle: whether a dataset that is surely not shuffled is warned of; the loops shuffle arrays.
            extract_tensors_from_dataset: whether a dataset becomes the tensors of its next element.

        Returns:
            (inputs, targets, weights); a dataset comes back as it is, with None for the others.

        Raises:
            ValueError: if the data does not fit the model.
        """
        if isinstance(x, DatasetBase):
            training_datasets.validate_dataset_input(x, y, sample_weight, validation_split)
            if shuffle:
                training_dataset_kinds.verify_dataset_shuffled(x)
            if not extract_tensors_from_dataset:
                return x, None, None  # type: ignore[return-value]  # a dataset has no lists
            x, y, sample_weight = training_datasets.extract_tensors_from_dataset(x)
        elif check_steps:
            check_steps_argument(x, steps, steps_name)
        if not self.inputs:
            x = self._build_model_with_inputs(x, y)
        elif isinstance(x, dict) and not self._is_graph_network and not isinstance(self.inputs, dict):
            x = [x[name] for name in self.input_names] if set(self.input_names) <= set(x) else x
        # A model of a SavedModel that was loaded with compile=False has the optimizer that it was saved with, and no loss: it
        # predicts, and fails to be trained as in 1.15.
        if not self._is_compiled and self.optimizer is not None and (y is not None or hasattr(self, "loss")):
            self._compile_from_inputs()
        return self._standardize_tensors(x, y, sample_weight, class_weight, batch_size, steps)

    def _standardize_tensors(
        self, x: Any, y: Any, sample_weight: Any, class_weight: Any, batch_size: int | None, steps: int | None = None
    ) -> tuple[list[Any], list[Any], list[Any]]:
        shapes = self._feed_input_shapes if self._is_graph_network else None
        names = self._feed_input_names
        divided = self._distribution_strategy is not None and not makes_eager_variables()
        if self._distribution_strategy is None and not self.run_eagerly:
            x = _without_surplus(x, names)
        x = standardize_input_data(
            x, names, shapes, False, exception_prefix="input", refusal=_refused_in_a_step if divided else ValueError
        )
        if makes_eager_variables():
            if x and all(part is None for part in x):
                raise ValueError("The model needs data for its inputs, but `x` is None.")
            x = [_of_matrix(*pair) if hasattr(pair[0], "tocoo") else pair[0] for pair in zip(x, self._feed_inputs)]
        if y is None:
            return x, [], []
        if self.run_eagerly and not makes_eager_variables():
            raise AssertionError(
                "compile(run_eagerly=...) needs eager execution: call tf.enable_eager_execution() first."
            )
        names = self._feed_output_names
        loss_fns, shapes = self._feed_loss_fns, self._feed_output_shapes
        # Targets are checked by their losses below, which say more.
        y = standardize_input_data(y, names, None, check_batch_axis=False, exception_prefix="target")
        sample_weights = standardize_sample_weights(sample_weight, names)
        class_weights = standardize_class_weights(class_weight, names)
        modes = [endpoint.sample_weight_mode for endpoint in self._fed_endpoints()]
        weights = [
            standardize_weights(target, weight, classes, mode)
            for target, weight, classes, mode in zip(y, sample_weights, class_weights, modes)
        ]
        check_array_lengths(x, y, weights)
        if self._is_graph_network and not self.run_eagerly and self._distribution_strategy is None:
            check_loss_and_target_compatibility(y, loss_fns, shapes)
        if not makes_eager_variables():
            fed = [endpoint.target for endpoint in self._fed_endpoints()] if self._is_compiled else []
            y = [_as_fed(*pair) for pair in zip(y, fed)] if fed else y
        if self.stateful and batch_size and not is_tensor(x[0]) and x[0].shape[0] % batch_size != 0:
            raise ValueError(
                "In a stateful network, you should only pass inputs with a number of samples that can be divided by the "
                f"batch size. Found: {x[0].shape[0]} samples"
            )
        return x, y, weights

    # ---- models that learn their inputs from data ----

    def _build_model_with_inputs(self, inputs: Any, targets: Any) -> Any:
        """Makes the inputs and outputs of a model for the first data that it sees.

        Returns:
            the inputs, in the order of the names that they have got.
        """
        if inputs is None:
            raise ValueError("The model has no inputs yet: it needs data to be made for, but `x` is None.")
        if isinstance(inputs, (list, tuple)):
            inputs = [np.asarray(v) if isinstance(v, (list, tuple)) else v for v in inputs]
            if inputs and np.isscalar(inputs[0]):
                inputs = np.asarray(inputs)
            elif len(inputs) == 1:
                inputs = inputs[0]
        elif type(inputs).__name__ in ("DataFrame", "Series"):
            inputs = inputs.values
        for value in nest.flatten(inputs):
            if is_composite(value) or hasattr(value, "tocoo"):
                raise ValueError(
                    "All SparseTensor and RaggedTensor inputs must be explicitly declared using a keras.Input() with "
                    f"sparse=True or ragged=True. We found an undeclared input {value}. For Sequential models, please add a "
                    "keras.Input() as your first Layer. For subclassed models, call self._set_inputs() with such inputs."
                )
        symbolic = nest.map_structure(_with_column, inputs)
        self._set_inputs(symbolic)
        return inputs

    def _compile_from_inputs(self) -> None:
        """Compiles a model that was waiting for its inputs."""
        self.compile(
            optimizer=self.optimizer,
            loss=self.loss,
            metrics=self._compile_metrics,
            weighted_metrics=self._compile_weighted_metrics,
            loss_weights=self.loss_weights,
            sample_weight_mode=self.sample_weight_mode,
            run_eagerly=self.run_eagerly,
            experimental_run_tf_function=self._experimental_run_tf_function,
            **self._function_kwargs,
        )

    if TYPE_CHECKING:
        _experimental_run_tf_function: bool
        _build_input_shape: Any

        @property
        def dynamic(self) -> bool: ...

    def _set_inputs(self, inputs: Any, outputs: Any = None, training: Any = None, as_given: bool = False) -> None:
        """Makes the inputs and outputs of a model that was made without.

        Args:
            inputs: arrays or tensors to make placeholders for; placeholders are taken themselves.
            outputs: what the model computes from them, if that is known.
            training: the argument of the call.
            as_given: whether other tensors of graphs are taken themselves, too.
        """
        inputs = self._set_input_attrs(inputs, as_given)
        if outputs is None:
            kwargs = {}
            if self._expects_training_arg:
                if training is None and not makes_eager_variables():
                    training = symbolic_learning_phase()
                if training is not None:
                    kwargs["training"] = training
            outputs = self._symbolic_outputs(inputs, kwargs)
        self._set_output_attrs(outputs)

    def _symbolic_outputs(self, inputs: Any, kwargs: dict[str, Any]) -> Any:
        try:
            with get_graph().as_default():
                return self(inputs, **kwargs)
        except NotImplementedError as error:
            if not self.dynamic:
                kind = AttributeError if self.optimizer is not None else TypeError
                raise kind(f"The outputs of the model {type(self).__name__} are not known: {error}") from error
            # What it gives is known only when it runs.
            return None

    def _set_input_attrs(self, inputs: Any, as_given: bool = False) -> Any:
        if self.inputs:
            raise ValueError("Model inputs are already set.")
        if type(self).__name__ == "Sequential" and not self.built:
            shape = (None,) if isinstance(inputs, Mapping) else (None, *_dims(inputs)[1:])
            self._build_input_shape = shape
        object.__setattr__(self, "_called_with_dict", isinstance(inputs, Mapping))
        model_inputs = ModelInputs(inputs, as_given)
        symbolic = model_inputs.get_symbolic_inputs()
        self.inputs = model_inputs.get_symbolic_inputs(return_single_as_list=True)
        self.input_names = model_inputs.get_input_names()
        fed = [(name, tensor) for name, tensor in model_inputs.as_dict() if is_placeholder(tensor)]
        self._feed_input_names = [name for name, _ in fed]
        self._feed_inputs = [tensor for _, tensor in fed]
        self._feed_input_shapes = [None if t.shape.ndims is None else tuple(_dims(t)) for _, t in fed]
        return symbolic

    def _set_output_attrs(self, outputs: Any) -> None:
        self.outputs = nest.flatten(outputs)
        self.output_names = generic_output_names(self.outputs)
        self.built = True


def _dims(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        raise ValueError(f"The model takes one array or tensor as its input, and got {len(value)} of them in a list.")
    shape = value.shape
    return list(shape) if isinstance(shape, tuple) else shape.as_list()


def _as_fed(target: Any, fed: Any) -> Any:
    """A target with an axis more where the placeholder has it: the numbers of classes of steps come without one."""
    rank, wanted = getattr(getattr(target, "shape", None), "ndims", None), fed.shape.ndims
    if isinstance(target, np.ndarray):
        return np.expand_dims(target, -1) if target.ndim + 1 == wanted else target
    if isinstance(target, Tensor) and rank is not None and wanted == rank + 1:
        return composing.expand_dims(target, -1)
    return target


def _of_matrix(matrix: Any, fed: Any) -> Any:
    """A sparse matrix of SciPy as what an input takes: a sparse tensor, or an array."""
    if not isinstance(fed, SparseTensor):
        return matrix.toarray()
    entries = matrix.tocoo()
    indices = np.stack([entries.row, entries.col], axis=1).astype(np.int64)
    return SparseTensor(indices, entries.data, entries.shape)


def _with_column(value: Any) -> Any:
    """A vector as a column, as it will be fed."""
    if type(value).__name__ in ("DataFrame", "Series"):
        value = value.values
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return value[:, None]
    if isinstance(value, Tensor) and not is_composite(value) and value.shape.ndims == 1:
        return value[:, None]
    return value
