// Direct calls of convolutions by minimal filtering: see isa/winograd.inc.
#include "direct.h"
#include "large.h"
#include "threads.h"

#include <atomic>

namespace headrace {
namespace {

bool read_floats(PyObject* object, int rank, Block& block) {
  return read_large_block(object, block) && block.dtype == F32 && block.rank == rank;
}

// Whether every part of [0, count) that threads compute says that what it wrote is finite.
template <class F>
PyObject* all_finite(int64_t count, int64_t threads, const F& compute) {
  std::atomic<bool> finite{true}, room{true};
  Py_BEGIN_ALLOW_THREADS
  share(count, threads, [&](int64_t first, int64_t last) {
    try {
      if (!compute(first, last)) finite = false;
    } catch (const std::bad_alloc&) {
      room = false;
    }
  });
  Py_END_ALLOW_THREADS
  if (!room) return PyErr_NoMemory();
  return same(finite ? Py_True : Py_False);
}

// turn_filters(filters): those of [3, 3, channels, outputs] as `filter_tiles` wants them, [place, panel, channel, output].
PyObject* turn_filters(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block filters, turned;
  if (!takes(count, 1)) return nullptr;
  if (!read_floats(args[0], 4, filters) || filters.dims[0] != 3 || filters.dims[1] != 3 || !filters.elements())
    return declined();
  const int64_t panel = large_kernels().panel, channels = filters.dims[2], outputs = filters.dims[3];
  const int64_t panels = (outputs + panel - 1) / panel;
  PyObject* tensor = make_tensor(F32, {kPlaces, panels, channels, panel}, turned);
  if (!tensor) return nullptr;
  Py_BEGIN_ALLOW_THREADS
  large_kernels().turn_filters(filters.as<float>(), channels, outputs, turned.as<float>());
  Py_END_ALLOW_THREADS
  return tensor;
}

// filter_tiles(images, turned, bias, out, above, before, activation, threads): fills `out` and says whether all that it holds
// is finite. `bias` may be None.
PyObject* filter_tiles(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block images, turned, bias, out;
  if (!takes(count, 8)) return nullptr;
  int64_t numbers[4];
  for (int k = 0; k < 4; k++) numbers[k] = PyLong_AsLongLong(args[4 + k]);
  if (PyErr_Occurred()) return nullptr;
  const int64_t above = numbers[0], before = numbers[1], activation = numbers[2], threads = numbers[3];
  if (!read_floats(args[0], 4, images) || !read_floats(args[1], 4, turned) || !read_floats(args[3], 4, out)) return declined();
  if (args[2] != Py_None && (!read_floats(args[2], 1, bias) || bias.dims[0] != out.dims[3])) return declined();
  const int64_t panel = large_kernels().panel;
  if (!images.elements() || images.dims[0] != out.dims[0] || turned.dims[0] != kPlaces ||
      turned.dims[1] != (out.dims[3] + panel - 1) / panel || turned.dims[2] != images.dims[3] || turned.dims[3] != panel)
    return declined();
  const Filtering job{images.as<float>(), images.dims[1], images.dims[2], images.dims[3], out.dims[1], out.dims[2],
                      out.dims[3], above, before, turned.as<float>(), turned.dims[1], bias.as<float>(), activation,
                      out.as<float>()};
  const int64_t tiles = out.dims[0] * ((job.out_height + 1) / 2) * ((job.out_width + 1) / 2);
  if (activation < 0 || activation > 2) {
    PyErr_SetString(PyExc_ValueError, "there is no such activation");
    return nullptr;
  }
  return all_finite(tiles, threads, [&job](int64_t first, int64_t last) { return large_kernels().filter_tiles(job, first, last); });
}

// filter_sums(images, gradient, above, before, out, threads): writes the gradient of the filters from that of the results, and
// says whether all of it is finite.
PyObject* filter_sums(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block images, gradient, out;
  if (!takes(count, 6)) return nullptr;
  const int64_t above = PyLong_AsLongLong(args[2]), before = PyLong_AsLongLong(args[3]), threads = PyLong_AsLongLong(args[5]);
  if (PyErr_Occurred()) return nullptr;
  if (!read_floats(args[0], 4, images) || !read_floats(args[1], 4, gradient) || !read_floats(args[4], 4, out) ||
      !images.elements() || !gradient.elements() || images.dims[0] != gradient.dims[0] || out.dims[0] != 3 ||
      out.dims[1] != 3 || out.dims[2] != images.dims[3] || out.dims[3] != gradient.dims[3])
    return declined();
  const Filtering job{images.as<float>(), images.dims[1], images.dims[2], images.dims[3], gradient.dims[1], gradient.dims[2],
                      gradient.dims[3], above, before, nullptr, 0, nullptr, 0, gradient.as<float>()};
  return all_finite(images.dims[3], threads, [&](int64_t first, int64_t last) {
    return large_kernels().filter_sums(job, images.dims[0], first, last, out.as<float>());
  });
}

const Direct kRows[] = {
    {"turn_filters", turn_filters},
    {"filter_tiles", filter_tiles},
    {"filter_sums", filter_sums},
};

}  // namespace

const DirectTable kFilterCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
