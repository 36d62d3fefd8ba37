// Direct calls of cross-entropies, for logits that are too large for a program.
#include "direct.h"
#include "kernels.h"

namespace headrace {
namespace {

// cross_entropy(logits, labels, loss, backprop, first, last): whether it has written those rows of the loss and of its
// derivative by the logits. Labels are numbers of classes, or as many numbers as there are logits. A row stays in the nearest
// cache while it is gone over several times.
PyObject* cross_entropy(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block logits, labels, loss, back;
  if (!takes(count, 6)) return nullptr;
  if (!read_large_block(args[0], logits) || !read_large_block(args[1], labels) || !read_large_block(args[2], loss) ||
      !read_large_block(args[3], back) || !logits.is_float() || loss.dtype != logits.dtype || back.dtype != logits.dtype ||
      logits.rank != 2 || labels.rank < 1 || labels.dims[0] != logits.dims[0] || loss.elements() != logits.dims[0] ||
      back.elements() != logits.elements() || !logits.dims[1])
    return declined();
  const bool sparse = labels.rank == 1 && labels.is_index();
  if (!sparse && (labels.rank != 2 || labels.dtype != logits.dtype || labels.dims[1] != logits.dims[1])) return declined();
  const int64_t first = PyLong_AsLongLong(args[4]), last = PyLong_AsLongLong(args[5]);
  if (PyErr_Occurred()) return nullptr;
  if (first < 0 || first > last || last > logits.dims[0]) return declined();
  char* bases[] = {loss.data, logits.data, labels.data, back.data};
  Frame frame{bases};
  Step step;
  const int64_t size = kSizes[logits.dtype], row = size * logits.dims[1];
  const int64_t across[] = {size, row, sparse ? kSizes[labels.dtype] : row, row};
  for (int i = 0; i < 4; i++) step.operand[i].base = i, step.operand[i].offset = first * across[i];
  step.rows = last - first, step.cols = logits.dims[1], step.flags = labels.dtype;
  int64_t refused = 0;
  Py_BEGIN_ALLOW_THREADS
  refused = kernels().rows[sparse ? rows_sparse_cross_entropy : rows_cross_entropy][logits.dtype](step, frame);
  Py_END_ALLOW_THREADS
  return refused ? declined() : same(Py_True);
}

const Direct kRows[] = {
    {"cross_entropy", cross_entropy},
};

}  // namespace

const DirectTable kEntropyCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
