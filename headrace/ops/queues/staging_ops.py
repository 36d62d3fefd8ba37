"""The ops of staging areas: Stage and its like, and their forms with keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.buffers import StateKey
from headrace.core.cases import Made, made
from headrace.core.errors import InvalidArgumentError, ResourceExhaustedError
from headrace.core.registry import KernelRule, OpDecl, op
from headrace.core.waiting import Attempt, Waitable
from headrace.kernels.queues.elements import Element, kept
from headrace.kernels.queues.handles import both
from headrace.kernels.state.handles import invalid

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


_LIMITS = "capacity: int >= 0 = 0, memory_limit: int >= 0 = 0"
_NAMES = "container='', shared_name=''"
# What is said of an area where elements pass, and where none does.
_FULL = f"{_LIMITS}, dtypes: list(type) >= 1, {_NAMES}"
_AREA = f"{_LIMITS}, dtypes: list(type) >= 0, {_NAMES}"


def _bytes(values: Element) -> int:
    return sum(value.nbytes for value in values)


class Staging(Waitable):
    """Elements in the order they came, or by key.

    Args:
        capacity: how many elements it holds; 0 for any number.
        memory_limit: how many bytes they may take; 0 for any number.
        width: how many components a full element has.
        ordered: whether an element without a key asked for is that of the least key.
    """

    def __init__(self, capacity: int, memory_limit: int, width: int, ordered: bool) -> None:
        super().__init__(2)
        self.capacity = capacity
        self.memory_limit = memory_limit
        self.width = width
        self.ordered = ordered
        self.entries: dict[int, dict[int, Any]] = {}
        self.bytes = 0
        self.next = 0

    def full(self) -> list[int]:
        """The keys of complete elements, in the order in which they are taken."""
        keys = [key for key, parts in self.entries.items() if len(parts) == self.width]
        return sorted(keys) if self.ordered else keys

    def forget(self) -> None:
        """Drops all elements."""
        with self.lock:
            self.entries.clear()
            self.bytes = 0
            self.advance_attempts()


class _PutAttempt(Attempt):
    __slots__ = ("indices", "key", "values")

    cancelled = "Stage operation was cancelled"
    state: Staging

    def __init__(self, staging: Staging, key: int | None, indices: list[int], values: Element) -> None:
        super().__init__(staging, staging.lanes[0])
        self.key = key
        self.indices = indices
        self.values = values

    def advance(self) -> bool:
        staging = self.state
        size = _bytes(self.values)
        if staging.memory_limit and size > staging.memory_limit:
            error = f"Attempted to insert tensors with combined size of '{size}' bytes into Staging Area with a memory "
            self.fail(ResourceExhaustedError(None, None, f"{error}limit of '{staging.memory_limit}'."))
            return True
        fresh = self.key is None or self.key not in staging.entries
        if fresh and staging.capacity and len(staging.full()) >= staging.capacity:
            return False
        if staging.memory_limit and staging.bytes + size > staging.memory_limit:
            return False
        key = self.key
        if key is None:
            key = staging.next
            staging.next += 1
        parts = staging.entries.setdefault(key, {})
        if any(index in parts for index in self.indices):
            self.fail(invalid(f"The tensor for index '{self.indices[0]}' for key '{key}' was already initialized"))
            return True
        parts.update(zip(self.indices, self.values, strict=True))
        staging.bytes += size
        self.finish(())
        return True


class _GetAttempt(Attempt):
    """Taking or looking at an element.

    Args:
        staging: where.
        pick: from the area to the key, None while it is not there.
        indices: which components; all by default.
        keep: whether they stay.
        keyed: whether the key is part of the result.
    """

    __slots__ = ("indices", "keep", "keyed", "pick")

    cancelled = "Unstage operation was cancelled"
    state: Staging

    def __init__(
        self,
        staging: Staging,
        pick: Callable[[Staging], int | None],
        indices: list[int] | None,
        keep: bool,
        keyed: bool = False,
    ) -> None:
        super().__init__(staging, staging.lanes[1])
        self.pick = pick
        self.indices = indices
        self.keep = keep
        self.keyed = keyed

    def advance(self) -> bool:
        staging = self.state
        key = self.pick(staging)
        if key is None:
            return False
        parts = staging.entries[key]
        indices = range(staging.width) if self.indices is None else self.indices
        missing = [index for index in indices if index not in parts]
        if missing:
            self.fail(invalid(f"Tensor at index '{missing[0]}' for key '{key}' has already been removed."))
            return True
        values = tuple(parts[index] for index in indices)
        if not self.keep:
            for index in indices:
                del parts[index]
            if not parts:
                del staging.entries[key]
            staging.bytes -= _bytes(values)
        self.finish((key, *values) if self.keyed else values)
        return True


def _area(node: NodeView) -> Staging:
    attrs = node.attrs
    ordered = node.type.startswith("Ordered")
    key = StateKey("staging", attrs["container"], attrs["shared_name"] or node.name)
    found: Staging = node.runtime.object(
        key, lambda: Staging(attrs["capacity"], attrs["memory_limit"], len(attrs["dtypes"]), ordered)
    )
    return found


def _waiting(node: NodeView, begin: Callable[..., Attempt]) -> Callable[..., Any]:
    wait = node.runtime.waits.wait

    def run(*inputs: Any) -> Any:
        return wait(begin(*inputs))

    run.start = begin  # type: ignore[attr-defined]  # `plan.waiting` calls it
    return run


def _declare(op_type: str, signature: str) -> OpDecl:
    decl = op(op_type, signature, stateful=True)
    return decl.on_host(*(arg.name for arg in decl.signature.inputs), outputs=True)


stage = _declare("Stage", f"values: *dtypes, *, {_FULL} ->").waits()
unstage = _declare("Unstage", f"*, {_FULL} -> values: *dtypes").waits()
stage_peek = _declare("StagePeek", f"index: int32, *, {_FULL} -> values: *dtypes").waits()
stage_size = _declare("StageSize", f"*, {_AREA} -> size: int32")
stage_clear = _declare("StageClear", f"*, {_AREA} ->")


def _first(staging: Staging) -> int | None:
    keys = staging.full()
    return keys[0] if keys else None


@stage.kernel
def stage_kernel(node: NodeView) -> Callable[..., Any]:
    area = _area(node)

    def begin(*values: Any) -> Attempt:
        element = tuple([kept(value) for value in values])
        return area.submit(_PutAttempt(area, None, list(range(len(values))), element))

    return _waiting(node, begin)


@unstage.kernel
def unstage_kernel(node: NodeView) -> Callable[..., Any]:
    area = _area(node)
    return _waiting(node, lambda: area.submit(_GetAttempt(area, _first, None, False)))


@stage_peek.kernel
def stage_peek_kernel(node: NodeView) -> Callable[..., Any]:
    area = _area(node)

    def begin(index: torch.Tensor) -> Attempt:
        place = int(index)

        def pick(staging: Staging) -> int | None:
            keys = staging.full()
            return keys[place] if place < len(keys) else None

        return area.submit(_GetAttempt(area, pick, None, True))

    return _waiting(node, begin)


def _size_kernel(incomplete: bool) -> KernelRule:
    def rule(node: NodeView) -> Callable[..., Any]:
        area = _area(node)

        def size() -> torch.Tensor:
            with area.lock:
                count = len(area.full())
                return torch.tensor(len(area.entries) - count if incomplete else count, dtype=torch.int32)

        return size

    return rule


def _clear_kernel(node: NodeView) -> Callable[..., Any]:
    area = _area(node)
    return lambda: area.forget()


stage_size.kernel(_size_kernel(False))
stage_clear.kernel(_clear_kernel)
stage_size.shape(lambda op: [()])


# ---- the forms with keys; those of OrderedMap go by the least key ----

_PUT = (
    f"key: int64, indices: int32, values: *fake_dtypes, *, {_LIMITS}, dtypes: list(type) >= 0, "
    f"fake_dtypes: list(type) >= 1, {_NAMES} ->"
)
_BY_KEY = f"key: int64, indices: int32, *, {_FULL} -> values: *dtypes"
_ANY = f"indices: int32, *, {_FULL} -> key: int64, values: *dtypes"
_SIZE = f"*, {_AREA} -> size: int32"
map_stage = (_declare("MapStage", _PUT), _declare("OrderedMapStage", _PUT))
map_peek = (_declare("MapPeek", _BY_KEY), _declare("OrderedMapPeek", _BY_KEY))
map_unstage = (_declare("MapUnstage", _BY_KEY), _declare("OrderedMapUnstage", _BY_KEY))
map_unstage_no_key = (_declare("MapUnstageNoKey", _ANY), _declare("OrderedMapUnstageNoKey", _ANY))
map_size = (_declare("MapSize", _SIZE), _declare("OrderedMapSize", _SIZE))
map_incomplete_size = (_declare("MapIncompleteSize", _SIZE), _declare("OrderedMapIncompleteSize", _SIZE))
map_clear = (_declare("MapClear", f"*, {_AREA} ->"), _declare("OrderedMapClear", f"*, {_AREA} ->"))
for _decl in (*map_stage, *map_peek, *map_unstage, *map_unstage_no_key):
    _decl.waits()


@both("kernel", *map_stage)
def map_stage_kernel(node: NodeView) -> Callable[..., Any]:
    area = _area(node)

    def begin(key: torch.Tensor, indices: torch.Tensor, *values: Any) -> Attempt:
        element = tuple([kept(value) for value in values])
        return area.submit(_PutAttempt(area, int(key), indices.tolist(), element))

    return _waiting(node, begin)


def _by_key_kernel(keep: bool) -> KernelRule:
    def rule(node: NodeView) -> Callable[..., Any]:
        area = _area(node)

        def begin(key: torch.Tensor, indices: torch.Tensor) -> Attempt:
            requested = int(key)

            def pick(staging: Staging) -> int | None:
                parts = staging.entries.get(requested)
                return requested if parts is not None and all(i in parts for i in indices.tolist()) else None

            return area.submit(_GetAttempt(area, pick, indices.tolist(), keep))

        return _waiting(node, begin)

    return rule


both("kernel", *map_peek)(_by_key_kernel(True))
both("kernel", *map_unstage)(_by_key_kernel(False))


class _GetWithKeyAttempt(_GetAttempt):
    __slots__ = ()

    def value(self) -> Any:
        key, *values = super().value()
        return (torch.from_numpy(np.array(key, np.int64)), *values)


@both("kernel", *map_unstage_no_key)
def map_unstage_no_key_kernel(node: NodeView) -> Callable[..., Any]:
    area = _area(node)
    return _waiting(node, lambda indices: area.submit(_GetWithKeyAttempt(area, _first, indices.tolist(), False, True)))


both("kernel", *map_size)(_size_kernel(False))
both("kernel", *map_incomplete_size)(_size_kernel(True))
both("shape", *map_size, *map_incomplete_size)(lambda op: [()])
both("kernel", *map_clear)(_clear_kernel)


# ---- examples ----


def _declare_cases() -> None:
    area = {"dtypes": ["float32", "int32"], "shared_name": "staged"}
    put, another = (made("Stage", [[2], np.int32(number)], **area) for number in (5, 6))
    size, taken = made("StageSize", **area), made("Unstage", **area)
    stage.accepts([[2], np.int32(5)], after=[size, taken], before=[made("StageClear", **area)], **area)
    small = {"memory_limit": 4, "dtypes": ["float32"], "shared_name": "small"}
    stage.rejects([[2]], error=ResourceExhaustedError, **small)
    unstage.accepts(before=[put, another], after=[size], **area)
    stage_peek.accepts(np.int32(1), before=[put, another], after=[size], **area)
    stage_size.accepts(before=[put, another], **area)
    stage_clear.accepts(before=[put, another], after=[size], **area)


def _declare_cases_with_keys(form: int, prefix: str) -> None:
    """The cases of one form, whose types begin with `prefix`."""
    area = {"dtypes": ["float32", "int32"], "shared_name": prefix}

    def put(key: int) -> Made:
        return made(prefix + "Stage", np.int64(key), np.array([0, 1], np.int32), [[2], np.int32(key)], **area)

    whole = np.array([0, 1], np.int32)
    first = made(prefix + "Stage", np.int64(7), np.array([0], np.int32), [[2]], **area)
    clear = made(prefix + "Clear", **area)
    sizes = [made(prefix + "Size", **area), made(prefix + "IncompleteSize", **area)]
    full, partial = [clear, put(5), put(3)], [clear, put(5), first]
    map_stage[form].accepts(np.int64(5), whole, [[2], np.int32(5)], before=[clear], after=sizes, **area)
    map_stage[form].accepts(np.int64(5), whole[:1], [[2]], before=[clear], after=sizes, **area)
    map_stage[form].rejects(np.int64(7), whole[:1], [[2]], before=partial, error=InvalidArgumentError, **area)
    map_peek[form].accepts(np.int64(5), whole, before=full, after=sizes, **area)
    map_unstage[form].accepts(np.int64(5), whole, before=full, after=sizes, **area)
    map_unstage_no_key[form].accepts(whole, before=full if prefix == "OrderedMap" else partial, after=sizes, **area)
    map_size[form].accepts(before=partial, **area)
    map_incomplete_size[form].accepts(before=partial, **area)
    map_clear[form].accepts(before=full, after=sizes, **area)


_declare_cases()
_declare_cases_with_keys(0, "Map")
_declare_cases_with_keys(1, "OrderedMap")
