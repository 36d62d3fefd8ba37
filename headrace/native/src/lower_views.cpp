// Views: instructions that give the same memory other sizes and strides. A copy is made only where strides cannot say it.
#include <algorithm>

#include "lowerings.h"

namespace headrace {
namespace {

void reshape(Planner& p, const Instruction& i) {
  const View& a = p.in(i, 0);
  const int rank = int(i.ints.size());
  require(rank <= kMaxRank, "too many axes");
  int64_t dims[kMaxRank], known = 1;
  int open = -1;
  for (int k = 0; k < rank; k++) {
    dims[k] = p.size(i.ints[size_t(k)]);
    if (dims[k] == -1) {
      require(open < 0, "two sizes are left open");
      open = k;
    } else {
      require(dims[k] >= 0, "a size is negative");
      known *= dims[k];
    }
  }
  if (open >= 0) {
    require(known > 0 && a.elements() % known == 0, "a reshape changes the number of elements");
    dims[open] = a.elements() / known;
  }
  p.out(i, 0, p.reshaped(a, rank, dims));
}

void reshape_like(Planner& p, const Instruction& i) {
  const View& like = p.in(i, 1);
  p.out(i, 0, p.reshaped(p.in(i, 0), like.rank, like.dims));
}

void transpose(Planner& p, const Instruction& i) {
  const View& a = p.in(i, 0);
  require(int(i.ints.size()) == a.rank, "a permutation has another rank");
  View v = a;
  bool seen[kMaxRank] = {};
  for (int k = 0; k < a.rank; k++) {
    const int from = Planner::axis(i.ints[size_t(k)], a.rank);
    require(!seen[from], "a permutation names an axis twice");
    seen[from] = true;
    v.dims[k] = a.dims[from];
    v.strides[k] = a.strides[from];
  }
  p.out(i, 0, v);
}

void slice(Planner& p, const Instruction& i) {
  const View& a = p.in(i, 0);
  const size_t rank = size_t(a.rank);
  require(i.ints.size() == 3 * rank, "a slice has another rank");
  View v = a;
  for (size_t k = 0; k < rank; k++) {
    const int64_t n = a.dims[k], stride = p.size(i.ints[2 * rank + k]);
    int64_t begin = p.size(i.ints[k]), size = p.size(i.ints[rank + k]);
    require(stride != 0, "a stride is 0");
    if (begin < 0) begin += n;
    require(size == -1 || (begin >= 0 && begin <= n), "a slice begins outside of its axis");
    if (stride > 0) begin = begin < 0 ? 0 : begin > n ? n : begin;
    else begin = begin < -1 ? -1 : begin > n - 1 ? n - 1 : begin;
    const int64_t most = stride > 0 ? (n - begin + stride - 1) / stride : (begin + 1 - stride - 1) / -stride;
    if (size == -1) size = most;
    require(size >= 0 && size <= most, "a slice goes beyond its axis");
    v.dims[k] = size;
    if (size) v.offset += begin * a.strides[k] * kSizes[a.dtype];
    v.strides[k] = a.strides[k] * stride;
  }
  p.out(i, 0, v);
}

void slice_range(Planner& p, const Instruction& i) {
  View v = p.in(i, 0);
  require(i.ints.size() == 6, "a range is an axis, begin, end, stride and what is open");
  const int k = Planner::axis(i.ints[0], v.rank);
  const int64_t n = v.dims[k], stride = i.ints[3];
  require(stride != 0, "a stride is 0");
  const int64_t least = stride > 0 ? 0 : -1, most = stride > 0 ? n : n - 1;
  const auto place = [&](int64_t at, bool open, int64_t otherwise) {
    if (open) return otherwise;
    return std::clamp(at < 0 ? at + n : at, least, most);
  };
  const int64_t begin = place(i.ints[1], i.ints[4], stride > 0 ? least : most);
  const int64_t end = place(i.ints[2], i.ints[5], stride > 0 ? most : least);
  const int64_t size = stride > 0 ? (end - begin + stride - 1) / stride : (begin - end - stride - 1) / -stride;
  v.dims[k] = std::max<int64_t>(size, 0);
  if (v.dims[k]) v.offset += begin * v.strides[k] * kSizes[v.dtype];
  v.strides[k] *= stride;
  p.out(i, 0, v);
}

void broadcast_to(Planner& p, const Instruction& i) {
  int64_t dims[kMaxRank];
  require(i.ints.size() <= size_t(kMaxRank), "too many axes");
  for (size_t k = 0; k < i.ints.size(); k++) dims[k] = p.size(i.ints[k]);
  p.out(i, 0, Planner::with_dims(p.in(i, 0), int(i.ints.size()), dims));
}

void broadcast_like(Planner& p, const Instruction& i) { p.out(i, 0, Planner::broadcast(p.in(i, 0), p.in(i, 1))); }

void expand_dims(Planner& p, const Instruction& i) {
  const View& a = p.in(i, 0);
  require(a.rank < kMaxRank && i.ints.size() == 1, "too many axes");
  const int at = Planner::axis(i.ints[0], a.rank + 1);
  View v = a;
  v.rank++;
  for (int k = a.rank; k > at; k--) v.dims[k] = a.dims[k - 1], v.strides[k] = a.strides[k - 1];
  v.dims[at] = 1;
  v.strides[at] = 0;
  p.out(i, 0, v);
}

void squeeze(Planner& p, const Instruction& i) {
  const View& a = p.in(i, 0);
  bool drop[kMaxRank] = {};
  for (int64_t axis : i.ints) drop[Planner::axis(axis, a.rank)] = true;
  View v = a;
  v.rank = 0;
  for (int k = 0; k < a.rank; k++) {
    if (i.ints.empty() ? a.dims[k] == 1 : drop[k]) {
      require(a.dims[k] == 1, "an axis that is squeezed has another size than 1");
      continue;
    }
    v.dims[v.rank] = a.dims[k];
    v.strides[v.rank++] = a.strides[k];
  }
  p.out(i, 0, v);
}

void reverse(Planner& p, const Instruction& i) {
  const View& a = p.in(i, 0);
  View v = a;
  for (int64_t code : i.ints) {
    const int k = Planner::axis(code, a.rank);
    if (a.dims[k] > 1) v.offset += (a.dims[k] - 1) * a.strides[k] * kSizes[a.dtype], v.strides[k] = -a.strides[k];
  }
  p.out(i, 0, v);
}

void at_most(Planner& p, const Instruction& i) {
  const View& a = p.in(i, 0);
  require(a.rank > 0 && i.ints.size() == 1, "a batch has a size");
  require(a.dims[0] <= i.ints[0], "there is too much work");
  p.out(i, 0, a);
}

void fill(Planner& p, const Instruction& i) {
  require(p.in(i, 0).elements() == 1, "a fill's value has more than one element");
  View value = p.in(i, 0);
  value.rank = 0;
  int64_t dims[kMaxRank];
  require(i.ints.size() <= size_t(kMaxRank), "too many axes");
  for (size_t k = 0; k < i.ints.size(); k++) {
    dims[k] = p.size(i.ints[k]);
    require(dims[k] >= 0, "a size is negative");
  }
  p.out(i, 0, Planner::with_dims(value, int(i.ints.size()), dims));
}

void constant_like(Planner& p, const Instruction& i) {
  const View& a = p.in(i, 0);
  p.out(i, 0, p.literal(a.dtype, i.how->arg != 0, a.rank, a.dims));
}

}  // namespace

const std::vector<Lowering>& view_lowerings() {
  static const std::vector<Lowering> rows = {
      {"reshape", reshape}, {"reshape_like", reshape_like}, {"transpose", transpose}, {"slice", slice}, {"slice_range", slice_range},
      {"broadcast_to", broadcast_to}, {"broadcast_like", broadcast_like}, {"expand_dims", expand_dims},
      {"squeeze", squeeze}, {"reverse", reverse}, {"at_most", at_most}, {"fill", fill}, {"zeros_like", constant_like, 0},
      {"ones_like", constant_like, 1},
  };
  return rows;
}

}  // namespace headrace
