// What programs are made of: types, values, and the views that values are while a program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace headrace {

// In the order of instructions.py's DTYPES.
enum DType : int32_t { F32, F64, I32, I64, BOOL, U8, DTYPES };

constexpr int64_t kSizes[DTYPES] = {4, 8, 4, 8, 1, 1};
// The gradient of a tiling has two axes for each of the value's.
constexpr int kMaxRank = 12;

enum ValueKind : int32_t { kInput, kBuffer, kConstant, kMade };

// A value as the program declares it.
struct Value {
  ValueKind kind;
  DType dtype;
  bool known_rank = false;
  bool contiguous = false;         // an input that promises it
  std::vector<int64_t> dims;       // -1 where unknown
  int32_t index = -1;              // among the values of its kind
};

// Where a value lies once all sizes are known: a piece of memory and strides over it, in elements.
struct View {
  int32_t storage = -1;
  DType dtype = F32;
  int32_t rank = 0;
  int64_t offset = 0;  // in bytes
  int64_t dims[kMaxRank] = {};
  int64_t strides[kMaxRank] = {};

  int64_t elements() const {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    return n;
  }
  bool same_dims(const View& other) const {
    if (rank != other.rank) return false;
    for (int i = 0; i < rank; i++)
      if (dims[i] != other.dims[i]) return false;
    return true;
  }
  bool is_contiguous() const {
    int64_t expected = 1;
    for (int i = rank - 1; i >= 0; i--) {
      if (dims[i] == 0) return true;
      if (dims[i] != 1 && strides[i] != expected) return false;
      expected *= dims[i];
    }
    return true;
  }
  void set_contiguous() {
    int64_t stride = 1;
    for (int i = rank - 1; i >= 0; i--) {
      strides[i] = stride;
      stride *= dims[i];
    }
  }
};

}  // namespace headrace
