// Contents of small vectors of integers: sizes, axes and what is computed of them while a layout is made.
#include <algorithm>
#include <array>
#include <cstring>

#include "lowerings.h"

namespace headrace {
namespace {

int64_t read_integer(const char* at, DType dtype) {
  if (dtype == I32) return *reinterpret_cast<const int32_t*>(at);
  if (dtype == I64) return *reinterpret_cast<const int64_t*>(at);
  return *reinterpret_cast<const uint8_t*>(at);
}

int64_t sizes_kernel(const Step& step, Frame& frame) {
  for (int64_t i = 0; i < step.cols; i++) {
    if (step.flags == I32) step.as<int32_t>(0, frame)[i] = int32_t(step.extra[i]);
    else step.as<int64_t>(0, frame)[i] = step.extra[i];
  }
  return 0;
}

// Instructions that do nothing but compute their results.
bool is_pure(const Lowering* how) {
  for (const auto* rows : {&view_lowerings(), &elementwise_lowerings(), &reduction_lowerings(), &movement_lowerings()})
    if (!rows->empty() && how >= rows->data() && how < rows->data() + rows->size()) return true;
  // Parts of shapes are put together by it. Others on rows write into what they are given.
  static const Lowering* const gather = find_lowering("gather");
  return how == gather;
}

}  // namespace

bool holds_contents(const View& view) {
  return (view.dtype == I32 || view.dtype == I64 || view.dtype == BOOL) && view.storage >= 0 &&
         view.elements() <= kMostContents;
}

std::vector<int64_t> read_contents(const View& view, const char* base) {
  std::vector<int64_t> numbers;
  const int64_t elements = view.elements();
  int64_t at[kMaxRank] = {};
  for (int64_t i = 0; i < elements; i++) {
    int64_t offset = 0;
    for (int k = 0; k < view.rank; k++) offset += at[k] * view.strides[k];
    numbers.push_back(read_integer(base + view.offset + offset * kSizes[view.dtype], view.dtype));
    for (int k = view.rank - 1; k >= 0; k--) {
      if (++at[k] < view.dims[k]) break;
      at[k] = 0;
    }
  }
  return numbers;
}

const Planner::Contents& Planner::told(int32_t value) {
  if (!known(value)) {
    const View& view = layout_.views[size_t(value)];
    require(holds_contents(view), "sizes are a few integers");
    require(blocks_.empty(), "within a loop or branch sizes depend on values");
    require(written_.empty(), "sizes depend on values that are known after a write");
    if (answered_ == layout_.answers.size()) throw Asks{view};
    know(value, layout_.answers[answered_++]);
    asked_at_ = steps();
  }
  return *known(value);
}

View Planner::literal_vector(DType dtype, int rank, const Contents& contents) {
  require(dtype == I32 || dtype == I64, "integers are known");
  const int64_t dims[1] = {int64_t(contents.size())};
  const View view = make(dtype, rank, dims);
  if (contents.empty()) return view;
  Step& step = emit(sizes_kernel, 1);
  operand(step, 0, view);
  step.cols = int64_t(contents.size());
  step.flags = dtype;
  step.extra = keep(contents);
  return view;
}

// What an instruction makes of known contents is known too: it runs on them here and now, as a program of its own.
void Planner::derive(const Instruction& i) {
  if (i.inputs.empty() || !is_pure(i.how)) return;
  for (int32_t result : i.results)
    if (!holds_contents(layout_.views[size_t(result)])) return;
  Program program;
  Instruction alone = i;
  alone.inputs.clear(), alone.results.clear(), alone.ints.clear();
  alone.number = 0;
  std::vector<Given> given;
  std::vector<std::vector<int64_t>> packed;
  const auto declare = [&](ValueKind kind, const View& view) {
    Value value;
    value.kind = kind, value.dtype = view.dtype, value.known_rank = true;
    value.dims.assign(view.dims, view.dims + view.rank);
    program.values.push_back(std::move(value));
    return int32_t(program.values.size()) - 1;
  };
  for (int32_t input : i.inputs) {
    const View& view = layout_.views[size_t(input)];
    const Contents* contents = known(input);
    if (!contents) return;
    alone.inputs.push_back(declare(kInput, view));
    program.inputs.push_back(alone.inputs.back());
    Given one;
    std::copy(view.dims, view.dims + view.rank, one.dims);
    given.push_back(one);
    std::vector<int64_t> bytes(contents->size() + 1);
    for (size_t k = 0; k < contents->size(); k++) {
      char* to = reinterpret_cast<char*>(bytes.data()) + k * size_t(kSizes[view.dtype]);
      const int64_t number = (*contents)[k];
      const int32_t narrow = int32_t(number);
      const uint8_t flag = uint8_t(number);
      if (view.dtype == I32) std::memcpy(to, &narrow, 4);
      else if (view.dtype == I64) std::memcpy(to, &number, 8);
      else std::memcpy(to, &flag, 1);
    }
    packed.push_back(std::move(bytes));
  }
  for (int64_t code : i.ints) alone.ints.push_back(size(code));
  for (int32_t result : i.results) {
    alone.results.push_back(declare(kMade, layout_.views[size_t(result)]));
    program.outputs.push_back({alone.results.back(), kArray});
  }
  program.instructions.push_back(alone);
  Layout layout;
  plan_layout(program, given, 1e9, layout);
  if (!layout.possible || layout.waits) return;
  std::vector<char> arena(size_t(layout.arena_bytes) + 64);
  int64_t literals[2][DTYPES] = {};
  set_literals(literals);
  std::vector<char*> bases{arena.data() + (64 - reinterpret_cast<uintptr_t>(arena.data()) % 64) % 64};
  for (auto& bytes : packed) bases.push_back(reinterpret_cast<char*>(bytes.data()));
  for (auto& literal : literals) bases.push_back(reinterpret_cast<char*>(literal));
  Frame frame{bases.data()};
  for (const Step& step : layout.steps)
    if (step.run(step, frame)) return;
  for (size_t k = 0; k < i.results.size(); k++)
    know(i.results[k], read_contents(layout.outputs[k], bases[size_t(layout.outputs[k].storage)]));
}

namespace {

void sizes(Planner& p, const Instruction& i) {
  const View a = p.in(i, 0);
  Planner::Contents contents(a.dims, a.dims + a.rank);
  if (i.how->arg) contents.assign(1, a.elements());
  p.out(i, 0, p.literal_vector(p.result_type(i), i.how->arg ? 0 : 1, contents));
  p.know(i.results[0], std::move(contents));
}

// The contents of a value are wanted later, where planning cannot wait for them.
void ask(Planner& p, const Instruction& i) { p.told(i.inputs[0]); }

void not_negative(Planner& p, const Instruction& i) {
  for (int64_t number : p.told(i.inputs[0])) require(number >= 0, "a number is negative");
}

// The sizes of two shapes at an axis of what they broadcast to, which has as many axes as the longer one.
std::array<int64_t, 2> sizes_at(const Planner::Contents (&shapes)[2], size_t axis) {
  const size_t rank = std::max(shapes[0].size(), shapes[1].size());
  std::array<int64_t, 2> size;
  for (size_t s = 0; s < 2; s++) {
    const size_t missing = rank - shapes[s].size();
    size[s] = axis < missing ? 1 : shapes[s][axis - missing];
  }
  require(size[0] == size[1] || size[0] == 1 || size[1] == 1, "sizes do not broadcast");
  return size;
}

// TensorFlow's op of the name: the shape that two shapes broadcast to.
void broadcast_args(Planner& p, const Instruction& i) {
  const Planner::Contents shapes[2] = {p.told(i.inputs[0]), p.told(i.inputs[1])};
  require(p.in(i, 0).rank == 1 && p.in(i, 1).rank == 1, "a shape is a vector");
  Planner::Contents joined;
  for (size_t k = 0; k < std::max(shapes[0].size(), shapes[1].size()); k++) {
    const auto size = sizes_at(shapes, k);
    joined.push_back(size[0] == 1 ? size[1] : size[0]);
  }
  p.out(i, 0, p.literal_vector(p.in(i, 0).dtype, 1, joined));
  p.know(i.results[0], std::move(joined));
}

// TensorFlow's op of the name: along which axes two shapes were broadcast against each other.
void broadcast_gradient_args(Planner& p, const Instruction& i) {
  const Planner::Contents shapes[2] = {p.told(i.inputs[0]), p.told(i.inputs[1])};
  require(p.in(i, 0).rank == 1 && p.in(i, 1).rank == 1, "a shape is a vector");
  const size_t rank = std::max(shapes[0].size(), shapes[1].size());
  Planner::Contents axes[2];
  for (size_t k = 0; k < rank; k++) {
    const auto size = sizes_at(shapes, k);
    for (size_t s = 0; s < 2; s++)
      if (size[s] == 1) axes[s].push_back(int64_t(k));
  }
  for (int s = 0; s < 2; s++) {
    // Where both are the same, nothing was broadcast.
    if (shapes[0] == shapes[1]) axes[s].clear();
    p.out(i, size_t(s), p.literal_vector(p.in(i, 0).dtype, 1, axes[s]));
    p.know(i.results[size_t(s)], axes[s]);
  }
}

int64_t assert_kernel(const Step& step, Frame& frame) { return *step.as<const uint8_t>(0, frame) ? 0 : 1; }

void assert_true(Planner& p, const Instruction& i) {
  require(p.in(i, 0).dtype == BOOL && p.in(i, 0).elements() == 1, "a condition is one bool");
  p.operand(p.emit(assert_kernel, 0), 0, p.in(i, 0));
}

}  // namespace

const std::vector<Lowering>& contents_lowerings() {
  static const std::vector<Lowering> rows = {
      {"shape_of", sizes, 0}, {"size_of", sizes, 1}, {"ask", ask}, {"not_negative", not_negative},
      {"broadcast_args", broadcast_args}, {"broadcast_gradient_args", broadcast_gradient_args}, {"assert_true", assert_true},
  };
  return rows;
}

}  // namespace headrace
