// What direct calls are given, and what they give.
#include "direct.h"

#include <algorithm>
#include <cstring>

namespace headrace {

bool read_large_block(PyObject* object, Block& block) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != python.tensor_type) return false;
  Reference dtype(PyObject_GetAttr(object, python.dtype)), here(PyObject_GetAttr(object, python.is_cpu));
  Reference shape(PyObject_GetAttr(object, python.shape));
  int code = 0;
  while (code < DTYPES && dtype.object != python.tensor_dtypes[code]) code++;
  if (code == DTYPES || here.object != Py_True || !shape.object || !PyTuple_Check(shape.object)) {
    PyErr_Clear();
    return false;
  }
  block.dtype = DType(code);
  const Py_ssize_t rank = PyTuple_Size(shape.object);
  if (rank > kMaxRank) return false;
  block.rank = int(rank);
  for (Py_ssize_t k = 0; k < rank; k++) block.dims[k] = PyLong_AsLongLong(PyTuple_GetItem(shape.object, k));
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  Reference dense(PyObject_CallMethodObjArgs(object, python.is_contiguous, nullptr));
  if (dense.object != Py_True) {
    PyErr_Clear();
    return false;
  }
  Reference pointer(PyObject_CallMethodObjArgs(object, python.data_ptr, nullptr));
  if (!pointer.object) {
    PyErr_Clear();
    return false;
  }
  block.data = static_cast<char*>(PyLong_AsVoidPtr(pointer.object));
  return true;
}

bool read_block(PyObject* object, Block& block) { return read_large_block(object, block) && block.elements() <= kMostElements; }

bool read_bytes(PyObject* object, Bytes& bytes) {
  char* data;
  Py_ssize_t size;
  if (!object || !PyBytes_Check(object) || PyBytes_AsStringAndSize(object, &data, &size) < 0) return false;
  bytes = {data, int64_t(size)};
  return true;
}

bool read_texts(PyObject* object, Texts& texts) {
  if (PyBytes_Check(object)) {
    texts.single = object;
    return true;
  }
  if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != python.array_type) return false;
  char* data;
  if (!object_array(object, &data, &texts.rank, texts.dims) || texts.elements() > kMostElements) return false;
  texts.items = reinterpret_cast<PyObject**>(data);
  return true;
}

namespace {

PyObject* tuple_of(int rank, const int64_t* dims) {
  PyObject* tuple = PyTuple_New(rank);
  for (int k = 0; tuple && k < rank; k++) PyTuple_SetItem(tuple, k, PyLong_FromLongLong(dims[k]));
  return tuple;
}

}  // namespace

PyObject* make_tensor(DType dtype, int rank, const int64_t* dims, Block& block) {
  Reference sizes(tuple_of(rank, dims));
  if (!sizes.object) return nullptr;
  Reference tensor(PyObject_CallFunction(python.fresh_tensor, "Oi", sizes.object, int(dtype)));
  if (!tensor.object) return nullptr;
  Reference pointer(PyObject_CallMethodObjArgs(tensor.object, python.data_ptr, nullptr));
  if (!pointer.object) return nullptr;
  block.data = static_cast<char*>(PyLong_AsVoidPtr(pointer.object));
  block.dtype = dtype;
  block.rank = rank;
  std::copy(dims, dims + rank, block.dims);
  return tensor.release();
}

PyObject* make_tensor(DType dtype, std::initializer_list<int64_t> dims, Block& block) {
  return make_tensor(dtype, int(dims.size()), dims.begin(), block);
}

PyObject* make_texts(int rank, const int64_t* dims, PyObject**& items) {
  Reference sizes(tuple_of(rank, dims));
  if (!sizes.object) return nullptr;
  PyObject* array = PyObject_CallFunctionObjArgs(python.empty, sizes.object, &PyBaseObject_Type, nullptr);
  if (array) items = reinterpret_cast<PyObject**>(array_data(array));
  return array;
}

PyObject* together(std::initializer_list<PyObject*> objects) {
  const bool whole = std::find(objects.begin(), objects.end(), nullptr) == objects.end();
  PyObject* tuple = whole ? PyTuple_New(Py_ssize_t(objects.size())) : nullptr;
  Py_ssize_t k = 0;
  for (PyObject* object : objects) {
    if (tuple) PyTuple_SetItem(tuple, k++, object);
    else Py_XDECREF(object);
  }
  return tuple;
}

bool takes(Py_ssize_t count, Py_ssize_t expected) {
  if (count == expected) return true;
  PyErr_Format(PyExc_TypeError, "a direct call takes %zd arguments, got %zd", expected, count);
  return false;
}

bool add_direct_calls(PyObject* module) {
  static std::vector<PyMethodDef> methods;
  if (methods.empty()) {
    for (const DirectTable* table :
         {&kSparseCalls, &kSegmentCalls, &kTextCalls, &kTextPartCalls, &kExampleCalls, &kUpdateCalls, &kClusterCalls, &kBoxCalls,
          &kSummaryCalls, &kForestCalls, &kProductCalls, &kEntropyCalls, &kPoolCalls, &kFilterCalls, &kRandomCalls,
          &kQueueCalls, &kWindowCalls})
      for (size_t k = 0; k < table->count; k++) {
        const Direct& row = table->rows[k];
        methods.push_back({row.name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(row.call)), METH_FASTCALL,
                           nullptr});
      }
    methods.push_back({nullptr, nullptr, 0, nullptr});
  }
  return PyModule_AddFunctions(module, methods.data()) == 0;
}

}  // namespace headrace
