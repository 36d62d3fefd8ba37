// Direct calls: kernels whose results have sizes that only their values tell, or that take texts. Python calls each of them with
// tensors and arrays and gets tensors; None says that the values are not such that it computes them, before anything is
// written: who asked then asks another kernel, which computes or raises the right error.
#pragma once

#include <initializer_list>

#include "objects.h"

namespace headrace {

// From so many elements on torch's kernels, which use all threads, are not slower.
constexpr int64_t kMostElements = int64_t(1) << 17;

// A dense piece of memory that was given or made.
struct Block {
  char* data = nullptr;
  DType dtype = F32;
  int rank = 0;
  int64_t dims[kMaxRank] = {};

  int64_t elements(int from = 0) const {
    int64_t n = 1;
    for (int k = from; k < rank; k++) n *= dims[k];
    return n;
  }
  bool is_index() const { return dtype == I32 || dtype == I64; }
  bool is_float() const { return dtype == F32 || dtype == F64; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
  // An element of an index.
  int64_t index(int64_t i) const { return dtype == I32 ? int64_t(as<int32_t>()[i]) : as<int64_t>()[i]; }
};

// False where it is no dense tensor on the CPU of a type that is known, or has too many elements; no Python error is set.
bool read_block(PyObject* object, Block& block);
// The same, however many elements it has.
bool read_large_block(PyObject* object, Block& block);

// Texts: bytes objects one after the other. A single one may come as itself.
struct Texts {
  PyObject** items = nullptr;
  PyObject* single = nullptr;
  int rank = 0;
  int64_t dims[kMaxRank] = {};

  int64_t elements() const {
    int64_t n = 1;
    for (int k = 0; k < rank; k++) n *= dims[k];
    return n;
  }
  PyObject* operator[](int64_t i) const { return items ? items[i] : single; }
};
// False where it is neither bytes nor a dense array of objects; whether those are bytes is asked of each.
bool read_texts(PyObject* object, Texts& texts);

// A text's bytes; false where it is none.
struct Bytes {
  const char* data = nullptr;
  int64_t size = 0;
};
bool read_bytes(PyObject* object, Bytes& bytes);

// A new tensor; null with a Python error.
PyObject* make_tensor(DType dtype, std::initializer_list<int64_t> dims, Block& block);
PyObject* make_tensor(DType dtype, int rank, const int64_t* dims, Block& block);
// A new array of texts: what is stored in it goes through `put`.
PyObject* make_texts(int rank, const int64_t* dims, PyObject**& items);
inline void put(PyObject** place, PyObject* text) {
  PyObject* before = *place;
  Py_XINCREF(text);
  *place = text;
  Py_XDECREF(before);
}

inline PyObject* declined() {
  Py_INCREF(Py_None);
  return Py_None;
}
// A tuple of references, which it takes; null where one of them is.
PyObject* together(std::initializer_list<PyObject*> objects);
inline PyObject* same(PyObject* object) {
  Py_INCREF(object);
  return object;
}

using DirectCall = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);
struct Direct {
  const char* name;
  DirectCall call;
};
// Whether so many arguments came; if not, Python's error is set.
bool takes(Py_ssize_t count, Py_ssize_t expected);
// Adds the functions of all files to the module.
bool add_direct_calls(PyObject* module);

// The tables at the ends of the files.
struct DirectTable {
  const Direct* rows;
  size_t count;
};
extern const DirectTable kSparseCalls, kSegmentCalls, kTextCalls, kTextPartCalls, kExampleCalls, kUpdateCalls, kClusterCalls,
    kBoxCalls, kSummaryCalls, kForestCalls, kProductCalls, kEntropyCalls, kPoolCalls, kFilterCalls, kRandomCalls,
    kQueueCalls, kWindowCalls;

// Numbers integers in the order in which they first come.
class Numbering {
 public:
  explicit Numbering(int64_t count) {
    while ((int64_t(1) << bits_) < 2 * count) bits_++;
    slots_.assign(size_t(1) << bits_, -1);
  }
  // The number of a key.
  int64_t of(int64_t key) {
    size_t at = size_t((uint64_t(key) * 0x9E3779B97F4A7C15u) >> (64 - bits_));
    for (;; at = (at + 1) & (slots_.size() - 1)) {
      const int64_t number = slots_[at];
      if (number < 0) {
        slots_[at] = int64_t(keys.size());
        keys.push_back(key);
        return slots_[at];
      }
      if (keys[size_t(number)] == key) return number;
    }
  }
  std::vector<int64_t> keys;

 private:
  int bits_ = 4;
  std::vector<int64_t> slots_;
};

}  // namespace headrace
