"""Networks made of specifications: strings of assignments whose words are those of `operators`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import ModuleType, TracebackType
from typing import Any

from headrace.contrib.specs import operators
from headrace.contrib.specs import params as random_numbers
from headrace.contrib.specs.composable import check_keywords


def eval_params(params: str, environment: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What assignments of parameters assign: `"n = Li(5, 500); d = Ui(1, 5)"`.

    Args:
        params: the assignments, which may use the functions of `params_ops`.
        environment: names that are there before.

    Returns:
        the environment with what was assigned.

    Raises:
        ValueError: for words that belong to programs.
    """
    return _executed(params, vars(random_numbers), environment)


def eval_spec(spec: str, environment: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What a specification assigns: `"left = Cr(64, [5, 5]); right = Fc(64)"`.

    Args:
        spec: the assignments, whose words are those of `operators`.
        environment: names that are there before.

    Returns:
        the environment with what was assigned.

    Raises:
        ValueError: for words that belong to programs.
    """
    return _executed(spec, vars(operators), environment)


def _executed(text: str, words: dict[str, Any], environment: Mapping[str, Any] | None) -> dict[str, Any]:
    check_keywords(text)
    assigned = dict(environment or {})
    exec(text, dict(words), assigned)  # noqa: S102  # specifications are assignments in Python
    return assigned


def create_net_fun(spec: str, environment: Mapping[str, Any] | None = None) -> Callable[[Any], Any]:
    """The function that makes the network of a specification.

    Args:
        spec: assignments, one of them of `net`.
        environment: names that are there before.

    Raises:
        ValueError: if it assigns no `net`, and for words that belong to programs.
    """
    net = eval_spec(spec, environment).get("net")
    if net is None:
        raise ValueError(f"spec failed to create 'net': {spec}")
    function: Callable[[Any], Any] = net.funcall
    return function


def create_net(spec: str, inputs: Any, environment: Mapping[str, Any] | None = None) -> Any:
    """The network of a specification, applied to a tensor.

    Args:
        spec: assignments, one of them of `net`.
        inputs: a tensor.
        environment: names that are there before.

    Returns:
        what the network makes of it.

    Raises:
        ValueError: if it assigns no `net`, and for words that belong to programs.

    Example:
        >>> specs = tf.contrib.specs
        >>> images = tf.zeros([1, 28, 28, 1])
        >>> specs.create_net("net = (Cr(n, [5, 5]) | Mp([2, 2])) ** 2 | Flat | Fm(10)", images, {"n": 8}).shape
        TensorShape([Dimension(1), Dimension(10)])
    """
    return create_net_fun(spec, environment)(inputs)


class LocalImport:
    """In its block the globals of the module have more names.

    Args:
        names: a module or a dict of them.

    Example:
        >>> with tf.contrib.specs.LocalImport({"HALF": 0.5}):
        ...     print(globals()["HALF"])
        0.5
    """

    def __init__(self, names: ModuleType | Mapping[str, Any]) -> None:
        self.names = vars(names) if isinstance(names, ModuleType) else names

    def __enter__(self) -> None:
        self._globals = sys._getframe(1).f_globals
        self._before = {name: self._globals[name] for name in self.names if name in self._globals}
        self._globals.update(self.names)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for name in self.names:
            if name in self._before:
                self._globals[name] = self._before[name]
            else:
                self._globals.pop(name, None)


ops = LocalImport({name: value for name, value in vars(operators).items() if not name.startswith("_")})
