"""Which types a layer computes and keeps its variables in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import as_dtype

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike


class Policy:
    """The types of a layer.

    Args:
        name: the name of a type, "infer" (the type of the first input), or one of both with "_with_float32_vars" at the
            end; "mixed_float16" and "mixed_bfloat16" compute in that type with float32 variables.

    Raises:
        TypeError: if `name` is no string; ValueError: if it names no type.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"'name' must be a string, but got: {name!r}")
        self.name = name
        base = name.removeprefix("mixed_") if name in ("mixed_float16", "mixed_bfloat16") else name
        mixed = base != name or name.endswith("_with_float32_vars")
        base = base.removesuffix("_with_float32_vars")
        self.compute_dtype: str | None = None
        if base != "infer":
            try:
                self.compute_dtype = as_dtype(base).name
            except TypeError:
                raise ValueError(f"Cannot convert value {name} to a mixed precision Policy.") from None
        self.variable_dtype: str | None = "float32" if mixed else self.compute_dtype

    @property
    def should_cast_variables(self) -> bool:
        """Whether variables are read in another type than they are kept in."""
        return self.variable_dtype != self.compute_dtype

    def inferred(self, dtype: str) -> Policy:
        """It with the type that "infer" leaves open."""
        return Policy(self.name.replace("infer", dtype)) if self.compute_dtype is None else self

    def __repr__(self) -> str:
        return f'<Policy "{self.name}">'


def as_policy(dtype: DTypeLike | None) -> Any:
    """The policy that the `dtype` argument of a layer stands for: a policy, a type, or None to infer it."""
    if hasattr(dtype, "variable_dtype") and hasattr(dtype, "compute_dtype"):
        return dtype
    return Policy(as_dtype(dtype).name if dtype else "infer")
