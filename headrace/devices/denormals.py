"""Numbers too small to be normal: they count as 0 while a step runs, as in TensorFlow.

Arithmetic with them is a hundred times slower on a CPU. `devices.threads` sets the same for the threads of torch.
"""

from __future__ import annotations

import torch

# Called twice a step: the function itself, not one of ours around it.
flush_denormals = torch.set_flush_denormal
