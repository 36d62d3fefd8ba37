// Running programs: the layout for the sizes that are given, then one step after the other.
#include <chrono>
#include <cstring>

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
  bool stops = PyErr_CheckSignals() != 0;
  if (!stops && frame.check) {
    Reference answer(PyObject_CallObject(frame.check, nullptr));
    stops = !answer.object;
  }
  PyGILState_Release(state);
  return stops;
}

namespace {

// So many tuples of sizes are remembered, and more while they take so little memory.
constexpr size_t kLayouts = 64, kLayoutBytes = size_t(16) << 20;

size_t bytes_of(const Layout& layout) {
  return sizeof(Layout) + layout.steps.size() * sizeof(Step) + layout.views.size() * sizeof(View);
}

// The older half makes room. Runs and arenas that use one keep it.
void make_room(std::vector<std::shared_ptr<const Layout>>& layouts) {
  if (layouts.size() < kLayouts) return;
  size_t bytes = 0;
  for (const auto& layout : layouts) bytes += bytes_of(*layout);
  if (bytes >= kLayoutBytes) layouts.erase(layouts.begin(), layouts.begin() + long(layouts.size() / 2));
}

// Sizes come again in the order in which they came, where a loop's values grow: so the search begins after the last one.
std::shared_ptr<const Layout> layout_of(Compiled* c, const std::vector<int64_t>& signature, const std::vector<Given>& given,
                                        const Answers& answers) {
  const size_t count = c->layouts.size();
  for (size_t k = 0, at = c->found_at; k < count; k++) {
    at = at + 1 < count ? at + 1 : 0;
    const auto& layout = c->layouts[at];
    if (layout->signature != signature || layout->answers != answers) continue;
    c->found_at = at;
    return layout;
  }
  auto layout = std::make_shared<Layout>();
  layout->signature = signature;
  layout->answers = answers;
  plan_layout(c->program, given, c->limit, *layout);
  make_room(c->layouts);
  c->found_at = c->layouts.size();
  c->layouts.push_back(layout);
  return layout;
}

std::shared_ptr<const Layout> first_layout(Compiled* c) {
  if (!c->last || c->last->signature != c->signature) c->last = layout_of(c, c->signature, c->given, {});
  return c->last;
}

struct Outcome {
  const Step* step = nullptr;
  int64_t code = 0;
};

Outcome execute(const Layout& layout, size_t from, const Arena* arena, PyObject* check) {
  const Step* const begin = layout.steps.data();
  const Step* const end = begin + layout.steps.size();
  Frame frame{arena->bases, begin, begin, arena->lists->data(), check};
  for (const Step* step = begin + from; step != end; step = frame.next) {
    frame.next = step + 1;
    if (int64_t code = step->run(*step, frame)) return {step, code};
  }
  return {};
}

// Buffers are saved where the steps that write them are about to run.
void save(const Layout& layout, const Arena* arena) {
  for (const Layout::Saved& s : layout.saved)
    std::memcpy(arena->bases[0] + s.offset, arena->bases[s.base], size_t(s.bytes));
}

void give_back_saved(const Layout& layout, const Arena* arena) {
  for (const Layout::Saved& s : layout.saved)
    std::memcpy(arena->bases[s.base], arena->bases[0] + s.offset, size_t(s.bytes));
}

void begin_lists(const Arena* arena) {
  for (RowList& list : *arena->lists) list.begun = false;
}

// All steps, those of one layout after those of another where a run has to tell contents first. `layout` becomes the last.
// kDoesNotFit: nothing has been written, and nothing can be.
Answer execute_all(Compiled* c, std::shared_ptr<const Layout>& layout, Arena* arena, Outcome& outcome) {
  // Others may run the program where this run waits for nobody.
  const std::vector<int64_t> signature = layout->waits ? layout->signature : std::vector<int64_t>();
  const std::vector<Given> given = layout->waits ? c->given : std::vector<Given>();
  begin_lists(arena);
  for (size_t from = 0;;) {
    if (!layout->possible) return kDoesNotFit;
    if (!(from ? grow(arena, layout->arena_bytes) : reserve(arena, layout->arena_bytes))) return kError;
    arena->bases[0] = arena->start;
    if (arena->lists->size() < size_t(layout->lists)) arena->lists->resize(size_t(layout->lists));
    save(*layout, arena);
    if (layout->cost > c->release_at) {
      Py_BEGIN_ALLOW_THREADS;
      outcome = execute(*layout, from, arena, c->check);
      Py_END_ALLOW_THREADS;
    } else {
      outcome = execute(*layout, from, arena, c->check);
    }
    if (outcome.step) give_back_saved(*layout, arena);
    if (outcome.step || !layout->waits) return kFits;
    from = layout->steps.size();
    Answers answers = layout->answers;
    answers.push_back(read_contents(layout->asked, arena->bases[layout->asked.storage]));
    layout = layout_of(c, signature, given, answers);
    c->latest = layout;
  }
}

PyObject* fail(const Outcome& outcome, const std::shared_ptr<const Layout>& layout, Arena* arena, PyObject* self) {
  if (!arena->program) {
    Py_INCREF(self);
    arena->program = self;
  }
  *arena->layout = layout;
  Py_CLEAR(arena->tensors);
  Reference error(PyObject_CallFunction(python.failure, "iLOO", int(outcome.step->instruction), (long long)outcome.code,
                                        reinterpret_cast<PyObject*>(arena), layout->saved.empty() ? Py_False : Py_True));
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
    std::shared_ptr<const Layout> layout = c->latest = first_layout(c);
    Outcome outcome;
    const Answer ran = execute_all(c, layout, arena, outcome);
    if (ran == kDoesNotFit) {
      Py_INCREF(Py_None);
      result = Py_None;
    } else if (ran == kFits) {
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
  std::shared_ptr<const Layout> layout = answer == kFits ? first_layout(c) : nullptr;
  Outcome outcome;
  // A run first, which tells what layouts wait for.
  const Answer ran = layout ? execute_all(c, layout, arena, outcome) : kDoesNotFit;
  if (ran == kError || outcome.code == kInterrupted) return nullptr;
  if (ran == kDoesNotFit) {
    Py_INCREF(Py_None);
    return Py_None;
  }
  if (outcome.step) return fail(outcome, layout, arena, self);
  const Step* const begin = layout->steps.data();
  const Step* const end = begin + layout->steps.size();
  std::vector<double> least(layout->steps.size(), 0);
  for (int t = 0; t < times; t++) {
    begin_lists(arena);
    Frame frame{arena->bases, begin, begin, arena->lists->data(), c->check};
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

// set_check(function): what is called now and then in runs that take long; what it raises ends the run.
PyObject* program_set_check(PyObject* self, PyObject* function) {
  Compiled* c = reinterpret_cast<ProgramObject*>(self)->compiled;
  Py_XDECREF(c->check);
  Py_INCREF(function);
  c->check = function;
  Py_INCREF(Py_None);
  return Py_None;
}

PyObject* program_set_limit(PyObject* self, PyObject* number) {
  Compiled* c = reinterpret_cast<ProgramObject*>(self)->compiled;
  const double limit = PyFloat_AsDouble(number);
  if (limit == -1.0 && PyErr_Occurred()) return nullptr;
  c->limit = limit;
  c->layouts.clear();
  c->found_at = 0;
  c->last.reset();
  c->latest.reset();
  Py_INCREF(Py_None);
  return Py_None;
}

}  // namespace headrace
