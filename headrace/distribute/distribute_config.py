"""`DistributeConfig`: which strategies an estimator trains and evaluates under."""

from __future__ import annotations

from typing import Any, NamedTuple


class _Fields(NamedTuple):
    train_distribute: Any
    eval_distribute: Any
    remote_cluster: Any


class DistributeConfig(_Fields):
    """Which strategies an estimator trains and evaluates under, and the cluster that a client of its own uses.

    Args:
        train_distribute: the strategy of training.
        eval_distribute: that of evaluation.
        remote_cluster: a mapping, a `ClusterDef` or a `ClusterSpec` without a task for this process.

    Example:
        >>> config = tf.contrib.distribute.DistributeConfig(eval_distribute=tf.distribute.MirroredStrategy(["/cpu:0"]))
        >>> config.train_distribute is None
        True
    """

    __slots__ = ()

    def __new__(
        cls, train_distribute: Any = None, eval_distribute: Any = None, remote_cluster: Any = None
    ) -> DistributeConfig:
        return super().__new__(cls, train_distribute, eval_distribute, remote_cluster)
