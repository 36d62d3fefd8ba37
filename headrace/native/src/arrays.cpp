// Reading NumPy arrays.
#include "arrays.h"

namespace headrace {
namespace {

struct ArrayFields {
  PyObject_HEAD
  char* data;
  int rank;
  Py_ssize_t* dims;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* descr;
  int flags;
};

constexpr int kAligned = 0x100;

// A type of native byte order is one object for all arrays; another object may say the same.
PyObject* known_types[DTYPES] = {};
PyObject* object_type = nullptr;

bool same_type(PyObject* descr, int code) {
  if (descr == known_types[code]) return true;
  return false;
}

}  // namespace

char* array_data(PyObject* array) { return reinterpret_cast<ArrayFields*>(array)->data; }

bool array_view(PyObject* object, ArrayView& view) {
  const ArrayFields* array = reinterpret_cast<const ArrayFields*>(object);
  if (array->rank > kMaxRank || !(array->flags & kAligned)) return false;
  int code = 0;
  while (code < DTYPES && !same_type(array->descr, code)) code++;
  if (code == DTYPES) return false;
  view.data = array->data;
  view.rank = array->rank;
  view.dtype = DType(code);
  int64_t expected = kSizes[code];
  view.dense = true;
  bool empty = false;
  for (int k = array->rank - 1; k >= 0; k--) {
    view.dims[k] = array->dims[k];
    view.strides[k] = array->strides[k];
    if (!array->dims[k]) empty = true;
    if (array->dims[k] != 1 && array->strides[k] != expected) view.dense = false;
    expected *= array->dims[k];
  }
  if (empty) view.dense = true;
  return true;
}

bool object_array(PyObject* object, char** data, int* rank, int64_t* dims) {
  const ArrayFields* array = reinterpret_cast<const ArrayFields*>(object);
  if (array->rank > kMaxRank || !(array->flags & kAligned) || array->descr != object_type) return false;
  int64_t expected = sizeof(PyObject*), elements = 1;
  bool dense = true;
  for (int k = array->rank - 1; k >= 0; k--) {
    dims[k] = array->dims[k];
    if (array->dims[k] != 1 && array->strides[k] != expected) dense = false;
    expected *= array->dims[k];
    elements *= array->dims[k];
  }
  *data = array->data;
  *rank = array->rank;
  return dense || !elements;
}

bool learn_arrays(PyObject* empty, PyObject* const* dtypes) {
  // A type of its own stays as long as the process.
  PyObject* objects = PyObject_CallFunction(empty, "(n)O", Py_ssize_t(1), &PyBaseObject_Type);
  if (!objects) return false;
  object_type = reinterpret_cast<const ArrayFields*>(objects)->descr;
  Py_INCREF(object_type);
  Py_DECREF(objects);
  for (int code = 0; code < DTYPES; code++) known_types[code] = dtypes[code];
  PyObject* array = PyObject_CallFunction(empty, "(nn)O", Py_ssize_t(3), Py_ssize_t(5), dtypes[F64]);
  if (!array) return false;
  PyObject* interface = PyObject_GetAttrString(array, "__array_interface__");
  PyObject* data = interface ? PyDict_GetItemString(interface, "data") : nullptr;
  bool fits = false;
  if (data && PyTuple_Check(data)) {
    const ArrayFields* fields = reinterpret_cast<const ArrayFields*>(array);
    fits = fields->data == PyLong_AsVoidPtr(PyTuple_GetItem(data, 0)) && fields->rank == 2 && fields->dims[0] == 3 &&
           fields->dims[1] == 5 && fields->strides[0] == 40 && fields->strides[1] == 8 && fields->descr == dtypes[F64] &&
           (fields->flags & kAligned);
  }
  Py_XDECREF(interface);
  Py_DECREF(array);
  if (!fits && !PyErr_Occurred()) PyErr_SetString(PyExc_ImportError, "arrays of this NumPy are laid out in another way");
  return fits;
}

}  // namespace headrace
