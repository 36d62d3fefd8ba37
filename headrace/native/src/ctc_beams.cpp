// Connectionist temporal classification: the search that keeps the likeliest prefixes. headrace/ops/nn/ctc_decoding.py has the
// same in Python, with its sources; choices between equals are the same in both.
#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <set>
#include <unordered_map>

#include "objects.h"

namespace headrace {
namespace {

template <class T>
constexpr T kNever = -std::numeric_limits<T>::infinity();

// log(exp(x) + exp(y))
template <class T>
T log_add(T x, T y) {
  if (x == y) return x + T(0.6931471805599453);
  return x > y ? x + std::log1p(std::exp(y - x)) : y + std::log1p(std::exp(x - y));
}

// The prefixes of one sequence are numbers in a tree: `parents_` has the prefix one label shorter, `labels_` the label added.
template <class T>
class Beam {
 public:
  Beam(int64_t width, int64_t classes) : width_(size_t(width)), classes_(classes) {}

  // Goes on by one time; `logits` are those of the labels, then that of blank. False if one of them is no number.
  bool step(const T* logits) {
    const size_t n = prefixes_.size(), labels = size_t(classes_);
    scores_.assign(logits, logits + labels + 1);
    const T most = *std::max_element(scores_.begin(), scores_.end());
    T sum = 0;
    for (T& score : scores_) sum += std::exp(score -= most);
    const T whole = std::log(sum);
    for (T& score : scores_)
      if (std::isnan(score -= whole)) return false;
    place_of_.resize(parents_.size(), -1);
    for (size_t i = 0; i < n; i++) place_of_[size_t(prefixes_[i])] = int32_t(i);
    above_.assign(n, -1);
    total_.resize(n), kept_blank_.resize(n), kept_label_.resize(n);
    candidates_.resize(n + n * labels);
    for (size_t i = 0; i < n; i++) {
      const int32_t parent = parents_[size_t(prefixes_[i])];
      if (parent >= 0) above_[i] = place_of_[size_t(parent)];
      total_[i] = log_add(blank_[i], label_[i]);
    }
    for (size_t i = 0; i < n; i++) place_of_[size_t(prefixes_[i])] = -1;
    T* const grown = candidates_.data() + n;
    for (size_t i = 0; i < n; i++) {
      const int32_t last = last_[i], above = above_[i];
      // From its parent a prefix is reached by its last label; if that label is the parent's too, from blank only.
      const T reached = above < 0 ? kNever<T> : last == last_[size_t(above)] ? blank_[size_t(above)] : total_[size_t(above)];
      kept_label_[i] = log_add(label_[i], reached) + (last < 0 ? kNever<T> : scores_[size_t(last)]);
      kept_blank_[i] = total_[i] + scores_[labels];
      candidates_[i] = log_add(kept_blank_[i], kept_label_[i]);
      for (size_t c = 0; c < labels; c++) grown[i * labels + c] = total_[i] + scores_[c];
      if (last >= 0) grown[i * labels + size_t(last)] = blank_[i] + scores_[size_t(last)];
    }
    inner_.clear();
    for (size_t i = 0; i < n; i++) {
      if (above_[i] < 0) continue;
      // Prefixes that are in the beam are not reached a second time.
      const size_t at = size_t(above_[i]) * labels + size_t(last_[i]);
      grown[at] = kNever<T>;
      inner_[int64_t(at)] = int32_t(i);
    }
    choose_best();
    if (grows_what_falls(n)) choose_in_order(n);
    take(n);
    return true;
  }

  struct Found {
    std::vector<int64_t> labels;
    T score;
  };
  // The likeliest prefixes, best first.
  std::vector<Found> best(size_t paths, bool merges) const {
    std::vector<size_t> order(prefixes_.size());
    std::vector<T> total(order.size());
    for (size_t i = 0; i < order.size(); i++) order[i] = i, total[i] = log_add(blank_[i], label_[i]);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return total[a] > total[b]; });
    std::vector<Found> found;
    for (size_t k = 0; k < std::min(paths, order.size()); k++) {
      Found one{{}, total[order[k]]};
      for (int32_t prefix = prefixes_[order[k]]; prefix; prefix = parents_[size_t(prefix)])
        if (!merges || one.labels.empty() || one.labels.back() != labels_[size_t(prefix)])
          one.labels.push_back(labels_[size_t(prefix)]);
      std::reverse(one.labels.begin(), one.labels.end());
      found.push_back(std::move(one));
    }
    return found;
  }

