// Direct calls on index vectors and the three parts of sparse tensors.
#include <algorithm>
#include <cstring>

#include "direct.h"

namespace headrace {
namespace {

// where(condition): the index vectors of what is true.
PyObject* where(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 1)) return nullptr;
  Block x, out;
  if (!read_block(args[0], x) || x.dtype != BOOL || x.rank < 1) return declined();
  const int64_t n = x.elements();
  const uint8_t* const truth = x.as<uint8_t>();
  int64_t found = 0;
  for (int64_t i = 0; i < n; i++) found += truth[i] != 0;
  PyObject* tensor = make_tensor(I64, {found, x.rank}, out);
  if (!tensor) return nullptr;
  int64_t* to = out.as<int64_t>();
  int64_t at[kMaxRank] = {};
  for (int64_t i = 0; i < n; i++) {
    if (truth[i])
      for (int k = 0; k < x.rank; k++) *to++ = at[k];
    for (int k = x.rank - 1; k >= 0 && ++at[k] == x.dims[k] && k; k--) at[k] = 0;
  }
  return tensor;
}

// The position among the first axes that an index vector leads to, or -1.
inline int64_t position(const Block& indices, int64_t vector, int64_t depth, const int64_t* dims) {
  int64_t flat = 0;
  for (int64_t k = 0; k < depth; k++) {
    const int64_t index = indices.index(vector * depth + k);
    if (index < 0 || index >= dims[k]) return -1;
    flat = flat * dims[k] + index;
  }
  return flat;
}

// gather_nd(params, indices): of numbers or texts.
PyObject* gather_nd(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 2)) return nullptr;
  Block indices, numbers;
  Texts texts;
  if (!read_block(args[1], indices) || !indices.is_index() || indices.rank < 1) return declined();
  const bool text = read_texts(args[0], texts);
  if (!text && !read_block(args[0], numbers)) return declined();
  const int rank = text ? texts.rank : numbers.rank;
  const int64_t* const dims = text ? texts.dims : numbers.dims;
  const int64_t depth = indices.dims[indices.rank - 1];
  if (depth < 1 || depth > rank || indices.rank - 1 + rank - depth > kMaxRank) return declined();
  int64_t to[kMaxRank], vectors = 1, row = 1;
  int made = 0;
  for (int k = 0; k + 1 < indices.rank; k++) vectors *= to[made++] = indices.dims[k];
  for (int64_t k = depth; k < rank; k++) row *= to[made++] = dims[k];
  if (vectors * std::max(row, int64_t(1)) > kMostElements) return declined();
  for (int k = 0; k < rank; k++)
    if (!dims[k]) return declined();
  std::vector<int64_t> at(static_cast<size_t>(vectors));
  for (int64_t i = 0; i < vectors; i++)
    if ((at[size_t(i)] = position(indices, i, depth, dims)) < 0) return declined();
  if (text) {
    if (!texts.items) return declined();
    PyObject** items;
    PyObject* array = make_texts(made, to, items);
    for (int64_t i = 0; array && i < vectors; i++)
      for (int64_t j = 0; j < row; j++) put(items + i * row + j, texts[at[size_t(i)] * row + j]);
    return array;
  }
  Block out;
  PyObject* tensor = make_tensor(numbers.dtype, made, to, out);
  const size_t bytes = size_t(row * kSizes[numbers.dtype]);
  for (int64_t i = 0; tensor && bytes && i < vectors; i++)
    std::memcpy(out.data + size_t(i) * bytes, numbers.data + size_t(at[size_t(i)]) * bytes, bytes);
  return tensor;
}

// Whether the parts of a sparse tensor have the right ranks and types, and as many columns as sizes.
bool is_sparse(const Block& indices, const Block& shape) {
  return indices.dtype == I64 && shape.dtype == I64 && indices.rank == 2 && shape.rank == 1 &&
         indices.dims[1] == shape.dims[0];
}

