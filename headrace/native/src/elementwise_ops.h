// The element-wise instructions, by how many operands they have and what they make.
#pragma once

#include <cstdint>

// One operand, the result of its type.
#define HEADRACE_UNARY(X)                                                                                             \
  X(neg) X(abs) X(sign) X(square) X(relu) X(relu6) X(sqrt) X(rsqrt) X(exp) X(expm1) X(log) X(log1p) X(sin) X(cos)      \
  X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc) X(sigmoid)          \
  X(softplus) X(softsign) X(elu) X(selu) X(floor) X(ceil) X(rint) X(reciprocal) X(leaky_relu) X(logical_not) X(copy)   \
  X(lgamma)

// One operand, a bool.
#define HEADRACE_TESTS(X) X(is_nan) X(is_inf) X(is_finite)

// Two operands, the result of their type.
#define HEADRACE_BINARY(X)                                                                                            \
  X(add) X(sub) X(mul) X(div) X(div_no_nan) X(floordiv) X(floormod) X(truncatediv) X(truncatemod) X(pow) X(maximum)    \
  X(minimum) X(squared_difference) X(atan2) X(xdivy) X(xlogy) X(logical_and) X(logical_or) X(logical_xor)              \
  X(sigmoid_grad) X(tanh_grad) X(sqrt_grad) X(rsqrt_grad) X(reciprocal_grad) X(relu_grad) X(relu6_grad)                \
  X(softplus_grad) X(softsign_grad) X(elu_grad) X(selu_grad) X(leaky_relu_grad) X(sigmoid_cross_entropy)

// Two operands, a bool.
#define HEADRACE_COMPARISONS(X) X(less) X(less_equal) X(greater) X(greater_equal) X(equal) X(not_equal)

// Three operands.
#define HEADRACE_TERNARY(X) X(select) X(clip)

namespace headrace {

enum ElementwiseOp : int32_t {
#define HEADRACE_NAME(name) op_##name,
  HEADRACE_UNARY(HEADRACE_NAME) HEADRACE_TESTS(HEADRACE_NAME) HEADRACE_BINARY(HEADRACE_NAME)
      HEADRACE_COMPARISONS(HEADRACE_NAME) HEADRACE_TERNARY(HEADRACE_NAME)
#undef HEADRACE_NAME
          ELEMENTWISE_OPS
};

}  // namespace headrace
