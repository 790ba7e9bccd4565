// The form in which a symbolic size enters the identity. docs/identity.md says why.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace changeaware {

// What stands for a name: the number of a symbol ("#0"), or the name itself.
using WordForm = std::function<std::string(std::string_view)>;

// A text that is equal for two spellings of one integer expression as far as order of operands,
// spacing and parentheses go: sums, products, Max and Min have sorted operands. An expression that
// is not understood comes back as literal_expression(). `word` is called in the order of the text.
std::string canonical_size(std::string_view expression, const WordForm& word);

// The text as it is, with every name replaced.
std::string literal_expression(std::string_view expression, const WordForm& word);

}  // namespace changeaware
