// Direct calls of decision forests: a batch of examples walks through a tree, and is counted at the leaves it comes to.
// headrace/kernels/trees/forest_tree.py, forest_stats.py and traversal.py have the same over NumPy and torch.
#include <algorithm>
#include <vector>

#include "direct.h"

namespace headrace {
namespace {

// From so many classes on NumPy adds them up in another order.
constexpr int64_t kMostClasses = 8;

bool read_array(PyObject* object, DType dtype, int rank, ArrayView& view) {
  return reinterpret_cast<PyObject*>(Py_TYPE(object)) == python.array_type && array_view(object, view) &&
         view.dtype == dtype && view.rank == rank && view.dense;
}

template <class T>
T* elements(const ArrayView& view) {
  return reinterpret_cast<T*>(view.data);
}

struct Tree {
  ArrayView features, thresholds, left, right;
  int64_t nodes = 0;
};

// Whether the arrays are a tree whose children come after their parents, over so many features.
bool read_tree(PyObject* const* args, int64_t width, Tree& tree) {
  if (!read_array(args[0], I64, 1, tree.features) || !read_array(args[1], F32, 1, tree.thresholds) ||
      !read_array(args[2], I64, 1, tree.left) || !read_array(args[3], I64, 1, tree.right))
    return false;
  tree.nodes = tree.features.dims[0];
  if (!tree.nodes || tree.thresholds.dims[0] != tree.nodes || tree.left.dims[0] != tree.nodes ||
      tree.right.dims[0] != tree.nodes)
    return false;
  const int64_t *const features = elements<int64_t>(tree.features), *const left = elements<int64_t>(tree.left),
                *const right = elements<int64_t>(tree.right);
  for (int64_t i = 0; i < tree.nodes; i++) {
    if (left[i] < 0) continue;
    if (uint64_t(features[i]) >= uint64_t(width) || left[i] <= i || right[i] <= i || left[i] >= tree.nodes ||
        right[i] >= tree.nodes)
      return false;
  }
  return true;
}

struct Node {
  int32_t ways[2];
  int32_t feature;
  float threshold;
};

// Of N examples at once, which hide from one another how long each waits for its next node. A leaf leads back to itself.
template <bool kStrict, int N>
void walk_some(const Node* nodes, const float* values, int64_t width, int64_t* leaves) {
  int32_t at[N] = {};
  for (bool moves = true; moves;) {
    moves = false;
    for (int i = 0; i < N; i++) {
      const Node& node = nodes[at[i]];
      const float value = values[i * width + node.feature];
      const int32_t next = node.ways[kStrict ? value < node.threshold : value <= node.threshold];
      moves |= next != at[i];
      at[i] = next;
    }
  }
  for (int i = 0; i < N; i++) leaves[i] = at[i];
}

template <bool kStrict>
void walk(const Tree& tree, const float* values, int64_t count, int64_t width, int64_t* leaves) {
  std::vector<Node> nodes(size_t(tree.nodes));
  for (size_t i = 0; i < nodes.size(); i++) {
    const int64_t left = elements<int64_t>(tree.left)[i], right = elements<int64_t>(tree.right)[i];
    if (left < 0) nodes[i] = {{int32_t(i), int32_t(i)}, 0, 0.0f};
    else nodes[i] = {{int32_t(right), int32_t(left)}, int32_t(elements<int64_t>(tree.features)[i]), elements<float>(tree.thresholds)[i]};
  }
  constexpr int kTogether = 8;
  int64_t i = 0;
  for (; i + kTogether <= count; i += kTogether) walk_some<kStrict, kTogether>(nodes.data(), values + i * width, width, leaves + i);
  for (; i < count; i++) walk_some<kStrict, 1>(nodes.data(), values + i * width, width, leaves + i);
}

// forest_leaves(values, features, thresholds, left, right, strict, leaves): whether it has written the leaves.
PyObject* forest_leaves(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 7)) return nullptr;
  ArrayView values, leaves;
  Tree tree;
  if (!read_array(args[0], F32, 2, values) || !read_tree(args + 1, values.dims[1], tree) ||
      !read_array(args[6], I64, 1, leaves) || leaves.dims[0] != values.dims[0] || !values.dims[1] || tree.nodes > INT32_MAX)
    return declined();
  const auto go = args[5] == Py_True ? walk<true> : walk<false>;
  go(tree, elements<float>(values), values.dims[0], values.dims[1], elements<int64_t>(leaves));
  return same(Py_True);
}

// A node of a boosted tree: where the column that it asks begins, and what goes to the right is above its threshold.
struct Asked {
  int64_t start;
  int32_t ways[2];
  int32_t threshold;
};

struct BoostedTree {
  std::vector<Asked> nodes;
  ArrayView values;
  int64_t depth = 0;
  float weight = 0;
};

