"""Which sizes in an iteration of a loop are the same, though none of them is known while planning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast

from headrace.core.dims import Dims
from headrace.plan.ir import Node, Region, Value, input_positions

if TYPE_CHECKING:
    from headrace.core.planning_facts import SizeRelations


class Size:
    """A size that is not known; `same` is one that it equals."""

    __slots__ = ("number", "same")

    def __init__(self, number: int | None = None) -> None:
        self.number = number
        self.same: Size | None = None

    def root(self) -> Size:
        """What stands for all sizes that equal this one."""
        size = self
        while size.same is not None:
            size = size.same
        return size


Shape = tuple[Size, ...]


class EqualSizes:
    """The sizes of all values of an iteration, as far as their ranks are known.

    What is derived holds in each iteration that went well: joining two tensors, say, would have failed had their other
    sizes been different.

    Args:
        loop: the loop.
    """

    def __init__(self, loop: Node) -> None:
        assert loop.region is not None
        region = loop.region
        alike = _begun_alike(loop, region)
        while True:
            self._numbers: dict[int, Size] = {}
            self._of: dict[Value, Shape | None] = {}
            # Pairs of sizes that meet, and what broadcasting makes of them.
            self._met: list[tuple[Size, Size, Size]] = []
            for group in alike:
                self.all_same([region.variables[i] for i in group])
            for node in region.nodes:
                if not node.guard and node.region is None:
                    self._derive(node)
            self._close()
            # Variables that begin with one value have one shape for as long as each iteration leaves it so.
            left = [group for group in alike if self._are_same([region.nexts[i] for i in group])]
            if len(left) == len(alike):
                return
            alike = left

    def _are_same(self, values: Sequence[Value]) -> bool:
        shapes = [self.of(value) for value in values]
        roots = [None if shape is None else [size.root() for size in shape] for shape in shapes]
        return roots[0] is not None and all(other == roots[0] for other in roots[1:])

    def keeps_its_shape(self, ours: Shape | None, theirs: Shape | None) -> bool:
        """Whether broadcasting a tensor of the first shape against one of the second leaves its shape alone."""
        if ours is None or theirs is None or len(theirs) > len(ours):
            return False
        for own, met in zip(reversed(ours), reversed(theirs), strict=False):
            own, met = own.root(), met.root()
            if own is not met and met.number != 1 and (own.number is None or own.number == 1):
                return False
        return True

    def numbers(self, sizes: Iterable[int]) -> Shape:
        """A shape that is known."""
        return tuple(self._size(int(size)) for size in sizes)

    def of(self, value: Value) -> Shape | None:
        """The sizes of a value."""
        if value not in self._of:
            dims: Dims = value.dims if value.constant is None else value.constant.shape
            self._of[value] = None if dims is None else tuple(self._size(dim) for dim in dims)
        return self._of[value]

    def _size(self, dim: int | None) -> Size:
        if dim is None:
            return Size()
        return self._numbers.setdefault(dim, Size(dim))

    def same(self, one: Size, other: Size) -> bool:
        """Notes that two sizes are the same; says whether that is new."""
        one, other = one.root(), other.root()
        # Two numbers: the iteration fails.
        if one is other or (one.number is not None and other.number is not None):
            return False
        if one.number is not None:
            one, other = other, one
        one.same = other
        return True

    def all_same(self, values: Sequence[Value], but: int | None = None) -> None:
        """Notes that the values have one shape, save along an axis."""
        shapes = [shape for shape in map(self.of, values) if shape is not None]
        for shape in shapes[1:]:
            if len(shape) == len(shapes[0]):
                for axis, (one, other) in enumerate(zip(shapes[0], shape, strict=True)):
                    if axis != but:
                        self.same(one, other)

    def _derive(self, node: Node) -> None:
        decl = node.decl
        if decl.broadcasts:
            self._broadcast(node)
        elif decl.same_shape:
            alike = [node.inputs[i] for i in input_positions(node, decl.same_shape)]
            self.all_same([*alike, node.outputs[0]])
        elif decl.equal_sizes_rule is not None:
            # Rules hand on what they were given: values of this plan.
            decl.equal_sizes_rule(node, cast("SizeRelations", self))

    def _broadcast(self, node: Node) -> None:
        whole = self.of(node.outputs[0])
        parts = [self.of(value) for value in node.inputs]
        if whole is None or any(part is None for part in parts):
            return
        for axis in range(1, len(whole) + 1):
            sizes = [part[-axis] for part in parts if part is not None and axis <= len(part)]
            if len(sizes) == 1:
                self.same(sizes[0], whole[-axis])
            else:
                self._met.append((sizes[0], sizes[1], whole[-axis]))

    def _close(self) -> None:
        """Draws what follows from the broadcasts: each part is 1 or the whole, so parts and wholes in a circle are the same."""
        changed = bool(self._met)
        while changed:
            changed = False
            wider: dict[Size, list[Size]] = {}
            for one, other, whole in self._met:
                one, other, whole = one.root(), other.root(), whole.root()
                if one is other or one.number == 1:
                    changed = self.same(other, whole) or changed
                elif other.number == 1:
                    changed = self.same(one, whole) or changed
                else:
                    for part in (one, other):
                        if part.number is not None or whole.number == 1:
                            changed = self.same(part, whole) or changed
                        elif part is not whole:
                            wider.setdefault(part, []).append(whole)
            for circle in _circles(wider):
                for size in circle[1:]:
                    changed = self.same(size, circle[0]) or changed


def _begun_alike(loop: Node, region: Region) -> list[list[int]]:
    """The loop variables that begin with the same value, those of each value together."""
    groups: dict[Value, list[int]] = {}
    for i, value in enumerate(loop.inputs[: len(region.variables)]):
        if region.variables[i].dims:
            groups.setdefault(value, []).append(i)
    return [group for group in groups.values() if len(group) > 1]


def _circles(following: dict[Size, list[Size]]) -> list[list[Size]]:
    """The sizes from each of which one comes to each other, those that lie together in one list."""
    ended: list[Size] = []
    seen: set[Size] = set()
    before: dict[Size, list[Size]] = {}
    for start in following:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(following[start]))]
        while stack:
            size, rest = stack[-1]
            for other in rest:
                before.setdefault(other, []).append(size)
                if other not in seen:
                    seen.add(other)
                    stack.append((other, iter(following.get(other, ()))))
                    break
            else:
                ended.append(size)
                stack.pop()
    # Backwards from what ended last.
    circles = []
    taken: set[Size] = set()
    for start in reversed(ended):
        if start in taken:
            continue
        taken.add(start)
        circle = [start]
        for size in circle:
            for other in before.get(size, ()):
                if other not in taken:
                    taken.add(other)
                    circle.append(other)
        if len(circle) > 1:
            circles.append(circle)
    return circles
