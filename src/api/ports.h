// The program's inputs and outputs as C sees them.
#pragma once

#include "api/handles.h"
#include "changeaware/package.h"

namespace changeaware::api {

ca_port make_port(const ProgramInput& input);
ca_port make_port(const ProgramOutput& output);

}  // namespace changeaware::api
