// Direct calls of cross-entropies, for logits that are too large for a program.
#include "direct.h"
#include "kernels.h"
#include "threads.h"

#include <atomic>

namespace headrace {
namespace {

// cross_entropy(logits, labels, loss, backprop, threads): whether it has written the loss and its derivative by the logits. Labels are numbers of classes, or as many numbers as there are logits. A row stays in the nearest
// cache while it is gone over several times.
PyObject* cross_entropy(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block logits, labels, loss, back;
  if (!takes(count, 5)) return nullptr;
  if (!read_large_block(args[0], logits) || !read_large_block(args[1], labels) || !read_large_block(args[2], loss) ||
      !read_large_block(args[3], back) || !logits.is_float() || loss.dtype != logits.dtype || back.dtype != logits.dtype ||
      logits.rank != 2 || labels.rank < 1 || labels.dims[0] != logits.dims[0] || loss.elements() != logits.dims[0] ||
      back.elements() != logits.elements() || !logits.dims[1])
    return declined();
  const bool sparse = labels.rank == 1 && labels.is_index();
  if (!sparse && (labels.rank != 2 || labels.dtype != logits.dtype || labels.dims[1] != logits.dims[1])) return declined();
  const int64_t threads = PyLong_AsLongLong(args[4]);
  if (PyErr_Occurred()) return nullptr;
  char* bases[] = {loss.data, logits.data, labels.data, back.data};
  const int64_t size = kSizes[logits.dtype], row = size * logits.dims[1];
  const int64_t across[] = {size, row, sparse ? kSizes[labels.dtype] : row, row};
  std::atomic<bool> refused{false};
  Py_BEGIN_ALLOW_THREADS
  share(logits.dims[0], threads, [&](int64_t first, int64_t last) {
    Frame frame{bases};
    Step step;
    for (int i = 0; i < 4; i++) step.operand[i].base = i, step.operand[i].offset = first * across[i];
    step.rows = last - first, step.cols = logits.dims[1], step.flags = labels.dtype;
    if (kernels().rows[sparse ? rows_sparse_cross_entropy : rows_cross_entropy][logits.dtype](step, frame)) refused = true;
  });
  Py_END_ALLOW_THREADS
  return refused ? declined() : same(Py_True);
}

const Direct kRows[] = {
    {"cross_entropy", cross_entropy},
};

}  // namespace

const DirectTable kEntropyCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
