#include "engine/torch/plugin/python_numbers.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace changeaware::torch_plugin {
namespace {

using Numbers = std::span<const Number>;

bool is_double(const Number& n) { return std::holds_alternative<double>(n); }
bool is_bool(const Number& n) { return std::holds_alternative<bool>(n); }

double real(const Number& n) {
  return std::visit([](auto v) { return static_cast<double>(v); }, n);
}

int64_t integer(const Number& n) {
  if (is_double(n)) throw std::runtime_error("a floating-point number where an integer is needed");
  return is_bool(n) ? static_cast<int64_t>(std::get<bool>(n)) : std::get<int64_t>(n);
}

bool truth(const Number& n) {
  return std::visit([](auto v) { return v != 0; }, n);
}

bool any_double(Numbers n) {
  for (const Number& x : n) {
    if (is_double(x)) return true;
  }
  return false;
}

int64_t fits(bool overflow, int64_t value) {
  if (overflow) throw std::runtime_error("a symbolic integer leaves 64 bits");
  return value;
}

int64_t product(int64_t a, int64_t b) {
  int64_t out = 0;
  const bool overflow = __builtin_mul_overflow(a, b, &out);
  return fits(overflow, out);
}

int64_t sum(int64_t a, int64_t b) {
  int64_t out = 0;
  const bool overflow = __builtin_add_overflow(a, b, &out);
  return fits(overflow, out);
}

int64_t difference(int64_t a, int64_t b) {
  int64_t out = 0;
  const bool overflow = __builtin_sub_overflow(a, b, &out);
  return fits(overflow, out);
}

template <class T>
void check_divisor(T b) {
  if (b == 0) throw std::runtime_error("division by zero");
}

Number add(Numbers n) {
  if (any_double(n)) return real(n[0]) + real(n[1]);
  return sum(integer(n[0]), integer(n[1]));
}

Number sub(Numbers n) {
  if (any_double(n)) return real(n[0]) - real(n[1]);
  return difference(integer(n[0]), integer(n[1]));
}

Number mul(Numbers n) {
  if (any_double(n)) return real(n[0]) * real(n[1]);
  return product(integer(n[0]), integer(n[1]));
}

// The remainder has the sign of the divisor.
double real_mod(double a, double b) {
  check_divisor(b);
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

double real_floordiv(double a, double b) {
  double quotient = (a - std::fmod(a, b)) / b;
  const double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

Number floordiv(Numbers n) {
  if (any_double(n)) {
    check_divisor(real(n[1]));
    return real_floordiv(real(n[0]), real(n[1]));
  }
  const int64_t a = integer(n[0]);
  const int64_t b = integer(n[1]);
  check_divisor(b);
  if (b == -1) return difference(0, a);
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}

Number mod(Numbers n) {
  if (any_double(n)) return real_mod(real(n[0]), real(n[1]));
  const int64_t a = integer(n[0]);
  const int64_t b = integer(n[1]);
  check_divisor(b);
  if (b == -1) return int64_t{0};
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// Python rounds the quotient of two integers once; a long double holds both exactly.
Number truediv(Numbers n) {
  if (any_double(n)) {
    check_divisor(real(n[1]));
    return real(n[0]) / real(n[1]);
  }
  const int64_t b = integer(n[1]);
  check_divisor(b);
  return static_cast<double>(static_cast<long double>(integer(n[0])) / static_cast<long double>(b));
}

Number integer_power(int64_t base, int64_t exponent) {
  int64_t out = 1;
  while (exponent > 0) {
    if (exponent % 2 == 1) out = product(out, base);
    exponent /= 2;
    if (exponent > 0) base = product(base, base);
  }
  return out;
}

Number power(Numbers n) {
  if (!any_double(n) && integer(n[1]) >= 0) return integer_power(integer(n[0]), integer(n[1]));
  const double a = real(n[0]);
  const double b = real(n[1]);
  if (a == 0 && b < 0) throw std::runtime_error("zero to a negative power");
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && std::floor(b) != b) {
    throw std::runtime_error("a negative number to a fractional power");
  }
  const double out = std::pow(a, b);
  if (std::isinf(out) && std::isfinite(a) && std::isfinite(b)) {
    throw std::runtime_error("a power that is too large for a floating-point number");
  }
  return out;
}

int64_t shift_count(const Number& n) {
  const int64_t count = integer(n);
  if (count < 0) throw std::runtime_error("negative shift count");
  return count;
}

Number lshift(Numbers n) {
  const int64_t a = integer(n[0]);
  const int64_t count = shift_count(n[1]);
  if (a == 0) return int64_t{0};
  return product(a, count > 62 ? fits(true, 0) : int64_t{1} << count);
}

Number rshift(Numbers n) {
  const int64_t a = integer(n[0]);
  const int64_t count = shift_count(n[1]);
  return a >> (count > 63 ? 63 : count);
}

template <class Function>
Number bitwise(Numbers n, Function function) {
  const int64_t out = function(integer(n[0]), integer(n[1]));
  if (is_bool(n[0]) && is_bool(n[1])) return out != 0;
  return out;
}

Number bit_and(Numbers n) {
  return bitwise(n, [](int64_t a, int64_t b) { return a & b; });
}
Number bit_or(Numbers n) {
  return bitwise(n, [](int64_t a, int64_t b) { return a | b; });
}
Number bit_xor(Numbers n) {
  return bitwise(n, [](int64_t a, int64_t b) { return a ^ b; });
}

// An integer against a floating-point number without rounding either, where long double has 64 bits
// of mantissa or more.
using Wide = long double;
Wide wide(const Number& n) {
  return std::visit([](auto v) { return static_cast<Wide>(v); }, n);
}

Number eq(Numbers n) { return wide(n[0]) == wide(n[1]); }
Number ne(Numbers n) { return wide(n[0]) != wide(n[1]); }
Number lt(Numbers n) { return wide(n[0]) < wide(n[1]); }
Number le(Numbers n) { return wide(n[0]) <= wide(n[1]); }
Number gt(Numbers n) { return wide(n[0]) > wide(n[1]); }
Number ge(Numbers n) { return wide(n[0]) >= wide(n[1]); }

Number neg(Numbers n) {
  if (is_double(n[0])) return -real(n[0]);
  return difference(0, integer(n[0]));
}

Number pos(Numbers n) {
  if (is_double(n[0])) return n[0];
  return integer(n[0]);
}

Number logical_not(Numbers n) { return !truth(n[0]); }

Number whole(double x) {
  // 2^63 is a double; anything below it, and from -2^63 up, fits.
  if (!(x >= -9223372036854775808.0 && x < 9223372036854775808.0)) {
    throw std::runtime_error("a floating-point number that is no 64-bit integer");
  }
  return static_cast<int64_t>(x);
}

Number round_up(Numbers n) {
  return is_double(n[0]) ? whole(std::ceil(real(n[0]))) : Number(integer(n[0]));
}
Number round_down(Numbers n) {
  return is_double(n[0]) ? whole(std::floor(real(n[0]))) : Number(integer(n[0]));
}
Number truncate(Numbers n) {
  return is_double(n[0]) ? whole(std::trunc(real(n[0]))) : Number(integer(n[0]));
}

Number square_root(Numbers n) {
  if (real(n[0]) < 0) throw std::runtime_error("the square root of a negative number");
  return std::sqrt(real(n[0]));
}

Number to_real(Numbers n) { return real(n[0]); }

Number choose(Numbers n) { return truth(n[0]) ? n[1] : n[2]; }

Number extremum(Numbers n, bool second) {
  const Number& out = second ? n[1] : n[0];
  if (any_double(n)) return real(out);
  return integer(out);
}
Number largest(Numbers n) { return extremum(n, wide(n[1]) > wide(n[0])); }
Number smallest(Numbers n) { return extremum(n, wide(n[1]) < wide(n[0])); }

Number total(Numbers n) {
  int64_t out = 0;
  for (const Number& x : n) out = sum(out, integer(x));
  return out;
}

constexpr NumberOp kOps[] = {
    {"_operator.add", 2, add},
    {"_operator.and_", 2, bit_and},
    {"_operator.eq", 2, eq},
    {"_operator.floordiv", 2, floordiv},
    {"_operator.ge", 2, ge},
    {"_operator.gt", 2, gt},
    {"_operator.le", 2, le},
    {"_operator.lshift", 2, lshift},
    {"_operator.lt", 2, lt},
    {"_operator.mod", 2, mod},
    {"_operator.mul", 2, mul},
    {"_operator.ne", 2, ne},
    {"_operator.neg", 1, neg},
    {"_operator.not_", 1, logical_not},
    {"_operator.or_", 2, bit_or},
    {"_operator.pos", 1, pos},
    {"_operator.pow", 2, power},
    {"_operator.rshift", 2, rshift},
    {"_operator.sub", 2, sub},
    {"_operator.truediv", 2, truediv},
    {"_operator.xor", 2, bit_xor},
    {"math.ceil", 1, round_up},
    {"math.floor", 1, round_down},
    {"math.trunc", 1, truncate},
    {"torch._sym_sqrt", 1, square_root},
    {"torch.sym_float", 1, to_real},
    {"torch.sym_int", 1, truncate},
    {"torch.sym_ite", 3, choose},
    {"torch.sym_max", 2, largest},
    {"torch.sym_min", 2, smallest},
    {"torch.sym_not", 1, logical_not},
    {"torch.sym_sum", -1, total},
};

}  // namespace

const NumberOp* find_number_op(std::string_view name) {
  for (const NumberOp& op : kOps) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

}  // namespace changeaware::torch_plugin
