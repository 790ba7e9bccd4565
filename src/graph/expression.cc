#include "graph/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

#include "base/checked.h"

namespace changeaware {
namespace {

using Value = std::optional<int64_t>;
using Wide = __int128;
using Arguments = std::vector<int64_t>;

Value floor_div(int64_t a, int64_t b) {
  if (b == 0 || (b == -1 && a == INT64_MIN)) return std::nullopt;
  const int64_t q = a / b;
  return q - (a % b != 0 && (a % b < 0) != (b < 0));
}
Value floor_mod(int64_t a, int64_t b) {
  const Value q = floor_div(a, b);
  return q ? Value(a - *q * b) : std::nullopt;
}
Value binary(Value (*f)(int64_t, int64_t), const Arguments& args) {
  return args.size() == 2 ? f(args[0], args[1]) : std::nullopt;
}

struct Function {
  std::string_view name;
  Value (*apply)(const Arguments&);
};
constexpr std::array kFunctions = {
    Function{"Max",
             [](const Arguments& a) -> Value {
               return a.empty() ? Value() : *std::max_element(a.begin(), a.end());
             }},
    Function{"Min",
             [](const Arguments& a) -> Value {
               return a.empty() ? Value() : *std::min_element(a.begin(), a.end());
             }},
    Function{"Mod", [](const Arguments& a) { return binary(floor_mod, a); }},
    Function{"PythonMod", [](const Arguments& a) { return binary(floor_mod, a); }},
    Function{"FloorDiv", [](const Arguments& a) { return binary(floor_div, a); }},
    Function{"CleanDiv", [](const Arguments& a) { return binary(floor_div, a); }},
    Function{"Abs",
             [](const Arguments& a) -> Value {
               return a.size() == 1 && a[0] != INT64_MIN ? Value(std::abs(a[0])) : Value();
             }},
};

class Evaluator {
 public:
  Evaluator(std::string_view text, const SymbolValues& symbols) : text_(text), symbols_(symbols) {}

  Value run() {
    const Value value = sum();
    skip_space();
    return pos_ == text_.size() ? value : std::nullopt;
  }

 private:
  void skip_space() {
    while (pos_ < text_.size() && text_[pos_] == ' ') ++pos_;
  }
  bool accept(std::string_view token) {
    skip_space();
    if (text_.substr(pos_, token.size()) != token) return false;
    pos_ += token.size();
    return true;
  }
  Value sum() {
    Value left = product();
    while (left) {
      if (accept("+")) {
        const Value right = product();
        left = right ? checked_add(*left, *right) : std::nullopt;
      } else if (accept("-")) {
        const Value right = product();
        left = right && *right != INT64_MIN ? checked_add(*left, -*right) : std::nullopt;
      } else {
        break;
      }
    }
    return left;
  }
  Value product() {
    Value left = factor();
    while (left) {
      skip_space();
      if (text_.substr(pos_, 2) == "**") return std::nullopt;
      if (accept("//")) {
        const Value right = factor();
        left = right ? floor_div(*left, *right) : std::nullopt;
      } else if (accept("*")) {
        const Value right = factor();
        left = right ? checked_mul(*left, *right) : std::nullopt;
      } else if (accept("%")) {
        const Value right = factor();
        left = right ? floor_mod(*left, *right) : std::nullopt;
      } else {
        break;
      }
    }
    return left;
  }
  Value factor() {
    if (++depth_ > kMaxDepth) return std::nullopt;
    const Value value = factor_at_depth();
    --depth_;
    return value;
  }
  Value factor_at_depth() {
    if (accept("-")) {
      const Value value = factor();
      return value && *value != INT64_MIN ? Value(-*value) : std::nullopt;
    }
    if (accept("(")) {
      const Value value = sum();
      return accept(")") ? value : std::nullopt;
    }
    skip_space();
    size_t end = pos_;
    while (end < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_'))
      ++end;
    const std::string_view word = text_.substr(pos_, end - pos_);
    pos_ = end;
    if (word.empty()) return std::nullopt;
    if (std::isdigit(static_cast<unsigned char>(word[0]))) return number(word);
    if (accept("(")) return call(word);
    const auto it = symbols_.find(word);
    return it == symbols_.end() ? std::nullopt : Value(it->second);
  }
  static Value number(std::string_view word) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && end == word.data() + word.size() ? Value(value) : std::nullopt;
  }
  Value call(std::string_view name) {
    Arguments args;
    while (!accept(")")) {
      const Value value = sum();
      if (!value) return std::nullopt;
      args.push_back(*value);
      accept(",");
    }
    for (const Function& f : kFunctions) {
      if (f.name == name) return f.apply(args);
    }
    return std::nullopt;
  }

  static constexpr int kMaxDepth = 100;
  std::string_view text_;
  const SymbolValues& symbols_;
  size_t pos_ = 0;
  int depth_ = 0;
};

}  // namespace

bool is_symbol(std::string_view expression) {
  const auto is_name = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !expression.empty() && !std::isdigit(static_cast<unsigned char>(expression[0])) &&
         std::all_of(expression.begin(), expression.end(), is_name);
}

bool is_unbacked_symbol(std::string_view symbol) {
  const auto digits = [](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(),
                                        [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  if (symbol.starts_with("zuf")) return digits(symbol.substr(3));
  return symbol.starts_with("u") && digits(symbol.substr(1));
}

std::vector<std::string> symbols_in(std::string_view expression) {
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::vector<std::string> out;
  size_t i = 0;
  while (i < expression.size()) {
    if (!is_name(expression[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < expression.size() && is_name(expression[end])) ++end;
    const bool number = std::isdigit(static_cast<unsigned char>(expression[i]));
    const bool function = end < expression.size() && expression[end] == '(';
    if (!number && !function) out.emplace_back(expression.substr(i, end - i));
    i = end;
  }
  return out;
}

std::optional<int64_t> evaluate_expression(std::string_view expression,
                                           const SymbolValues& symbols) {
  return Evaluator(expression, symbols).run();
}

SizeMatch match_size(std::string_view expression, int64_t size, SymbolValues& symbols) {
  std::string unknown;
  for (const std::string& symbol : symbols_in(expression)) {
    if (symbols.contains(symbol) || symbol == unknown) continue;
    if (!unknown.empty()) return SizeMatch::kUnknown;
    unknown = symbol;
  }
  if (unknown.empty()) {
    const auto value = evaluate_expression(expression, symbols);
    if (!value) return SizeMatch::kUnknown;
    return *value == size ? SizeMatch::kMatches : SizeMatch::kDiffers;
  }
  // A line through the values at two points; another two tell that it is one.
  SymbolValues trial = symbols;
  const auto at = [&](int64_t x) {
    trial[unknown] = x;
    return evaluate_expression(expression, trial);
  };
  const auto first = at(1);
  const auto second = at(2);
  if (!first || !second) return SizeMatch::kUnknown;
  const Wide origin = *first;
  const Wide slope = *second - origin;
  const auto on_line = [&](int64_t x) {
    const auto y = at(x);
    return y && *y == origin + (x - 1) * slope;
  };
  if (slope == 0 || !on_line(3) || !on_line(1000)) {
    return SizeMatch::kUnknown;
  }
  if ((size - origin) % slope != 0) return SizeMatch::kDiffers;
  const auto value = static_cast<int64_t>(1 + (size - origin) / slope);
  if (at(value) != size) return SizeMatch::kDiffers;
  symbols[unknown] = value;
  return SizeMatch::kMatches;
}

}  // namespace changeaware
