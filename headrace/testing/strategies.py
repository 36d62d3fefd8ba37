"""The strategies and optimizers that 1.15's tests of distribution are run with, by name, and their combinations."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from headrace.config.settings import (
    VirtualDeviceConfiguration,
    get_virtual_device_configuration,
    list_physical_devices,
    set_virtual_device_configuration,
)
from headrace.distribute.default_strategy import default_strategy as _default_strategy
from headrace.distribute.mirrored import MirroredStrategy
from headrace.distribute.one_device import OneDeviceStrategy
from headrace.distribute.parameter_server import CentralStorageStrategy
from headrace.distribute.tpu import TPUStrategyV1
from headrace.keras.optimizers.adagrad import Adagrad
from headrace.keras.optimizers.adam import Adam
from headrace.keras.optimizers.gradient_descent import SGD
from headrace.keras.optimizers.rmsprop import RMSprop
from headrace.optimizers.adagrad import AdagradOptimizer
from headrace.optimizers.adam import AdamOptimizer
from headrace.optimizers.descent import GradientDescentOptimizer
from headrace.optimizers.rmsprop import RMSPropOptimizer
from headrace.testing.combinations import NamedDistribution, NamedObject, combine

Combinations = list[OrderedDict[str, Any]]

_WORKER_1 = "/job:worker/replica:0/task:1"


def _one_device(name: str, device: str, gpus: int | None = None) -> NamedDistribution:
    return NamedDistribution(name, lambda: OneDeviceStrategy(device), gpus)


def _mirrored(name: str, devices: list[str], gpus: int | None = None) -> NamedDistribution:
    return NamedDistribution(name, lambda: MirroredStrategy(devices), gpus)


def _central(name: str, devices: list[str], gpus: int) -> NamedDistribution:
    return NamedDistribution(name, lambda: CentralStorageStrategy(devices), gpus)


def _tpu(name: str) -> NamedDistribution:
    return NamedDistribution(name, TPUStrategyV1, required_tpu=True)


default_strategy = NamedDistribution("Default", _default_strategy)
one_device_strategy = _one_device("OneDeviceCPU", "/cpu:0")
one_device_strategy_gpu = _one_device("OneDeviceGPU", "/gpu:0", 1)
one_device_strategy_on_worker_1 = _one_device("OneDeviceOnWorker1CPU", f"{_WORKER_1}/cpu:0")
one_device_strategy_gpu_on_worker_1 = _one_device("OneDeviceOnWorker1GPU", f"{_WORKER_1}/gpu:0", 1)
tpu_strategy = _tpu("TPU")
tpu_strategy_one_step = _tpu("TPUOneStep")
tpu_strategy_one_core = _tpu("TPUOneCore")
tpu_strategy_one_step_one_core = _tpu("TPUOneStepOneCore")
mirrored_strategy_with_one_cpu = _mirrored("Mirrored1CPU", ["/cpu:0"])
mirrored_strategy_with_one_gpu = _mirrored("Mirrored1GPU", ["/gpu:0"], 1)
mirrored_strategy_with_gpu_and_cpu = _mirrored("MirroredCPUAndGPU", ["/gpu:0", "/cpu:0"], 1)
mirrored_strategy_with_two_gpus = _mirrored("Mirrored2GPUs", ["/gpu:0", "/gpu:1"], 2)
mirrored_strategy_with_cpu_1_and_2 = _mirrored("Mirrored2CPU", ["/cpu:1", "/cpu:2"])
central_storage_strategy_with_two_gpus = _central("CentralStorage2GPUs", ["/gpu:0", "/gpu:1"], 2)
central_storage_strategy_with_gpu_and_cpu = _central("CentralStorageCPUAndGPU", ["/gpu:0", "/cpu:0"], 1)

gradient_descent_optimizer_v1_fn = NamedObject("GradientDescentV1", lambda: GradientDescentOptimizer(0.2))
adagrad_optimizer_v1_fn = NamedObject("AdagradV1", lambda: AdagradOptimizer(0.001))
adam_optimizer_v1_fn = NamedObject("AdamV1", lambda: AdamOptimizer(0.001, epsilon=1))
rmsprop_optimizer_v1_fn = NamedObject("RmsPropV1", lambda: RMSPropOptimizer(0.001))
gradient_descent_optimizer_keras_v2_fn = NamedObject("GradientDescentKerasV2", lambda: SGD(0.2))
adagrad_optimizer_keras_v2_fn = NamedObject("AdagradKerasV2", lambda: Adagrad(0.001))
adam_optimizer_keras_v2_fn = NamedObject("AdamKerasV2", lambda: Adam(0.001, epsilon=1.0))
rmsprop_optimizer_keras_v2_fn = NamedObject("RmsPropKerasV2", lambda: RMSprop(0.001))

optimizers_v1 = [gradient_descent_optimizer_v1_fn, adagrad_optimizer_v1_fn]
optimizers_v2 = [gradient_descent_optimizer_keras_v2_fn, adagrad_optimizer_keras_v2_fn]
optimizers_v1_and_v2 = optimizers_v1 + optimizers_v2
graph_and_eager_modes = ["graph", "eager"]

_mirrored_on_gpus = [mirrored_strategy_with_gpu_and_cpu, mirrored_strategy_with_two_gpus]
strategies_minus_tpu = [default_strategy, one_device_strategy, one_device_strategy_gpu, *_mirrored_on_gpus]
tpu_strategies = [tpu_strategy, tpu_strategy_one_step]


def set_virtual_cpus_to_at_least(num_virtual_cpus: int) -> None:
    """Parts the CPU into so many devices, if it is not parted yet.

    Args:
        num_virtual_cpus: how many.

    Raises:
        ValueError: for less than one; RuntimeError: if the CPU is parted into fewer.
    """
    if num_virtual_cpus < 1:
        raise ValueError(f"`num_virtual_cpus` must be at least 1 not {num_virtual_cpus!r}")
    cpu = list_physical_devices("CPU")[0]
    there = get_virtual_device_configuration(cpu)
    if there is None:
        set_virtual_device_configuration(cpu, [VirtualDeviceConfiguration() for _ in range(num_virtual_cpus)])
    elif len(there) < num_virtual_cpus:
        raise RuntimeError(f"Already configured with {len(there)} < {num_virtual_cpus} virtual CPUs")


def _with_optimizers(optimizer_fn: list[NamedObject]) -> Combinations:
    return combine(distribution=[one_device_strategy, *_mirrored_on_gpus], optimizer_fn=optimizer_fn)


def distributions_and_v1_optimizers() -> Combinations:
    """One device and replicas on GPUs, with two optimizers of 1.x."""
    return _with_optimizers(optimizers_v1)


def distributions_and_v2_optimizers() -> Combinations:
    """One device and replicas on GPUs, with two optimizers of Keras."""
    return _with_optimizers(optimizers_v2)


def distributions_and_v1_and_v2_optimizers() -> Combinations:
    """One device and replicas on GPUs, with optimizers of both kinds."""
    return _with_optimizers(optimizers_v1_and_v2)


def strategy_minus_tpu_combinations() -> Combinations:
    """All strategies without TPUs, in both modes."""
    return combine(distribution=strategies_minus_tpu, mode=["graph", "eager"])


def tpu_strategy_combinations() -> Combinations:
    """The strategies of TPUs, as graphs."""
    return combine(distribution=tpu_strategies, mode=["graph"])


def all_strategy_combinations() -> Combinations:
    """All strategies, in both modes where they have these."""
    return strategy_minus_tpu_combinations() + tpu_strategy_combinations()


def all_strategy_minus_default_and_tpu_combinations() -> Combinations:
    """The strategies without TPUs but the default one, in both modes."""
    return combine(distribution=strategies_minus_tpu[1:], mode=["graph", "eager"])


def all_strategy_combinations_minus_default() -> Combinations:
    """All strategies but the default one."""
    return all_strategy_minus_default_and_tpu_combinations() + tpu_strategy_combinations()
