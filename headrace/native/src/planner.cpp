// Layouts: the views of all values, the steps, and where in the arena what lives when.
#include "planner.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace headrace {

// ------------------------------------------------------------------------------------------------- what is given

const View& Planner::in(const Instruction& i, size_t k) const {
  require(k < i.inputs.size(), "an input is missing");
  return layout_.views[i.inputs[k]];
}

void Planner::out(const Instruction& i, size_t k, const View& view) {
  View& to = layout_.views[i.results[k]];
  to = view;
  to.dtype = program_.values[i.results[k]].dtype;
}

constexpr int64_t kDimCodesFrom = -(int64_t(1) << 40);
constexpr int64_t kContentsFrom = -(int64_t(1) << 50);
constexpr int64_t kAxes = 64;

bool is_contents_code(int64_t code) { return code <= kContentsFrom / 2; }

int64_t Planner::size(int64_t code) const {
  if (code > kDimCodesFrom / 2) return code;
  require(!is_contents_code(code), "the contents of a value stand where one size is asked for");
  const int64_t number = kDimCodesFrom - code;
  const View& view = layout_.views[size_t(number / kAxes)];
  return view.dims[axis(number % kAxes - kAxes / 2, view.rank)];
}

int Planner::axis(int64_t axis, int rank) {
  if (axis < 0) axis += rank;
  require(axis >= 0 && axis < rank, "an axis is out of range");
  return int(axis);
}

// --------------------------------------------------------------------------------------------------------- views

View Planner::with_dims(const View& a, int rank, const int64_t* dims) {
  require(rank >= a.rank && rank <= kMaxRank, "ranks do not broadcast");
  View v = a;
  v.rank = rank;
  const int shift = rank - a.rank;
  for (int i = 0; i < rank; i++) {
    v.dims[i] = dims[i];
    v.strides[i] = 0;
    if (i < shift) continue;
    const int64_t size = a.dims[i - shift];
    require(size == dims[i] || size == 1, "sizes do not broadcast");
    if (size == dims[i]) v.strides[i] = size == 1 ? 0 : a.strides[i - shift];
  }
  return v;
}

View Planner::broadcast(const View& a, const View& to) { return with_dims(a, to.rank, to.dims); }

View Planner::joined(std::initializer_list<const View*> views) {
  View v;
  for (const View* a : views) v.rank = std::max(v.rank, a->rank);
  for (int i = 0; i < v.rank; i++) v.dims[i] = 1;
  for (const View* a : views) {
    for (int i = 0; i < a->rank; i++) {
      int64_t& size = v.dims[i + v.rank - a->rank];
      if (size == 1) size = a->dims[i];
      else require(a->dims[i] == size || a->dims[i] == 1, "sizes do not broadcast");
    }
  }
  return v;
}

View Planner::dropped(const View& a, int axis) {
  View v = a;
  for (int i = axis; i + 1 < a.rank; i++) v.dims[i] = a.dims[i + 1], v.strides[i] = a.strides[i + 1];
  v.rank--;
  return v;
}

View Planner::reshaped(const View& a, int rank, const int64_t* dims) {
  require(rank <= kMaxRank, "too many axes");
  View v = a;
  v.rank = rank;
  int64_t elements = 1;
  for (int i = 0; i < rank; i++) elements *= v.dims[i] = dims[i];
  require(elements == a.elements(), "a reshape changes the number of elements");
  if (a.is_contiguous()) {
    v.set_contiguous();
    return v;
  }
  // Groups of old axes and of new ones that hold as many elements: within a group the old axes have to follow each other.
  int old_at = 0, new_at = 0;
  while (old_at < a.rank && new_at < rank) {
    int old_end = old_at + 1, new_end = new_at + 1;
    int64_t old_size = a.dims[old_at], new_size = dims[new_at];
    while (old_size != new_size) {
      if (old_size < new_size && old_end < a.rank) old_size *= a.dims[old_end++];
      else if (new_size < old_size && new_end < rank) new_size *= dims[new_end++];
      else break;
    }
    bool follows = old_size == new_size;
    int64_t last = 0;
    bool any = false;
    for (int i = old_end - 1, inner = -1; i >= old_at; i--) {
      if (a.dims[i] == 1) continue;
      if (inner >= 0 && a.strides[i] != a.strides[inner] * a.dims[inner]) follows = false;
      if (inner < 0) last = a.strides[i], any = true;
      inner = i;
    }
    if (!follows) {
      View d = dense(a);
      d.rank = rank;
      std::copy(dims, dims + rank, d.dims);
      d.set_contiguous();
      return d;
    }
    int64_t stride = any ? last : 0;
    for (int i = new_end - 1; i >= new_at; i--) v.strides[i] = stride, stride *= dims[i];
    old_at = old_end, new_at = new_end;
  }
  for (; new_at < rank; new_at++) v.strides[new_at] = 0;  // of size 1
  return v;
}

