// Matrix products and the pointwise parts of cells.
#include "lowerings.h"

namespace headrace {
namespace {

// Beyond so many additions and products torch's own, on several threads, is quicker.
constexpr double kLargestProduct = 1e8;

void product(Planner& p, const Instruction& i, View a, View b, const View* bias, bool turn_a, bool turn_b) {
  require(a.rank >= 2 && b.rank >= 2, "products are of matrices");
  const auto turned = [](View& v) {
    std::swap(v.dims[v.rank - 1], v.dims[v.rank - 2]);
    std::swap(v.strides[v.rank - 1], v.strides[v.rank - 2]);
  };
  if (turn_a) turned(a);
  if (turn_b) turned(b);
  const int64_t m = a.dims[a.rank - 2], k = a.dims[a.rank - 1], n = b.dims[b.rank - 1];
  require(b.dims[b.rank - 2] == k, "the inner sizes of a product differ");
  // What is before the matrices.
  View batch_a = a, batch_b = b;
  batch_a.rank -= 2, batch_b.rank -= 2;
  const View batch = Planner::joined({&batch_a, &batch_b});
  require(batch.rank + 2 <= kMaxRank, "too many axes");
  int64_t dims[kMaxRank];
  for (int x = 0; x < batch.rank; x++) dims[x] = batch.dims[x];
  dims[batch.rank] = m, dims[batch.rank + 1] = n;
  const View d = p.make(a.dtype, batch.rank + 2, dims);
  p.out(i, 0, d);
  if (!d.elements()) return;
  if (k == 1 && !bias) {
    // Columns by rows: each element is one product, and a batch of small ones is as quick as one large.
    const View x = Planner::broadcast(a, d), y = Planner::broadcast(b, d);
    p.elementwise(kernels().elementwise[op_mul][a.dtype], d, {&x, &y}, 0.06);
    return;
  }

  // A product reads rows of b: a weight that is used transposed is turned once, not in each product.
  const double work = 2.0 * double(d.elements()) * double(k);
  require(work <= kLargestProduct, "a product is large");
  const bool by_dots = a.strides[a.rank - 1] == 1 && b.strides[b.rank - 2] == 1 && (n == 1 || m < 4);
  if (!by_dots && n > 1 && b.strides[b.rank - 1] != 1) b = p.dense_again(b);
  batch_b = b;
  batch_b.rank -= 2;
  const View steps_a = Planner::broadcast(batch_a, batch), steps_b = Planner::broadcast(batch_b, batch);
  View dense_bias;
  if (bias) {
    require(bias->rank == 1 && bias->dims[0] == n, "a bias has another size");
    dense_bias = p.dense(*bias);
  }
  const int64_t b_row = b.strides[b.rank - 2], b_col = b.strides[b.rank - 1];
  Step& step = p.emit(kernels().matmul[a.dtype], work / (a.dtype == F32 ? kernels().rate : kernels().rate / 2) + 20);
  p.operand(step, 0, d);
  p.operand(step, 1, a);
  p.operand(step, 2, b);
  if (bias) p.operand(step, 3, dense_bias);
  step.rows = m, step.cols = n, step.k = k;
  std::vector<int64_t> extra{a.strides[a.rank - 2], a.strides[a.rank - 1], b_row, b_col, n, bias ? 1 : 0};
  extra.push_back(batch.rank);
  const int64_t size = kSizes[a.dtype];
  for (int x = 0; x < batch.rank; x++) {
    extra.push_back(batch.dims[x]);
    extra.push_back(d.strides[x] * size);
    extra.push_back(steps_a.strides[x] * size);
    extra.push_back(steps_b.strides[x] * size);
  }
  step.extra = p.keep(std::move(extra));
}

void matmul(Planner& p, const Instruction& i) {
  const View a = p.in(i, 0), b = p.in(i, 1);
  require(a.rank == 2 && b.rank == 2 && i.ints.size() == 2, "a product is of two matrices");
  View bias;
  if (p.has(i, 2)) bias = p.in(i, 2);
  product(p, i, a, b, p.has(i, 2) ? &bias : nullptr, i.ints[0] != 0, i.ints[1] != 0);
}

void batch_matmul(Planner& p, const Instruction& i) {
  require(i.ints.size() == 2, "a product says what is transposed");
  product(p, i, p.in(i, 0), p.in(i, 1), nullptr, i.ints[0] != 0, i.ints[1] != 0);
}

void lstm(Planner& p, const Instruction& i) {
  require(p.in(i, 0).rank == 2 && p.in(i, 1).rank == 2, "gates and memory are matrices");
  const View gates = p.dense(p.in(i, 0));
  const int64_t dims[2] = {gates.dims[0], gates.dims[1] / 4};
  require(gates.dims[1] == 4 * dims[1], "gates are four for each unit");
  const View before = p.dense(Planner::with_dims(p.in(i, 1), 2, dims));
  std::vector<View> all{gates, before};
  for (size_t k = 0; k < 7; k++) {
    all.push_back(p.make(gates.dtype, 2, dims));
    p.out(i, k, all.back());
  }
  if (!before.elements()) return;
  Step& step = p.emit(kernels().lstm[gates.dtype], double(gates.elements()) * 0.6);
  p.more(step, all);
  step.rows = dims[0], step.cols = dims[1];
  step.number[0] = i.floats.empty() ? 0.0 : i.floats[0];
}

void lstm_grad(Planner& p, const Instruction& i) {
  const View like = p.in(i, 2);
  require(like.rank == 2 && i.ints.size() == 1, "gates are matrices");
  std::vector<View> all;
  for (size_t k = 0; k < 8; k++) {
    const bool counts = k != 1 || i.ints[0];
    all.push_back(counts ? p.dense(Planner::broadcast(p.in(i, k), like)) : all[0]);
  }
  const int64_t dims[2] = {like.dims[0], 4 * like.dims[1]};
  all.push_back(p.make(like.dtype, 2, dims));
  all.push_back(p.make_like(like));
  all.push_back(p.make_like(like));
  for (size_t k = 0; k < 3; k++) p.out(i, k, all[8 + k]);
  if (!like.elements()) return;
  Step& step = p.emit(kernels().lstm_grad[like.dtype], double(like.elements()));
  p.more(step, all);
  step.rows = like.dims[0], step.cols = like.dims[1];
  step.flags = i.ints[0] ? 1 : 0;
}

}  // namespace

const std::vector<Lowering>& product_lowerings() {
  static const std::vector<Lowering> rows = {
      {"matmul", matmul}, {"batch_matmul", batch_matmul}, {"lstm_pointwise", lstm}, {"lstm_pointwise_grad", lstm_grad},
  };
  return rows;
}

}  // namespace headrace
