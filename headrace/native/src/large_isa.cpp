// The kernels over large memory for each instruction set: few and small, so one file compiles them all.
#include "isa_includes.h"
#include "large.h"

#define HEADRACE_BYTES 16
namespace headrace {
namespace large_baseline {
#include "isa/vectors.inc"
#include "isa/clusters.inc"
#include "isa/adam_rows.inc"
#include "isa/turned_products.inc"
#include "isa/pools.inc"
#include "isa/panels.inc"
#include "isa/winograd.inc"
#include "isa/large.inc"
}  // namespace large_baseline
}  // namespace headrace
#undef HEADRACE_BYTES
#undef INLINE

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2,lzcnt,popcnt,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,lzcnt,popcnt,f16c")
#endif
#define HEADRACE_BYTES 32
namespace headrace {
namespace large_avx2 {
#include "isa/vectors.inc"
#include "isa/clusters.inc"
#include "isa/adam_rows.inc"
#include "isa/turned_products.inc"
#include "isa/pools.inc"
#include "isa/panels.inc"
#include "isa/winograd.inc"
#include "isa/large.inc"
}  // namespace large_avx2
}  // namespace headrace
#undef HEADRACE_BYTES
#undef INLINE
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt,f16c"))), \
    apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt,f16c")
#endif
#define HEADRACE_BYTES 64
namespace headrace {
namespace large_avx512 {
#include "isa/vectors.inc"
#include "isa/clusters.inc"
#include "isa/adam_rows.inc"
#include "isa/turned_products.inc"
#include "isa/pools.inc"
#include "isa/panels.inc"
#include "isa/winograd.inc"
#include "isa/large.inc"
}  // namespace large_avx512
}  // namespace headrace
#undef HEADRACE_BYTES
#undef INLINE
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace headrace {

const LargeKernels& large_kernels() {
#if defined(__x86_64__)
  const std::string name = kernels().name;
  if (name == "x86-64-v4") return large_avx512::kLargeKernels;
  if (name == "x86-64-v3") return large_avx2::kLargeKernels;
#endif
  return large_baseline::kLargeKernels;
}

}  // namespace headrace