 private:
  // The likeliest candidates, of equal ones the first: prefixes that stay, then prefixes with a label more.
  void choose_best() {
    chosen_.clear();
    T least = kNever<T>;
    size_t equal = candidates_.size();
    if (candidates_.size() > width_) {
      sorted_ = candidates_;
      std::nth_element(sorted_.begin(), sorted_.begin() + long(width_) - 1, sorted_.end(), std::greater<T>());
      least = sorted_[width_ - 1];
      equal = width_ - size_t(std::count_if(candidates_.begin(), candidates_.end(), [&](T c) { return c > least; }));
    }
    for (size_t i = 0; i < candidates_.size(); i++) {
      if (!(candidates_[i] > kNever<T>)) continue;
      if (candidates_[i] > least || (candidates_[i] == least && equal && equal--)) chosen_.push_back(int64_t(i));
    }
  }

  // Whether a prefix that falls out would grow before that.
  bool grows_what_falls(size_t n) {
    fallen_.assign(n, 0);
    bool any = false;
    for (const auto& each : inner_) fallen_[size_t(each.second)] = 1, any = true;
    if (!any) return false;
    for (int64_t each : chosen_)
      if (size_t(each) < n) fallen_[size_t(each)] = 0;
    for (int64_t each : chosen_)
      if (size_t(each) >= n && fallen_[size_t(each - int64_t(n)) / size_t(classes_)]) return true;
    return false;
  }

  // Prefixes grow in the order of their probabilities, each label that beats the worst in the full beam taking its place. As in
  // TensorFlow, a prefix that lost its place does not grow if its parent grows after that and before it.
  void choose_in_order(size_t n) {
    struct Entry {
      T score;
      int64_t place, label;
      bool operator<(const Entry& o) const {
        if (score != o.score) return score > o.score;  // the worst is on top
        return place != o.place ? place > o.place : label > o.label;
      }
    };
    std::priority_queue<Entry> worst;
    for (size_t i = 0; i < n; i++) worst.push({candidates_[i], int64_t(i), -1});
    std::vector<std::vector<int64_t>> children(n);
    for (const auto& each : inner_) children[size_t(each.first / classes_)].push_back(each.first % classes_);
    std::vector<char> lost(n, 0), barren(n, 0);
    std::vector<size_t> order(n);
    for (size_t i = 0; i < n; i++) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return total_[a] > total_[b]; });
    const auto least = [&] { return worst.size() >= width_ ? worst.top().score : kNever<T>; };
    for (size_t place : order) {
      if (barren[place] || !(total_[place] > least())) continue;
      const T* row = candidates_.data() + n + place * size_t(classes_);
      std::set<int64_t> labels(children[place].begin(), children[place].end());
      const T from = least();
      for (int64_t c = 0; c < classes_; c++)
        if (row[c] > from) labels.insert(c);
      for (int64_t label : labels) {
        const auto existing = inner_.find(int64_t(place) * classes_ + label);
        if (existing != inner_.end()) {
          if (lost[size_t(existing->second)]) barren[size_t(existing->second)] = 1;
          continue;
        }
        const Entry entry{row[label], int64_t(place), label};
        if (worst.size() < width_) {
          worst.push(entry);
        } else if (entry.score > worst.top().score) {
          if (worst.top().label < 0) lost[size_t(worst.top().place)] = 1;
          worst.pop();
          worst.push(entry);
        }
      }
    }
    chosen_.clear();
    for (; !worst.empty(); worst.pop()) {
      const Entry& e = worst.top();
      chosen_.push_back(e.label < 0 ? e.place : int64_t(n) + e.place * classes_ + e.label);
    }
    std::sort(chosen_.begin(), chosen_.end());
  }

  // The chosen candidates are the beam now.
  void take(size_t n) {
    std::vector<int32_t> prefixes, last;
    std::vector<T> blank, label;
    for (int64_t each : chosen_) {
      if (size_t(each) < n) {
        prefixes.push_back(prefixes_[size_t(each)]), last.push_back(last_[size_t(each)]);
        blank.push_back(kept_blank_[size_t(each)]), label.push_back(kept_label_[size_t(each)]);
        continue;
      }
      const int64_t from = (each - int64_t(n)) / classes_, added = (each - int64_t(n)) % classes_;
      const int32_t parent = prefixes_[size_t(from)];
      const auto made = children_.try_emplace(int64_t(parent) * classes_ + added, int32_t(parents_.size()));
      if (made.second) parents_.push_back(parent), labels_.push_back(int32_t(added));
      prefixes.push_back(made.first->second), last.push_back(int32_t(added));
      blank.push_back(kNever<T>), label.push_back(candidates_[size_t(each)]);
    }
    prefixes_.swap(prefixes), last_.swap(last), blank_.swap(blank), label_.swap(label);
  }

  size_t width_;
  int64_t classes_;  // without blank
  std::vector<int32_t> parents_{-1}, labels_{-1};
  std::unordered_map<int64_t, int32_t> children_;
  // The beam: prefixes, their last labels, and the log probabilities of the paths to them that end in blank and in that label.
  std::vector<int32_t> prefixes_{0}, last_{-1};
  std::vector<T> blank_{0}, label_{kNever<T>};
  // Of one step.
  std::vector<T> scores_, total_, kept_blank_, kept_label_, candidates_, sorted_;
  std::vector<int32_t> above_, place_of_;
  std::vector<char> fallen_;
  std::vector<int64_t> chosen_;
  std::unordered_map<int64_t, int32_t> inner_;  // places of prefixes whose parents are in the beam, by parent and label
};

