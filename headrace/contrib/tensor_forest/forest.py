"""The graphs of forests: training, predictions, and what is known of the trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.variables import VariableDeviceChooser
from headrace.contrib.tensor_forest.data_spec import (
    ParseDataTensorOrDict,
    ParseLabelTensorOrDict,
    TensorForestDataSpec,
)
from headrace.contrib.tensor_forest.forest_params import ForestHParams, build_params_proto
from headrace.contrib.tensor_forest.stats_variable import fertile_stats_variable
from headrace.contrib.tensor_forest.tree_variable import tree_variable
from headrace.core.collections import GraphKeys
from headrace.core.composite import SparseTensor
from headrace.core.defaults import control_dependencies, device, get_collection
from headrace.core.dtypes import float32, float64
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_mean, reduce_sum
from headrace.kernels.composing.arranging import stack
from headrace.kernels.composing.filling import zeros
from headrace.ops.array.gather import gather
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import where
from headrace.ops.flow.grouping import group
from headrace.ops.random.uniform import random_uniform
from headrace.state.variable_scope import get_variable
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.state.variables import Variable


def get_epoch_variable() -> Variable | list[int]:
    """The number of the epoch that an input pipeline of queues is in, or [0] where there is none."""
    for variable in get_collection(GraphKeys.LOCAL_VARIABLES):
        if variable.op.name.endswith("limit_epochs/epochs"):
            found: Variable = variable
            return found
    return [0]


class TreeVariables:
    """A tree and what is kept of its leaves.

    Args:
        params: the parameters of the forest.
        tree_num: the number of the tree.
        training: whether it is to grow.
        tree_config: the tree to begin with, as a serialized `Model`.
        tree_stat: what is kept of its leaves to begin with, as a serialized `FertileStats`.
    """

    def __init__(
        self, params: ForestHParams, tree_num: int, training: bool, tree_config: Any = "", tree_stat: Any = ""
    ) -> None:
        if "serialized_params_proto" not in params.values():
            params.serialized_params_proto = build_params_proto(params).SerializeToString()
        serialized = params.serialized_params_proto
        self.stats = (
            fertile_stats_variable(serialized, tree_stat, self.get_tree_name("stats", tree_num)) if training else None
        )
        self.tree = tree_variable(serialized, tree_config, self.stats, self.get_tree_name("tree", tree_num))

    def get_tree_name(self, name: str, num: int) -> str:
        """The name of a part of a tree."""
        return f"{name}-{num}"


class ForestVariables:
    """The trees of a forest, by their numbers.

    Args:
        params: the parameters of the forest.
        device_assigner: a device, or a function from operations to devices, as `tf.device` takes.
        training: whether trees are to grow.
        tree_variables_class: makes the variables of a tree.
        tree_configs: the trees to begin with.
        tree_stats: what is kept of their leaves to begin with.
    """

    def __init__(
        self,
        params: ForestHParams,
        device_assigner: Any,
        training: bool = True,
        tree_variables_class: type[TreeVariables] = TreeVariables,
        tree_configs: Sequence[Any] | None = None,
        tree_stats: Sequence[Any] | None = None,
    ) -> None:
        self.variables: list[TreeVariables] = []
        self.device_dummies: list[Variable] = []
        # The trees lie where these do, which a device function can tell from other variables by their type.
        with device(device_assigner):
            for number in range(params.num_trees):
                self.device_dummies.append(get_variable(name=f"device_dummy_{number}", shape=0))
        for number in range(params.num_trees):
            start = {}
            if tree_configs is not None:
                start["tree_config"] = tree_configs[number]
            if tree_stats is not None:
                start["tree_stat"] = tree_stats[number]
            with device(self.device_dummies[number].device):
                self.variables.append(tree_variables_class(params, number, training, **start))

    def __setitem__(self, t: int, val: TreeVariables) -> None:
        self.variables[t] = val

    def __getitem__(self, t: int) -> TreeVariables:
        return self.variables[t]


class RandomTreeGraphs:
    """The graphs of one tree.

    Args:
        variables: the tree.
        params: the parameters of the forest.
        tree_num: the number of the tree.
    """

    def __init__(self, variables: TreeVariables, params: ForestHParams, tree_num: int) -> None:
        self.variables, self.params, self.tree_num = variables, params, tree_num

    def _data(self, input_data: Any, sparse_features: SparseTensor | None) -> list[Any]:
        dense = zeros([0, 0], float32) if input_data is None else input_data
        if sparse_features is None:
            return [dense, [], [], []]
        return [dense, sparse_features.indices, sparse_features.values, sparse_features.dense_shape]

    def training_graph(
        self,
        input_data: Any,
        input_labels: Any,
        random_seed: int,
        data_spec: TensorForestDataSpec,
        sparse_features: SparseTensor | None = None,
        input_weights: Any = None,
    ) -> Operation:
        """The operation that takes a batch into account and splits leaves.

        Args:
            input_data: the dense matrix of features, or None.
            input_labels: the labels.
            random_seed: the seed of the features that candidates are of; another one in each step if 0.
            data_spec: the columns.
            sparse_features: the sparse features, or None.
            input_weights: a weight for each example, or None.
        """
        weights = [] if input_weights is None else input_weights
        data = self._data(input_data, sparse_features)
        spec = {"input_spec": data_spec.SerializeToString(), "params": self.params.serialized_params_proto}
        params = {"params": spec["params"]}
        tree, stats = self.variables.tree, self.variables.stats
        leaves = raw.TraverseTreeV4(tree, *data, **spec)
        update = raw.UpdateModelV4(tree, leaves, input_labels, weights, **params)
        finished = raw.ProcessInputV4(
            tree, stats, *data, input_labels, weights, leaves, random_seed=random_seed, **spec
        )
        with control_dependencies([update]):
            return raw.GrowTreeV4(tree, stats, finished, **params)

    def inference_graph(
        self, input_data: Any, data_spec: TensorForestDataSpec, sparse_features: SparseTensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """What the tree predicts: shares of classes or numbers; and the ways through it."""
        predictions, paths = raw.TreePredictionsV4(
            self.variables.tree,
            *self._data(input_data, sparse_features),
            input_spec=data_spec.SerializeToString(),
            params=self.params.serialized_params_proto,
        )
        return predictions, paths

    def size(self) -> Tensor:
        """How many nodes the tree has."""
        return raw.TreeSize(self.variables.tree)

    def feature_usage_counts(self) -> Tensor:
        """How many splits each feature has."""
        return raw.FeatureUsageCounts(self.variables.tree, params=self.params.serialized_params_proto)


class RandomForestGraphs:
    """The graphs of a forest.

    Args:
        params: filled parameters.
        tree_configs: the trees to begin with.
        tree_stats: what is kept of their leaves to begin with.
        device_assigner: a device, or a function from operations to devices; a `VariableDeviceChooser` by default.
        variables: the forest's variables, made if None.
        tree_variables_class: makes the variables of a tree.
        tree_graphs: makes the graphs of a tree.
        training: whether trees are to grow.

    Example:
        >>> from headrace.contrib.tensor_forest.python import tensor_forest
        >>> params = tensor_forest.ForestHParams(num_classes=2, num_features=2, num_trees=3).fill()
        >>> forest = tensor_forest.RandomForestGraphs(params)
        >>> train = forest.training_graph(tf.constant([[0.0, 1.0], [2.0, 0.0]]), tf.constant([0, 1]))
        >>> probabilities, paths, variances = forest.inference_graph(tf.constant([[0.0, 1.0]]))
    """

    def __init__(
        self,
        params: ForestHParams,
        tree_configs: Sequence[Any] | None = None,
        tree_stats: Sequence[Any] | None = None,
        device_assigner: Any = None,
        variables: ForestVariables | None = None,
        tree_variables_class: type[TreeVariables] = TreeVariables,
        tree_graphs: type[RandomTreeGraphs] | None = None,
        training: bool = True,
    ) -> None:
        self.params = params
        self.device_assigner = device_assigner or VariableDeviceChooser()
        tf_logging.info("Constructing forest with params = ")
        tf_logging.info(vars(params))
        self.variables = variables or ForestVariables(
            params, self.device_assigner, training, tree_variables_class, tree_configs, tree_stats
        )
        make = tree_graphs or RandomTreeGraphs
        self.trees = [make(self.variables[number], params, number) for number in range(params.num_trees)]

    def _bag_features(self, tree_num: int, input_data: Tensor) -> Tensor:
        """The columns that a tree sees."""
        return gather(input_data, (self.params.bagged_features or [])[tree_num], axis=1)

    def get_all_resource_handles(self) -> list[Tensor]:
        """The handles of all trees, and of what is kept of their leaves."""
        trees = [tree.variables.tree for tree in self.trees]
        return trees + [tree.variables.stats for tree in self.trees if tree.variables.stats is not None]

    def _on_device_of(self, number: int) -> Any:
        return device(self.variables.device_dummies[number].device)

    def training_graph(
        self, input_data: Any, input_labels: Any, num_trainers: int = 1, trainer_id: int = 0, **tree_kwargs: Any
    ) -> Operation:
        """The operation of a training step.

        Args:
            input_data: a tensor of features, or a dict of such.
            input_labels: the labels.
            num_trainers: among how many workers the trees are shared.
            trainer_id: which of them this is.
            **tree_kwargs: further arguments of the graphs of trees.
        """
        dense, sparse, spec = ParseDataTensorOrDict(input_data)
        labels = ParseLabelTensorOrDict(input_labels)
        steps = []
        per_trainer = self.params.num_trees / num_trainers
        for number in range(int(trainer_id * per_trainer), int((trainer_id + 1) * per_trainer)):
            with self._on_device_of(number):
                seed = self.params.base_random_seed
                seed += number if seed else 0
                rows, tree_labels = dense, labels
                if self.params.bagging_fraction < 1.0:
                    rows, tree_labels = self._bagged(rows, labels, sparse, seed)
                steps.append(
                    self.trees[number].training_graph(
                        self._rows_of(number, rows, sparse),
                        tree_labels,
                        seed,
                        data_spec=spec,
                        sparse_features=sparse,
                        **tree_kwargs,
                    )
                )
        return group(*steps, name="train")

    def _rows_of(self, number: int, dense: Any, sparse: SparseTensor | None) -> Any:
        """The columns that a tree sees.

        Raises:
            NotImplementedError: for sparse features.
        """
        if not self.params.bagged_features:
            return dense
        if sparse is not None:
            raise NotImplementedError(
                "Feature bagging does not support sparse features: use feature_bagging_fraction=1."
            )
        return self._bag_features(number, dense)

    def _bagged(self, dense: Any, labels: Tensor, sparse: SparseTensor | None, seed: int) -> tuple[Tensor, Tensor]:
        """The examples that a tree sees: a share of them, drawn without replacement.

        Weights stay as they are: as in 1.15, the first of them are those of the examples that are drawn.

        Raises:
            NotImplementedError: for sparse features.
        """
        if sparse is not None:
            raise NotImplementedError("Bagging does not support sparse features: use bagging_fraction=1.")
        draws = random_uniform(raw.Slice(raw.Shape(dense), [0], [1]), seed=seed)
        chosen = reshape(where(raw.Less(draws, self.params.bagging_fraction)), [-1])
        return gather(dense, chosen), gather(labels, chosen)

    def inference_graph(self, input_data: Any, **inference_args: Any) -> tuple[Tensor, Tensor, Tensor]:
        """What the forest predicts.

        Args:
            input_data: a tensor of features, or a dict of such.
            **inference_args: further arguments of the graphs of trees.

        Returns:
            the means over the trees, of shape [examples, outputs]; the ways through each tree, of shape [examples, trees],
            as serialized `TreePath`s; and the variances over the trees.
        """
        dense, sparse, spec = ParseDataTensorOrDict(input_data)
        found, paths = [], []
        for number, tree in enumerate(self.trees):
            with self._on_device_of(number):
                rows = self._rows_of(number, dense, sparse)
                predictions, way = tree.inference_graph(rows, spec, sparse_features=sparse, **inference_args)
                found.append(predictions)
                paths.append(way)
        with self._on_device_of(0):
            together = stack(found)
            count = float(self.params.num_trees)
            means = raw.RealDiv(reduce_sum(together, axis=0), count, name="probabilities")
            squares = raw.RealDiv(reduce_sum(raw.Mul(together, together), axis=0), count)
            variances = raw.Maximum(0.0, raw.Sub(squares, raw.Mul(means, means)))
            return means, stack(paths, axis=1), variances

    def average_size(self) -> Tensor:
        """How many nodes a tree has, in the mean."""
        return reduce_mean(raw.Cast(stack([tree.size() for tree in self.trees]), DstT=float32))

    def training_loss(self, features: Any, labels: Any, name: str = "training_loss") -> Tensor:
        """What training makes less: the negative mean size of the trees; it does not depend on the batch."""
        del features, labels
        return raw.Neg(self.average_size(), name=name)

    def validation_loss(self, features: Any, labels: Any) -> Tensor:
        """The negative mean size of the trees."""
        del features, labels
        return raw.Neg(self.average_size())

    def average_impurity(self) -> Tensor:
        """The mean impurity of the leaves, which trees of this kind do not know.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("Trees do not know their impurity: use average_size() or feature_importances().")

    def feature_importances(self) -> Tensor:
        """The share of the splits that each feature has."""
        counts = [tree.feature_usage_counts() for tree in self.trees]
        total = raw.Cast(reduce_sum(stack(counts), axis=0), DstT=float64)
        return raw.RealDiv(total, reduce_sum(total))
