// Instructions that write into buffers.
#include "lowerings.h"

namespace headrace {
namespace {

// What is written has the buffer's sizes; where it lies in the buffer in another order, it is copied first.
View for_buffer(Planner& p, const View& buffer, const View& value) {
  View v = Planner::broadcast(value, buffer);
  if (v.storage != buffer.storage || v.is_contiguous()) {
    const bool apart = v.storage != buffer.storage || v.offset == buffer.offset;
    if (apart) return v;
  }
  View own = p.make_like(v);
  p.copy(own, v);
  return own;
}

void assign(Planner& p, const Instruction& i) {
  const View buffer = p.in(i, 0);
  require(p.in(i, 1).same_dims(buffer), "what is assigned has other sizes");
  p.copy(buffer, for_buffer(p, buffer, p.in(i, 1)));
  p.written(buffer);
  p.out(i, 0, buffer);
}

void assign_by(Planner& p, const Instruction& i) {
  const View buffer = p.in(i, 0);
  const View value = for_buffer(p, buffer, p.in(i, 1));
  p.elementwise(kernels().elementwise[i.how->arg][buffer.dtype], buffer, {&buffer, &value}, 0.06);
  p.written(buffer);
  p.out(i, 0, buffer);
}

// How the inputs of an update lie: states, then numbers with the gradient somewhere among them, then perhaps rows.
struct Form {
  UpdateOp op;
  int states;    // 1 to 3
  int gradient;  // which input
  bool sparse;
};
constexpr Form kForms[] = {
    {update_gradient_descent, 1, 2, false}, {update_momentum, 2, 3, false},   {update_keras_momentum, 2, 3, false},
    {update_adam, 3, 9, false},             {update_adagrad, 2, 3, false},    {update_adagrad_v2, 2, 4, false},
    {update_rmsprop, 3, 7, false},          {update_gradient_descent, 1, 2, true}, {update_momentum, 2, 3, true},
    {update_adagrad, 2, 3, true},
};

void update(Planner& p, const Instruction& i) {
  const Form& form = kForms[i.how->arg];
  View states[3];
  for (int k = 0; k < form.states; k++) {
    states[k] = p.in(i, size_t(k));
    require(states[k].is_contiguous() && states[k].same_dims(states[0]), "slots have the variable's sizes");
    p.out(i, size_t(k), states[k]);
  }
  // (Copies of what is written are of the time before.)
  for (int k = 0; k < form.states; k++) p.written(states[k]);
  const View &var = states[0], &given = p.in(i, size_t(form.gradient));
  const size_t inputs = i.inputs.size();
  View ids, grad;
  int64_t row = var.elements();
  if (form.sparse) {
    require(var.rank > 0, "rows are of a vector or more");
    ids = p.dense(p.in(i, inputs - 1));
    require(ids.rank == 1 && given.rank == var.rank && given.dims[0] == ids.dims[0], "a gradient has a row an index");
    for (int k = 1; k < var.rank; k++) require(given.dims[k] == var.dims[k], "a gradient has other sizes");
    row = var.dims[0] ? var.elements() / var.dims[0] : 0;
    require(row > 0 || !ids.elements(), "rows are empty");
    grad = p.dense(given);
  } else {
    require(given.same_dims(var), "a gradient has other sizes");
    grad = p.dense(given);
  }
  bool shared = false;
  for (int k = 0; k < form.states; k++)
    shared = shared || (grad.storage == states[k].storage && (form.sparse || grad.offset != var.offset));
  if (shared) {
    View own = p.make_like(grad);
    p.copy(own, grad);
    grad = own;
  }
  std::vector<View> numbers;
  for (size_t k = size_t(form.states); k < inputs; k++) {
    if (int(k) == form.gradient || (form.sparse && k == inputs - 1)) continue;
    numbers.push_back(p.in(i, k));
    require(numbers.back().elements() == 1, "a hyperparameter is a scalar");
  }
  if (!grad.elements()) return;
  Step& step = p.emit(kernels().update[form.op][var.dtype], double(grad.elements()) * 0.3);
  for (int k = 0; k < 3; k++) p.operand(step, k, k < form.states ? states[k] : var);
  p.operand(step, 3, grad);
  step.cols = row;
  if (form.sparse) {
    p.operand(step, 4, ids);
    step.flags = ids.dtype;
    step.rows = ids.elements();
    step.k = var.dims[0];
  }
  p.more(step, numbers);
  step.number[0] = i.ints.empty() ? 0 : double(i.ints[0]);
}

}  // namespace

const std::vector<Lowering>& update_lowerings() {
  static const std::vector<Lowering> rows = {
      {"assign", assign}, {"assign_add", assign_by, op_add}, {"assign_sub", assign_by, op_sub},
      {"apply_gradient_descent", update, 0}, {"apply_momentum", update, 1}, {"apply_keras_momentum", update, 2},
      {"apply_adam", update, 3}, {"apply_adagrad", update, 4}, {"apply_adagrad_v2", update, 5},
      {"apply_rmsprop", update, 6}, {"sparse_apply_gradient_descent", update, 7}, {"sparse_apply_momentum", update, 8},
      {"sparse_apply_adagrad", update, 9},
  };
  return rows;
}

}  // namespace headrace
