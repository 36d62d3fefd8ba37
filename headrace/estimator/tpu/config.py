"""`tf.contrib.tpu.RunConfig` and `TPUConfig`: how an estimator that was written for TPUs runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from headrace.estimator.run_config import RunConfig as EstimatorRunConfig

_CORES_PER_REPLICA = (1, 2, 4, 8, 16, 32, 64, 128)
_TIME = re.compile(r"[1-9]\d*[smh]")


class InputPipelineConfig:
    """How a TPU is fed: by one input function a core or a host, or by one that is sent or cut up for all."""

    PER_SHARD_V1 = 1
    PER_HOST_V1 = 2
    PER_HOST_V2 = 3
    BROADCAST = 4
    SLICED = 5


class _Fields(NamedTuple):
    iterations_per_loop: int | str
    num_shards: int | None
    num_cores_per_replica: int | None
    per_host_input_for_training: int
    tpu_job_name: str | None
    initial_infeed_sleep_secs: int | None
    input_partition_dims: Sequence[Any] | None
    eval_training_input_configuration: int
    experimental_host_call_every_n_steps: int


def _positive(name: str, value: int | None) -> None:
    if value is not None and value < 1:
        raise ValueError(f"TPUConfig {name} must be positive, got {value}")


def _check_iterations(value: int | str) -> None:
    valid = bool(_TIME.fullmatch(value)) if isinstance(value, str) else value >= 1
    if not valid:
        raise ValueError(
            f"Invalid TPUConfig `iterations_per_loop` value {value!r}. Value must be a positive integer, or a time "
            "`<N><s|m|h>` such as `3600s`, `60m` or `1h`."
        )


def _check_partition(dims: Sequence[Any] | None, per_host_input: int) -> None:
    if dims is None:
        return
    if len(dims) not in (1, 2):
        raise ValueError("input_partition_dims must be a list/tuple with one or two elements.")
    if per_host_input != InputPipelineConfig.PER_HOST_V2:
        raise ValueError("input_partition_dims is only supported in PER_HOST_V2 mode.")


class TPUConfig(_Fields):
    """What a program says of its TPU. Without one the settings are checked and kept, and nothing depends on them.

    Args:
        iterations_per_loop: how many steps a TPU makes in a row, or for how long, as "60s".
        num_shards: over how many cores a batch is spread.
        num_cores_per_replica: how many cores a copy of the model takes.
        per_host_input_for_training: an `InputPipelineConfig`; True is `PER_HOST_V1`, False `PER_SHARD_V1`.
        tpu_job_name: the job of the TPU's hosts.
        initial_infeed_sleep_secs: how long feeding waits at first.
        input_partition_dims: how inputs are cut up among the cores of a copy.
        eval_training_input_configuration: `PER_HOST_V1` or `SLICED`.
        experimental_host_call_every_n_steps: how often the host call runs.

    Raises:
        ValueError: for values that are not as described.

    Example:
        >>> tf.contrib.tpu.TPUConfig(iterations_per_loop=1000, num_shards=8)
    """

    __slots__ = ()

    def __new__(
        cls,
        iterations_per_loop: int | str = 2,
        num_shards: int | None = None,
        num_cores_per_replica: int | None = None,
        per_host_input_for_training: bool | int = True,
        tpu_job_name: str | None = None,
        initial_infeed_sleep_secs: int | None = None,
        input_partition_dims: Sequence[Any] | None = None,
        eval_training_input_configuration: int = InputPipelineConfig.PER_HOST_V1,
        experimental_host_call_every_n_steps: int = 1,
    ) -> TPUConfig:
        _check_iterations(iterations_per_loop)
        _positive("num_shards", num_shards)
        if per_host_input_for_training is True:
            per_host_input_for_training = InputPipelineConfig.PER_HOST_V1
        elif per_host_input_for_training is False:
            per_host_input_for_training = InputPipelineConfig.PER_SHARD_V1
        _check_partition(input_partition_dims, per_host_input_for_training)
        if num_cores_per_replica is not None and num_cores_per_replica not in _CORES_PER_REPLICA:
            told = ", ".join(map(str, _CORES_PER_REPLICA))
            raise ValueError(f"num_cores_per_replica must be {told}; got {num_cores_per_replica}")
        if eval_training_input_configuration not in (InputPipelineConfig.PER_HOST_V1, InputPipelineConfig.SLICED):
            raise ValueError(
                "eval_training_input_configuration must be PER_HOST_V1 or SLICED; got "
                f"{eval_training_input_configuration}"
            )
        _positive("initial_infeed_sleep_secs", initial_infeed_sleep_secs)
        return super().__new__(
            cls,
            iterations_per_loop,
            num_shards,
            num_cores_per_replica,
            per_host_input_for_training,
            tpu_job_name,
            initial_infeed_sleep_secs,
            input_partition_dims,
            eval_training_input_configuration,
            experimental_host_call_every_n_steps,
        )


class RunConfig(EstimatorRunConfig):
    """How a `TPUEstimator` runs.

    Args:
        tpu_config: what is said of the TPU.
        evaluation_master, master: the addresses of sessions for evaluation, and for the rest.
        cluster: None; a resolver of a TPU's address is of no use without one.
        **kwargs: the arguments of `tf.estimator.RunConfig`.

    Raises:
        ValueError: for values that are not as described; NotImplementedError: for a `cluster`.

    Example:
        >>> config = tf.contrib.tpu.RunConfig(model_dir="model", tpu_config=tf.contrib.tpu.TPUConfig(1000))
    """

    def __init__(
        self,
        tpu_config: TPUConfig | None = None,
        evaluation_master: str | None = None,
        master: str | None = None,
        cluster: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if cluster is not None and master is not None:
            raise ValueError("Both master and cluster are set.")
        if cluster is not None:
            raise NotImplementedError(
                "tpu.RunConfig(cluster=...): there are no TPUs to resolve; leave it out, and give TPUEstimator use_tpu=False."
            )
        self._tpu_config = tpu_config or TPUConfig()
        self._cluster = None
        if master is not None:
            self._master = master
        if evaluation_master is not None:
            self._evaluation_master = evaluation_master
        elif master is not None:
            self._evaluation_master = master

    @property
    def tpu_config(self) -> TPUConfig:
        """What is said of the TPU."""
        return self._tpu_config

    @property
    def cluster(self) -> None:
        """None: there is no cluster of TPUs."""
        return self._cluster

    def replace(self, **kwargs: Any) -> RunConfig:
        """A copy with other values, of `tpu_config` or what `tf.estimator.RunConfig` can replace.

        Raises:
            ValueError: as there.
        """
        tpu_config = kwargs.pop("tpu_config", None)
        changed = super().replace(**kwargs)
        assert isinstance(changed, RunConfig)  # a copy of this one
        if tpu_config is not None:
            changed._tpu_config = tpu_config
        return changed
