// Direct calls that number, pick and sum rows.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "direct.h"

namespace headrace {
namespace {

void put_index(const Block& block, int64_t i, int64_t value) {
  if (block.dtype == I32) block.as<int32_t>()[i] = int32_t(value);
  else block.as<int64_t>()[i] = value;
}

// unique(x, wide): the different integers of a vector, and which of them each is, as int64 or int32.
PyObject* unique(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 2)) return nullptr;
  Block x, values, places;
  if (!read_block(args[0], x) || !x.is_index() || x.rank != 1) return declined();
  const int64_t n = x.dims[0];
  Reference made_places(make_tensor(args[1] == Py_True ? I64 : I32, {n}, places));
  if (!made_places.object) return nullptr;
  Numbering numbering(n);
  for (int64_t i = 0; i < n; i++) put_index(places, i, numbering.of(x.index(i)));
  const int64_t kinds = int64_t(numbering.keys.size());
  PyObject* made = make_tensor(x.dtype, {kinds}, values);
  for (int64_t i = 0; made && i < kinds; i++) put_index(values, i, numbering.keys[size_t(i)]);
  return together({made, made_places.release()});
}

template <class T>
void add_row(T* to, const T* from, int64_t n) {
  for (int64_t i = 0; i < n; i++) to[i] += from[i];
}

// Rows of one block added to those of another: row `to(i)` gets row `from(i)`, unless `to(i)` is negative.
template <class T, class To, class From>
void add_rows(const Block& sums, const Block& data, int64_t n, int64_t width, To to, From from) {
  std::fill(sums.as<T>(), sums.as<T>() + sums.elements(), T(0));
  for (int64_t i = 0; i < n; i++) {
    const int64_t row = to(i);
    if (row >= 0) add_row(sums.as<T>() + row * width, data.as<T>() + from(i) * width, width);
  }
}

template <class To, class From>
void add_rows_of(const Block& sums, const Block& data, int64_t n, int64_t width, To to, From from) {
  if (data.dtype == F32) add_rows<float>(sums, data, n, width, to, from);
  else add_rows<double>(sums, data, n, width, to, from);
}

template <class To, class From>
void add_numbers_of(const Block& sums, const Block& data, int64_t n, int64_t width, To to, From from) {
  if (data.dtype == I32) add_rows<int32_t>(sums, data, n, width, to, from);
  else if (data.dtype == I64) add_rows<int64_t>(sums, data, n, width, to, from);
  else add_rows_of(sums, data, n, width, to, from);
}

bool width_of(const Block& data, int from, int64_t& width) {
  width = data.elements(from);
  return data.is_float() && data.rank >= from;
}

// A new tensor of `rows` rows like those of `data` from an axis on.
PyObject* make_rows(const Block& data, int from, int64_t rows, Block& made) {
  int64_t dims[kMaxRank] = {rows};
  std::copy(data.dims + from, data.dims + data.rank, dims + 1);
  return make_tensor(data.dtype, data.rank - from + 1, dims, made);
}

// sum_of_repeated(data, indices): rows of equal indices summed, and the different indices.
PyObject* sum_of_repeated(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 2)) return nullptr;
  Block data, indices, sums, different;
  int64_t width;
  if (!read_block(args[0], data) || !read_block(args[1], indices) || data.rank < 1 || !width_of(data, 1, width) ||
      !indices.is_index() || indices.rank != 1 || indices.dims[0] != data.dims[0])
    return declined();
  const int64_t n = indices.dims[0];
  Numbering numbering(n);
  std::vector<int64_t> places(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; i++) places[size_t(i)] = numbering.of(indices.index(i));
  const int64_t kinds = int64_t(numbering.keys.size());
  Reference made(make_rows(data, 1, kinds, sums)), kept(make_tensor(indices.dtype, {kinds}, different));
  if (!made.object || !kept.object) return nullptr;
  for (int64_t i = 0; i < kinds; i++) put_index(different, i, numbering.keys[size_t(i)]);
  add_rows_of(sums, data, n, width, [&](int64_t i) { return places[size_t(i)]; }, [](int64_t i) { return i; });
  return together({made.release(), kept.release()});
}

// unsorted_sum(data, ids, number): UnsortedSegmentSum.
PyObject* unsorted_sum(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 3)) return nullptr;
  Block data, ids, number, sums;
  if (!read_block(args[0], data) || !read_block(args[1], ids) || !read_block(args[2], number) || !ids.is_index() ||
      ids.rank < 1 || data.rank < ids.rank || !(data.is_float() || data.is_index()) || number.rank || !number.is_index() ||
      !std::equal(ids.dims, ids.dims + ids.rank, data.dims))
    return declined();
  const int64_t rows = number.index(0), n = ids.elements(), width = data.elements(ids.rank);
  if (rows < 0 || rows > kMostElements || rows * std::max(width, int64_t(1)) > kMostElements) return declined();
  for (int64_t i = 0; i < n; i++)
    if (ids.index(i) >= rows) return declined();
  PyObject* made = make_rows(data, ids.rank, rows, sums);
  const auto to = [&](int64_t i) { return ids.index(i); };
  if (made) add_numbers_of(sums, data, n, width, to, [](int64_t i) { return i; });
  return made;
}

