// Random numbers of Philox streams: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011.
// Numbers come in the order of headrace/kernels/random/philox.py.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "lowerings.h"
#include "philox.h"

namespace headrace {
namespace {

// Outputs whose number of tries varies own this many words each: RESERVED_PER_OUTPUT of philox.py.
constexpr int64_t kReserved = 256;

// Where the request begins, whose blocks no other request gets.
Philox place_of(const Step& step, Frame& frame) {
  uint64_t words[3];
  std::memcpy(words, step.at(1, frame), sizeof words);
  const uint64_t after = words[2] + uint64_t(step.k);
  std::memcpy(step.at(1, frame) + 16, &after, sizeof after);
  return {words[0], words[1], words[2]};
}

// Uniform in [0, 1): a block gives four floats or two doubles.
void uniform_of(const uint32_t* words, float* out) {
  for (int i = 0; i < 4; i++) {
    const uint32_t bits = (words[i] & 0x7fffffu) | 0x3f800000u;
    float one_to_two;
    std::memcpy(&one_to_two, &bits, 4);
    out[i] = one_to_two - 1.0f;
  }
}
void uniform_of(const uint32_t* words, double* out) {
  for (int i = 0; i < 2; i++) {
    const uint64_t bits = (uint64_t(words[2 * i] & 0xfffffu) << 32 | words[2 * i + 1]) | 0x3ff0000000000000ull;
    double one_to_two;
    std::memcpy(&one_to_two, &bits, 8);
    out[i] = one_to_two - 1.0;
  }
}

// G. Box, M. Muller, "A note on the generation of random normal deviates", Annals of Mathematical Statistics 29 (1958). Functions
// of floats are those of doubles, rounded.
template <class T>
void normal_of(const uint32_t* words, T* out) {
  constexpr int kCount = 16 / int(sizeof(T));
  T u[kCount];
  uniform_of(words, u);
  for (int i = 0; i < kCount; i += 2) {
    const T first = u[i] < T(1e-7) ? T(1e-7) : u[i];
    T radius = T(std::log(double(first)));
    radius *= T(-2);
    radius = std::sqrt(radius);
    const T angle = T(double(u[i + 1]) * 6.283185307179586);
    out[i] = T(std::sin(double(angle))) * radius;
    out[i + 1] = T(std::cos(double(angle))) * radius;
  }
}

template <class T, void (*kMake)(const uint32_t*, T*)>
int64_t draw_kernel(const Step& step, Frame& frame) {
  constexpr int64_t kCount = 16 / int64_t(sizeof(T));
  const Philox place = place_of(step, frame);
  T* d = step.as<T>(0, frame);
  for (int64_t i = 0, block = 0; i < step.cols; i += kCount, block++) {
    uint32_t words[4];
    T made[kCount];
    place.block(uint64_t(block), words);
    kMake(words, made);
    std::memcpy(d + i, made, size_t(step.cols - i < kCount ? step.cols - i : kCount) * sizeof(T));
  }
  return 0;
}
void uniform_floats(const uint32_t* words, float* out) { uniform_of(words, out); }
void uniform_doubles(const uint32_t* words, double* out) { uniform_of(words, out); }

// The outputs of a block share a stretch of the stream, 256 blocks' words for each output: the accepted ones in their order.
template <class T>
int64_t truncated_kernel(const Step& step, Frame& frame) {
  constexpr int64_t kCount = 16 / int64_t(sizeof(T));
  const Philox place = place_of(step, frame);
  T* d = step.as<T>(0, frame);
  for (int64_t i = 0, group = 0; i < step.cols; i += kCount, group++) {
    T kept[kCount];
    int64_t filled = 0;
    for (uint64_t block = uint64_t(group) * 256 * uint64_t(kCount) / 4; filled < kCount; block++) {
      uint32_t words[4];
      T made[kCount];
      place.block(block, words);
      normal_of(words, made);
      for (int64_t k = 0; k < kCount && filled < kCount; k++)
        if (std::fabs(made[k]) < T(2)) kept[filled++] = made[k];
    }
    std::memcpy(d + i, kept, size_t(step.cols - i < kCount ? step.cols - i : kCount) * sizeof(T));
  }
  return 0;
}

// By remainder: slightly uneven unless the range is a power of two.
int64_t integers_kernel(const Step& step, Frame& frame) {
  const Philox place = place_of(step, frame);
  const bool wide = step.flags == I64;
  const int64_t low = wide ? *step.as<int64_t>(2, frame) : *step.as<int32_t>(2, frame);
  const int64_t high = wide ? *step.as<int64_t>(3, frame) : *step.as<int32_t>(3, frame);
  if (low >= high) return 1;
  const uint64_t range = uint64_t(high) - uint64_t(low);
  for (int64_t i = 0, block = 0; i < step.cols; block++) {
    uint32_t words[4];
    place.block(uint64_t(block), words);
    if (wide) {
      for (int k = 0; k < 2 && i < step.cols; k++, i++) {
        const uint64_t word = words[2 * k] | uint64_t(words[2 * k + 1]) << 32;
        step.as<uint64_t>(0, frame)[i] = word % range + uint64_t(low);
      }
    } else {
      for (int k = 0; k < 4 && i < step.cols; k++, i++)
        step.as<uint32_t>(0, frame)[i] = words[k] % uint32_t(range) + uint32_t(low);
    }
  }
  return 0;
}

View drawn(Planner& p, const Instruction& i, size_t first) {
  int64_t dims[kMaxRank];
  require(i.ints.size() - first <= size_t(kMaxRank), "too many axes");
  for (size_t k = first; k < i.ints.size(); k++) {
    dims[k - first] = p.size(i.ints[k]);
    require(dims[k - first] >= 0, "a size is negative");
  }
  return p.make(p.result_type(i), int(i.ints.size() - first), dims);
}

// The classes are drawn by inverting the distribution function softmax(logits), whose sums are of doubles: see `_multinomial` of
// streams.py. What is not finite weighs nothing.
template <class T>
int64_t multinomial_kernel(const Step& step, Frame& frame) {
  const Philox place = place_of(step, frame);
  const T* logits = step.as<const T>(2, frame);
  double* sums = step.as<double>(3, frame);
  const int64_t samples = step.extra[0];
  double drawn[2];
  int64_t at = 0;
  for (int64_t row = 0; row < step.rows; row++, logits += step.cols) {
    double peak = -INFINITY, total = 0;
    for (int64_t c = 0; c < step.cols; c++)
      if (std::isfinite(logits[c]) && double(logits[c]) > peak) peak = double(logits[c]);
    for (int64_t c = 0; c < step.cols; c++) {
      if (std::isfinite(logits[c])) total += std::exp(double(logits[c]) - peak);
      sums[c] = total;
    }
    for (int64_t s = 0; s < samples; s++, at++) {
      if (at % 2 == 0) {
        uint32_t words[4];
        place.block(uint64_t(at / 2), words);
        uniform_of(words, drawn);
      }
      const double x = drawn[at % 2] * total;
      const int64_t chosen = std::upper_bound(sums, sums + step.cols, x) - sums;
      if (step.flags == I64) step.as<int64_t>(0, frame)[at] = chosen;
      else step.as<int32_t>(0, frame)[at] = int32_t(chosen);
    }
  }
  return 0;
}

// One block under a fixed key spreads two seeds, so that neighbouring ones will do: see `scrambled` of streams.py.
int64_t scramble_kernel(const Step& step, Frame& frame) {
  uint64_t seeds[2];
  for (int k = 0; k < 2; k++)
    seeds[k] = step.flags == I64 ? uint64_t(step.as<int64_t>(1, frame)[k]) : uint64_t(int64_t(step.as<int32_t>(1, frame)[k]));
  uint32_t words[4];
  Philox{0x02461E293EC8F720ull, seeds[1], seeds[0]}.block(0, words);
  uint64_t* place = step.as<uint64_t>(0, frame);
  place[0] = words[0] | uint64_t(words[1]) << 32;
  place[1] = words[2] | uint64_t(words[3]) << 32;
  place[2] = 0;
  return 0;
}

enum Distribution { kUniform, kNormal, kTruncated };

void draw(Planner& p, const Instruction& i) {
  require(!i.ints.empty(), "what is drawn has a type");
  const View place = p.in(i, 0), d = drawn(p, i, 1);
  require(place.elements() == 3, "a place has three words");
  p.out(i, 0, d);
  if (!d.elements()) return;
  const bool wide = d.dtype == F64;
  Kernel kernel = nullptr;
  double each = 3;
  if (i.how->arg == kUniform) {
    kernel = wide ? draw_kernel<double, uniform_doubles> : draw_kernel<float, uniform_floats>;
  } else if (i.how->arg == kNormal) {
    kernel = wide ? draw_kernel<double, normal_of<double>> : draw_kernel<float, normal_of<float>>;
    each = 20;
  } else {
    kernel = wide ? truncated_kernel<double> : truncated_kernel<float>;
    each = 24;
  }
  Step& step = p.emit(kernel, double(d.elements()) * each);
  p.operand(step, 0, d);
  p.operand(step, 1, place);
  step.cols = d.elements();
  step.k = d.elements() * kReserved;
}

void draw_integers(Planner& p, const Instruction& i) {
  const View place = p.in(i, 0), low = p.in(i, 1), high = p.in(i, 2), d = drawn(p, i, 0);
  require(place.elements() == 3 && low.elements() == 1 && high.elements() == 1, "bounds are scalars");
  p.out(i, 0, d);
  if (!d.elements()) return;
  Step& step = p.emit(integers_kernel, double(d.elements()) * 4);
  p.operand(step, 0, d);
  p.operand(step, 1, place);
  p.operand(step, 2, low);
  p.operand(step, 3, high);
  step.cols = d.elements();
  step.k = d.elements() * kReserved;
  step.flags = d.dtype;
}

void multinomial(Planner& p, const Instruction& i) {
  const View place = p.in(i, 0), logits = p.dense(p.in(i, 1));
  require(i.ints.size() == 2 && place.elements() == 3 && logits.rank == 2, "logits are a matrix");
  const int64_t dims[2] = {logits.dims[0], p.size(i.ints[1])};
  require(dims[1] >= 0 && logits.dims[1] > 0, "there is nothing to choose from");
  const View d = p.make(p.result_type(i), 2, dims), sums = p.scratch(8 * logits.dims[1]);
  p.out(i, 0, d);
  Step& step = p.emit(logits.dtype == F64 ? multinomial_kernel<double> : multinomial_kernel<float>,
                      double(logits.elements()) * 10 + double(d.elements()) * 20);
  p.operand(step, 0, d);
  p.operand(step, 1, place);
  p.operand(step, 2, logits);
  p.operand(step, 3, sums);
  step.rows = logits.dims[0];
  step.cols = logits.dims[1];
  step.k = dims[0] * ((dims[1] + 3) / 4) * 8 * kReserved;
  step.flags = d.dtype;
  step.extra = p.keep({dims[1]});
}

void scramble(Planner& p, const Instruction& i) {
  const View seeds = p.dense(p.in(i, 0));
  require(seeds.rank == 1 && seeds.elements() == 2, "there are two seeds");
  const int64_t dims[1] = {3};
  const View place = p.make(I64, 1, dims);
  p.out(i, 0, place);
  Step& step = p.emit(scramble_kernel, 10);
  p.operand(step, 0, place);
  p.operand(step, 1, seeds);
  step.flags = seeds.dtype;
}

}  // namespace

const std::vector<Lowering>& random_lowerings() {
  static const std::vector<Lowering> rows = {
      {"random_uniform", draw, kUniform}, {"random_normal", draw, kNormal}, {"truncated_normal", draw, kTruncated},
      {"random_uniform_int", draw_integers}, {"multinomial", multinomial}, {"place_of_seeds", scramble},
  };
  return rows;
}

}  // namespace headrace