// -------------------------------------------------------------------------------------------------------- memory

View Planner::make(DType dtype, int rank, const int64_t* dims) {
  require(rank <= kMaxRank, "too many axes");
  View v;
  v.dtype = dtype;
  v.rank = rank;
  std::copy(dims, dims + rank, v.dims);
  v.set_contiguous();
  int64_t elements = v.elements();
  require(elements >= 0 && elements < (int64_t(1) << 40), "a value is too large");
  v.storage = int32_t(storages_.size());
  storages_.push_back({0, elements * kSizes[dtype]});
  return v;
}

View Planner::scratch(int64_t bytes) {
  const int64_t dims[1] = {bytes};
  return make(U8, 1, dims);
}

View Planner::literal(DType dtype, bool one, int rank, const int64_t* dims) const {
  View v;
  v.dtype = dtype;
  // The literals are the last two storages of those that the program has from the beginning; each type has 8 bytes.
  v.storage = program_.zero() + (one ? 1 : 0);
  v.offset = 8 * dtype;
  return with_dims(v, rank, dims);
}

View Planner::dense(const View& a) {
  if (a.is_contiguous()) {
    View v = a;
    v.set_contiguous();
    return v;
  }
  View d = make_like(a);
  copy(d, a);
  return d;
}

View Planner::dense_again(const View& a) {
  if (a.is_contiguous()) return dense(a);
  for (const Copied& c : copied_) {
    if (c.from.storage != a.storage || c.from.offset != a.offset || !c.from.same_dims(a)) continue;
    if (std::equal(a.strides, a.strides + a.rank, c.from.strides)) return c.to;
  }
  copied_.push_back({a, dense(a)});
  return copied_.back().to;
}

void Planner::written(const View& a) {
  if (!is_own(a) && std::find(written_.begin(), written_.end(), a.storage) == written_.end()) written_.push_back(a.storage);
  // A copy from before a loop serves all its iterations, so what it was made of stays as it is.
  size_t kept = 0;
  for (const Block& block : blocks_)
    if (!block.branches) kept = block.copies, saves_ = true;
  for (size_t i = copied_.size(); i-- > 0;) {
    if (copied_[i].from.storage != a.storage) continue;
    require(i >= kept, "a loop writes what was copied before it");
    copied_.erase(copied_.begin() + long(i));
    for (Block& block : blocks_)
      if (i < block.copies) block.copies--;
  }
}

// What a branch has copied the other one has not.
void Planner::forget_copies() { copied_.resize(std::min(innermost().copies, copied_.size())); }

// ------------------------------------------------------------------------------------------------- lists of rows

constexpr int32_t kListStorage = -2;

int32_t Planner::add_list(const List& list) {
  lists_.push_back(list);
  layout_.lists = int32_t(lists_.size());
  return layout_.lists - 1;
}

int32_t Planner::list_number(const View& view) const {
  require(view.storage == kListStorage, "what is no list is used as one");
  return int32_t(view.offset);
}

View Planner::list_view(int32_t number) const {
  View v;
  v.storage = kListStorage;
  v.dtype = lists_[size_t(number)].dtype;
  v.offset = number;
  return v;
}

int32_t Planner::gradient_list(int32_t forward, int64_t source) const {
  for (size_t k = 0; k < lists_.size(); k++)
    if (lists_[k].forward == forward && lists_[k].source == source) return int32_t(k);
  return -1;
}

// --------------------------------------------------------------------------------------------- loops and branches

void Planner::open(Block block) {
  block.begin = steps();
  block.copies = copied_.size();
  saves_ = saves_ || (!block.branches && !written_.empty());
  blocks_.push_back(std::move(block));
}

