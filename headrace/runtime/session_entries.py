"""Plans as a session keeps them: by which key, with feeds in and fetches out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.tensor import Tensor
from headrace.plan.plan import Plan

if TYPE_CHECKING:
    from headrace.core.typing import Fetches

# So many plans a session keeps, of about 24 kB each beside their constants.
MOST_ENTRIES = 4096


@dataclass(slots=True)
class Entry:
    """A plan with what surrounds it: feeds in, fetches out.

    Attributes:
        plan, function: the plan and its function.
        feeders: for each fed tensor, from the value fed to the kernels' value.
        expand: from the values of `feed_dict` to one value a fed tensor, where some are composite.
        outputs: for each fetched tensor, from the kernels' value to NumPy's.
        fetched: the fetched tensors.
        build: from those to the structure asked for.
        single: whether that structure is the one value itself.
        changes: the state of the graph the plan rests on.
        keep: what the key of this entry refers to, kept alive so that no other object takes its identity.
    """

    plan: Plan
    function: Callable[..., Any]
    feeders: list[Callable[[Any], Any]]
    expand: Callable[[Any], list[Any]] | None
    outputs: list[Callable[[Any], Any]]
    fetched: list[Tensor]
    build: Callable[[list[Any]], Any]
    single: bool
    changes: int
    keep: Any


def with_operations(build: Callable[[list[Any]], Any], positions: list[int | None]) -> Callable[[list[Any]], Any]:
    """`build` of the values in their positions, with None for operations."""
    if all(position == i for i, position in enumerate(positions)):
        return build
    return lambda values: build([None if position is None else values[position] for position in positions])


def first_unfit(entry: Entry, results: Sequence[Any]) -> Tensor:
    """The first fetched tensor whose value cannot be given its form: asked for when one of them could not."""
    for tensor, output, result in zip(entry.fetched, entry.outputs, results, strict=True):
        try:
            output(result)
        except Exception:  # noqa: BLE001  it has been raised before, and is told of this tensor
            return tensor
    return entry.fetched[-1]


def is_plain(fetch: Any) -> bool:
    """Whether a fetch stands for one tensor's value as it is."""
    return isinstance(fetch, (Tensor, str, bytes)) or hasattr(fetch, "_as_graph_element")


def frozen(fetches: Fetches) -> Any:
    """What stands for fetches in a key: hashable, and another thing for another structure."""
    if isinstance(fetches, (list, tuple)):
        return (type(fetches), *[frozen(item) for item in fetches])
    if isinstance(fetches, Mapping):
        return (type(fetches), *[(key, frozen(value)) for key, value in fetches.items()])
    try:
        hash(fetches)
    except TypeError:
        return id(fetches)
    return fetches


def has_tuples(fetches: Fetches) -> bool:
    """Whether a fetch is a tuple, or a list with one in it."""
    if isinstance(fetches, tuple):
        return True
    return isinstance(fetches, list) and any(has_tuples(item) for item in fetches)


def feed_keys(feed_dict: Any) -> tuple[Any, ...]:
    """What is fed.

    Raises:
        TypeError: if it does not come as a dictionary.
    """
    if not feed_dict:
        return ()
    check_feeds(feed_dict)
    return tuple(feed_dict)


def check_feeds(feed_dict: Any) -> None:
    """Raises TypeError where feeds do not come as a dictionary."""
    if feed_dict is not None and not isinstance(feed_dict, Mapping):
        raise TypeError(f"feed_dict must be a dictionary, got {type(feed_dict).__name__}: {feed_dict!r}")


def batch_size_of(feed_dict: Mapping[Any, Any] | None) -> int:
    """The largest first dimension among the fed arrays."""
    return max(
        (len(value) for value in (feed_dict or {}).values() if isinstance(value, np.ndarray) and value.ndim), default=1
    )


def split_feeds(splits: Sequence[Any], values: Any) -> list[Any]:
    """A value for each fed tensor, of values of which some are composite."""
    out: list[Any] = []
    for split, value in zip(splits, values, strict=True):
        if split is None:
            out.append(value)
        else:
            out.extend(split(value))
    return out
