// The kernels for what every processor of its kind has: x86-64-v2 (SSE4.2), NEON, or what the compiler makes of small vectors.
#include "isa_includes.h"

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("sse4.2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("sse4.2,popcnt")
#endif
#endif

#define HEADRACE_BYTES 16
namespace headrace {
namespace baseline {
#include "isa/all.inc"
}  // namespace baseline

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

void fill_baseline(KernelTable& table) {
#if defined(__x86_64__)
  table.name = "x86-64-v2";
#elif defined(__aarch64__)
  table.name = "neon";
#else
  table.name = "portable";
#endif
  table.rate = 20;
  baseline::fill_all(table);
}

}  // namespace headrace
