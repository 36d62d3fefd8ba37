// Direct calls that read features of serialized Examples and SequenceExamples (tensorflow.Example, proto3): fields are a tag,
// its number times eight plus the way it is written, and its contents.
//
//   Example { Features features = 1; }            Features { map<string, Feature> feature = 1; }
//   Feature { BytesList 1 | FloatList 2 | Int64List 3 }    each list { repeated value = 1; }, numbers mostly packed
//   SequenceExample { Features context = 1; FeatureLists feature_lists = 2; }
//   FeatureLists { map<string, FeatureList> feature_list = 1; }    FeatureList { repeated Feature feature = 1; }
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
  int kind = 0;
  Py_ssize_t place = 0;          // among the columns that were asked for
  std::vector<Span> lists;       // of each record, or of each item of each record
  std::vector<int64_t> missing;  // records without the feature
  bool found = false;            // in this record
  // Of SequenceExamples:
  bool has_items = false;  // whether it is a feature list
  bool dense = false, optional = false;
  std::vector<int64_t> dims;   // of the values of a dense one
  int64_t elements = 0;        // their product
  std::vector<int64_t> items;  // of each record
};
// In the order of their keys.
using Columns = std::vector<Column>;

void in_order_of_keys(Columns& columns) {
  std::sort(columns.begin(), columns.end(), [](const Column& a, const Column& b) { return a.key < b.key; });
}

// Calls `take(first, value)` for each entry of a map, with the first of the columns of its key; false for what is no such map,
// and where a call gives false.
template <class F>
bool for_entries(Span map, Columns& columns, const F& take) {
  for (Column& column : columns) column.found = false;
  Span entry, key, value;
  while (!map.empty()) {
    if (!take_field(map, kMessage, entry) || !take_field(entry, kMessage, key) || !take_field(entry, kValue, value) ||
        !entry.empty() || !is_ascii(key))
      return false;
    const std::string_view name(reinterpret_cast<const char*>(key.at), size_t(key.size()));
    auto first = std::lower_bound(columns.begin(), columns.end(), name,
                                  [](const Column& each, std::string_view wanted) { return each.key < wanted; });
    auto last = first;
    // Of a key that comes again the last value counts.
    for (; last != columns.end() && last->key == name; ++last) {
      if (last->found) return false;
      last->found = true;
    }
    if (!take(first, last, value)) return false;
  }
  return true;
}

// What the columns find in the features of a record.
bool read_features(Span features, int64_t index, Columns& columns) {
  using Place = Columns::iterator;
  const bool is_map = for_entries(features, columns, [](Place column, Place last, Span feature) {
    int kind;
    Span list;
    if (!read_feature(feature, list, kind)) return false;
    for (; column != last; ++column) {
      if (kind >= 0 && kind != column->kind) return false;
      if (kind >= 0) column->lists.push_back(list);
    }
    return true;
  });
  for (Column& column : columns)
    if (int64_t(column.lists.size()) <= index) column.lists.emplace_back(), column.missing.push_back(index);
  return is_map;
}

bool read_example(Span record, int64_t index, Columns& columns) {
  Span features;
  return (record.empty() || (take_field(record, kMessage, features) && record.empty())) &&
         read_features(features, index, columns);
}

// The features of a feature list; what they are is verified where no column wants them, too.
bool read_items(Span items, Column* column) {
  Span feature, list;
  int kind;
  while (!items.empty()) {
    list = {};
    if (!take_field(items, kMessage, feature) || !read_feature(feature, list, kind)) return false;
    if (!column) continue;
    if (kind < 0 ? column->dense : kind != column->kind) return false;
    column->lists.push_back(list);
    column->items.back()++;
  }
  return true;
}

