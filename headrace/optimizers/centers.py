"""Optimizers of workers that train their own variables, and now and then exchange them with shared ones.

A custom getter makes each trainable variable three times: the worker's own, which is trained; the shared "center", a global
variable; and one beside the worker's own of which each algorithm keeps something else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import colocate_with, device
from headrace.core.registry import raw
from headrace.ops.math.division import floormod
from headrace.optimizers.optimizer import Optimizer
from headrace.sessions.session_run_hook import SessionRunHook
from headrace.state.collecting import global_variables_initializer, local_variables_initializer
from headrace.state.updates import assign_add
from headrace.state.variable_scope import get_variable

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike
    from headrace.sessions.coordinator import Coordinator
    from headrace.state.variables import Variable


# Where the variables shared by all workers are, and those each has beside its own.
GLOBAL_VARIABLE_NAME = "global_center_variable"
LOCAL_VARIABLE_NAME = "local_center_variable"
GRAD_VARIABLE_NAME = "grad_variable"
GLOBAL_STEP = "global_step"


def _parts(variable: Variable, partitioned: bool) -> list[Any]:
    return list(variable) if partitioned else [variable]


class CenterGetter:
    """Makes the worker's variable, the center, and a third one, whose names begin with `beside`."""

    beside: str

    def __init__(self, worker_device: Any) -> None:
        self._worker_device = worker_device
        self._global_map: dict[Any, Any] = {}
        self._local_map: dict[Any, Any] = {}

    def _trained(self, getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
        local = [GraphKeys.LOCAL_VARIABLES]
        with device(self._worker_device):
            own = getter(name, *args, trainable=True, collections=local, **kwargs)
        if kwargs["reuse"] is True:
            return own
        shared = {"trainable": False, **kwargs}
        center = getter(f"{GLOBAL_VARIABLE_NAME}/{name}", *args, collections=[GraphKeys.GLOBAL_VARIABLES], **shared)
        with device(self._worker_device):
            third = getter(f"{self.beside}/{name}", *args, collections=local, **shared)
        partitioned = kwargs["partitioner"] is not None
        of_each = zip(*(_parts(variable, partitioned) for variable in (own, center, third)), strict=True)
        for one, its_center, its_third in of_each:
            self._global_map[one], self._local_map[one] = its_center, its_third
        return own


class PlacingGetter:
    """What is not trained is made on the worker if it is local."""

    _worker_device: Any

    def _non_trainable(
        self, getter: Callable[..., Any], name: str, trainable: bool, collections: Any, *args: Any, **kwargs: Any
    ) -> Any:
        kwargs.update(trainable=trainable, collections=collections)
        if GraphKeys.LOCAL_VARIABLES in collections:
            with device(self._worker_device):
                return getter(name, *args, **kwargs)
        return getter(name, *args, **kwargs)


class InitHook(SessionRunHook):
    """Gives the worker's variables the values of the centers when a session begins."""

    def __init__(self, make_init_op: Callable[[], Any], is_chief: bool) -> None:
        self._make_init_op = make_init_op
        self._is_chief = is_chief

    def begin(self) -> None:
        self._local_init_op = local_variables_initializer()
        self._global_init_op = global_variables_initializer() if self._is_chief else None
        self._variable_init_op = self._make_init_op()


class InitialExchange(InitHook):
    def after_create_session(self, session: SessionLike, coord: Coordinator) -> None:
        session.run(self._variable_init_op)


class PeriodicOptimizer(Optimizer):
    """An optimizer of the worker's variables that counts its steps, to exchange something after so many."""

    def __init__(self, opt: Optimizer, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._local_step = get_variable(
            initializer=0, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES], name="local_step"
        )
        opt._prepare()

    def _count_step(self) -> Any:
        return assign_add(self._local_step, 1, name="local_step_update").op

    def _is_due(self, period: int) -> Any:
        return raw.Equal(floormod(self._local_step, period), 0)


def count_up(global_step: Any) -> list[Any]:
    if global_step is None:
        return []
    with colocate_with(global_step):
        return [assign_add(global_step, 1)]
