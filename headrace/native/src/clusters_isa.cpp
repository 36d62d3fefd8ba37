// The kernels of clusters for each instruction set: few and small, so one file compiles them all.
#include "clusters.h"
#include "isa_includes.h"

#define HEADRACE_BYTES 16
namespace headrace {
namespace clusters_baseline {
#include "isa/vectors.inc"
#include "isa/clusters.inc"
}  // namespace clusters_baseline
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
namespace clusters_avx2 {
#include "isa/vectors.inc"
#include "isa/clusters.inc"
}  // namespace clusters_avx2
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
namespace clusters_avx512 {
#include "isa/vectors.inc"
#include "isa/clusters.inc"
}  // namespace clusters_avx512
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

const ClusterKernels& cluster_kernels() {
#if defined(__x86_64__)
  const std::string name = kernels().name;
  if (name == "x86-64-v4") return clusters_avx512::kClusterKernels;
  if (name == "x86-64-v3") return clusters_avx2::kClusterKernels;
#endif
  return clusters_baseline::kClusterKernels;
}

}  // namespace headrace
