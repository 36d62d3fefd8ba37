"""What `Strategy.scope()` opens."""

from __future__ import annotations

from typing import Any

from headrace.core.defaults import device
from headrace.distribute.checks import require_cross_replica_or_default_context, require_scope
from headrace.state.current_scope import get_variable_scope
from headrace.state.replication import cross_replica_mode, has_strategy, pop_mode, push_mode
from headrace.state.scoping import variable_creator_scope
from headrace.state.variable_scope import variable_scope
from headrace.util import tf_logging as logging


class StrategyScope:
    """A context in which a strategy is in force and makes the variables; it may be entered again inside itself.

    Args:
        strategy: the strategy.
    """

    def __init__(self, strategy: Any) -> None:
        self._strategy = strategy
        self._mode = cross_replica_mode(strategy)
        # What has been opened, with the name of its kind, each time it was entered; None where the strategy was in force before.
        self._opened: list[list[tuple[str, Any]] | None] = []

    def __enter__(self) -> Any:
        extended = self._strategy.extended
        if has_strategy():
            require_cross_replica_or_default_context(extended)
            self._opened.append(None)
            return self._strategy
        push_mode(self._mode)
        opened: list[tuple[str, Any]] = []
        try:
            opened.append(("Variable", variable_scope(get_variable_scope(), custom_getter=self._getter)))
            opened[-1][1].__enter__()
            opened.append(("Variable creator", variable_creator_scope(self._creator)))
            opened[-1][1].__enter__()
            if extended._default_device:
                opened.append(("Device", device(extended._default_device)))
                opened[-1][1].__enter__()
        except BaseException:
            pop_mode(self._mode)
            raise
        self._opened.append(opened)
        return self._strategy

    def __exit__(self, *exc: Any) -> None:
        if not self._opened:
            raise RuntimeError(
                "Variable creator scope nesting error: a scope of a strategy is left that was not entered."
            )
        opened = self._opened[-1]
        while opened:
            # What could not be left is not left again.
            kind, context = opened.pop()
            try:
                context.__exit__(*exc)
            except RuntimeError as error:
                raise RuntimeError(
                    f"{kind} scope nesting error: a scope of a strategy was left inside another scope; move the call of "
                    f"tf.distribute.experimental_set_strategy() out of the `with` block. {error}"
                ) from error
        self._opened.pop()
        if opened is not None:
            pop_mode(self._mode)

    def _creator(self, next_creator: Any, **kwargs: Any) -> Any:
        require_scope(self._strategy)
        kwargs["use_resource"] = True
        kwargs["distribute_strategy"] = self._strategy
        return self._strategy.extended._create_variable(next_creator, **kwargs)

    def _getter(self, getter: Any, *args: Any, **kwargs: Any) -> Any:
        if not self._strategy.extended._allow_variable_partition() and kwargs.pop("partitioner", None) is not None:
            logging.log_first_n(
                logging.WARN, "Partitioned variables are disabled when using current tf.distribute.Strategy.", 1
            )
        return getter(*args, **kwargs)
