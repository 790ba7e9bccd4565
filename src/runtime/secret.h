// Random bytes that nobody can guess.
#pragma once

#include <cstddef>
#include <span>

namespace changeaware {

void fill_secret(std::span<std::byte> bytes);

}  // namespace changeaware
