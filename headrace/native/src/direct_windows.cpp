// Direct calls of windows over images: laid side by side for one product with the filters, and added up where they overlap.
#include "direct.h"
#include "large.h"
#include "threads.h"

#include <algorithm>
#include <cstring>

namespace headrace {
namespace {

// Images and their windows, a row each of [images, places down, places across, rows, columns, channels].
struct Rows {
  Windows job;
  int64_t images;
  int64_t width() const { return job.rows * job.columns * job.channels; }
};

// Calls `inside(at, window, size)` for each run of so many floats of a window that lies in the image, and `outside(window, size)`
// for what lies in the padding, of windows of images [first, last).
template <class Inside, class Outside>
void each_run(const Rows& rows, int64_t first, int64_t last, const Inside& inside, const Outside& outside) {
  const Windows& job = rows.job;
  const int64_t run = job.columns * job.channels;
  int64_t window = first * job.out_height * job.out_width * rows.width();
  for (int64_t image = first; image < last; image++) {
    for (int64_t i = 0; i < job.out_height; i++) {
      for (int64_t j = 0; j < job.out_width; j++) {
        const int64_t x = j * job.across - job.before;
        const int64_t left = std::min(std::max<int64_t>(-x, 0), job.columns);
        const int64_t right = std::max(left, std::min(job.columns, job.width - x));
        for (int64_t r = 0; r < job.rows; r++, window += run) {
          const int64_t y = i * job.down - job.above + r;
          if (y < 0 || y >= job.height || left == right) {
            outside(window, run);
            continue;
          }
          if (left) outside(window, left * job.channels);
          inside(((image * job.height + y) * job.width + x + left) * job.channels, window + left * job.channels,
                 (right - left) * job.channels);
          if (right < job.columns) outside(window + right * job.channels, (job.columns - right) * job.channels);
        }
      }
    }
  }
}

// Reads images, windows and the numbers after them; false where the call declines, or Python's error is set.
bool read_job(PyObject* const* args, Rows& rows, Block& images, Block& windows, int64_t& threads) {
  int64_t numbers[9];
  for (int k = 0; k < 9; k++) numbers[k] = PyLong_AsLongLong(args[2 + k]);
  if (PyErr_Occurred()) return false;
  if (!read_large_block(args[0], images) || !read_large_block(args[1], windows)) return false;
  if (images.dtype != F32 || windows.dtype != F32) return false;
  if (images.rank != 4 || windows.rank != 2 || *std::min_element(numbers, numbers + 6) < 1) return false;
  rows = {{images.dims[1], images.dims[2], images.dims[3], numbers[0], numbers[1], numbers[2], numbers[3], numbers[4],
           numbers[5], numbers[6], numbers[7]},
          images.dims[0]};
  threads = numbers[8];
  return windows.dims[0] == rows.images * numbers[0] * numbers[1] && windows.dims[1] == rows.width();
}

// lay_out_windows(images, windows, places down, places across, rows, columns, down, across, above, before, threads): whether it
// has written `windows`.
PyObject* lay_out_windows(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Rows rows;
  Block images, windows;
  int64_t threads;
  if (!takes(count, 11)) return nullptr;
  if (!read_job(args, rows, images, windows, threads)) return PyErr_Occurred() ? nullptr : declined();
  const float* from = images.as<float>();
  float* to = windows.as<float>();
  Py_BEGIN_ALLOW_THREADS
  share(rows.images, threads, [&](int64_t first, int64_t last) {
    each_run(
        rows, first, last,
        [&](int64_t at, int64_t window, int64_t size) { std::memcpy(to + window, from + at, size_t(size) * sizeof(float)); },
        [&](int64_t window, int64_t size) { std::memset(to + window, 0, size_t(size) * sizeof(float)); });
  });
  Py_END_ALLOW_THREADS
  return same(Py_True);
}

// add_windows_up(images, windows, ...): whether it has written `images`, the sums of what windows hold of each place.
PyObject* add_windows_up(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Rows rows;
  Block images, windows;
  int64_t threads;
  if (!takes(count, 11)) return nullptr;
  if (!read_job(args, rows, images, windows, threads)) return PyErr_Occurred() ? nullptr : declined();
  float* to = images.as<float>();
  const float* from = windows.as<float>();
  const int64_t size = images.elements(1);
  Py_BEGIN_ALLOW_THREADS
  share(rows.images, threads, [&](int64_t first, int64_t last) {
    std::fill(to + first * size, to + last * size, 0.0f);
    each_run(
        rows, first, last,
        [&](int64_t at, int64_t window, int64_t run) {
          for (int64_t k = 0; k < run; k++) to[at + k] += from[window + k];
        },
        [](int64_t, int64_t) {});
  });
  Py_END_ALLOW_THREADS
  return same(Py_True);
}

const Direct kRows[] = {
    {"lay_out_windows", lay_out_windows},
    {"add_windows_up", add_windows_up},
};

}  // namespace

const DirectTable kWindowCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
