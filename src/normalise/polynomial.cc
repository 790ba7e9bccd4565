#include "normalise/polynomial.h"

#include <cctype>
#include <charconv>

#include "base/checked.h"

namespace changeaware {
namespace {

constexpr int kMaxDepth = 64;

// Small enough that products of a few symbols do not overflow.
int64_t symbol_value(std::string_view name, uint32_t point) {
  uint64_t hash = 1469598103934665603ull + point * 40503u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return static_cast<int64_t>(1009 + (hash >> 32) % 9973);
}

// expression := term (("+" | "-") term)*; term := factor ("*" factor)*;
// factor := "-" factor | primary ["**" integer]; primary := integer | name | "(" expression ")"
class Parser {
 public:
  Parser(std::string_view text, uint32_t point) : text_(text), point_(point) {}

  std::optional<int64_t> run() {
    const auto value = expression(0);
    skip();
    return pos_ == text_.size() ? value : std::nullopt;
  }

 private:
  using Number = std::optional<int64_t>;

  void skip() {
    while (pos_ < text_.size() && text_[pos_] == ' ') ++pos_;
  }
  bool accept(std::string_view token) {
    skip();
    if (text_.substr(pos_, token.size()) != token) return false;
    pos_ += token.size();
    return true;
  }

  Number expression(int depth) {
    Number value = term(depth);
    while (value) {
      const bool plus = accept("+");
      if (!plus && !accept("-")) break;
      Number other = term(depth);
      if (other && !plus) other = checked_mul<int64_t>(*other, -1);
      value = other ? checked_add(*value, *other) : std::nullopt;
    }
    return value;
  }

  Number term(int depth) {
    Number value = factor(depth);
    while (value && accept("*")) {
      const Number other = factor(depth);
      value = other ? checked_mul(*value, *other) : std::nullopt;
    }
    return value;
  }

  Number factor(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    if (accept("-")) {
      const Number value = factor(depth + 1);
      return value ? checked_mul<int64_t>(*value, -1) : std::nullopt;
    }
    const Number base = primary(depth);
    if (!base || !accept("**")) return base;
    const Number exponent = integer();
    if (!exponent || *exponent > 8) return std::nullopt;
    Number value = 1;
    for (int64_t i = 0; i < *exponent && value; ++i) value = checked_mul(*value, *base);
    return value;
  }

  Number primary(int depth) {
    if (accept("(")) {
      const Number value = expression(depth + 1);
      return value && accept(")") ? value : std::nullopt;
    }
    skip();
    const size_t start = pos_;
    while (pos_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[pos_])) || text_[pos_] == '_')) {
      ++pos_;
    }
    const std::string_view word = text_.substr(start, pos_ - start);
    if (word.empty()) return std::nullopt;
    if (!std::isdigit(static_cast<unsigned char>(word[0]))) return symbol_value(word, point_);
    pos_ = start;
    return integer();
  }

  Number integer() {
    skip();
    int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + pos_, text_.data() + text_.size(), value);
    if (error != std::errc()) return std::nullopt;
    pos_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  std::string_view text_;
  uint32_t point_;
  size_t pos_ = 0;
};

}  // namespace

std::optional<int64_t> value_at(const Dim& dim, uint32_t point) {
  if (dim.fixed()) return dim.size;
  return Parser(dim.expression, point).run();
}

}  // namespace changeaware
