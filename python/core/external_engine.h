// ExternalEngine over a Python object.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "changeaware/external_engine.h"

namespace changeaware::python {

// `engine.load(name)` gives an object that is called with a list of arrays, the callable's inputs
// (read-only, valid during the call), and returns as many arrays as it has outputs. What either
// raises becomes a Status: the code of a changeaware.Error, else Internal with the text.
// Thread safety: Python is entered with the GIL, from any thread. REQUIRES: the GIL, to create.
std::shared_ptr<const ExternalEngine> make_external_engine(nanobind::handle engine);

}  // namespace changeaware::python
