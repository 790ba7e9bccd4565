// The first stage of a request: names, dtypes and shapes against the program.
#pragma once

#include "changeaware/session.h"
#include "runtime/input_contract.h"
#include "runtime/request.h"

namespace changeaware {

enum class Values : uint8_t {
  kNeeded,         // every input that a wanted output depends on comes with a value
  kOrVersionTags,  // or with a version tag: to plan, not to run
};

// Errors: InvalidArgument naming the input or output and listing the valid names.
Result<RequestState> resolve_request(const Family& family, const InputContract& contract,
                                     const Request& request, Values values);

}  // namespace changeaware
