// Direct calls of products of matrices.
#include "direct.h"
#include "large.h"

namespace headrace {
namespace {

bool read_matrix(PyObject* object, Block& block) {
  return read_large_block(object, block) && block.dtype == F32 && block.rank == 2;
}

// add_turned_product(d, a, b, alpha, first, last): whether it has added alpha * a' b to those rows of d.
PyObject* add_turned_product(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block d, a, b;
  if (!takes(count, 6)) return nullptr;
  const double alpha = PyFloat_AsDouble(args[3]);
  const int64_t first = PyLong_AsLongLong(args[4]), last = PyLong_AsLongLong(args[5]);
  if (PyErr_Occurred()) return nullptr;
  if (!read_matrix(args[0], d) || !read_matrix(args[1], a) || !read_matrix(args[2], b) || a.dims[0] != b.dims[0] ||
      d.dims[0] != a.dims[1] || d.dims[1] != b.dims[1] || first < 0 || first > last || last > d.dims[0])
    return declined();
  Py_BEGIN_ALLOW_THREADS
  large_kernels().add_turned(a.as<float>(), b.as<float>(), d.as<float>(), d.dims[0], d.dims[1], a.dims[0], float(alpha), first,
                             last);
  Py_END_ALLOW_THREADS
  return same(Py_True);
}

const Direct kRows[] = {
    {"add_turned_product", add_turned_product},
};

}  // namespace

const DirectTable kProductCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
