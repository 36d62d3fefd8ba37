// What planning an instruction may do: read sizes, make views and memory, emit steps.
#pragma once

#include <initializer_list>

#include "program.h"

namespace headrace {

// Thrown where an instruction cannot be planned: the region is then run in another way.
struct Unplannable {
  const char* why;
};

// Thrown where planning can go on only once a run tells what is in a value.
struct Asks {
  View view;
};

inline void require(bool fits, const char* why) {
  if (!fits) throw Unplannable{why};
}

// Whether a code among ints stands for all that is in a value, and whether a view may have known contents.
bool is_contents_code(int64_t code);
bool holds_contents(const View& view);

class Planner {
 public:
  Planner(const Program& program, Layout& layout) : program_(program), layout_(layout) {}

  void run(const std::vector<Given>& given);

  // The view of an input, and where the views of results go.
  const View& in(const Instruction& i, size_t k) const;
  bool has(const Instruction& i, size_t k) const { return k < i.inputs.size(); }
  void out(const Instruction& i, size_t k, const View& view);
  DType result_type(const Instruction& i, size_t k = 0) const { return program_.values[i.results[k]].dtype; }

  // A size among ints: a number, or the code of an axis of a value.
  int64_t size(int64_t code) const;
  // An axis, counted from the front; `more` widens the range by one for axes that are inserted.
  static int axis(int64_t axis, int rank);

  // Views.
  static View broadcast(const View& a, const View& to);
  static View with_dims(const View& a, int rank, const int64_t* dims);  // broadcast to these
  View reshaped(const View& a, int rank, const int64_t* dims);
  static View dropped(const View& a, int axis);
  // The dims that views broadcast to; dtype and memory are left open.
  static View joined(std::initializer_list<const View*> views);

  // Memory of the arena for a value of these dims, dense.
  View make(DType dtype, int rank, const int64_t* dims);
  View make_like(const View& a) { return make(a.dtype, a.rank, a.dims); }
  View make_like(const View& a, DType dtype) { return make(dtype, a.rank, a.dims); }
  View scratch(int64_t bytes);
  // Zeros or ones of a type, without memory of their own.
  View literal(DType dtype, bool one, int rank, const int64_t* dims) const;
  View dense(const View& a);
  // The same, but a copy that an earlier instruction made of the same memory serves again until that is written.
  View dense_again(const View& a);
  void written(const View& a);
  void forget_copies();
  // Whether it lies in the arena.
  bool is_own(const View& a) const { return a.storage >= program_.bases(); }

  // Contents of small vectors of integers: what follows from sizes is known, what does not is told by the run so far.
  using Contents = std::vector<int64_t>;
  const Contents* known(int32_t value) const { return known_[size_t(value)].get(); }
  const Contents& told(int32_t value);
  void know(int32_t value, Contents contents) { known_[size_t(value)] = std::make_unique<Contents>(std::move(contents)); }
  // A value of contents that are known, in the arena.
  View literal_vector(DType dtype, int rank, const Contents& contents);

  // Steps.
  Step& emit(Kernel kernel, double cost);
  void operand(Step& step, int i, const View& view);
  const int64_t* keep(std::vector<int64_t> extra);
  void more(Step& step, const std::vector<View>& views);
  void elementwise(RowKernel row, const View& d, std::initializer_list<const View*> inputs, double each,
                   std::initializer_list<double> numbers = {});
  void copy(const View& d, const View& a);

  // Lists of rows. What stands for one among the views has no memory; its offset is the list's number.
  struct List {
    DType dtype = F32;
    int64_t flags = 0;
    int declared_rank = -1;  // what the program says of rows
    bool shape_known = false;
    int rank = -1;  // of rows, as soon as one is written
    int64_t dims[kMaxRank] = {};
    int32_t forward = -1;  // of gradients: the list that they belong to
    int64_t source = 0;
    // What all rows hold that were pushed, where that is known of the first and the same of the others.
    std::vector<int64_t> contents;
    enum { kNoRows, kSame, kDiffer } rows = kNoRows;
    bool relied_on = false;
    int64_t row_elements() const {
      int64_t n = 1;
      for (int k = 0; k < rank; k++) n *= dims[k];
      return n;
    }
  };
  int32_t add_list(const List& list);
  List& list(int32_t number) {
    saves_ = saves_ || !written_.empty();
    return lists_[size_t(number)];
  }
  int32_t list_number(const View& view) const;
  View list_view(int32_t number) const;
  // The list of gradients that is there already, or -1.
  int32_t gradient_list(int32_t forward, int64_t source) const;

  // Loops and branches that are open: steps of theirs may run never or often.
  struct Block {
    std::vector<View> variables;
    int64_t begin = 0, test = -1, other = -1;  // steps
    bool branches = false;
    size_t copies = 0;  // that there were before
  };
  void open(Block block);
  Block& innermost();
  Block close();
  bool is_made_since(const View& a, int64_t step) const;
  int64_t steps() const { return int64_t(layout_.steps.size()); }
  void aim(int64_t jump, int64_t target) { layout_.steps[size_t(jump)].k = target; }

 private:
  void plan(const Instruction& instruction);
  void derive(const Instruction& instruction);
  void finish();
  void save_written();
  struct Storage {
    int32_t base;      // of the frame
    int64_t bytes;     // of the arena's storages
    int64_t offset = 0;
    int32_t first = -1, last = -1;  // steps
  };
  void touch(int32_t storage);
  void place_storages();
  void resolve(Operand& operand) const;
  View final_view(const View& view) const;

  const Program& program_;
  Layout& layout_;
  struct Copied {
    View from, to;
  };
  std::vector<Storage> storages_;
  std::vector<Copied> copied_;
  std::deque<List> lists_;
  std::vector<Block> blocks_;
  int32_t current_ = 0;
  std::vector<std::unique_ptr<Contents>> known_;
  size_t answered_ = 0;
  // The step before which the run was asked last: until then no memory is used again, as it was not when that was planned.
  int64_t asked_at_ = 0;
  std::vector<int32_t> written_;  // bases of the buffers that are
  // Something that may fail and cannot be done again by others comes after a write, or a write in a loop.
  bool saves_ = false;
};

}  // namespace headrace
