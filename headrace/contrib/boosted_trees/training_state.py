"""How far the growing of trees is, over the batches of a layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.boosted_trees.split_handler import BaseSplitHandler
from headrace.contrib.boosted_trees.stats_accumulator import StatsAccumulator

if TYPE_CHECKING:
    from headrace.state.variable_class import Variable

# The keys of the dict of predictions.
ENSEMBLE_STAMP = "ensemble_stamp"
PREDICTIONS = "predictions"
PARTITION_IDS = "partition_ids"
NUM_LAYERS_ATTEMPTED = "num_layers"
NUM_TREES_ATTEMPTED = "num_trees"
NUM_USED_HANDLERS = "num_used_handlers"
USED_HANDLERS_MASK = "used_handlers_mask"
LEAF_INDEX = "leaf_index"


class GBDTTrainingState:
    """The variables and sums of a training.

    Args:
        num_layer_examples, num_layer_steps: how many examples and batches the layer has had.
        num_layers: how many layers have been grown.
        active_tree, active_layer: which tree grows, and how many layers of it there are.
        continue_centering: whether the bias is still being centred.
        bias_stats_accumulator: sums for the bias.
        steps_accumulator: sums of examples and batches.
        handlers: what finds the splits of each feature.
    """

    def __init__(
        self,
        num_layer_examples: Variable,
        num_layer_steps: Variable,
        num_layers: Variable,
        active_tree: Variable,
        active_layer: Variable,
        continue_centering: Variable,
        bias_stats_accumulator: StatsAccumulator,
        steps_accumulator: StatsAccumulator,
        handlers: Sequence[BaseSplitHandler],
    ) -> None:
        self.num_layer_examples, self.num_layer_steps = num_layer_examples, num_layer_steps
        self.num_layers, self.active_tree, self.active_layer = num_layers, active_tree, active_layer
        self.continue_centering = continue_centering
        self.bias_stats_accumulator, self.steps_accumulator = bias_stats_accumulator, steps_accumulator
        self.handlers = list(handlers)

    def flushes(self, stamp: Any, following: Any, center_bias: bool) -> list[Any]:
        """Operations that forget all sums, those for the bias too if it is centred, and begin the next round."""
        found: list[Any] = list(self.steps_accumulator.flush(stamp, following))
        if center_bias:
            found.extend(self.bias_stats_accumulator.flush(stamp, following))
        for handler in self.handlers:
            found.extend(handler.reset(stamp, following))
        return found
