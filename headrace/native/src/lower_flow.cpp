// Loops and branches: steps that jump. A loop's variables have memory of their own, into which each iteration copies its results.
#include "interrupts.h"
#include "lowerings.h"

namespace headrace {
namespace {

// ---------------------------------------------------------------------------------------------------------- jumps

int64_t jump_kernel(const Step& step, Frame& frame) {
  frame.next = frame.steps + step.k;
  return 0;
}

// From the end of a loop to its beginning. Who waits for it may want to stop it.
int64_t turn_kernel(const Step& step, Frame& frame) {
  frame.next = frame.steps + step.k;
  return ++frame.turns % 64 ? 0 : interrupted(frame) ? kInterrupted : 0;
}

int64_t jump_unless_kernel(const Step& step, Frame& frame) {
  if (!*step.as<const uint8_t>(0, frame)) frame.next = frame.steps + step.k;
  return 0;
}

void jump_unless(Planner& p, const View& predicate) {
  require(predicate.dtype == BOOL && predicate.elements() == 1, "a predicate is one bool");
  Step& step = p.emit(jump_unless_kernel, 0);
  p.operand(step, 0, predicate);
}

bool same_place(const View& a, const View& b) {
  if (a.storage != b.storage || a.offset != b.offset || !a.same_dims(b)) return false;
  for (int k = 0; k < a.rank; k++)
    if (a.dims[k] != 1 && a.strides[k] != b.strides[k]) return false;
  return true;
}

// ---------------------------------------------------------------------------------------------------------- loops

void loop_begin(Planner& p, const Instruction& i) {
  Planner::Block block;
  for (size_t k = 0; k < i.inputs.size(); k++) {
    const View given = p.in(i, k), variable = p.make_like(given);
    p.copy(variable, given);
    block.variables.push_back(variable);
    p.out(i, k, variable);
  }
  p.open(std::move(block));
}

void loop_test(Planner& p, const Instruction& i) {
  Planner::Block& block = p.innermost();
  require(block.test < 0 && !block.branches, "a loop has one test");
  block.test = p.steps();
  jump_unless(p, p.in(i, 0));
}

void loop_end(Planner& p, const Instruction& i) {
  Planner::Block& block = p.innermost();
  require(block.test >= 0 && !block.branches && i.inputs.size() == block.variables.size(), "a loop ends as it began");
  const std::vector<View> variables = block.variables;
  std::vector<View> made;
  for (size_t k = 0; k < variables.size(); k++) {
    View value = p.in(i, k);
    require(value.same_dims(variables[k]), "a loop's variable changes its sizes");
    // What lies in the memory of a variable, but is not that variable as it is, has to be saved from the copies below.
    bool shared = false;
    for (const View& variable : variables) shared = shared || value.storage == variable.storage;
    if (shared && !same_place(value, variables[k])) {
      const View own = p.make_like(value);
      p.copy(own, value);
      value = own;
    }
    made.push_back(value);
  }
  for (size_t k = 0; k < variables.size(); k++)
    if (!same_place(made[k], variables[k])) p.copy(variables[k], made[k]);
  p.emit(turn_kernel, 0).k = p.innermost().begin;
  const Planner::Block done = p.close();
  p.aim(done.test, p.steps());
  for (size_t k = 0; k < variables.size(); k++) p.out(i, k, variables[k]);
}

// ------------------------------------------------------------------------------------------------------- branches

void branch_begin(Planner& p, const Instruction& i) {
  Planner::Block block;
  block.branches = true;
  block.test = p.steps();
  jump_unless(p, p.in(i, 0));
  p.open(std::move(block));
}

// The values of the first branch: those that it has made lie where those of the second will be too, others are copied there.
void branch_else(Planner& p, const Instruction& i) {
  require(p.innermost().branches && p.innermost().other < 0, "a branch has one else");
  std::vector<View> variables;
  for (size_t k = 0; k < i.inputs.size(); k++) {
    const View value = p.in(i, k);
    bool serves = p.is_made_since(value, p.innermost().begin);
    for (const View& variable : variables) serves = serves && variable.storage != value.storage;
    variables.push_back(serves ? value : p.make_like(value));
    if (!serves) p.copy(variables.back(), value);
  }
  p.forget_copies();
  p.innermost().variables = variables;
  p.innermost().other = p.steps();
  p.emit(jump_kernel, 0);
  p.aim(p.innermost().test, p.steps());
}

void branch_end(Planner& p, const Instruction& i) {
  require(p.innermost().branches && p.innermost().other >= 0, "a branch ends after its else");
  const std::vector<View> variables = p.innermost().variables;
  require(i.inputs.size() == variables.size(), "branches give as many values");
  for (size_t k = 0; k < variables.size(); k++) {
    require(p.in(i, k).same_dims(variables[k]), "branches give values of the same sizes");
    p.copy(variables[k], p.in(i, k));
    p.out(i, k, variables[k]);
  }
  const Planner::Block done = p.close();
  p.aim(done.other, p.steps());
}

}  // namespace

const std::vector<Lowering>& flow_lowerings() {
  static const std::vector<Lowering> rows = {
      {"loop_begin", loop_begin}, {"loop_test", loop_test}, {"loop_end", loop_end}, {"branch_begin", branch_begin},
      {"branch_else", branch_else}, {"branch_end", branch_end},
  };
  return rows;
}

}  // namespace headrace
