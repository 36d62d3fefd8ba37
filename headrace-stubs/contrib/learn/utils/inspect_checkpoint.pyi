# Made by tools/make_stubs.py.

__all__ = ['print_tensors_in_checkpoint_file']
from headrace.checkpoints.inspect_checkpoint import print_tensors_in_checkpoint_file as print_tensors_in_checkpoint_file
