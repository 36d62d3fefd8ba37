"""The ops of staging areas: Stage and its like, and their forms with keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from headrace.core.registry import OpDecl, op
from headrace.core.waiting import Attempt, Waitable
from headrace.ops.queues.elements import Element, kept
from headrace.ops.state.common import invalid

_ATTRS = (
    "capacity: int >= 0 = 0, memory_limit: int >= 0 = 0, dtypes: list(type) >= {least}, container='', shared_name=''"
)


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
            self.settle()


class _Put(Attempt):
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
            from headrace.core.errors import ResourceExhaustedError

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


class _Get(Attempt):
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


def _area(node: Any, ordered: bool = False) -> Staging:
    attrs = node.attrs
    key = ("staging", attrs["container"], attrs["shared_name"] or node.name)
    found: Staging = node.runtime.object(
        key, lambda: Staging(attrs["capacity"], attrs["memory_limit"], len(attrs["dtypes"]), ordered)
    )
    return found


def _waiting(node: Any, begin: Callable[..., Attempt]) -> Callable[..., Any]:
    wait = node.runtime.waits.wait

    def run(*inputs: Any) -> Any:
        return wait(begin(*inputs))

    run.start = begin  # type: ignore[attr-defined]
    return run


def _declare(op_type: str, inputs: str, outputs: str, least: int, fake: str = "") -> OpDecl:
    attrs = _ATTRS.format(least=least).replace("container", f"{fake}container")
    separator = ", " if inputs else ""
    decl = op(op_type, f"{inputs}{separator}*, {attrs} -> {outputs}".strip(), stateful=True)
    return decl.on_host(*(arg.name for arg in decl.signature.inputs), outputs=True)


stage = _declare("Stage", "values: *dtypes", "", 1).waits()
unstage = _declare("Unstage", "", "values: *dtypes", 1).waits()
stage_peek = _declare("StagePeek", "index: int32", "values: *dtypes", 1).waits()
stage_size = _declare("StageSize", "", "size: int32", 0)
stage_clear = _declare("StageClear", "", "", 0)


def _first(staging: Staging) -> int | None:
    keys = staging.full()
    return keys[0] if keys else None


@stage.kernel
def stage_kernel(node: Any) -> Callable[..., Any]:
    area = _area(node)

    def begin(*values: Any) -> Attempt:
        element = tuple([kept(value) for value in values])
        return area.submit(_Put(area, None, list(range(len(values))), element))

    return _waiting(node, begin)


@unstage.kernel
def unstage_kernel(node: Any) -> Callable[..., Any]:
    area = _area(node)
    return _waiting(node, lambda: area.submit(_Get(area, _first, None, False)))


@stage_peek.kernel
def stage_peek_kernel(node: Any) -> Callable[..., Any]:
    area = _area(node)

    def begin(index: torch.Tensor) -> Attempt:
        place = int(index)

        def pick(staging: Staging) -> int | None:
            keys = staging.full()
            return keys[place] if place < len(keys) else None

        return area.submit(_Get(area, pick, None, True))

    return _waiting(node, begin)


def _size_kernel(incomplete: bool) -> Callable[[Any], Callable[..., Any]]:
    def rule(node: Any) -> Callable[..., Any]:
        area = _area(node, node.type.startswith("Ordered"))

        def size() -> torch.Tensor:
            with area.lock:
                count = len(area.full())
                return torch.tensor(len(area.entries) - count if incomplete else count, dtype=torch.int32)

        return size

    return rule


def _clear_kernel(node: Any) -> Callable[..., Any]:
    area = _area(node, node.type.startswith("Ordered"))
    return lambda: area.forget()


stage_size.kernel(_size_kernel(False))
stage_clear.kernel(_clear_kernel)
stage_size.shape(lambda op: [()])


def _declare_map(prefix: str) -> None:
    """The forms with keys; those of OrderedMap go by the least key."""
    ordered = bool(prefix)
    put = _declare(
        f"{prefix}MapStage",
        "key: int64, indices: int32, values: *fake_dtypes",
        "",
        0,
        "fake_dtypes: list(type) >= 1, ",
    ).waits()
    peek = _declare(f"{prefix}MapPeek", "key: int64, indices: int32", "values: *dtypes", 1).waits()
    take = _declare(f"{prefix}MapUnstage", "key: int64, indices: int32", "values: *dtypes", 1).waits()
    take_any = _declare(f"{prefix}MapUnstageNoKey", "indices: int32", "key: int64, values: *dtypes", 1).waits()
    sizes = [_declare(f"{prefix}Map{kind}", "", "size: int32", 0) for kind in ("Size", "IncompleteSize")]
    clear = _declare(f"{prefix}MapClear", "", "", 0)

    @put.kernel
    def put_kernel(node: Any) -> Callable[..., Any]:
        area = _area(node, ordered)

        def begin(key: torch.Tensor, indices: torch.Tensor, *values: Any) -> Attempt:
            element = tuple([kept(value) for value in values])
            return area.submit(_Put(area, int(key), indices.tolist(), element))

        return _waiting(node, begin)

    def by_key(keep: bool) -> Callable[[Any], Callable[..., Any]]:
        def rule(node: Any) -> Callable[..., Any]:
            area = _area(node, ordered)

            def begin(key: torch.Tensor, indices: torch.Tensor) -> Attempt:
                wanted = int(key)

                def pick(staging: Staging) -> int | None:
                    parts = staging.entries.get(wanted)
                    return wanted if parts is not None and all(i in parts for i in indices.tolist()) else None

                return area.submit(_Get(area, pick, indices.tolist(), keep))

            return _waiting(node, begin)

        return rule

    peek.kernel(by_key(True))
    take.kernel(by_key(False))

    @take_any.kernel
    def take_any_kernel(node: Any) -> Callable[..., Any]:
        area = _area(node, ordered)

        class Taking(_Get):
            __slots__ = ()

            def value(self) -> Any:
                key, *values = super().value()
                return (torch.from_numpy(np.array(key, np.int64)), *values)

        return _waiting(node, lambda indices: area.submit(Taking(area, _first, indices.tolist(), False, True)))

    for decl, incomplete in zip(sizes, (False, True), strict=True):
        decl.kernel(_size_kernel(incomplete))
        decl.shape(lambda op: [()])
    clear.kernel(_clear_kernel)


_declare_map("")
_declare_map("Ordered")
