"""The strategies of TPUs, which are not supported."""

from __future__ import annotations

from typing import Any, NoReturn

from headrace.distribute.strategy import Strategy, StrategyV1


def _refuse() -> NoReturn:
    raise NotImplementedError(
        "TPUStrategy: TPUs are not supported; use tf.distribute.MirroredStrategy for the devices of this machine."
    )


class TPUStrategy(Strategy):
    """Not supported.

    Args:
        tpu_cluster_resolver, device_assignment: which TPU, and which of its cores.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, tpu_cluster_resolver: Any = None, device_assignment: Any = None) -> None:
        _refuse()


class TPUStrategyV1(StrategyV1):
    """Not supported.

    Args:
        tpu_cluster_resolver, steps_per_run, device_assignment: which TPU, how often it is asked, and which of its cores.

    Raises:
        NotImplementedError: always.
    """

    def __init__(
        self, tpu_cluster_resolver: Any = None, steps_per_run: int | None = None, device_assignment: Any = None
    ) -> None:
        _refuse()

    @property
    def steps_per_run(self) -> int:
        """How many steps the TPU does at once; there is none."""
        _refuse()


def initialize_tpu_system(cluster_resolver: Any = None) -> NoReturn:
    """Not supported.

    Args:
        cluster_resolver: which TPU.

    Raises:
        NotImplementedError: always.
    """
    _refuse()
