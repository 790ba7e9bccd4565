// Operators of an archive that the op table does not have.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "archive/archive.h"

namespace changeaware {

// "mylib.twice.default", of all programs in the archive, sorted, each once: what register_op() must
// know before the programs can be read. Errors: those of list_programs(), Corrupt.
Result<std::vector<std::string>> unknown_operators(const Archive& archive);

// "(Tensor x) -> Tensor" of an operator; empty when its source does not have it.
using SchemaSource = std::function<Result<std::string>(const std::string& name)>;

// register_op() for those of them that `schema_of` has. Reading names the others.
Status register_operators(const Archive& archive, const SchemaSource& schema_of);

}  // namespace changeaware
