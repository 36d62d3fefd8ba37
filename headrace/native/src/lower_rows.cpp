// Gathers and scatters: rows and elements that indices name.
#include <algorithm>
#include <cstring>

#include "indices.h"
#include "lowerings.h"

namespace headrace {
namespace {

// -------------------------------------------------------------------------------------------------------- gathers

// d[batch, outer, i] = a[batch, outer, ids[batch, i]], blocks of cols bytes; extra: batches, outer, ids a batch.
int64_t gather_kernel(const Step& step, Frame& frame) {
  char* d = step.at(0, frame);
  const char* a = step.at(1, frame);
  const char* ids = step.at(2, frame);
  const int64_t batches = step.extra[0], outer = step.extra[1], count = step.extra[2], bytes = step.cols;
  for (int64_t b = 0; b < batches; b++)
    for (int64_t o = 0; o < outer; o++, a += step.k * bytes)
      for (int64_t i = 0; i < count; i++, d += bytes) {
        const int64_t at = index_at(ids, step.flags, b * count + i);
        if (uint64_t(at) >= uint64_t(step.k)) return b * count + i + 1;
        std::memcpy(d, a + at * bytes, size_t(bytes));
      }
  return 0;
}

void gather(Planner& p, const Instruction& i) {
  require(i.ints.size() == 2, "a gather has an axis and batch dims");
  const View params = p.dense(p.in(i, 0)), ids = p.dense(p.in(i, 1));
  const int batch = int(i.ints[1]);
  const int axis = Planner::axis(i.ints[0], params.rank);
  require(batch >= 0 && batch <= axis && batch <= ids.rank, "batch dims go beyond the axis");
  for (int k = 0; k < batch; k++) require(params.dims[k] == ids.dims[k], "batch dims differ");
  int64_t dims[2 * kMaxRank];
  int rank = 0;
  for (int k = 0; k < axis; k++) dims[rank++] = params.dims[k];
  for (int k = batch; k < ids.rank; k++) dims[rank++] = ids.dims[k];
  for (int k = axis + 1; k < params.rank; k++) dims[rank++] = params.dims[k];
  require(rank <= kMaxRank, "too many axes");
  const View d = p.make(params.dtype, rank, dims);
  p.out(i, 0, d);
  if (!d.elements()) {
    // Even where a row has no elements, an index may be wrong.
    require(!ids.elements(), "rows of a gather are empty");
    return;
  }
  Step& step = p.emit(gather_kernel, double(d.elements()) * 0.1 + double(ids.elements()) * 4);
  p.operand(step, 0, d);
  p.operand(step, 1, params);
  p.operand(step, 2, ids);
  step.flags = ids.dtype;
  step.k = params.dims[axis];
  step.cols = product_of(params, axis + 1, params.rank) * kSizes[params.dtype];
  step.extra = p.keep({product_of(params, 0, batch), product_of(params, batch, axis), product_of(ids, batch, ids.rank)});
}

// extra: how many indices a place has, then their sizes and strides in bytes
int64_t gather_nd_kernel(const Step& step, Frame& frame) {
  char* d = step.at(0, frame);
  const char* a = step.at(1, frame);
  const char* ids = step.at(2, frame);
  const int64_t depth = step.extra[0];
  for (int64_t r = 0; r < step.rows; r++, d += step.cols) {
    int64_t offset = 0;
    for (int64_t k = 0; k < depth; k++) {
      const int64_t at = index_at(ids, step.flags, r * depth + k);
      if (uint64_t(at) >= uint64_t(step.extra[1 + 2 * k])) return r + 1;
      offset += at * step.extra[2 + 2 * k];
    }
    std::memcpy(d, a + offset, size_t(step.cols));
  }
  return 0;
}

// What the last axis of indices says about the first axes of v.
const int64_t* index_steps(Planner& p, const View& v, int64_t depth) {
  std::vector<int64_t> extra{depth};
  for (int64_t k = 0; k < depth; k++) {
    extra.push_back(v.dims[k]);
    extra.push_back(v.strides[k] * kSizes[v.dtype]);
  }
  return p.keep(std::move(extra));
}

void gather_nd(Planner& p, const Instruction& i) {
  const View params = p.dense(p.in(i, 0)), ids = p.dense(p.in(i, 1));
  require(ids.rank > 0 && ids.dims[ids.rank - 1] <= params.rank, "indices are deeper than what they point into");
  const int depth = int(ids.dims[ids.rank - 1]);
  int64_t dims[2 * kMaxRank];
  int rank = 0;
  for (int k = 0; k + 1 < ids.rank; k++) dims[rank++] = ids.dims[k];
  for (int k = depth; k < params.rank; k++) dims[rank++] = params.dims[k];
  require(rank <= kMaxRank, "too many axes");
  const View d = p.make(params.dtype, rank, dims);
  p.out(i, 0, d);
  const int64_t places = product_of(ids, 0, ids.rank - 1);
  if (!d.elements()) {
    require(!places, "rows of a gather are empty");
    return;
  }
  Step& step = p.emit(gather_nd_kernel, double(d.elements()) * 0.1 + double(ids.elements()) * 4);
  p.operand(step, 0, d);
  p.operand(step, 1, params);
  p.operand(step, 2, ids);
  step.flags = ids.dtype;
  step.rows = places;
  step.cols = product_of(params, depth, params.rank) * kSizes[params.dtype];
  step.extra = index_steps(p, params, depth);
}

// Of each sequence the first steps, as many as its length says, backwards. extra: outer, batch, between, steps, 1 if steps are
// before batches; blocks of cols bytes.
int64_t reverse_sequence_kernel(const Step& step, Frame& frame) {
  char* d = step.at(0, frame);
  const char* a = step.at(1, frame);
  const char* lengths = step.at(2, frame);
  const int64_t outer = step.extra[0], batch = step.extra[1], between = step.extra[2], steps = step.extra[3];
  const int64_t bytes = step.cols;
  const bool steps_first = step.extra[4] != 0;
  for (int64_t b = 0; b < batch; b++)
    if (uint64_t(index_at(lengths, step.flags, b)) > uint64_t(steps)) return b + 1;
  const int64_t batch_row = steps_first ? bytes : between * steps * bytes;
  const int64_t step_row = steps_first ? between * batch * bytes : bytes;
  const int64_t between_row = steps_first ? batch * bytes : steps * bytes;
  for (int64_t o = 0; o < outer; o++, a += batch * between * steps * bytes, d += batch * between * steps * bytes)
    for (int64_t b = 0; b < batch; b++) {
      const int64_t length = index_at(lengths, step.flags, b);
      for (int64_t m = 0; m < between; m++) {
        const int64_t at = b * batch_row + m * between_row;
        for (int64_t t = 0; t < steps; t++)
          std::memcpy(d + at + t * step_row, a + at + (t < length ? length - 1 - t : t) * step_row, size_t(bytes));
      }
    }
  return 0;
}

void reverse_sequence(Planner& p, const Instruction& i) {
  const View a = p.dense(p.in(i, 0)), lengths = p.dense(p.in(i, 1));
  require(i.ints.size() == 2, "a reversal has an axis of steps and one of sequences");
  const int steps = Planner::axis(i.ints[0], a.rank), batch = Planner::axis(i.ints[1], a.rank);
  require(steps != batch && lengths.rank == 1 && lengths.dims[0] == a.dims[batch], "there is a length a sequence");
  const View d = p.make_like(a);
  p.out(i, 0, d);
  if (!lengths.elements()) return;
  // Even where a step has no elements, a length may be wrong.
  const int first = std::min(steps, batch), second = std::max(steps, batch);
  Step& step = p.emit(reverse_sequence_kernel, double(d.elements()) * 0.2 + double(lengths.elements()) * 4);
  p.operand(step, 0, d);
  p.operand(step, 1, a);
  p.operand(step, 2, lengths);
  step.flags = lengths.dtype;
  step.cols = product_of(a, second + 1, a.rank) * kSizes[a.dtype];
  step.extra = p.keep({product_of(a, 0, first), a.dims[batch], product_of(a, first + 1, second), a.dims[steps], steps < batch});
}

// ------------------------------------------------------------------------------------------------------- scatters

enum ScatterFlags { kSkipsNegative = 1, kClears = 2, kSubtracts = 4, kReplaces = 8 };

// Adds rows of `cols` elements to those of operand 0 that operand 2 names; extra: depth, sizes and strides of an index,
// type of ids, flags, bytes of the whole result.
int64_t scatter_kernel(const Step& step, Frame& frame) {
  char* d = step.at(0, frame);
  const char* a = step.at(1, frame);
  const char* ids = step.at(2, frame);
  const int64_t depth = step.extra[0];
  const int64_t* rest = step.extra + 1 + 2 * depth;
  const int32_t type = int32_t(rest[0]);
  const int64_t flags = rest[1], size = rest[3];
  // Nothing is written before all places are known to be right.
  for (int64_t r = 0; r < step.rows; r++)
    for (int64_t k = 0; k < depth; k++) {
      const int64_t at = index_at(ids, type, r * depth + k);
      if (uint64_t(at) >= uint64_t(step.extra[1 + 2 * k]) && !(at < 0 && (flags & kSkipsNegative))) return r + 1;
    }
  if (flags & kClears) std::memset(d, 0, size_t(rest[2]));
  const int32_t inner[3] = {1, 1, 1};
  for (int64_t r = 0; r < step.rows; r++, a += step.cols * size) {
    int64_t offset = 0;
    for (int64_t k = 0; k < depth; k++) {
      const int64_t at = index_at(ids, type, r * depth + k);
      if (at < 0) {
        offset = -1;
        break;
      }
      offset += at * step.extra[2 + 2 * k];
    }
    if (offset < 0) continue;
    char* row = d + offset;
    char* const p[3] = {row, flags & kReplaces ? const_cast<char*>(a) : row, const_cast<char*>(a)};
    step.row(p, inner, step.cols, step);
  }
  return 0;
}

// The same for rows of one number, which are added without being told of a row.
template <class T>
int64_t add_numbers(const Step& step, Frame& frame) {
  T* d = step.as<T>(0, frame);
  const T* a = step.as<const T>(1, frame);
  const char* ids = step.at(2, frame);
  const int64_t* rest = step.extra + 3;
  const int32_t type = int32_t(rest[0]);
  const int64_t flags = rest[1], count = step.extra[1];
  for (int64_t r = 0; r < step.rows; r++) {
    const int64_t at = index_at(ids, type, r);
    if (uint64_t(at) >= uint64_t(count) && !(at < 0 && (flags & kSkipsNegative))) return r + 1;
  }
  if (flags & kClears) std::memset(d, 0, size_t(rest[2]));
  for (int64_t r = 0; r < step.rows; r++) {
    const int64_t at = index_at(ids, type, r);
    if (at >= 0) d[at] += a[r];
  }
  return 0;
}

constexpr Kernel kAddNumbers[] = {add_numbers<float>, add_numbers<double>, add_numbers<int32_t>, add_numbers<int64_t>};

// `depth` indices a place, `row_rank` the axis of d from which on rows are whole.
void scatter(Planner& p, const View& d, const View& data, const View& ids, int64_t depth, int64_t places, int64_t flags) {
  const DType type = d.dtype;
  const bool subtracts = flags & kSubtracts, replaces = flags & kReplaces;
  const RowKernel row = kernels().elementwise[subtracts ? op_sub : replaces ? op_copy : op_add][type];
  require(row != nullptr, "there is no kernel for this type");
  const double clearing = flags & kClears ? double(d.elements()) * 0.05 : 0;
  Step& step = p.emit(scatter_kernel, double(data.elements()) * 0.2 + double(places) * 6 + clearing);
  step.row = row;
  p.operand(step, 0, d);
  p.operand(step, 1, data);
  p.operand(step, 2, ids);
  step.rows = places;
  step.cols = product_of(d, int(depth), d.rank);
  std::vector<int64_t> extra{depth};
  for (int64_t k = 0; k < depth; k++) {
    extra.push_back(d.dims[k]);
    extra.push_back(d.strides[k] * kSizes[type]);
  }
  extra.insert(extra.end(), {ids.dtype, flags, d.elements() * kSizes[type], kSizes[type]});
  if (depth == 1 && step.cols == 1 && !subtracts && !replaces && type < BOOL) step.run = kAddNumbers[type];
  step.extra = p.keep(std::move(extra));
}

void segment_sum(Planner& p, const Instruction& i) {
  require(i.ints.size() == 1, "a sum of segments says how many rows it has");
  const View data = p.dense(p.in(i, 0)), ids = p.dense(p.in(i, 1));
  require(ids.rank <= data.rank, "ids have more axes than data");
  for (int k = 0; k < ids.rank; k++) require(ids.dims[k] == data.dims[k], "ids and data differ in size");
  int64_t dims[kMaxRank + 1] = {p.size(i.ints[0])};
  require(dims[0] >= 0, "a size is negative");
  const int rank = data.rank - ids.rank + 1;
  for (int k = ids.rank; k < data.rank; k++) dims[1 + k - ids.rank] = data.dims[k];
  const View d = p.make(data.dtype, rank, dims);
  p.out(i, 0, d);
  scatter(p, d, data, ids, 1, ids.elements(), kClears | (i.how->arg ? kSkipsNegative : 0));
}

void scatter_nd(Planner& p, const Instruction& i) {
  const View data = p.dense(p.in(i, 0)), ids = p.dense(p.in(i, 1));
  int64_t dims[kMaxRank];
  const int rank = int(i.ints.size());
  require(rank <= kMaxRank && ids.rank > 0, "too many axes");
  for (int k = 0; k < rank; k++) {
    dims[k] = p.size(i.ints[size_t(k)]);
    require(dims[k] >= 0, "a size is negative");
  }
  const int64_t depth = ids.dims[ids.rank - 1], places = product_of(ids, 0, ids.rank - 1);
  require(depth <= rank && data.rank == ids.rank - 1 + rank - depth, "updates have another rank");
  for (int k = 0; k < data.rank; k++)
    require(data.dims[k] == (k < ids.rank - 1 ? ids.dims[k] : dims[depth + k - (ids.rank - 1)]), "updates have other sizes");
  const View d = p.make(data.dtype, rank, dims);
  p.out(i, 0, d);
  scatter(p, d, data, ids, depth, places, kClears);
}

void scatter_into(Planner& p, const Instruction& i) {
  const View d = p.in(i, 0), ids = p.dense(p.in(i, 1));
  require(d.rank > 0 && d.is_contiguous(), "rows are of a dense buffer");
  int64_t dims[2 * kMaxRank];
  int rank = 0;
  for (int k = 0; k < ids.rank; k++) dims[rank++] = ids.dims[k];
  for (int k = 1; k < d.rank; k++) dims[rank++] = d.dims[k];
  require(rank <= kMaxRank, "too many axes");
  const View& updates = p.in(i, 2);
  require(updates.rank == rank || updates.rank == 0, "updates have another rank");
  View data = p.dense(Planner::with_dims(updates, rank, dims));
  if (data.storage == d.storage) {
    View own = p.make_like(data);
    p.copy(own, data);
    data = own;
  }
  p.out(i, 0, d);
  scatter(p, d, data, ids, 1, ids.elements(), i.how->arg);
  p.written(d);
}

}  // namespace

const std::vector<Lowering>& row_lowerings() {
  static const std::vector<Lowering> rows = {
      {"gather", gather}, {"gather_nd", gather_nd}, {"reverse_sequence", reverse_sequence},
      {"unsorted_segment_sum", segment_sum, 1},
      {"scatter_rows", segment_sum, 0}, {"scatter_nd", scatter_nd}, {"scatter_add", scatter_into, 0},
      {"scatter_sub", scatter_into, kSubtracts}, {"scatter_update", scatter_into, kReplaces},
  };
  return rows;
}

}  // namespace headrace