// fill_empty_rows(indices, values, shape, default): the outputs of SparseFillEmptyRows.
PyObject* fill_empty_rows(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 4)) return nullptr;
  Block indices, values, shape, filler;
  if (!read_block(args[0], indices) || !read_block(args[1], values) || !read_block(args[2], shape) ||
      !read_block(args[3], filler) || !is_sparse(indices, shape) || shape.dims[0] < 1 || values.rank != 1 || filler.rank ||
      filler.dtype != values.dtype || values.dims[0] != indices.dims[0])
    return declined();
  const int64_t n = indices.dims[0], rank = indices.dims[1], rows = shape.as<int64_t>()[0];
  if (rows < 1 || rows > kMostElements) return declined();
  const int64_t* const from = indices.as<int64_t>();
  // The first place of each row, one further on.
  std::vector<int64_t> next(size_t(rows) + 1, 0);
  bool sorted = true;
  for (int64_t i = 0; i < n; i++) {
    const int64_t row = from[i * rank];
    if (row < 0 || row >= rows) return declined();
    sorted = sorted && (!i || from[(i - 1) * rank] <= row);
    next[size_t(row) + 1]++;
  }
  Block empty, back, full, filled;
  Reference is_empty(make_tensor(BOOL, {rows}, empty)), map(make_tensor(I64, {n}, back));
  if (!is_empty.object || !map.object) return nullptr;
  int64_t total = 0, missing = 0;
  for (int64_t row = 0; row < rows; row++) {
    const bool none = !next[size_t(row) + 1];
    empty.as<uint8_t>()[row] = none;
    missing += none;
    total += none ? 1 : next[size_t(row) + 1];
    next[size_t(row) + 1] = total;
  }
  for (int64_t i = 0; i < n; i++) back.as<int64_t>()[i] = next[size_t(from[i * rank])]++;
  if (sorted && !missing)
    return together({same(args[0]), same(args[1]), is_empty.release(), map.release()});
  Reference new_indices(make_tensor(I64, {total, rank}, full)), new_values(make_tensor(values.dtype, {total}, filled));
  if (!new_indices.object || !new_values.object) return nullptr;
  const size_t size = size_t(kSizes[values.dtype]);
  int64_t* const to = full.as<int64_t>();
  for (int64_t i = 0; i < n; i++) {
    const int64_t place = back.as<int64_t>()[i];
    std::copy(from + i * rank, from + (i + 1) * rank, to + place * rank);
    std::memcpy(filled.data + size_t(place) * size, values.data + size_t(i) * size, size);
  }
  for (int64_t row = 0; row < rows; row++) {
    if (!empty.as<uint8_t>()[row]) continue;
    const int64_t place = next[size_t(row)];
    std::fill(to + place * rank, to + (place + 1) * rank, 0);
    to[place * rank] = row;
    std::memcpy(filled.data + size_t(place) * size, filler.data, size);
  }
  return together({new_indices.release(), new_values.release(), is_empty.release(), map.release()});
}

// kept_ids(indices, ids, shape, default): of ids that are not negative the rows, the different ones and which of them each
// is, with a default one in each row without any; and which rows these are.
PyObject* kept_ids(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 4)) return nullptr;
  Block indices, ids, shape, filler;
  if (!read_block(args[0], indices) || !read_block(args[1], ids) || !read_block(args[2], shape) ||
      !read_block(args[3], filler) || !is_sparse(indices, shape) || shape.dims[0] < 1 || ids.rank != 1 || ids.dtype != I64 ||
      filler.rank || filler.dtype != I64 || ids.dims[0] != indices.dims[0])
    return declined();
  const int64_t n = ids.dims[0], rank = indices.dims[1], rows = shape.as<int64_t>()[0];
  if (rows < 1 || rows > kMostElements) return declined();
  const int64_t *const from = indices.as<int64_t>(), *const given = ids.as<int64_t>();
  // The ids of each row begin where those of the one before end.
  std::vector<int64_t> next(size_t(rows) + 1, 0);
  for (int64_t i = 0; i < n; i++) {
    if (given[i] < 0) continue;
    const int64_t row = from[i * rank];
    if (row < 0 || row >= rows) return declined();
    next[size_t(row) + 1]++;
  }
  Block empty, row_of, different, places;
  Reference is_empty(make_tensor(BOOL, {rows}, empty));
  if (!is_empty.object) return nullptr;
  for (int64_t row = 0; row < rows; row++) {
    const bool none = !next[size_t(row) + 1];
    empty.as<uint8_t>()[row] = none;
    next[size_t(row) + 1] = next[size_t(row)] + (none ? 1 : next[size_t(row) + 1]);
  }
  const int64_t total = next[size_t(rows)];
  Reference made_rows(make_tensor(I32, {total}, row_of)), made_places(make_tensor(I32, {total}, places));
  if (!made_rows.object || !made_places.object) return nullptr;
  for (int64_t row = 0; row < rows; row++)
    std::fill(row_of.as<int32_t>() + next[size_t(row)], row_of.as<int32_t>() + next[size_t(row) + 1], int32_t(row));
  std::vector<int64_t> kept(size_t(total), filler.as<int64_t>()[0]);
  for (int64_t i = 0; i < n; i++)
    if (given[i] >= 0) kept[size_t(next[size_t(from[i * rank])]++)] = given[i];
  Numbering numbering(total);
  for (int64_t i = 0; i < total; i++) places.as<int32_t>()[i] = int32_t(numbering.of(kept[size_t(i)]));
  Reference made(make_tensor(I64, {int64_t(numbering.keys.size())}, different));
  if (!made.object) return nullptr;
  std::copy(numbering.keys.begin(), numbering.keys.end(), different.as<int64_t>());
  return together({made_rows.release(), made.release(), made_places.release(), is_empty.release()});
}

