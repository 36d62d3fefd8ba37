// Parts of a job on the threads that torch's kernels run on. Those wait, when a kernel ends, a moment for the next one with
// their processors busy: threads of another kind would have to share processors with them, and would have to be woken.
#include "threads.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace headrace {
namespace {

// Of GCC's OpenMP library, and of LLVM's: calls a function once on each of so many threads, of which the caller is one.
using EnterTeam = void (*)(void (*work)(void*), void* data, unsigned threads, unsigned flags);
EnterTeam enter_team = nullptr;

struct Sharing {
  Part part;
  const void* job;
  int64_t count, parts;
  std::atomic<int64_t> next{0};

  void work() {
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < parts;)
      part(job, count * i / parts, count * (i + 1) / parts);
  }
};

void work_in_team(void* data) { static_cast<Sharing*>(data)->work(); }

// Where torch has another way to run threads. What cannot be had is done by those there are.
void work_on_own_threads(Sharing& sharing, int64_t threads) {
  std::vector<std::thread> others;
  try {
    for (int64_t i = 1; i < threads; i++) others.emplace_back([&sharing] { sharing.work(); });
  } catch (const std::system_error&) {
  }
  sharing.work();
  for (std::thread& other : others) other.join();
}

}  // namespace

void share(int64_t count, int64_t parts, int64_t threads, Part part, const void* job) {
  parts = std::min(parts, count);
  threads = std::min(threads, parts);
  Sharing sharing{part, job, count, std::max<int64_t>(parts, count > 0)};
  if (threads < 2) sharing.work();
  else if (enter_team) enter_team(work_in_team, &sharing, unsigned(threads), 0);
  else work_on_own_threads(sharing, threads);
}

PyObject* use_team(PyObject*, PyObject* address) {
  void* found = PyLong_AsVoidPtr(address);
  if (PyErr_Occurred()) return nullptr;
  enter_team = reinterpret_cast<EnterTeam>(found);
  Py_INCREF(Py_None);
  return Py_None;
}

}  // namespace headrace
