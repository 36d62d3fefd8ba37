// Which kernels this processor runs.
#include <string>

#include "kernels.h"

namespace headrace {

namespace {

KernelTable table;

#if defined(__x86_64__)
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}
#endif

}  // namespace

const KernelTable& choose_kernels(const std::string& limit) {
  fill_baseline(table);
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (limit != "baseline" && has_avx2()) fill_avx2(table);
  if (limit != "baseline" && limit != "avx2" && has_avx512()) fill_avx512(table);
#endif
  return table;
}

const KernelTable& kernels() { return table; }

}  // namespace headrace
