// The kernels that depend on the instruction set, as a table: one is made for each set, one is chosen at import.
#pragma once

#include "elementwise_ops.h"
#include "steps.h"

namespace headrace {

enum ReduceOp : int32_t { reduce_sum, reduce_mean, reduce_prod, reduce_max, reduce_min, reduce_all, reduce_any, REDUCE_OPS };
enum RowsOp : int32_t { rows_softmax, rows_log_softmax, rows_cross_entropy, rows_sparse_cross_entropy, ROWS_OPS };
enum UpdateOp : int32_t {
  update_gradient_descent,
  update_momentum,
  update_keras_momentum,
  update_adam,
  update_adagrad,
  update_adagrad_v2,
  update_rmsprop,
  UPDATE_OPS
};

struct KernelTable {
  const char* name;
  double rate;  // about how many additions and products of floats a nanosecond
  RowKernel elementwise[ELEMENTWISE_OPS][DTYPES];
  RowKernel cast[DTYPES][DTYPES];  // from, to
  Kernel reduce[REDUCE_OPS][DTYPES];
  Kernel arg_reduce[2][DTYPES];
  Kernel rows[ROWS_OPS][DTYPES];
  Kernel matmul[DTYPES];
  Kernel cumulate[2][DTYPES];
  RowKernel accumulate[DTYPES];  // d += a, for scatters
  Kernel update[UPDATE_OPS][DTYPES];
  Kernel lstm[DTYPES], lstm_grad[DTYPES];
};

// Filled by baseline.cpp, avx2.cpp and avx512.cpp.
void fill_baseline(KernelTable& table);
#if defined(__x86_64__) || defined(_M_X64)
void fill_avx2(KernelTable& table);
void fill_avx512(KernelTable& table);
#endif

// The table for this processor; `limit` names a set not to go beyond ("baseline", "avx2", or empty).
const KernelTable& choose_kernels(const std::string& limit);
const KernelTable& kernels();

// The ways through an element-wise instruction's axes.
int64_t run_row(const Step& step, Frame& frame);        // one row
int64_t run_rows(const Step& step, Frame& frame);       // rows and columns
int64_t run_axes(const Step& step, Frame& frame);       // any axes, inner strides 0 or 1
int64_t run_staged(const Step& step, Frame& frame);     // any axes, any strides: by way of small buffers
int64_t run_transposed(const Step& step, Frame& frame); // a copy whose source runs the other way

}  // namespace headrace
