"""What variables of several replicas refuse: updates of some of their rows, which would leave the replicas out of step."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from headrace.state.variable_class import Variable


class WholeUpdatesOnly:
    """Variables that are assigned to as a whole; what 1.x's common class of variables leaves to others raises an error."""

    @property
    def constraint(self) -> Any:
        """Not known of the whole; its parts have one each.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            f"{type(self).__name__}.constraint: ask the parts, strategy.experimental_local_results(variable)."
        )


def _refusing(name: str) -> Callable[..., Any]:
    expected = signature(getattr(Variable, name))

    def refuse(self: Any, *args: Any, **kwargs: Any) -> Any:
        # Arguments that no variable takes are the first mistake.
        expected.bind(self, *args, **kwargs)
        raise NotImplementedError(
            f"{type(self).__name__}.{name}: a variable of several replicas is assigned to as a whole; update its parts with "
            f"strategy.extended.update(variable, lambda part: part.{name}(...))."
        )

    refuse.__name__, refuse.__doc__ = name, f"Raises NotImplementedError: `{name}` is for one part at a time."
    return refuse


for _name in [
    "batch_scatter_update",
    "count_up_to",
    "scatter_add",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_nd_add",
    "scatter_nd_sub",
    "scatter_nd_update",
    "scatter_sub",
    "scatter_update",
    "set_shape",
]:
    setattr(WholeUpdatesOnly, _name, _refusing(_name))
del _name
