"""A collective as the members of one plan take part in it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from headrace.core.errors import DeadlineExceededError
from headrace.core.waiting import Attempt, Waitable, Waits, with_deadline

if TYPE_CHECKING:
    from headrace.core.dims import Dims

TIMEOUT_VARIABLE = "HEADRACE_COLLECTIVE_TIMEOUT_SECONDS"
_DEFAULT_TIMEOUT = 600.0

REDUCE, GATHER, BROADCAST = "reduce", "gather", "broadcast"


@dataclass(frozen=True)
class Collective:
    """What some members of a group, those of one plan, take part in.

    Attributes:
        kind: REDUCE, GATHER or BROADCAST.
        group: which devices take part: those whose collectives name the same group.
        size: how many members the group has.
        instance: which collective of the group this is.
        members: the names of the devices that this part stands for, each once.
        dtype: the type of the elements.
        dims: the shape of what is broadcast.
        merge: how values are reduced: "Add", "Mul", "Min" or "Max".
        final: what is done to the result: "Id", or "Div" by the number of members.
        hint: what carries it between processes: "auto", "ring" or "nccl".
        sender: which of the members broadcasts, -1 if none of these does.
        count: how many reductions go together: the values of all members for the first, for the second and so on.
    """

    kind: str
    group: Hashable
    size: int
    instance: int
    members: tuple[str, ...]
    dtype: torch.dtype
    dims: Dims = None
    merge: str = "Add"
    final: str = "Id"
    hint: str = "auto"
    sender: int = -1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.kind} {self.instance} of group {self.group} of {self.size}"

    @property
    def is_complete(self) -> bool:
        """Whether all members of the group are in this part."""
        return len(self.members) == self.size


def timeout_seconds() -> float:
    """How long members wait for each other.

    Raises:
        ValueError: if the environment variable is no number above 0.
    """
    text = os.environ.get(TIMEOUT_VARIABLE, "")
    try:
        seconds = float(text) if text else _DEFAULT_TIMEOUT
    except ValueError:
        seconds = 0.0
    if seconds <= 0:
        raise ValueError(f"{TIMEOUT_VARIABLE} must be a number of seconds above 0, got {text!r}")
    return seconds


class CollectiveAttempt(Attempt):
    """One part's share of a collective that is under way.

    Args:
        collective: which.
        present: says which members are known to have come, for whom waits in vain.

    Attributes:
        deadline: until when the others are waited for, a time of `time.perf_counter`.
        given_up: is called if nobody waits for it any more.
    """

    __slots__ = ("_there", "collective", "deadline", "given_up", "present")

    def __init__(self, collective: Collective, present: Callable[[], Sequence[str]]) -> None:
        state = Waitable()
        super().__init__(state, state.lanes[0])
        self.lane.append(self)
        self.collective, self.present = collective, present
        self.deadline = time.perf_counter() + timeout_seconds()
        self.given_up: Callable[[], None] = _nothing
        self._there: Sequence[str] = ()

    def advance(self) -> bool:
        return False

    def undo(self) -> None:
        self._there = sorted(self.present())
        self.given_up()

    def end(self, values: Sequence[torch.Tensor] | None, error: Exception | None = None) -> None:
        """Ends it with what each of its members gets, or with an error."""
        with self.state.lock:
            if self.done:
                return
            self.lane.clear()
            if error is None:
                self.finish(values)
            else:
                self.fail(error)

    def too_late(self) -> DeadlineExceededError:
        """The error of a collective to which not all have come in time."""
        collective = self.collective
        there = self._there
        return DeadlineExceededError(
            None,
            None,
            f"Collective {collective} has waited for members that did not come in time: {len(there)} of "
            f"{collective.size} are there ({', '.join(there)}). Every member has to run the same collectives in each step; "
            f"{TIMEOUT_VARIABLE} says how long they wait for each other.",
        )


def _nothing() -> None:
    """What giving up does where nobody else has to know."""


def wait_for(attempt: CollectiveAttempt, waits: Waits) -> Sequence[torch.Tensor]:
    """Waits until the members have met; returns what each member of the part gets.

    Raises:
        DeadlineExceededError: if they do not in time.
        OpError: whatever the collective fails with.
    """
    try:
        with with_deadline(attempt.deadline):
            found: Sequence[torch.Tensor] = waits.wait(attempt)
    except DeadlineExceededError as error:
        if attempt.error is error:
            raise
        raise attempt.too_late() from None
    return found
