// The strategies of a package as text for people.
#pragma once

#include <string>

#include "changeaware/package.h"

namespace changeaware::cli {

// A table of strategies by sets of changed inputs with the time that a request takes; below, what
// each strategy retains and what a change of each input runs. With more than three inputs the table
// has each input alone and all; JSON has every set.
std::string strategies_text(const Manifest& manifest);

}  // namespace changeaware::cli
