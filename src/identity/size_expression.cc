#include "identity/size_expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

namespace changeaware {
namespace {

constexpr int kMaxDepth = 100;
constexpr std::array<std::string_view, 2> kCommutative = {"Max", "Min"};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

size_t word_end(std::string_view text, size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return at;
}

// A product: sign and factors. A sum is a list of products.
struct Product {
  bool negative = false;
  std::vector<std::string> factors;
};
using Sum = std::vector<Product>;

std::string print(Product product) {
  std::erase(product.factors, "1");
  if (product.factors.empty()) product.factors.push_back("1");
  std::sort(product.factors.begin(), product.factors.end());
  std::string out = product.factors.size() == 1
                        ? product.factors[0]
                        : fmt::format("(* {})", fmt::join(product.factors, " "));
  return product.negative ? "-" + out : out;
}

std::string print(const Sum& sum) {
  if (sum.size() == 1) return print(sum[0]);
  std::vector<std::string> terms;
  for (const Product& product : sum) terms.push_back(print(product));
  std::sort(terms.begin(), terms.end());
  return fmt::format("(+ {})", fmt::join(terms, " "));
}

// sum := product (("+" | "-") product)*; product := power (("*" | "//" | "%") power)*;
// power := "-" power | atom ["**" power]; atom := integer | name | name "(" sums ")" | "(" sum ")".
// Nothing for a text of another form.
class Parser {
 public:
  Parser(std::string_view text, const WordForm& word) : text_(text), word_(word) {}

  std::optional<std::string> run() {
    const auto out = sum(0);
    if (!out || peek() != '\0') return std::nullopt;
    return print(*out);
  }

 private:
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(std::string_view token) {
    peek();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  std::optional<Sum> sum(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    Sum out;
    bool negative = false;
    do {
      auto terms = product(depth);
      if (!terms) return std::nullopt;
      if (negative && terms->size() > 1) {
        out.push_back({true, {print(*terms)}});
      } else {
        for (Product& term : *terms) {
          term.negative ^= negative;
          out.push_back(std::move(term));
        }
      }
      negative = peek() == '-';
    } while (accept("+") || accept("-"));
    return out;
  }

  // Several terms only when the whole product is a sum in parentheses.
  std::optional<Sum> product(int depth) {
    auto left = power(depth);
    while (left) {
      const bool floor = accept("//");
      const bool modulo = !floor && accept("%");
      if (!floor && !modulo && !accept("*")) break;
      const auto right = power(depth);
      if (!right) return std::nullopt;
      if (floor || modulo) {
        left = single(fmt::format("({} {} {})", floor ? "//" : "%", print(*left), print(*right)));
      } else {
        Product joined;
        append(joined, *left);
        append(joined, *right);
        left = Sum{std::move(joined)};
      }
    }
    return left;
  }

  static Sum single(std::string factor) { return {Product{false, {std::move(factor)}}}; }

  static void append(Product& product, const Sum& operand) {
    if (operand.size() > 1) {
      product.factors.push_back(print(operand));
      return;
    }
    product.negative ^= operand[0].negative;
    product.factors.insert(product.factors.end(), operand[0].factors.begin(),
                           operand[0].factors.end());
  }

  std::optional<Sum> power(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    if (accept("-")) {
      auto operand = power(depth + 1);
      if (!operand) return std::nullopt;
      Product negated{true, {}};
      append(negated, *operand);
      return Sum{std::move(negated)};
    }
    auto base = atom(depth);
    if (!base || !accept("**")) return base;
    const auto exponent = power(depth + 1);
    if (!exponent) return std::nullopt;
    return single(fmt::format("(** {} {})", print(*base), print(*exponent)));
  }

  std::optional<Sum> atom(int depth) {
    if (accept("(")) {
      auto inner = sum(depth + 1);
      return inner && accept(")") ? std::move(inner) : std::nullopt;
    }
    if (!is_word(peek())) return std::nullopt;
    const std::string_view word = text_.substr(at_, word_end(text_, at_) - at_);
    at_ += word.size();
    if (is_digit(word[0])) {
      const bool integer = std::all_of(word.begin(), word.end(), is_digit) && peek() != '.';
      return integer ? std::optional(single(std::string(word))) : std::nullopt;
    }
    if (accept("(")) return call(word, depth);
    return single(word_(word));
  }

  std::optional<Sum> call(std::string_view name, int depth) {
    std::vector<std::string> args;
    while (!accept(")")) {
      if (!args.empty() && !accept(",")) return std::nullopt;
      const auto arg = sum(depth + 1);
      if (!arg) return std::nullopt;
      args.push_back(print(*arg));
    }
    if (std::find(kCommutative.begin(), kCommutative.end(), name) != kCommutative.end()) {
      std::sort(args.begin(), args.end());
    }
    return single(fmt::format("({} {})", name, fmt::join(args, " ")));
  }

  std::string_view text_;
  const WordForm& word_;
  size_t at_ = 0;
};

}  // namespace

std::string literal_expression(std::string_view expression, const WordForm& word) {
  std::string out = "text:";
  for (size_t at = 0; at < expression.size();) {
    const size_t end = word_end(expression, at);
    if (end == at) {
      out += expression[at++];
      continue;
    }
    const std::string_view name = expression.substr(at, end - at);
    out += is_digit(name[0]) ? std::string(name) : word(name);
    at = end;
  }
  return out;
}

std::string canonical_size(std::string_view expression, const WordForm& word) {
  auto out = Parser(expression, word).run();
  return out ? *std::move(out) : literal_expression(expression, word);
}

}  // namespace changeaware
