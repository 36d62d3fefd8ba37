// Element-wise instructions: inputs are broadcast to the dims they have in common.
#include "lowerings.h"

namespace headrace {
namespace {

// About how many nanoseconds an element takes, to tell what is too much work.
double cost_of(int32_t op) {
  switch (op) {
    case op_exp: case op_expm1: case op_log: case op_log1p: case op_tanh: case op_sigmoid: case op_softplus: case op_elu:
    case op_selu: case op_softplus_grad: case op_sigmoid_cross_entropy: case op_xlogy:
      return 0.4;
    case op_sin: case op_cos: case op_tan: case op_asin: case op_acos: case op_atan: case op_sinh: case op_cosh:
    case op_asinh: case op_acosh: case op_atanh: case op_erf: case op_erfc: case op_pow: case op_atan2: case op_floormod:
    case op_truncatemod: case op_lgamma:
      return 10;
    default:
      return 0.06;
  }
}

void unary(Planner& p, const Instruction& i) {
  const int32_t op = i.how->arg;
  const View a = p.in(i, 0);
  const View d = p.make_like(a, p.result_type(i));
  p.elementwise(kernels().elementwise[op][a.dtype], d, {&a}, cost_of(op), {i.floats.empty() ? 0.0 : i.floats[0]});
  p.out(i, 0, d);
}

void cast(Planner& p, const Instruction& i) {
  const View a = p.in(i, 0);
  const DType to = p.result_type(i);
  if (to == a.dtype) return p.out(i, 0, a);
  const View d = p.make_like(a, to);
  p.elementwise(kernels().cast[a.dtype][to], d, {&a}, 0.2);
  p.out(i, 0, d);
}

void binary(Planner& p, const Instruction& i) {
  const int32_t op = i.how->arg;
  const View &a = p.in(i, 0), &b = p.in(i, 1);
  const View dims = Planner::joined({&a, &b});
  const View x = Planner::broadcast(a, dims), y = Planner::broadcast(b, dims);
  const View d = p.make_like(dims, p.result_type(i));
  p.elementwise(kernels().elementwise[op][a.dtype], d, {&x, &y}, cost_of(op), {i.floats.empty() ? 0.0 : i.floats[0]});
  p.out(i, 0, d);
}

void ternary(Planner& p, const Instruction& i) {
  const View &a = p.in(i, 0), &b = p.in(i, 1), &c = p.in(i, 2);
  const View dims = Planner::joined({&a, &b, &c});
  const View x = Planner::broadcast(a, dims), y = Planner::broadcast(b, dims), z = Planner::broadcast(c, dims);
  const View d = p.make_like(dims, p.result_type(i));
  p.elementwise(kernels().elementwise[i.how->arg][d.dtype], d, {&x, &y, &z}, 0.1);
  p.out(i, 0, d);
}

void add_n(Planner& p, const Instruction& i) {
  View sum = p.in(i, 0);
  const RowKernel add = kernels().elementwise[op_add][sum.dtype];
  bool own = false;
  for (size_t k = 1; k < i.inputs.size(); k++) {
    const View& b = p.in(i, k);
    const View dims = Planner::joined({&sum, &b});
    const View x = Planner::broadcast(sum, dims), y = Planner::broadcast(b, dims);
    // From the second sum on in the memory of the first.
    const View d = own && sum.same_dims(dims) ? sum : p.make_like(dims, sum.dtype);
    p.elementwise(add, d, {&x, &y}, 0.06);
    sum = d;
    own = true;
  }
  p.out(i, 0, sum);
}

}  // namespace

const std::vector<Lowering>& elementwise_lowerings() {
  static const std::vector<Lowering> rows = {
#define ONE(name) {#name, unary, op_##name},
#define TWO(name) {#name, binary, op_##name},
#define THREE(name) {#name, ternary, op_##name},
      HEADRACE_UNARY(ONE) HEADRACE_TESTS(ONE) HEADRACE_BINARY(TWO) HEADRACE_COMPARISONS(TWO) HEADRACE_TERNARY(THREE)
#undef ONE
#undef TWO
#undef THREE
      {"cast", cast}, {"add_n", add_n},
  };
  return rows;
}

}  // namespace headrace
