// How element-wise instructions go through their axes. A row kernel sees rows only.
#include <cstring>

#include "kernels.h"

namespace headrace {

int64_t run_row(const Step& step, Frame& frame) {
  char* p[kOperands];
  for (int i = 0; i < step.count; i++) p[i] = step.at(i, frame);
  return step.row(p, step.inner, step.cols, step);
}

int64_t run_rows(const Step& step, Frame& frame) {
  char* p[kOperands];
  for (int i = 0; i < step.count; i++) p[i] = step.at(i, frame);
  for (int64_t r = 0; r < step.rows; r++) {
    if (int64_t code = step.row(p, step.inner, step.cols, step)) return code;
    for (int i = 0; i < step.count; i++) p[i] += step.operand[i].outer;
  }
  return 0;
}

namespace {

// Goes through the axes in step.extra (how many, then for each its size and the stride in bytes of each operand),
// the last the quickest, and calls `visit` for each place.
template <class Visit>
int64_t for_axes(const Step& step, Frame& frame, Visit visit) {
  char* p[kOperands];
  const int count = step.count;
  for (int i = 0; i < count; i++) p[i] = step.at(i, frame);
  const int64_t axes = step.extra[0];
  const int64_t* axis = step.extra + 1;
  int64_t at[kMaxRank] = {};
  for (;;) {
    if (int64_t code = visit(p)) return code;
    int64_t a = axes - 1;
    for (; a >= 0; a--) {
      const int64_t* of = axis + a * (1 + count);
      if (++at[a] < of[0]) {
        for (int i = 0; i < count; i++) p[i] += of[1 + i];
        break;
      }
      at[a] = 0;
      for (int i = 0; i < count; i++) p[i] -= of[1 + i] * (of[0] - 1);
    }
    if (a < 0) return 0;
  }
}

// What elements are does not matter for moving them.
template <class T>
void gather_strided(char* to, const char* from, int64_t stride, int64_t n) {
  T* d = reinterpret_cast<T*>(to);
  for (int64_t i = 0; i < n; i++, from += stride) std::memcpy(d + i, from, sizeof(T));
}
template <class T>
void scatter_strided(char* to, const char* from, int64_t stride, int64_t n) {
  for (int64_t i = 0; i < n; i++, to += stride) std::memcpy(to, from + i * sizeof(T), sizeof(T));
}
void gather_strided(char* to, const char* from, int64_t stride, int64_t n, int64_t size) {
  if (size == 4) gather_strided<uint32_t>(to, from, stride, n);
  else if (size == 8) gather_strided<uint64_t>(to, from, stride, n);
  else gather_strided<uint8_t>(to, from, stride, n);
}
void scatter_strided(char* to, const char* from, int64_t stride, int64_t n, int64_t size) {
  if (size == 4) scatter_strided<uint32_t>(to, from, stride, n);
  else if (size == 8) scatter_strided<uint64_t>(to, from, stride, n);
  else scatter_strided<uint8_t>(to, from, stride, n);
}

}  // namespace

int64_t run_axes(const Step& step, Frame& frame) {
  return for_axes(step, frame, [&](char* const* p) { return step.row(p, step.inner, step.cols, step); });
}

// As many elements go by way of a buffer at once.
constexpr int64_t kStaged = 256;

int64_t run_staged(const Step& step, Frame& frame) {
  // After the axes: the size of an element of each operand, then its inner stride in bytes.
  const int64_t* sizes = step.extra + 1 + step.extra[0] * (1 + step.count);
  const int64_t* strides = sizes + step.count;
  alignas(64) char buffer[kOperands][kStaged * 8];
  return for_axes(step, frame, [&](char* const* p) -> int64_t {
    for (int64_t done = 0; done < step.cols; done += kStaged) {
      const int64_t n = step.cols - done < kStaged ? step.cols - done : kStaged;
      char* q[kOperands];
      for (int i = 0; i < step.count; i++) {
        char* from = p[i] + done * strides[i];
        const bool plain = strides[i] == sizes[i] || (i && strides[i] == 0);
        q[i] = plain ? from : buffer[i];
        if (i && !plain) gather_strided(buffer[i], from, strides[i], n, sizes[i]);
      }
      if (int64_t code = step.row(q, step.inner, n, step)) return code;
      if (q[0] == buffer[0]) scatter_strided(p[0] + done * strides[0], buffer[0], strides[0], n, sizes[0]);
    }
    return 0;
  });
}

namespace {

template <class T>
void transpose(char* to, const char* from, int64_t rows, int64_t cols, int64_t to_row, int64_t from_col) {
  constexpr int64_t kBlock = 16;
  for (int64_t r0 = 0; r0 < rows; r0 += kBlock) {
    const int64_t r1 = r0 + kBlock < rows ? r0 + kBlock : rows;
    for (int64_t c = 0; c < cols; c++) {
      const char* source = from + c * from_col;
      for (int64_t r = r0; r < r1; r++) std::memcpy(to + r * to_row + c * sizeof(T), source + r * sizeof(T), sizeof(T));
    }
  }
}

}  // namespace

int64_t run_transposed(const Step& step, Frame& frame) {
  // The source's rows are a result's columns: step.k bytes from one to the next.
  const int64_t size = step.flags;
  return for_axes(step, frame, [&](char* const* p) -> int64_t {
    if (size == 4) transpose<uint32_t>(p[0], p[1], step.rows, step.cols, step.operand[0].outer, step.k);
    else if (size == 8) transpose<uint64_t>(p[0], p[1], step.rows, step.cols, step.operand[0].outer, step.k);
    else transpose<uint8_t>(p[0], p[1], step.rows, step.cols, step.operand[0].outer, step.k);
    return 0;
  });
}

}  // namespace headrace
