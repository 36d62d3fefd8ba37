// What a run gives back.
#include <cstring>

#include "objects.h"

namespace headrace {

namespace {

PyObject* dims_tuple(const View& view) {
  PyObject* dims = PyTuple_New(view.rank);
  if (dims)
    for (int k = 0; k < view.rank; k++) PyTuple_SetItem(dims, k, PyLong_FromLongLong(view.dims[k]));
  return dims;
}

// Copies a view to dense memory.
void copy_out(const View& view, const char* base, char* to) {
  const char* from = base + view.offset;
  const int64_t size = kSizes[view.dtype], elements = view.elements();
  if (!elements) return;
  if (view.is_contiguous()) {
    std::memcpy(to, from, size_t(elements * size));
    return;
  }
  int64_t at[kMaxRank] = {};
  for (int64_t i = 0; i < elements; i++, to += size) {
    int64_t offset = 0;
    for (int k = 0; k < view.rank; k++) offset += at[k] * view.strides[k];
    std::memcpy(to, from + offset * size, size_t(size));
    for (int k = view.rank - 1; k >= 0; k--) {
      if (++at[k] < view.dims[k]) break;
      at[k] = 0;
    }
  }
}

}  // namespace

PyObject* as_array(const View& view, const char* base) {
  Reference dims(dims_tuple(view));
  if (!dims.object) return nullptr;
  Reference array(PyObject_CallFunctionObjArgs(python.empty, dims.object, python.dtypes[view.dtype], nullptr));
  if (!array.object) return nullptr;
  copy_out(view, base, array_data(array.object));
  return array.release();
}

namespace {

PyObject* as_scalar(const View& view, const char* base) {
  const char* at = base + view.offset;
  PyObject* number;
  switch (view.dtype) {
    case F32: number = PyFloat_FromDouble(double(*reinterpret_cast<const float*>(at))); break;
    case F64: number = PyFloat_FromDouble(*reinterpret_cast<const double*>(at)); break;
    case I32: number = PyLong_FromLong(*reinterpret_cast<const int32_t*>(at)); break;
    case I64: number = PyLong_FromLongLong(*reinterpret_cast<const int64_t*>(at)); break;
    case BOOL: number = PyBool_FromLong(*at); break;
    default: number = PyLong_FromLong(*reinterpret_cast<const uint8_t*>(at));
  }
  if (!number) return nullptr;
  PyObject* scalar = PyObject_CallFunctionObjArgs(python.scalar_types[view.dtype], number, nullptr);
  Py_DECREF(number);
  return scalar;
}

PyObject* as_fresh(const View& view, const char* base) {
  Reference dims(dims_tuple(view));
  if (!dims.object) return nullptr;
  Reference tensor(PyObject_CallFunction(python.fresh_tensor, "Oi", dims.object, int(view.dtype)));
  if (!tensor.object) return nullptr;
  Reference pointer(PyObject_CallMethodObjArgs(tensor.object, python.data_ptr, nullptr));
  if (!pointer.object) return nullptr;
  if (view.elements()) copy_out(view, base, static_cast<char*>(PyLong_AsVoidPtr(pointer.object)));
  return tensor.release();
}

PyObject* as_tensor(Arena* arena, const std::shared_ptr<const Layout>& layout, size_t k) {
  if (!arena->tensors || *arena->layout != layout) {
    PyObject* list = PyList_New(Py_ssize_t(layout->outputs.size()));
    if (!list) return nullptr;
    for (size_t i = 0; i < layout->outputs.size(); i++) {
      Py_INCREF(Py_None);
      PyList_SetItem(list, Py_ssize_t(i), Py_None);
    }
    Py_XDECREF(arena->tensors);
    arena->tensors = list;
    *arena->layout = layout;
  }
  PyObject* known = PyList_GetItem(arena->tensors, Py_ssize_t(k));
  if (known == Py_None) {
    const View& view = layout->outputs[k];
    Reference dims(dims_tuple(view));
    if (!dims.object) return nullptr;
    known = PyObject_CallFunction(python.tensor_over, "OLiO", arena->memory, (long long)(arena->offset + view.offset),
                                  int(view.dtype), dims.object);
    if (!known) return nullptr;
    PyList_SetItem(arena->tensors, Py_ssize_t(k), known);
  }
  Py_INCREF(known);
  return known;
}

}  // namespace

PyObject* results(Compiled* c, const std::shared_ptr<const Layout>& layout, Arena* arena) {
  PyObject* tuple = PyTuple_New(Py_ssize_t(layout->outputs.size()));
  if (!tuple) return nullptr;
  for (size_t k = 0; k < layout->outputs.size(); k++) {
    const View& view = layout->outputs[k];
    const char* base = arena->bases[view.storage];
    PyObject* item;
    switch (c->program.outputs[k].kind) {
      case kTensor: item = as_tensor(arena, layout, k); break;
      case kFresh: item = as_fresh(view, base); break;
      case kScalar: item = view.rank ? as_array(view, base) : as_scalar(view, base); break;
      default: item = as_array(view, base);
    }
    if (!item) {
      Py_DECREF(tuple);
      return nullptr;
    }
    PyTuple_SetItem(tuple, Py_ssize_t(k), item);
  }
  return tuple;
}

}  // namespace headrace
