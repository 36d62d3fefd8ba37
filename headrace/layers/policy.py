"""Which types a layer computes and keeps its variables in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core import slots, v2_switches
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
        if name == "infer_float32_vars":
            # What it was called before.
            name = "infer_with_float32_vars"
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


# The policy that a program set for layers that are told no type, if any.
_global_policy: list[Any] = []
# Whether these layers take `floatx` for their type and cast what they are given to it, as in TensorFlow 2; None: as the
# program's other switches say.
V2_DTYPE_BEHAVIOR: bool | None = None


def v2_dtype_behavior_enabled() -> bool:
    """Whether layers that are told no type take `floatx` for it and cast their inputs, rather than take that of the inputs."""
    return v2_switches.all_of_them if V2_DTYPE_BEHAVIOR is None else V2_DTYPE_BEHAVIOR


def enable_v2_dtype_behavior() -> None:
    """Makes layers that are told no type take `floatx` for it and cast their inputs."""
    global V2_DTYPE_BEHAVIOR
    V2_DTYPE_BEHAVIOR = True


def disable_v2_dtype_behavior() -> None:
    """Makes layers that are told no type take that of their inputs."""
    global V2_DTYPE_BEHAVIOR
    V2_DTYPE_BEHAVIOR = False


def set_default_policy(policy: Any) -> None:
    """Sets the policy of layers that are told no type; None forgets what was set."""
    _global_policy[:] = [] if policy is None else [policy]


def default_policy() -> Any:
    """The policy of layers that are told no type."""
    if _global_policy:
        return _global_policy[-1]
    return Policy(slots.floatx() if v2_dtype_behavior_enabled() else "infer")


def defaults_to_floatx() -> bool:
    """Whether it is `floatx` that layers take which are told no type."""
    return not _global_policy and v2_dtype_behavior_enabled()


def as_policy(dtype: DTypeLike | None) -> Any:
    """The policy that the `dtype` argument of a layer stands for: a policy, a type, or what is empty for the default one."""
    if hasattr(dtype, "variable_dtype") and hasattr(dtype, "compute_dtype"):
        return dtype
    if not dtype:
        return default_policy()
    return Policy(as_dtype(dtype).name)
