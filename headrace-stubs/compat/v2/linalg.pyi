# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['LinearOperator', 'LinearOperatorAdjoint', 'LinearOperatorBlockDiag', 'LinearOperatorCirculant', 'LinearOperatorCirculant2D', 'LinearOperatorCirculant3D', 'LinearOperatorComposition', 'LinearOperatorDiag', 'LinearOperatorFullMatrix', 'LinearOperatorHouseholder', 'LinearOperatorIdentity', 'LinearOperatorInversion', 'LinearOperatorKronecker', 'LinearOperatorLowRankUpdate', 'LinearOperatorLowerTriangular', 'LinearOperatorScaledIdentity', 'LinearOperatorToeplitz', 'LinearOperatorZeros', 'adjoint', 'band_part', 'cholesky', 'cholesky_solve', 'cross', 'det', 'diag', 'diag_part', 'eigh', 'eigvalsh', 'einsum', 'expm', 'eye', 'global_norm', 'inv', 'l2_normalize', 'logdet', 'logm', 'lstsq', 'lu', 'matmul', 'matrix_rank', 'matrix_transpose', 'matvec', 'norm', 'normalize', 'pinv', 'qr', 'set_diag', 'slogdet', 'solve', 'sqrtm', 'svd', 'tensor_diag', 'tensor_diag_part', 'tensordot', 'trace', 'triangular_solve', 'tridiagonal_matmul', 'tridiagonal_solve']
from headrace.linalg import LinearOperator as LinearOperator
from headrace.linalg import LinearOperatorAdjoint as LinearOperatorAdjoint
from headrace.linalg import LinearOperatorBlockDiag as LinearOperatorBlockDiag
from headrace.linalg import LinearOperatorCirculant as LinearOperatorCirculant
from headrace.linalg import LinearOperatorCirculant2D as LinearOperatorCirculant2D
from headrace.linalg import LinearOperatorCirculant3D as LinearOperatorCirculant3D
from headrace.linalg import LinearOperatorComposition as LinearOperatorComposition
from headrace.linalg import LinearOperatorDiag as LinearOperatorDiag
from headrace.linalg import LinearOperatorFullMatrix as LinearOperatorFullMatrix
from headrace.linalg import LinearOperatorHouseholder as LinearOperatorHouseholder
from headrace.linalg import LinearOperatorIdentity as LinearOperatorIdentity
from headrace.linalg import LinearOperatorInversion as LinearOperatorInversion
from headrace.linalg import LinearOperatorKronecker as LinearOperatorKronecker
from headrace.linalg import LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate
from headrace.linalg import LinearOperatorLowerTriangular as LinearOperatorLowerTriangular
from headrace.linalg import LinearOperatorScaledIdentity as LinearOperatorScaledIdentity
from headrace.linalg import LinearOperatorToeplitz as LinearOperatorToeplitz
from headrace.linalg import LinearOperatorZeros as LinearOperatorZeros
from headrace.linalg import adjoint as adjoint
from headrace.linalg import band_part as band_part
from headrace.linalg import cholesky as cholesky
from headrace.linalg import cholesky_solve as cholesky_solve
from headrace.linalg import cross as cross
from headrace.linalg import det as det
from headrace.linalg import diag as diag
from headrace.linalg import diag_part as diag_part
from headrace.linalg import eigh as eigh
from headrace.linalg import eigvalsh as eigvalsh
from headrace.linalg import einsum as einsum
from headrace.linalg import expm as expm
from headrace.linalg import eye as eye
from headrace.linalg import global_norm as global_norm
from headrace.linalg import inv as inv
l2_normalize: Any
from headrace.linalg import logdet as logdet
from headrace.linalg import logm as logm
from headrace.linalg import lstsq as lstsq
from headrace.linalg import lu as lu
from headrace.linalg import matmul as matmul
from headrace.linalg import matrix_rank as matrix_rank
from headrace.linalg import matrix_transpose as matrix_transpose
from headrace.linalg import matvec as matvec
norm: Any
from headrace.linalg import normalize as normalize
from headrace.linalg import pinv as pinv
from headrace.linalg import qr as qr
from headrace.linalg import set_diag as set_diag
from headrace.linalg import slogdet as slogdet
from headrace.linalg import solve as solve
from headrace.linalg import sqrtm as sqrtm
from headrace.linalg import svd as svd
from headrace.linalg import tensor_diag as tensor_diag
from headrace.linalg import tensor_diag_part as tensor_diag_part
from headrace.linalg import tensordot as tensordot
from headrace.linalg import trace as trace
from headrace.linalg import triangular_solve as triangular_solve
from headrace.linalg import tridiagonal_matmul as tridiagonal_matmul
from headrace.linalg import tridiagonal_solve as tridiagonal_solve
