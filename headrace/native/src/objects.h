// What Python sees as objects, and the functions over them that several files share.
#pragma once

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030A0000
#endif
#include <Python.h>

#include <memory>
#include <vector>

#include "arrays.h"
#include "lists.h"
#include "program.h"

namespace headrace {

// What the Python side hands over: the runner knows nothing else of torch and NumPy.
struct GivenByPython {
  PyObject* tensor_type = nullptr;
  PyObject* array_type = nullptr;
  PyObject* dtypes[DTYPES] = {};
  PyObject* scalar_types[DTYPES] = {};
  PyObject* tensor_dtypes[DTYPES] = {};
  PyObject* empty = nullptr;         // (dims, dtype) -> array
  PyObject* make_memory = nullptr;   // bytes -> array
  PyObject* tensor_over = nullptr;   // memory, offset, type code, dims -> tensor
  PyObject* fresh_tensor = nullptr;  // dims, type code -> tensor
  PyObject* failure = nullptr;       // the exception class
  // Names of attributes and methods of tensors.
  PyObject *data_ptr = nullptr, *dtype = nullptr, *is_contiguous = nullptr, *is_cpu = nullptr, *shape = nullptr,
           *stride = nullptr;
};
extern GivenByPython python;

// A reference that ends with its scope.
struct Reference {
  PyObject* object;
  explicit Reference(PyObject* o = nullptr) : object(o) {}
  ~Reference() { Py_XDECREF(object); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  PyObject* release() {
    PyObject* o = object;
    object = nullptr;
    return o;
  }
};

// The memory of a running step. Its tensors belong to one layout.
struct Arena {
  PyObject_HEAD
  PyObject* memory;
  char* start;     // aligned
  int64_t offset;  // of start in memory
  int64_t bytes;
  std::shared_ptr<const Layout>* layout;  // of the tensors, or of the run that failed
  PyObject* tensors;  // a list, one an output, None where it is no tensor
  char** bases;
  int64_t* scalars;  // of inputs that are numbers
  std::vector<RowList>* lists;
  PyObject* program;  // keeps the layout alive
};
extern PyTypeObject* arena_type;

// A buffer's address, remembered while the same object is given.
struct Remembered {
  PyObject* object = nullptr;
  char* data = nullptr;
  Given given;
};

struct Compiled {
  Program program;
  std::vector<PyObject*> constants;
  std::vector<Remembered> buffers;
  std::vector<std::shared_ptr<const Layout>> layouts;
  size_t found_at = 0;  // which of them was last looked up
  // Of the last run: the first layout, and the one that it ended with.
  std::shared_ptr<const Layout> last, latest;
  std::vector<Arena*> pool;
  int64_t literals[2][DTYPES] = {};
  double limit = 5e6;        // ns
  double release_at = 2e4;   // ns from which on the interpreter may go on meanwhile
  // What the signature of a run is put together in: used while the interpreter's lock is held.
  std::vector<int64_t> signature;
  std::vector<Given> given;
  bool plain_outputs = true;
  PyObject* check = nullptr;
};

struct ProgramObject {
  PyObject_HEAD
  Compiled* compiled;
};

// arenas.cpp
bool reserve(Arena* arena, int64_t bytes);
// The same for a run that goes on: what is there stays.
bool grow(Arena* arena, int64_t bytes);
// A new arena of a program; `owned` keeps the program alive as long as the arena lives.
Arena* new_arena(PyObject* program, bool owned);
Arena* take_arena(PyObject* program);
void put_arena(Compiled* compiled, Arena* arena);
void arena_dealloc(PyObject* self);
PyObject* program_lease(PyObject* self, PyObject*);
PyObject* program_give_back(PyObject* self, PyObject* object);

// building.cpp
int program_init(PyObject* self, PyObject* args, PyObject*);
int program_traverse(PyObject* self, visitproc visit, void* arg);
int program_clear(PyObject* self);
void program_dealloc(PyObject* self);

// inputs.cpp
enum Answer { kFits, kDoesNotFit, kError };
Answer read_given(Compiled* compiled, PyObject* inputs, PyObject* buffers, Arena* arena);

// results.cpp
PyObject* as_array(const View& view, const char* base);
PyObject* results(Compiled* compiled, const std::shared_ptr<const Layout>& layout, Arena* arena);

// runs.cpp
PyObject* program_run(PyObject* self, PyObject* const* args, Py_ssize_t count);
PyObject* program_profile(PyObject* self, PyObject* args);
PyObject* program_set_limit(PyObject* self, PyObject* number);
PyObject* program_set_check(PyObject* self, PyObject* function);

// ctc_beams.cpp
PyObject* ctc_beams(PyObject*, PyObject* args);

// listing.cpp
PyObject* program_describe(PyObject* self, PyObject*);

}  // namespace headrace
