// The kernels for x86-64-v4: AVX-512 with masks.
#include "isa_includes.h"

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt,f16c"))), \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt,f16c")
#endif

#define HEADRACE_BYTES 64
namespace headrace {
namespace avx512 {
#include "isa/all.inc"
}  // namespace avx512

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

void fill_avx512(KernelTable& table) {
  table.name = "x86-64-v4";
  table.rate = 140;
  avx512::fill_all(table);
}

}  // namespace headrace
#endif
