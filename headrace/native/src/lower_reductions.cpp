// Reductions, searches, running sums, softmax and cross entropies.
#include <algorithm>

#include "lowerings.h"

namespace headrace {
namespace {

struct Run {
  int64_t size, to, from;  // strides in bytes of the result and of the input
};

// Adds an axis, merged with the one before it where both strides allow.
void add_run(std::vector<Run>& runs, Run run) {
  if (run.size == 1) return;
  if (!runs.empty() && runs.back().to == run.to * run.size && runs.back().from == run.from * run.size) {
    runs.back() = {runs.back().size * run.size, run.to, run.from};
    return;
  }
  runs.push_back(run);
}

void append(std::vector<int64_t>& extra, const std::vector<Run>& runs, bool with_result) {
  extra.push_back(int64_t(runs.size()));
  for (const Run& run : runs) {
    extra.push_back(run.size);
    if (with_result) extra.push_back(run.to);
    extra.push_back(run.from);
  }
}

// d = a with the marked axes reduced; d has them with size 1.
void reduce(Planner& p, ReduceOp op, const View& d, const View& a, const bool* reduced) {
  const int64_t size = kSizes[a.dtype];
  if (!d.elements()) return;
  int64_t count = 1;
  std::vector<Run> kept, gone;
  for (int k = 0; k < a.rank; k++) {
    const Run run{a.dims[k], reduced[k] ? 0 : d.strides[k] * size, a.strides[k] * size};
    if (reduced[k]) count *= a.dims[k];
    add_run(reduced[k] ? gone : kept, run);
  }
  if (!count) {
    require(op == reduce_sum || op == reduce_prod || op == reduce_all || op == reduce_any, "there is nothing to reduce");
    const View value = p.literal(a.dtype, op == reduce_prod || op == reduce_all, d.rank, d.dims);
    return p.copy(d, value);
  }
  Step& step = p.emit(kernels().reduce[op][a.dtype], double(a.elements()) * 0.08 + double(d.elements()) * 2);
  p.operand(step, 0, d);
  p.operand(step, 1, a);
  step.number[0] = double(count);
  // The run that the kernel goes along: elements that follow each other, of the reduced axes if there are such.
  const auto follows = [&](const Run& run) { return run.from == size; };
  auto inner = std::find_if(gone.begin(), gone.end(), follows);
  if (inner == gone.end()) {
    const auto column =
        std::find_if(kept.begin(), kept.end(), [&](const Run& run) { return run.from == size && run.to == size; });
    if (column != kept.end()) {
      step.flags = 1;
      step.cols = column->size;
      kept.erase(column);
    } else if (!gone.empty()) {
      inner = gone.end() - 1;
    } else {
      step.cols = 1;
      step.k = size;
    }
  }
  if (inner != gone.end()) {
    step.cols = inner->size;
    step.k = inner->from;
    gone.erase(inner);
  }
  std::vector<int64_t> extra;
  append(extra, kept, true);
  append(extra, gone, false);
  step.extra = p.keep(std::move(extra));
}

// The view of d without the marked axes, or with them if they are kept.
View without(const View& d, const bool* reduced, bool keep) {
  if (keep) return d;
  View v = d;
  v.rank = 0;
  for (int k = 0; k < d.rank; k++)
    if (!reduced[k]) v.dims[v.rank] = d.dims[k], v.strides[v.rank++] = d.strides[k];
  return v;
}

View reduced_dims(Planner& p, const View& a, const bool* reduced, DType dtype) {
  int64_t dims[kMaxRank];
  for (int k = 0; k < a.rank; k++) dims[k] = reduced[k] ? 1 : a.dims[k];
  return p.make(dtype, a.rank, dims);
}

void reduction(Planner& p, const Instruction& i) {
  const View a = p.in(i, 0);
  require(!i.ints.empty(), "a reduction says whether it keeps dims");
  bool reduced[kMaxRank] = {};
  for (size_t k = 1; k < i.ints.size(); k++) reduced[Planner::axis(i.ints[k], a.rank)] = true;
  const ReduceOp op = ReduceOp(i.how->arg);
  const View d = reduced_dims(p, a, reduced, a.dtype);
  // A number by itself is the largest and the smallest, NaN too.
  if ((op == reduce_max || op == reduce_min) && d.elements() == a.elements())
    return p.out(i, 0, without(a, reduced, i.ints[0] != 0));
  reduce(p, op, d, a, reduced);
  p.out(i, 0, without(d, reduced, i.ints[0] != 0));
}

void sum_like(Planner& p, const Instruction& i) {
  const View a = p.in(i, 0);
  const View& like = p.in(i, 1);
  require(like.rank <= a.rank, "a sum has fewer axes than what it becomes");
  bool reduced[kMaxRank] = {};
  const int shift = a.rank - like.rank;
  bool any = false;
  for (int k = 0; k < a.rank; k++) {
    const int64_t size = k < shift ? 1 : like.dims[k - shift];
    require(k < shift || size == 1 || size == a.dims[k], "sizes do not broadcast");
    reduced[k] = k < shift || (size == 1 && a.dims[k] != 1);
    any = any || reduced[k];
  }
  if (!any) return p.out(i, 0, a);
  View d = reduced_dims(p, a, reduced, a.dtype);
  reduce(p, reduce_sum, d, a, reduced);
  View v = d;
  v.rank = like.rank;
  for (int k = 0; k < like.rank; k++) v.dims[k] = d.dims[k + shift], v.strides[k] = d.strides[k + shift];
  p.out(i, 0, v);
}

void l2_loss(Planner& p, const Instruction& i) {
  const View a = p.in(i, 0);
  const View squares = p.make_like(a);
  p.elementwise(kernels().elementwise[op_square][a.dtype], squares, {&a}, 0.06);
  bool reduced[kMaxRank];
  std::fill(reduced, reduced + kMaxRank, true);
  const View d = reduced_dims(p, a, reduced, a.dtype);
  reduce(p, reduce_sum, d, squares, reduced);
  View sum = without(d, reduced, false), two = p.literal(a.dtype, true, 0, nullptr);
  const View doubled = p.make_like(two), half = p.make_like(two);
  p.elementwise(kernels().elementwise[op_add][a.dtype], doubled, {&two, &two}, 0);
  p.elementwise(kernels().elementwise[op_div][a.dtype], half, {&sum, &doubled}, 0);
  p.out(i, 0, half);
}

void arg_reduction(Planner& p, const Instruction& i) {
  const View a = p.in(i, 0);
  require(i.ints.size() == 2, "a search has an axis and a type");
  const int axis = Planner::axis(i.ints[0], a.rank);
  require(a.dims[axis] > 0, "there is nothing to search");
  bool reduced[kMaxRank] = {};
  reduced[axis] = true;
  const View d = reduced_dims(p, a, reduced, p.result_type(i));
  if (d.elements()) {
    std::vector<Run> kept;
    for (int k = 0; k < a.rank; k++)
      if (k != axis) add_run(kept, {a.dims[k], d.strides[k] * kSizes[d.dtype], a.strides[k] * kSizes[a.dtype]});
    Step& step = p.emit(kernels().arg_reduce[i.how->arg][a.dtype], double(a.elements()));
    p.operand(step, 0, d);
    p.operand(step, 1, a);
    step.cols = a.dims[axis];
    step.k = a.strides[axis] * kSizes[a.dtype];
    step.flags = d.dtype;
    std::vector<int64_t> extra;
    append(extra, kept, true);
    step.extra = p.keep(std::move(extra));
  }
  p.out(i, 0, without(d, reduced, false));
}

void cumulation(Planner& p, const Instruction& i) {
  const View a = p.in(i, 0);
  require(i.ints.size() == 3, "a running sum has an axis and two switches");
  const int axis = Planner::axis(i.ints[0], a.rank);
  const View d = p.make_like(a);
  if (d.elements()) {
    std::vector<Run> kept;
    for (int k = 0; k < a.rank; k++)
      if (k != axis) add_run(kept, {a.dims[k], d.strides[k] * kSizes[d.dtype], a.strides[k] * kSizes[a.dtype]});
    Step& step = p.emit(kernels().cumulate[i.how->arg][a.dtype], double(a.elements()));
    p.operand(step, 0, d);
    p.operand(step, 1, a);
    step.cols = a.dims[axis];
    step.k = a.strides[axis] * kSizes[a.dtype];
    step.number[0] = double(d.strides[axis] * kSizes[d.dtype]);
    step.flags = (i.ints[1] ? 1 : 0) | (i.ints[2] ? 2 : 0);
    std::vector<int64_t> extra;
    append(extra, kept, true);
    step.extra = p.keep(std::move(extra));
  }
  p.out(i, 0, d);
}

// --------------------------------------------------------------------------------------------------------- rows

void set_rows(Step& step, const View& a) {
  step.cols = a.dims[a.rank - 1];
  step.rows = a.elements() / step.cols;
}

void softmax(Planner& p, const Instruction& i) {
  require(p.in(i, 0).rank > 0, "softmax is of vectors");
  const View a = p.dense(p.in(i, 0));
  const View d = p.make_like(a);
  if (a.elements()) {
    Step& step = p.emit(kernels().rows[i.how->arg][a.dtype], double(a.elements()) * 0.7);
    p.operand(step, 0, d);
    p.operand(step, 1, a);
    set_rows(step, a);
  }
  p.out(i, 0, d);
}

void cross_entropy(Planner& p, const Instruction& i) {
  const bool sparse = i.how->arg == rows_sparse_cross_entropy;
  const View logits = p.in(i, 0), labels = p.in(i, 1);
  require(logits.rank > 0, "logits are vectors");
  View dims = logits;
  if (sparse) {
    require(labels.rank == logits.rank - 1, "there is a label a row");
    for (int k = 0; k < labels.rank; k++) require(labels.dims[k] == logits.dims[k], "there is a label a row");
  } else {
    dims = Planner::joined({&logits, &labels});
  }
  require(dims.dims[dims.rank - 1] > 0, "there are no classes");
  const View a = p.dense(Planner::broadcast(logits, dims));
  const View y = p.dense(sparse ? labels : Planner::broadcast(labels, dims));
  const View loss = p.make(a.dtype, dims.rank - 1, dims.dims), back = p.make(a.dtype, dims.rank, dims.dims);
  if (a.elements()) {
    Step& step = p.emit(kernels().rows[i.how->arg][a.dtype], double(a.elements()));
    p.operand(step, 0, loss);
    p.operand(step, 1, a);
    p.operand(step, 2, y);
    p.operand(step, 3, back);
    set_rows(step, a);
    step.flags = y.dtype;
  }
  p.out(i, 0, loss);
  p.out(i, 1, back);
}

}  // namespace

const std::vector<Lowering>& reduction_lowerings() {
  static const std::vector<Lowering> rows = {
      {"sum", reduction, reduce_sum}, {"mean", reduction, reduce_mean}, {"prod", reduction, reduce_prod},
      {"max", reduction, reduce_max}, {"min", reduction, reduce_min}, {"all", reduction, reduce_all},
      {"any", reduction, reduce_any}, {"sum_like", sum_like}, {"l2_loss", l2_loss}, {"argmax", arg_reduction, 0},
      {"argmin", arg_reduction, 1}, {"cumsum", cumulation, 0}, {"cumprod", cumulation, 1},
      {"softmax", softmax, rows_softmax}, {"log_softmax", softmax, rows_log_softmax},
      {"softmax_cross_entropy", cross_entropy, rows_cross_entropy},
      {"sparse_softmax_cross_entropy", cross_entropy, rows_sparse_cross_entropy},
  };
  return rows;
}

}  // namespace headrace
