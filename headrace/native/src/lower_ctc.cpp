// The loss of connectionist temporal classification: Graves, Fernández, Gomez and Schmidhuber, ICML 2006, section 4.
// headrace/kernels/nn/ctc_paths.py has the same in Python.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "lowerings.h"

namespace headrace {
namespace {

// A probability with an exponent of its own: those of long paths are below all doubles, and their logarithms take ten times
// as long to add. `m` is 0 or in [1, 2).
struct Scaled {
  double m = 0;
  int64_t e = 0;

  static Scaled of(double m, int64_t e) {
    if (!(m > 0)) return {};
    uint64_t bits;
    std::memcpy(&bits, &m, 8);
    e += int64_t(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffull) | uint64_t(1023) << 52;
    std::memcpy(&m, &bits, 8);
    return {m, e};
  }
  static Scaled exp(double x) {
    if (!(x > -1e15)) return {};
    const double power = std::floor(x * 1.4426950408889634);
    // ln 2 in two parts, so that the difference is exact enough.
    return of(std::exp((x - power * 0.693147180369123816490) - power * 1.90821492927058770002e-10), int64_t(power));
  }
  double log() const { return m > 0 ? std::log(m) + double(e) * 0.6931471805599453 : -INFINITY; }
};

// 2**e for e <= 0; 0 where that does not count.
double power_of_two(int64_t e) {
  if (e < -100) return 0;
  const uint64_t bits = uint64_t(1023 + e) << 52;
  double power;
  std::memcpy(&power, &bits, 8);
  return power;
}

Scaled operator*(const Scaled& a, const Scaled& b) { return a.m > 0 && b.m > 0 ? Scaled::of(a.m * b.m, a.e + b.e) : Scaled(); }
Scaled operator+(const Scaled& a, const Scaled& b) {
  if (!(a.m > 0)) return b;
  if (!(b.m > 0)) return a;
  return a.e >= b.e ? Scaled::of(a.m + b.m * power_of_two(b.e - a.e), a.e) : Scaled::of(b.m + a.m * power_of_two(a.e - b.e), b.e);
}
// a * b / c of numbers, where c is the larger.
double ratio(const Scaled& a, const Scaled& b, const Scaled& c) {
  if (!(a.m > 0) || !(b.m > 0)) return 0;
  const int64_t e = a.e + b.e - c.e;
  return a.m * b.m / c.m * (e > 0 ? std::ldexp(1.0, int(std::min<int64_t>(e, 1000))) : power_of_two(e));
}

enum Options : int64_t { kCollapse = 1, kMerge = 2, kIgnore = 4 };

// Paths of one sequence are sums over states: blank, first label, blank, second label, ..., blank.
class Paths {
 public:
  Paths(const std::vector<int32_t>& labels, int64_t blank, bool merges) : labels_(labels), blank_(blank), merges_(merges) {
    states_ = 2 * int64_t(labels.size()) + 1;
  }

  // `scores`: log probabilities, of which times are `stride` apart. `gradient`, as far apart, gets what the loss of the
  // sequence, which is returned, changes by logits.
  template <class T>
  double run(const T* scores, T* gradient, int64_t times, int64_t classes, int64_t stride) {
    for (int64_t t = 0; t < times; t++)
      for (int64_t c = 0; c < classes; c++) gradient[t * stride + c] = std::exp(scores[t * stride + c]);
    at_.resize(size_t(times * states_));
    reached_.resize(size_t(times * states_));
    for (int64_t t = 0; t < times; t++) {
      if (std::isnan(scores[t * stride + blank_])) return NAN;
      const Scaled blank = Scaled::exp(double(scores[t * stride + blank_]));
      for (int64_t s = 0; s < states_; s++)
        at_[size_t(t * states_ + s)] = s % 2 ? Scaled::exp(double(scores[t * stride + label(s)])) : blank;
    }
    for (int64_t t = 0; t < times; t++) {
      for (int64_t s = 0; s < states_; s++) {
        Scaled from;
        if (!t) {
          if (s < 2) from = {1, 0};
        } else {
          const Scaled* before = &reached_[size_t((t - 1) * states_ + s)];
          if (stays(s)) from = before[0];
          if (s > 0) from = from + before[-1];
          if (skips(s)) from = from + before[-2];
        }
        reached_[size_t(t * states_ + s)] = from * at_[size_t(t * states_ + s)];
      }
    }
    const Scaled* ends = &reached_[size_t(times * states_ - 1)];
    const Scaled likelihood = states_ > 1 ? ends[0] + ends[-1] : ends[0];
    if (!(likelihood.m > 0)) return INFINITY;
    // What comes after each state, backwards.
    std::vector<Scaled> later, now;
    later.resize(size_t(states_));
    now.resize(size_t(states_));
    for (int64_t t = times - 1; t >= 0; t--) {
      for (int64_t s = 0; s < states_; s++) {
        Scaled& sum = now[size_t(s)];
        sum = {};
        if (t == times - 1) {
          if (s >= states_ - 2) sum = {1, 0};
        } else {
          const Scaled* at = &at_[size_t((t + 1) * states_ + s)];
          const Scaled* after = &later[size_t(s)];
          if (stays(s)) sum = after[0] * at[0];
          if (s + 1 < states_) sum = sum + after[1] * at[1];
          if (s + 2 < states_ && skips(s + 2)) sum = sum + after[2] * at[2];
        }
        const double share = ratio(reached_[size_t(t * states_ + s)], sum, likelihood);
        gradient[t * stride + (s % 2 ? label(s) : blank_)] -= T(share);
      }
      std::swap(later, now);
    }
    return -likelihood.log();
  }

