// Direct calls that update some rows of variables, as optimizers do.
#include <algorithm>
#include <cmath>

#include "direct.h"
#include "kernels.h"
#include "large.h"

namespace headrace {
namespace {

// What an update of rows is given.
struct Rows {
  Block states[3], grad, indices;
  bool all = false;
  int64_t width = 1;
};

// Indices are None where all rows are updated. A row that comes again is updated again, after its first update.
bool read_rows(PyObject* const* states, int count, PyObject* grad, PyObject* indices, Rows& rows) {
  rows.all = indices == Py_None;
  for (int k = 0; k < count; k++) {
    Block& state = rows.states[k];
    // All rows may be many; those that are updated are few.
    if (!read_large_block(states[k], state) || !state.is_float() || (state.rank < 1 && !rows.all)) return false;
    if (k && (state.dtype != rows.states[0].dtype || state.rank != rows.states[0].rank ||
              !std::equal(state.dims, state.dims + state.rank, rows.states[0].dims)))
      return false;
  }
  const Block& var = rows.states[0];
  if (rows.all)
    return read_block(grad, rows.grad) && rows.grad.dtype == var.dtype && rows.grad.rank == var.rank &&
           std::equal(var.dims, var.dims + var.rank, rows.grad.dims);
  if (!read_block(grad, rows.grad) || !read_block(indices, rows.indices) || rows.grad.dtype != var.dtype ||
      !rows.indices.is_index() || rows.indices.rank != 1 || rows.grad.rank != var.rank ||
      rows.grad.dims[0] != rows.indices.dims[0] || !std::equal(var.dims + 1, var.dims + var.rank, rows.grad.dims + 1))
    return false;
  rows.width = var.elements(1);
  for (int64_t i = 0; i < rows.indices.dims[0]; i++) {
    const int64_t row = rows.indices.index(i);
    if (row < 0 || row >= var.dims[0]) return false;
  }
  return true;
}

bool read_numbers(PyObject* const* args, int count, double* to) {
  for (int k = 0; k < count; k++) to[k] = PyFloat_AsDouble(args[k]);
  return !PyErr_Occurred();
}

// `change(places among all elements, place in the gradient)` for each element of the rows.
template <class Change>
void for_each(const Rows& rows, Change change) {
  for (int64_t i = 0, n = rows.all ? rows.grad.elements() : 0; i < n; i++) change(i, i);
  if (rows.all) return;
  for (int64_t i = 0; i < rows.indices.dims[0]; i++) {
    const int64_t to = rows.indices.index(i) * rows.width;
    for (int64_t k = 0; k < rows.width; k++) change(to + k, i * rows.width + k);
  }
}

template <class T>
void ftrl_rows(const Rows& rows, const double* numbers) {
  T *const var = rows.states[0].as<T>(), *const accum = rows.states[1].as<T>(), *const linear = rows.states[2].as<T>();
  const T* const grad = rows.grad.as<T>();
  const T rate = T(numbers[0]), l1 = T(numbers[1]), twice_l2 = T(2 * numbers[2]), power = T(-numbers[3]);
  const T inverse = T(-1.0 / numbers[0]);
  const bool root = numbers[3] == -0.5;
  const auto powered = [&](T x) { return root ? std::sqrt(x) : std::pow(x, power); };
  for_each(rows, [&](int64_t at, int64_t of) {
    const T before = powered(accum[at]);
    accum[at] += grad[of] * grad[of];
    const T after = powered(accum[at]);
    linear[at] = linear[at] + grad[of] + inverse * (after - before) * var[at];
    const T curvature = after / rate + twice_l2, pull = linear[at];
    const T sign = T((pull > 0) - (pull < 0));
    var[at] = std::abs(pull) <= l1 ? T(0) : (sign * l1 - pull) / curvature;
  });
}

// ftrl_rows(var, accum, linear, grad, indices, lr, l1, l2, lr_power): whether it has updated them.
PyObject* ftrl(PyObject*, PyObject* const* args, Py_ssize_t count) {
  double numbers[4];
  if (!takes(count, 9) || !read_numbers(args + 5, 4, numbers)) return nullptr;
  Rows rows;
  if (!read_rows(args, 3, args[3], args[4], rows)) return declined();
  if (rows.grad.dtype == F32) ftrl_rows<float>(rows, numbers);
  else ftrl_rows<double>(rows, numbers);
  return same(Py_True);
}

template <class T>
void adadelta_rows(const Rows& rows, const double* numbers) {
  T *const var = rows.states[0].as<T>(), *const accum = rows.states[1].as<T>(), *const changes = rows.states[2].as<T>();
  const T* const grad = rows.grad.as<T>();
  const T rate = T(numbers[0]), rho = T(numbers[1]), rest = T(1.0 - numbers[1]), epsilon = T(numbers[2]);
  for_each(rows, [&](int64_t at, int64_t of) {
    accum[at] = accum[at] * rho + rest * grad[of] * grad[of];
    const T change = std::sqrt((changes[at] + epsilon) / (accum[at] + epsilon)) * grad[of];
    changes[at] = changes[at] * rho + rest * change * change;
    var[at] -= rate * change;
  });
}

// The step of a penalty's l1 part: toward zero, and not past it.
template <class T>
T shrunk(T step, T most) {
  const T left = std::abs(step) - most;
  return left <= 0 ? T(0) : step > 0 ? left : -left;
}

template <class T>
void proximal_adagrad_rows(const Rows& rows, const double* numbers) {
  T *const var = rows.states[0].as<T>(), *const accum = rows.states[1].as<T>();
  const T* const grad = rows.grad.as<T>();
  const T lr = T(numbers[0]), l1 = T(numbers[1]), l2 = T(numbers[2]);
  for_each(rows, [&](int64_t at, int64_t of) {
    accum[at] += grad[of] * grad[of];
    const T rate = lr / std::sqrt(accum[at]), step = var[at] - grad[of] * rate;
    var[at] = (l1 > 0 ? shrunk(step, rate * l1) : step) / (T(1) + rate * l2);
  });
}

// update(var, slots, grad, indices, three numbers): whether it has updated them.
template <int states, void (*floats)(const Rows&, const double*), void (*doubles)(const Rows&, const double*)>
PyObject* update_by_three(PyObject*, PyObject* const* args, Py_ssize_t count) {
  double numbers[3];
  if (!takes(count, states + 5) || !read_numbers(args + states + 2, 3, numbers)) return nullptr;
  Rows rows;
  if (!read_rows(args, states, args[states], args[states + 1], rows)) return declined();
  (rows.grad.dtype == F32 ? floats : doubles)(rows, numbers);
  return same(Py_True);
}

// Updates for which programs have an instruction: by its kernel. `states` counts the variable and its slots.
struct Form {
  UpdateOp op;
  int states, numbers;
};

// The pieces of memory that a kernel is told of: its operands, and the numbers behind them.
constexpr int kPieces = kOperands + 1, kMostNumbers = 6;

// update(var, slots, grad, indices, numbers, flag): whether it has updated them. Without a flag there is a number less.
PyObject* update_by_kernel(const Form& form, PyObject* const* args, Py_ssize_t count) {
  double numbers[kMostNumbers];
  const int first = form.states + 2, last = first + form.numbers;
  if (count != last && !takes(count, last + 1)) return nullptr;
  if (!read_numbers(args + first, form.numbers, numbers)) return nullptr;
  Rows rows;
  if (!read_rows(args, form.states, args[form.states], args[form.states + 1], rows)) return declined();
  const DType type = rows.grad.dtype;
  const Kernel kernel = kernels().update[form.op][type];
  if (!kernel || !rows.grad.elements()) return kernel ? same(Py_True) : declined();

  // Kernels take hyperparameters of the variable's type.
  double places[kMostNumbers] = {};
  Operand more[kMostNumbers];
  for (int k = 0; k < form.numbers; k++) {
    if (type == F32) *reinterpret_cast<float*>(places + k) = float(numbers[k]);
    else places[k] = numbers[k];
    more[k].base = kPieces - 1;
    more[k].offset = int64_t(sizeof(double)) * k;
  }
  char* pieces[kPieces] = {};
  Step step;
  for (int k = 0; k < 3; k++) pieces[k] = rows.states[k < form.states ? k : 0].data;
  pieces[3] = rows.grad.data;
  pieces[4] = rows.indices.data;
  pieces[kPieces - 1] = reinterpret_cast<char*>(places);
  for (int k = 0; k < kOperands; k++) step.operand[k].base = k;
  step.more = more;
  step.cols = rows.all ? rows.grad.elements() : rows.width;
  if (!rows.all) {
    step.flags = rows.indices.dtype;
    step.rows = rows.indices.dims[0];
    step.k = rows.states[0].dims[0];
  }
  step.number[0] = count > last && args[last] == Py_True;
  Frame frame{pieces};
  return kernel(step, frame) ? declined() : same(Py_True);
}

template <UpdateOp op, int states, int numbers>
PyObject* update(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return update_by_kernel({op, states, numbers}, args, count);
}

// adam_step(var, m, v, rate, epsilon, begin, end): whether it has taken rate * m / (sqrt(v) + epsilon) off those elements.
PyObject* adam_step(PyObject*, PyObject* const* args, Py_ssize_t count) {
  double numbers[2];
  if (!takes(count, 7) || !read_numbers(args + 3, 2, numbers)) return nullptr;
  const int64_t begin = PyLong_AsLongLong(args[5]), end = PyLong_AsLongLong(args[6]);
  if (PyErr_Occurred()) return nullptr;
  Block blocks[3];
  for (int k = 0; k < 3; k++)
    if (!read_large_block(args[k], blocks[k]) || !blocks[k].is_float() || blocks[k].dtype != blocks[0].dtype ||
        blocks[k].elements() != blocks[0].elements())
      return declined();
  if (begin < 0 || end < begin || end > blocks[0].elements()) return declined();
  const LargeKernels& kernels = large_kernels();
  Py_BEGIN_ALLOW_THREADS
  if (blocks[0].dtype == F32)
    kernels.step_of_floats(blocks[0].as<float>() + begin, blocks[1].as<float>() + begin, blocks[2].as<float>() + begin,
                           end - begin, float(numbers[0]), float(numbers[1]));
  else
    kernels.step_of_doubles(blocks[0].as<double>() + begin, blocks[1].as<double>() + begin, blocks[2].as<double>() + begin,
                            end - begin, numbers[0], numbers[1]);
  Py_END_ALLOW_THREADS
  return same(Py_True);
}

const Direct kRows[] = {
    {"ftrl_rows", ftrl},
    {"adagrad_rows", update<update_adagrad, 2, 1>},
    {"adagrad_v2_rows", update<update_adagrad_v2, 2, 2>},
    {"momentum_rows", update<update_momentum, 2, 2>},
    {"keras_momentum_rows", update<update_keras_momentum, 2, 2>},
    {"rms_prop_rows", update<update_rmsprop, 3, 4>},
    {"adam_rows", update<update_adam, 3, 6>},
    {"adadelta_rows", update_by_three<3, adadelta_rows<float>, adadelta_rows<double>>},
    {"proximal_adagrad_rows", update_by_three<2, proximal_adagrad_rows<float>, proximal_adagrad_rows<double>>},
    {"adam_step", adam_step},
};

}  // namespace

const DirectTable kUpdateCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
