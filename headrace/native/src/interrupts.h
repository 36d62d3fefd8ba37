// Whether a run that takes long is to end: Python's signals, such as that of Ctrl-C, or what the program is told to ask.
#pragma once

#include "steps.h"

namespace headrace {

// Asks Python now and then; an error is set where the answer is true.
bool interrupted(Frame& frame);

}  // namespace headrace
