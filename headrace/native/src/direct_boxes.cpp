// Direct calls on boxes of images: which of them stay where others overlap them.
#include <algorithm>
#include <cmath>
#include <vector>

#include "direct.h"

namespace headrace {
namespace {

// Fewer pairs than this are looked at faster than the interpreter is left and entered again.
constexpr int64_t kPairsWithinInterpreter = 4096;

struct Box {
  float top, left, bottom, right, area;
};

// The intersection over the union of two boxes; 0 if one of them has no area.
float overlap(const Box& a, const Box& b) {
  if (!(a.area > 0 && b.area > 0)) return 0;
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  // Most boxes do not meet.
  if (!(height > 0 && width > 0)) return 0;
  const float both = height * width;
  return both / (a.area + b.area - both);
}

// The places of the boxes that stay, best first: each is a candidate that no better one of them overlaps as much as the
// threshold says.
std::vector<int32_t> suppressed(const float* corners, const std::vector<int32_t>& order, int64_t most, float threshold) {
  std::vector<int32_t> places;
  std::vector<Box> chosen;
  for (const int32_t i : order) {
    if (int64_t(places.size()) >= most) break;
    const float* c = corners + int64_t(i) * 4;
    Box box{std::min(c[0], c[2]), std::min(c[1], c[3]), std::max(c[0], c[2]), std::max(c[1], c[3]), 0};
    box.area = (box.bottom - box.top) * (box.right - box.left);
    const bool stays = std::all_of(chosen.rbegin(), chosen.rend(),
                                   [&](const Box& better) { return overlap(better, box) < threshold; });
    if (!stays) continue;
    places.push_back(i);
    chosen.push_back(box);
  }
  return places;
}

PyObject* suppress(const Block& boxes, const Block& scores, int64_t most, float threshold, float least) {
  const int64_t n = scores.dims[0];
  const float* const s = scores.as<float>();
  const float* const corners = boxes.as<float>();
  // Numbers alone can be put in order, and areas of finite boxes compared.
  if (!std::all_of(s, s + n, [](float x) { return !std::isnan(x); }) ||
      !std::all_of(corners, corners + 4 * n, [](float x) { return std::isfinite(x); }))
    return declined();
  std::vector<int32_t> places;
  PyThreadState* const left = n * std::min(n, most) > kPairsWithinInterpreter ? PyEval_SaveThread() : nullptr;
  std::vector<int32_t> order;
  order.reserve(size_t(n));
  for (int64_t i = 0; i < n; i++)
    if (s[i] > least) order.push_back(int32_t(i));
  std::stable_sort(order.begin(), order.end(), [s](int32_t a, int32_t b) { return s[a] > s[b]; });
  places = suppressed(corners, order, most, threshold);
  if (left) PyEval_RestoreThread(left);
  Block out;
  PyObject* tensor = make_tensor(I32, {int64_t(places.size())}, out);
  if (tensor) std::copy(places.begin(), places.end(), out.as<int32_t>());
  return tensor;
}

// suppress_boxes(boxes, scores, most, threshold, least): the places of at most so many boxes.
PyObject* suppress_boxes(PyObject*, PyObject* const* args, Py_ssize_t count) {
  Block boxes, scores;
  if (!takes(count, 5)) return nullptr;
  if (!read_large_block(args[0], boxes) || !read_large_block(args[1], scores) || boxes.dtype != F32 ||
      scores.dtype != F32 || boxes.rank != 2 || boxes.dims[1] != 4 || scores.rank != 1 ||
      scores.dims[0] != boxes.dims[0] || scores.dims[0] > INT32_MAX)
    return declined();
  const int64_t most = PyLong_AsLongLong(args[2]);
  const double threshold = PyFloat_AsDouble(args[3]), least = PyFloat_AsDouble(args[4]);
  if (PyErr_Occurred()) return nullptr;
  return suppress(boxes, scores, most, float(threshold), float(least));
}

const Direct kRows[] = {{"suppress_boxes", suppress_boxes}};

}  // namespace

const DirectTable kBoxCalls = {kRows, sizeof(kRows) / sizeof(kRows[0])};

}  // namespace headrace
