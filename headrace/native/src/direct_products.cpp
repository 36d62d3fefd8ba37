// Direct calls of products of matrices.
#include "direct.h"
#include "large.h"
#include "threads.h"

#include <algorithm>

namespace headrace {
namespace {

bool read_matrix(PyObject* object, Block& block) {
  return read_large_block(object, block) && block.dtype == F32 && block.rank == 2;
}

// Rows of a product that go together, so that no two threads write to one line of memory.
constexpr int64_t kRowsTogether = 16;

// add_turned_product(d, a, b, alpha, threads): whether it has added alpha * a' b to d.
PyObject* add_turned_product(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block d, a, b;
  if (!takes(count, 5)) return nullptr;
  const double alpha = PyFloat_AsDouble(args[3]);
  const int64_t threads = PyLong_AsLongLong(args[4]);
  if (PyErr_Occurred()) return nullptr;
  if (!read_matrix(args[0], d) || !read_matrix(args[1], a) || !read_matrix(args[2], b) || a.dims[0] != b.dims[0] ||
      d.dims[0] != a.dims[1] || d.dims[1] != b.dims[1])
    return declined();
  Py_BEGIN_ALLOW_THREADS
  share((d.dims[0] + kRowsTogether - 1) / kRowsTogether, threads, [&](int64_t first, int64_t last) {
    large_kernels().add_turned(a.as<float>(), b.as<float>(), d.as<float>(), d.dims[0], d.dims[1], a.dims[0], float(alpha),
                               first * kRowsTogether, std::min(last * kRowsTogether, d.dims[0]));
  });
  Py_END_ALLOW_THREADS
  return same(Py_True);
}

const Direct kRows[] = {
    {"add_turned_product", add_turned_product},
};

}  // namespace

const DirectTable kProductCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