Planner::Block& Planner::innermost() {
  require(!blocks_.empty(), "there is no loop or branch to end");
  return blocks_.back();
}

// Whether a view is all of a value that the steps from `step` on have made in the arena.
bool Planner::is_made_since(const View& a, int64_t step) const {
  if (!is_own(a) || a.offset || !a.is_contiguous()) return false;
  const Storage& s = storages_[size_t(a.storage)];
  return s.first >= step && s.bytes == a.elements() * kSizes[a.dtype];
}

Planner::Block Planner::close() {
  Block block = std::move(blocks_.back());
  blocks_.pop_back();
  // A copy made in there may not have been made.
  copied_.resize(std::min(block.copies, copied_.size()));
  if (block.branches) return block;
  // What was there before and is read in there is read again in the next iteration.
  const int32_t last = int32_t(layout_.steps.size()) - 1;
  for (Storage& s : storages_)
    if (s.first >= 0 && s.first < block.begin && s.last >= block.begin) s.last = last;
  layout_.cost += 3e4;  // nobody knows how often
  return block;
}

// --------------------------------------------------------------------------------------------------------- steps

void Planner::touch(int32_t storage) {
  require(storage >= 0, "a list is used as a value");
  Storage& s = storages_[storage];
  const int32_t at = int32_t(layout_.steps.size()) - 1;
  if (s.first < 0) s.first = at;
  s.last = std::max(s.last, at);
}

Step& Planner::emit(Kernel kernel, double cost) {
  require(kernel != nullptr, "there is no kernel for this type");
  layout_.steps.emplace_back();
  Step& step = layout_.steps.back();
  step.run = kernel;
  step.instruction = current_;
  layout_.cost += cost + 5;
  return step;
}

void Planner::operand(Step& step, int i, const View& view) {
  step.operand[i].base = view.storage;
  step.operand[i].offset = view.offset;
  step.count = std::max(step.count, i + 1);
  touch(view.storage);
}

const int64_t* Planner::keep(std::vector<int64_t> extra) {
  layout_.extras.push_back(std::move(extra));
  return layout_.extras.back().data();
}

void Planner::more(Step& step, const std::vector<View>& views) {
  std::vector<Operand> operands(views.size());
  for (size_t i = 0; i < views.size(); i++) {
    operands[i].base = views[i].storage;
    operands[i].offset = views[i].offset;
    touch(views[i].storage);
  }
  layout_.operands.push_back(std::move(operands));
  step.more = layout_.operands.back().data();
}

// -------------------------------------------------------------------------------------------------------- layouts

void Planner::run(const std::vector<Given>& given) {
  const int32_t bases = program_.bases();
  for (int32_t b = 0; b < bases; b++) storages_.push_back({b, 0});
  layout_.views.resize(program_.values.size());
  size_t next = 0;
  auto begin = [&](int32_t value, int32_t base, const Given* g) {
    const Value& declared = program_.values[value];
    View& view = layout_.views[value];
    view.storage = base;
    view.dtype = declared.dtype;
    view.rank = int32_t(declared.dims.size());
    for (int i = 0; i < view.rank; i++) view.dims[i] = g ? g->dims[i] : declared.dims[i];
    view.set_contiguous();
    if (g && !g->dense) std::copy(g->strides, g->strides + view.rank, view.strides);
  };
  for (size_t i = 0; i < program_.inputs.size(); i++)
    begin(program_.inputs[i], program_.first_input() + int32_t(i), &given[next++]);
  for (size_t i = 0; i < program_.buffers.size(); i++)
    begin(program_.buffers[i], program_.first_buffer() + int32_t(i), &given[next++]);
  for (size_t i = 0; i < program_.constants.size(); i++)
    begin(program_.constants[i], program_.first_constant() + int32_t(i), nullptr);

  known_.resize(program_.values.size());
  for (size_t i = 0; i < program_.constant_data.size(); i++) {
    const View& view = layout_.views[size_t(program_.constants[i])];
    if (holds_contents(view)) know(program_.constants[i], read_contents(view, program_.constant_data[i]));
  }
  try {
    for (const Instruction& instruction : program_.instructions) plan(instruction);
  } catch (const Asks& asks) {
    layout_.waits = true;
    layout_.asked = asks.view;
    asked_at_ = steps();
  }
  finish();
}

