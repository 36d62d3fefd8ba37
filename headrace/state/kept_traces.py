"""What a traced function tells of its traces to those who know 1.x's own attributes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from headrace.state.concrete_function import ConcreteFunction


class FunctionCache(NamedTuple):
    """The traces of a function.

    Attributes:
        primary: those for exactly the sizes of a call, by what distinguishes them.
        arg_relaxed: those that serve several sizes, with `experimental_relax_shapes`.
    """

    primary: dict[Any, ConcreteFunction]
    arg_relaxed: dict[Any, ConcreteFunction]


class KeptTraces:
    """The part of a traced function that shows its traces."""

    _traces: dict[Any, ConcreteFunction]
    _relaxed: dict[Any, tuple[list[Any], ConcreteFunction]]

    if TYPE_CHECKING:

        def _for(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[ConcreteFunction, list[Any]]: ...

        def outermost_traces(self) -> list[ConcreteFunction]:
            """Its traces outside of other functions."""

    @property
    def _function_cache(self) -> FunctionCache:
        relaxed = {key: trace for key, (_, trace) in self._relaxed.items()}
        served = {id(trace) for trace in relaxed.values()}
        exact = {key: trace for key, trace in self._traces.items() if id(trace) not in served}
        return FunctionCache(exact, relaxed)

    def _get_concrete_function_internal(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        return self._get_concrete_function_internal_garbage_collected(*args, **kwargs)

    def _get_concrete_function_internal_garbage_collected(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        signature = getattr(self, "_input_signature", None)
        return self._for(signature if signature is not None and not args and not kwargs else args, kwargs)[0]

    def _list_all_concrete_functions_for_serialization(self) -> list[ConcreteFunction]:
        return self.outermost_traces()
