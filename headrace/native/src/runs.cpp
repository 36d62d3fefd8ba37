// Running programs: the layout for the sizes that are given, then one step after the other.
#include <chrono>

#include "interrupts.h"
#include "objects.h"

namespace headrace {

bool interrupted(Frame& frame) {
  constexpr int64_t kPeriod = 50'000'000;
  const int64_t now = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  if (now < frame.asks_again_at) return false;
  const bool first = frame.asks_again_at == 0;
  frame.asks_again_at = now + kPeriod;
  if (first) return false;
  const PyGILState_STATE state = PyGILState_Ensure();
  const bool stops = PyErr_CheckSignals() != 0;
  PyGILState_Release(state);
  return stops;
}

namespace {

// So many tuples of sizes are remembered.
constexpr size_t kLayouts = 64;

std::shared_ptr<const Layout> layout_of(Compiled* c) {
  if (c->last && c->last->signature == c->signature) return c->last;
  for (const auto& layout : c->layouts)
    if (layout->signature == c->signature) return c->last = layout;
  auto layout = std::make_shared<Layout>();
  layout->signature = c->signature;
  plan_layout(c->program, c->given, c->limit, *layout);
  // The older half makes room. Runs and arenas that use one keep it.
  if (c->layouts.size() >= kLayouts) c->layouts.erase(c->layouts.begin(), c->layouts.begin() + long(kLayouts / 2));
  c->layouts.push_back(layout);
  return c->last = layout;
}

struct Outcome {
  const Step* step = nullptr;
  int64_t code = 0;
};

Outcome execute(const Layout& layout, const Arena* arena) {
  const Step* const begin = layout.steps.data();
  const Step* const end = begin + layout.steps.size();
  Frame frame{arena->bases, begin, begin, arena->lists->data()};
  for (const Step* step = begin; step != end; step = frame.next) {
    frame.next = step + 1;
    if (int64_t code = step->run(*step, frame)) return {step, code};
  }
  return {};
}

void begin_lists(const Arena* arena, const Layout& layout) {
  if (arena->lists->size() < size_t(layout.lists)) arena->lists->resize(size_t(layout.lists));
  for (RowList& list : *arena->lists) list.begun = false;
}

PyObject* fail(const Outcome& outcome, const std::shared_ptr<const Layout>& layout, Arena* arena, PyObject* self) {
  if (!arena->program) {
    Py_INCREF(self);
    arena->program = self;
  }
  *arena->layout = layout;
  Py_CLEAR(arena->tensors);
  Reference error(PyObject_CallFunction(python.failure, "iLO", int(outcome.step->instruction), (long long)outcome.code,
                                        reinterpret_cast<PyObject*>(arena)));
  if (error.object) PyErr_SetObject(python.failure, error.object);
  return nullptr;
}

}  // namespace

PyObject* program_run(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  if (count < 2 || count > 3) {
    PyErr_SetString(PyExc_TypeError, "run takes inputs, buffers and perhaps an arena");
    return nullptr;
  }
  Compiled* c = reinterpret_cast<ProgramObject*>(self)->compiled;
  if (!c) {
    PyErr_SetString(PyExc_RuntimeError, "the program has not been made");
    return nullptr;
  }
  const bool leased = count == 3 && args[2] != Py_None;
  if (leased && (Py_TYPE(args[2]) != arena_type || reinterpret_cast<Arena*>(args[2])->program != self)) {
    PyErr_SetString(PyExc_TypeError, "the arena is not of this program");
    return nullptr;
  }
  // Without a lease, tensors over the arena keep its memory; the arena itself serves no other run.
  Arena* arena = leased ? reinterpret_cast<Arena*>(args[2]) : c->plain_outputs ? take_arena(self) : new_arena(self, true);
  if (!arena) return nullptr;
  PyObject* result = nullptr;
  bool reusable = true;
  const Answer answer = read_given(c, args[0], args[1], arena);
  if (answer == kDoesNotFit) {
    Py_INCREF(Py_None);
    result = Py_None;
  } else if (answer == kFits) {
    const std::shared_ptr<const Layout> layout = layout_of(c);
    if (!layout->possible) {
      Py_INCREF(Py_None);
      result = Py_None;
    } else if (reserve(arena, layout->arena_bytes)) {
      arena->bases[0] = arena->start;
      begin_lists(arena, *layout);
      Outcome outcome;
      if (layout->cost > c->release_at) {
        Py_BEGIN_ALLOW_THREADS;
        outcome = execute(*layout, arena);
        Py_END_ALLOW_THREADS;
      } else {
        outcome = execute(*layout, arena);
      }
      if (outcome.code == kInterrupted) {
        reusable = false;
      } else if (outcome.step) {
        fail(outcome, layout, arena, self);
        reusable = false;  // the failure reads it
      } else {
        result = results(c, layout, arena);
      }
    }
  }
  if (!leased) {
    if (c->plain_outputs && reusable) put_arena(c, arena);
    else Py_DECREF(reinterpret_cast<PyObject*>(arena));
  }
  return result;
}

// profile(inputs, buffers, times): the least nanoseconds of each step, with the number of its instruction. It writes what
// the program writes, as often.
PyObject* program_profile(PyObject* self, PyObject* args) {
  PyObject *inputs, *buffers;
  int times;
  if (!PyArg_ParseTuple(args, "OOi", &inputs, &buffers, &times)) return nullptr;
  Compiled* c = reinterpret_cast<ProgramObject*>(self)->compiled;
  Arena* arena = new_arena(self, true);
  if (!arena) return nullptr;
  Reference keep(reinterpret_cast<PyObject*>(arena));
  const Answer answer = read_given(c, inputs, buffers, arena);
  if (answer == kError) return nullptr;
  const std::shared_ptr<const Layout> layout = answer == kFits ? layout_of(c) : nullptr;
  if (!layout || !layout->possible) {
    Py_INCREF(Py_None);
    return Py_None;
  }
  if (!reserve(arena, layout->arena_bytes)) return nullptr;
  arena->bases[0] = arena->start;
  const Step* const begin = layout->steps.data();
  const Step* const end = begin + layout->steps.size();
  std::vector<double> least(layout->steps.size(), 0);
  for (int t = 0; t < times; t++) {
    begin_lists(arena, *layout);
    Frame frame{arena->bases, begin, begin, arena->lists->data()};
    for (const Step* step = begin; step != end; step = frame.next) {
      frame.next = step + 1;
      const auto from = std::chrono::steady_clock::now();
      const int64_t code = step->run(*step, frame);
      const double took = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - from).count();
      if (code == kInterrupted) return nullptr;
      if (code) return fail({step, code}, layout, arena, self);
      double& known = least[size_t(step - begin)];
      if (known == 0 || took < known) known = took;
    }
  }
  PyObject* list = PyList_New(Py_ssize_t(least.size()));
  for (size_t k = 0; list && k < least.size(); k++)
    PyList_SetItem(list, Py_ssize_t(k), Py_BuildValue("id", int(layout->steps[k].instruction), least[k]));
  return list;
}

PyObject* program_set_limit(PyObject* self, PyObject* number) {
  Compiled* c = reinterpret_cast<ProgramObject*>(self)->compiled;
  const double limit = PyFloat_AsDouble(number);
  if (limit == -1.0 && PyErr_Occurred()) return nullptr;
  c->limit = limit;
  c->layouts.clear();
  c->last.reset();
  Py_INCREF(Py_None);
  return Py_None;
}

}  // namespace headrace