void Planner::plan(const Instruction& instruction) {
  current_ = instruction.number;
  if (std::none_of(instruction.ints.begin(), instruction.ints.end(), is_contents_code)) {
    instruction.how->plan(*this, instruction);
    derive(instruction);
    return;
  }
  Instruction whole = instruction;
  whole.ints.clear();
  for (int64_t code : instruction.ints) {
    if (!is_contents_code(code)) {
      whole.ints.push_back(code);
      continue;
    }
    for (int64_t number : told(int32_t(kContentsFrom - code))) {
      require(std::abs(number) < -kDimCodesFrom / 4, "a size is too large");
      whole.ints.push_back(number);
    }
  }
  whole.how->plan(*this, whole);
  derive(whole);
}

void Planner::finish() {
  const int32_t bases = program_.bases();
  if (layout_.waits) {
    if (layout_.asked.storage >= bases) storages_[size_t(layout_.asked.storage)].last = INT32_MAX;
  } else {
    require(blocks_.empty(), "a loop or branch has no end");
    current_ = int32_t(program_.instructions.size());
  }
  for (const OutputSpec& output : program_.outputs) {
    if (layout_.waits) break;
    View view = layout_.views[output.value];
    require(view.storage >= 0, "a list leaves the program");
    // A tensor over the arena has to be dense there.
    const bool in_arena = storages_[view.storage].base == 0 && view.storage >= bases;
    if (output.kind == kTensor && (!in_arena || !view.is_contiguous())) {
      View d = make_like(view);
      copy(d, view);
      view = d;
    }
    if (view.storage >= bases) {
      Storage& s = storages_[view.storage];
      if (s.first < 0) s.first = int32_t(steps());
      s.last = INT32_MAX;
    }
    layout_.outputs.push_back(view);
  }
  if (saves_) save_written();
  place_storages();
  for (auto& saved : layout_.saved) saved.offset = storages_[size_t(saved.offset)].offset;
  for (Step& step : layout_.steps)
    for (int i = 0; i < step.count; i++) resolve(step.operand[i]);
  for (auto& operands : layout_.operands)
    for (Operand& operand : operands) resolve(operand);
  for (View& view : layout_.outputs) view = final_view(view);
  for (View& view : layout_.views)
    if (view.storage >= 0) view = final_view(view);
  if (layout_.waits) layout_.asked = final_view(layout_.asked);
}

// Large variables are not saved in every run.
constexpr int64_t kMostSaved = int64_t(1) << 22;

void Planner::save_written() {
  int64_t total = 0;
  for (int32_t base : written_) {
    const View& buffer = layout_.views[size_t(program_.buffers[size_t(base - program_.first_buffer())])];
    const int64_t bytes = buffer.elements() * kSizes[buffer.dtype];
    require((total += bytes) <= kMostSaved, "a variable that is written in a loop is large");
    layout_.cost += 5 + double(bytes) / 16;
    // The storage's number, until it has a place. What the run has computed so far stays where it is.
    const View kept = scratch(bytes);
    storages_[size_t(kept.storage)].first = int32_t(asked_at_);
    storages_[size_t(kept.storage)].last = INT32_MAX;
    layout_.saved.push_back({base, kept.storage, bytes});
  }
}

void Planner::resolve(Operand& operand) const {
  const Storage& s = storages_[operand.base];
  operand.offset += s.offset;
  operand.base = s.base;
}

View Planner::final_view(const View& view) const {
  View v = view;
  v.offset += storages_[view.storage].offset;
  v.storage = storages_[view.storage].base;
  return v;
}

// A step of many instructions may be more work: torch takes as long to be called as these do on average.
constexpr double kSteps = 1000;

void plan_layout(const Program& program, const std::vector<Given>& given, double limit, Layout& layout) {
  try {
    Planner(program, layout).run(given);
    require(layout.cost <= limit * std::max(1.0, double(layout.steps.size()) / kSteps), "there is too much work");
    layout.possible = true;
  } catch (const Unplannable& failure) {
    layout.why_not = failure.why;
    layout.steps.clear();
  }
}

}  // namespace headrace
