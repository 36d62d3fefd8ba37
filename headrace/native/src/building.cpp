// Programs made of what the Python side lists.
#include <cstring>

#include "objects.h"

namespace headrace {

void set_literals(int64_t (*literals)[DTYPES]) {
  const float f = 1;
  const double d = 1;
  std::memcpy(&literals[1][F32], &f, 4);
  std::memcpy(&literals[1][F64], &d, 8);
  const int32_t i = 1;
  std::memcpy(&literals[1][I32], &i, 4);
  literals[1][I64] = 1;
  const uint8_t u = 1;
  std::memcpy(&literals[1][BOOL], &u, 1);
  std::memcpy(&literals[1][U8], &u, 1);
}

namespace {

bool read_ints(PyObject* sequence, std::vector<int64_t>& out) {
  const Py_ssize_t n = PySequence_Size(sequence);
  if (n < 0) return false;
  for (Py_ssize_t k = 0; k < n; k++) {
    Reference item(PySequence_GetItem(sequence, k));
    if (!item.object) return false;
    Reference index(PyNumber_Index(item.object));
    if (!index.object) return false;
    out.push_back(PyLong_AsLongLong(index.object));
    if (PyErr_Occurred()) return false;
  }
  return true;
}
bool read_values(PyObject* sequence, size_t count, std::vector<int32_t>& out) {
  std::vector<int64_t> wide;
  if (!read_ints(sequence, wide)) return false;
  for (int64_t v : wide) {
    if (v < 0 || size_t(v) >= count) {
      PyErr_Format(PyExc_ValueError, "there is no value %lld", (long long)v);
      return false;
    }
    out.push_back(int32_t(v));
  }
  return true;
}

bool read_declared(PyObject* values, Program& program) {
  const Py_ssize_t n = PySequence_Size(values);
  for (Py_ssize_t k = 0; k < n; k++) {
    Reference item(PySequence_GetItem(values, k));
    int kind, dtype, flag;
    PyObject* dims;
    if (!item.object || !PyArg_ParseTuple(item.object, "iiOi", &kind, &dtype, &dims, &flag)) return false;
    Value value;
    value.kind = ValueKind(kind);
    value.dtype = DType(dtype);
    value.contiguous = flag & 1;
    if (dtype < 0 || dtype >= DTYPES || kind < 0 || kind > kMade) {
      PyErr_SetString(PyExc_ValueError, "a value is of no known kind or type");
      return false;
    }
    if (dims != Py_None) {
      value.known_rank = true;
      if (!read_ints(dims, value.dims)) return false;
      if (value.dims.size() > size_t(kMaxRank)) {
        PyErr_Format(PyExc_ValueError, "values have at most %d axes", kMaxRank);
        return false;
      }
    }
    std::vector<int32_t>* of_kind = kind == kInput    ? &program.inputs
                                    : kind == kBuffer ? &program.buffers
                                    : kind == kConstant ? &program.constants : nullptr;
    if (of_kind) {
      value.index = int32_t(of_kind->size());
      of_kind->push_back(int32_t(k));
    }
    program.values.push_back(std::move(value));
  }
  return true;
}

bool read_instructions(PyObject* list, Program& program) {
  const Py_ssize_t n = PySequence_Size(list);
  for (Py_ssize_t k = 0; k < n; k++) {
    Reference item(PySequence_GetItem(list, k));
    const char* name;
    PyObject *inputs, *results, *ints, *floats;
    if (!item.object || !PyArg_ParseTuple(item.object, "sOOOO", &name, &inputs, &results, &ints, &floats)) return false;
    Instruction instruction;
    instruction.how = find_lowering(name);
    instruction.number = int32_t(k);
    if (!instruction.how) {
      PyErr_Format(PyExc_ValueError, "no native instruction is called %s", name);
      return false;
    }
    if (!read_values(inputs, program.values.size(), instruction.inputs)) return false;
    if (!read_values(results, program.values.size(), instruction.results)) return false;
    if (!read_ints(ints, instruction.ints)) return false;
    const Py_ssize_t numbers = PySequence_Size(floats);
    for (Py_ssize_t f = 0; f < numbers; f++) {
      Reference number(PySequence_GetItem(floats, f));
      instruction.floats.push_back(PyFloat_AsDouble(number.object));
      if (PyErr_Occurred()) return false;
    }
    program.instructions.push_back(std::move(instruction));
  }
  return true;
}

}  // namespace

int program_init(PyObject* self, PyObject* args, PyObject*) {
  PyObject *values, *constants, *instructions, *outputs;
  if (!PyArg_ParseTuple(args, "OOOO", &values, &constants, &instructions, &outputs)) return -1;
  ProgramObject* object = reinterpret_cast<ProgramObject*>(self);
  if (object->compiled) {
    PyErr_SetString(PyExc_RuntimeError, "a program is made once");
    return -1;
  }
  auto compiled = std::make_unique<Compiled>();
  Program& program = compiled->program;
  if (!read_declared(values, program) || !read_instructions(instructions, program)) return -1;
  const Py_ssize_t n = PySequence_Size(outputs);
  for (Py_ssize_t k = 0; k < n; k++) {
    Reference item(PySequence_GetItem(outputs, k));
    int value, kind;
    if (!item.object || !PyArg_ParseTuple(item.object, "ii", &value, &kind)) return -1;
    if (value < 0 || size_t(value) >= program.values.size() || kind < 0 || kind > kFresh) {
      PyErr_Format(PyExc_ValueError, "there is no value %d, or no kind %d", value, kind);
      return -1;
    }
    program.outputs.push_back({value, OutputKind(kind)});
    if (kind == kTensor) compiled->plain_outputs = false;
  }
  if (size_t(PySequence_Size(constants)) != program.constants.size()) {
    PyErr_SetString(PyExc_ValueError, "constants and their values differ in number");
    return -1;
  }
  for (Py_ssize_t k = 0; k < PySequence_Size(constants); k++) {
    PyObject* array = PySequence_GetItem(constants, k);
    if (!array) return -1;
    compiled->constants.push_back(array);
    program.constant_data.push_back(array_data(array));
  }
  compiled->buffers.resize(program.buffers.size());
  compiled->given.resize(program.inputs.size() + program.buffers.size());
  set_literals(compiled->literals);
  object->compiled = compiled.release();
  return 0;
}

// What checks a run knows the loop that the program is of, which leads to the program again: without these two nobody would
// ever free either.
int program_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (Compiled* c = reinterpret_cast<ProgramObject*>(self)->compiled) Py_VISIT(c->check);
  return 0;
}

int program_clear(PyObject* self) {
  if (Compiled* c = reinterpret_cast<ProgramObject*>(self)->compiled) Py_CLEAR(c->check);
  return 0;
}

void program_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Compiled* c = reinterpret_cast<ProgramObject*>(self)->compiled;
  if (c) {
    for (PyObject* o : c->constants) Py_DECREF(o);
    for (Remembered& r : c->buffers) Py_XDECREF(r.object);
    for (Arena* a : c->pool) Py_DECREF(reinterpret_cast<PyObject*>(a));
    Py_XDECREF(c->check);
    delete c;
  }
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

}  // namespace headrace
