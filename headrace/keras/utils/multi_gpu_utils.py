"""A model on several GPUs, each with a part of every batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import device, name_scope
from headrace.keras.backend.sessions import get_session
from headrace.keras.engine.training import Model
from headrace.keras.layers.lambda_layer import Lambda
from headrace.keras.layers.merge import concatenate
from headrace.keras.models import clone_model
from headrace.ops.array.shape import shape

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def _get_available_devices() -> list[str]:
    """The devices of this session: "/cpu:0", "/gpu:0", …"""
    return [_normalize_device_name(one.name) for one in get_session().list_devices()]


def _normalize_device_name(name: str) -> str:
    return "/" + ":".join(name.lower().replace("/device:", "/").rpartition("/")[2].split(":")[-2:])


def _part(data: Tensor, i: int, parts: int) -> Tensor:
    """The rows of a batch that the device of number `i` gets; the last one gets what is left."""
    rows = shape(data)[0]
    each = rows // parts
    return data[i * each :] if i == parts - 1 else data[i * each : (i + 1) * each]


def multi_gpu_model(
    model: Model, gpus: int | Sequence[int], cpu_merge: bool = True, cpu_relocation: bool = False
) -> Model:
    """A model that computes on several GPUs: each batch is divided among them, and the results are joined.

    The weights are those of the model given, which is the one to save.

    Args:
        model: the model.
        gpus: how many GPUs, or their numbers; at least two.
        cpu_merge: whether results are joined on the CPU; on the first GPU otherwise.
        cpu_relocation: whether the weights are made anew on the CPU.

    Returns:
        a `Model`.

    Raises:
        ValueError: for fewer than two GPUs, and those that there are not.

    Example:
        with tf.device("/cpu:0"):
            model = tf.keras.applications.Xception(weights=None)
        tf.keras.utils.multi_gpu_model(model, gpus=2).compile("rmsprop", "categorical_crossentropy")
    """
    numbers = list(gpus) if isinstance(gpus, (list, tuple)) else list(range(int(gpus)))  # type: ignore[arg-type]  # a number
    if len(numbers) <= 1:
        wanted = "len(gpus) >= 2" if isinstance(gpus, (list, tuple)) else "gpus >= 2"
        raise ValueError(
            f"For multi-gpu usage to be effective, call `multi_gpu_model` with `{wanted}`. Received: `gpus={gpus}`"
        )
    targets = ["/cpu:0"] + [f"/gpu:{number}" for number in numbers]
    available = _get_available_devices()
    if not set(targets) <= set(available):
        raise ValueError(
            f"To call `multi_gpu_model` with `gpus={gpus}`, we expect the following devices to be available: {targets}. "
            f"However this machine only has: {available}. Try reducing `gpus`."
        )
    if cpu_relocation:
        with device("/cpu:0"):
            model = clone_model(model)
    outputs: list[list[Any]] = [[] for _ in model.outputs]
    for i, number in enumerate(numbers):
        with device(f"/gpu:{number}"), name_scope(f"replica_{number}"):
            parts = [_of_device(x, i, len(numbers)) for x in model.inputs]
            given = model(parts if len(parts) > 1 else parts[0])
            for collected, output in zip(outputs, given if isinstance(given, list) else [given], strict=True):
                collected.append(output)
    with device("/cpu:0" if cpu_merge else f"/gpu:{numbers[0]}"):
        names = _distinct(model.output_names)
        merged = [concatenate(parts, axis=0, name=name) for name, parts in zip(names, outputs, strict=True)]
    return Model(model.inputs, merged)


def _of_device(x: Tensor, i: int, parts: int) -> Any:
    sizes = tuple(x.shape.as_list()[1:])
    return Lambda(_part, output_shape=sizes, arguments={"i": i, "parts": parts})(x)


def _distinct(names: Sequence[str]) -> list[str]:
    """Names, with numbers where one comes again."""
    seen: Counter[str] = Counter()
    distinct = []
    for name in names:
        distinct.append(f"{name}_{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return distinct
