// Direct calls that read texts: as numbers, and as parts.
#include "direct.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace headrace {
namespace {

// ---- numbers

constexpr int kMostDigits = 19;  // that an integer of 64 bits holds whatever they are
// Powers of ten that are floating numbers.
constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                            1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

struct Decimal {
  bool negative = false, signed_plus = false, whole = true;  // whole: digits alone
  uint64_t digits = 0;
  int64_t exponent = 0;
};

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A text of a sign, digits with a point among them and an exponent, all that is there of it; false for any other, and for more
// digits than fit.
bool read_decimal(const Bytes& text, Decimal& number) {
  const char *p = text.data, *const end = p + text.size;
  if (p < end && (*p == '-' || *p == '+')) {
    number.negative = *p == '-', number.signed_plus = *p == '+';
    p++;
  }
  int significant = 0;
  bool any = false, pointed = false;
  for (; p < end; p++) {
    if (*p == '.' && !pointed) {
      pointed = true, number.whole = false;
      continue;
    }
    if (!is_digit(*p)) break;
    any = true;
    if (number.digits || *p != '0')
      if (++significant > kMostDigits) return false;
    number.digits = number.digits * 10 + uint64_t(*p - '0');
    if (pointed) number.exponent--;
  }
  if (!any) return false;
  if (p < end && (*p == 'e' || *p == 'E')) {
    number.whole = false;
    const bool down = ++p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end || end - p > 4) return false;
    int64_t exponent = 0;
    for (; p < end && is_digit(*p); p++) exponent = exponent * 10 + (*p - '0');
    number.exponent += down ? -exponent : exponent;
  }
  return p == end;
}

// Where digits and power of ten are floating numbers, their product or quotient is the nearest one (Clinger 1990).
bool read_float(const Bytes& text, double& to) {
  Decimal number;
  if (!read_decimal(text, number) || number.digits > (uint64_t(1) << 53)) return false;
  const int64_t last = int64_t(kPowers.size()) - 1;
  double value = double(number.digits);
  if (number.digits) {
    if (number.exponent < -last || number.exponent > last) return false;
    value = number.exponent < 0 ? value / kPowers[size_t(-number.exponent)] : value * kPowers[size_t(number.exponent)];
  }
  to = number.negative ? -value : value;
  return true;
}

template <class T>
bool read_integer(const Bytes& text, T& to) {
  Decimal number;
  if (!read_decimal(text, number) || !number.whole || number.signed_plus) return false;
  if (number.digits > uint64_t(std::numeric_limits<T>::max())) return false;
  to = number.negative ? T(-T(number.digits)) : T(number.digits);
  return true;
}

template <class T, class F>
bool read_all(const Texts& texts, T* to, const F& read) {
  Bytes bytes;
  for (int64_t i = 0, n = texts.elements(); i < n; i++)
    if (!read_bytes(texts[i], bytes) || !read(bytes, to[i])) return false;
  return true;
}

// numbers_of_texts(texts, kind): the numbers that plain texts write: 0 float32, 1 float64, 2 int32, 3 int64.
PyObject* numbers_of_texts(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 2)) return nullptr;
  const int64_t kind = PyLong_AsLongLong(args[1]);
  if (PyErr_Occurred()) return nullptr;
  Texts texts;
  if (kind < 0 || kind > 3 || !read_texts(args[0], texts)) return declined();
  constexpr DType kTypes[] = {F32, F64, I32, I64};
  Block out;
  Reference tensor(make_tensor(kTypes[kind], texts.rank, texts.dims, out));
  if (!tensor.object) return nullptr;
  bool all = false;
  if (kind == 0)
    // No plain text of so few digits is too small or too large for it.
    all = read_all(texts, out.as<float>(), [](const Bytes& text, float& to) {
      double value;
      const bool is_number = read_float(text, value);
      if (is_number) to = float(value);
      return is_number;
    });
  else if (kind == 1) all = read_all(texts, out.as<double>(), read_float);
  else if (kind == 2) all = read_all(texts, out.as<int32_t>(), read_integer<int32_t>);
  else all = read_all(texts, out.as<int64_t>(), read_integer<int64_t>);
  return all ? tensor.release() : declined();
}

// ---- parts

// Calls `take(begin, end)` for each part of a text.
template <class F>
void for_parts(const Bytes& text, const std::array<bool, 256>& separates, bool skip_empty, const F& take) {
  const char *begin = text.data, *const end = text.data + text.size;
  for (const char* p = begin; p < end; p++)
    if (separates[static_cast<unsigned char>(*p)]) {
      if (p > begin || !skip_empty) take(begin, p);
      begin = p + 1;
    }
  if (end > begin || !skip_empty) take(begin, end);
}

// split_rows(texts, separators, skip_empty, keep_empty_texts): the parts of a vector of texts between any of these bytes as a
// sparse tensor. A text without any byte has one part, which is empty, or none.
PyObject* split_rows(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 4)) return nullptr;
  Texts texts, given;
  Bytes separators, bytes;
  if (!read_texts(args[0], texts) || texts.rank != 1 || !read_texts(args[1], given) || given.rank ||
      !read_bytes(given[0], separators) || !separators.size)
    return declined();
  const bool skip_empty = args[2] == Py_True, keep_empty = args[3] == Py_True;
  std::array<bool, 256> separates{};
  for (int64_t i = 0; i < separators.size; i++) separates[static_cast<unsigned char>(separators.data[i])] = true;
  const int64_t rows = texts.dims[0];
  int64_t total = 0, widest = 0;
  const auto parts_of = [&](int64_t row, const auto& take) {
    read_bytes(texts[row], bytes);
    if (bytes.size || keep_empty) for_parts(bytes, separates, skip_empty, take);
  };
  for (int64_t row = 0; row < rows; row++) {
    if (!read_bytes(texts[row], bytes)) return declined();
    int64_t parts = 0;
    parts_of(row, [&parts](const char*, const char*) { parts++; });
    total += parts, widest = std::max(widest, parts);
  }
  Block indices, shape;
  PyObject** items;
  Reference places(make_tensor(I64, {total, 2}, indices)), sizes(make_tensor(I64, {2}, shape)),
      values(make_texts(1, &total, items));
  if (!places.object || !sizes.object || !values.object) return nullptr;
  shape.as<int64_t>()[0] = rows, shape.as<int64_t>()[1] = widest;
  int64_t* at = indices.as<int64_t>();
  // Python may have run meanwhile, and have put other texts there.
  int64_t left = total;
  for (int64_t row = 0; row < rows; row++) {
    int64_t column = 0;
    if (!read_bytes(texts[row], bytes)) return declined();
    parts_of(row, [&](const char* begin, const char* end) {
      if (left < 1) return;
      PyObject* part = PyBytes_FromStringAndSize(begin, end - begin);
      if (!part) {
        left = 0;
        return;
      }
      put(items++, part);
      Py_DECREF(part);
      *at++ = row, *at++ = column++, left--;
    });
    if (PyErr_Occurred()) return nullptr;
  }
  return left ? declined() : together({places.release(), values.release(), sizes.release()});
}

const Direct kRows[] = {
    {"numbers_of_texts", numbers_of_texts},
    {"split_rows", split_rows},
};

}  // namespace

const DirectTable kTextPartCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
