"""What becomes of operators in products, solutions, adjoints, inverses and Cholesky factors: functions by their classes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import slots
from headrace.core.defaults import name_scope

if TYPE_CHECKING:
    from headrace.functions.linalg.operator import LinearOperator


_Key = tuple[type, ...]


class _Table:
    """Functions by the classes of their arguments.

    Args:
        title: what they compute, in messages.
        scope: the name of their operations.
    """

    def __init__(self, title: str, scope: str) -> None:
        self.title, self._scope = title, scope
        self.functions: dict[_Key, Callable[..., Any]] = {}

    def nearest(self, *classes: type) -> Callable[..., Any] | None:
        """The function for the classes, or for bases of them that are nearest; None if there is none."""
        # Those of the operators here are registered when the first is asked for.
        slots.register_linear_operators()
        lines = [list(enumerate(cls.__mro__)) for cls in classes]
        found = [
            (sum(distance for distance, _ in line), index, tuple(cls for _, cls in line))
            for index, line in enumerate(itertools.product(*lines))
        ]
        known = [entry for entry in found if entry[2] in self.functions]
        return self.functions[min(known)[2]] if known else None

    def __call__(self, *operators: Any, name: str | None) -> Any:
        classes = [type(each) for each in operators]
        function = self.nearest(*classes)
        if function is None:
            raise ValueError(f"No {self.title} registered for {' and '.join(str(cls) for cls in classes)}")
        with name_scope(name, self._scope):
            return function(*operators)

    def add(self, classes: _Key, function: Callable[..., Any]) -> Callable[..., Any]:
        """Registers a function.

        Raises:
            TypeError: if it is none. ValueError: if there is one for these classes.
        """
        if not callable(function):
            raise TypeError(f"{self.title}_fn must be callable, received: {function}")
        if classes in self.functions:
            names = ", ".join(cls.__name__ for cls in classes)
            raise ValueError(
                f"{self.title.capitalize()}({names}) has already been registered to: {self.functions[classes]}"
            )
        self.functions[classes] = function
        return function


_ADJOINT_TABLE = _Table("adjoint", "Adjoint")
_CHOLESKY_TABLE = _Table("cholesky", "Cholesky")
_INVERSE_TABLE = _Table("inverse", "Inverse")
_MATMUL_TABLE = _Table("matmul", "Matmul")
_SOLVE_TABLE = _Table("solve", "Solve")


# The functions by classes, and what finds the nearest, under the names that programs look into.
_ADJOINTS, _registered_adjoint = _ADJOINT_TABLE.functions, _ADJOINT_TABLE.nearest
_CHOLESKY_DECOMPS, _registered_cholesky = _CHOLESKY_TABLE.functions, _CHOLESKY_TABLE.nearest
_INVERSES, _registered_inverse = _INVERSE_TABLE.functions, _INVERSE_TABLE.nearest
_MATMUL, _registered_matmul = _MATMUL_TABLE.functions, _MATMUL_TABLE.nearest
_SOLVE, _registered_solve = _SOLVE_TABLE.functions, _SOLVE_TABLE.nearest


def adjoint(lin_op_a: Any, name: str | None = None) -> Any:
    """The adjoint of an operator, by the function registered for its class or the nearest base.

    Raises:
        ValueError: if there is none.
    """
    return _ADJOINT_TABLE(lin_op_a, name=name)


def cholesky(lin_op_a: Any, name: str | None = None) -> LinearOperator:
    """The Cholesky factor of an operator. As `adjoint`."""
    return _CHOLESKY_TABLE(lin_op_a, name=name)


def inverse(lin_op_a: Any, name: str | None = None) -> Any:
    """The inverse of an operator. As `adjoint`."""
    return _INVERSE_TABLE(lin_op_a, name=name)


def matmul(lin_op_a: object, lin_op_b: object, name: str | None = None) -> Any:
    """The product of two operators. As `adjoint`."""
    return _MATMUL_TABLE(lin_op_a, lin_op_b, name=name)


def solve(lin_op_a: object, lin_op_b: object, name: str | None = None) -> Any:
    """What gives the second operator when multiplied with the first. As `adjoint`."""
    return _SOLVE_TABLE(lin_op_a, lin_op_b, name=name)


class _Register:
    """A decorator that registers a function for classes of operators."""

    _table: _Table

    def __init__(self, *classes: type) -> None:
        self._key = classes

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return self._table.add(self._key, function)


class RegisterAdjoint(_Register):
    """Registers what gives the adjoint of operators of a class.

    Raises:
        TypeError: for what is no function. ValueError: if there is one already.

    Example:
        >>> class Mirror(tf.linalg.LinearOperatorIdentity):
        ...     pass
        >>> @RegisterAdjoint(Mirror)
        ... def _adjoint_mirror(operator):
        ...     return operator
        >>> mirror = Mirror(2)
        >>> mirror.adjoint() is mirror
        True
    """

    _table = _ADJOINT_TABLE

    def __init__(self, lin_op_cls_a: type) -> None:
        super().__init__(lin_op_cls_a)


class RegisterCholesky(_Register):
    """Registers what gives the Cholesky factor of operators of a class. As `RegisterAdjoint`."""

    _table = _CHOLESKY_TABLE

    def __init__(self, lin_op_cls_a: type) -> None:
        super().__init__(lin_op_cls_a)


class RegisterInverse(_Register):
    """Registers what gives the inverse of operators of a class. As `RegisterAdjoint`."""

    _table = _INVERSE_TABLE

    def __init__(self, lin_op_cls_a: type) -> None:
        super().__init__(lin_op_cls_a)


class RegisterMatmul(_Register):
    """Registers what multiplies operators of two classes. As `RegisterAdjoint`."""

    _table = _MATMUL_TABLE

    def __init__(self, lin_op_cls_a: type, lin_op_cls_b: type) -> None:
        super().__init__(lin_op_cls_a, lin_op_cls_b)


class RegisterSolve(_Register):
    """Registers what solves for operators of two classes. As `RegisterAdjoint`."""

    _table = _SOLVE_TABLE

    def __init__(self, lin_op_cls_a: type, lin_op_cls_b: type) -> None:
        super().__init__(lin_op_cls_a, lin_op_cls_b)
