// What a run is given: tensors, arrays and numbers, their addresses, sizes and strides.
#include <algorithm>
#include <cstring>

#include "objects.h"

namespace headrace {

namespace {

bool longs_of(PyObject* tuple, int rank, int64_t* out) {
  if (PyTuple_Size(tuple) != rank) return false;
  for (int k = 0; k < rank; k++) out[k] = PyLong_AsLongLong(PyTuple_GetItem(tuple, k));
  return !PyErr_Occurred();
}

bool fits(const Value& value, const int64_t* dims) {
  for (size_t k = 0; k < value.dims.size(); k++)
    if (value.dims[k] >= 0 && value.dims[k] != dims[k]) return false;
  return true;
}

Answer read_tensor(PyObject* object, const Value& value, bool asks, char** data, Given& given) {
  Reference dtype(PyObject_GetAttr(object, python.dtype)), here(PyObject_GetAttr(object, python.is_cpu));
  if (!dtype.object || !here.object) return kError;
  if (dtype.object != python.tensor_dtypes[value.dtype] || here.object != Py_True) return kDoesNotFit;
  Reference pointer(PyObject_CallMethodObjArgs(object, python.data_ptr, nullptr));
  if (!pointer.object) {
    // Sparse, say: it has no elements one after the other.
    PyErr_Clear();
    return kDoesNotFit;
  }
  *data = static_cast<char*>(PyLong_AsVoidPtr(pointer.object));
  const int rank = int(value.dims.size());
  given.dense = true;
  bool open = asks;
  for (int k = 0; k < rank; k++) {
    given.dims[k] = value.dims[size_t(k)];
    open = open || given.dims[k] < 0;
  }
  if (!open && value.contiguous) return kFits;
  if (open || !value.contiguous) {
    if (open) {
      Reference shape(PyObject_GetAttr(object, python.shape));
      if (!shape.object) return kError;
      if (!longs_of(shape.object, rank, given.dims) || !fits(value, given.dims)) return PyErr_Occurred() ? kError : kDoesNotFit;
    }
  }
  if (value.contiguous) return kFits;
  Reference dense(PyObject_CallMethodObjArgs(object, python.is_contiguous, nullptr));
  if (!dense.object) return kError;
  if (dense.object == Py_True) return kFits;
  given.dense = false;
  Reference stride(PyObject_CallMethodObjArgs(object, python.stride, nullptr));
  if (!stride.object) return kError;
  return longs_of(stride.object, rank, given.strides) ? kFits : PyErr_Occurred() ? kError : kDoesNotFit;
}

Answer read_array(PyObject* object, const Value& value, char** data, Given& given) {
  ArrayView array;
  if (!array_view(object, array) || array.rank != int(value.dims.size()) || array.dtype != value.dtype) return kDoesNotFit;
  *data = array.data;
  std::copy(array.dims, array.dims + array.rank, given.dims);
  if (!fits(value, given.dims)) return kDoesNotFit;
  given.dense = array.dense;
  if (!array.dense) {
    const int64_t size = kSizes[value.dtype];
    for (int k = 0; k < array.rank; k++) {
      if (array.strides[k] % size) return kDoesNotFit;
      given.strides[k] = array.strides[k] / size;
    }
  }
  return kFits;
}

// A number, for a value of rank 0.
Answer read_number(PyObject* object, const Value& value, int64_t* to) {
  if (!value.dims.empty()) return kDoesNotFit;
  if (value.dtype == F32 || value.dtype == F64) {
    const double number = PyFloat_AsDouble(object);
    if (number == -1.0 && PyErr_Occurred()) {
      PyErr_Clear();
      return kDoesNotFit;
    }
    const float narrow = float(number);
    if (value.dtype == F32) std::memcpy(to, &narrow, 4);
    else std::memcpy(to, &number, 8);
    return kFits;
  }
  if (value.dtype == BOOL) {
    if (object != Py_True && object != Py_False && reinterpret_cast<PyObject*>(Py_TYPE(object)) != python.scalar_types[BOOL])
      return kDoesNotFit;
    const uint8_t byte = uint8_t(PyObject_IsTrue(object));
    std::memcpy(to, &byte, 1);
    return kFits;
  }
  Reference index(PyNumber_Index(object));
  if (!index.object) {
    PyErr_Clear();
    return kDoesNotFit;
  }
  const long long number = PyLong_AsLongLong(index.object);
  if (number == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return kDoesNotFit;
  }
  const int32_t narrow = int32_t(number);
  const uint8_t byte = uint8_t(number);
  if ((value.dtype == I32 && narrow != number) || (value.dtype == U8 && byte != number)) return kDoesNotFit;
  if (value.dtype == I32) std::memcpy(to, &narrow, 4);
  else if (value.dtype == I64) std::memcpy(to, &number, 8);
  else std::memcpy(to, &byte, 1);
  return kFits;
}

void sign(std::vector<int64_t>& signature, const Value& value, const Given& given) {
  if (given.dense) {
    for (size_t k = 0; k < value.dims.size(); k++)
      if (value.dims[k] < 0) signature.push_back(given.dims[k]);
    return;
  }
  signature.push_back(INT64_MIN);  // strides follow
  for (size_t k = 0; k < value.dims.size(); k++) {
    if (value.dims[k] < 0) signature.push_back(given.dims[k]);
    signature.push_back(given.strides[k]);
  }
}

PyObject* item_of(PyObject* sequence, Py_ssize_t k, bool tuple) {
  return tuple ? PyTuple_GetItem(sequence, k) : PyList_GetItem(sequence, k);
}

}  // namespace

Answer read_given(Compiled* c, PyObject* inputs, PyObject* buffers, Arena* arena) {
  const Program& p = c->program;
  c->signature.clear();
  const bool tuple = PyTuple_Check(inputs), buffer_tuple = PyTuple_Check(buffers);
  if ((!tuple && !PyList_Check(inputs)) || (!buffer_tuple && !PyList_Check(buffers))) {
    PyErr_SetString(PyExc_TypeError, "inputs and buffers are tuples or lists");
    return kError;
  }
  if (size_t(PySequence_Size(inputs)) != p.inputs.size() || size_t(PySequence_Size(buffers)) != p.buffers.size()) {
    PyErr_Format(PyExc_ValueError, "the program takes %zd inputs and %zd buffers", Py_ssize_t(p.inputs.size()),
                 Py_ssize_t(p.buffers.size()));
    return kError;
  }
  for (size_t k = 0; k < p.inputs.size(); k++) {
    const Value& value = p.values[p.inputs[k]];
    Given& given = c->given[k];
    char*& base = arena->bases[p.first_input() + int32_t(k)];
    PyObject* object = item_of(inputs, Py_ssize_t(k), tuple);
    PyTypeObject* type = Py_TYPE(object);
    Answer answer;
    if (reinterpret_cast<PyObject*>(type) == python.array_type) {
      answer = read_array(object, value, &base, given);
    } else if (reinterpret_cast<PyObject*>(type) == python.tensor_type ||
               PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(python.tensor_type))) {
      answer = read_tensor(object, value, false, &base, given);
    } else {
      base = reinterpret_cast<char*>(arena->scalars + k);
      given.dense = true;
      answer = read_number(object, value, arena->scalars + k);
    }
    if (answer != kFits) return answer;
    sign(c->signature, value, given);
  }
  for (size_t k = 0; k < p.buffers.size(); k++) {
    const Value& value = p.values[p.buffers[k]];
    Remembered& remembered = c->buffers[k];
    PyObject* object = item_of(buffers, Py_ssize_t(k), buffer_tuple);
    if (object != remembered.object) {
      Given given;
      char* data;
      // A variable without a value yet, say: the plain function knows what to raise.
      if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != python.array_type &&
          !PyType_IsSubtype(Py_TYPE(object), reinterpret_cast<PyTypeObject*>(python.tensor_type)))
        return kDoesNotFit;
      const Answer answer = reinterpret_cast<PyObject*>(Py_TYPE(object)) == python.array_type
                                ? read_array(object, value, &data, given)
                                : read_tensor(object, value, true, &data, given);
      if (answer != kFits) return answer;
      if (!given.dense) return kDoesNotFit;
      Py_INCREF(object);
      Py_XDECREF(remembered.object);
      remembered = {object, data, given};
    }
    c->given[p.inputs.size() + k] = remembered.given;
    arena->bases[p.first_buffer() + int32_t(k)] = remembered.data;
    sign(c->signature, value, remembered.given);
  }
  return kFits;
}

}  // namespace headrace
