// Direct calls on texts: comparing, hashing, looking up, crossing.
#include <algorithm>
#include <cstring>

#include "direct.h"

namespace headrace {
namespace {

// ---- FarmHash's Hash64 of namespace farmhashna (G. Pike, github.com/google/farmhash), as kernels/string/fingerprint.py has it

constexpr uint64_t kFirst = 0xC3A5C85C97CB3127u, kSecond = 0xB492B66FBE98F273u, kThird = 0x9AE16A3B2F90404Fu;

inline uint64_t word(const char* at) {
  uint64_t value;
  std::memcpy(&value, at, 8);
  return value;
}
inline uint64_t half_word(const char* at) {
  uint32_t value;
  std::memcpy(&value, at, 4);
  return value;
}
inline uint64_t rotated(uint64_t value, int shift) { return value >> shift | value << (64 - shift); }
inline uint64_t mixed(uint64_t value) { return value ^ value >> 47; }
inline uint64_t joined(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = mixed((u ^ v) * factor);
  return mixed((v ^ a) * factor) * factor;
}

uint64_t up_to_16(const char* s, uint64_t size) {
  if (size >= 8) {
    const uint64_t factor = kThird + size * 2, a = word(s) + kThird, b = word(s + size - 8);
    return joined(rotated(b, 37) * factor + a, (rotated(a, 25) + b) * factor, factor);
  }
  if (size >= 4) return joined(size + (half_word(s) << 3), half_word(s + size - 4), kThird + size * 2);
  if (!size) return kThird;
  const auto byte = [&](uint64_t at) { return uint64_t(uint8_t(s[at])); };
  const uint64_t y = byte(0) + (byte(size >> 1) << 8), z = size + (byte(size - 1) << 2);
  return mixed(y * kThird ^ z * kFirst) * kThird;
}

uint64_t up_to_32(const char* s, uint64_t size) {
  const uint64_t factor = kThird + size * 2;
  const uint64_t a = word(s) * kSecond, b = word(s + 8), c = word(s + size - 8) * factor, d = word(s + size - 16) * kThird;
  return joined(rotated(a + b, 43) + rotated(c, 30) + d, a + rotated(b + kThird, 18) + c, factor);
}

uint64_t up_to_64(const char* s, uint64_t size) {
  const uint64_t factor = kThird + size * 2;
  const uint64_t a = word(s) * kThird, b = word(s + 8), c = word(s + size - 8) * factor, d = word(s + size - 16) * kThird;
  const uint64_t y = rotated(a + b, 43) + rotated(c, 30) + d, z = joined(y, a + rotated(b + kThird, 18) + c, factor);
  const uint64_t e = word(s + 16) * factor, f = word(s + 24);
  const uint64_t g = (y + word(s + size - 32)) * factor, h = (z + word(s + size - 24)) * factor;
  return joined(rotated(e + f, 43) + rotated(g, 30) + h, e + rotated(f + a, 18) + g, factor);
}

struct Pair {
  uint64_t first, second;
};
Pair weak(const char* s, uint64_t a, uint64_t b) {
  const uint64_t w = word(s), x = word(s + 8), y = word(s + 16), z = word(s + 24);
  a += w;
  b = rotated(b + a + z, 21);
  const uint64_t c = a;
  a += x + y;
  b += rotated(a, 44);
  return {a + z, b + c};
}

uint64_t longer(const char* s, uint64_t size) {
  uint64_t x = 81, y = 81 * kSecond + 113, z = mixed(y * kThird + 113) * kThird, factor = kSecond;
  Pair v{0, 0}, w{0, 0};
  x = x * kThird + word(s);
  // All whole blocks but the last, which counts as the end even where it is whole.
  for (const char *at = s, *end = s + (size - 1) / 64 * 64; at != end; at += 64) {
    x = rotated(x + y + v.first + word(at + 8), 37) * factor;
    y = rotated(y + v.second + word(at + 48), 42) * factor;
    x ^= w.second;
    y += v.first + word(at + 40);
    z = rotated(z + w.first, 33) * factor;
    v = weak(at, v.second * factor, x + w.first);
    w = weak(at + 32, z + w.second, y + word(at + 16));
    std::swap(z, x);
  }
  // The last 64 bytes, which may overlap the block before, with other factors.
  const char* const at = s + size - 64;
  factor = kSecond + ((z & 0xFF) << 1);
  w.first += (size - 1) & 63;
  v.first += w.first;
  w.first += v.first;
  x = rotated(x + y + v.first + word(at + 8), 37) * factor;
  y = rotated(y + v.second + word(at + 48), 42) * factor;
  x ^= w.second * 9;
  y += v.first * 9 + word(at + 40);
  z = rotated(z + w.first, 33) * factor;
  v = weak(at, v.second * factor, x + w.first);
  w = weak(at + 32, z + w.second, y + word(at + 16));
  std::swap(z, x);
  return joined(joined(v.first, w.first, factor) + mixed(y) * kFirst + z, joined(v.second, w.second, factor) + x, factor);
}

uint64_t fingerprint(const Bytes& text) {
  const uint64_t size = uint64_t(text.size);
  if (size <= 16) return up_to_16(text.data, size);
  if (size <= 32) return up_to_32(text.data, size);
  if (size <= 64) return up_to_64(text.data, size);
  return longer(text.data, size);
}

bool read_fingerprints(const Texts& texts, uint64_t* to) {
  Bytes bytes;
  for (int64_t i = 0, n = texts.elements(); i < n; i++) {
    if (!read_bytes(texts[i], bytes)) return false;
    to[i] = fingerprint(bytes);
  }
  return true;
}

// ---- MurmurHash64A with TensorFlow's seed, and SipHash-2-4 (Aumasson and Bernstein 2012)

// Up to seven bytes, the first the lowest.
inline uint64_t last_bytes(const char* at, int64_t size) {
  uint64_t value = 0;
  for (int64_t k = 0; k < size; k++) value |= uint64_t(uint8_t(at[k])) << 8 * k;
  return value;
}

constexpr uint64_t kMurmur = 0xC6A4A7935BD1E995u;

uint64_t murmur(const Bytes& text) {
  uint64_t result = 0xDECAFCAFFEu ^ uint64_t(text.size) * kMurmur;
  const char *at = text.data, *const end = at + text.size;
  for (; end - at >= 8; at += 8) result = (result ^ mixed(word(at) * kMurmur) * kMurmur) * kMurmur;
  if (at < end) result = (result ^ last_bytes(at, end - at)) * kMurmur;
  return mixed(mixed(result) * kMurmur);
}

struct Sip {
  uint64_t a, b, c, d;

