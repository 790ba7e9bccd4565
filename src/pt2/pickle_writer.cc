#include "pt2/pickle_writer.h"

#include <cstring>
#include <type_traits>

#include "archive/archive_writer.h"
#include "base/errors.h"
#include "pt2/torch_globals.h"

namespace changeaware {
namespace {

class SamplePickler {
 public:
  explicit SamplePickler(const std::vector<SampleLeaf>& leaves) : leaves_(leaves) {}

  Status write(const TreeSpec& spec) {
    out_ = "\x80\x02";
    CA_RETURN_IF_ERROR(node(spec));
    out_ += '.';
    return {};
  }
  const std::string& text() const { return out_; }
  // Storage i is the bytes of tensors()[i].
  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  Status node(const TreeSpec& spec) {
    if (spec.is_leaf()) return leaf(leaves_[next_leaf_++]);
    if (spec.type == "builtins.tuple") return sequence(spec, "(", "t");
    if (spec.type == "builtins.list") return sequence(spec, "](", "e");
    if (spec.type == "builtins.dict") return dict(spec, "}(");
    if (spec.type == "collections.OrderedDict") return dict(spec, "ccollections\nOrderedDict\n)R(");
    return unsupported("inputs nested in a {}", spec.type);
  }

  Status sequence(const TreeSpec& spec, std::string_view begin, std::string_view end) {
    out_ += begin;
    for (const TreeSpec& child : spec.children) CA_RETURN_IF_ERROR(node(child));
    out_ += end;
    return {};
  }

  Status dict(const TreeSpec& spec, std::string_view begin) {
    if (spec.keys.size() != spec.children.size()) return unsupported("a dictionary without names");
    out_ += begin;
    for (size_t i = 0; i < spec.children.size(); ++i) {
      text(spec.keys[i]);
      CA_RETURN_IF_ERROR(node(spec.children[i]));
    }
    out_ += 'u';
    return {};
  }

  Status leaf(const SampleLeaf& leaf) {
    if (leaf.tensor.defined()) return tensor(leaf.tensor);
    return std::visit([this](const auto& value) { return constant(value); }, leaf.constant);
  }

  template <class T>
  Status constant(const T& value) {
    if constexpr (std::is_same_v<T, None>) {
      out_ += 'N';
    } else if constexpr (std::is_same_v<T, bool>) {
      out_ += value ? '\x88' : '\x89';
    } else if constexpr (std::is_same_v<T, int64_t>) {
      integer(value);
    } else if constexpr (std::is_same_v<T, double>) {
      uint64_t bits;
      std::memcpy(&bits, &value, sizeof(bits));
      out_ += 'G';
      raw(__builtin_bswap64(bits));
    } else if constexpr (std::is_same_v<T, std::string>) {
      text(value);
    } else {
      return unsupported("an input of another kind");
    }
    return {};
  }

  Status tensor(const Tensor& given) {
    const std::string_view storage = storage_global(given.dtype());
    if (storage.empty()) return unsupported("a sample input of {}", dtype_name(given.dtype()));
    const Tensor dense = given.contiguous();
    global(kRebuildTensor);
    out_ += "((";
    text("storage");
    global(storage);
    text(std::to_string(tensors_.size()));
    text("cpu");
    integer(dense.numel());
    out_ += "tQ";
    integer(0);
    integers(dense.shape());
    integers(contiguous_strides(dense.shape()));
    out_ += "\x89";
    global(kOrderedDict);
    out_ += ")RtR";
    tensors_.push_back(dense);
    return {};
  }

  void global(std::string_view name) {
    const size_t space = name.find(' ');
    out_ += fmt::format("c{}\n{}\n", name.substr(0, space), name.substr(space + 1));
  }
  void text(std::string_view value) {
    out_ += 'X';
    raw(static_cast<uint32_t>(value.size()));
    out_ += value;
  }
  void integer(int64_t value) {
    if (value >= INT32_MIN && value <= INT32_MAX) {
      out_ += 'J';
      raw(static_cast<int32_t>(value));
    } else {
      out_ += "\x8a\x08";
      raw(value);
    }
  }
  void integers(const std::vector<int64_t>& values) {
    out_ += '(';
    for (const int64_t v : values) integer(v);
    out_ += 't';
  }
  template <class T>
  void raw(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }

  const std::vector<SampleLeaf>& leaves_;
  size_t next_leaf_ = 0;
  std::string out_;
  std::vector<Tensor> tensors_;
};

}  // namespace

Result<std::string> write_sample_archive(const TreeSpec& in_spec,
                                         const std::vector<SampleLeaf>& leaves) {
  if (in_spec.leaf_count() != leaves.size()) {
    return invalid_argument("{} sample inputs for {} leaves", leaves.size(), in_spec.leaf_count());
  }
  SamplePickler pickler(leaves);
  CA_RETURN_IF_ERROR(pickler.write(in_spec));
  CA_ASSIGN_OR_RETURN(const auto archive, ArchiveWriter::create_in_memory("archive"));
  CA_RETURN_IF_ERROR(archive->add("data.pkl", pickler.text()));
  CA_RETURN_IF_ERROR(archive->add("byteorder", "little"));
  for (size_t i = 0; i < pickler.tensors().size(); ++i) {
    const Tensor& tensor = pickler.tensors()[i];
    CA_RETURN_IF_ERROR(
        archive->add("data/" + std::to_string(i), {tensor.data(), tensor.size_bytes()}));
  }
  CA_RETURN_IF_ERROR(archive->add("version", "3\n"));
  return archive->take();
}

}  // namespace changeaware
