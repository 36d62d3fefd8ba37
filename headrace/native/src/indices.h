// Reading indices of either type, and sizes of several axes at once.
#pragma once

#include "planner.h"

namespace headrace {

inline int64_t index_at(const char* ids, int32_t type, int64_t i) {
  return type == I32 ? reinterpret_cast<const int32_t*>(ids)[i] : reinterpret_cast<const int64_t*>(ids)[i];
}

inline int64_t product_of(const View& v, int from, int to) {
  int64_t n = 1;
  for (int k = from; k < to; k++) n *= v.dims[k];
  return n;
}

}  // namespace headrace
