// Direct calls of clusters of points: which center is nearest, and sums of the points of each cluster.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <new>
#include <vector>

#include "direct.h"
#include "large.h"
#include "threads.h"

namespace headrace {
namespace {

// Centers that do not stay in a core's caches are for a product of matrices.
constexpr int64_t kMostOfCenters = int64_t(1) << 16;
// So many rows of halves stay in the nearest cache.
constexpr int64_t kMostColumns = 1024;

// Points that a thread takes at a time.
constexpr int64_t kPointsTogether = 4096;

// nearest_centers(points, centers, indices, distances, threads): whether it has written what belongs to the points.
PyObject* nearest_centers(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block points, centers, indices, distances;
  if (!takes(count, 5)) return nullptr;
  if (!read_large_block(args[0], points) || !read_large_block(args[1], centers) || !read_large_block(args[2], indices) ||
      !read_large_block(args[3], distances) || points.dtype != F32 || centers.dtype != F32 || indices.dtype != I64 ||
      distances.dtype != F32 || points.rank != 2 || centers.rank != 2 || points.dims[1] != centers.dims[1] ||
      indices.elements() != points.dims[0] || distances.elements() != points.dims[0] || !centers.dims[0])
    return declined();
  const int64_t threads = PyLong_AsLongLong(args[4]);
  if (PyErr_Occurred()) return nullptr;
  const LargeKernels& kernels = large_kernels();
  Clusters job;
  job.width = points.dims[1], job.count = centers.dims[0];
  job.columns = (job.count + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
  if (job.columns > kMostColumns || job.columns * job.width > kMostOfCenters) return declined();
  std::vector<float> turned(size_t(job.columns * job.width)), offsets(size_t(job.columns));
  kernels.turn(centers.as<float>(), job, turned.data(), offsets.data());
  // What is compared must be numbers, and is if the lengths are.
  if (!std::all_of(offsets.begin(), offsets.begin() + job.count, [](float x) { return std::isfinite(x); }))
    return declined();
  const int64_t parts = (points.dims[0] + kPointsTogether - 1) / kPointsTogether;
  std::atomic<bool> room{true};
  Py_BEGIN_ALLOW_THREADS
  share(points.dims[0], parts, threads, [&](int64_t first, int64_t last) {
    std::unique_ptr<float[]> scratch(new (std::nothrow) float[size_t(job.columns * kernels.points)]);
    if (!scratch) room = false;
    else
      kernels.nearest_rows(job, points.as<float>() + first * job.width, last - first, scratch.get(),
                           indices.as<int64_t>() + first, distances.as<float>() + first);
  });
  Py_END_ALLOW_THREADS
  return room ? same(Py_True) : PyErr_NoMemory();
}

template <class T>
void add_rows(const Block& data, const Block& ids, T* sums, int64_t first, int64_t last) {
  const int64_t width = data.dims[1];
  for (int64_t i = first; i < last; i++) {
    T* __restrict const to = sums + ids.index(i) * width;
    const T* __restrict const from = data.as<T>() + i * width;
    for (int64_t k = 0; k < width; k++) to[k] += from[k];
  }
}

// add_to_segments(data, ids, sums, rows, threads): whether it has added each so many rows to the rows, that ids name, of one
// part of the sums.
PyObject* add_to_segments(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block data, ids, sums;
  if (!takes(count, 5)) return nullptr;
  const int64_t rows = PyLong_AsLongLong(args[3]), threads = PyLong_AsLongLong(args[4]);
  if (PyErr_Occurred()) return nullptr;
  if (!read_large_block(args[0], data) || !read_large_block(args[1], ids) || !read_large_block(args[2], sums) ||
      !data.is_float() || !ids.is_index() || sums.dtype != data.dtype || data.rank != 2 || ids.rank != 1 || sums.rank != 3 ||
      ids.dims[0] != data.dims[0] || sums.dims[2] != data.dims[1] || rows < 1 ||
      sums.dims[0] < (data.dims[0] + rows - 1) / rows)
    return declined();
  const int64_t length = data.dims[0], segments = sums.dims[1], part = segments * sums.dims[2];
  std::atomic<bool> inside{true};
  Py_BEGIN_ALLOW_THREADS
  const int64_t parts = (length + rows - 1) / rows;
  share(parts, parts, threads, [&](int64_t from, int64_t to) {
    for (int64_t p = from; p < to; p++) {
      const int64_t first = p * rows, last = std::min(first + rows, length);
      bool all = true;
      for (int64_t i = first; i < last; i++) all &= uint64_t(ids.index(i)) < uint64_t(segments);
      if (!all) inside = false;
      else if (data.dtype == F32) add_rows(data, ids, sums.as<float>() + p * part, first, last);
      else add_rows(data, ids, sums.as<double>() + p * part, first, last);
    }
  });
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