  void round() {
    a += b, c += d;
    b = rotated(b, 51) ^ a, d = rotated(d, 48) ^ c;
    a = rotated(a, 32);
    c += b, a += d;
    b = rotated(b, 47) ^ c, d = rotated(d, 43) ^ a;
    c = rotated(c, 32);
  }
  void take(uint64_t value) {
    d ^= value;
    round(), round();
    a ^= value;
  }
};

uint64_t sip(const Bytes& text, uint64_t first, uint64_t second) {
  Sip state{first ^ 0x736F6D6570736575u, second ^ 0x646F72616E646F6Du, first ^ 0x6C7967656E657261u,
            second ^ 0x7465646279746573u};
  const char *at = text.data, *const end = at + text.size;
  for (; end - at >= 8; at += 8) state.take(word(at));
  state.take(last_bytes(at, end - at) | uint64_t(text.size) << 56);
  state.c ^= 0xFF;
  for (int k = 0; k < 4; k++) state.round();
  return state.a ^ state.b ^ state.c ^ state.d;
}

// ---- buckets

// A number of 64 bits, with a sign or without one.
bool read_word(PyObject* number, uint64_t& to) {
  to = PyLong_AsUnsignedLongLongMask(number);
  return !PyErr_Occurred();
}

// The remainders of hashes.
template <class F>
PyObject* buckets_by(PyObject* object, PyObject* number, const F& hash) {
  uint64_t buckets;
  if (!read_word(number, buckets)) return nullptr;
  Texts texts;
  Bytes bytes;
  if (!buckets || !read_texts(object, texts)) return declined();
  Block out;
  Reference tensor(make_tensor(I64, texts.rank, texts.dims, out));
  if (!tensor.object) return nullptr;
  for (int64_t i = 0, n = texts.elements(); i < n; i++) {
    if (!read_bytes(texts[i], bytes)) return declined();
    out.as<uint64_t>()[i] = hash(bytes) % buckets;
  }
  return tensor.release();
}

// fingerprint_buckets(texts, buckets)
PyObject* fingerprint_buckets(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return takes(count, 2) ? buckets_by(args[0], args[1], fingerprint) : nullptr;
}

// murmur_buckets(texts, buckets)
PyObject* murmur_buckets(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return takes(count, 2) ? buckets_by(args[0], args[1], murmur) : nullptr;
}

// sip_buckets(texts, buckets, first, second): the numbers are the key's.
PyObject* sip_buckets(PyObject*, PyObject* const* args, Py_ssize_t count) {
  uint64_t first, second;
  if (!takes(count, 4) || !read_word(args[2], first) || !read_word(args[3], second)) return nullptr;
  return buckets_by(args[0], args[1], [=](const Bytes& text) { return sip(text, first, second); });
}

// ---- comparing

// texts_differ(x, one): whether each text is another than the one.
PyObject* texts_differ(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 2)) return nullptr;
  Texts texts, other;
  Bytes one, bytes;
  if (!read_texts(args[0], texts) || !read_texts(args[1], other) || other.rank || !read_bytes(other[0], one)) return declined();
  Block out;
  Reference tensor(make_tensor(BOOL, texts.rank, texts.dims, out));
  if (!tensor.object) return nullptr;
  for (int64_t i = 0, n = texts.elements(); i < n; i++) {
    if (!read_bytes(texts[i], bytes)) return declined();
    out.as<uint8_t>()[i] = bytes.size != one.size || std::memcmp(bytes.data, one.data, size_t(one.size));
  }
  return tensor.release();
}

