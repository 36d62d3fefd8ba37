// Instructions on lists of rows. All rows of a list have the sizes of the first that the program writes to it.
#include <algorithm>
#include <cstring>
#include <new>

#include "lists.h"
#include "lowerings.h"

namespace headrace {
namespace {

enum ListFlags : int64_t { kGrows = 1, kClears = 2, kAdds = 4, kRewrites = 8 };
// More rows are a mistake, or a matter for the plain way.
constexpr int64_t kMostRows = int64_t(1) << 24;

// What a kernel is told besides its operands: Step::extra. step.k is the list's number, step.cols the bytes of a row.
enum Told : int { kFlags, kForward, kShapeKnown, kTold };

int64_t flags(const Step& step) { return step.extra[kFlags]; }
RowList& list_of(const Step& step, const Frame& frame) { return frame.lists[step.k]; }

int64_t index_at(const char* at, int32_t type, int64_t i) {
  return type == I32 ? reinterpret_cast<const int32_t*>(at)[i] : reinterpret_cast<const int64_t*>(at)[i];
}

// ------------------------------------------------------------------------------------------------------- kernels

// A kernel that may find no memory: the plain way then says so.
template <Kernel kernel>
int64_t growing(const Step& step, Frame& frame) {
  try {
    return kernel(step, frame);
  } catch (const std::bad_alloc&) {
    return 1;
  }
}

// Operand 0: how many rows.
int64_t begin_kernel(const Step& step, Frame& frame) {
  const int64_t rows = index_at(step.at(0, frame), step.flags, 0);
  if (rows < 0 || rows > kMostRows) return 1;
  list_of(step, frame).begin(rows);
  return 0;
}

// The list of gradients has as many rows as the list that they belong to; it begins once.
int64_t begin_gradient_kernel(const Step& step, Frame& frame) {
  RowList& list = list_of(step, frame);
  RowList& forward = frame.lists[step.extra[kForward]];
  if (forward.rewritten) return 1;
  if (!list.begun) list.begin(forward.rows());
  forward.fixed = true;
  return 0;
}

int64_t write(const Step& step, Frame& frame, int64_t index, const char* from) {
  RowList& list = list_of(step, frame);
  if (index < 0) return 1;
  if (index >= list.rows()) {
    if (!(flags(step) & kGrows) || list.fixed || index >= kMostRows) return 1;
    list.state.resize(size_t(index) + 1, kNothing);
  }
  char* to = list.row(index, step.cols);
  uint8_t& state = list.state[size_t(index)];
  if (state == kNothing) {
    if (step.cols) std::memcpy(to, from, size_t(step.cols));
    state = kWritten;
    return 0;
  }
  if (state == kWritten && (flags(step) & kRewrites)) {
    if (step.cols) std::memcpy(to, from, size_t(step.cols));
    list.rewritten = true;
    return 0;
  }
  if (state == kCleared || !step.row) return 1;
  const int32_t inner[3] = {1, 1, 1};
  char* const operands[3] = {to, to, const_cast<char*>(from)};
  return step.row(operands, inner, step.rows, step);
}

int64_t read(const Step& step, Frame& frame, int64_t index, char* to) {
  RowList& list = list_of(step, frame);
  if (index < 0 || index >= list.rows()) return 1;
  uint8_t& state = list.state[size_t(index)];
  if (state == kWritten) {
    if (step.cols) std::memcpy(to, list.row(index, step.cols), size_t(step.cols));
    if (flags(step) & kClears) state = kCleared;
    return 0;
  }
  if (state == kCleared) return 1;
  // Nothing was written there: zeros, where it is known of what shape.
  const int64_t forward = step.extra[kForward];
  bool known = step.extra[kShapeKnown];
  if (!known && forward >= 0) {
    const RowList& other = frame.lists[forward];
    known = index < other.rows() && other.state[size_t(index)] != kNothing;
  }
  if (!known) return 1;
  if (step.cols) std::memset(to, 0, size_t(step.cols));
  return 0;
}

// Operand 0: the index, operand 1: the row.
int64_t write_kernel(const Step& step, Frame& frame) {
  return write(step, frame, index_at(step.at(0, frame), step.flags, 0), step.at(1, frame));
}

// Operand 0: the row, operand 1: the index.
int64_t read_kernel(const Step& step, Frame& frame) {
  return read(step, frame, index_at(step.at(1, frame), step.flags, 0), step.at(0, frame));
}

// The same for so many rows as step.number[0] says.
int64_t scatter_kernel(const Step& step, Frame& frame) {
  const int64_t count = int64_t(step.number[0]);
  for (int64_t i = 0; i < count; i++)
    if (int64_t code = write(step, frame, index_at(step.at(0, frame), step.flags, i), step.at(1, frame) + i * step.cols))
      return code;
  return 0;
}

int64_t gather_kernel(const Step& step, Frame& frame) {
  const int64_t count = int64_t(step.number[0]);
  for (int64_t i = 0; i < count; i++)
    if (int64_t code = read(step, frame, index_at(step.at(1, frame), step.flags, i), step.at(0, frame) + i * step.cols))
      return code;
  return 0;
}

int64_t push_kernel(const Step& step, Frame& frame) {
  RowList& list = list_of(step, frame);
  if (list.rows() >= kMostRows) return 1;
  list.state.push_back(kWritten);
  char* to = list.row(list.rows() - 1, step.cols);
  if (step.cols) std::memcpy(to, step.at(0, frame), size_t(step.cols));
  return 0;
}

int64_t pop_kernel(const Step& step, Frame& frame) {
  RowList& list = list_of(step, frame);
  if (!list.rows()) return 1;
  if (step.cols) std::memcpy(step.at(0, frame), list.row(list.rows() - 1, step.cols), size_t(step.cols));
  list.state.pop_back();
  return 0;
}

int64_t size_kernel(const Step& step, Frame& frame) {
  *step.as<int32_t>(0, frame) = int32_t(list_of(step, frame).rows());
  return 0;
}

// ------------------------------------------------------------------------------------------------------ planning

Step& emit(Planner& p, Kernel kernel, int32_t number, double bytes = 0) {
  const Planner::List& list = p.list(number);
  Step& step = p.emit(kernel, 10 + bytes * 0.05);
  step.k = number;
  std::vector<int64_t> told(kTold);
  told[kFlags] = list.flags;
  told[kForward] = list.forward;
  told[kShapeKnown] = list.shape_known;
  step.extra = p.keep(std::move(told));
  if (list.rank >= 0) {
    step.rows = list.row_elements();
    step.cols = step.rows * kSizes[list.dtype];
  }
  return step;
}

void index_operand(Planner& p, Step& step, int operand, const View& index) {
  require(index.dtype == I32 || index.dtype == I64, "an index is an integer");
  p.operand(step, operand, index);
  step.flags = index.dtype;
}

// ints: the type of rows, flags, then 1 and the sizes of a row, -1 where unknown, if its rank is known.
void list_begin(Planner& p, const Instruction& i) {
  Planner::List list;
  list.dtype = p.result_type(i);
  list.flags = i.ints[1];
  if (i.ints.size() > 2) {
    list.declared_rank = int(i.ints.size()) - 3;
    require(list.declared_rank <= kMaxRank, "too many axes");
    list.shape_known = true;
    for (int k = 0; k < list.declared_rank; k++) {
      list.dims[k] = i.ints[size_t(k) + 3];
      list.shape_known = list.shape_known && list.dims[k] >= 0;
    }
    if (list.shape_known) list.rank = list.declared_rank;
  }
  const View size = p.in(i, 0);
  require(size.elements() == 1, "a list has one size");
  const int32_t number = p.add_list(list);
  Step& step = emit(p, growing<begin_kernel>, number);
  index_operand(p, step, 0, size);
  p.out(i, 0, p.list_view(number));
}

void list_gradient(Planner& p, const Instruction& i) {
  const int32_t forward = p.list_number(p.in(i, 0));
  int32_t number = p.gradient_list(forward, i.ints[0]);
  if (number < 0) {
    Planner::List list = p.list(forward);
    require(list.forward < 0, "gradients have no gradients");
    list.forward = forward;
    list.source = i.ints[0];
    list.flags = kAdds;
    number = p.add_list(list);
  }
  emit(p, growing<begin_gradient_kernel>, number);
  p.out(i, 0, p.list_view(number));
}

// The sizes of rows become known, or have to be those that are.
void learn_row(Planner::List& list, int rank, const int64_t* dims) {
  require(list.declared_rank < 0 || rank == list.declared_rank, "a row has another rank than was said");
  if (list.rank < 0) {
    for (int k = 0; k < rank; k++)
      require(list.declared_rank < 0 || list.dims[k] < 0 || list.dims[k] == dims[k], "a row has other sizes than were said");
    list.rank = rank;
    std::copy(dims, dims + rank, list.dims);
  }
  require(rank == list.rank && std::equal(dims, dims + rank, list.dims), "rows have different sizes");
}

void write_row(Planner& p, const Instruction& i) {
  const int32_t number = p.list_number(p.in(i, 0));
  const View index = p.in(i, 1), row = p.dense(p.in(i, 2));
  require(index.elements() == 1, "a row is named by a number");
  learn_row(p.list(number), row.rank, row.dims);
  Step& step = emit(p, growing<write_kernel>, number, double(row.elements() * kSizes[row.dtype]));
  index_operand(p, step, 0, index);
  p.operand(step, 1, row);
  if (p.list(number).flags & kAdds) step.row = kernels().accumulate[row.dtype];
}

void scatter_rows(Planner& p, const Instruction& i) {
  const int32_t number = p.list_number(p.in(i, 0));
  const View rows = p.dense(p.in(i, 2)), indices = p.dense(p.in(i, 1));
  require(indices.rank == 1 && rows.rank > 0 && rows.dims[0] == indices.dims[0], "there is an index for each row");
  learn_row(p.list(number), rows.rank - 1, rows.dims + 1);
  Step& step = emit(p, growing<scatter_kernel>, number, double(rows.elements() * kSizes[rows.dtype]));
  index_operand(p, step, 0, indices);
  p.operand(step, 1, rows);
  step.number[0] = double(indices.elements());
  if (p.list(number).flags & kAdds) step.row = kernels().accumulate[rows.dtype];
}

// The sizes that a row has; for gradients, that the list has to which they belong.
const Planner::List& known_rows(Planner& p, int32_t number) {
  Planner::List& list = p.list(number);
  if (list.rank < 0 && list.forward >= 0) {
    const Planner::List forward = p.list(list.forward);
    if (forward.rank >= 0) learn_row(list, forward.rank, forward.dims);
  }
  require(list.rank >= 0, "nothing is written to the list that is read");
  return list;
}

void read_row(Planner& p, const Instruction& i) {
  const int32_t number = p.list_number(p.in(i, 0));
  const View index = p.in(i, 1);
  require(index.elements() == 1, "a row is named by a number");
  const Planner::List& list = known_rows(p, number);
  const View row = p.make(list.dtype, list.rank, list.dims);
  Step& step = emit(p, read_kernel, number, double(row.elements() * kSizes[row.dtype]));
  p.operand(step, 0, row);
  index_operand(p, step, 1, index);
  p.out(i, 0, row);
}

void gather_rows(Planner& p, const Instruction& i) {
  const int32_t number = p.list_number(p.in(i, 0));
  const View indices = p.dense(p.in(i, 1));
  require(indices.rank == 1, "rows are named by a vector");
  const Planner::List& list = known_rows(p, number);
  require(list.rank < kMaxRank, "too many axes");
  require(indices.dims[0] || list.shape_known || (i.ints.size() && i.ints[0]), "nobody says of what sizes no rows are");
  int64_t dims[kMaxRank] = {indices.dims[0]};
  std::copy(list.dims, list.dims + list.rank, dims + 1);
  const View rows = p.make(list.dtype, list.rank + 1, dims);
  Step& step = emit(p, gather_kernel, number, double(rows.elements() * kSizes[rows.dtype]));
  p.operand(step, 0, rows);
  index_operand(p, step, 1, indices);
  step.number[0] = double(indices.elements());
  p.out(i, 0, rows);
}

void push(Planner& p, const Instruction& i) {
  const int32_t number = p.list_number(p.in(i, 0));
  const View row = p.dense(p.in(i, 1));
  Planner::List& list = p.list(number);
  learn_row(list, row.rank, row.dims);
  const Planner::Contents* contents = p.known(i.inputs[1]);
  if (list.rows == Planner::List::kNoRows && contents) list.contents = *contents, list.rows = Planner::List::kSame;
  else if (!contents || *contents != list.contents) list.rows = Planner::List::kDiffer;
  require(!list.relied_on || list.rows == Planner::List::kSame, "a size is pushed again, and another one");
  Step& step = emit(p, growing<push_kernel>, number, double(row.elements() * kSizes[row.dtype]));
  p.operand(step, 0, row);
}

void pop(Planner& p, const Instruction& i) {
  const int32_t number = p.list_number(p.in(i, 0));
  known_rows(p, number);
  Planner::List& list = p.list(number);
  const View row = p.make(list.dtype, list.rank, list.dims);
  if (list.rows == Planner::List::kSame) p.know(i.results[0], list.contents), list.relied_on = true;
  Step& step = emit(p, pop_kernel, number, double(row.elements() * kSizes[row.dtype]));
  p.operand(step, 0, row);
  p.out(i, 0, row);
}

void list_size(Planner& p, const Instruction& i) {
  const View size = p.make(I32, 0, nullptr);
  Step& step = emit(p, size_kernel, p.list_number(p.in(i, 0)));
  p.operand(step, 0, size);
  p.out(i, 0, size);
}

}  // namespace

const std::vector<Lowering>& list_lowerings() {
  static const std::vector<Lowering> rows = {
      {"list_begin", list_begin},   {"list_gradient", list_gradient}, {"list_write", write_row},
      {"list_scatter", scatter_rows}, {"list_read", read_row},        {"list_gather", gather_rows},
      {"list_push", push},          {"list_pop", pop},                {"list_size", list_size},
  };
  return rows;
}

}  // namespace headrace
