// The kernels for x86-64-v3: AVX2 and products that round once.
#include "isa_includes.h"

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2,lzcnt,popcnt,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,lzcnt,popcnt,f16c")
#endif

#define HEADRACE_BYTES 32
namespace headrace {
namespace avx2 {
#include "isa/all.inc"
}  // namespace avx2

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

void fill_avx2(KernelTable& table) {
  table.name = "x86-64-v3";
  table.rate = 70;
  avx2::fill_all(table);
}

}  // namespace headrace
#endif