// ---- joining

// join_rows(texts, separator, keep): the texts along the last axis joined, which stays as one of size 1 or goes.
PyObject* join_rows(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 3)) return nullptr;
  Texts texts;
  Bytes separator, bytes;
  if (!read_texts(args[0], texts) || !read_bytes(args[1], separator) || texts.rank < 1) return declined();
  const int64_t n = texts.elements(), width = texts.dims[texts.rank - 1];
  if (!n) return declined();
  int64_t all = 0;
  for (int64_t i = 0; i < n; i++) {
    if (!read_bytes(texts[i], bytes)) return declined();
    all += bytes.size;
  }
  if (all + n * separator.size > (int64_t(1) << 30)) return declined();
  int64_t dims[kMaxRank];
  std::copy(texts.dims, texts.dims + texts.rank, dims);
  dims[texts.rank - 1] = 1;
  PyObject** items;
  Reference array(make_texts(args[2] == Py_True ? texts.rank : texts.rank - 1, dims, items));
  if (!array.object) return nullptr;
  std::string joined;
  for (int64_t row = 0; row < n / width; row++) {
    joined.clear();
    for (int64_t k = 0; k < width; k++) {
      read_bytes(texts[row * width + k], bytes);
      if (k) joined.append(separator.data, size_t(separator.size));
      joined.append(bytes.data, size_t(bytes.size));
    }
    Reference made(PyBytes_FromStringAndSize(joined.data(), Py_ssize_t(joined.size())));
    if (!made.object) return nullptr;
    put(items + row, made.object);
  }
  return array.release();
}

// ---- looking up

// find(contents, keys, default): the integers that a dict has for texts.
PyObject* find(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 3)) return nullptr;
  Texts keys;
  Block filler, out;
  if (!PyDict_Check(args[0]) || !read_texts(args[1], keys) || !read_block(args[2], filler) || filler.rank ||
      filler.dtype != I64)
    return declined();
  Reference tensor(make_tensor(I64, keys.rank, keys.dims, out));
  if (!tensor.object) return nullptr;
  for (int64_t i = 0, n = keys.elements(); i < n; i++) {
    if (!keys[i] || !PyBytes_Check(keys[i])) return declined();
    PyObject* const found = PyDict_GetItemWithError(args[0], keys[i]);
    const long long value = found && PyLong_Check(found) ? PyLong_AsLongLong(found) : 0;
    if (PyErr_Occurred()) return nullptr;
    if (found && !PyLong_Check(found)) return declined();
    out.as<int64_t>()[i] = found ? int64_t(value) : filler.as<int64_t>()[0];
  }
  return tensor.release();
}

// ---- crossing

struct Column {
  std::vector<uint64_t> numbers;
  std::vector<int64_t> starts;  // of each row, and where the last ends
};

bool read_numbers(PyObject* object, std::vector<uint64_t>& numbers, int& rank, int64_t* dims) {
  Texts texts;
  if (read_texts(object, texts)) {
    rank = texts.rank;
    std::copy(texts.dims, texts.dims + rank, dims);
    numbers.resize(size_t(texts.elements()));
    return read_fingerprints(texts, numbers.data());
  }
  Block block;
  if (!read_block(object, block) || block.dtype != I64) return false;
  rank = block.rank;
  std::copy(block.dims, block.dims + rank, dims);
  numbers.assign(block.as<uint64_t>(), block.as<uint64_t>() + block.elements());
  return true;
}

