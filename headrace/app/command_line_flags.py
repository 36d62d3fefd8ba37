"""`tf.app.flags`: absl's flags, with the argument names of 1.x, parsed at their first use if `tf.app.run` did not."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from absl import flags as _absl
from absl.flags import *  # noqa: F403 (the public names of absl.flags are those of tf.app.flags)

_OLD_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}


class _Flags:
    """absl's FLAGS, parsed from the command line when a flag is first read."""

    def __init__(self, values: _absl.FlagValues) -> None:
        object.__setattr__(self, "_values", values)

    def __getattr__(self, name: str) -> Any:
        values = object.__getattribute__(self, "_values")
        if not values.is_parsed():
            values(sys.argv, known_only=True)
        return getattr(values, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._values, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._values, name)

    def __dir__(self) -> list[str]:
        return dir(self._values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __setitem__(self, name: str, flag: Any) -> None:
        self._values[name] = flag

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __call__(self, *args: Any, **kwargs: Any) -> list[str]:
        return self._values(*args, **kwargs)


FLAGS = _Flags(_absl.FLAGS)  # type: ignore[assignment]  # absl's own is wrapped


def _with_old_names(define: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(define)
    def defined(*args: Any, **kwargs: Any) -> Any:
        return define(*args, **{_OLD_NAMES.get(key, key): value for key, value in kwargs.items()})

    return defined


DEFINE_string = _with_old_names(_absl.DEFINE_string)
DEFINE_boolean = _with_old_names(_absl.DEFINE_boolean)
DEFINE_bool = DEFINE_boolean
DEFINE_float = _with_old_names(_absl.DEFINE_float)
DEFINE_integer = _with_old_names(_absl.DEFINE_integer)
DEFINE_enum = _with_old_names(_absl.DEFINE_enum)
DEFINE_list = _with_old_names(_absl.DEFINE_list)
