#include "pt2/sympy_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "base/errors.h"

namespace changeaware {
namespace {

constexpr int kMaxDepth = 200;

struct Expr {
  enum class Kind { kNumber, kSymbol, kCall } kind = Kind::kNumber;
  std::string text;  // digits, name, function
  std::vector<Expr> args;
};

Expr number(std::string text) { return {Expr::Kind::kNumber, std::move(text), {}}; }
Expr call(std::string name, std::vector<Expr> args) {
  return {Expr::Kind::kCall, std::move(name), std::move(args)};
}

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Names that SymPy prints bare in both forms.
constexpr std::array<std::string_view, 8> kBareNames = {"true", "false", "oo",     "zoo",
                                                        "nan",  "pi",    "int_oo", "E"};

// What the two parsers share: a cursor over the text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool done() {
    skip_spaces();
    return at_ == text_.size();
  }
  bool accept(std::string_view token) {
    skip_spaces();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  char peek() {
    skip_spaces();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  std::string name() {
    skip_spaces();
    const size_t start = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }
  // Digits with an optional fraction and exponent.
  std::string digits() {
    skip_spaces();
    const size_t start = at_;
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.' || is_exponent()))
      ++at_;
    return std::string(text_.substr(start, at_ - start));
  }
  std::optional<std::string> quoted() {
    if (!accept("'")) return std::nullopt;
    const size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) return std::nullopt;
    std::string out(text_.substr(at_, end - at_));
    at_ = end + 1;
    return out;
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool is_exponent() const {
    const char c = text_[at_];
    const char before = at_ > 0 ? text_[at_ - 1] : '\0';
    if (c == 'e' || c == 'E') return is_digit(before) || before == '.';
    return (c == '-' || c == '+') && (before == 'e' || before == 'E');
  }

  std::string_view text_;
  size_t at_ = 0;
};

// Nothing on a syntax error.
class SreprParser {
 public:
  explicit SreprParser(std::string_view text) : scan_(text) {}
  std::optional<Expr> parse() {
    auto out = expression(0);
    return out && scan_.done() ? std::move(out) : std::nullopt;
  }

 private:
  std::optional<Expr> expression(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    if (scan_.peek() == '-' || is_digit(scan_.peek())) {
      const std::string sign = scan_.accept("-") ? "-" : "";
      return number(sign + scan_.digits());
    }
    const std::string name = scan_.name();
    if (name.empty()) return std::nullopt;
    if (!scan_.accept("(")) return Expr{Expr::Kind::kSymbol, name, {}};
    return name == "Symbol" || name == "Float" ? leaf(name) : arguments(name, depth);
  }

  // Symbol('s0', positive=True, integer=True), Float('0.5', precision=53).
  std::optional<Expr> leaf(const std::string& kind) {
    auto text = scan_.quoted();
    if (!text) return std::nullopt;
    while (scan_.accept(",")) {
      if (scan_.name().empty() || !scan_.accept("=") || scan_.name().empty()) return std::nullopt;
    }
    if (!scan_.accept(")")) return std::nullopt;
    return Expr{kind == "Symbol" ? Expr::Kind::kSymbol : Expr::Kind::kNumber, std::move(*text), {}};
  }

  std::optional<Expr> arguments(const std::string& name, int depth) {
    Expr out = call(name, {});
    while (!scan_.accept(")")) {
      if (!out.args.empty() && !scan_.accept(",")) return std::nullopt;
      auto arg = expression(depth + 1);
      if (!arg) return std::nullopt;
      out.args.push_back(std::move(*arg));
    }
    if (name != "Integer") return out;
    if (out.args.size() != 1 || out.args[0].kind != Expr::Kind::kNumber) return std::nullopt;
    return std::move(out.args[0]);
  }

  Scanner scan_;
};

class InfixParser {
 public:
  explicit InfixParser(std::string_view text) : scan_(text) {}
  std::optional<Expr> parse() {
    auto out = sum(0);
    return out && scan_.done() ? std::move(out) : std::nullopt;
  }

 private:
  static Expr negate(Expr e) {
    if (e.kind == Expr::Kind::kNumber) {
      return number(e.text.starts_with('-') ? e.text.substr(1) : "-" + e.text);
    }
    if (e.kind == Expr::Kind::kCall && e.text == "Mul" && e.args[0].kind == Expr::Kind::kNumber) {
      e.args[0] = negate(std::move(e.args[0]));
      return e;
    }
    return call("Mul", {number("-1"), std::move(e)});
  }

  std::optional<Expr> sum(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    std::vector<Expr> terms;
    bool minus = false;
    do {
      auto term = product(depth);
      if (!term) return std::nullopt;
      terms.push_back(minus ? negate(std::move(*term)) : std::move(*term));
      minus = scan_.peek() == '-';
    } while (scan_.accept("+") || scan_.accept("-"));
    return terms.size() == 1 ? std::move(terms[0]) : call("Add", std::move(terms));
  }

  std::optional<Expr> product(int depth) {
    auto left = unary(depth);
    if (!left) return std::nullopt;
    std::vector<Expr> factors;
    factors.push_back(std::move(*left));
    for (;;) {
      const bool floor = scan_.accept("//");
      const bool divide = !floor && scan_.accept("/");
      if (!floor && !divide && !scan_.accept("*")) break;
      auto right = unary(depth);
      if (!right) return std::nullopt;
      if (floor) {
        Expr so_far = joined(std::move(factors));
        factors.clear();
        factors.push_back(call("FloorDiv", {std::move(so_far), std::move(*right)}));
      } else if (divide) {
        factors.push_back(call("Pow", {std::move(*right), number("-1")}));
      } else {
        factors.push_back(std::move(*right));
      }
    }
    return joined(std::move(factors));
  }

  static Expr joined(std::vector<Expr> factors) {
    return factors.size() == 1 ? std::move(factors[0]) : call("Mul", std::move(factors));
  }

  std::optional<Expr> unary(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    if (scan_.accept("-")) {
      auto operand = unary(depth + 1);
      if (!operand) return std::nullopt;
      return negate(std::move(*operand));
    }
    auto base = atom(depth);
    if (!base || !scan_.accept("**")) return base;
    auto exponent = unary(depth + 1);
    if (!exponent) return std::nullopt;
    return call("Pow", {std::move(*base), std::move(*exponent)});
  }

  std::optional<Expr> atom(int depth) {
    if (scan_.accept("(")) {
      auto inner = sum(depth + 1);
      return inner && scan_.accept(")") ? std::move(inner) : std::nullopt;
    }
    if (is_digit(scan_.peek())) return number(scan_.digits());
    const std::string name = scan_.name();
    if (name.empty()) return std::nullopt;
    if (!scan_.accept("(")) return Expr{Expr::Kind::kSymbol, name, {}};
    Expr out = call(name, {});
    while (!scan_.accept(")")) {
      if (!out.args.empty() && !scan_.accept(",")) return std::nullopt;
      auto arg = sum(depth + 1);
      if (!arg) return std::nullopt;
      out.args.push_back(std::move(*arg));
    }
    return out;
  }

  Scanner scan_;
};

// Binding strength of the infix form: a weaker operand needs parentheses.
enum Strength { kSum = 1, kProduct = 2, kPower = 3, kAtom = 4 };

Strength strength(const Expr& e) {
  if (e.kind == Expr::Kind::kNumber) return e.text.starts_with('-') ? kSum : kAtom;
  if (e.kind == Expr::Kind::kSymbol || e.args.empty()) return kAtom;
  if (e.text == "Add") return kSum;
  if (e.text == "Mul") return kProduct;
  return e.text == "Pow" && e.args.size() == 2 ? kPower : kAtom;
}

std::string to_infix(const Expr& e);

std::string operand(const Expr& e, Strength needed) {
  return strength(e) < needed ? "(" + to_infix(e) + ")" : to_infix(e);
}

std::string product_to_infix(const Expr& e) {
  if (e.args[0].kind == Expr::Kind::kNumber && e.args[0].text == "-1" && e.args.size() > 1) {
    Expr rest = e.args.size() == 2 ? e.args[1] : call("Mul", {e.args.begin() + 1, e.args.end()});
    return "-" + operand(rest, kProduct);
  }
  std::string out;
  for (const Expr& arg : e.args) {
    const bool leading_number = out.empty() && arg.kind == Expr::Kind::kNumber;
    if (!out.empty()) out += "*";
    out += leading_number ? arg.text : operand(arg, kPower);
  }
  return out;
}

std::string sum_to_infix(const Expr& e) {
  std::string out;
  for (const Expr& arg : e.args) {
    const std::string term = operand(arg, kSum);
    if (out.empty()) {
      out = term;
    } else if (term.starts_with('-')) {
      out += " - " + term.substr(1);
    } else {
      out += " + " + term;
    }
  }
  return out;
}

std::string to_infix(const Expr& e) {
  if (e.kind != Expr::Kind::kCall || e.args.empty()) {
    return e.kind == Expr::Kind::kCall ? e.text + "()" : e.text;
  }
  if (e.text == "Add") return sum_to_infix(e);
  if (e.text == "Mul") return product_to_infix(e);
  if (e.text == "Pow" && e.args.size() == 2) {
    return operand(e.args[0], kAtom) + "**" + operand(e.args[1], kAtom);
  }
  if (e.text == "FloorDiv" && e.args.size() == 2) {
    return "(" + operand(e.args[0], kProduct) + "//" + operand(e.args[1], kPower) + ")";
  }
  std::vector<std::string> args;
  for (const Expr& arg : e.args) args.push_back(to_infix(arg));
  return fmt::format("{}({})", e.text, fmt::join(args, ", "));
}

// Assumptions as PyTorch gives them: sizes of inputs are positive integers, numbers found at run
// time ("u0") are integers, symbolic floats ("zf0", "zuf0") are neither.
std::string symbol_to_srepr(const std::string& name) {
  if (std::find(kBareNames.begin(), kBareNames.end(), name) != kBareNames.end()) return name;
  if (name.starts_with('z')) return fmt::format("Symbol('{}')", name);
  if (name.starts_with('u')) return fmt::format("Symbol('{}', integer=True)", name);
  return fmt::format("Symbol('{}', positive=True, integer=True)", name);
}

std::string to_srepr(const Expr& e) {
  if (e.kind == Expr::Kind::kSymbol) return symbol_to_srepr(e.text);
  if (e.kind == Expr::Kind::kNumber) {
    const bool is_float = e.text.find_first_of(".eE") != std::string::npos;
    return is_float ? fmt::format("Float('{}', precision=53)", e.text)
                    : fmt::format("Integer({})", e.text);
  }
  std::vector<std::string> args;
  for (const Expr& arg : e.args) args.push_back(to_srepr(arg));
  return fmt::format("{}({})", e.text, fmt::join(args, ", "));
}

}  // namespace

Result<std::string> infix_from_srepr(std::string_view text) {
  const auto e = SreprParser(text).parse();
  if (!e) return corrupt("cannot read the symbolic expression \"{}\"", text);
  return to_infix(*e);
}

Result<std::string> srepr_from_infix(std::string_view text) {
  const auto e = InfixParser(text).parse();
  if (!e) return invalid_argument("cannot read the symbolic expression \"{}\"", text);
  return to_srepr(*e);
}

bool has_unbacked_symbol(std::string_view infix) {
  for (size_t i = 0; i < infix.size(); ++i) {
    const bool starts_name = i == 0 || !is_name_char(infix[i - 1]);
    if (starts_name && infix[i] == 'u' && i + 1 < infix.size() && is_digit(infix[i + 1]))
      return true;
    if (starts_name && infix.substr(i).starts_with("zuf")) return true;
  }
  return false;
}

}  // namespace changeaware
