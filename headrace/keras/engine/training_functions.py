"""The functions that a compiled model trains, tests and predicts with: each is one step of a session a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from headrace.core.defaults import name_scope
from headrace.core.eager import executing_eagerly
from headrace.core.tensor import Tensor
from headrace.keras.backend.execution import GraphExecutionFunction, function
from headrace.keras.backend.learning import symbolic_learning_phase
from headrace.keras.engine import training_replicas
from headrace.keras.engine.training_input_checks import refuse_several_optimizers
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2
from headrace.layers.context import get_graph
from headrace.util import tf_logging

if TYPE_CHECKING:
    from collections.abc import Callable

    from headrace.keras.engine.training import Model

    # What takes the arrays of a batch and gives the loss and metrics, or the outputs.
    Step = Callable[[list[Any]], Any]


class Functions:
    """The part of `Model` that makes its functions, each at its first use."""

    if TYPE_CHECKING:
        inputs: Any
        outputs: Any
        optimizer: Any
        total_loss: Any
        _unique_trainable_weights: list[Any]
        _feed_inputs: list[Any]

        @property
        def _feed_targets(self) -> list[Any]: ...
        @property
        def _feed_sample_weights(self) -> list[Any]: ...

        _distribution_strategy: Any
        _function_kwargs: dict[str, Any]
        _collected_trainable_weights: list[Any]
        train_function: Any
        test_function: Any
        predict_function: Any

        def _all_training_metrics(self) -> list[Any]: ...
        def get_updates_for(self, inputs: Any) -> list[Any]: ...
        def _assert_compile_was_called(self) -> None: ...
        def _recompile_weights_loss_and_weighted_metrics(self) -> bool: ...

    def _check_trainable_weights_consistency(self) -> None:
        """Says so where `trainable` was changed after `compile`, which then has no effect."""
        collected = getattr(self, "_collected_trainable_weights", None)
        if collected is not None and len(self._unique_trainable_weights) != len(collected):
            tf_logging.log_first_n(
                tf_logging.WARN,
                "Discrepancy between trainable weights and collected trainable weights, did you set `model.trainable` "
                "without calling `model.compile` after ?",
                1,
            )

    def _fed(self, mode: str) -> list[Any]:
        """The tensors that a batch is fed to; in training the learning phase is the last, where it is a tensor."""
        fed = [*self._feed_inputs]
        if mode != "predict":
            fed += [*self._feed_targets, *self._feed_sample_weights]
        phase = symbolic_learning_phase()
        if mode == "train" and isinstance(phase, Tensor):
            fed.append(phase)
        return fed

    def _metrics_results(self) -> list[Any]:
        """The values of the metrics after a batch; each waits for the operation that gives the metric the batch."""
        return [metric._call_result for metric in self._all_training_metrics() if hasattr(metric, "_call_result")]

    def _optimizer_updates(self) -> list[Any]:
        """The operations of a training step; models whose parts have optimizers of their own have others."""
        if self.total_loss is None:
            raise ValueError(
                "The model was compiled while executing eagerly, and has no loss in this graph: call `fit` outside of "
                "tf.function, or compile the model where it is trained."
            )
        refuse_several_optimizers(self.optimizer)
        # Variables frozen since `compile` are trained all the same, and those let go are not.
        return self.optimizer.get_updates(params=self._collected_trainable_weights, loss=self.total_loss)

    def _make_train_function(self) -> None:
        changed = self._recompile_weights_loss_and_weighted_metrics()
        self._check_trainable_weights_consistency()
        if getattr(self, "train_function", None) is not None and not changed:
            return
        if self._distribution_strategy is not None:
            self._set_function("train_function", training_replicas.function_of(cast("Model", self), "train"))
            return
        trainable = self.trainable
        with get_graph().as_default(), name_scope("training"):
            updates = self._optimizer_updates()
            updates = [*updates, *self.get_updates_for(None), *self.get_updates_for(self.inputs)]
        # A scope of its own, as in 1.15: slots of the next model are named after the number of scopes.
        with get_graph().as_default(), name_scope("training"):
            made = function(
                self._fed("train"),
                [self.total_loss, *self._metrics_results()],
                updates=updates,
                name="train_function",
                **self._function_kwargs,
            )
        self._set_function("train_function", made)
        assert trainable == self.trainable

    def _make_optimizer_weights(self) -> None:
        """Makes what the optimizer keeps of the weights, as the first step of training does."""
        if not executing_eagerly():
            self._make_train_function()
        elif isinstance(self.optimizer, OptimizerV2):
            with name_scope("training"), name_scope(self.optimizer._name):
                self.optimizer._create_all_weights(self._collected_trainable_weights)

    def _make_test_function(self) -> None:
        changed = self._recompile_weights_loss_and_weighted_metrics()
        if getattr(self, "test_function", None) is not None and not changed:
            return
        if self._distribution_strategy is not None:
            self._set_function("test_function", training_replicas.function_of(cast("Model", self), "test"))
            return
        with get_graph().as_default(), name_scope("evaluation"):
            made = function(
                self._fed("test"),
                [self.total_loss, *self._metrics_results()],
                updates=self.state_updates,
                name="test_function",
                **self._function_kwargs,
            )
            if isinstance(made, GraphExecutionFunction):
                made.know_default_phase(symbolic_learning_phase())
        self._set_function("test_function", made)

    def _make_predict_function(self) -> None:
        if getattr(self, "predict_function", None) is not None:
            return
        if self._distribution_strategy is not None:
            self._set_function("predict_function", training_replicas.function_of(cast("Model", self), "predict"))
            return
        kwargs = getattr(self, "_function_kwargs", {})
        with name_scope("predict"):
            made = function(
                self._fed("predict"), self.outputs, updates=self.state_updates, name="predict_function", **kwargs
            )
            if isinstance(made, GraphExecutionFunction):
                made.know_default_phase(symbolic_learning_phase())
        self._set_function("predict_function", made)

    if TYPE_CHECKING:
        state_updates: list[Any]
        trainable: bool

    def _set_function(self, name: str, made: Any) -> None:
        # Not an attribute that a model looks through for layers.
        object.__setattr__(self, name, made)

    def _make_execution_function(self, mode: str) -> Any:
        """The function for batches of a mode: "train", "test" or "predict"."""
        if mode == "train":
            self._make_train_function()
            return self.train_function
        if mode == "test":
            self._make_test_function()
            return self.test_function
        self._make_predict_function()
        return self.predict_function
