// Instructions on small square matrices in the last two axes: inverses, solutions and Cholesky's factors.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lowerings.h"

namespace headrace {
namespace {

// Operand 0 are the results, 1 the matrices, 2 what stands on the right-hand side, 3 room for a matrix; rows says how many
// there are, cols their size, k how many columns the right-hand side has. Flags:
enum : int32_t { kTransposed = 1, kLower = 2, kIdentity = 4 };

template <class T>
void copy_matrix(const T* from, int64_t n, bool transposed, T* to) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) to[i * n + j] = transposed ? from[j * n + i] : from[i * n + j];
}

// x = a^-1 x by elimination with the largest of each column; false where all of a column are 0. It writes over `a`.
template <class T>
bool eliminate(T* a, int64_t n, T* x, int64_t m) {
  for (int64_t k = 0; k < n; k++) {
    int64_t largest = k;
    for (int64_t i = k + 1; i < n; i++)
      if (std::abs(a[i * n + k]) > std::abs(a[largest * n + k])) largest = i;
    if (a[largest * n + k] == 0) return false;
    if (largest != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + largest * n);
      std::swap_ranges(x + k * m, x + (k + 1) * m, x + largest * m);
    }
    for (int64_t i = k + 1; i < n; i++) {
      const T factor = a[i * n + k] / a[k * n + k];
      for (int64_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      for (int64_t j = 0; j < m; j++) x[i * m + j] -= factor * x[k * m + j];
    }
  }
  for (int64_t i = n - 1; i >= 0; i--) {
    for (int64_t k = i + 1; k < n; k++)
      for (int64_t j = 0; j < m; j++) x[i * m + j] -= a[i * n + k] * x[k * m + j];
    for (int64_t j = 0; j < m; j++) x[i * m + j] /= a[i * n + i];
  }
  return true;
}

template <class T>
bool any_unknown(const T* a, int64_t count) {
  return std::any_of(a, a + count, [](T x) { return x != x; });
}

template <class T>
int64_t solve_kernel(const Step& step, Frame& frame) {
  const int64_t n = step.cols, m = step.k;
  T* const room = step.as<T>(3, frame);
  for (int64_t r = 0; r < step.rows; r++) {
    const T* const a = step.as<const T>(1, frame) + r * n * n;
    T* const x = step.as<T>(0, frame) + r * n * m;
    if (any_unknown(a, n * n)) return 1;
    copy_matrix(a, n, step.flags & kTransposed, room);
    if (step.flags & kIdentity) {
      for (int64_t i = 0; i < n * n; i++) x[i] = T(i % (n + 1) == 0);
    } else {
      std::copy_n(step.as<const T>(2, frame) + r * n * m, n * m, x);
    }
    if (!eliminate(room, n, x, m)) return 1;
  }
  return 0;
}

template <class T>
int64_t triangular_solve_kernel(const Step& step, Frame& frame) {
  const int64_t n = step.cols, m = step.k;
  const bool transposed = step.flags & kTransposed, from_first = bool(step.flags & kLower) != transposed;
  for (int64_t r = 0; r < step.rows; r++) {
    const T* const a = step.as<const T>(1, frame) + r * n * n;
    T* const x = step.as<T>(0, frame) + r * n * m;
    for (int64_t i = 0; i < n; i++)
      if (a[i * n + i] == 0) return 1;
    std::copy_n(step.as<const T>(2, frame) + r * n * m, n * m, x);
    for (int64_t t = 0; t < n; t++) {
      const int64_t i = from_first ? t : n - 1 - t;
      for (int64_t s = 0; s < t; s++) {
        const int64_t k = from_first ? s : n - 1 - s;
        const T factor = transposed ? a[k * n + i] : a[i * n + k];
        for (int64_t j = 0; j < m; j++) x[i * m + j] -= factor * x[k * m + j];
      }
      for (int64_t j = 0; j < m; j++) x[i * m + j] /= a[i * n + i];
    }
  }
  return 0;
}

// The lower factor; false where the matrix is not positive definite.
template <class T>
bool factorize(const T* a, int64_t n, T* lower) {
  std::fill_n(lower, n * n, T(0));
  for (int64_t j = 0; j < n; j++) {
    T square = a[j * n + j];
    for (int64_t k = 0; k < j; k++) square -= lower[j * n + k] * lower[j * n + k];
    if (!(square > 0)) return false;
    const T root = std::sqrt(square);
    lower[j * n + j] = root;
    for (int64_t i = j + 1; i < n; i++) {
      T sum = a[i * n + j];
      for (int64_t k = 0; k < j; k++) sum -= lower[i * n + k] * lower[j * n + k];
      lower[i * n + j] = sum / root;
    }
  }
  return true;
}

