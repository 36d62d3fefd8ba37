// Lists of rows, which loops fill and empty: what TensorArrays and stacks are while a program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headrace {

enum RowState : uint8_t { kNothing, kWritten, kCleared };

// Rows of equal size, one after the other. The memory of a list is that of an arena, and serves its next run too.
struct RowList {
  std::vector<char> data;
  std::vector<uint8_t> state;  // of each row
  bool begun = false;
  bool fixed = false;      // its gradients have been asked for: it grows no more
  bool rewritten = false;  // a row was written more than once: gradients would not be of rows written once

  int64_t rows() const { return int64_t(state.size()); }
  void begin(int64_t count) {
    state.assign(size_t(count), kNothing);
    begun = true;
    fixed = false;
    rewritten = false;
  }
  // Makes room for so many rows of `bytes`.
  char* row(int64_t index, int64_t bytes) {
    const size_t needed = size_t(rows()) * size_t(bytes);
    if (data.size() < needed) data.resize(needed > 2 * data.size() ? needed : 2 * data.size());
    return data.data() + index * bytes;
  }
};

}  // namespace headrace