// sparse_reshape(indices, shape, new_shape): the outputs of SparseReshape.
PyObject* sparse_reshape(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 3)) return nullptr;
  Block indices, shape, asked;
  if (!read_block(args[0], indices) || !read_block(args[1], shape) || !read_block(args[2], asked) ||
      !is_sparse(indices, shape) || !asked.is_index() || asked.rank != 1 || asked.dims[0] < 1 || asked.dims[0] > kMaxRank ||
      shape.dims[0] > kMaxRank)
    return declined();
  const int64_t old_rank = shape.dims[0], rank = asked.dims[0], n = indices.dims[0];
  const int64_t* const old = shape.as<int64_t>();
  int64_t sizes[kMaxRank], total = 1, known = 1, unknown = -1;
  for (int64_t k = 0; k < old_rank; k++)
    if (old[k] < 0 || __builtin_mul_overflow(total, old[k], &total)) return declined();
  for (int64_t k = 0; k < rank; k++) {
    sizes[k] = asked.index(k);
    if (sizes[k] == -1 && unknown < 0) unknown = k;
    else if (sizes[k] < 0 || __builtin_mul_overflow(known, sizes[k], &known)) return declined();
  }
  if (unknown >= 0) {
    if (!known || total % known) return declined();
    sizes[unknown] = total / known;
  } else if (known != total) {
    return declined();
  }
  if (rank == old_rank && std::equal(sizes, sizes + rank, old)) return together({same(args[0]), same(args[1])});
  const int64_t* const from = indices.as<int64_t>();
  for (int64_t i = 0; i < n * old_rank; i++)
    if (from[i] < 0 || from[i] >= old[i % old_rank]) return declined();
  Block moved, new_shape;
  Reference made(make_tensor(I64, {n, rank}, moved)), made_shape(make_tensor(I64, {rank}, new_shape));
  if (!made.object || !made_shape.object) return nullptr;
  std::copy(sizes, sizes + rank, new_shape.as<int64_t>());
  for (int64_t i = 0; i < n; i++) {
    int64_t flat = 0;
    for (int64_t k = 0; k < old_rank; k++) flat = flat * old[k] + from[i * old_rank + k];
    for (int64_t k = rank - 1; k >= 0; k--) {
      moved.as<int64_t>()[i * rank + k] = flat % sizes[k];
      flat /= sizes[k];
    }
  }
  return together({made.release(), made_shape.release()});
}

