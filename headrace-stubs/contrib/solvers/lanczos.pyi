# Made by tools/make_stubs.py.

__all__ = ['bidiag_matmul', 'lanczos_bidiag']
from headrace.contrib.solvers.lanczos import bidiag_matmul as bidiag_matmul
from headrace.contrib.solvers.lanczos import lanczos_bidiag as lanczos_bidiag
