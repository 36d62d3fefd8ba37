"""Programs of native instructions: how they are built, and what they are given when they run.

```python
b = Builder()
x = b.input("float32", (None, 784))
w = b.buffer("float32", (784, 10))
(y,) = b.apply("matmul", [x, w], ints=[0, 0])
p = b.build([Output(y, "array")])
(value,) = p.run((feed,), (variable,))
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from headrace.native import loading
from headrace.native.instructions import ANY, DTYPE_CODES, DTYPES, INTEGER, VOCABULARY, Instruction
from headrace.native.team import team_of_threads

Dims = Sequence[int | None]
Array = npt.NDArray[np.generic]

# How a result leaves a run: as an array of its own; as a NumPy scalar if its rank is 0; as a tensor over the arena, valid
# until the arena is given back; as a tensor with memory of its own.
OutputKind = Literal["array", "scalar", "tensor", "fresh"]
_OUTPUT_KINDS: dict[str, int] = {"array": 0, "scalar": 1, "tensor": 2, "fresh": 3}

_INPUT, _BUFFER, _CONSTANT, _MADE = range(4)

# A size among the ints that is that of an axis of a value: below all numbers that stand for themselves.
_DIM_CODES_FROM = -(1 << 40)
_AXES = 64
# All that is in a value.
_CONTENTS_FROM = -(1 << 50)

_TORCH_DTYPES = {
    "float32": torch.float32,
    "float64": torch.float64,
    "int32": torch.int32,
    "int64": torch.int64,
    "bool": torch.bool,
    "uint8": torch.uint8,
}
_BY_CODE = [_TORCH_DTYPES[name] for name in DTYPES]
_NUMPY_BY_CODE = [np.dtype(name) for name in DTYPES]


# As in the runner (values.h).
MAX_RANK = 12


class Unsupported(Exception):
    """An instruction does not take what it was applied to; the program so far is as it was."""


class Output(NamedTuple):
    """A result of a program.

    Attributes:
        value: its id.
        kind: how it leaves a run.
    """

    value: int
    kind: OutputKind = "array"


class RegionFailure(Exception):
    """An instruction refused its inputs; those before it have run.

    Attributes:
        instruction: its number, in the order of applying.
        code: what it says besides, such as the number of the row that is out of range.
        undone: whether buffers hold what they held before the run.
    """

    def __init__(self, instruction: int, code: int, arena: object, undone: bool) -> None:
        super().__init__(f"instruction {instruction} failed with {code}")
        self.instruction, self.code, self.undone, self._arena = instruction, code, undone, arena

    def value(self, value: int) -> Array:
        """A copy of an input of the failing instruction."""
        result: Array = loading.runner().read(self._arena, value)
        return result


class Builder:
    """Makes a program, an instruction after the other; every value has a number.

    Raises:
        RuntimeError: where there is no native runner.
    """

    def __init__(self) -> None:
        self._runner = loading.runner()
        self._values: list[tuple[int, int, tuple[int, ...] | None, int]] = []
        self._constants: list[Array] = []
        self._instructions: list[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[float, ...]]] = []
        self._inputs = self._buffers = 0

    def input(self, dtype: str, dims: Dims, contiguous: bool = False) -> int:
        """What a run is given: a torch tensor, a NumPy array, or a scalar of NumPy or Python.

        Args:
            dtype: its type; an array of another makes `run` answer None.
            dims: its sizes, None where unknown. Sizes of tensors that are known here are not asked for in each run: who
                gives them answers for that.
            contiguous: whether a tensor given for it always is, so that nobody has to ask it.
        """
        self._inputs += 1
        return self._value(_INPUT, dtype, dims, 1 if contiguous else 0)

    def buffer(self, dtype: str, dims: Dims) -> int:
        """Memory that is read and may be written in place: a variable's tensor, which must be contiguous."""
        self._buffers += 1
        return self._value(_BUFFER, dtype, dims)

    def stream(self, stream: object) -> int:
        """The place of a random stream, which draws move on: memory like that of variables."""
        return self.buffer("int64", (3,))

    def constant(self, value: npt.ArrayLike) -> int:
        """A value that is known; the program keeps it."""
        array = np.asarray(value)
        array = np.ascontiguousarray(array).reshape(array.shape)
        if array.dtype.name not in DTYPE_CODES:
            raise Unsupported(f"constants are of type {', '.join(DTYPES)}, got {array.dtype.name}")
        self._constants.append(array)
        return self._value(_CONSTANT, array.dtype.name, array.shape)

    def _value(self, kind: int, dtype: str, dims: Dims | None, flag: int = 0) -> int:
        code = DTYPE_CODES.get(dtype)
        if code is None:
            raise Unsupported(f"values are of type {', '.join(DTYPES)}, got {dtype}")
        if dims is not None and len(dims) > MAX_RANK:
            raise Unsupported(f"values have at most {MAX_RANK} axes, got {len(dims)}")
        known = None if dims is None else tuple(-1 if dim is None else int(dim) for dim in dims)
        self._values.append((kind, code, known, flag))
        return len(self._values) - 1

    def dim(self, value: int, axis: int) -> int:
        """Says "the size of that axis of that value" where ints ask for a size; a negative axis counts from the end."""
        return _DIM_CODES_FROM - (value * _AXES + axis + _AXES // 2)

    def contents(self, value: int) -> int:
        """Says "all that is in that vector or number of integers" where ints ask for sizes or axes."""
        return _CONTENTS_FROM - value

    def dtype(self, value: int) -> str:
        """The type of a value."""
        return DTYPES[self._values[value][1]]

    def apply(
        self, name: str, inputs: Sequence[int], ints: Sequence[int] = (), floats: Sequence[float] = ()
    ) -> tuple[int, ...]:
        """Adds an instruction.

        Args:
            name: one of `instructions.VOCABULARY`, whose row says what the rest means.
            inputs: values.
            ints, floats: what else it is told.

        Returns:
            the values it makes.

        Raises:
            Unsupported: if there is no such instruction, or it does not take inputs of these types.
        """
        row = VOCABULARY.get(name)
        if row is None:
            raise Unsupported(f"no native instruction is called {name}")
        codes = [self._values[value][1] for value in inputs]
        code = _type_of_inputs(row, codes)
        if name not in self._runner.INSTRUCTIONS:
            raise Unsupported(f"the runner has no {name} yet")
        results = tuple(self._value(_MADE, dtype, None) for dtype in _result_types(row, code, codes, ints))
        self._instructions.append((name, tuple(inputs), results, tuple(ints), tuple(floats)))
        return results

    def build(self, outputs: Sequence[Output | int], notes: Sequence[object] = ()) -> Program:
        """The program.

        Args:
            outputs: what a run returns, in order; a number alone is an "array".
            notes: an object an instruction, for who asks `Program.notes`.
        """
        wanted = [Output(output) if isinstance(output, int) else output for output in outputs]
        return Program(
            self._values,
            self._constants,
            self._instructions,
            [(output.value, _OUTPUT_KINDS[output.kind]) for output in wanted],
            list(notes),
        )


def _type_of_inputs(row: Instruction, codes: Sequence[int]) -> int:
    """The code of T, after checking the inputs' number and types."""
    names = row.inputs.split()
    least = sum(name[-1] not in "?*" for name in names)
    if len(codes) < least or (len(codes) > len(names) and not names[-1].endswith("*")):
        raise Unsupported(f"{row.name} takes {row.inputs}, got {len(codes)} inputs")
    common: int | None = None
    for name, code in zip(names + names[-1:] * (len(codes) - len(names)), codes):
        kind = name.partition(":")[2].rstrip("*?")
        if not kind:
            if common is None:
                common = code
            allowed: Sequence[str] = row.types if code == common else ()
        else:
            allowed = {"index": INTEGER, "any": ANY}.get(kind, (kind,))
        if DTYPES[code] not in allowed:
            raise Unsupported(f"{row.name} does not take {DTYPES[code]} as {name}")
    if common is None and codes:
        return codes[0]
    return 0 if common is None else common


def _result_types(row: Instruction, common: int, codes: Sequence[int], ints: Sequence[int]) -> list[str]:
    if row.results.endswith("*"):
        return [DTYPES[code] for code in codes]
    text = row.results.replace(": ", ":")
    types = []
    for name in text.split():
        kind = name.partition(":")[2]
        if kind.startswith("@"):
            types.append(DTYPES[ints[int(kind[1:])]])
        else:
            types.append(kind or DTYPES[common])
    return types


def _make_memory(size: int) -> Array:
    """Memory of an arena; tensors over parts of it keep it alive."""
    return np.empty(size, np.uint8)


def _tensor_over(memory: Array, offset: int, dtype: int, dims: tuple[int, ...]) -> torch.Tensor:
    kind = _NUMPY_BY_CODE[dtype]
    size = kind.itemsize
    for dim in dims:
        size *= dim
    return torch.from_numpy(memory[offset : offset + size].view(kind).reshape(dims))


def _fresh_tensor(dims: tuple[int, ...], dtype: int) -> torch.Tensor:
    return torch.empty(dims, dtype=_BY_CODE[dtype])


class Program(loading.ProgramBase):
    """Instructions over memory that is planned once for each tuple of sizes. `Builder.build` makes it.

    `run(inputs, buffers, arena=None)` returns a tuple of the outputs, or None **before anything was written** where a
    shape rule fails, memory is laid out as the runner cannot take it, or the work is too large to pay: whoever asked then
    runs what the program stands for in another way, which computes or raises the right error. It raises `RegionFailure`
    where an instruction refuses its inputs. Several threads may run a program at once.

    Outputs of kind "tensor" lie in an arena. With `arena = p.lease()` they are the same tensors in each run with that arena,
    and valid until `p.give_back(arena)`, after which it serves another step. Without an arena each run has its own, which
    lives as long as the tensors do: right, but slower.

    `profile(inputs, buffers, times)` runs it so often and returns a list of (number of the instruction, nanoseconds at least).

    Attributes:
        notes: an object an instruction.
    """

    notes: list[object]

    def __init__(
        self,
        values: Sequence[tuple[int, int, tuple[int, ...] | None, int]],
        constants: Sequence[Array],
        instructions: Sequence[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[float, ...]]],
        outputs: Sequence[tuple[int, int]],
        notes: list[object],
    ) -> None:
        super().__init__(values, constants, instructions, outputs)
        self.notes = notes

    def dump(self) -> str:
        """The instructions, with the sizes and the memory of the last run's values."""
        text: str = self.describe()
        return text


if not loading.why_not():
    # The runner knows neither torch nor NumPy but by what it is given here.
    _runner = loading.runner()
    _runner.configure(
        torch.Tensor,
        tuple(_BY_CODE),
        np.ndarray,
        tuple(_NUMPY_BY_CODE),
        tuple(kind.type for kind in _NUMPY_BY_CODE),
        np.empty,
        _make_memory,
        _tensor_over,
        _fresh_tensor,
        RegionFailure,
    )
    _runner.use_team(team_of_threads())
