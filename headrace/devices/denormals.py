"""Numbers too small to be normal: they count as 0 while a step runs, as in TensorFlow.

Arithmetic with them is a hundred times slower on a CPU. `devices.threads` sets the same for the threads of torch.
"""

from __future__ import annotations

import numpy as np
import torch

# NumPy finds the limits of a type when they are first asked for, by `np.unique` too, and keeps them. Within a step it would
# find, and warn, that the smallest number is 0.
for _name in ("float16", "float32", "float64", "longdouble"):
    np.finfo(_name)

# Called twice a step: the function itself, not one of ours around it.
flush_denormals = torch.set_flush_denormal
