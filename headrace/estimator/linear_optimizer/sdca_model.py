"""Linear models trained by stochastic dual coordinate ascent.

Shalev-Shwartz and Zhang, "Stochastic dual coordinate ascent methods for regularized loss minimization", arXiv:1209.1873.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies, device, name_scope
from headrace.core.dtypes import float32, float64, int32, int64
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.estimator.linear_optimizer.sharded_table import ShardedMutableDenseHashTable
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from headrace.functions.nn.loss_functions import log_poisson_loss
from headrace.kernels.composing import cast, expand_dims, ones_like, shape, stack, zeros_like
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arithmetic import range as range_
from headrace.kernels.composing.arranging import concat
from headrace.ops.array.dynamic import dynamic_partition, dynamic_stitch
from headrace.ops.array.gather import gather
from headrace.ops.array.split import split
from headrace.ops.array.unique import unique
from headrace.ops.array.where import where
from headrace.ops.flow.grouping import group
from headrace.ops.math.add_n import add_n
from headrace.state.partitioned import PartitionedVariable
from headrace.state.resource_variables import ResourceVariable
from headrace.state.updates import assign_add, scatter_add
from headrace.state.variables import Variable
from headrace.summary.operations import scalar

if TYPE_CHECKING:
    from headrace.core.registry import OpDecl
    from headrace.core.typing import TensorLike


_LOSSES = ("logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss")
_GROUPS = ("sparse_features_weights", "dense_features_weights")


class SdcaModel:
    """A linear model whose weights are trained by stochastic dual coordinate ascent.

    It keeps four numbers for each example it has seen, by the example's name, in a table.

    Args:
        examples: `sparse_features`, a list of `SparseFeatureColumn`; `dense_features`, a list of float32 tensors [n, size];
            `example_labels`, `example_weights`, float32 tensors [n]; `example_ids`, a string tensor [n].
        variables: `sparse_features_weights` and `dense_features_weights`, a list of float32 variables each, one for each
            feature; partitioned variables, or lists of their parts, as well.
        options: `loss_type`: "logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss" or "poisson_loss";
            `symmetric_l1_regularization`; `symmetric_l2_regularization`, of which at least 1 is used for training;
            `num_loss_partitions`, how many train at once (1 by default); `num_table_shards`, in how many parts the table
            is (1 by default); `adaptive`, whether examples are drawn by how much they can gain (True by default).

    Raises:
        ValueError: if something is missing, is no list, or a regularization is negative.

    Example:
        >>> examples = {
        ...     "sparse_features": [], "dense_features": [tf.constant([[1.0], [2.0]])],
        ...     "example_labels": [0.0, 1.0], "example_weights": [1.0, 1.0], "example_ids": ["a", "b"]}
        >>> variables = {"sparse_features_weights": [], "dense_features_weights": [tf.Variable([0.0])]}
        >>> options = {
        ...     "symmetric_l2_regularization": 1.0, "symmetric_l1_regularization": 0.0, "loss_type": "logistic_loss"}
        >>> model = tf.contrib.linear_optimizer.SdcaModel(examples, variables, options)
        >>> train = model.update_weights(model.minimize())
        >>> sess.run(tf.global_variables_initializer())
        >>> for _ in range(20):
        ...     sess.run(train)
        >>> float(sess.run(model.approximate_duality_gap())) < 0.01
        True
    """

    # What the L2 regularization is at least.
    _smallest_l2 = 1.0
    # What is added to the names of variables for those that hold the weights before small ones are set to zero.
    _slot_suffix = "_unshrinked/SDCAOptimizer"

    def __init__(self, examples: Mapping[str, Any], variables: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        if not examples or not variables or not options:
            raise ValueError("examples, variables and options must all be specified.")
        if options["loss_type"] not in _LOSSES:
            raise ValueError("Unsupported loss_type: ", options["loss_type"])
        _check_given(
            examples, ["example_labels", "example_weights", "example_ids", "sparse_features", "dense_features"]
        )
        _check_lists(examples, ["sparse_features", "dense_features"])
        _check_given(variables, _GROUPS)
        _check_lists(variables, _GROUPS)
        _check_given(options, ["loss_type", "symmetric_l2_regularization", "symmetric_l1_regularization"])
        for name in ("symmetric_l1_regularization", "symmetric_l2_regularization"):
            if options[name] < 0.0:
                raise ValueError(f"{name} should be non-negative. Found ({options[name]:f})")
        self._examples, self._variables, self._options = examples, variables, options
        # The weights before the l1 regularization has set small ones to zero.
        self._unshrunk = {kind: [self._slot(weights) for weights in variables[kind]] for kind in _GROUPS}
        shards = options.get("num_table_shards")
        self._table = ShardedMutableDenseHashTable(
            key_dtype=int64,
            value_dtype=float32,
            num_shards=1 if shards is None else shards,
            default_value=[0.0, 0.0, 0.0, 0.0],
            empty_key=[0, 0],
            deleted_key=[1, 1],
        )
        scalar("approximate_duality_gap", self.approximate_duality_gap())
        scalar("examples_seen", self._table.size())

    @property
    def _l2(self) -> float:
        return max(self._options["symmetric_l2_regularization"], self._smallest_l2)

    def _parts_of_weights(self) -> list[Any]:
        return [part for group in _GROUPS for weights in self._variables[group] for part in _parts(weights)]

    # ---- losses ----

    def _sum_over_weights(self, measure: OpDecl) -> Tensor:
        sums = []
        for part in self._parts_of_weights():
            weights = convert_to_tensor(part)
            with device(weights.device):
                sums.append(reduce_sum(measure(cast(weights, float64))))
        return add_n(sums)

    def _l1_loss(self) -> Tensor:
        with name_scope("sdca/l1_loss"):
            return self._options["symmetric_l1_regularization"] * self._sum_over_weights(raw.Abs)

    def _l2_loss(self, factor: float) -> Tensor:
        with name_scope("sdca/l2_loss"):
            return factor * self._sum_over_weights(raw.Square) / 2.0

    def _linear_predictions(self, examples: Mapping[str, Any]) -> Tensor:
        with name_scope("sdca/prediction"):
            sparse_sum: float = 0.0
            weights = _as_tensors(self._variables["sparse_features_weights"])
            for column, vector in zip(examples["sparse_features"], weights, strict=False):
                parts = raw.Mul(gather(vector, column.feature_indices), column.feature_values)
                sparse_sum += raw.SegmentSum(parts, column.example_indices)
            features = _as_tensors(examples["dense_features"])
            dense_sum: Any = 0.0
            weights = _as_tensors(self._variables["dense_features_weights"])
            for feature, vector in zip(features, weights, strict=False):
                dense_sum += matmul(feature, expand_dims(vector, -1))
        return raw.Reshape(dense_sum, [-1]) + sparse_sum

    def predictions(self, examples: Mapping[str, Any]) -> Tensor:
        """What the model says about examples: probabilities for the logistic loss, rates for that of Poisson.

        Args:
            examples: as for the constructor; labels and names are not used.

        Raises:
            ValueError: if something is missing or is no list.
        """
        _check_given(examples, ["example_weights", "sparse_features", "dense_features"])
        _check_lists(examples, ["sparse_features", "dense_features"])
        result = self._linear_predictions(examples)
        if self._options["loss_type"] == "logistic_loss":
            with name_scope("sdca/logistic_prediction"):
                return raw.Sigmoid(result)
        if self._options["loss_type"] == "poisson_loss":
            with name_scope("sdca/poisson_prediction"):
                return raw.Exp(result)
        return result

    def unregularized_loss(self, examples: Mapping[str, Any]) -> Tensor:
        """The mean loss of examples, float64; half the mean of squares for the squared loss.

        Args:
            examples: as for the constructor; names are not used.

        Raises:
            ValueError: if something is missing or is no list.
        """
        self._check_labelled(examples)
        with name_scope("sdca/unregularized_loss"):
            predictions = cast(self._linear_predictions(examples), float64)
            labels = cast(convert_to_tensor(examples["example_labels"]), float64)
            weights = cast(convert_to_tensor(examples["example_weights"]), float64)
            kind = self._options["loss_type"]
            if kind == "squared_loss":
                squares = raw.Mul(raw.Square(raw.Sub(labels, predictions)), weights)
                return reduce_sum(squares) / (2.0 * reduce_sum(weights))
            if kind == "logistic_loss":
                losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=predictions)
            elif kind == "poisson_loss":
                losses = log_poisson_loss(targets=labels, log_input=predictions)
            else:
                # Labels are 0 and 1; the hinge wants -1 and 1.
                ones = ones_like(predictions)
                signs = raw.Sub(2 * labels, ones)
                losses = raw.Relu(raw.Sub(ones, raw.Mul(signs, predictions)))
            return reduce_sum(raw.Mul(losses, weights)) / reduce_sum(weights)

    def regularized_loss(self, examples: Mapping[str, Any]) -> Tensor:
        """The mean loss of examples with that of the weights, with the regularizations as they were given."""
        self._check_labelled(examples)
        with name_scope("sdca/regularized_loss"):
            weights = convert_to_tensor(examples["example_weights"])
            of_weights = self._l1_loss() + self._l2_loss(self._options["symmetric_l2_regularization"])
            return of_weights / reduce_sum(cast(weights, float64)) + self.unregularized_loss(examples)

    def _check_labelled(self, examples: Mapping[str, Any]) -> None:
        _check_given(examples, ["example_labels", "example_weights", "sparse_features", "dense_features"])
        _check_lists(examples, ["sparse_features", "dense_features"])

    def approximate_duality_gap(self) -> Tensor:
        """How far the weights are from the best ones, by the examples seen so far: float64, NaN before the first."""
        with name_scope("sdca/approximate_duality_gap"):
            sums: list[Tensor] = []
            for values in self._table.export_sharded()[1]:
                # One after another, since each needs memory for a table in double precision.
                with device(values.device), control_dependencies(sums):
                    sums.append(reduce_sum(cast(values, float64), 0))
            total = add_n(sums)
            primal, dual, weight = total[1], total[2], total[3]
            return (primal + dual + self._l1_loss() + 2.0 * self._l2_loss(self._l2)) / weight

    # ---- training ----

    def minimize(self, global_step: TensorLike | None = None, name: str | None = None) -> Operation:
        """An operation that takes each example of the batch once.

        Args:
            global_step: a variable that is increased by 1 afterwards.
            name: a name for the operations.
        """
        with name_scope(name, "sdca/minimize"):
            columns = self._examples["sparse_features"]
            names = raw.SdcaFprint(convert_to_tensor(self._examples["example_ids"]))
            known = self._table.lookup(names)
            used = []
            slots = self._unshrunk["sparse_features_weights"]
            for slot, column in zip(slots, columns, strict=False):
                indices = cast(unique(cast(column.feature_indices, int32))[0], int64)
                made = _PartitionedRows if isinstance(slot, list) else _Rows
                used.append(made(slot, indices))
            state, sparse_changes, dense_changes = raw.SdcaOptimizerV2(
                [column.example_indices for column in columns],
                [column.feature_indices for column in columns],
                [column.feature_values for column in columns if column.feature_values is not None],
                _as_tensors(self._examples["dense_features"]),
                convert_to_tensor(self._examples["example_weights"]),
                convert_to_tensor(self._examples["example_labels"]),
                [rows.indices for rows in used],
                [rows.values for rows in used],
                _as_tensors(self._unshrunk["dense_features_weights"]),
                known,
                loss_type=self._options["loss_type"],
                l1=self._options["symmetric_l1_regularization"],
                l2=self._l2,
                num_loss_partitions=self._options.get("num_loss_partitions", 1),
                num_inner_iterations=1,
                adaptive=self._options.get("adaptive", True),
            )
            with control_dependencies([state]):
                updates = [self._table.insert(names, state)]
                for rows, change in zip(used, sparse_changes, strict=True):
                    updates += rows.add(change)
                for slot, change in zip(self._unshrunk["dense_features_weights"], dense_changes, strict=False):
                    parts = _parts(slot)
                    changes = [change]
                    if isinstance(slot, list):
                        changes = split(change, num_or_size_splits=[part.shape.as_list()[0] for part in parts])
                    updates += [assign_add(part, delta) for part, delta in zip(parts, changes, strict=True)]
            if global_step is None:
                return group(*updates)
            with control_dependencies(updates):
                return assign_add(global_step, 1, name=name).op

    def update_weights(self, train_op: Operation) -> Operation:
        """An operation that sets the weights to what training came to.

        Args:
            train_op: what `minimize` returned.
        """
        with control_dependencies([train_op]):
            assigned = []
            for kind in _GROUPS:
                for weights, slot in zip(self._variables[kind], self._unshrunk[kind], strict=True):
                    pairs = zip(_parts(weights), _parts(slot), strict=True)
                    assigned += [part.assign(value) for part, value in pairs]
        with control_dependencies(assigned):
            shrunk = []
            for part in self._parts_of_weights():
                with device(part.device):
                    shrunk.append(self._shrunk(part))
            return group(*shrunk)

    def _shrunk(self, part: Any) -> Any:
        """An operation that moves weights towards zero, by as much as the L1 regularization says."""
        l1 = self._options["symmetric_l1_regularization"]
        if not isinstance(part, ResourceVariable):
            return raw.SdcaShrinkL1([convert_to_tensor(part, as_ref=True)], l1=l1, l2=self._l2)
        return part.assign(raw.Sign(part) * raw.Maximum(0.0, raw.Abs(part) - l1 / self._l2))

    def _slot(self, weights: TensorLike) -> Any:
        """A variable beside each one of the weights; a list for weights in parts."""
        made = []
        for part in _parts(weights):
            place = colocate_with(part) if isinstance(weights, (list, PartitionedVariable)) else device(part.device)
            with place:
                start = zeros_like(part.initialized_value(), float32)
                resource = isinstance(part, ResourceVariable)
                made.append(Variable(start, name=f"{part.op.name}{self._slot_suffix}", use_resource=resource))
        return made if isinstance(weights, (list, PartitionedVariable)) else made[0]


class UnboundedSdcaModel(SdcaModel):
    """`SdcaModel` of the estimators: its L2 regularization is what was given, and its slots are called otherwise.

    Args:
        examples, variables, options: as of `SdcaModel`.
    """

    _smallest_l2 = 0.0
    _slot_suffix = "_unshrunk"


class _Rows:
    """The weights of the features that a batch has.

    Attributes:
        indices: the features.
        values: their weights.
    """

    def __init__(self, slot: Any, indices: Tensor) -> None:
        self._slot = slot
        self.indices = indices
        self.values = self._gathered()

    def _gathered(self) -> Tensor:
        weights = convert_to_tensor(self._slot)
        with device(weights.device):
            return gather(weights, self.indices)

    def add(self, change: Tensor) -> list[Any]:
        """The operations that add `change` to the weights."""
        return [scatter_add(self._slot, self.indices, change)]


class _PartitionedRows(_Rows):
    """The same for weights in parts: the first ones have a row more where they are not equal, as embeddings have it."""

    def _gathered(self) -> Tensor:
        parts, count = self._slot, len(self._slot)
        flat = raw.Reshape(self.indices, [-1])
        sizes = [part.shape.as_list()[0] for part in parts]
        if None in sizes:
            found = []
            for part, size in zip(parts, sizes, strict=True):
                with colocate_with(part):
                    found.append(shape(part)[0] if size is None else size)
            total: Tensor = reduce_sum(cast(stack(found), flat.dtype))
        else:
            total = convert_to_tensor(sum(sizes), flat.dtype)
        each, more = total // count, total % count
        places = raw.Maximum(flat // (each + 1), (flat - more) // each)
        rows = where(places < more, flat % (each + 1), (flat - more) % each)
        self._places = cast(places, int32)
        self._rows = dynamic_partition(rows, self._places, count)
        gathered = []
        for part, its_rows in zip(parts, self._rows, strict=True):
            with colocate_with(part):
                gathered.append(gather(part, its_rows))
        order = dynamic_partition(range_(shape(rows)[0]), self._places, count)
        return dynamic_stitch(order, gathered)

    def add(self, change: Tensor) -> list[Any]:
        changes = dynamic_partition(change, self._places, len(self._slot))
        added = []
        for part, rows, delta in zip(self._slot, self._rows, changes, strict=True):
            with colocate_with(part):
                added.append(scatter_add(part, rows, delta))
        return added


def _parts(weights: TensorLike) -> list[Any]:
    return list(weights) if isinstance(weights, (list, PartitionedVariable)) else [weights]


def _as_tensors(values: Sequence[Any]) -> list[Tensor]:
    """Each as a tensor, parts joined."""
    joined = [concat(list(v), axis=0) if isinstance(v, (list, PartitionedVariable)) else v for v in values]
    return [convert_to_tensor(value) for value in joined]


def _check_given(found: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in names:
        if found[name] is None:
            raise ValueError(f"{name} must be specified.")


def _check_lists(found: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in names:
        if not isinstance(found[name], list):
            raise ValueError(f"{name} must be a list.")
