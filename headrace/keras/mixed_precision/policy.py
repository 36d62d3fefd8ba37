"""Which types layers compute and keep variables in, and that of layers that are not told."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from headrace.config.optimizer_options import get_experimental_options
from headrace.layers.policy import Policy as TypePolicy
from headrace.layers.policy import default_policy, set_default_policy, v2_dtype_behavior_enabled
from headrace.optimizers import loss_scale as loss_scales

_USE_DEFAULT = "USE_DEFAULT"
_VALID = (
    'Valid policies include include those in the form "<dtype>" and "<dtype>_with_float32_vars", where <dtype> is the name '
    "of a dtype."
)


class Policy(TypePolicy):
    """The types of a layer, and how a model of such layers scales its loss.

    Micikevicius et al., "Mixed precision training", arXiv:1710.03740.

    Args:
        name: the name of a type; "infer", the type of the first input; one of both with "_with_float32_vars" at the end,
            which keeps variables in float32; "mixed_float16" or "mixed_bfloat16", which compute in that type with such
            variables.
        loss_scale: a number, "dynamic", a `LossScale`, or None; by default "dynamic" for "mixed_float16", else None.

    Raises:
        TypeError: if `name` is no string.
        ValueError: if it names no type.

    Example:
        >>> layer = tf.keras.layers.Dense(4, dtype=tf.keras.mixed_precision.experimental.Policy("mixed_float16"))
    """

    name: str = "infer"
    compute_dtype: str | None = None
    variable_dtype: str | None = None
    loss_scale: Any = None

    def __init__(self, name: str, loss_scale: Any = _USE_DEFAULT) -> None:
        try:
            super().__init__(name)
        except ValueError as error:
            raise ValueError(f"{error} {_VALID}") from None
        if (
            self.compute_dtype is not None
            and self.compute_dtype == self.variable_dtype
            and not name.startswith("mixed_")
        ):
            # A type with variables of the same type is the plain one.
            self.name = self.compute_dtype
        if isinstance(loss_scale, str) and loss_scale == _USE_DEFAULT:
            loss_scale = "dynamic" if name == "mixed_float16" else None
        self.loss_scale = loss_scales.get(loss_scale)

    def inferred(self, dtype: str) -> Policy:
        """It with the type that "infer" leaves open."""
        if self.compute_dtype is not None:
            return self
        return type(self)(self.name.replace("infer", dtype), loss_scale=self.loss_scale)

    def __repr__(self) -> str:
        return f'<Policy "{self.name}", loss_scale={self.loss_scale}>'


def with_input_dtype(policy: Policy, dtype: str) -> Policy:
    """A policy that leaves its type open, with the type of an input."""
    if policy.compute_dtype is not None:
        raise ValueError(f"{policy!r} has a compute type already, so that {dtype} cannot be inferred.")
    return policy.inferred(dtype)


# What was set, None for the default.
_chosen: list[Policy | None] = [None]


def policy_defaults_to_floatx() -> bool:
    """Whether layers that are not told compute in the type of `tf.keras.backend.floatx` rather than that of their inputs."""
    return _chosen[-1] is None and v2_dtype_behavior_enabled()


def global_policy() -> Policy:
    """The policy of layers that are not told: the one that was set, else "infer", or Keras' floating type in 2.x behaviour.

    Example:
        >>> tf.keras.mixed_precision.experimental.global_policy()
        <Policy "infer", loss_scale=None>
    """
    return _chosen[-1] or Policy(default_policy().name)


def set_policy(policy: Policy | str | None) -> None:
    """Sets the policy of layers that are not told.

    Args:
        policy: a policy or its name; None for the default.

    Raises:
        ValueError: for another one than "infer" without 2.x behaviour, or where the graph rewrite is in force too.
    """
    if policy is not None and not isinstance(policy, Policy):
        policy = Policy(policy)
    if policy is not None and not v2_dtype_behavior_enabled() and policy.compute_dtype:
        raise ValueError("The global policy can only be set to a non-infer policy in TensorFlow 2")
    if policy is not None and policy.should_cast_variables and get_experimental_options().get("auto_mixed_precision"):
        raise ValueError(
            "The mixed precision policy cannot be set, because the mixed precision graph rewrite has already been "
            "enabled. At most, one of the following functions can be called: "
            "tf.train.experimental.enable_mixed_precision_graph_rewrite, "
            "tf.keras.mixed_precision.experimental.set_policy."
        )
    _chosen[:] = [policy]
    set_default_policy(policy)


@contextlib.contextmanager
def policy_scope(policy: Policy | str | None) -> Iterator[None]:
    """Sets the policy of layers that are not told while the context lasts."""
    before = _chosen[-1]
    try:
        set_policy(policy)
        yield
    finally:
        set_policy(before)


def get_layer_policy(layer: Any) -> Any:
    """The policy of a layer.

    Args:
        layer: a layer.

    Raises:
        ValueError: for other objects.
    """
    if not hasattr(layer, "_dtype_policy"):
        raise ValueError(f"get_policy can only be called on a layer, but got: {layer}")
    return layer._dtype_policy
