"""`tf.app.flags`: absl's flags, with the argument names of 1.x, parsed at their first use if `tf.app.run` did not.

Before 1.5 the flags were argparse's: programs of then call `FLAGS._parse_flags()` and list `FLAGS.__flags`, which had plain
values. In 1.15 `FLAGS.__flags` has absl's flags; which of both a program expects shows in that call.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from absl import flags as _absl
from absl.flags import *  # noqa: F403 (the public names of absl.flags are those of tf.app.flags)

_OLD_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}


# The flags that programs define show in `--help` as theirs, not as this module's.
_absl.disclaim_key_flags()


class _Listing(MutableMapping[str, Any]):
    """`FLAGS.__flags`: absl's flags by name, or the values of the program's own once it has called `_parse_flags`."""

    def __init__(self, values: _absl.FlagValues) -> None:
        self._values = values
        self.is_plain = False

    def __getitem__(self, name: str) -> Any:
        flag = self._values[name]
        return flag.value if self.is_plain else flag

    def __setitem__(self, name: str, value: Any) -> None:
        if not self.is_plain:
            self._values[name] = value
        elif name in self._values:
            self._values[name].value = value
        else:
            # Programs of then added what they had found out, to be read as any flag.
            self._values[name] = _absl.Flag(_absl.ArgumentParser(), None, name, value, "")

    def __delitem__(self, name: str) -> None:
        delattr(self._values, name)

    def __iter__(self) -> Iterator[str]:
        if not self.is_plain:
            return iter(self._values)
        of_libraries = {
            flag.name
            for module, flags in self._values.flags_by_module_dict().items()
            if module.partition(".")[0] == "absl"
            for flag in flags
        }
        return iter([name for name in self._values if name not in of_libraries and len(name) > 1])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return repr(dict(self))


class _Flags:
    """absl's FLAGS, parsed from the command line when a flag is first read."""

    def __init__(self, values: _absl.FlagValues) -> None:
        self.__dict__.update({"_values": values, "__flags": _Listing(values), "__parsed": False})

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__["_values"]
        if not values.is_parsed():
            self._parse_flags_of(sys.argv)
        return getattr(values, name)

    def _parse_flags_of(self, args: list[str]) -> list[str]:
        left = self._values(args, known_only=True)
        self.__dict__["__parsed"] = True
        return left

    def _parse_flags(self, args: list[str] | None = None) -> None:
        """Parses the command line, as programs did themselves before 1.5.

        Args:
            args: the arguments; those of the process by default.
        """
        self._parse_flags_of([sys.argv[0], *(sys.argv[1:] if args is None else args)])
        self.__dict__["__flags"].is_plain = True

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
