// parse_graph(): a recursive-descent parser of the text form (grammar in text.h).
#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/checked.h"
#include "base/errors.h"
#include "graph/expression.h"
#include "graph/text.h"
#include "graph/text_names.h"
#include "graph/verifier.h"

namespace changeaware {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Graph> run() {
    CA_RETURN_IF_ERROR(parse_graph());
    return std::move(graph_);
  }

 private:
  Status parse_graph() {
    CA_RETURN_IF_ERROR(expect_word("graph"));
    CA_RETURN_IF_ERROR(parse_inputs());
    CA_RETURN_IF_ERROR(expect("{"));
    while (!accept_word("return")) CA_RETURN_IF_ERROR(parse_statement());
    CA_RETURN_IF_ERROR(parse_outputs());
    CA_RETURN_IF_ERROR(expect("}"));
    return verify(graph_);
  }

  // Characters.
  void skip_space() {
    while (pos_ < text_.size()) {
      if (text_[pos_] == '#' || text_.substr(pos_, 2) == "//") {
        while (pos_ < text_.size() && text_[pos_] != '\n') ++pos_;
      } else if (std::isspace(static_cast<unsigned char>(text_[pos_]))) {
        if (text_[pos_] == '\n') ++line_;
        ++pos_;
      } else {
        return;
      }
    }
  }
  bool accept(std::string_view token) {
    skip_space();
    if (text_.substr(pos_, token.size()) != token) return false;
    pos_ += token.size();
    return true;
  }
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  }
  std::string_view peek_word() {
    skip_space();
    size_t end = pos_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return text_.substr(pos_, end - pos_);
  }
  std::string_view take_word() {
    const std::string_view word = peek_word();
    pos_ += word.size();
    return word;
  }
  bool accept_word(std::string_view word) {
    if (peek_word() != word) return false;
    pos_ += word.size();
    return true;
  }
  Status fail(std::string_view what) const {
    return invalid_program("line {}: {} at \"{}\"", line_, what, text_.substr(pos_, 20));
  }
  Status expect(std::string_view token) {
    return accept(token) ? Status() : fail(fmt::format("expected '{}'", token));
  }
  Status expect_word(std::string_view word) {
    return accept_word(word) ? Status() : fail(fmt::format("expected '{}'", word));
  }

  // Types.
  Result<Dim> parse_dim() {
    skip_space();
    size_t end = pos_;
    int depth = 0;  // of brackets inside the expression
    while (end < text_.size()) {
      const char c = text_[end];
      if (depth == 0 && (c == ',' || c == ']' || c == ')')) break;
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      ++end;
    }
    std::string word(text_.substr(pos_, end - pos_));
    pos_ = end;
    while (!word.empty() && std::isspace(static_cast<unsigned char>(word.back()))) word.pop_back();
    if (word.empty()) return fail("expected a size");
    Dim dim;
    const auto [ptr, ec] = std::from_chars(word.data(), word.data() + word.size(), dim.size);
    if (ec == std::errc() && ptr == word.data() + word.size()) return dim;
    return Dim{2, word};
  }
  Result<TensorSpec> parse_spec() {
    const auto dtype = text_dtype(take_word());
    if (!dtype) return fail("expected a dtype");
    TensorSpec spec;
    spec.dtype = *dtype;
    CA_RETURN_IF_ERROR(expect("["));
    while (!accept("]")) {
      CA_ASSIGN_OR_RETURN(Dim dim, parse_dim());
      spec.dims.push_back(std::move(dim));
      accept(",");
    }
    return spec;
  }
  Status parse_type(Value& value) {
    for (const auto& [word, kind] :
         {std::pair{"sym", ValueKind::kSymInt}, std::pair{"symfloat", ValueKind::kSymFloat},
          std::pair{"symbool", ValueKind::kSymBool}}) {
      if (!accept_word(word)) continue;
      value.kind = kind;
      value.symbol = Dim{2, value.name};
      if (!accept("(")) return {};
      CA_ASSIGN_OR_RETURN(value.symbol, parse_dim());
      return expect(")");
    }
    CA_ASSIGN_OR_RETURN(value.spec, parse_spec());
    return {};
  }
  // "%name" or "%name: type"
  Result<ValueId> parse_definition() {
    if (!accept("%")) return fail("expected a value");
    Value value;
    value.name = take_word();
    if (value.name.empty()) return fail("expected a value name");
    if (graph_.find_value(value.name) != kNoId) return fail("defined twice: " + value.name);
    if (accept(":")) CA_RETURN_IF_ERROR(parse_type(value));
    for (const Dim& d : value.spec.dims) declare_symbol(d);
    return graph_.add_value(std::move(value));
  }
  void declare_symbol(const Dim& dim) {
    if (is_symbol(dim.expression)) graph_.set_symbol(dim.expression, {});
  }

  Status parse_inputs() {
    CA_RETURN_IF_ERROR(expect("("));
    while (!accept(")")) {
      CA_ASSIGN_OR_RETURN(const ValueId id, parse_definition());
      graph_.add_input(id);
      accept(",");
    }
    return {};
  }

  // Statements.
  Status parse_statement() {
    if (accept_word("assert")) {
      CA_ASSIGN_OR_RETURN(const ValueId condition, parse_reference());
      CA_ASSIGN_OR_RETURN(std::string message, parse_string());
      graph_.add_assertion({condition, std::move(message)});
      return {};
    }
    std::vector<ValueId> results;
    skip_space();
    if (text_.substr(pos_, 1) == "%" || peek_word() == "_") {
      do {
        if (accept_word("_")) {
          results.push_back(kNoId);
          continue;
        }
        CA_ASSIGN_OR_RETURN(const ValueId id, parse_definition());
        results.push_back(id);
      } while (accept(","));
      CA_RETURN_IF_ERROR(expect("="));
    }
    if (accept_word("constant")) return parse_constant(results);
    return parse_node(std::move(results));
  }

  Status parse_constant(const std::vector<ValueId>& results) {
    if (results.size() != 1) return fail("a constant defines one value");
    Value& value = graph_.mutable_value(results[0]);
    CA_ASSIGN_OR_RETURN(value.spec, parse_spec());
    Constant constant;
    constant.value = results[0];
    constant.fqn = value.name;
    const Shape shape = value.spec.hint_shape();
    if (!checked_numel(shape)) return fail("impossible shape");
    constant.tensor = Tensor::empty(value.spec.dtype, shape);
    std::vector<double> elements(static_cast<size_t>(constant.tensor.numel()), 0.0);
    if (accept("{")) {
      elements.clear();
      while (!accept("}")) {
        CA_ASSIGN_OR_RETURN(const double element, parse_number());
        elements.push_back(element);
        accept(",");
      }
      constant.kind = ConstantKind::kLifted;
    } else {
      CA_ASSIGN_OR_RETURN(constant.fqn, parse_string());
    }
    if (elements.size() != static_cast<size_t>(constant.tensor.numel()))
      return fail("wrong number of elements");
    if (!store_elements(constant.tensor, elements)) return fail("dtype without a text form");
    graph_.add_constant(std::move(constant));
    return {};
  }

  Status parse_node(std::vector<ValueId> results) {
    const std::string name(take_word());
    const OpSchema* op = find_op(name);
    if (op == nullptr) return fail("unknown operator " + name);
    Node node{op, {}, std::move(results), name};
    if (!node.outputs.empty() && node.outputs[0] != kNoId)
      node.name = graph_.value(node.outputs[0]).name;
    std::vector<bool> given(op->args.size(), false);
    for (const ArgSchema& a : op->args)
      node.args.push_back(a.has_default ? a.default_value : None{});
    CA_RETURN_IF_ERROR(expect("("));
    for (size_t position = 0; !accept(")"); ++position) {
      size_t index = position;
      const std::string_view word = peek_word();
      if (const int named = op->arg_index(word);
          named >= 0 && text_.substr(pos_ + word.size(), 1) == "=") {
        pos_ += word.size() + 1;
        index = static_cast<size_t>(named);
      }
      if (index >= op->args.size()) return fail("too many arguments for " + name);
      CA_ASSIGN_OR_RETURN(node.args[index], parse_argument(op->args[index].type));
      given[index] = true;
      accept(",");
    }
    for (size_t i = 0; i < given.size(); ++i) {
      if (!given[i] && !op->args[i].has_default)
        return fail("missing argument " + op->args[i].name);
    }
    graph_.add_node(std::move(node));
    return {};
  }

  Status parse_outputs() {
    CA_RETURN_IF_ERROR(expect("("));
    while (!accept(")")) {
      CA_ASSIGN_OR_RETURN(Argument output, parse_argument(ArgType::kScalar));
      graph_.add_output(std::move(output));
      accept(",");
    }
    return {};
  }

  // Arguments.
  Result<ValueId> parse_reference() {
    if (!accept("%")) return fail("expected a value");
    const ValueId id = graph_.find_value(std::string(take_word()));
    if (id == kNoId) return fail("unknown value before");
    return id;
  }
  Result<std::string> parse_string() {
    CA_RETURN_IF_ERROR(expect("\""));
    std::string out;
    while (pos_ < text_.size() && text_[pos_] != '"') {
      if (text_[pos_] == '\\' && pos_ + 1 < text_.size()) ++pos_;
      out += text_[pos_++];
    }
    CA_RETURN_IF_ERROR(expect("\""));
    return out;
  }
  Result<double> parse_number() {
    const bool negative = accept("-");
    std::string word(take_word());
    if (pos_ < text_.size() && (text_[pos_] == '-' || text_[pos_] == '+') && !word.empty() &&
        (word.back() == 'e')) {
      word += text_[pos_++];
      word += take_word();
    }
    if (negative) word.insert(0, "-");
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (end == word.c_str() || *end != '\0') return fail("expected a number");
    // Integers keep all their digits.
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), integer_);
    integral_ = error == std::errc() && rest == word.data() + word.size();
    return value;
  }
  Result<Argument> parse_argument(ArgType type) {
    skip_space();
    const char c = pos_ < text_.size() ? text_[pos_] : '\0';
    if (c == '%') {
      CA_ASSIGN_OR_RETURN(const ValueId id, parse_reference());
      return Argument(ValueRef{id});
    }
    if (c == '[') return parse_list(type);
    if (c == '{') return parse_nested();
    if (c == '"') {
      CA_ASSIGN_OR_RETURN(std::string text, parse_string());
      return Argument(std::move(text));
    }
    const std::string_view word = peek_word();
    if (auto keyword = parse_keyword(word)) {
      pos_ += word.size();
      return *keyword;
    }
    if (accept_word("device")) {
      CA_RETURN_IF_ERROR(expect("("));
      CA_ASSIGN_OR_RETURN(std::string device, parse_string());
      CA_RETURN_IF_ERROR(expect(")"));
      return Argument(Device{std::move(device)});
    }
    CA_ASSIGN_OR_RETURN(const double number, parse_number());
    if (integral_) return Argument(integer_);
    return Argument(number);
  }
  Result<Argument> parse_nested() {
    if (nesting_ == kMaxNesting) return fail("too many nested graphs");
    CA_RETURN_IF_ERROR(expect("{"));
    Parser inner(text_);
    inner.pos_ = pos_;
    inner.line_ = line_;
    inner.nesting_ = nesting_ + 1;
    CA_RETURN_IF_ERROR(inner.parse_graph());
    pos_ = inner.pos_;
    line_ = inner.line_;
    CA_RETURN_IF_ERROR(expect("}"));
    return Argument(std::shared_ptr<const Graph>(std::make_shared<Graph>(std::move(inner.graph_))));
  }
  static std::optional<Argument> parse_keyword(std::string_view word) {
    if (word == "None") return Argument(None{});
    if (word == "True") return Argument(true);
    if (word == "False") return Argument(false);
    if (word == "strided") return Argument(Layout::kStrided);
    if (const auto dtype = text_dtype(word)) return Argument(*dtype);
    if (const auto format = memory_format(word)) return Argument(*format);
    return std::nullopt;
  }
  Result<Argument> parse_list(ArgType type) {
    CA_RETURN_IF_ERROR(expect("["));
    std::vector<Argument> items;
    while (!accept("]")) {
      CA_ASSIGN_OR_RETURN(Argument item, parse_argument(ArgType::kScalar));
      items.push_back(std::move(item));
      accept(",");
    }
    switch (type) {
      case ArgType::kTensorList: return tensor_list(items);
      case ArgType::kFloatList: return typed_list<double>(items);
      case ArgType::kBoolList: return typed_list<bool>(items);
      default: return int_list(items);
    }
  }
  Result<Argument> tensor_list(const std::vector<Argument>& items) const {
    TensorList list;
    for (const Argument& item : items) {
      if (const auto* ref = std::get_if<ValueRef>(&item)) {
        list.items.emplace_back(ref->id);
      } else if (std::holds_alternative<None>(item)) {
        list.items.emplace_back(std::nullopt);
      } else {
        return fail("expected a list of values");
      }
    }
    return Argument(std::move(list));
  }
  template <class T>
  Result<Argument> typed_list(const std::vector<Argument>& items) const {
    std::vector<T> list;
    for (const Argument& item : items) {
      if (const auto* value = std::get_if<T>(&item)) {
        list.push_back(*value);
      } else if (const auto* integer = std::get_if<int64_t>(&item)) {
        list.push_back(static_cast<T>(*integer));
      } else {
        return fail("list element of the wrong kind");
      }
    }
    return Argument(std::move(list));
  }
  Result<Argument> int_list(const std::vector<Argument>& items) const {
    SymIntList list;
    std::vector<int64_t> ints;
    for (const Argument& item : items) {
      if (const auto* integer = std::get_if<int64_t>(&item)) {
        list.items.emplace_back(*integer);
        ints.push_back(*integer);
      } else if (const auto* ref = std::get_if<ValueRef>(&item)) {
        list.items.emplace_back(*ref);
      } else {
        return fail("expected a list of integers");
      }
    }
    if (ints.size() == items.size()) return Argument(std::move(ints));
    return Argument(std::move(list));
  }

  static constexpr int kMaxNesting = 16;
  std::string_view text_;
  size_t pos_ = 0;
  int line_ = 1;
  int nesting_ = 0;
  // Of the number parsed last.
  bool integral_ = false;
  int64_t integer_ = 0;
  Graph graph_;
};

}  // namespace

Result<Graph> parse_graph(std::string_view text) { return Parser(text).run(); }

}  // namespace changeaware
