"""What is wrong with settings from a file, told with the class whose settings they are."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

# What Python raises where settings lack an entry or hold another kind of value. A `TypeError`, Keras' own answer to
# arguments of another kind, stays one.
_FAULTS = (KeyError, IndexError, AttributeError, ArithmeticError, AssertionError, RecursionError)
_TOLD = "The settings of "
_OURS = __name__.partition(".")[0] + "."


class MissingEntryError(ValueError, KeyError):
    """Settings lack an entry: a `ValueError` as other faults of settings are, and a `KeyError` as in 1.15."""

    def __str__(self) -> str:
        # A KeyError shows what it was given in quotes.
        return str(self.args[0])


@contextlib.contextmanager
def faults_of_settings(what: str) -> Iterator[None]:
    """Tells of settings that cannot be read as a `ValueError`, and of whom in a `TypeError`.

    Errors that come from functions of the program, such as the `from_config` of its own layer, stay as they are.

    Args:
        what: whose settings they are, as it stands in the error.

    Raises:
        ValueError: for a `KeyError`, `AttributeError` and the like on the way.
        TypeError: for one on the way.
    """
    try:
        yield
    except TypeError as error:
        if not _arose_here(error) or str(error).startswith(_TOLD):
            raise
        raise TypeError(f"{_TOLD}{what} are not ones that it takes: {error}") from error
    except _FAULTS as error:
        if isinstance(error, ValueError) or not _arose_here(error):
            raise
        if isinstance(error, KeyError):
            raise MissingEntryError(
                f"{_TOLD}{what} are not ones that it takes: the entry {error} is missing"
            ) from error
        told = str(error) or type(error).__name__
        raise ValueError(f"{_TOLD}{what} are not ones that it takes: {told}") from error


def _arose_here(error: BaseException) -> bool:
    """Whether no function of a program was being called when it was raised."""
    frame = error.__traceback__
    while frame is not None:
        if not f"{frame.tb_frame.f_globals.get('__name__')}.".startswith(_OURS):
            return False
        frame = frame.tb_next
    return True
