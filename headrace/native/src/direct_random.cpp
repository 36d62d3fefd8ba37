// Direct calls of random numbers.
#include "direct.h"
#include "philox.h"

namespace headrace {
namespace {

// philox_words(key, high, position, out): whether it has written the blocks from there on to an array of int32.
PyObject* philox_words(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 4)) return nullptr;
  const Philox place = {PyLong_AsUnsignedLongLong(args[0]), PyLong_AsUnsignedLongLong(args[1]),
                        PyLong_AsUnsignedLongLong(args[2])};
  if (PyErr_Occurred()) return nullptr;
  ArrayView out;
  if (reinterpret_cast<PyObject*>(Py_TYPE(args[3])) != python.array_type || !array_view(args[3], out) || out.dtype != I32 ||
      out.rank != 1 || !out.dense || out.dims[0] % 4)
    return declined();
  uint32_t* const words = reinterpret_cast<uint32_t*>(out.data);
  const int64_t blocks = out.dims[0] / 4;
  Py_BEGIN_ALLOW_THREADS
  for (int64_t i = 0; i < blocks; i++) place.block(uint64_t(i), words + 4 * i);
  Py_END_ALLOW_THREADS
  return same(Py_True);
}

const Direct kRows[] = {
    {"philox_words", philox_words},
};

}  // namespace

const DirectTable kRandomCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
