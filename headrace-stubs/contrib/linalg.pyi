# Made by tools/make_stubs.py.

__all__ = ['LinearOperator', 'LinearOperatorComposition', 'LinearOperatorDiag', 'LinearOperatorFullMatrix', 'LinearOperatorIdentity', 'LinearOperatorLowRankUpdate', 'LinearOperatorLowerTriangular', 'LinearOperatorMatrix', 'LinearOperatorScaledIdentity', 'LinearOperatorTriL', 'LinearOperatorUDVHUpdate']
from headrace.functions.linalg.operator import LinearOperator as LinearOperator
from headrace.functions.linalg.combined import LinearOperatorComposition as LinearOperatorComposition
from headrace.functions.linalg.simple import LinearOperatorDiag as LinearOperatorDiag
from headrace.functions.linalg.simple import LinearOperatorFullMatrix as LinearOperatorFullMatrix
from headrace.functions.linalg.identity import LinearOperatorIdentity as LinearOperatorIdentity
from headrace.functions.linalg.low_rank import LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate
from headrace.functions.linalg.simple import LinearOperatorLowerTriangular as LinearOperatorLowerTriangular
from headrace.functions.linalg.simple import LinearOperatorFullMatrix as LinearOperatorMatrix
from headrace.functions.linalg.identity import LinearOperatorScaledIdentity as LinearOperatorScaledIdentity
from headrace.functions.linalg.simple import LinearOperatorLowerTriangular as LinearOperatorTriL
from headrace.functions.linalg.low_rank import LinearOperatorLowRankUpdate as LinearOperatorUDVHUpdate
