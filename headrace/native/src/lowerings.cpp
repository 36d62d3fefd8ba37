// Finding an instruction by its name.
#include "lowerings.h"

namespace headrace {
namespace {

const std::unordered_map<std::string, const Lowering*>& all_lowerings() {
  static const auto* all = [] {
    auto* map = new std::unordered_map<std::string, const Lowering*>();
    for (const auto* rows :
         {&view_lowerings(), &elementwise_lowerings(), &reduction_lowerings(), &product_lowerings(), &row_lowerings(),
          &movement_lowerings(), &update_lowerings(), &random_lowerings(), &flow_lowerings(), &list_lowerings(),
          &contents_lowerings(), &ctc_lowerings(), &matrix_lowerings()})
      for (const Lowering& row : *rows) (*map)[row.name] = &row;
    return map;
  }();
  return *all;
}

}  // namespace

const Lowering* find_lowering(const std::string& name) {
  const auto found = all_lowerings().find(name);
  return found == all_lowerings().end() ? nullptr : found->second;
}

std::vector<const char*> instruction_names() {
  std::vector<const char*> names;
  for (const auto& row : all_lowerings()) names.push_back(row.second->name);
  return names;
}

}  // namespace headrace
