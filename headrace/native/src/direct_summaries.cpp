// Direct calls of summaries: values counted in buckets, as a HistogramProto's bytes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "direct.h"

namespace headrace {
namespace {

// Fewer values than this are counted faster than the interpreter is left and entered again.
constexpr int64_t kWithinInterpreter = 4096;

// The upper limits of the buckets: powers of 1.1 from 1e-12 on, on both sides of zero.
const std::vector<double>& bucket_limits() {
  static const std::vector<double> limits = [] {
    std::vector<double> above, all;
    for (double limit = 1e-12; limit < 1e20; limit *= 1.1) above.push_back(limit);
    above.push_back(std::numeric_limits<double>::max());
    for (auto limit = above.rbegin(); limit != above.rend(); ++limit) all.push_back(-*limit);
    all.push_back(0.0);
    all.insert(all.end(), above.begin(), above.end());
    return all;
  }();
  return limits;
}

// By the first 16 bits of a double, the bucket in which the smallest of such numbers lies: these bits are the sign, the
// exponent and four digits, so numbers that share them are at most 1/16 apart and lie in this bucket or in the next.
const std::vector<int32_t>& first_buckets() {
  static const std::vector<int32_t> table = [] {
    const std::vector<double>& limits = bucket_limits();
    std::vector<int32_t> made(size_t(1) << 16);
    for (uint64_t bits = 0; bits < made.size(); bits++) {
      // The same bits and ones are further from zero, so of negative numbers the smallest.
      const uint64_t whole = bits << 48 | (bits >> 15 ? (uint64_t(1) << 48) - 1 : 0);
      double smallest;
      std::memcpy(&smallest, &whole, sizeof smallest);
      made[bits] = int32_t(std::upper_bound(limits.begin(), limits.end(), smallest) - limits.begin());
    }
    return made;
  }();
  return table;
}

struct Histogram {
  double least = std::numeric_limits<double>::max(), most = std::numeric_limits<double>::lowest();
  double count = 0, sum = 0, squares = 0;
  std::vector<double> buckets;
};

// False where a value is no number or infinite.
template <class T>
bool counted(const T* values, int64_t n, Histogram& made) {
  const std::vector<double>& limits = bucket_limits();
  const std::vector<int32_t>& table = first_buckets();
  const size_t last = limits.size() - 1;
  made.buckets.assign(limits.size(), 0.0);
  for (int64_t i = 0; i < n; i++) {
    const double x = double(values[i]);
    if (!std::isfinite(x)) return false;
    uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    size_t at = std::min(size_t(table[bits >> 48]), last);
    // The largest double has no limit above it; it belongs to the last bucket.
    if (at < last && x >= limits[at]) at++;
    made.buckets[at]++;
    made.least = std::min(made.least, x);
    made.most = std::max(made.most, x);
    made.sum += x;
    made.squares += x * x;
  }
  made.count = double(n);
  return true;
}

void put_number(std::string& to, int field, double value) {
  to.push_back(char(field << 3 | 1));
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_numbers(std::string& to, int field, const std::vector<double>& values) {
  to.push_back(char(field << 3 | 2));
  size_t bytes = values.size() * sizeof(double);
  for (; bytes >= 128; bytes >>= 7) to.push_back(char(bytes | 128));
  to.push_back(char(bytes));
  to.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

// Of neighbouring empty buckets one is left, with the last one's limit.
std::string message_of(const Histogram& made) {
  const std::vector<double>& limits = bucket_limits();
  std::vector<double> kept_limits, kept;
  for (size_t i = 0; i < limits.size(); i++)
    if (i + 1 == limits.size() || made.buckets[i] > 0 || made.buckets[i + 1] > 0) {
      kept_limits.push_back(limits[i]);
      kept.push_back(made.buckets[i]);
    }
  std::string text;
  put_number(text, 1, made.least);
  put_number(text, 2, made.most);
  put_number(text, 3, made.count);
  put_number(text, 4, made.sum);
  put_number(text, 5, made.squares);
  put_numbers(text, 6, kept_limits);
  put_numbers(text, 7, kept);
  return text;
}

// histogram(values): the message of finite values.
PyObject* histogram(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block values;
  if (!takes(count, 1)) return nullptr;
  if (!read_large_block(args[0], values) || !values.is_float()) return declined();
  const int64_t n = values.elements();
  Histogram made;
  PyThreadState* const left = n > kWithinInterpreter ? PyEval_SaveThread() : nullptr;
  const bool finite = values.dtype == F32 ? counted(values.as<float>(), n, made) : counted(values.as<double>(), n, made);
  if (left) PyEval_RestoreThread(left);
  if (!finite) return declined();
  const std::string text = message_of(made);
  return PyBytes_FromStringAndSize(text.data(), Py_ssize_t(text.size()));
}

const Direct kRows[] = {{"histogram", histogram}};

}  // namespace

const DirectTable kSummaryCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
