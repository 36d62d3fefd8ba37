"""Layers of the stand-alone package: NumPy's seed decides their numbers, and their names count from 1."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from headrace.core.random_seed import missing_seeds
from headrace.keras.standalone.initializers import known_initializers
from headrace.keras.standalone.renames import Renames
from headrace.keras.standalone.stand_in import stand_in
from headrace.layers.core import Flatten

# Layers that run the program's own functions, whose operations have the seeds that the program gives them.
_OF_PROGRAMS = {"Lambda", "Layer"}


def seeds_by_numpy() -> AbstractContextManager[None]:
    """A context in which `np.random` draws the seeds of operations that are given none, as stand-alone Keras has it."""
    return missing_seeds(lambda: int(np.random.randint(10_000_000)))


def pass_flattening() -> None:
    """Draws the number that stand-alone Keras names an operation by where it flattens: those after it are then the same."""
    np.random.randint(10_000)


def named_from_one(base: Any) -> dict[str, Any]:
    """The member that names layers and models `dense_1`, `dense_2` and so on."""

    def _init_set_name(self: Any, name: Any, zero_based: bool = True) -> None:
        base._init_set_name(self, name, zero_based=False)

    return {"_init_set_name": _init_set_name}


def layer_stand_in(
    base: Any,
    renames: Renames | None = None,
    defaults: Mapping[str, object] | None = None,
    members: Mapping[str, object] | None = None,
) -> type:
    """The stand-alone package's layer of the name of one of `tf.keras`.

    Args:
        base: the layer of `tf.keras`.
        renames: how Keras 1 called the arguments.
        defaults: arguments of other defaults.
        members: further attributes.
    """

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        with seeds_by_numpy():
            if base is Flatten:
                pass_flattening()
            return base.__call__(self, *args, **kwargs)

    own = named_from_one(base)
    if base.__name__ not in _OF_PROGRAMS:
        own["__call__"] = __call__
    return stand_in(base, renames, defaults, members={**own, **(members or {})}, within=known_initializers)
