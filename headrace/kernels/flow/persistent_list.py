"""Lists whose versions all stay readable, at the cost of an ordinary list where only the newest is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from headrace.kernels.data.optional import Optional
    from headrace.kernels.flow.tensor_list import TensorList


# How many changes are undone rather than the list copied.
_NEAR = 8


class _Change:
    """What to undo for an older version: at `index` stood `value`, or nothing where `absent`."""

    __slots__ = ("absent", "index", "newer", "value")

    def __init__(
        self,
        newer: PersistentList,
        index: int,
        value: Optional | TensorList | torch.Tensor | None,
        absent: bool = False,
    ) -> None:
        self.newer, self.index, self.value, self.absent = newer, index, value, absent


class PersistentList:
    """One version of a list.

    All versions of a list share one Python list, which has the elements of one of them; the others know how they differ
    from the next (Baker's rerooting arrays). Setting, pushing and popping therefore take constant time as long as no one
    goes back to an older version; going back undoes the changes in between, or copies the list where these are many.

    Args:
        items: the elements; the list is taken over.
    """

    __slots__ = ("_change", "_items")

    def __init__(self, items: list[Any]) -> None:
        self._items: list[Any] | None = items
        self._change: _Change | None = None

    def items(self) -> list[Any]:
        """The elements of this version, to be read before another version is made or read."""
        if self._items is None:
            self._reroot()
        assert self._items is not None
        return self._items

    def _reroot(self) -> None:
        path: list[PersistentList] = []
        version = self
        while version._items is None:
            path.append(version)
            assert version._change is not None
            version = version._change.newer
        if len(path) > _NEAR:
            self._fork(path, version._items)
            return
        items = version._items
        for older in reversed(path):
            change = older._change
            assert change is not None
            newer, index = change.newer, change.index
            if change.absent:
                newer._change = _Change(older, index, items.pop())
            elif index == len(items):
                items.append(change.value)
                newer._change = _Change(older, index, None, absent=True)
            else:
                newer._change = _Change(older, index, items[index])
                items[index] = change.value
            newer._items = None
            older._items, older._change = items, None

    def _fork(self, path: list[PersistentList], newest: list[Any]) -> None:
        """Takes a list of its own, which older versions then share: whoever goes back and forth would undo changes each time.

        Args:
            path: this version and those after it up to the one whose elements are known, `newest`.
        """
        items = newest.copy()
        for older in reversed(path):
            change = older._change
            assert change is not None
            if change.absent:
                items.pop()
            elif change.index == len(items):
                items.append(change.value)
            else:
                items[change.index] = change.value
        self._items, self._change = items, None

    def _hand_over(
        self, index: int, value: Optional | TensorList | torch.Tensor | None, absent: bool = False
    ) -> PersistentList:
        made = PersistentList(self.items())
        self._items, self._change = None, _Change(made, index, value, absent)
        return made

    def pushed(self, value: Optional | TensorList | torch.Tensor) -> PersistentList:
        """The version with one more element at the end."""
        items = self.items()
        made = self._hand_over(len(items), None, absent=True)
        items.append(value)
        return made

    def popped(self) -> tuple[PersistentList, Any]:
        """The version without the last element, and that element."""
        items = self.items()
        value = items[-1]
        made = self._hand_over(len(items) - 1, value)
        items.pop()
        return made, value

    def replaced(self, index: int, value: torch.Tensor) -> PersistentList:
        """The version with another element at `index`."""
        items = self.items()
        made = self._hand_over(index, items[index])
        items[index] = value
        return made

    def __len__(self) -> int:
        return len(self.items())
