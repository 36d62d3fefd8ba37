// A direct call that reads features of serialized Examples (tensorflow.Example, proto3): fields are a tag, its number times eight
// plus the way it is written, and its contents.
//
//   Example { Features features = 1; }            Features { map<string, Feature> feature = 1; }
//   Feature { BytesList 1 | FloatList 2 | Int64List 3 }    each list { repeated value = 1; }, numbers mostly packed
//
// What is written otherwise than serializers write it is declined.
#include "direct.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

namespace headrace {
namespace {

constexpr uint8_t kMessage = 1 << 3 | 2;  // a first field with a length before it
constexpr uint8_t kValue = 2 << 3 | 2;
constexpr uint8_t kSingleInt = 1 << 3 | 0, kSingleFloat = 1 << 3 | 5;
// The tags of a Feature's lists; the numbers of the kinds of columns are their places here.
constexpr uint8_t kLists[] = {1 << 3 | 2, 2 << 3 | 2, 3 << 3 | 2};
constexpr int kStrings = 0, kFloats = 1;

struct Span {
  const uint8_t *at = nullptr, *end = nullptr;
  bool empty() const { return at == end; }
  int64_t size() const { return end - at; }
};

// The varint at the beginning, which is taken off; false if there is none of up to ten bytes.
bool take_varint(Span& from, uint64_t& to) {
  to = 0;
  for (int shift = 0; shift < 70 && !from.empty(); shift += 7) {
    const uint64_t byte = *from.at++;
    to |= (byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

// The contents of the field at the beginning, which is taken off, if it has this tag and lies inside.
bool take_field(Span& from, uint8_t tag, Span& contents) {
  uint64_t length;
  if (from.empty() || *from.at != tag) return false;
  from.at++;
  if (!take_varint(from, length) || length > uint64_t(from.size())) return false;
  contents = {from.at, from.at + length};
  from.at += length;
  return true;
}

bool is_ascii(const Span& text) {
  return std::all_of(text.at, text.end, [](uint8_t c) { return c < 128; });
}

// The list of a Feature and its kind; -1 for a Feature without one. False for any other.
bool read_feature(Span feature, Span& list, int& kind) {
  kind = -1;
  if (feature.empty()) return true;
  for (int k = 0; k < 3; k++)
    if (*feature.at == kLists[k]) kind = k;
  return kind >= 0 && take_field(feature, kLists[kind], list) && feature.empty();
}

struct Column {
  std::string_view key;
  int kind;
  Py_ssize_t place;              // among the columns that were asked for
  std::vector<Span> lists;       // of each record
  std::vector<int64_t> missing;  // records without the feature
  bool found;                    // in this record
};

// `columns` are in the order of their keys.
bool read_record(Span record, int64_t index, std::vector<Column>& columns) {
  for (Column& column : columns) column.found = false;
  Span features, entry, key, feature, list;
  if (!record.empty() && (!take_field(record, kMessage, features) || !record.empty())) return false;
  while (!features.empty()) {
    int kind;
    if (!take_field(features, kMessage, entry) || !take_field(entry, kMessage, key) || !take_field(entry, kValue, feature) ||
        !entry.empty() || !read_feature(feature, list, kind) || !is_ascii(key))
      return false;
    const std::string_view name(reinterpret_cast<const char*>(key.at), size_t(key.size()));
    auto column = std::lower_bound(columns.begin(), columns.end(), name,
                                   [](const Column& each, std::string_view wanted) { return each.key < wanted; });
    for (; column != columns.end() && column->key == name; ++column) {
      // Of a key that comes again the last feature counts.
      if (column->found || (kind >= 0 && kind != column->kind)) return false;
      column->found = true;
      if (kind >= 0) column->lists.push_back(list);
    }
  }
  for (Column& column : columns)
    if (int64_t(column.lists.size()) <= index) column.lists.emplace_back(), column.missing.push_back(index);
  return true;
}

// Calls `take(span)` for each string, or each run of numbers; false for what is no such list.
template <class F>
bool for_parts(int kind, Span list, const F& take) {
  Span part;
  const uint8_t single = kind == kFloats ? kSingleFloat : kSingleInt;
  while (!list.empty()) {
    if (*list.at == kMessage) {
      if (!take_field(list, kMessage, part)) return false;
    } else if (kind == kStrings || *list.at != single) {
      return false;
    } else {
      part.at = ++list.at;
      uint64_t number;
      if (kind == kFloats) {
        if (list.size() < 4) return false;
        list.at += 4;
      } else if (!take_varint(list, number)) {
        return false;
      }
      part.end = list.at;
    }
    take(part);
  }
  return true;
}

// How many values a list has, or -1 if it is none.
int64_t count_values(int kind, const Span& list) {
  int64_t count = 0;
  bool whole = true;
  const bool is_list = for_parts(kind, list, [&](const Span& part) {
    if (kind == kStrings) count++;
    else if (kind == kFloats) count += part.size() / 4, whole &= part.size() % 4 == 0;
    else {
      for (const uint8_t* p = part.at; p < part.end; p++) count += *p < 128;
      whole &= part.empty() || part.end[-1] < 128;
    }
  });
  return is_list && whole ? count : -1;
}

bool read_ints(const Span& list, int64_t*& to) {
  bool whole = true;
  for_parts(kStrings + 2, list, [&](Span part) {
    while (whole && !part.empty()) {
      uint64_t number;
      whole = take_varint(part, number);
      *to++ = int64_t(number);
    }
  });
  return whole;
}

// The values of a column's lists, one after the other; null, with an error of Python if there is one, where they are no values.
PyObject* read_values(const Column& column, int64_t total) {
  if (column.kind == kStrings) {
    PyObject** items;
    Reference values(make_texts(1, &total, items));
    if (!values.object) return nullptr;
    bool room = true;
    for (const Span& list : column.lists)
      for_parts(kStrings, list, [&](const Span& part) {
        PyObject* text =
            room ? PyBytes_FromStringAndSize(reinterpret_cast<const char*>(part.at), Py_ssize_t(part.size())) : nullptr;
        if (!text) {
          room = false;
          return;
        }
        put(items++, text);
        Py_DECREF(text);
      });
    return room ? values.release() : nullptr;
  }
  Block out;
  Reference values(make_tensor(column.kind == kFloats ? F32 : I64, {total}, out));
  if (!values.object) return nullptr;
  if (column.kind == kFloats) {
    char* to = out.data;
    for (const Span& list : column.lists)
      for_parts(kFloats, list, [&to](const Span& part) {
        if (!part.empty()) std::memcpy(to, part.at, size_t(part.size()));
        to += part.size();
      });
  } else {
    int64_t* to = out.as<int64_t>();
    for (const Span& list : column.lists)
      if (!read_ints(list, to)) return nullptr;
  }
  return values.release();
}

PyObject* list_of(const std::vector<int64_t>& numbers) {
  Reference list(PyList_New(Py_ssize_t(numbers.size())));
  for (size_t k = 0; list.object && k < numbers.size(); k++) {
    PyObject* number = PyLong_FromLongLong(numbers[k]);
    if (!number) return nullptr;
    PyList_SetItem(list.object, Py_ssize_t(k), number);
  }
  return list.release();
}

// What a column found: the values, how many each record has, which records lack the feature.
PyObject* found_by(const Column& column) {
  Block out;
  Reference counts(make_tensor(I64, {int64_t(column.lists.size())}, out));
  if (!counts.object) return nullptr;
  int64_t total = 0, *to = out.as<int64_t>();
  for (const Span& list : column.lists) {
    const int64_t count = count_values(column.kind, list);
    if (count < 0) return nullptr;
    *to++ = count, total += count;
  }
  Reference values(read_values(column, total));
  if (!values.object) return nullptr;
  return together({values.release(), counts.release(), list_of(column.missing)});
}

// features_of_examples(records, keys, kinds): for each key what the records, a list, have under it: a tensor or array of all
// values, a tensor of how many each has, and a list of the records without it. Kinds are 0 strings, 1 float32, 2 int64.
PyObject* features_of_examples(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 3)) return nullptr;
  if (!PyList_Check(args[0]) || !PyTuple_Check(args[1]) || !PyTuple_Check(args[2]) ||
      PyTuple_Size(args[1]) != PyTuple_Size(args[2]))
    return declined();
  std::vector<Column> columns(size_t(PyTuple_Size(args[1])));
  for (size_t k = 0; k < columns.size(); k++) {
    const long kind = PyLong_AsLong(PyTuple_GetItem(args[2], Py_ssize_t(k)));
    if (PyErr_Occurred()) return nullptr;
    Bytes key;
    if (kind < 0 || kind > 2 || !read_bytes(PyTuple_GetItem(args[1], Py_ssize_t(k)), key)) return declined();
    columns[k].key = {key.data, size_t(key.size)};
    columns[k].kind = int(kind), columns[k].place = Py_ssize_t(k);
  }
  std::sort(columns.begin(), columns.end(), [](const Column& a, const Column& b) { return a.key < b.key; });
  const Py_ssize_t records = PyList_Size(args[0]);
  for (Column& column : columns) column.lists.reserve(size_t(records));
  for (Py_ssize_t i = 0; i < records; i++) {
    Bytes bytes;
    if (!read_bytes(PyList_GetItem(args[0], i), bytes)) return declined();
    const uint8_t* at = reinterpret_cast<const uint8_t*>(bytes.data);
    if (!read_record({at, at + bytes.size}, i, columns)) return declined();
  }
  Reference all(PyTuple_New(Py_ssize_t(columns.size())));
  for (const Column& column : columns) {
    PyObject* found = all.object ? found_by(column) : nullptr;
    if (!found) return PyErr_Occurred() ? nullptr : declined();
    PyTuple_SetItem(all.object, column.place, found);
  }
  return all.release();
}

const Direct kRows[] = {
    {"features_of_examples", features_of_examples},
};

}  // namespace

const DirectTable kExampleCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
