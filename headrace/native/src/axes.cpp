// Element-wise steps: the axes that operands have in common, merged where their strides allow, and the way through them.
#include "planner.h"

namespace headrace {

void Planner::elementwise(RowKernel row, const View& d, std::initializer_list<const View*> inputs, double each,
                          std::initializer_list<double> numbers) {
  require(row != nullptr, "there is no kernel for this type");
  const int64_t elements = d.elements();
  if (!elements) return;
  const View* views[kOperands] = {&d};
  int count = 1;
  for (const View* v : inputs) views[count++] = v;

  // Axes of more than one element, merged where all operands allow it.
  struct Axis {
    int64_t size;
    int64_t stride[kOperands];
  };
  Axis axes[kMaxRank];
  int n = 0;
  for (int i = 0; i < d.rank; i++) {
    if (d.dims[i] == 1) continue;
    Axis axis{d.dims[i], {}};
    for (int k = 0; k < count; k++) axis.stride[k] = views[k]->strides[i] * kSizes[views[k]->dtype];
    bool merges = n > 0;
    for (int k = 0; merges && k < count; k++) merges = axes[n - 1].stride[k] == axis.stride[k] * axis.size;
    if (merges) axis.size *= axes[n - 1].size, axes[n - 1] = axis;
    else axes[n++] = axis;
  }

  Step& step = emit(run_row, each * double(elements));
  step.row = row;
  for (int k = 0; k < count; k++) operand(step, k, *views[k]);
  int at = 0;
  for (double number : numbers) step.number[at++] = number;
  if (!n) {
    step.cols = 1;
    return;
  }
  const Axis& last = axes[n - 1];
  step.cols = last.size;
  bool plain = last.stride[0] == kSizes[d.dtype];
  for (int k = 1; k < count; k++) {
    plain = plain && (last.stride[k] == kSizes[views[k]->dtype] || last.stride[k] == 0);
    step.inner[k] = last.stride[k] != 0;
  }
  layout_.cost += double(elements / last.size) * 3;
  if (plain && n == 1) return;
  if (plain && n == 2) {
    step.run = run_rows;
    step.rows = axes[0].size;
    for (int k = 0; k < count; k++) step.operand[k].outer = axes[0].stride[k];
    return;
  }
  // A copy from where rows are columns.
  const bool turned = !plain && n >= 2 && row == kernels().elementwise[op_copy][d.dtype] &&
                      axes[n - 2].stride[1] == kSizes[d.dtype] && last.stride[0] == kSizes[d.dtype];
  const int outer = turned ? n - 2 : n - 1;
  std::vector<int64_t> extra{outer};
  for (int i = 0; i < outer; i++) {
    extra.push_back(axes[i].size);
    extra.insert(extra.end(), axes[i].stride, axes[i].stride + count);
  }
  if (turned) {
    step.run = run_transposed;
    step.rows = axes[n - 2].size;
    step.operand[0].outer = axes[n - 2].stride[0];
    step.k = last.stride[1];
    step.flags = int32_t(kSizes[d.dtype]);
  } else if (plain) {
    step.run = run_axes;
  } else {
    step.run = run_staged;
    for (int k = 0; k < count; k++) extra.push_back(kSizes[views[k]->dtype]);
    for (int k = 0; k < count; k++) extra.push_back(last.stride[k]);
    layout_.cost += double(elements);
  }
  step.extra = keep(std::move(extra));
}

void Planner::copy(const View& d, const View& a) {
  elementwise(kernels().elementwise[op_copy][d.dtype], d, {&a}, 0.05);
}

}  // namespace headrace
