// Arenas: the memory of running steps, and the pool of them that a program has.
#include <cstdlib>
#include <cstring>

#include "objects.h"

namespace headrace {

GivenByPython python;
PyTypeObject* arena_type = nullptr;

namespace {

// So many that nobody uses are kept.
constexpr size_t kPooled = 8;

}  // namespace

bool reserve(Arena* arena, int64_t bytes) {
  if (arena->memory && arena->bytes >= bytes) return true;
  Reference memory(PyObject_CallFunction(python.make_memory, "L", (long long)(bytes + 128)));
  if (!memory.object) return false;
  char* data = array_data(memory.object);
  const int64_t offset = int64_t((64 - reinterpret_cast<uintptr_t>(data) % 64) % 64);
  Py_XDECREF(arena->memory);
  arena->memory = memory.release();
  arena->start = data + offset;
  arena->offset = offset;
  arena->bytes = bytes;
  Py_CLEAR(arena->tensors);
  arena->layout->reset();
  return true;
}

bool grow(Arena* arena, int64_t bytes) {
  if (arena->bytes >= bytes) return true;
  const int64_t held = arena->bytes;
  const char* from = arena->start;
  Reference before(arena->memory);
  Py_XINCREF(before.object);
  if (!reserve(arena, bytes)) return false;
  std::memcpy(arena->start, from, size_t(held));
  return true;
}

void arena_dealloc(PyObject* self) {
  Arena* arena = reinterpret_cast<Arena*>(self);
  Py_XDECREF(arena->memory);
  Py_XDECREF(arena->tensors);
  Py_XDECREF(arena->program);
  delete arena->layout;
  delete arena->lists;
  std::free(arena->bases);
  std::free(arena->scalars);
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

Arena* new_arena(PyObject* self, bool owned) {
  Compiled* c = reinterpret_cast<ProgramObject*>(self)->compiled;
  Arena* arena = reinterpret_cast<Arena*>(reinterpret_cast<allocfunc>(PyType_GetSlot(arena_type, Py_tp_alloc))(arena_type, 0));
  if (!arena) return nullptr;
  arena->layout = new std::shared_ptr<const Layout>();
  arena->lists = new std::vector<RowList>();
  arena->bases = static_cast<char**>(std::calloc(size_t(c->program.bases()), sizeof(char*)));
  arena->scalars = static_cast<int64_t*>(std::calloc(c->program.inputs.size() + 1, sizeof(int64_t)));
  const Program& p = c->program;
  for (size_t k = 0; k < c->constants.size(); k++) arena->bases[p.first_constant() + int32_t(k)] = array_data(c->constants[k]);
  for (int one = 0; one < 2; one++) arena->bases[p.zero() + one] = reinterpret_cast<char*>(c->literals[one]);
  if (owned) {
    Py_INCREF(self);
    arena->program = self;
  }
  return arena;
}

Arena* take_arena(PyObject* self) {
  Compiled* c = reinterpret_cast<ProgramObject*>(self)->compiled;
  if (c->pool.empty()) return new_arena(self, false);
  Arena* arena = c->pool.back();
  c->pool.pop_back();
  return arena;
}

void put_arena(Compiled* c, Arena* arena) {
  if (c->pool.size() < kPooled) c->pool.push_back(arena);
  else Py_DECREF(reinterpret_cast<PyObject*>(arena));
}

PyObject* program_lease(PyObject* self, PyObject*) {
  Arena* arena = take_arena(self);
  if (!arena) return nullptr;
  if (!arena->program) {
    Py_INCREF(self);
    arena->program = self;
  }
  return reinterpret_cast<PyObject*>(arena);
}

PyObject* program_give_back(PyObject* self, PyObject* object) {
  Compiled* c = reinterpret_cast<ProgramObject*>(self)->compiled;
  Arena* arena = reinterpret_cast<Arena*>(object);
  if (Py_TYPE(object) != arena_type || arena->program != self) {
    PyErr_SetString(PyExc_TypeError, "the arena is not of this program");
    return nullptr;
  }
  if (c->pool.size() < kPooled) {
    // An arena in the pool does not keep its program alive.
    Py_INCREF(object);
    c->pool.push_back(arena);
    Py_CLEAR(arena->program);
  }
  Py_INCREF(Py_None);
  return Py_None;
}

}  // namespace headrace
