// The first stage of a request: names, dtypes and shapes against the program.
#pragma once

#include "changeaware/session.h"
#include "runtime/input_contract.h"
#include "runtime/request.h"

namespace changeaware {

// Errors: InvalidArgument naming the input or output and listing the valid names.
Result<RequestState> resolve_request(const Topology& topology, const InputContract& contract,
                                     const Request& request);

}  // namespace changeaware
