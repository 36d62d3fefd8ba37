"""Onward to PyTorch: graphs as `nn.Module`, checkpoints as state dicts, and back.

module = headrace.torch.to_module({"y": y}, [x], sess)
loss = criterion(module(batch)["y"], target)
loss.backward()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.torch.checkpoints import from_checkpoint, to_checkpoint
from headrace.torch.module import GraphModule, from_saved_model, load, to_module

__all__ = ["GraphModule", "from_checkpoint", "from_saved_model", "load", "to_checkpoint", "to_module", "to_onnx"]


def __getattr__(name: str) -> Callable[..., Any]:
    # The library that it needs is an extra.
    if name != "to_onnx":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from headrace.torch.onnx import to_onnx

    return to_onnx
