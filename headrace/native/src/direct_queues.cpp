// Direct calls of queues: elements that came in batches leave in others.
#include <cstring>
#include <unordered_map>
#include <vector>

#include "direct.h"

namespace headrace {
namespace {

// So many bytes are copied faster than the interpreter is left and entered again.
constexpr int64_t kWithinInterpreter = 1 << 16;

// One component of the rows of batches.
class Rows {
 public:
  explicit Rows(Py_ssize_t component) : component_(component) {}

  // Finds the row that an element `(batch, row)` names; false where it is none, or is not of the others' type and size.
  bool add(PyObject* element) {
    if (!PyTuple_Check(element) || PyTuple_Size(element) != 2) return false;
    PyObject* const batch = PyTuple_GetItem(element, 0);
    if (batch != last_) {
      const Block* const block = block_of(batch);
      if (!block) return false;
      last_ = batch, block_ = block;
    }
    const Py_ssize_t row = PyLong_AsSsize_t(PyTuple_GetItem(element, 1));
    if (row < 0 || row >= block_->dims[0]) {
      PyErr_Clear();
      return false;
    }
    places_.push_back(block_->data + row * row_bytes_);
    return true;
  }

  PyObject* joined() {
    Block out;
    first_.dims[0] = int64_t(places_.size());
    PyObject* const tensor = make_tensor(first_.dtype, first_.rank, first_.dims, out);
    if (!tensor) return nullptr;
    char* to = out.data;
    PyThreadState* const left = first_.dims[0] * row_bytes_ > kWithinInterpreter ? PyEval_SaveThread() : nullptr;
    for (const char* const from : places_) {
      std::memcpy(to, from, size_t(row_bytes_));
      to += row_bytes_;
    }
    if (left) PyEval_RestoreThread(left);
    return tensor;
  }

 private:
  const Block* block_of(PyObject* batch) {
    const auto known = blocks_.find(batch);
    if (known != blocks_.end()) return &known->second;
    if (!PyTuple_Check(batch) || component_ < 0 || component_ >= PyTuple_Size(batch)) return nullptr;
    Block block;
    if (!read_large_block(PyTuple_GetItem(batch, component_), block) || !block.rank) return nullptr;
    if (blocks_.empty()) {
      first_ = block;
      row_bytes_ = block.elements(1) * kSizes[block.dtype];
      // Nothing is copied of rows without elements, and what they lie at may be null.
      if (!row_bytes_) return nullptr;
    } else if (block.dtype != first_.dtype || block.rank != first_.rank) {
      return nullptr;
    }
    for (int k = 1; k < block.rank; k++)
      if (block.dims[k] != first_.dims[k]) return nullptr;
    return &blocks_.emplace(batch, block).first->second;
  }

  const Py_ssize_t component_;
  PyObject* last_ = nullptr;
  const Block* block_ = nullptr;
  Block first_;
  int64_t row_bytes_ = 0;
  std::unordered_map<PyObject*, Block> blocks_;
  std::vector<const char*> places_;
};

// gather_rows(elements, component): a batch of a component of elements `(batch, row)`.
PyObject* gather_rows(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 2)) return nullptr;
  const Py_ssize_t component = PyLong_AsSsize_t(args[1]);
  if (PyErr_Occurred()) return nullptr;
  const Py_ssize_t n = PyList_Check(args[0]) ? PyList_Size(args[0]) : 0;
  Rows rows(component);
  for (Py_ssize_t i = 0; i < n; i++)
    if (!rows.add(PyList_GetItem(args[0], i))) return declined();
  return n ? rows.joined() : declined();
}

const Direct kRows[] = {{"gather_rows", gather_rows}};

}  // namespace

const DirectTable kQueueCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
