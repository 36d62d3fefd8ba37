"""The extension module, built of src/."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy.typing as npt

INSTRUCTIONS: frozenset[str]
INSTRUCTION_SET: str

def configure(
    tensor_type: type,
    tensor_dtypes: Sequence[object],
    array_type: type,
    dtypes: Sequence[object],
    scalar_types: Sequence[type],
    empty: Callable[..., npt.NDArray[Any]],
    make_memory: Callable[[int], npt.NDArray[Any]],
    tensor_over: Callable[..., object],
    fresh_tensor: Callable[..., object],
    failure: type[Exception],
    /,
) -> None: ...
def read(arena: object, value: int, /) -> npt.NDArray[Any]: ...

class Program:
    def __init__(
        self,
        values: Sequence[tuple[int, int, tuple[int, ...] | None, int]],
        constants: Sequence[npt.NDArray[Any]],
        instructions: Sequence[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[float, ...]]],
        outputs: Sequence[tuple[int, int]],
        /,
    ) -> None: ...
    def run(
        self, inputs: Sequence[object], buffers: Sequence[object], arena: object = None, /
    ) -> tuple[Any, ...] | None: ...
    def profile(
        self, inputs: Sequence[object], buffers: Sequence[object], times: int, /
    ) -> list[tuple[int, float]] | None: ...
    def lease(self) -> object: ...
    def give_back(self, arena: object, /) -> None: ...
    def set_limit(self, nanoseconds: float, /) -> None: ...
    def describe(self) -> str: ...