template <class T>
PyObject* decode(const T* scores, int64_t batch, int64_t classes, const std::vector<int64_t>& times, int64_t width,
                 int64_t paths, bool merges) {
  Reference rows(PyList_New(0));
  if (!rows.object) return nullptr;
  for (int64_t row = 0; row < batch; row++) {
    Beam<T> beam(width, classes - 1);
    bool numbers = true;
    int64_t t = 0;
    while (t < times[size_t(row)] && numbers) {
      // Now and then somebody may want to stop it.
      const int64_t until = std::min(times[size_t(row)], t + 256);
      Py_BEGIN_ALLOW_THREADS;
      for (; t < until && numbers; t++) numbers = beam.step(scores + (t * batch + row) * classes);
      Py_END_ALLOW_THREADS;
      if (PyErr_CheckSignals() != 0) return nullptr;
    }
    if (!numbers) {
      Py_INCREF(Py_None);
      return Py_None;
    }
    Reference found(PyList_New(0));
    if (!found.object) return nullptr;
    for (const auto& each : beam.best(size_t(paths), merges)) {
      Reference labels(PyList_New(Py_ssize_t(each.labels.size())));
      if (!labels.object) return nullptr;
      for (size_t k = 0; k < each.labels.size(); k++)
        PyList_SetItem(labels.object, Py_ssize_t(k), PyLong_FromLongLong(each.labels[k]));
      Reference pair(Py_BuildValue("Od", labels.object, double(each.score)));
      if (!pair.object || PyList_Append(found.object, pair.object) < 0) return nullptr;
    }
    if (PyList_Append(rows.object, found.object) < 0) return nullptr;
  }
  return rows.release();
}

}  // namespace

// ctc_beams(scores, times, width, paths, merges): see _runner.pyi.
PyObject* ctc_beams(PyObject*, PyObject* args) {
  PyObject *array, *list;
  long long width, paths;
  int merges;
  if (!PyArg_ParseTuple(args, "OOLLp", &array, &list, &width, &paths, &merges)) return nullptr;
  ArrayView view;
  const bool fits = array_view(array, view) && view.dense && view.rank == 3 && (view.dtype == F32 || view.dtype == F64) &&
                    view.dims[2] >= 1 && width >= 1 && paths >= 0 && PySequence_Size(list) == view.dims[1];
  if (!fits) {
    PyErr_SetString(PyExc_ValueError, "scores are a dense array of floats of three axes, with a time for each of the second");
    return nullptr;
  }
  std::vector<int64_t> times;
  for (Py_ssize_t k = 0; k < view.dims[1]; k++) {
    Reference item(PySequence_GetItem(list, k));
    const int64_t time = item.object ? PyLong_AsLongLong(item.object) : 0;
    if (PyErr_Occurred()) return nullptr;
    if (time > view.dims[0]) {
      PyErr_SetString(PyExc_ValueError, "there are not so many times");
      return nullptr;
    }
    times.push_back(time);
  }
  if (view.dtype == F32)
    return decode(reinterpret_cast<const float*>(view.data), view.dims[1], view.dims[2], times, width, paths, merges);
  return decode(reinterpret_cast<const double*>(view.data), view.dims[1], view.dims[2], times, width, paths, merges);
}

}  // namespace headrace
