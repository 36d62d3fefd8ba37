"""Heads made of several, and one that is a loss and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.learn.heads import Head, no_op_train_fn
from headrace.contrib.learn.metric_spec import ModeKeys
from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.kernels.composing.arranging import identity
from headrace.ops.flow.grouping import group
from headrace.ops.math.add_n import add_n
from headrace.state.variable_scope import variable_scope
from headrace.summary.operations import scalar as scalar_summary

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.current_scope import VariableScope


def multi_head(heads: Sequence[Head], loss_weights: Sequence[float] | None = None) -> Head:
    """A head made of several, whose losses are added; their logits lie side by side.

    Args:
        heads: heads with names.
        loss_weights: how much each loss counts, 1 by default.

    Returns:
        a Head. Its predictions are called by pairs of a head's name and the prediction's.

    Raises:
        ValueError: if there are not as many weights as heads, or a head has no name.

    Example:
        >>> first = tf.contrib.learn.regression_head(head_name="age", label_name="age")
        >>> second = tf.contrib.learn.multi_class_head(2, head_name="buys", label_name="buys")
        >>> head = tf.contrib.learn.multi_head([first, second], loss_weights=[0.1, 1.0])
    """
    if loss_weights and len(loss_weights) != len(heads):
        raise ValueError(
            "heads and loss_weights must have same size: there are "
            f"{len(heads)} heads and {len(loss_weights)} loss_weights."
        )
    return MultiHead(heads, loss_weights)


class MultiHead(Head):
    """Several heads; arguments as in `multi_head`."""

    def __init__(self, heads: Sequence[Head], loss_weights: Sequence[float] | None = None) -> None:
        self._logits_dimension = 0
        for head in heads:
            if not getattr(head, "head_name", None):
                raise ValueError("Members of MultiHead must have names.")
            self._logits_dimension += head.logits_dimension
        self._heads, self._loss_weights = tuple(heads), tuple(loss_weights or ())

    @property
    def logits_dimension(self) -> int:
        """How many logits there are for an example."""
        return self._logits_dimension

    def create_model_fn_ops(
        self,
        features: Mapping[str, Any],
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Tensor], Any] | None = None,
        logits: TensorLike | None = None,
        logits_input: TensorLike | None = None,
        scope: str | VariableScope | None = None,
    ) -> ModelFnOps:
        """See `Head`."""
        if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.INFER):
            raise ValueError(f"mode={mode} unrecognized")
        parts = self._parts(features, mode, labels, logits, logits_input)
        if mode == ModeKeys.INFER:
            return self._predicting(parts)
        loss = self._merged([part.loss for part in parts])
        metrics = {key: value for part in parts for key, value in part.eval_metric_ops.items()}
        if mode == ModeKeys.EVAL:
            return ModelFnOps(mode, self._predictions(parts), loss, None, metrics)
        if train_op_fn is None:
            raise ValueError("train_op_fn can not be None in TRAIN mode.")
        # What a head trains of itself comes with its step.
        steps = [part.train_op for part in parts]
        return ModelFnOps(mode, None, loss, group(*steps, train_op_fn(loss)), metrics)

    def _parts(
        self, features: Mapping[str, Any], mode: str, labels: Any, logits: Any, logits_input: Any
    ) -> list[ModelFnOps]:
        train = no_op_train_fn if mode == ModeKeys.TRAIN else None
        if logits_input is not None:
            if logits is not None:
                raise ValueError("Both logits and logits_input supplied.")
            return [
                head.create_model_fn_ops(features, mode, labels, train, logits_input=logits_input)
                for head in self._heads
            ]
        if logits is None:
            raise ValueError("Neither logits nor logits_input supplied.")
        if isinstance(logits, dict):
            split = [logits[head.head_name] for head in self._heads]  # type: ignore[attr-defined]  # members have names
        else:
            split = self._split(convert_to_tensor(logits))
        return [
            head.create_model_fn_ops(features, mode, labels, train, logits=part)
            for head, part in zip(self._heads, split, strict=True)
        ]

    def _split(self, logits: Tensor) -> list[Tensor]:
        """The logits of each head."""
        split, begin, rank = [], 0, logits.get_shape().ndims
        if rank is None:
            raise ValueError(f"The rank of logits must be known, got {logits}.")
        for head in self._heads:
            size = head.logits_dimension
            split.append(raw.Slice(logits, [0] * (rank - 1) + [begin], [-1] * (rank - 1) + [size]))
            begin += size
        return split

    def _merged(self, losses: list[Any]) -> Tensor:
        if self._loss_weights:
            losses = [raw.Mul(loss, weight) for loss, weight in zip(losses, self._loss_weights, strict=True)]
        return add_n(losses)

    def _predictions(self, parts: list[ModelFnOps]) -> dict[Any, Any]:
        return {
            (head.head_name, key): value  # type: ignore[attr-defined]  # members have names
            for head, part in zip(self._heads, parts, strict=True)
            for key, value in part.predictions.items()
        }

    def _predicting(self, parts: list[ModelFnOps]) -> ModelFnOps:
        outputs = {key: value for part in parts for key, value in part.output_alternatives.items()}
        return ModelFnOps(ModeKeys.INFER, self._predictions(parts), output_alternatives=outputs)


def loss_only_head(loss_fn: Callable[[], Tensor], head_name: str | None = None) -> Head:
    """A head that adds a loss of its own, and predicts nothing; for use within `multi_head`.

    Args:
        loss_fn: a function without arguments that returns the loss, or a list of losses to be added.
        head_name: what the summary is suffixed by; the variable scope too.
    """
    return LossOnlyHead(loss_fn, head_name)


class LossOnlyHead(Head):
    """A loss; arguments as in `loss_only_head`."""

    def __init__(self, loss_fn: Callable[[], Any], head_name: str | None = None) -> None:
        self._loss_fn = loss_fn
        self.head_name = head_name or "loss_only_head"

    @property
    def logits_dimension(self) -> int:
        """0: it has none."""
        return 0

    def create_model_fn_ops(
        self,
        features: Mapping[str, Any],
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Tensor], Any] | None = None,
        logits: TensorLike | None = None,
        logits_input: TensorLike | None = None,
        scope: str | VariableScope | None = None,
    ) -> ModelFnOps:
        """See `Head`; of the arguments `mode`, `train_op_fn` and `scope` count."""
        if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.INFER):
            raise ValueError(f"mode={mode} unrecognized.")
        loss, step = None, None
        if mode != ModeKeys.INFER:
            with variable_scope(scope, default_name=self.head_name):
                loss = self._loss_fn()
                if isinstance(loss, list):
                    loss = add_n(loss)
                with name_scope(""):
                    scalar_summary(f"loss/{self.head_name}", identity(loss))
                if mode == ModeKeys.TRAIN:
                    if train_op_fn is None:
                        raise ValueError("train_op_fn can not be None in TRAIN mode")
                    with name_scope(None, "train_op", (loss,)):
                        step = train_op_fn(loss)
        return ModelFnOps(mode, {}, loss, step, {}, {})