template <class T>
int64_t cholesky_kernel(const Step& step, Frame& frame) {
  const int64_t n = step.cols;
  for (int64_t r = 0; r < step.rows; r++) {
    const T* const a = step.as<const T>(1, frame) + r * n * n;
    T* const lower = step.as<T>(0, frame) + r * n * n;
    if (factorize(a, n, lower)) continue;
    // What has an element that is no number has a factor of such.
    if (!any_unknown(a, n * n)) return 1;
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) lower[i * n + j] = j > i ? T(0) : std::numeric_limits<T>::quiet_NaN();
  }
  return 0;
}

Kernel of_type(DType dtype, Kernel floats, Kernel doubles) {
  return dtype == F32 ? floats : dtype == F64 ? doubles : nullptr;
}

// The matrices one after the other; how many they are and what size they have.
View matrices(Planner& p, const Instruction& i, int64_t& count, int64_t& size) {
  const View a = p.dense(p.in(i, 0));
  require(a.rank >= 2 && a.dims[a.rank - 1] == a.dims[a.rank - 2], "a matrix is not square");
  size = a.dims[a.rank - 1];
  count = 1;
  for (int k = 0; k + 2 < a.rank; k++) count *= a.dims[k];
  return a;
}

Step& on_matrices(Planner& p, Kernel kernel, const View& out, const View& a, int64_t count, int64_t size, int64_t columns) {
  Step& step = p.emit(kernel, double(count) * double(size) * double(size) * double(size + 2 * columns + 4));
  p.operand(step, 0, out);
  p.operand(step, 1, a);
  step.rows = count, step.cols = size, step.k = columns;
  return step;
}

void cholesky(Planner& p, const Instruction& i) {
  int64_t count, size;
  const View a = matrices(p, i, count, size), out = p.make_like(a);
  p.out(i, 0, out);
  if (!a.elements()) return;
  on_matrices(p, of_type(a.dtype, cholesky_kernel<float>, cholesky_kernel<double>), out, a, count, size, 0);
}

void inverse(Planner& p, const Instruction& i) {
  require(i.ints.size() == 1, "an inverse says what is transposed");
  int64_t count, size;
  const View a = matrices(p, i, count, size), out = p.make_like(a);
  p.out(i, 0, out);
  if (!a.elements()) return;
  const View room = p.scratch(size * size * kSizes[a.dtype]);
  Step& step = on_matrices(p, of_type(a.dtype, solve_kernel<float>, solve_kernel<double>), out, a, count, size, size);
  p.operand(step, 2, a);
  p.operand(step, 3, room);
  step.flags = kIdentity | (i.ints[0] ? kTransposed : 0);
}

void solve(Planner& p, const Instruction& i) {
  const bool triangular = i.how->arg;
  require(i.ints.size() == (triangular ? 2 : 1), "a solution says what is transposed");
  int64_t count, size;
  const View a = matrices(p, i, count, size), b = p.dense(p.in(i, 1));
  require(b.rank == a.rank && std::equal(a.dims, a.dims + a.rank - 1, b.dims), "right-hand sides have other sizes");
  const View out = p.make_like(b);
  p.out(i, 0, out);
  if (!b.elements()) return;
  const View room = triangular ? a : p.scratch(size * size * kSizes[a.dtype]);
  const Kernel kernel = triangular ? of_type(a.dtype, triangular_solve_kernel<float>, triangular_solve_kernel<double>)
                                   : of_type(a.dtype, solve_kernel<float>, solve_kernel<double>);
  Step& step = on_matrices(p, kernel, out, a, count, size, b.dims[b.rank - 1]);
  p.operand(step, 2, b);
  p.operand(step, 3, room);
  step.flags = (i.ints[0] ? kTransposed : 0) | (triangular && i.ints[1] ? kLower : 0);
}

}  // namespace

const std::vector<Lowering>& matrix_lowerings() {
  static const std::vector<Lowering> rows = {
      {"cholesky", cholesky}, {"matrix_inverse", inverse}, {"matrix_solve", solve, 0}, {"triangular_solve", solve, 1},
  };
  return rows;
}

}  // namespace headrace
