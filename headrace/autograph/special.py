"""What stands for values that there are not."""

from __future__ import annotations

from typing import Any, NoReturn


class Undefined:
    """Stands for a variable before it has a value.

    Args:
        name: the variable's name.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"<undefined {self._name}>"

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()

    def _refuse(self, *arguments: Any) -> NoReturn:
        raise UnboundLocalError(f"local variable '{self._name}' referenced before assignment")

    __call__ = __iter__ = __len__ = __getitem__ = __bool__ = __float__ = __int__ = __index__ = __neg__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _refuse


class NoReturn_(Undefined):
    """Stands for what a function returns before it has returned."""

    def __init__(self) -> None:
        super().__init__("return value")