 private:
  int64_t label(int64_t s) const { return labels_[size_t(s / 2)]; }
  bool stays(int64_t s) const { return merges_ || s % 2 == 0; }
  // Whether a path may go from a label to the next without a blank.
  bool skips(int64_t s) const { return s % 2 && s > 1 && (!merges_ || label(s) != label(s - 2)); }

  const std::vector<int32_t>& labels_;
  const int64_t blank_;
  const bool merges_;
  int64_t states_;
  std::vector<Scaled> at_, reached_;
};

// The labels of each sequence; false where one is refused. `row`: how many numbers an index has.
bool sequences_of(const int64_t* indices, const int32_t* values, int64_t count, int64_t row, std::vector<std::vector<int32_t>>& out) {
  for (int64_t i = 0; i < count; i++, indices += row) {
    if (indices[0] < 0 || indices[0] >= int64_t(out.size())) return false;
    if (i && !std::lexicographical_compare(indices - row, indices, indices, indices + row)) return false;
    if (!i && *std::min_element(indices, indices + row) < 0) return false;
    out[size_t(indices[0])].push_back(values[i]);
  }
  return true;
}

// The labels up to the first that is no class, of which none may follow; false where one is refused.
bool choose(std::vector<int32_t>& labels, int64_t classes, bool collapses) {
  if (labels.empty()) return false;
  size_t known = 0;
  while (known < labels.size() && labels[known] < classes - 1) known++;
  for (size_t k = 0; k < labels.size(); k++)
    if (labels[k] < 0 || (k > known && labels[k] < classes - 1)) return false;
  labels.resize(known);
  if (collapses) labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return true;
}

// rows: times, cols: classes, k: sequences; extra: options, how many labels, how many numbers an index has.
template <class T>
int64_t ctc_kernel(const Step& step, Frame& frame) {
  T* losses = step.as<T>(0, frame);
  T* gradient = step.as<T>(1, frame);
  const T* scores = step.as<const T>(2, frame);
  const int32_t* lengths = reinterpret_cast<const int32_t*>(step.at_more(0, frame));
  const int64_t options = step.extra[0], stride = step.k * step.cols;
  std::vector<std::vector<int32_t>> sequences(size_t(step.k));
  if (!sequences_of(step.as<const int64_t>(3, frame), step.as<const int32_t>(4, frame), step.extra[1], step.extra[2], sequences))
    return 1;
  std::fill(gradient, gradient + step.rows * stride, T(0));
  for (int64_t b = 0; b < step.k; b++) {
    const int64_t times = lengths[b];
    std::vector<int32_t>& labels = sequences[size_t(b)];
    if (times < 0 || times > step.rows || !choose(labels, step.cols, options & kCollapse)) return b + 1;
    const bool fits = int64_t(labels.size()) <= times;
    if (!fits && !(options & kIgnore)) return b + 1;
    losses[b] = 0;
    if (!fits || !times) continue;
    Paths paths(labels, step.cols - 1, options & kMerge);
    losses[b] = T(paths.run(scores + b * step.cols, gradient + b * step.cols, times, step.cols, stride));
  }
  return 0;
}

void ctc_loss(Planner& p, const Instruction& i) {
  const View inputs = p.dense(p.in(i, 0)), indices = p.dense(p.in(i, 1)), values = p.dense(p.in(i, 2)), ends = p.dense(p.in(i, 3));
  require(i.ints.size() == 1 && inputs.rank == 3 && indices.rank == 2 && values.rank == 1 && ends.rank == 1,
          "inputs are times of sequences of classes");
  require(indices.dims[0] == values.dims[0] && indices.dims[1] > 0, "a label has a place");
  require(inputs.elements() > 0 && ends.dims[0] == inputs.dims[1], "a sequence has a length");
  const View scores = p.make_like(inputs), gradient = p.make_like(inputs), losses = p.make(inputs.dtype, 1, &inputs.dims[1]);
  p.out(i, 0, losses);
  p.out(i, 1, gradient);
  const double elements = double(inputs.elements());
  Step& rows = p.emit(kernels().rows[rows_log_softmax][inputs.dtype], elements * 2);
  p.operand(rows, 0, scores);
  p.operand(rows, 1, inputs);
  rows.cols = inputs.dims[2];
  rows.rows = inputs.dims[0] * inputs.dims[1];
  const double states = 2 * double(values.elements()) + double(inputs.dims[1]);
  Step& step = p.emit(inputs.dtype == F64 ? ctc_kernel<double> : ctc_kernel<float>, elements * 6 + states * double(inputs.dims[0]) * 30);
  p.operand(step, 0, losses);
  p.operand(step, 1, gradient);
  p.operand(step, 2, scores);
  p.operand(step, 3, indices);
  p.operand(step, 4, values);
  p.more(step, {ends});
  step.rows = inputs.dims[0];
  step.k = inputs.dims[1];
  step.cols = inputs.dims[2];
  step.extra = p.keep({i.ints[0], values.elements(), indices.dims[1]});
}

}  // namespace

const std::vector<Lowering>& ctc_lowerings() {
  static const std::vector<Lowering> rows = {{"ctc_loss", ctc_loss}};
  return rows;
}

}  // namespace headrace
