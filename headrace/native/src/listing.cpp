// A program as text.
#include <string>

#include "objects.h"

namespace headrace {

namespace {

const char* const kTypeNames[DTYPES] = {"float32", "float64", "int32", "int64", "bool", "uint8"};

}  // namespace

PyObject* program_describe(PyObject* self, PyObject*) {
  Compiled* c = reinterpret_cast<ProgramObject*>(self)->compiled;
  const Layout* layout = c->latest.get();
  const Program& p = c->program;
  std::string text;
  const auto place = [&](int32_t id) {
    const Value& value = p.values[size_t(id)];
    std::string s = "v" + std::to_string(id) + ": " + kTypeNames[value.dtype];
    if (!layout || !layout->possible) return s;
    const View& view = layout->views[size_t(id)];
    s += "[";
    for (int k = 0; k < view.rank; k++) s += (k ? "," : "") + std::to_string(view.dims[k]);
    s += "]";
    if (view.storage == 0) s += " @" + std::to_string(view.offset);
    else if (view.storage < p.first_buffer()) s += " @input " + std::to_string(view.storage - p.first_input());
    else if (view.storage < p.first_constant()) s += " @buffer " + std::to_string(view.storage - p.first_buffer());
    else if (view.storage < p.zero()) s += " @constant " + std::to_string(view.storage - p.first_constant());
    else s += view.storage == p.zero() ? " @zeros" : " @ones";
    if (!view.is_contiguous()) s += " strided";
    return s;
  };
  for (const Instruction& i : p.instructions) {
    std::string line;
    for (size_t k = 0; k < i.results.size(); k++) line += (k ? ", " : "") + place(i.results[k]);
    line += std::string(" = ") + i.how->name + "(";
    for (size_t k = 0; k < i.inputs.size(); k++) line += (k ? ", v" : "v") + std::to_string(i.inputs[k]);
    if (!i.ints.empty()) {
      line += "; ";
      for (size_t k = 0; k < i.ints.size(); k++) line += (k ? " " : "") + std::to_string(i.ints[k]);
    }
    for (double f : i.floats) line += "; " + std::to_string(f);
    text += line + ")\n";
  }
  if (layout) {
    if (layout->possible)
      text += std::to_string(layout->steps.size()) + " steps, " + std::to_string(layout->arena_bytes) + " bytes, about " +
              std::to_string(layout->cost / 1000) + " us\n";
    else text += "not run: " + layout->why_not + "\n";
  }
  return PyUnicode_FromString(text.c_str());
}

}  // namespace headrace
