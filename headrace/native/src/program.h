// Programs as they are built, and layouts: what a program becomes for a tuple of sizes.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels.h"
#include "steps.h"
#include "values.h"

namespace headrace {

class Planner;
struct Instruction;

// How an instruction is planned: one row of the tables at the ends of the lower_*.cpp files.
struct Lowering {
  const char* name;
  void (*plan)(Planner&, const Instruction&);
  int32_t arg = 0;
};
// Null where there is no such instruction.
const Lowering* find_lowering(const std::string& name);
std::vector<const char*> instruction_names();

struct Instruction {
  const Lowering* how;
  int32_t number;
  std::vector<int32_t> inputs, results;
  std::vector<int64_t> ints;
  std::vector<double> floats;
};

enum OutputKind : int32_t { kArray, kScalar, kTensor, kFresh };
struct OutputSpec {
  int32_t value;
  OutputKind kind;
};

// Bases of a frame: the arena, inputs, buffers, constants, then two literals.
struct Program {
  std::vector<Value> values;
  std::vector<Instruction> instructions;
  std::vector<OutputSpec> outputs;
  std::vector<int32_t> inputs, buffers, constants;  // values
  std::vector<const char*> constant_data;
  int32_t first_input() const { return 1; }
  int32_t first_buffer() const { return 1 + int32_t(inputs.size()); }
  int32_t first_constant() const { return first_buffer() + int32_t(buffers.size()); }
  int32_t zero() const { return first_constant() + int32_t(constants.size()); }
  int32_t bases() const { return zero() + 2; }
};

// How an input or a buffer lies in one run.
struct Given {
  bool dense = true;
  int64_t dims[kMaxRank] = {};
  int64_t strides[kMaxRank] = {};  // in elements, unless dense
};

// What runs told so far of the values that sizes depend on, in the order in which they were asked for.
using Answers = std::vector<std::vector<int64_t>>;

struct Layout {
  std::vector<int64_t> signature;
  Answers answers;
  bool possible = false;
  // It ends where planning needs the contents of this value: the layout for them, which begins with the same steps, goes on.
  bool waits = false;
  View asked;
  std::string why_not;
  std::vector<Step> steps;
  std::deque<std::vector<int64_t>> extras;
  std::deque<std::vector<Operand>> operands;
  std::vector<View> views;  // of the program's values; storage is a base here
  std::vector<View> outputs;
  // Buffers that are saved before they are written: a run that fails gives them back what they held.
  struct Saved {
    int32_t base;
    int64_t offset, bytes;  // in the arena
  };
  std::vector<Saved> saved;
  int32_t lists = 0;
  int64_t arena_bytes = 0;
  double cost = 0;  // ns
};

// Fills all but the signature and the answers; `limit` is the most nanoseconds a run may be estimated at.
void plan_layout(const Program& program, const std::vector<Given>& given, double limit, Layout& layout);

// Integers of a view, in order.
constexpr int64_t kMostContents = 64;
std::vector<int64_t> read_contents(const View& view, const char* base);
// 0 and 1 of each type, 8 bytes each.
void set_literals(int64_t (*literals)[DTYPES]);

}  // namespace headrace
