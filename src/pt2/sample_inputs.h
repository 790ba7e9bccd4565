// Reads data/sample_inputs/<program>.pt: the inputs that a program was exported with.
//
// Format: torch.save of (args, kwargs), a zip archive inside the entry; an empty entry means none.
#pragma once

#include <memory>

#include "archive/archive.h"
#include "pt2/program.h"

namespace changeaware {

// Fills program.sample_inputs, in the order of the graph's inputs. Leaves it empty, with a note,
// when the entry holds something that is not accepted (see pickle.h).
// Errors: Corrupt naming the entry, when it is damaged or does not fit the program's inputs.
Status read_sample_inputs(const std::shared_ptr<const Archive>& archive, ExportedProgram& program);

}  // namespace changeaware
