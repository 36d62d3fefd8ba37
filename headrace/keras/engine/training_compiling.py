"""What `compile` sets up: the targets of a model, weights of samples, the metrics and the total loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.defaults import name_scope
from headrace.keras.engine.training_endpoints import TrainingEndpoint
from headrace.keras.engine.training_input_checks import check_keys, is_tensor
from headrace.keras.engine.training_losses import (
    output_loss_of,
    prepare_loss_functions,
    prepare_loss_weights,
    with_layer_losses,
)
from headrace.keras.engine.training_metrics import call_metric_function, collect_per_output_metric_info
from headrace.keras.engine.training_weights import prepare_sample_weight_modes
from headrace.keras.metrics.means import Mean
from headrace.layers.context import get_graph
from headrace.layers.values import of_graph

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike

    # What `compile` takes where outputs may differ: one thing for all, or a list or dict by outputs.
    PerOutput = Mapping[str, Any] | Sequence[Any] | None


class Compiling:
    """The part of `Model` that compiles it."""

    if TYPE_CHECKING:
        name: Any
        inputs: Any
        outputs: Any
        output_names: list[str]
        optimizer: Any
        loss: Any
        loss_weights: Any
        sample_weight_mode: Any
        run_eagerly: Any
        _distribution_strategy: Any
        _is_compiled: bool
        _is_graph_network: bool
        _training_endpoints: list[TrainingEndpoint]
        _compile_metric_functions: list[Any]
        _compile_metrics: Any
        _compile_weighted_metrics: Any
        losses: list[Any]

        @property
        def metrics_names(self) -> list[str]: ...

        _unique_trainable_weights: list[Any]

        def _set_untracked(self, **attributes: Any) -> None: ...
        def get_losses_for(self, inputs: Any) -> list[Any]: ...

    # ---- what it sets up, in order ----

    def _make_endpoints(self) -> None:
        """The outputs with their losses and the factors of these."""
        self.loss_functions = prepare_loss_functions(self.loss, self.output_names)
        self._training_endpoints = [
            TrainingEndpoint(output, name, loss)
            for output, name, loss in zip(self.outputs, self.output_names, self.loss_functions)
        ]
        prepare_loss_weights(self._training_endpoints, self.loss_weights)

    def _compile_eagerly(self, metrics: Any, weighted_metrics: Any, sample_weight_mode: Any) -> None:
        """Sets up a model whose batches are run eagerly: there are no placeholders and no total loss.

        Raises:
            ValueError: if nothing has a loss, and the batches are run by functions.
        """
        for endpoint in self._training_endpoints:
            endpoint.create_training_target(None, run_eagerly=True)
        prepare_sample_weight_modes(self._training_endpoints, sample_weight_mode)
        self._prepare_sample_weights()
        self._cache_output_metric_attributes(metrics, weighted_metrics)
        self.total_loss = None
        self._set_metric_attributes()
        skipped = all(endpoint.should_skip_target() for endpoint in self._training_endpoints)
        if skipped and self._is_graph_network and not self.run_eagerly and not self.losses:
            raise ValueError("The model cannot be compiled because it has no loss to optimize.")

    def _compile_in_graph(
        self, metrics: Any, weighted_metrics: Any, sample_weight_mode: Any, target_tensors: Any
    ) -> None:
        """Sets up a model with placeholders, metrics and the total loss."""
        targets = self._process_target_tensor_for_compile(target_tensors)
        with get_graph().as_default() as graph:
            of_graph(graph).strategy = self._distribution_strategy
            for target, endpoint in zip(targets, self._training_endpoints):
                endpoint.create_training_target(target)
            self._cache_output_metric_attributes(metrics, weighted_metrics)
            self._set_metric_attributes()
            if self._distribution_strategy is None:
                self._handle_metrics(
                    self.outputs,
                    targets=self._targets,
                    skip_target_masks=self._prepare_skip_target_masks(),
                    masks=self._prepare_output_masks(),
                )
            prepare_sample_weight_modes(self._training_endpoints, sample_weight_mode)
            self._compile_weights_loss_and_weighted_metrics()

    def _process_target_tensor_for_compile(self, target_tensors: Any) -> list[Any]:
        """The tensor given as the target of each output, None for those that have none."""
        if target_tensors is None or (isinstance(target_tensors, (list, tuple)) and not target_tensors):
            return [None for _ in self.output_names]
        if isinstance(target_tensors, Mapping):
            check_keys(target_tensors, self.output_names, "target_tensors")
            return [target_tensors.get(name) for name in self.output_names]
        if is_tensor(target_tensors):
            target_tensors = [target_tensors]
        if not isinstance(target_tensors, (list, tuple)):
            raise TypeError(
                f"Expected `target_tensors` to be a list or tuple or dict or a single tensor, but got: {target_tensors}"
            )
        if len(target_tensors) != len(self.outputs):
            raise ValueError(
                "When passing a list as `target_tensors`, it should have one entry per model output. The model has "
                f"{len(self.outputs)} outputs, but you passed target_tensors={target_tensors}"
            )
        return list(target_tensors)

    def _compile_weights_loss_and_weighted_metrics(self, sample_weights: Any = None) -> None:
        """Makes what depends on the weights of samples."""
        with get_graph().as_default():
            if sample_weights is not None:
                self._update_sample_weight_modes(sample_weights)
            self._prepare_sample_weights(sample_weights)
            if self._distribution_strategy is not None:
                # Each replica computes the loss and the metrics of its part of a batch, in the functions of batches.
                return
            masks = self._prepare_output_masks()
            self._handle_metrics(
                self.outputs,
                targets=self._targets,
                skip_target_masks=self._prepare_skip_target_masks(),
                sample_weights=self.sample_weights,
                masks=masks,
                return_weighted_metrics=True,
            )
            self.total_loss = self._prepare_total_loss(masks)

    def _recompile_weights_loss_and_weighted_metrics(self) -> bool:
        """Makes what depends on the weights of samples again where they have come or gone.

        Returns:
            whether that was so.
        """
        if not self._is_compiled:
            return False
        changed = any(
            endpoint.sample_weights_mismatch()
            for endpoint in self._training_endpoints
            if not endpoint.should_skip_target_weights()
        )
        if changed:
            # Functions made before take other weights.
            self._set_untracked(train_function=None, test_function=None)
            self._compile_weights_loss_and_weighted_metrics()
        return changed

    def _update_sample_weight_modes(self, sample_weights: Any = None) -> None:
        """Notes which outputs are given weights now."""
        if not self._is_compiled:
            return
        if sample_weights and any(weight is not None for weight in sample_weights):
            for endpoint in self._training_endpoints:
                endpoint.sample_weight_mode = endpoint.sample_weight_mode or "samplewise"
        else:
            for endpoint in self._training_endpoints:
                endpoint.sample_weight_mode = None

    def _prepare_sample_weights(self, sample_weights: Any = None) -> None:
        given = [None] * len(self._training_endpoints) if sample_weights is None else sample_weights
        if len(given) != len(self._training_endpoints):
            raise ValueError(
                "Provided sample weights must have same length as the number of outputs. "
                f"Expected: {len(self._training_endpoints)}, got: {len(given)}."
            )
        for endpoint, weight in zip(self._training_endpoints, given):
            endpoint.populate_sample_weight(weight, endpoint.sample_weight_mode)

    # ---- masks ----

    def _prepare_skip_target_masks(self) -> list[bool]:
        return [endpoint.should_skip_target() for endpoint in self._training_endpoints]

    def _prepare_output_masks(self) -> list[Any]:
        return [getattr(output, "_keras_mask", None) for output in self.outputs]

    # ---- the total loss ----

    def _prepare_total_loss(self, masks: Sequence[Any]) -> Any:
        """The weighted sum of the losses of the outputs, and what layers add."""
        total = None
        with name_scope("loss"):
            for endpoint, mask in zip(self._training_endpoints, masks):
                if endpoint.should_skip_target():
                    continue
                with name_scope(endpoint.loss_name):
                    shown, loss = output_loss_of(
                        endpoint.loss_fn, endpoint.target, endpoint.output, endpoint.sample_weight, mask
                    )
                if len(self.outputs) > 1:
                    endpoint.output_loss_metric(shown)
                weighted = endpoint.loss_weight * loss
                total = weighted if total is None else total + weighted
            if total is None and not self.losses:
                raise ValueError("The model cannot be compiled because it has no loss to optimize.")
            added = [*self.get_losses_for(None), *self.get_losses_for(self.inputs)]
            return with_layer_losses(total, added)

    # ---- metrics ----

    def _init_metric_attributes(self) -> None:
        """Forgets the metrics of an earlier `compile`."""
        self._compile_metric_functions = []

    def _cache_output_metric_attributes(self, metrics: Any, weighted_metrics: Any) -> None:
        """The metrics of each output, as objects by name."""
        shapes = []
        for output in self.outputs or ():
            dims = None if output is None or output.shape.ndims is None else output.shape.as_list()
            shapes.append(dims)
        functions = [endpoint.loss_fn for endpoint in self._training_endpoints]
        self._per_output_metrics = collect_per_output_metric_info(metrics, self.output_names, shapes, functions)
        self._per_output_weighted_metrics = collect_per_output_metric_info(
            weighted_metrics, self.output_names, shapes, functions, is_weighted=True
        )

    def _add_unique_metric_name(self, metric_name: str, output_index: int) -> str:
        """The name that no metric has yet, with that of the output where there are several."""
        if len(self.output_names) > 1:
            metric_name = f"{self.output_names[output_index]}_{metric_name}"
        name, number = metric_name, 1
        while name in self.metrics_names:
            name = f"{metric_name}_{number}"
            number += 1
        return name

    def _set_per_output_metric_attributes(self, metrics_dict: dict[str, Any], output_index: int) -> dict[str, Any]:
        named: dict[str, Any] = {}
        for name, metric in metrics_dict.items():
            name = self._add_unique_metric_name(name, output_index)
            metric._name = name
            named[name] = metric
            self._compile_metric_functions.append(metric)
        return named

    def _set_metric_attributes(self) -> None:
        """Names the metrics of all outputs, and makes those that average losses where there are several."""
        plain, weighted = [], []
        for i, endpoint in enumerate(self._training_endpoints):
            if endpoint.should_skip_target():
                plain.append(self._per_output_metrics[i])
                weighted.append(self._per_output_weighted_metrics[i])
                continue
            plain.append(self._set_per_output_metric_attributes(self._per_output_metrics[i], i))
            weighted.append(self._set_per_output_metric_attributes(self._per_output_weighted_metrics[i], i))
        if len(self._training_endpoints) > 1:
            for endpoint in self._training_endpoints:
                if not endpoint.should_skip_target():
                    endpoint.output_loss_metric = Mean(name=endpoint.loss_name)
        self._per_output_metrics = plain
        self._per_output_weighted_metrics = weighted

    def _handle_per_output_metrics(
        self, metrics_dict: dict[str, Any], y_true: Any, y_pred: Any, mask: Any, weights: Any = None
    ) -> list[Any]:
        results = []
        for name, metric in metrics_dict.items():
            with name_scope(name):
                results.append(call_metric_function(metric, y_true, y_pred, weights=weights, mask=mask))
        return results

    def _handle_metrics(
        self,
        outputs: Sequence[TensorLike],
        targets: Sequence[Any] | None = None,
        skip_target_masks: Sequence[bool] | None = None,
        sample_weights: Sequence[Any] | None = None,
        masks: Sequence[Any] | None = None,
        return_weighted_metrics: bool = False,
        return_weighted_and_unweighted_metrics: bool = False,
    ) -> list[Any]:
        """Gives the metrics of all outputs a batch.

        Args:
            outputs, targets, sample_weights, masks: of the batch.
            skip_target_masks: which outputs have no target.
            return_weighted_metrics: whether those that weigh samples are meant rather than the others.
            return_weighted_and_unweighted_metrics: whether both are.

        Returns:
            their values.
        """
        count = len(outputs)
        skipped = skip_target_masks or [False] * count
        targets, masks = targets or [None] * count, masks or [None] * count
        sample_weights = sample_weights or [None] * count
        both, weighted_only = return_weighted_and_unweighted_metrics, return_weighted_metrics
        results: list[Any] = []
        with name_scope("metrics"):
            for i in range(count):
                if skipped[i]:
                    continue
                if both or not weighted_only:
                    results.extend(
                        self._handle_per_output_metrics(self._per_output_metrics[i], targets[i], outputs[i], masks[i])
                    )
                if both or weighted_only:
                    results.extend(
                        self._handle_per_output_metrics(
                            self._per_output_weighted_metrics[i], targets[i], outputs[i], masks[i], sample_weights[i]
                        )
                    )
        return results

    # ---- what is fed ----

    @property
    def _targets(self) -> list[Any]:
        return [endpoint.target for endpoint in self._training_endpoints if endpoint.has_training_target()]

    @property
    def _feed_targets(self) -> list[Any]:
        return [endpoint.target for endpoint in self._fed_endpoints()]

    def _fed_endpoints(self) -> list[TrainingEndpoint]:
        return [endpoint for endpoint in self._training_endpoints if endpoint.has_feedable_training_target()]

    @property
    def _feed_output_names(self) -> list[str]:
        return [endpoint.output_name for endpoint in self._fed_endpoints()]

    @property
    def _feed_output_shapes(self) -> list[Any]:
        return [endpoint.feed_output_shape for endpoint in self._fed_endpoints()]

    @property
    def _feed_loss_fns(self) -> list[Any]:
        return [endpoint.loss_fn for endpoint in self._fed_endpoints()]

    @property
    def sample_weights(self) -> list[Any]:
        """The tensors of the weights of samples, None for outputs that have none."""
        return [endpoint.sample_weight for endpoint in self._training_endpoints]

    @property
    def _sample_weight_modes(self) -> list[Any]:
        return [endpoint.sample_weight_mode for endpoint in self._training_endpoints]

    @property
    def _feed_sample_weights(self) -> list[Any]:
        return [endpoint.sample_weight for endpoint in self._training_endpoints if endpoint.sample_weight is not None]

    @property
    def _loss_weights_list(self) -> list[Any]:
        return [endpoint.loss_weight for endpoint in self._training_endpoints]

    @property
    def _output_loss_metrics(self) -> list[Any]:
        return [e.output_loss_metric for e in self._training_endpoints if e.output_loss_metric is not None]

    def _all_training_metrics(self) -> list[Any]:
        """The metrics of all batches: those that average the losses of outputs, then all others."""
        return [*self._output_loss_metrics, *nest.flatten(getattr(self, "metrics", []))]
