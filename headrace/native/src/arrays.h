// NumPy arrays without NumPy's headers: where the fields of an array lie is the same in all its versions since 1.7, 2.x included
// (it is what extensions compiled for one run with in another), and is verified once against what NumPy says itself.
#pragma once

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030A0000
#endif
#include <Python.h>

#include "values.h"

namespace headrace {

struct ArrayView {
  char* data;
  int rank;
  DType dtype;
  bool dense;
  int64_t dims[kMaxRank];
  int64_t strides[kMaxRank];  // in bytes
};

// Looks at arrays made by `empty`; sets a Python error where they are not as expected.
bool learn_arrays(PyObject* empty, PyObject* const* dtypes);
char* array_data(PyObject* array);
// False where it has too many axes, another type, or another byte order.
bool array_view(PyObject* array, ArrayView& view);
// Where the references of a dense array of objects lie; false where it is none.
bool object_array(PyObject* array, char** data, int* rank, int64_t* dims);

}  // namespace headrace