enum Kind { kSum, kMean, kSqrtN };

// What each segment is divided by, for so many segments.
std::vector<double> divisors(Kind kind, const Block& ids, int64_t segments) {
  std::vector<double> found(static_cast<size_t>(segments), 0);
  for (int64_t i = 0; i < ids.dims[0]; i++) found[size_t(ids.index(i))]++;
  for (double& divisor : found) {
    divisor = std::max(divisor, 1.0);
    if (kind == kSqrtN) divisor = std::sqrt(divisor);
  }
  return found;
}

template <class T>
void divide_rows(const Block& to, const Block& from, int64_t width, const std::vector<double>& by) {
  for (size_t row = 0; row < by.size(); row++)
    for (int64_t k = 0; k < width; k++)
      to.as<T>()[int64_t(row) * width + k] = from.as<T>()[int64_t(row) * width + k] / T(by[row]);
}
void divide_rows_of(const Block& to, const Block& from, int64_t width, const std::vector<double>& by) {
  if (from.dtype == F32) divide_rows<float>(to, from, width, by);
  else divide_rows<double>(to, from, width, by);
}

bool kind_of(PyObject* number, Kind& kind) {
  const long code = PyLong_AsLong(number);
  if (code < kSum || code > kSqrtN) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "there is no such kind of sum");
    return false;
  }
  kind = Kind(code);
  return true;
}

bool all_within(const Block& indices, int64_t end) {
  for (int64_t i = 0, n = indices.elements(); i < n; i++) {
    const int64_t index = indices.index(i);
    if (index < 0 || index >= end) return false;
  }
  return true;
}

// sparse_segment_sum(data, indices, ids, kind): SparseSegmentSum, -Mean and -SqrtN.
PyObject* sparse_segment_sum(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Kind kind;
  if (!takes(count, 4) || !kind_of(args[3], kind)) return nullptr;
  Block data, indices, ids, sums;
  int64_t width;
  if (!read_block(args[0], data) || !read_block(args[1], indices) || !read_block(args[2], ids) || data.rank < 1 ||
      !width_of(data, 1, width) || !indices.is_index() || !ids.is_index() || indices.rank != 1 || ids.rank != 1 ||
      indices.dims[0] != ids.dims[0] || !all_within(indices, data.dims[0]))
    return declined();
  const int64_t n = ids.dims[0], rows = n ? ids.index(n - 1) + 1 : 0;
  if (rows > kMostElements || rows * std::max(width, int64_t(1)) > kMostElements ||
      n * std::max(width, int64_t(1)) > kMostElements)
    return declined();
  for (int64_t i = 0; i < n; i++)
    if (ids.index(i) < (i ? ids.index(i - 1) : 0)) return declined();
  PyObject* made = make_rows(data, 1, rows, sums);
  if (!made) return nullptr;
  add_rows_of(sums, data, n, width, [&](int64_t i) { return ids.index(i); }, [&](int64_t i) { return indices.index(i); });
  if (kind != kSum) divide_rows_of(sums, sums, width, divisors(kind, ids, rows));
  return made;
}

// sparse_segment_grad(grad, indices, ids, rows, kind): the gradients of the last two.
PyObject* sparse_segment_grad(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Kind kind;
  if (!takes(count, 5) || !kind_of(args[4], kind)) return nullptr;
  Block grad, indices, ids, number, sums;
  int64_t width;
  if (!read_block(args[0], grad) || !read_block(args[1], indices) || !read_block(args[2], ids) ||
      !read_block(args[3], number) || grad.rank < 1 || !width_of(grad, 1, width) || !indices.is_index() ||
      !ids.is_index() || indices.rank != 1 || ids.rank != 1 || indices.dims[0] != ids.dims[0] || number.rank ||
      !number.is_index() || !all_within(ids, grad.dims[0]))
    return declined();
  const int64_t rows = number.index(0);
  if (rows < 0 || rows > kMostElements || rows * std::max(width, int64_t(1)) > kMostElements ||
      ids.dims[0] * std::max(width, int64_t(1)) > kMostElements || !all_within(indices, rows))
    return declined();
  std::vector<double> scaled(static_cast<size_t>(grad.elements()));
  Block share = grad;
  share.data = reinterpret_cast<char*>(scaled.data());
  divide_rows_of(share, grad, width, divisors(kind, ids, grad.dims[0]));
  PyObject* made = make_rows(grad, 1, rows, sums);
  if (!made) return nullptr;
  add_rows_of(sums, share, ids.dims[0], width, [&](int64_t i) { return indices.index(i); },
              [&](int64_t i) { return ids.index(i); });
  return made;
}

const Direct kRows[] = {
    {"unique", unique},
    {"sum_of_repeated", sum_of_repeated},
    {"unsorted_sum", unsorted_sum},
    {"sparse_segment_sum", sparse_segment_sum},
    {"sparse_segment_grad", sparse_segment_grad},
};

}  // namespace

const DirectTable kSegmentCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