bool read_sequence_example(Span record, int64_t index, Columns& context, Columns& lists) {
  Span features, feature_lists;
  if (!record.empty() && *record.at == kMessage && !take_field(record, kMessage, features)) return false;
  if (!record.empty() && !take_field(record, kValue, feature_lists)) return false;
  if (!record.empty() || !read_features(features, index, context)) return false;
  for (Column& column : lists) column.items.push_back(0);
  using Place = Columns::iterator;
  const bool is_map = for_entries(feature_lists, lists, [](Place column, Place last, Span items) {
    if (column == last) return read_items(items, nullptr);
    for (; column != last; ++column)
      if (!read_items(items, &*column)) return false;
    return true;
  });
  return is_map && std::all_of(lists.begin(), lists.end(),
                               [](const Column& column) { return column.found || column.optional || !column.dense; });
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

// Where the values of some lists go to: in memory of numbers, or among texts.
struct Place {
  char* numbers = nullptr;
  PyObject** texts = nullptr;

  // Skips so many values, which become zero or empty.
  bool skip(int kind, int64_t count) {
    if (kind != kStrings) {
      const size_t size = size_t(count) * (kind == kFloats ? 4 : 8);
      if (size) std::memset(numbers, 0, size);
      numbers += size;
      return true;
    }
    Reference empty(PyBytes_FromStringAndSize(nullptr, 0));
    if (!empty.object) return false;
    for (; count > 0; count--) put(texts++, empty.object);
    return true;
  }
};

// False, with an error of Python if there is one, where the list has no such values.
bool write_values(int kind, const Span& list, Place& place) {
  if (kind == kStrings) {
    bool room = true;
    for_parts(kStrings, list, [&](const Span& part) {
      PyObject* text =
          room ? PyBytes_FromStringAndSize(reinterpret_cast<const char*>(part.at), Py_ssize_t(part.size())) : nullptr;
      if (!text) {
        room = false;
        return;
      }
      put(place.texts++, text);
      Py_DECREF(text);
    });
    return room;
  }
  if (kind == kFloats) {
    for_parts(kFloats, list, [&place](const Span& part) {
      if (!part.empty()) std::memcpy(place.numbers, part.at, size_t(part.size()));
      place.numbers += part.size();
    });
    return true;
  }
  int64_t* to = reinterpret_cast<int64_t*>(place.numbers);
  const bool whole = read_ints(list, to);
  place.numbers = reinterpret_cast<char*>(to);
  return whole;
}

// A new tensor or array for values of a kind.
PyObject* make_values(int kind, int rank, const int64_t* dims, Place& place) {
  if (kind == kStrings) return make_texts(rank, dims, place.texts);
  Block out;
  PyObject* made = make_tensor(kind == kFloats ? F32 : I64, rank, dims, out);
  place.numbers = out.data;
  return made;
}

// The values of a column's lists, one after the other, in these dimensions; null, with an error of Python if there is one, where
// they are no values.
PyObject* read_values(const Column& column, int rank, const int64_t* dims) {
  Place place;
  Reference values(make_values(column.kind, rank, dims, place));
  if (!values.object) return nullptr;
  for (const Span& list : column.lists)
    if (!write_values(column.kind, list, place)) return nullptr;
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
  Reference values(read_values(column, 1, &total));
  if (!values.object) return nullptr;
  return together({values.release(), counts.release(), list_of(column.missing)});
}

bool read_span(PyObject* object, Span& span) {
  Bytes bytes;
  if (!read_bytes(object, bytes)) return false;
  span.at = reinterpret_cast<const uint8_t*>(bytes.data);
  span.end = span.at + bytes.size;
  return true;
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
  in_order_of_keys(columns);
  const Py_ssize_t records = PyList_Size(args[0]);
  for (Column& column : columns) column.lists.reserve(size_t(records));
  for (Py_ssize_t i = 0; i < records; i++) {
    Span record;
    if (!read_span(PyList_GetItem(args[0], i), record) || !read_example(record, i, columns)) return declined();
  }
  Reference all(PyTuple_New(Py_ssize_t(columns.size())));
  for (const Column& column : columns) {
    PyObject* found = all.object ? found_by(column) : nullptr;
    if (!found) return PyErr_Occurred() ? nullptr : declined();
    PyTuple_SetItem(all.object, column.place, found);
  }
  return all.release();
}

// ---- SequenceExamples ----

// A column as it was asked for: key, kind, whether it is a feature list, the dimensions of a dense one or None, whether it may
// be missing. False, with an error of Python if there is one, for anything else.
bool read_column(PyObject* asked, Column& column) {
  Bytes key;
  if (!PyTuple_Check(asked) || PyTuple_Size(asked) != 5 || !read_bytes(PyTuple_GetItem(asked, 0), key)) return false;
  column.key = {key.data, size_t(key.size)};
  const long kind = PyLong_AsLong(PyTuple_GetItem(asked, 1));
  if (PyErr_Occurred() || kind < 0 || kind > 2) return false;
  column.kind = int(kind);
  column.has_items = PyTuple_GetItem(asked, 2) == Py_True;
  column.optional = PyTuple_GetItem(asked, 4) == Py_True;
  PyObject* dims = PyTuple_GetItem(asked, 3);
  column.dense = dims != Py_None;
  if (!column.dense) return true;
  // A tensor has dimensions of a batch and of steps besides.
  if (!PyTuple_Check(dims) || PyTuple_Size(dims) > kMaxRank - 2) return false;
  column.elements = 1;
  for (Py_ssize_t k = 0; k < PyTuple_Size(dims); k++) {
    const int64_t size = PyLong_AsLongLong(PyTuple_GetItem(dims, k));
    if (PyErr_Occurred() || size < 0 || size > kMostElements) return false;
    column.dims.push_back(size);
    column.elements *= size;
    if (column.elements > kMostElements) return false;
  }
  return true;
}

// Indices, values and shape: the place of each value in its list, of the list in its record, and of the record in the batch.
PyObject* sparse_of(const Column& column, int64_t records, bool is_batch) {
  std::vector<int64_t> counts(column.lists.size());
  int64_t total = 0, most = 0, longest = 0;
  for (size_t k = 0; k < counts.size(); k++) {
    counts[k] = count_values(column.kind, column.lists[k]);
    if (counts[k] < 0) return nullptr;
    total += counts[k], most = std::max(most, counts[k]);
  }
  for (int64_t items : column.items) longest = std::max(longest, items);
  const int64_t rank = 1 + column.has_items + is_batch;
  Block places, sizes;
  Reference indices(make_tensor(I64, {total, rank}, places));
  if (!indices.object) return nullptr;
  int64_t* to = places.as<int64_t>();
  size_t list = 0;
  for (int64_t record = 0; record < records; record++) {
    const int64_t items = column.has_items ? column.items[size_t(record)] : 1;
    for (int64_t item = 0; item < items; item++, list++)
      for (int64_t k = 0; k < counts[list]; k++) {
        if (is_batch) *to++ = record;
        if (column.has_items) *to++ = item;
        *to++ = k;
      }
  }
  Reference values(read_values(column, 1, &total));
  if (!values.object) return nullptr;
  Reference shape(make_tensor(I64, {rank}, sizes));
  if (!shape.object) return nullptr;
  to = sizes.as<int64_t>();
  if (is_batch) *to++ = records;
  if (column.has_items) *to++ = longest;
  *to++ = most;
  return together({indices.release(), values.release(), shape.release()});
}

// Values of one shape, and which records lack them; of a single record that does, None.
PyObject* dense_of(const Column& column, int64_t records, bool is_batch) {
  const int64_t there = records - int64_t(column.missing.size());
  std::vector<int64_t> dims(column.dims);
  if (is_batch) dims.insert(dims.begin(), there);
  PyObject* values = is_batch || there ? read_values(column, int(dims.size()), dims.data()) : same(Py_None);
  return values ? together({values, list_of(column.missing)}) : nullptr;
}

// Values of one shape for each item, up to the longest of the records, and how many items each record has.
PyObject* steps_of(const Column& column, bool is_batch) {
  int64_t longest = 0;
  for (int64_t items : column.items) longest = std::max(longest, items);
  std::vector<int64_t> dims(column.dims);
  dims.insert(dims.begin(), longest);
  if (is_batch) dims.insert(dims.begin(), int64_t(column.items.size()));
  Place place;
  Reference values(make_values(column.kind, int(dims.size()), dims.data(), place));
  if (!values.object) return nullptr;
  size_t list = 0;
  for (int64_t items : column.items) {
    for (int64_t item = 0; item < items; item++)
      if (!write_values(column.kind, column.lists[list++], place)) return nullptr;
    if (!place.skip(column.kind, (longest - items) * column.elements)) return nullptr;
  }
  Block out;
  Reference lengths(make_tensor(I64, {int64_t(column.items.size())}, out));
  if (!lengths.object) return nullptr;
  std::copy(column.items.begin(), column.items.end(), out.as<int64_t>());
  return together({values.release(), lengths.release()});
}

// What a column found; null, with an error of Python if there is one, where values are not such that the column takes them.
PyObject* found_in_sequences(const Column& column, int64_t records, bool is_batch) {
  if (!column.dense) return sparse_of(column, records, is_batch);
  size_t missing = 0;
  for (size_t k = 0; k < column.lists.size(); k++) {
    const int64_t count = count_values(column.kind, column.lists[k]);
    const bool lacks = missing < column.missing.size() && column.missing[missing] == int64_t(k);
    if (lacks) missing++;
    else if (count != column.elements) return nullptr;
  }
  return column.has_items ? steps_of(column, is_batch) : dense_of(column, records, is_batch);
}

// features_of_sequences(records, columns): for each column what the records have under its key. Records are a list, or the bytes
// of a single one; columns are as `read_column` reads them. A sparse column gives indices, values and shape, a dense feature
// its values, in the records that have it, and a list of those without it, a dense feature list its values and lengths.
PyObject* features_of_sequences(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 2)) return nullptr;
  const bool is_batch = PyList_Check(args[0]);
  if (!PyTuple_Check(args[1])) return declined();
  const Py_ssize_t asked = PyTuple_Size(args[1]);
  Columns context, lists;
  for (Py_ssize_t k = 0; k < asked; k++) {
    Column column;
    if (!read_column(PyTuple_GetItem(args[1], k), column)) return PyErr_Occurred() ? nullptr : declined();
    column.place = k;
    (column.has_items ? lists : context).push_back(std::move(column));
  }
  in_order_of_keys(context);
  in_order_of_keys(lists);
  const Py_ssize_t records = is_batch ? PyList_Size(args[0]) : 1;
  for (Py_ssize_t i = 0; i < records; i++) {
    Span record;
    if (!read_span(is_batch ? PyList_GetItem(args[0], i) : args[0], record) ||
        !read_sequence_example(record, i, context, lists))
      return declined();
  }
  Reference all(PyTuple_New(asked));
  for (const Columns* columns : {&context, &lists})
    for (const Column& column : *columns) {
      PyObject* found = all.object ? found_in_sequences(column, records, is_batch) : nullptr;
      if (!found) return PyErr_Occurred() ? nullptr : declined();
      PyTuple_SetItem(all.object, column.place, found);
    }
  return all.release();
}

const Direct kRows[] = {
    {"features_of_examples", features_of_examples},
    {"features_of_sequences", features_of_sequences},
};

}  // namespace

const DirectTable kExampleCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
