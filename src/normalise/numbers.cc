#include "normalise/numbers.h"

#include <algorithm>
#include <cmath>

#include "base/checked.h"

namespace changeaware {
namespace {

using Ints = std::optional<Argument> (*)(int64_t, int64_t);

std::optional<Argument> lift(std::optional<int64_t> value) {
  if (!value) return std::nullopt;
  return Argument(*value);
}

std::optional<Argument> add(int64_t a, int64_t b) { return lift(checked_add(a, b)); }
std::optional<Argument> mul(int64_t a, int64_t b) { return lift(checked_mul(a, b)); }
std::optional<Argument> sub(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_sub_overflow(a, b, &out)) return std::nullopt;
  return Argument(out);
}
bool divides(int64_t a, int64_t b) { return b != 0 && !(a == INT64_MIN && b == -1); }
// Toward minus infinity.
std::optional<Argument> floordiv(int64_t a, int64_t b) {
  if (!divides(a, b)) return std::nullopt;
  const int64_t q = a / b;
  return Argument(a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q);
}
// With the sign of the divisor.
std::optional<Argument> mod(int64_t a, int64_t b) {
  if (!divides(a, b)) return std::nullopt;
  const int64_t r = a % b;
  return Argument(r != 0 && (r < 0) != (b < 0) ? r + b : r);
}
std::optional<Argument> truediv(int64_t a, int64_t b) {
  constexpr int64_t kExact = int64_t{1} << 53;
  if (b == 0 || std::abs(a) > kExact || std::abs(b) > kExact) return std::nullopt;
  return Argument(static_cast<double>(a) / static_cast<double>(b));
}
std::optional<Argument> power(int64_t a, int64_t b) {
  if (b < 0 || b > 64) return std::nullopt;
  std::optional<int64_t> out = 1;
  for (int64_t i = 0; i < b && out; ++i) out = checked_mul(*out, a);
  return lift(out);
}
std::optional<Argument> lt(int64_t a, int64_t b) { return Argument(a < b); }
std::optional<Argument> le(int64_t a, int64_t b) { return Argument(a <= b); }
std::optional<Argument> gt(int64_t a, int64_t b) { return Argument(a > b); }
std::optional<Argument> ge(int64_t a, int64_t b) { return Argument(a >= b); }
std::optional<Argument> eq(int64_t a, int64_t b) { return Argument(a == b); }
std::optional<Argument> ne(int64_t a, int64_t b) { return Argument(a != b); }
std::optional<Argument> min(int64_t a, int64_t b) { return Argument(std::min(a, b)); }
std::optional<Argument> max(int64_t a, int64_t b) { return Argument(std::max(a, b)); }

struct Entry {
  std::string_view name;
  Ints apply;
};
constexpr Entry kBinary[] = {
    {"_operator.add", add},   {"_operator.sub", sub},
    {"_operator.mul", mul},   {"_operator.floordiv", floordiv},
    {"_operator.mod", mod},   {"_operator.truediv", truediv},
    {"_operator.pow", power}, {"_operator.lt", lt},
    {"_operator.le", le},     {"_operator.gt", gt},
    {"_operator.ge", ge},     {"_operator.eq", eq},
    {"_operator.ne", ne},     {"torch.sym_min", min},
    {"torch.sym_max", max},
};

std::optional<Argument> unary(std::string_view name, const Argument& value) {
  const auto* number = std::get_if<int64_t>(&value);
  const auto* flag = std::get_if<bool>(&value);
  if (number != nullptr && name == "_operator.neg") return sub(0, *number);
  if (number != nullptr && name == "_operator.pos") return value;
  if (flag != nullptr && (name == "_operator.not_" || name == "torch.sym_not"))
    return Argument(!*flag);
  if (number != nullptr && name == "torch.sym_float" && std::abs(*number) <= (int64_t{1} << 53)) {
    return Argument(static_cast<double>(*number));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Argument> evaluate(const OpSchema& op, const std::vector<Argument>& args) {
  if (args.size() == 1) return unary(op.name, args[0]);
  if (args.size() != 2) return std::nullopt;
  const auto* a = std::get_if<int64_t>(&args[0]);
  const auto* b = std::get_if<int64_t>(&args[1]);
  if (a == nullptr || b == nullptr) return std::nullopt;
  for (const Entry& entry : kBinary) {
    if (entry.name == op.name) return entry.apply(*a, *b);
  }
  return std::nullopt;
}

}  // namespace changeaware
