"""Onward to PyTorch: graphs as `nn.Module`, checkpoints as state dicts, and back.

module = headrace.torch.to_module({"y": y}, [x], sess)
loss = criterion(module(batch)["y"], target)
loss.backward()
"""

from headrace.torch.checkpoints import from_checkpoint, to_checkpoint
from headrace.torch.module import GraphModule, from_saved_model, load, to_module

__all__ = ["GraphModule", "from_checkpoint", "from_saved_model", "load", "to_checkpoint", "to_module"]
