#include "graph/op_schema.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "base/errors.h"

namespace changeaware {
namespace {

struct OpEntry {
  std::string_view name;
  std::string_view schema;
  unsigned flags;
};

constexpr unsigned kRandom = 1;
constexpr unsigned kEffects = 2;
constexpr unsigned kDataDependent = 4;
constexpr unsigned kComposite = 8;

constexpr OpEntry kOpTable[] = {
#include "graph/op_table.inc"
};

// The type of one argument or result as written.
struct TypeText {
  std::string base;  // "Tensor", "SymInt", "Dict(str, t)", "(str, t)"
  int list_depth = 0;
  int list_size = 0;
  bool optional = false;
  std::string alias_set;
  bool mutated = false;
};

struct TypeName {
  std::string_view name;
  ArgType type;
  ArgType list;
};

constexpr TypeName kTypeNames[] = {
    {"Tensor", ArgType::kTensor, ArgType::kTensorList},
    {"int", ArgType::kInt, ArgType::kIntList},
    {"SymInt", ArgType::kInt, ArgType::kIntList},
    {"float", ArgType::kFloat, ArgType::kFloatList},
    {"SymFloat", ArgType::kFloat, ArgType::kFloatList},
    {"bool", ArgType::kBool, ArgType::kBoolList},
    {"SymBool", ArgType::kBool, ArgType::kBoolList},
    {"Scalar", ArgType::kScalar, ArgType::kScalarList},
    {"str", ArgType::kString, ArgType::kOtherList},
    {"ScalarType", ArgType::kScalarType, ArgType::kOtherList},
    {"Layout", ArgType::kLayout, ArgType::kOtherList},
    {"MemoryFormat", ArgType::kMemoryFormat, ArgType::kOtherList},
    {"Device", ArgType::kDevice, ArgType::kOtherList},
    {"Graph", ArgType::kGraph, ArgType::kOtherList},
};

ArgType arg_type(const TypeText& text) {
  if (text.list_depth > 1) return ArgType::kOtherList;
  const bool list = text.list_depth == 1;
  for (const TypeName& known : kTypeNames) {
    if (known.name == text.base) return list ? known.list : known.type;
  }
  return list ? ArgType::kOtherList : ArgType::kOther;
}

// Enumerators by the number that PyTorch's registry prints and by the name that its
// native_functions.yaml uses.
template <class T>
struct Enumerator {
  int64_t number;
  std::string_view name;
  T value;
};

constexpr Enumerator<DType> kScalarTypes[] = {
    {0, "uint8", DType::kUInt8},         {1, "int8", DType::kInt8},
    {2, "int16", DType::kInt16},         {3, "int", DType::kInt32},
    {4, "long", DType::kInt64},          {5, "half", DType::kFloat16},
    {6, "float", DType::kFloat32},       {7, "double", DType::kFloat64},
    {11, "bool", DType::kBool},          {15, "bfloat16", DType::kBFloat16},
    {9, "complex64", DType::kComplex64}, {10, "complex128", DType::kComplex128},
};
constexpr Enumerator<MemoryFormat> kMemoryFormats[] = {
    {0, "contiguous_format", MemoryFormat::kContiguous},
    {1, "preserve_format", MemoryFormat::kPreserve},
    {2, "channels_last", MemoryFormat::kChannelsLast},
    {3, "channels_last_3d", MemoryFormat::kChannelsLast3d},
};
constexpr Enumerator<Layout> kLayouts[] = {{0, "strided", Layout::kStrided}};
// at::Reduction, which schemas declare as int.
constexpr Enumerator<int64_t> kReductions[] = {{1, "Mean", 1}, {2, "Sum", 2}};

// A default value as written.
struct Literal {
  enum class Kind { kNone, kBool, kInt, kFloat, kString, kName, kList } kind = Kind::kNone;
  int64_t integer = 0;  // kBool, kInt
  double real = 0;      // kInt, kFloat
  std::string text;     // kString, kName
  std::vector<Literal> items;
};

template <class T, size_t N>
std::optional<T> enumerator(const Enumerator<T> (&table)[N], const Literal& literal) {
  for (const auto& known : table) {
    if (literal.kind == Literal::Kind::kInt && known.number == literal.integer) return known.value;
    if (literal.kind == Literal::Kind::kName && known.name == literal.text) return known.value;
  }
  return std::nullopt;
}

template <class T>
std::optional<Argument> as_argument(const std::optional<T>& value) {
  return value ? std::optional<Argument>(Argument(*value)) : std::nullopt;
}

std::optional<int64_t> to_int(const Literal& literal) {
  if (literal.kind == Literal::Kind::kInt) return literal.integer;
  return enumerator(kReductions, literal);
}

std::optional<double> to_float(const Literal& literal) {
  if (literal.kind == Literal::Kind::kInt || literal.kind == Literal::Kind::kFloat) {
    return literal.real;
  }
  return std::nullopt;
}

std::optional<bool> to_bool(const Literal& literal) {
  if (literal.kind == Literal::Kind::kBool) return literal.integer != 0;
  return std::nullopt;
}

// `int[2] stride=1` and `int[2] stride=[1, 1]` mean the same.
template <class T>
std::optional<Argument> to_list(const Literal& literal, int list_size,
                                std::optional<T> (*convert)(const Literal&)) {
  std::vector<T> out;
  const bool list = literal.kind == Literal::Kind::kList;
  for (const Literal& item : list ? std::span(literal.items) : std::span(&literal, 1)) {
    const std::optional<T> value = convert(item);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  if (!list) {
    if (list_size == 0) return std::nullopt;
    out.resize(static_cast<size_t>(list_size), out.front());
  }
  return Argument(std::move(out));
}

std::optional<Argument> to_scalar(const Literal& literal) {
  if (literal.kind == Literal::Kind::kBool) return Argument(literal.integer != 0);
  if (literal.kind == Literal::Kind::kInt) return Argument(literal.integer);
  if (literal.kind == Literal::Kind::kFloat) return Argument(literal.real);
  return std::nullopt;
}

// Nothing when a literal of this kind cannot be the default of such an argument.
std::optional<Argument> to_argument(const Literal& literal, const ArgSchema& arg) {
  using Kind = Literal::Kind;
  if (literal.kind == Kind::kNone) {
    return arg.optional || arg.type == ArgType::kOther ? std::optional<Argument>(None{})
                                                       : std::nullopt;
  }
  const bool text = literal.kind == Kind::kString;
  const bool empty = literal.kind == Kind::kList && literal.items.empty();
  switch (arg.type) {
    case ArgType::kInt: return as_argument(to_int(literal));
    case ArgType::kIntList: return to_list<int64_t>(literal, arg.list_size, to_int);
    case ArgType::kFloat: return as_argument(to_float(literal));
    case ArgType::kScalarList:
    case ArgType::kFloatList: return to_list<double>(literal, arg.list_size, to_float);
    case ArgType::kBool: return as_argument(to_bool(literal));
    case ArgType::kBoolList: return to_list<bool>(literal, arg.list_size, to_bool);
    case ArgType::kScalar: return to_scalar(literal);
    case ArgType::kString: return text ? std::optional<Argument>(literal.text) : std::nullopt;
    case ArgType::kDevice:
      return text ? std::optional<Argument>(Device{literal.text}) : std::nullopt;
    case ArgType::kScalarType: return as_argument(enumerator(kScalarTypes, literal));
    case ArgType::kLayout: return as_argument(enumerator(kLayouts, literal));
    case ArgType::kMemoryFormat: return as_argument(enumerator(kMemoryFormats, literal));
    case ArgType::kOtherList:
    case ArgType::kTensorList: return empty ? std::optional<Argument>(TensorList{}) : std::nullopt;
    case ArgType::kTensor:
    case ArgType::kGraph:
    case ArgType::kOther: return std::nullopt;
  }
  return std::nullopt;
}

// Recursive descent over one schema. Every member returns false at the first thing it does not
// understand, with position() at fault.
class SchemaParser {
 public:
  explicit SchemaParser(std::string_view text) : text_(text) {}
  size_t position() const { return at_; }

  bool parse(OpSchema& out) {
    return arguments(out) && take("->") && returns(out) && (skip_spaces(), at_ == text_.size());
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view token) {
    skip_spaces();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }

  std::string_view word() {
    skip_spaces();
    const size_t begin = at_;
    const auto inside = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    while (at_ < text_.size() && inside(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // Text inside balanced parentheses, without them.
  bool group(std::string_view& out) {
    if (!take("(")) return false;
    const size_t begin = at_;
    for (int depth = 1; at_ < text_.size(); ++at_) {
      depth += at('(') ? 1 : at(')') ? -1 : 0;
      if (depth == 0) {
        out = text_.substr(begin, at_ - begin);
        ++at_;
        return true;
      }
    }
    return false;
  }

  bool base_type(TypeText& out) {
    skip_spaces();
    std::string_view inner;
    if (at('(')) {
      if (!group(inner)) return false;
      out.base = "(" + std::string(inner) + ")";
      return true;
    }
    out.base = word();
    if (out.base == "Dict" || out.base == "RRef" || out.base == "Future") {
      if (!group(inner)) return false;
      out.base += "(" + std::string(inner) + ")";
    }
    return !out.base.empty();
  }

  // "a!", "a -> *", "b|a", "*".
  static void set_alias(std::string_view inner, TypeText& out) {
    const size_t arrow = inner.find("->");
    std::string_view set = inner.substr(0, arrow);
    while (!set.empty() && set.back() == ' ') set.remove_suffix(1);
    if (!set.empty() && set.back() == '!') {
      out.mutated = true;
      set.remove_suffix(1);
    }
    out.alias_set = set;
  }

  bool type(TypeText& out) {
    if (!base_type(out)) return false;
    while (at('[') || at('?') || at('(')) {
      std::string_view inner;
      if (at('(')) {
        if (!group(inner)) return false;
        set_alias(inner, out);
      } else if (take("?")) {
        out.optional = true;
      } else {
        take("[");
        const std::string_view size = word();
        std::from_chars(size.data(), size.data() + size.size(), out.list_size);
        if (!take("]")) return false;
        ++out.list_depth;
        out.optional = false;  // what was optional so far are the elements
      }
    }
    return true;
  }

  bool string_literal(Literal& out) {
    static constexpr std::pair<char, char> kEscapes[] = {
        {'n', '\n'}, {'t', '\t'}, {'f', '\f'}, {'v', '\v'}, {'r', '\r'}};
    out.kind = Literal::Kind::kString;
    const char quote = text_[at_++];
    for (; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == quote) {
        ++at_;
        return true;
      }
      if (c == '\\' && at_ + 1 < text_.size()) {
        c = text_[++at_];
        for (const auto& [from, to] : kEscapes) {
          if (c == from) {
            c = to;
            break;
          }
        }
      }
      out.text += c;
    }
    return false;
  }

  bool number(Literal& out) {
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    const auto integer = std::from_chars(begin, end, out.integer);
    const auto real = std::from_chars(begin, end, out.real);
    if (real.ec != std::errc()) return false;
    out.kind = integer.ec == std::errc() && integer.ptr == real.ptr ? Literal::Kind::kInt
                                                                    : Literal::Kind::kFloat;
    at_ += static_cast<size_t>(real.ptr - begin);
    return true;
  }

  bool list_literal(Literal& out) {
    take("[");
    out.kind = Literal::Kind::kList;
    while (!take("]")) {
      if (!out.items.empty() && !take(",")) return false;
      if (!literal(out.items.emplace_back())) return false;
    }
    return true;
  }

  bool literal(Literal& out) {
    skip_spaces();
    if (at_ == text_.size()) return false;
    const char c = text_[at_];
    if (c == '[') return list_literal(out);
    if (c == '"' || c == '\'') return string_literal(out);
    if (c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0) return number(out);
    const std::string_view name = word();
    out.text = name;
    out.kind = name == "None"                      ? Literal::Kind::kNone
               : name == "True" || name == "False" ? Literal::Kind::kBool
                                                   : Literal::Kind::kName;
    out.integer = name == "True" ? 1 : 0;
    return !name.empty();
  }

  bool argument(ArgSchema& out) {
    TypeText text;
    if (!type(text)) return false;
    out.type = arg_type(text);
    out.optional = text.optional;
    out.symbolic = text.base == "SymInt";
    out.list_size = text.list_depth == 1 ? text.list_size : 0;
    out.alias_set = text.alias_set;
    out.mutated = text.mutated;
    out.name = text.base == "..." ? "..." : std::string(word());
    if (out.name.empty()) return false;
    if (!take("=")) return true;
    Literal value;
    if (!literal(value)) return false;
    std::optional<Argument> converted = to_argument(value, out);
    if (!converted) return false;
    out.has_default = true;
    out.default_value = std::move(*converted);
    return true;
  }

  bool arguments(OpSchema& out) {
    if (!take("(")) return false;
    bool keyword_only = false;
    bool first = true;
    while (!take(")")) {
      if (!std::exchange(first, false) && !take(",")) return false;
      if (take("*")) {
        keyword_only = true;
        continue;
      }
      ArgSchema arg;
      if (!argument(arg)) return false;
      arg.keyword_only = keyword_only;
      out.args.push_back(std::move(arg));
    }
    return true;
  }

  bool one_return(OpSchema& out) {
    TypeText text;
    if (!type(text)) return false;
    skip_spaces();
    if (!at(',') && !at(')')) word();  // a name
    out.returns.push_back({arg_type(text), returned_set(text.alias_set, out), text.mutated});
    return true;
  }

  // Of "b|a" (a fresh tensor or an alias of the argument "a") the set that an argument has.
  static std::string returned_set(const std::string& sets, const OpSchema& out) {
    if (sets.find('|') == std::string::npos) return sets;
    for (const ArgSchema& arg : out.args) {
      if (!arg.alias_set.empty() && sets.find(arg.alias_set) != std::string::npos) {
        return arg.alias_set;
      }
    }
    return {};
  }

  bool returns(OpSchema& out) {
    skip_spaces();
    if (!at('(')) return one_return(out);
    take("(");
    bool first = true;
    while (!take(")")) {
      if (!std::exchange(first, false) && !take(",")) return false;
      if (!one_return(out)) return false;
    }
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

const OpSchema* schema_of(size_t index) {
  // Never destroyed: graphs that live in other static objects may still point at schemas.
  static auto& mutex = *new std::mutex;
  static auto& parsed = *new std::array<std::unique_ptr<const OpSchema>, std::size(kOpTable)>;
  const std::lock_guard lock(mutex);
  if (parsed[index] == nullptr) {
    const OpEntry& entry = kOpTable[index];
    Result<OpSchema> schema = parse_op_schema(entry.name, entry.schema);
    if (!schema.ok()) return nullptr;
    schema->random = (entry.flags & kRandom) != 0;
    schema->has_effects = (entry.flags & kEffects) != 0;
    schema->data_dependent_shape = (entry.flags & kDataDependent) != 0;
    schema->composite = (entry.flags & kComposite) != 0;
    parsed[index] = std::make_unique<const OpSchema>(std::move(*schema));
  }
  return parsed[index].get();
}

}  // namespace

Result<OpSchema> parse_op_schema(std::string_view name, std::string_view schema) {
  OpSchema out;
  out.name = name;
  SchemaParser parser(schema);
  if (!parser.parse(out)) {
    return invalid_program("schema of {}: cannot read \"{}\" at character {}", name, schema,
                           parser.position());
  }
  return out;
}

namespace {

// Of the whole process; never destroyed, as the schemas of the table.
struct Overlay {
  struct Entry {
    std::string schema;
    std::unique_ptr<const OpSchema> op;
  };
  std::mutex mutex;
  std::map<std::string, Entry, std::less<>> ops;
};

Overlay& overlay() {
  static auto& ops = *new Overlay;
  return ops;
}

const OpSchema* find_in_table(std::string_view name) {
  const auto* found = std::lower_bound(
      std::begin(kOpTable), std::end(kOpTable), name,
      [](const OpEntry& entry, std::string_view wanted) { return entry.name < wanted; });
  if (found == std::end(kOpTable) || found->name != name) return nullptr;
  return schema_of(static_cast<size_t>(found - kOpTable));
}

}  // namespace

const OpSchema* find_op(std::string_view name) {
  if (const OpSchema* op = find_in_table(name)) return op;
  Overlay& registered = overlay();
  const std::lock_guard lock(registered.mutex);
  const auto it = registered.ops.find(name);
  return it == registered.ops.end() ? nullptr : it->second.op.get();
}

Status register_op(std::string_view name, std::string_view schema) {
  if (std::count(name.begin(), name.end(), '.') != 2) {
    return invalid_argument("operator '{}': a name is namespace.operator.overload", name);
  }
  if (find_in_table(name) != nullptr) {
    return invalid_argument("operator '{}' is PyTorch's own", name);
  }
  CA_ASSIGN_OR_RETURN(OpSchema op, parse_op_schema(name, schema));
  if (op.returns.empty() && !op.mutates()) {
    return unsupported("operator '{}' gives nothing and mutates nothing: what it does is unknown",
                       name);
  }
  op.data_dependent_shape = true;
  Overlay& registered = overlay();
  const std::lock_guard lock(registered.mutex);
  const auto [it, fresh] = registered.ops.try_emplace(std::string(name));
  if (fresh) {
    it->second = {std::string(schema), std::make_unique<const OpSchema>(std::move(op))};
  } else if (it->second.schema != schema) {
    return invalid_argument("operator '{}' is registered as {}, not as {}", name, it->second.schema,
                            schema);
  }
  return {};
}

size_t op_table_size() { return std::size(kOpTable); }

std::string_view op_name_at(size_t index) { return kOpTable[index].name; }

}  // namespace changeaware
