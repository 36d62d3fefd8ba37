# Made by tools/make_stubs.py.

__all__ = ['AbsoluteValue', 'Affine', 'AffineLinearOperator', 'AffineScalar', 'BatchNormalization', 'Bijector', 'Chain', 'CholeskyOuterProduct', 'ConditionalBijector', 'Exp', 'FillTriangular', 'Gumbel', 'Identity', 'Inline', 'Invert', 'Kumaraswamy', 'MaskedAutoregressiveFlow', 'MatrixInverseTriL', 'Ordered', 'Permute', 'PowerTransform', 'RealNVP', 'Reshape', 'ScaleTriL', 'Sigmoid', 'SinhArcsinh', 'SoftmaxCentered', 'Softplus', 'Softsign', 'Square', 'TransformDiagonal', 'Weibull', 'masked_autoregressive_default_template', 'masked_dense', 'real_nvp_default_template']
from headrace.distributions.elementwise_bijectors import AbsoluteValue as AbsoluteValue
from headrace.distributions.affine_bijectors import Affine as Affine
from headrace.distributions.affine_bijectors import AffineLinearOperator as AffineLinearOperator
from headrace.distributions.affine_bijectors import AffineScalar as AffineScalar
from headrace.distributions.flows import BatchNormalization as BatchNormalization
from headrace.distributions.bijector import Bijector as Bijector
from headrace.distributions.composed_bijectors import Chain as Chain
from headrace.distributions.matrix_bijectors import CholeskyOuterProduct as CholeskyOuterProduct
from headrace.distributions.flows import ConditionalBijector as ConditionalBijector
from headrace.distributions.elementwise_bijectors import Exp as Exp
from headrace.distributions.matrix_bijectors import FillTriangular as FillTriangular
from headrace.distributions.scalar_bijectors import Gumbel as Gumbel
from headrace.distributions.bijector import Identity as Identity
from headrace.distributions.composed_bijectors import Inline as Inline
from headrace.distributions.composed_bijectors import Invert as Invert
from headrace.distributions.scalar_bijectors import Kumaraswamy as Kumaraswamy
from headrace.distributions.flows import MaskedAutoregressiveFlow as MaskedAutoregressiveFlow
from headrace.distributions.matrix_bijectors import MatrixInverseTriL as MatrixInverseTriL
from headrace.distributions.matrix_bijectors import Ordered as Ordered
from headrace.distributions.vector_bijectors import Permute as Permute
from headrace.distributions.elementwise_bijectors import PowerTransform as PowerTransform
from headrace.distributions.vector_bijectors import RealNVP as RealNVP
from headrace.distributions.matrix_bijectors import Reshape as Reshape
from headrace.distributions.matrix_bijectors import ScaleTriL as ScaleTriL
from headrace.distributions.elementwise_bijectors import Sigmoid as Sigmoid
from headrace.distributions.scalar_bijectors import SinhArcsinh as SinhArcsinh
from headrace.distributions.matrix_bijectors import SoftmaxCentered as SoftmaxCentered
from headrace.distributions.elementwise_bijectors import Softplus as Softplus
from headrace.distributions.elementwise_bijectors import Softsign as Softsign
from headrace.distributions.elementwise_bijectors import Square as Square
from headrace.distributions.matrix_bijectors import TransformDiagonal as TransformDiagonal
from headrace.distributions.scalar_bijectors import Weibull as Weibull
from headrace.distributions.flows import masked_autoregressive_default_template as masked_autoregressive_default_template
from headrace.distributions.flows import masked_dense as masked_dense
from headrace.distributions.flows import real_nvp_default_template as real_nvp_default_template
