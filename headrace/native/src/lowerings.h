// The tables of how instructions are planned, by family.
#pragma once

#include "planner.h"

namespace headrace {

const std::vector<Lowering>& view_lowerings();
const std::vector<Lowering>& elementwise_lowerings();
const std::vector<Lowering>& reduction_lowerings();
const std::vector<Lowering>& product_lowerings();
const std::vector<Lowering>& row_lowerings();
const std::vector<Lowering>& movement_lowerings();
const std::vector<Lowering>& update_lowerings();
const std::vector<Lowering>& random_lowerings();
const std::vector<Lowering>& flow_lowerings();
const std::vector<Lowering>& list_lowerings();
const std::vector<Lowering>& contents_lowerings();
const std::vector<Lowering>& ctc_lowerings();
const std::vector<Lowering>& matrix_lowerings();

}  // namespace headrace
