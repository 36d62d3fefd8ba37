"""The parameters of estimators, in the manner of scikit-learn."""

from __future__ import annotations

from typing import Any, TypeVar

Self = TypeVar("Self", bound="Parameterized")


class Parameterized:
    """What has parameters: its public attributes."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name.

        Args:
            deep: whether those of parameters that have some themselves are there too, as "name__inner".
        """
        found: dict[str, Any] = {}
        for name, value in vars(self).items():
            if name.startswith("_") or callable(value):
                continue
            found[name] = value
            if deep and isinstance(value, Parameterized):
                found.update({f"{name}__{inner}": part for inner, part in value.get_params().items()})
        return found

    def set_params(self: Self, **params: Any) -> Self:
        """Gives parameters other values.

        Args:
            **params: values by name; "name__inner" is a parameter of a parameter.

        Returns:
            the estimator itself.

        Raises:
            ValueError: for names that are no parameters.
        """
        known = self.get_params(deep=True)
        for key, value in params.items():
            name, _, inner = key.partition("__")
            if name not in known:
                raise ValueError(f"Invalid parameter {name} for estimator {type(self).__name__}.")
            if not inner:
                setattr(self, name, value)
            elif isinstance(known[name], Parameterized):
                known[name].set_params(**{inner: value})
            else:
                raise ValueError(f"Invalid parameter {inner} for parameter {name}, which has none.")
        return self

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in sorted(self.get_params(deep=False).items()))
        return f"{type(self).__name__}({given})"
