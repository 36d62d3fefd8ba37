// Where in the arena each storage lies: memory is used again after the last step that needs it.
#include <algorithm>

#include "planner.h"

namespace headrace {
namespace {

constexpr int64_t kAlign = 64;

// Free pieces of the arena, by where they begin.
class FreeList {
 public:
  int64_t end = 0;

  int64_t take(int64_t bytes) {
    size_t best = pieces_.size();
    for (size_t i = 0; i < pieces_.size(); i++)
      if (pieces_[i].bytes >= bytes && (best == pieces_.size() || pieces_[i].bytes < pieces_[best].bytes)) best = i;
    if (best == pieces_.size()) {
      // The last piece may grow.
      if (!pieces_.empty() && pieces_.back().at + pieces_.back().bytes == end) {
        const int64_t at = pieces_.back().at;
        pieces_.pop_back();
        end = at + bytes;
        return at;
      }
      end += bytes;
      return end - bytes;
    }
    const int64_t at = pieces_[best].at;
    pieces_[best].at += bytes;
    pieces_[best].bytes -= bytes;
    if (!pieces_[best].bytes) pieces_.erase(pieces_.begin() + long(best));
    return at;
  }

  void give(int64_t at, int64_t bytes) {
    size_t i = 0;
    while (i < pieces_.size() && pieces_[i].at < at) i++;
    pieces_.insert(pieces_.begin() + long(i), {at, bytes});
    if (i + 1 < pieces_.size() && at + bytes == pieces_[i + 1].at) {
      pieces_[i].bytes += pieces_[i + 1].bytes;
      pieces_.erase(pieces_.begin() + long(i) + 1);
    }
    if (i > 0 && pieces_[i - 1].at + pieces_[i - 1].bytes == at) {
      pieces_[i - 1].bytes += pieces_[i].bytes;
      pieces_.erase(pieces_.begin() + long(i));
    }
  }

 private:
  struct Piece {
    int64_t at, bytes;
  };
  std::vector<Piece> pieces_;
};

}  // namespace

void Planner::place_storages() {
  const size_t steps = layout_.steps.size();
  // Storages by the step after which they are free; what is never used has no place.
  std::vector<std::vector<int32_t>> begins(steps + 1), ends(steps + 1);
  for (size_t i = size_t(program_.bases()); i < storages_.size(); i++) {
    const Storage& s = storages_[i];
    if (s.first < 0) continue;
    begins[size_t(s.first)].push_back(int32_t(i));
    const size_t last = size_t(std::max(int64_t(s.last), asked_at_));
    if (last < steps) ends[last].push_back(int32_t(i));
  }
  FreeList list;
  const auto room = [](const Storage& s) { return std::max((s.bytes + kAlign - 1) / kAlign * kAlign, kAlign); };
  for (size_t at = 0; at <= steps; at++) {
    for (int32_t i : begins[at]) storages_[size_t(i)].offset = list.take(room(storages_[size_t(i)]));
    for (int32_t i : ends[at]) list.give(storages_[size_t(i)].offset, room(storages_[size_t(i)]));
  }
  layout_.arena_bytes = list.end;
}

}  // namespace headrace