bool all_below(const int64_t* values, int64_t count, int64_t bound) {
  return std::all_of(values, values + count, [&](int64_t value) { return uint64_t(value) < uint64_t(bound); });
}

// A tree is (starts, thresholds, ways, depth, values, weight); false where it leads out of `last` features or its own nodes.
bool read_boosted(PyObject* object, int64_t last, BoostedTree& tree) {
  ArrayView starts, thresholds, ways;
  if (!PyTuple_Check(object) || PyTuple_Size(object) != 6) return false;
  PyObject* parts[6];
  for (int i = 0; i < 6; i++) parts[i] = PyTuple_GetItem(object, i);
  if (!read_array(parts[0], I64, 1, starts) || !read_array(parts[1], I64, 1, thresholds) || !read_array(parts[2], I64, 1, ways) ||
      !read_array(parts[4], F32, 2, tree.values))
    return false;
  tree.depth = PyLong_AsLongLong(parts[3]), tree.weight = float(PyFloat_AsDouble(parts[5]));
  const int64_t n = starts.dims[0];
  if (PyErr_Occurred() || !n || n > INT32_MAX / 2 || thresholds.dims[0] != n || ways.dims[0] != 2 * n || tree.values.dims[0] != n ||
      !all_below(elements<int64_t>(starts), n, last + 1) || !all_below(elements<int64_t>(ways), 2 * n, n))
    return false;
  tree.nodes.resize(static_cast<size_t>(n));
  for (size_t i = 0; i < tree.nodes.size(); i++) {
    const int64_t threshold = elements<int64_t>(thresholds)[i], *const way = elements<int64_t>(ways) + 2 * i;
    if (threshold < INT32_MIN || threshold > INT32_MAX) return false;
    tree.nodes[i] = {elements<int64_t>(starts)[i], {int32_t(way[0]), int32_t(way[1])}, int32_t(threshold)};
  }
  return true;
}

// Leads N examples at once, which hide from one another how long each waits for its next node, from where they are to leaves.
template <int N>
void ask_some(const BoostedTree& tree, const int32_t* values, const int64_t* rows, int64_t* at) {
  int32_t here[N];
  for (int i = 0; i < N; i++) here[i] = int32_t(at[i]);
  for (int64_t level = 0; level < tree.depth; level++)
    for (int i = 0; i < N; i++) {
      const Asked& node = tree.nodes[size_t(here[i])];
      here[i] = node.ways[values[node.start + rows[i]] > node.threshold];
    }
  for (int i = 0; i < N; i++) at[i] = here[i];
}

// Takes examples from their nodes through the first of the trees, and through the others from their roots; adds what all of
// them say to `sums`, if there are any.
void ask_trees(const std::vector<BoostedTree>& trees, const int32_t* values, const int64_t* rows, int64_t count, int64_t* at, float* sums) {
  constexpr int kTogether = 8;
  for (const BoostedTree& tree : trees) {
    if (&tree != &trees.front()) std::fill(at, at + count, 0);
    int64_t i = 0;
    for (; i + kTogether <= count; i += kTogether) ask_some<kTogether>(tree, values, rows + i, at + i);
    for (; i < count; i++) ask_some<1>(tree, values, rows + i, at + i);
    const int64_t logits = tree.values.dims[1];
    for (i = 0; sums && i < count; i++)
      for (int64_t k = 0; k < logits; k++) {
        const float added = tree.weight * elements<float>(tree.values)[at[i] * logits + k];
        sums[i * logits + k] += added;
      }
  }
}

// boosted_trees(values, column, trees, rows, nodes, sums): leads examples from the nodes that they are at in the first of the
// trees to the leaves of the last one, and adds what the leaves say to sums that are not None; whether it has. `column` is the
// length of the columns of features, which follow one another in `values`.
PyObject* boosted_trees(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 6)) return nullptr;
  ArrayView values, rows, at, sums{};
  const int64_t column = PyLong_AsLongLong(args[1]);
  if (PyErr_Occurred()) return nullptr;
  const bool adds = args[5] != Py_None;
  if (!read_array(args[0], I32, 1, values) || !PyList_Check(args[2]) || !PyList_Size(args[2]) || !read_array(args[3], I64, 1, rows) ||
      !read_array(args[4], I64, 1, at) || (adds && !read_array(args[5], F32, 2, sums)))
    return declined();
  const int64_t examples = rows.dims[0];
  if (column < 0 || column > values.dims[0] || at.dims[0] != examples || (adds && sums.dims[0] != examples) ||
      !all_below(elements<int64_t>(rows), examples, column))
    return declined();
  std::vector<BoostedTree> trees(size_t(PyList_Size(args[2])));
  for (size_t i = 0; i < trees.size(); i++) {
    const bool is_one = read_boosted(PyList_GetItem(args[2], Py_ssize_t(i)), values.dims[0] - column, trees[i]);
    if (PyErr_Occurred()) return nullptr;
    if (!is_one || (adds && trees[i].values.dims[1] != sums.dims[1])) return declined();
  }
  if (!all_below(elements<int64_t>(at), examples, int64_t(trees.front().nodes.size()))) return declined();
  // So many examples at a time that their features stay in the cache from one tree to the next.
  constexpr int64_t kBlock = 512;
  for (int64_t i = 0; i < examples; i += kBlock) {
    float* const to = adds ? elements<float>(sums) + i * sums.dims[1] : nullptr;
    ask_trees(trees, elements<int32_t>(values), elements<int64_t>(rows) + i, std::min(kBlock, examples - i), elements<int64_t>(at) + i, to);
  }
  return same(Py_True);
}

