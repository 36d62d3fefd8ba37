// The extension module. Only the limited API of Python 3.10 is used, and nothing of torch or NumPy but what the Python side hands
// over in `configure`.
#include <cstdlib>

#include "direct.h"
#include "threads.h"

namespace headrace {
namespace {

// read(arena, value): a copy of a value of the run that failed in this arena.
PyObject* read_value(PyObject*, PyObject* args) {
  PyObject* object;
  int value;
  if (!PyArg_ParseTuple(args, "Oi", &object, &value)) return nullptr;
  Arena* arena = reinterpret_cast<Arena*>(object);
  if (Py_TYPE(object) != arena_type || !*arena->layout || value < 0 || size_t(value) >= (*arena->layout)->views.size()) {
    PyErr_SetString(PyExc_ValueError, "there is no such value in the arena");
    return nullptr;
  }
  const View& view = (*arena->layout)->views[size_t(value)];
  if (view.storage < 0) {
    PyErr_SetString(PyExc_ValueError, "the value has not been made");
    return nullptr;
  }
  return as_array(view, arena->bases[view.storage]);
}

PyObject* configure(PyObject*, PyObject* args) {
  PyObject *tensor, *tensor_dtypes, *array, *dtypes, *scalars, *empty, *memory, *over, *fresh, *failure;
  if (!PyArg_ParseTuple(args, "OOOOOOOOOO", &tensor, &tensor_dtypes, &array, &dtypes, &scalars, &empty, &memory, &over,
                        &fresh, &failure))
    return nullptr;
  if (PySequence_Size(dtypes) != DTYPES || PySequence_Size(scalars) != DTYPES || PySequence_Size(tensor_dtypes) != DTYPES) {
    PyErr_SetString(PyExc_ValueError, "there is a type for each code");
    return nullptr;
  }
  const auto set = [](PyObject*& to, PyObject* from) {
    Py_INCREF(from);
    Py_XDECREF(to);
    to = from;
  };
  set(python.tensor_type, tensor);
  set(python.array_type, array);
  set(python.empty, empty);
  set(python.make_memory, memory);
  set(python.tensor_over, over);
  set(python.fresh_tensor, fresh);
  set(python.failure, failure);
  for (int k = 0; k < DTYPES; k++) {
    Reference dtype(PySequence_GetItem(dtypes, k)), scalar(PySequence_GetItem(scalars, k));
    Reference tensor_dtype(PySequence_GetItem(tensor_dtypes, k));
    if (!dtype.object || !scalar.object || !tensor_dtype.object) return nullptr;
    set(python.dtypes[k], dtype.object);
    set(python.tensor_dtypes[k], tensor_dtype.object);
    set(python.scalar_types[k], scalar.object);
  }
  if (!learn_arrays(python.empty, python.dtypes)) return nullptr;
  Py_INCREF(Py_None);
  return Py_None;
}

PyMethodDef program_methods[] = {
    {"run", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(program_run)), METH_FASTCALL, nullptr},
    {"profile", program_profile, METH_VARARGS, nullptr},
    {"lease", program_lease, METH_NOARGS, nullptr},
    {"give_back", program_give_back, METH_O, nullptr},
    {"set_limit", program_set_limit, METH_O, nullptr},
    {"set_check", program_set_check, METH_O, nullptr},
    {"describe", program_describe, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot program_slots[] = {{Py_tp_init, reinterpret_cast<void*>(program_init)},
                               {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
                               {Py_tp_traverse, reinterpret_cast<void*>(program_traverse)},
                               {Py_tp_clear, reinterpret_cast<void*>(program_clear)},
                               {Py_tp_dealloc, reinterpret_cast<void*>(program_dealloc)},
                               {Py_tp_methods, program_methods},
                               {0, nullptr}};
PyType_Spec program_spec = {"headrace.native._runner.Program", sizeof(ProgramObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, program_slots};
PyType_Slot arena_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(arena_dealloc)}, {0, nullptr}};
PyType_Spec arena_spec = {"headrace.native._runner.Arena", sizeof(Arena), 0, Py_TPFLAGS_DEFAULT, arena_slots};

PyMethodDef module_methods[] = {{"configure", configure, METH_VARARGS, nullptr},
                                {"read", read_value, METH_VARARGS, nullptr},
                                {"ctc_beams", ctc_beams, METH_VARARGS, nullptr},
                                {"use_team", use_team, METH_O, nullptr},
                                {nullptr, nullptr, 0, nullptr}};
PyModuleDef module_def = {PyModuleDef_HEAD_INIT, "_runner", nullptr, -1, module_methods, nullptr, nullptr, nullptr, nullptr};

bool add(PyObject* module, const char* name, PyObject* object) {
  if (object && PyModule_AddObject(module, name, object) == 0) return true;
  Py_XDECREF(object);
  return false;
}

}  // namespace
}  // namespace headrace

PyMODINIT_FUNC PyInit__runner(void) {
  using namespace headrace;
  PyObject* module = PyModule_Create(&module_def);
  if (!module) return nullptr;
  const char* limit = std::getenv("HEADRACE_NATIVE_SET");
  const KernelTable& table = choose_kernels(limit ? limit : "");
  python.data_ptr = PyUnicode_InternFromString("data_ptr");
  python.dtype = PyUnicode_InternFromString("dtype");
  python.is_contiguous = PyUnicode_InternFromString("is_contiguous");
  python.is_cpu = PyUnicode_InternFromString("is_cpu");
  python.shape = PyUnicode_InternFromString("shape");
  python.stride = PyUnicode_InternFromString("stride");
  arena_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&arena_spec));
  PyObject* names = PyFrozenSet_New(nullptr);
  if (names)
    for (const char* name : instruction_names()) {
      PyObject* text = PyUnicode_FromString(name);
      if (!text || PySet_Add(names, text) < 0) return nullptr;
      Py_DECREF(text);
    }
  if (!arena_type || !add(module, "Program", PyType_FromSpec(&program_spec)) || !add(module, "INSTRUCTIONS", names) ||
      !add(module, "INSTRUCTION_SET", PyUnicode_FromString(table.name)) || !add_direct_calls(module))
    return nullptr;
  return module;
}
