"""Identities that a debugger puts where it wants to see the gradient; what that is it registers itself."""

from __future__ import annotations

from headrace.core.registry import op


def _declare(op_type: str, kind: str) -> None:
    decl = op(op_type, f"input: {kind}T -> output: {kind}T").aliases()

    @decl.shape
    def gradient_identity_shape(op):
        return [op.inputs[0].dims]

    @decl.kernel
    def gradient_identity_kernel(node):
        return lambda value: value

    decl.accepts([2, 3])


_declare("DebugGradientIdentity", "")
_declare("DebugGradientRefIdentity", "ref ")