// forest_starts(leaves, table, filled, candidates, found): the examples that bring a leaf a candidate, and those that are
// counted; `table` has the rows of leaves, and `found` takes an example, its row and its place each, from both ends.
PyObject* forest_starts(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 5)) return nullptr;
  ArrayView leaves, table, filled, found;
  const int64_t candidates = PyLong_AsLongLong(args[3]);
  if (PyErr_Occurred()) return nullptr;
  if (!read_array(args[0], I64, 1, leaves) || !read_array(args[1], I64, 1, table) || !read_array(args[2], I64, 1, filled) ||
      !read_array(args[4], I64, 2, found) || found.dims[0] != 3 || found.dims[1] != leaves.dims[0])
    return declined();
  const int64_t n = leaves.dims[0], known = table.dims[0], rows = filled.dims[0];
  const int64_t *const leaf = elements<int64_t>(leaves), *const row_of = elements<int64_t>(table);
  for (int64_t i = 0; i < n; i++)
    if (uint64_t(leaf[i]) >= uint64_t(known) || row_of[leaf[i]] >= rows) return declined();
  std::vector<int64_t> places(elements<int64_t>(filled), elements<int64_t>(filled) + rows);
  int64_t *const example = elements<int64_t>(found), *const row = example + n, *const place = row + n;
  int64_t starts = 0, counts = 0;
  for (int64_t i = 0; i < n; i++) {
    const int64_t r = row_of[leaf[i]];
    if (r < 0) continue;
    const bool begins = places[size_t(r)] < candidates;
    const int64_t to = begins ? starts++ : n - ++counts;
    example[to] = i, row[to] = r;
    place[to] = begins ? places[size_t(r)]++ : candidates;
  }
  // Those that are counted stand last first.
  std::reverse(example + n - counts, example + n);
  std::reverse(row + n - counts, row + n);
  return Py_BuildValue("LL", (long long)starts, (long long)counts);
}

// What the leaves of a tree that may be split keep, of classes.
struct Leaves {
  ArrayView features, thresholds, left, total, weights;
  int64_t rows = 0, candidates = 0, classes = 0;
};

bool read_leaves(PyObject* const* args, Leaves& leaves) {
  if (!read_array(args[0], I64, 2, leaves.features) || !read_array(args[1], F32, 2, leaves.thresholds) ||
      !read_array(args[2], F32, 3, leaves.left) || !read_array(args[3], F32, 2, leaves.total) ||
      !read_array(args[4], F32, 1, leaves.weights))
    return false;
  leaves.rows = leaves.left.dims[0], leaves.candidates = leaves.left.dims[1], leaves.classes = leaves.left.dims[2];
  const auto fits = [&](const ArrayView& view, int64_t columns) {
    return view.dims[0] == leaves.rows && (view.rank == 1 || view.dims[1] == columns);
  };
  return fits(leaves.features, leaves.candidates) && fits(leaves.thresholds, leaves.candidates) &&
         fits(leaves.total, leaves.classes) && fits(leaves.weights, 1);
}

template <bool kStrict>
void count_example(const Leaves& leaves, const float* values, int64_t row, int64_t of_class, float weight) {
  const int64_t candidates = leaves.candidates, classes = leaves.classes;
  const int64_t* const features = elements<int64_t>(leaves.features) + row * candidates;
  const float* const thresholds = elements<float>(leaves.thresholds) + row * candidates;
  float* left = elements<float>(leaves.left) + row * candidates * classes + of_class;
  // Looked up, as nothing foretells the side of an example.
  const float added[2] = {0.0f, weight};
  for (int64_t c = 0; c < candidates; c++, left += classes) {
    const float value = values[features[c]];
    *left += added[kStrict ? value < thresholds[c] : value <= thresholds[c]];
  }
  elements<float>(leaves.total)[row * classes + of_class] += weight;
  elements<float>(leaves.weights)[row] += weight;
}

