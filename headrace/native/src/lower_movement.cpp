// Values put together of parts, and what is made element by element: concatenations, paddings, ranges, the largest of rows.
#include <algorithm>
#include <cmath>

#include "indices.h"
#include "lowerings.h"

namespace headrace {
namespace {

// ------------------------------------------------------------------------------------------------ put together

void concat(Planner& p, const Instruction& i) {
  require(i.ints.size() == 1, "a concatenation has an axis");
  const View first = p.in(i, 0);
  const bool stacks = i.how->arg != 0;
  const int rank = first.rank + (stacks ? 1 : 0);
  require(rank <= kMaxRank, "too many axes");
  const int axis = Planner::axis(i.ints[0], rank);
  int64_t dims[kMaxRank];
  for (int k = 0; k < rank; k++) dims[k] = stacks ? (k < axis ? first.dims[k] : k > axis ? first.dims[k - 1] : 1) : first.dims[k];
  dims[axis] = 0;
  for (size_t n = 0; n < i.inputs.size(); n++) {
    const View& a = p.in(i, n);
    require(a.rank == first.rank, "parts have another rank");
    for (int k = 0; k < a.rank; k++)
      require(a.dims[k] == first.dims[k] || (!stacks && k == axis), "parts have other sizes");
    dims[axis] += stacks ? 1 : a.dims[axis];
  }
  const View d = p.make(first.dtype, rank, dims);
  int64_t at = 0;
  for (size_t n = 0; n < i.inputs.size(); n++) {
    const View a = p.in(i, n);
    View part = stacks ? Planner::dropped(d, axis) : d;
    part.offset += at * d.strides[axis] * kSizes[d.dtype];
    if (!stacks) part.dims[axis] = a.dims[axis];
    at += stacks ? 1 : a.dims[axis];
    p.copy(part, a);
  }
  p.out(i, 0, d);
}

void pad(Planner& p, const Instruction& i) {
  const View a = p.in(i, 0), value = p.in(i, 1);
  require(i.ints.size() == 2 * size_t(a.rank) && value.elements() == 1, "a padding has two sizes an axis");
  int64_t dims[kMaxRank], offset[kMaxRank];
  for (int k = 0; k < a.rank; k++) {
    offset[k] = p.size(i.ints[2 * size_t(k)]);
    const int64_t after = p.size(i.ints[2 * size_t(k) + 1]);
    require(offset[k] >= 0 && after >= 0, "a padding is negative");
    dims[k] = offset[k] + a.dims[k] + after;
  }
  const View d = p.make(a.dtype, a.rank, dims);
  View scalar = value;
  scalar.rank = 0;
  if (d.elements() != a.elements()) p.copy(d, Planner::broadcast(scalar, d));
  View middle = d;
  for (int k = 0; k < a.rank; k++) {
    middle.offset += offset[k] * d.strides[k] * kSizes[d.dtype];
    middle.dims[k] = a.dims[k];
  }
  if (!a.elements()) middle.offset = d.offset;
  p.copy(middle, a);
  p.out(i, 0, d);
}

// An axis after the other: rows before and after are those inside, backwards; the edge comes twice unless it is left out.
void mirror_pad(Planner& p, const Instruction& i) {
  const View a = p.in(i, 0);
  require(i.ints.size() == 1 + 2 * size_t(a.rank), "a padding has two sizes an axis");
  const int64_t left_out = i.ints[0] ? 1 : 0;
  int64_t dims[kMaxRank], before[kMaxRank], after[kMaxRank];
  for (int k = 0; k < a.rank; k++) {
    before[k] = p.size(i.ints[1 + 2 * size_t(k)]);
    after[k] = p.size(i.ints[2 + 2 * size_t(k)]);
    const int64_t most = a.dims[k] - left_out;
    require(before[k] >= 0 && after[k] >= 0 && before[k] <= most && after[k] <= most, "a padding is larger than the value");
    dims[k] = before[k] + a.dims[k] + after[k];
  }
  const View d = p.make(a.dtype, a.rank, dims);
  p.out(i, 0, d);
  if (!a.elements()) return;
  // The part that is filled so far.
  View filled = d;
  for (int k = 0; k < a.rank; k++) {
    filled.offset += before[k] * d.strides[k] * kSizes[d.dtype];
    filled.dims[k] = a.dims[k];
  }
  p.copy(filled, a);
  for (int k = 0; k < a.rank; k++) {
    const int64_t row = d.strides[k] * kSizes[d.dtype];
    const auto mirrored = [&](int64_t count, int64_t to, int64_t from) {
      View target = filled, source = filled;
      target.dims[k] = source.dims[k] = count;
      target.offset += to * row;
      source.offset += from * row;
      source.strides[k] = -d.strides[k];
      p.copy(target, source);
    };
    if (before[k]) mirrored(before[k], -before[k], before[k] - 1 + left_out);
    if (after[k]) mirrored(after[k], a.dims[k], a.dims[k] - 1 - left_out);
    filled.offset -= before[k] * row;
    filled.dims[k] = dims[k];
  }
}

// A copy of the value over itself: an axis that is repeated is two, unless it has one element.
void tile(Planner& p, const Instruction& i) {
  const View a = p.in(i, 0);
  require(i.ints.size() == size_t(a.rank), "a tiling has a number an axis");
  int64_t dims[kMaxRank];
  View from = a;
  from.rank = 0;
  const auto add = [&from](int64_t size, int64_t stride) {
    require(from.rank < kMaxRank, "a tiling has too many axes");
    from.dims[from.rank] = size, from.strides[from.rank++] = stride;
  };
  for (int k = 0; k < a.rank; k++) {
    const int64_t times = p.size(i.ints[size_t(k)]);
    require(times >= 0, "a number of tiles is negative");
    dims[k] = times * a.dims[k];
    if (times != 1) add(times, 0);
    if (times == 1 || a.dims[k] != 1) add(a.dims[k], a.strides[k]);
  }
  const View d = p.make(a.dtype, a.rank, dims);
  View to = d;
  to.rank = from.rank;
  std::copy(from.dims, from.dims + from.rank, to.dims);
  to.set_contiguous();
  p.copy(to, from);
  p.out(i, 0, d);
}

// ------------------------------------------------------------------------------------------------- by the element

template <class T>
void write_range(char* to, const char* start, const char* delta, int64_t n) {
  T* d = reinterpret_cast<T*>(to);
  const T s = *reinterpret_cast<const T*>(start), e = *reinterpret_cast<const T*>(delta);
  for (int64_t i = 0; i < n; i++) d[i] = T(s + T(i) * e);
}
int64_t range_kernel(const Step& step, Frame& frame) {
  char *d = step.at(0, frame), *start = step.at(1, frame), *delta = step.at(2, frame);
  switch (step.flags) {
    case F32: write_range<float>(d, start, delta, step.cols); break;
    case F64: write_range<double>(d, start, delta, step.cols); break;
    case I32: write_range<int32_t>(d, start, delta, step.cols); break;
    default: write_range<int64_t>(d, start, delta, step.cols);
  }
  return 0;
}
void range(Planner& p, const Instruction& i) {
  require(i.ints.size() == 1 && p.in(i, 0).elements() == 1 && p.in(i, 1).elements() == 1, "a range has scalars");
  const View start = p.in(i, 0), delta = p.in(i, 1);
  const int64_t dims[1] = {p.size(i.ints[0])};
  require(dims[0] >= 0, "a size is negative");
  const View d = p.make(start.dtype, 1, dims);
  p.out(i, 0, d);
  if (!dims[0]) return;
  Step& step = p.emit(range_kernel, double(dims[0]) * 0.2);
  p.operand(step, 0, d);
  p.operand(step, 1, start);
  p.operand(step, 2, delta);
  step.cols = dims[0];
  step.flags = start.dtype;
}

// d is already `off`: `on` is put where ids say; rows are outer, cols inner places, k the depth.
template <class T>
void put_on(const Step& step, Frame& frame) {
  T* d = step.as<T>(0, frame);
  const T on = *step.as<T>(1, frame);
  const char* ids = step.at(2, frame);
  for (int64_t r = 0; r < step.rows; r++)
    for (int64_t c = 0; c < step.cols; c++) {
      const int64_t at = index_at(ids, step.flags, r * step.cols + c);
      if (uint64_t(at) < uint64_t(step.k)) d[(r * step.k + at) * step.cols + c] = on;
    }
}
int64_t one_hot_kernel(const Step& step, Frame& frame) {
  if (step.number[0] == 4) put_on<uint32_t>(step, frame);
  else if (step.number[0] == 8) put_on<uint64_t>(step, frame);
  else put_on<uint8_t>(step, frame);
  return 0;
}
void one_hot(Planner& p, const Instruction& i) {
  require(i.ints.size() == 2 && p.in(i, 0).elements() == 1 && p.in(i, 1).elements() == 1, "one_hot has scalars");
  View on = p.in(i, 0), off = p.in(i, 1);
  on.rank = off.rank = 0;
  const View ids = p.dense(p.in(i, 2));
  require(ids.rank < kMaxRank, "too many axes");
  const int axis = Planner::axis(i.ints[0], ids.rank + 1);
  const int64_t depth = p.size(i.ints[1]);
  require(depth >= 0, "a depth is negative");
  int64_t dims[kMaxRank];
  for (int k = 0; k <= ids.rank; k++) dims[k] = k < axis ? ids.dims[k] : k > axis ? ids.dims[k - 1] : depth;
  const View d = p.make(on.dtype, ids.rank + 1, dims);
  p.copy(d, Planner::broadcast(off, d));
  p.out(i, 0, d);
  if (!d.elements()) return;
  Step& step = p.emit(one_hot_kernel, double(ids.elements()));
  p.operand(step, 0, d);
  p.operand(step, 1, on);
  p.operand(step, 2, ids);
  step.rows = product_of(ids, 0, axis);
  step.cols = product_of(ids, axis, ids.rank);
  step.k = depth;
  step.flags = ids.dtype;
  step.number[0] = double(kSizes[d.dtype]);
}

// Whether fewer than k predictions are above that of the target; a prediction that is not finite is in no top.
template <class T>
int64_t in_top_k_kernel(const Step& step, Frame& frame) {
  uint8_t* d = step.as<uint8_t>(0, frame);
  const T* a = step.as<const T>(1, frame);
  const char* targets = step.at(2, frame);
  for (int64_t r = 0; r < step.rows; r++, a += step.cols) {
    const int64_t y = index_at(targets, step.flags, r);
    bool fits = uint64_t(y) < uint64_t(step.cols) && std::isfinite(a[y]);
    int64_t above = 0;
    for (int64_t c = 0; fits && c < step.cols; c++) {
      fits = std::isfinite(a[c]);
      above += a[c] > a[y];
    }
    d[r] = fits && above < step.k;
  }
  return 0;
}
void in_top_k(Planner& p, const Instruction& i) {
  const View a = p.dense(p.in(i, 0)), y = p.dense(p.in(i, 1));
  require(a.rank == 2 && y.rank == 1 && y.dims[0] == a.dims[0] && i.ints.size() == 1, "there is a target a row");
  const View d = p.make(BOOL, 1, a.dims);
  p.out(i, 0, d);
  if (!a.elements()) {
    require(!d.elements(), "there are no classes");
    return;
  }
  Step& step = p.emit(a.dtype == F32 ? in_top_k_kernel<float> : in_top_k_kernel<double>, double(a.elements()));
  p.operand(step, 0, d);
  p.operand(step, 1, a);
  p.operand(step, 2, y);
  step.rows = a.dims[0], step.cols = a.dims[1];
  step.k = p.size(i.ints[0]);
  step.flags = y.dtype;
}

// The k largest of a row in order, of equal ones the first. Where one is asked for NaN is below all, otherwise above all, as
// TensorFlow has it.
template <class T>
int64_t top_k_kernel(const Step& step, Frame& frame) {
  T* values = step.as<T>(0, frame);
  int32_t* places = step.as<int32_t>(1, frame);
  const T* a = step.as<const T>(2, frame);
  int32_t* order = step.as<int32_t>(3, frame);
  const bool numbers_first = step.k == 1;
  for (int64_t r = 0; r < step.rows; r++, a += step.cols, values += step.k, places += step.k) {
    for (int64_t c = 0; c < step.cols; c++) order[c] = int32_t(c);
    std::partial_sort(order, order + step.k, order + step.cols, [a, numbers_first](int32_t x, int32_t y) {
      if (a[x] > a[y]) return true;
      if (a[x] < a[y]) return false;
      const bool first = a[x] == a[x], second = a[y] == a[y];
      if (first != second) return first == numbers_first;
      return x < y;
    });
    for (int64_t c = 0; c < step.k; c++) places[c] = order[c], values[c] = a[order[c]];
  }
  return 0;
}
void top_k(Planner& p, const Instruction& i) {
  const View a = p.dense(p.in(i, 0));
  require(a.rank > 0 && i.ints.size() == 1, "the largest are of vectors");
  const int64_t n = a.dims[a.rank - 1], k = p.size(i.ints[0]);
  require(k >= 0 && k <= n, "there are fewer");
  View dims = a;
  dims.dims[a.rank - 1] = k;
  const View values = p.make_like(dims), places = p.make_like(dims, I32);
  p.out(i, 0, values);
  p.out(i, 1, places);
  if (!values.elements()) return;
  const View order = p.scratch(n * 4);
  static const Kernel by_type[DTYPES] = {top_k_kernel<float>,   top_k_kernel<double>, top_k_kernel<int32_t>,
                                         top_k_kernel<int64_t>, nullptr,              nullptr};
  Step& step = p.emit(by_type[a.dtype], double(a.elements()) * 5);
  p.operand(step, 0, values);
  p.operand(step, 1, places);
  p.operand(step, 2, a);
  p.operand(step, 3, order);
  step.rows = a.elements() / n, step.cols = n, step.k = k;
}

}  // namespace

const std::vector<Lowering>& movement_lowerings() {
  static const std::vector<Lowering> rows = {
      {"concat", concat, 0},
      {"stack", concat, 1}, {"pad", pad}, {"mirror_pad", mirror_pad}, {"tile", tile}, {"range", range}, {"one_hot", one_hot},
      {"in_top_k", in_top_k}, {"top_k", top_k},
  };
  return rows;
}

}  // namespace headrace
