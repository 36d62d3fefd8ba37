// Philox4x32-10: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <cstdint>

namespace headrace {

struct Philox {
  uint64_t key, high, position;

  void block(uint64_t offset, uint32_t* out) const {
    const uint64_t at = position + offset;
    uint32_t a = uint32_t(at), b = uint32_t(at >> 32), c = uint32_t(high), d = uint32_t(high >> 32);
    uint32_t key0 = uint32_t(key), key1 = uint32_t(key >> 32);
    for (int round = 0; round < 10; round++) {
      const uint64_t even = uint64_t(a) * 0xD2511F53u, odd = uint64_t(c) * 0xCD9E8D57u;
      a = uint32_t(odd >> 32) ^ b ^ key0;
      b = uint32_t(odd);
      c = uint32_t(even >> 32) ^ d ^ key1;
      d = uint32_t(even);
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
  }
};

}  // namespace headrace
