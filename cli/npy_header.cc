// The header is the text of a Python dictionary with exactly the keys descr, fortran_order, shape.
#include <charconv>
#include <optional>

#include "cli/error.h"
#include "cli/npy.h"
#include "cli/npy_dtype.h"

namespace changeaware::cli {
namespace {

class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  Result<NpyHeader> parse() {
    CA_RETURN_IF_ERROR(expect('{'));
    while (!accept('}')) {
      CA_RETURN_IF_ERROR(member());
      if (!accept(',')) {
        CA_RETURN_IF_ERROR(expect('}'));
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) return bad("the end of the header");
    if (!dtype_) return missing("descr");
    if (!fortran_order_) return missing("fortran_order");
    if (!shape_) return missing("shape");
    return NpyHeader{*dtype_, *fortran_order_, *shape_};
  }

 private:
  struct Field {
    std::string_view name;
    Status (HeaderParser::*parse)();
  };

  Status member() {
    static constexpr Field kFields[] = {{"descr", &HeaderParser::descr},
                                        {"fortran_order", &HeaderParser::fortran_order},
                                        {"shape", &HeaderParser::shape}};
    CA_ASSIGN_OR_RETURN(const std::string_view name, quoted());
    CA_RETURN_IF_ERROR(expect(':'));
    for (const Field& field : kFields) {
      if (field.name == name) return (this->*field.parse)();
    }
    return error(StatusCode::kCorrupt, ".npy header: unknown key '{}'", name);
  }

  Status descr() {
    if (dtype_) return twice("descr");
    if (peek() == '[') {
      return error(StatusCode::kUnsupported, ".npy header: a structured dtype; save plain arrays");
    }
    CA_ASSIGN_OR_RETURN(const std::string_view text, quoted());
    CA_ASSIGN_OR_RETURN(dtype_, dtype_of_descr(text));
    return {};
  }

  Status fortran_order() {
    if (fortran_order_) return twice("fortran_order");
    skip_space();
    for (const bool flag : {false, true}) {
      const std::string_view word = flag ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      fortran_order_ = flag;
      return {};
    }
    return bad("True or False");
  }

  // A tuple of integers: (), (3,), (2, 3).
  Status shape() {
    if (shape_) return twice("shape");
    Shape sizes;
    bool comma = false;
    CA_RETURN_IF_ERROR(expect('('));
    while (!accept(')')) {
      CA_ASSIGN_OR_RETURN(const int64_t size, integer());
      sizes.push_back(size);
      comma = accept(',');
      if (comma) continue;
      CA_RETURN_IF_ERROR(expect(')'));
      break;
    }
    if (sizes.size() == 1 && !comma) return bad("a tuple");
    shape_ = std::move(sizes);
    return {};
  }

  Result<int64_t> integer() {
    skip_space();
    int64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, failure] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (failure != std::errc() || value < 0) return bad("a size");
    at_ += static_cast<size_t>(end - begin);
    return value;
  }

  Result<std::string_view> quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return bad("a quoted string");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return bad("the end of a quoted string");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  Status expect(char c) { return accept(c) ? Status() : bad(std::string("'") + c + "'"); }

  Status bad(std::string_view expected) const {
    return error(StatusCode::kCorrupt, ".npy header: expected {} at byte {}", expected, at_);
  }
  static Status twice(std::string_view key) {
    return error(StatusCode::kCorrupt, ".npy header: '{}' comes twice", key);
  }
  static Status missing(std::string_view key) {
    return error(StatusCode::kCorrupt, ".npy header: no '{}'", key);
  }

  std::string_view text_;
  size_t at_ = 0;
  std::optional<DType> dtype_;
  std::optional<bool> fortran_order_;
  std::optional<Shape> shape_;
};

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view text) { return HeaderParser(text).parse(); }

}  // namespace changeaware::cli
