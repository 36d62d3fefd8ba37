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
// Of rows by panels, where lines are written whole.
constexpr int64_t kFewRows = 4;

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

// panels_of(matrix): that of [depth, outputs] as `multiply_by_panels` wants it, [panel, depth, output].
PyObject* panels_of(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block matrix, panels;
  if (!takes(count, 1)) return nullptr;
  if (!read_matrix(args[0], matrix) || !matrix.elements()) return declined();
  const int64_t depth = matrix.dims[0], outputs = matrix.dims[1], panel = large_kernels().panel;
  PyObject* tensor = make_tensor(F32, {(outputs + panel - 1) / panel, depth, panel}, panels);
  if (!tensor) return nullptr;
  float* to = panels.as<float>();
  for (int64_t from = 0; from < outputs; from += panel) {
    const int64_t here = std::min(panel, outputs - from);
    for (int64_t k = 0; k < depth; k++, to += panel) {
      std::copy_n(matrix.as<float>() + k * outputs + from, here, to);
      std::fill(to + here, to + panel, 0.0f);
    }
  }
  return tensor;
}

bool read_rows(PyObject* object, Block& block) {
  return read_large_block(object, block) && block.dtype == F32 && block.rank > 0;
}

// multiply_by_panels(rows, panels, bias, out, activation, threads): fills `out`, whose last dimension are the outputs as that of
// `rows` is the depth. `bias` may be None; the activation is 0 for none, 1 for Relu, 2 for Relu6.
PyObject* multiply_by_panels(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block rows, panels, bias, out;
  if (!takes(count, 6)) return nullptr;
  const int64_t activation = PyLong_AsLongLong(args[4]), threads = PyLong_AsLongLong(args[5]);
  if (PyErr_Occurred()) return nullptr;
  if (activation < 0 || activation > 2) {
    PyErr_SetString(PyExc_ValueError, "there is no such activation");
    return nullptr;
  }
  if (!read_rows(args[0], rows) || !read_rows(args[1], panels) || panels.rank != 3 || !read_rows(args[3], out) ||
      !rows.elements() || !out.elements())
    return declined();
  const int64_t depth = rows.dims[rows.rank - 1], outputs = out.dims[out.rank - 1], all = rows.elements() / depth;
  const int64_t panel = large_kernels().panel;
  if (args[2] != Py_None && (!read_rows(args[2], bias) || bias.rank != 1 || bias.dims[0] != outputs)) return declined();
  if (panels.dims[0] != (outputs + panel - 1) / panel || panels.dims[1] != depth || panels.dims[2] != panel ||
      all * outputs != out.elements())
    return declined();
  const PanelProduct job{rows.as<float>(), depth, outputs, panels.as<float>(), bias.as<float>(), activation, out.as<float>()};
  Py_BEGIN_ALLOW_THREADS
  share((all + kFewRows - 1) / kFewRows, threads, [&](int64_t first, int64_t last) {
    large_kernels().multiply_by_panels(job, first * kFewRows, std::min(last * kFewRows, all));
  });
  Py_END_ALLOW_THREADS
  return same(Py_True);
}

const Direct kRows[] = {
    {"add_turned_product", add_turned_product},
    {"panels_of", panels_of},
    {"multiply_by_panels", multiply_by_panels},
};

}  // namespace

const DirectTable kProductCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
