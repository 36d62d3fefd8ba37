"""What 1.x's debugger did over the network, which is not here."""

from __future__ import annotations

from typing import Any, NoReturn


def _refuse(name: str, instead: str) -> NoReturn:
    raise NotImplementedError(
        f"tf_debug.{name}: Headrace's debugger does not speak gRPC to TensorBoard or other servers. Use "
        f"tf_debug.{instead} instead."
    )


class GrpcDebugWrapperSession:
    """Not here: sends the tensors of runs to a server."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse(type(self).__name__, "DumpingDebugWrapperSession or tf_debug.LocalCLIDebugWrapperSession")


class TensorBoardDebugWrapperSession(GrpcDebugWrapperSession):
    """Not here: shows runs in TensorBoard's debugger."""


class GrpcDebugHook:
    """Not here: sends the tensors of runs to a server."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse(type(self).__name__, "DumpingDebugHook or tf_debug.LocalCLIDebugHook")


class TensorBoardDebugHook(GrpcDebugHook):
    """Not here: shows runs in TensorBoard's debugger."""
