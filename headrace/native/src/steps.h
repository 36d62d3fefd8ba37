// What a planned instruction is when it runs: a kernel and where its operands lie.
#pragma once

#include <cstdint>

#include "values.h"

struct _object;  // of Python

namespace headrace {

struct RowList;

// What a run has of its own: the addresses of all pieces of memory. Base 0 is the arena.
struct Step;
struct Frame {
  char** base;
  const Step* steps = nullptr;  // the first of all
  const Step* next = nullptr;   // which a jump changes
  RowList* lists = nullptr;
  _object* check = nullptr;   // what is called now and then in long runs, which may raise
  uint32_t turns = 0;         // of all loops
  int64_t asks_again_at = 0;  // nanoseconds of the clock: see interrupted
};

constexpr int kOperands = 5;

struct Operand {
  int32_t base = 0;
  int64_t offset = 0;  // bytes
  int64_t outer = 0;   // bytes from row to row
};

// 0, or what a failing instruction says (above 0); kInterrupted where Python has set an error meanwhile.
constexpr int64_t kInterrupted = -1;
using Kernel = int64_t (*)(const Step&, Frame&);
// One row of an element-wise instruction: operand 0 is the result, whose elements follow each other; the others' are
// `inner` elements apart, 0 or 1.
using RowKernel = int64_t (*)(char* const* operand, const int32_t* inner, int64_t n, const Step& step);

struct Step {
  Kernel run = nullptr;
  RowKernel row = nullptr;
  int32_t instruction = 0;
  int32_t count = 0;  // of operands
  int64_t rows = 1, cols = 1, k = 0;
  int32_t inner[kOperands] = {1, 1, 1, 1, 1};
  int32_t flags = 0;
  Operand operand[kOperands];
  double number[2] = {};
  // Axes outside of rows and columns, or what else a kernel is told: owned by the layout.
  const int64_t* extra = nullptr;
  // Operands beyond kOperands.
  const Operand* more = nullptr;

  char* at(int i, const Frame& frame) const { return frame.base[operand[i].base] + operand[i].offset; }
  char* at_more(int i, const Frame& frame) const { return frame.base[more[i].base] + more[i].offset; }
  template <class T>
  T* as(int i, const Frame& frame) const {
    return reinterpret_cast<T*>(at(i, frame));
  }
};

}  // namespace headrace
