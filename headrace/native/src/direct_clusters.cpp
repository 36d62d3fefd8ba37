// Direct calls of clusters of points: which center is nearest, and sums of the points of each cluster.
#include <algorithm>
#include <cmath>
#include <vector>

#include "direct.h"
#include "large.h"

namespace headrace {
namespace {

// Centers that do not stay in a core's caches are for a product of matrices.
constexpr int64_t kMostOfCenters = int64_t(1) << 16;
// So many rows of halves stay in the nearest cache.
constexpr int64_t kMostColumns = 1024;

bool read_range(PyObject* const* args, int64_t most, int64_t& begin, int64_t& end) {
  begin = PyLong_AsLongLong(args[0]), end = PyLong_AsLongLong(args[1]);
  if (PyErr_Occurred()) return false;
  if (0 <= begin && begin <= end && end <= most) return true;
  PyErr_SetString(PyExc_ValueError, "there are no such rows");
  return false;
}

// nearest_centers(points, centers, indices, distances, begin, end): whether it has written what belongs to those points.
PyObject* nearest_centers(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block points, centers, indices, distances;
  if (!takes(count, 6)) return nullptr;
  if (!read_large_block(args[0], points) || !read_large_block(args[1], centers) || !read_large_block(args[2], indices) ||
      !read_large_block(args[3], distances) || points.dtype != F32 || centers.dtype != F32 || indices.dtype != I64 ||
      distances.dtype != F32 || points.rank != 2 || centers.rank != 2 || points.dims[1] != centers.dims[1] ||
      indices.elements() != points.dims[0] || distances.elements() != points.dims[0] || !centers.dims[0])
    return declined();
  int64_t begin, end;
  if (!read_range(args + 4, points.dims[0], begin, end)) return nullptr;
  const LargeKernels& kernels = large_kernels();
  Clusters job;
  job.width = points.dims[1], job.count = centers.dims[0];
  job.columns = (job.count + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
  if (job.columns > kMostColumns || job.columns * job.width > kMostOfCenters) return declined();
  std::vector<float> turned(size_t(job.columns * job.width)), offsets(size_t(job.columns)),
      scratch(size_t(job.columns * kernels.points));
  kernels.turn(centers.as<float>(), job, turned.data(), offsets.data());
  // What is compared must be numbers, and is if the lengths are.
  if (!std::all_of(offsets.begin(), offsets.begin() + job.count, [](float x) { return std::isfinite(x); }))
    return declined();
  Py_BEGIN_ALLOW_THREADS
  kernels.nearest_rows(job, points.as<float>() + begin * job.width, end - begin, scratch.data(),
                       indices.as<int64_t>() + begin, distances.as<float>() + begin);
  Py_END_ALLOW_THREADS
  return same(Py_True);
}

template <class T>
void add_rows(const Block& data, const Block& ids, const Block& sums, int64_t begin, int64_t end) {
  const int64_t width = data.dims[1];
  for (int64_t i = begin; i < end; i++) {
    T* __restrict const to = sums.as<T>() + ids.index(i) * width;
    const T* __restrict const from = data.as<T>() + i * width;
    for (int64_t k = 0; k < width; k++) to[k] += from[k];
  }
}

// add_to_segments(data, ids, sums, begin, end): whether it has added those rows to the rows of the sums that ids name.
PyObject* add_to_segments(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block data, ids, sums;
  if (!takes(count, 5)) return nullptr;
  if (!read_large_block(args[0], data) || !read_large_block(args[1], ids) || !read_large_block(args[2], sums) ||
      !data.is_float() || sums.dtype != data.dtype || !ids.is_index() || data.rank != 2 || ids.rank != 1 || sums.rank != 2 ||
      ids.dims[0] != data.dims[0] || sums.dims[1] != data.dims[1])
    return declined();
  int64_t begin, end;
  if (!read_range(args + 3, data.dims[0], begin, end)) return nullptr;
  bool inside = true;
  Py_BEGIN_ALLOW_THREADS
  for (int64_t i = begin; i < end; i++) inside &= uint64_t(ids.index(i)) < uint64_t(sums.dims[0]);
  if (inside && data.dtype == F32) add_rows<float>(data, ids, sums, begin, end);
  else if (inside) add_rows<double>(data, ids, sums, begin, end);
  Py_END_ALLOW_THREADS
  return inside ? same(Py_True) : declined();
}

const Direct kRows[] = {
    {"nearest_centers", nearest_centers},
    {"add_to_segments", add_to_segments},
};

}  // namespace

const DirectTable kClusterCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
