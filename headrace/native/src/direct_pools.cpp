// Direct calls of pools over images.
#include "direct.h"
#include "large.h"
#include "threads.h"

namespace headrace {
namespace {

bool read_images(PyObject* object, Block& block) {
  return read_large_block(object, block) && block.is_float() && block.rank == 4;
}

// largest_of_windows(images, out, rows, columns, down, across, above, before, threads): whether it has written `out`. Images are
// of height, width and channels; the other numbers are those of `Windows`.
PyObject* largest_of_windows(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block images, out;
  if (!takes(count, 9)) return nullptr;
  int64_t numbers[7];
  for (int k = 0; k < 7; k++) numbers[k] = PyLong_AsLongLong(args[2 + k]);
  if (PyErr_Occurred()) return nullptr;
  if (!read_images(args[0], images) || !read_images(args[1], out) || images.dtype != out.dtype ||
      images.dims[0] != out.dims[0] || images.dims[3] != out.dims[3])
    return declined();
  const Windows job{images.dims[1], images.dims[2], images.dims[3], out.dims[1], out.dims[2], numbers[0],
                    numbers[1],     numbers[2],     numbers[3],     numbers[4],  numbers[5]};
  Py_BEGIN_ALLOW_THREADS
  share(out.dims[0] * out.dims[1], numbers[6], [&](int64_t first, int64_t last) {
    if (images.dtype == F32)
      large_kernels().largest_floats(images.as<float>(), job, first, last, out.as<float>());
    else
      large_kernels().largest_doubles(images.as<double>(), job, first, last, out.as<double>());
  });
  Py_END_ALLOW_THREADS
  return same(Py_True);
}

const Direct kRows[] = {
    {"largest_of_windows", largest_of_windows},
};

}  // namespace

const DirectTable kPoolCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
