// What the kernels' sources need: included before a target is chosen, so that nothing inline of it is compiled for that target.
#pragma once

#include <math.h>

#include <cassert>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "kernels.h"