bool read_sparse_column(PyObject* indices_object, PyObject* values, PyObject* shape_object, int64_t& batch, Column& column) {
  Block indices, shape;
  int rank;
  int64_t dims[kMaxRank];
  if (!read_block(indices_object, indices) || !read_block(shape_object, shape) || !read_numbers(values, column.numbers, rank, dims))
    return false;
  if (indices.dtype != I64 || indices.rank != 2 || indices.dims[1] != 2 || shape.dtype != I64 || shape.rank != 1 ||
      shape.dims[0] != 2 || rank != 1 || dims[0] != indices.dims[0])
    return false;
  const int64_t rows = shape.as<int64_t>()[0];
  if (rows < 0 || rows > kMostElements || (batch >= 0 && rows != batch)) return false;
  batch = rows;
  column.starts.assign(size_t(batch) + 1, 0);
  for (int64_t i = 0, before = 0; i < dims[0]; i++) {
    const int64_t row = indices.as<int64_t>()[2 * i];
    if (row < before || row >= batch) return false;
    before = row;
    column.starts[size_t(row) + 1]++;
  }
  for (int64_t row = 0; row < batch; row++) column.starts[size_t(row) + 1] += column.starts[size_t(row)];
  return true;
}

bool read_dense_column(PyObject* values, int64_t& batch, Column& column) {
  int rank;
  int64_t dims[kMaxRank];
  if (!read_numbers(values, column.numbers, rank, dims) || rank != 2 || (batch >= 0 && dims[0] != batch)) return false;
  batch = dims[0];
  column.starts.resize(size_t(batch) + 1);
  for (int64_t row = 0; row <= batch; row++) column.starts[size_t(row)] = row * dims[1];
  return true;
}

// A step of MurmurHash64A over the fingerprint of what came before.
inline uint64_t chained(uint64_t first, uint64_t second) {
  return mixed(mixed((first ^ kMurmur ^ mixed(second * kMurmur) * kMurmur) * kMurmur) * kMurmur);
}

// hashed_cross(first, buckets, sparse columns, *indices, *values, *shapes, *dense): the outputs of SparseCross where it hashes.
PyObject* hashed_cross(PyObject*, PyObject* const* args, Py_ssize_t count) {
  uint64_t first, buckets;
  if (count < 3 && !takes(count, 3)) return nullptr;
  if (!read_word(args[0], first) || !read_word(args[1], buckets)) return nullptr;
  const Py_ssize_t sparse = PyLong_AsSsize_t(args[2]);
  if (PyErr_Occurred()) return nullptr;
  if (sparse < 0 || count < 3 + 3 * sparse || count == 3 || !buckets) return declined();
  std::vector<Column> columns(static_cast<size_t>(count - 3 - 2 * sparse));
  int64_t batch = -1;
  for (Py_ssize_t k = 0; k < sparse; k++)
    if (!read_sparse_column(args[3 + k], args[3 + sparse + k], args[3 + 2 * sparse + k], batch, columns[size_t(k)]))
      return declined();
  for (Py_ssize_t k = sparse; k < Py_ssize_t(columns.size()); k++)
    if (!read_dense_column(args[3 + 2 * sparse + k], batch, columns[size_t(k)])) return declined();
  int64_t total = 0, widest = 0;
  for (int64_t row = 0; row < batch; row++) {
    int64_t combinations = 1;
    for (const Column& column : columns) {
      const int64_t features = column.starts[size_t(row) + 1] - column.starts[size_t(row)];
      if (__builtin_mul_overflow(combinations, features, &combinations)) return declined();
    }
    widest = std::max(widest, combinations);
    if (combinations > kMostElements || (total += combinations) > kMostElements) return declined();
  }
  Block indices, values, shape;
  Reference made(make_tensor(I64, {total, 2}, indices)), crossed(make_tensor(I64, {total}, values)),
      sizes(make_tensor(I64, {2}, shape));
  if (!made.object || !crossed.object || !sizes.object) return nullptr;
  shape.as<int64_t>()[0] = batch;
  shape.as<int64_t>()[1] = widest;
  int64_t* at = indices.as<int64_t>();
  uint64_t* to = values.as<uint64_t>();
  std::vector<uint64_t> level, wider;
  for (int64_t row = 0; row < batch; row++) {
    // Of all combinations of the columns so far, those of the last one side by side.
    level.assign(1, first);
    for (const Column& column : columns) {
      wider.clear();
      for (uint64_t so_far : level)
        for (int64_t k = column.starts[size_t(row)]; k < column.starts[size_t(row) + 1]; k++)
          wider.push_back(chained(so_far, column.numbers[size_t(k)]));
      level.swap(wider);
    }
    for (size_t place = 0; place < level.size(); place++) {
      *at++ = row;
      *at++ = int64_t(place);
      *to++ = level[place] % buckets;
    }
  }
  return together({made.release(), crossed.release(), sizes.release()});
}

const Direct kRows[] = {
    {"fingerprint_buckets", fingerprint_buckets},
    {"murmur_buckets", murmur_buckets},
    {"sip_buckets", sip_buckets},
    {"texts_differ", texts_differ},
    {"join_rows", join_rows},
    {"find", find},
    {"hashed_cross", hashed_cross},
};

}  // namespace

const DirectTable kTextCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