// forest_counts(values, labels, weights, examples, rows, features, thresholds, left, total, sums, strict, split_after): adds
// those examples to the classes of their leaves; the rows of leaves with enough of them, of more than one class, in their order.
PyObject* forest_counts(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 12)) return nullptr;
  ArrayView values, labels, weights, examples, rows;
  Leaves leaves;
  const double enough = PyFloat_AsDouble(args[11]);
  if (PyErr_Occurred()) return nullptr;
  if (!read_array(args[0], F32, 2, values) || !read_array(args[1], F32, 2, labels) || !read_array(args[2], F32, 1, weights) ||
      !read_array(args[3], I64, 1, examples) || !read_array(args[4], I64, 1, rows) || !read_leaves(args + 5, leaves) ||
      !labels.dims[1] || labels.dims[0] != values.dims[0] || weights.dims[0] != values.dims[0] ||
      rows.dims[0] != examples.dims[0])
    return declined();
  const int64_t n = examples.dims[0], width = values.dims[1], outputs = labels.dims[1];
  const int64_t *const example = elements<int64_t>(examples), *const row = elements<int64_t>(rows);
  const float* const label = elements<float>(labels);
  for (int64_t i = 0; i < n; i++) {
    if (uint64_t(example[i]) >= uint64_t(values.dims[0]) || uint64_t(row[i]) >= uint64_t(leaves.rows)) return declined();
    const float given = label[example[i] * outputs];
    if (!(given >= 0) || given >= float(leaves.classes)) return declined();
  }
  const int64_t* const features = elements<int64_t>(leaves.features);
  for (int64_t i = 0; i < leaves.rows * leaves.candidates; i++)
    if (uint64_t(features[i]) >= uint64_t(width)) return declined();
  const auto add = args[10] == Py_True ? count_example<true> : count_example<false>;
  std::vector<bool> reached(size_t(leaves.rows));
  std::vector<int64_t> order;
  for (int64_t i = 0; i < n; i++) {
    add(leaves, elements<float>(values) + example[i] * width, row[i], int64_t(label[example[i] * outputs]),
        elements<float>(weights)[example[i]]);
    if (reached[size_t(row[i])] || elements<float>(leaves.weights)[row[i]] < enough) continue;
    const float* const total = elements<float>(leaves.total) + row[i] * leaves.classes;
    if (std::count_if(total, total + leaves.classes, [](float x) { return x > 0; }) > 1) {
      reached[size_t(row[i])] = true;
      order.push_back(row[i]);
    }
  }
  Reference found(PyList_New(0));
  for (int64_t r : order) {
    Reference number(PyLong_FromLongLong(r));
    if (!found.object || !number.object || PyList_Append(found.object, number.object) < 0) return nullptr;
  }
  return found.release();
}

// The Gini index of a side, of each class an example more, times its weight; 0 where there is nothing.
float impurity(const float* sums, int64_t classes) {
  float weight = 0, squares = 0;
  for (int64_t k = 0; k < classes; k++) weight += sums[k], squares += sums[k] * sums[k];
  const float count = float(classes), smoothed = weight + count;
  return weight * (1 - (squares + 2 * weight + count) / (smoothed * smoothed));
}

// forest_best(left, total, row, count): the first of so many candidates of a leaf whose sides are least mixed, -1 where none
// has something on both sides.
PyObject* forest_best(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes(count, 4)) return nullptr;
  ArrayView left, total;
  const int64_t row = PyLong_AsLongLong(args[2]), candidates = PyLong_AsLongLong(args[3]);
  if (PyErr_Occurred()) return nullptr;
  if (!read_array(args[0], F32, 3, left) || !read_array(args[1], F32, 2, total) || left.dims[2] >= kMostClasses ||
      total.dims[1] != left.dims[2] || uint64_t(row) >= uint64_t(left.dims[0]) || row >= total.dims[0] ||
      uint64_t(candidates) > uint64_t(left.dims[1]))
    return declined();
  const int64_t classes = left.dims[2];
  int64_t best = -1;
  float least = 0;
  for (int64_t c = 0; c < candidates; c++) {
    const float* const lefts = elements<float>(left) + (row * left.dims[1] + c) * classes;
    float rights[kMostClasses];
    bool some_left = false, some_right = false;
    for (int64_t k = 0; k < classes; k++) {
      rights[k] = elements<float>(total)[row * classes + k] - lefts[k];
      some_left |= lefts[k] > 0, some_right |= rights[k] > 0;
    }
    if (!some_left || !some_right) continue;
    const float score = impurity(lefts, classes) + impurity(rights, classes);
    if (best < 0 || score < least) best = c, least = score;
  }
  return PyLong_FromLongLong(best);
}

const Direct kRows[] = {
    {"forest_leaves", forest_leaves},
    {"boosted_trees", boosted_trees},
    {"forest_starts", forest_starts},
    {"forest_counts", forest_counts},
    {"forest_best", forest_best},
};

}  // namespace

const DirectTable kForestCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