// sparse_to_dense(indices, shape, values, default, checked)
PyObject* sparse_to_dense(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 5)) return nullptr;
  Block indices, shape, values, filler, out;
  if (!read_block(args[0], indices) || !read_block(args[1], shape) || !read_block(args[2], values) ||
      !read_block(args[3], filler) || !indices.is_index() || !shape.is_index() || indices.rank > 2 || shape.rank != 1 ||
      values.rank > 1 || filler.rank || filler.dtype != values.dtype)
    return declined();
  const int64_t rank = shape.dims[0], n = indices.rank ? indices.dims[0] : 1;
  if (rank < 1 || rank > kMaxRank || rank != (indices.rank == 2 ? indices.dims[1] : 1)) return declined();
  if (values.rank && values.dims[0] != n) return declined();
  int64_t dims[kMaxRank], total = 1;
  for (int64_t k = 0; k < rank; k++) {
    dims[k] = shape.index(k);
    if (dims[k] < 0 || dims[k] > kMostElements || (total *= dims[k]) > kMostElements) return declined();
  }
  const bool checked = args[4] == Py_True;
  std::vector<int64_t> at(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; i++) {
    at[size_t(i)] = position(indices, i, rank, dims);
    if (at[size_t(i)] < 0 || (checked && i && at[size_t(i)] <= at[size_t(i) - 1])) return declined();
  }
  PyObject* tensor = make_tensor(values.dtype, int(rank), dims, out);
  if (!tensor) return nullptr;
  const size_t size = size_t(kSizes[values.dtype]);
  for (int64_t i = 0; i < total; i++) std::memcpy(out.data + size_t(i) * size, filler.data, size);
  for (int64_t i = 0; i < n; i++)
    std::memcpy(out.data + size_t(at[size_t(i)]) * size, values.data + (values.rank ? size_t(i) * size : 0), size);
  return tensor;
}

// More products than this are for torch, which has several threads; fewer than these are done before the interpreter is left.
constexpr int64_t kMostProducts = int64_t(1) << 20, kProductsWithinInterpreter = int64_t(1) << 15;

// Adds to rows of `out` rows of `b` times values: which rows, the two columns of indices say, or the other way round.
template <class T>
void add_products(const Block& indices, const Block& values, const Block& b, bool turned, const Block& out) {
  const int64_t n = values.dims[0], width = b.dims[1];
  const T* const value = values.as<T>();
  for (int64_t i = 0; i < n; i++) {
    const int64_t row = indices.index(2 * i), column = indices.index(2 * i + 1);
    T* __restrict const to = out.as<T>() + (turned ? column : row) * width;
    const T* __restrict const from = b.as<T>() + (turned ? row : column) * width;
    const T v = value[i];
    for (int64_t k = 0; k < width; k++) to[k] += v * from[k];
  }
}

// sparse_times_dense(indices, values, b, rows, columns, turned): the product of a sparse matrix of so many rows and columns, or
// of its transpose, and a dense one.
PyObject* sparse_times_dense(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 6)) return nullptr;
  Block indices, values, b, out;
  const int64_t rows = PyLong_AsLongLong(args[3]), columns = PyLong_AsLongLong(args[4]);
  if (PyErr_Occurred()) return nullptr;
  const bool turned = args[5] == Py_True;
  if (!read_block(args[0], indices) || !read_block(args[1], values) || !read_block(args[2], b) || !indices.is_index() ||
      !values.is_float() || b.dtype != values.dtype || indices.rank != 2 || indices.dims[1] != 2 || values.rank != 1 ||
      b.rank != 2 || values.dims[0] != indices.dims[0] || b.dims[0] != (turned ? rows : columns))
    return declined();
  const int64_t n = values.dims[0], height = turned ? columns : rows, products = n * b.dims[1];
  // Sizes are what a graph says they are.
  if (products > kMostProducts || height < 0 || height > kMostElements ||
      height * std::max(b.dims[1], int64_t(1)) > kMostElements)
    return declined();
  for (int64_t i = 0; i < n; i++)
    if (uint64_t(indices.index(2 * i)) >= uint64_t(rows) || uint64_t(indices.index(2 * i + 1)) >= uint64_t(columns))
      return declined();
  PyObject* tensor = make_tensor(values.dtype, {height, b.dims[1]}, out);
  if (!tensor) return nullptr;
  PyThreadState* const left = products > kProductsWithinInterpreter ? PyEval_SaveThread() : nullptr;
  if (out.elements()) std::memset(out.data, 0, size_t(out.elements() * kSizes[out.dtype]));
  if (values.dtype == F32) add_products<float>(indices, values, b, turned, out);
  else add_products<double>(indices, values, b, turned, out);
  if (left) PyEval_RestoreThread(left);
  return tensor;
}

const Direct kRows[] = {
    {"sparse_times_dense", sparse_times_dense},
    {"where", where},
    {"gather_nd", gather_nd},
    {"fill_empty_rows", fill_empty_rows},
    {"kept_ids", kept_ids},
    {"sparse_reshape", sparse_reshape},
    {"sparse_to_dense", sparse_to_dense},
};

}  // namespace

const DirectTable kSparseCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
