# Made by tools/make_stubs.py.

__all__ = ['hyperplane_lsh_probes']
from headrace.ops.math.hyperplane_probes import hyperplane_lsh_probes as hyperplane_lsh_probes
