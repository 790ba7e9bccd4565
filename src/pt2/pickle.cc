#include "pt2/pickle.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/checked.h"
#include "base/errors.h"
#include "pt2/torch_globals.h"

namespace changeaware {

// One run over a pickle: CPython's stack machine without the opcodes that call anything.
class Unpickler {
 public:
  Unpickler(std::span<const std::byte> bytes, const Pickle::LoadStorage& load_storage)
      : bytes_(bytes), load_storage_(load_storage) {}
  Result<Pickle> run();

 private:
  using Value = PickleValue;
  using Kind = PickleValue::Kind;
  using Handler = Status (Unpickler::*)();
  struct Opcode {
    unsigned char code;
    Handler handler;
  };
  static const Opcode kOpcodes[];
  static constexpr size_t kMaxValues = 1'000'000;

  // Reading.
  template <class T>
  Result<T> take();
  Result<std::string> take_bytes(uint64_t count);
  Result<std::string> take_line();

  // Stack. Each returns an error where the stack is too small.
  Value* push(Kind kind);
  Result<Value*> pop();
  Result<Value*> top(Kind kind, std::string_view operation);
  Result<std::vector<const Value*>> pop_to_mark();
  Status push_tuple(size_t count);
  Status put(uint64_t index);
  Status get(uint64_t index);
  Status append_items(Kind kind, std::vector<const Value*> items);

  Status protocol();
  Status none();
  Status new_true() { return new_bool(true); }
  Status new_false() { return new_bool(false); }
  Status new_bool(bool value);
  template <class T>
  Status integer();
  Status long1();
  Status real();
  Status unicode();
  Status mark();
  Status empty_tuple() { return push_tuple(0); }
  Status tuple1() { return push_tuple(1); }
  Status tuple2() { return push_tuple(2); }
  Status tuple3() { return push_tuple(3); }
  Status tuple();
  Status empty_list();
  Status empty_dict();
  Status append();
  Status appends();
  Status set_item();
  Status set_items();
  template <class T>
  Status put_index();
  template <class T>
  Status get_index();
  Status global();
  Status persistent_id();
  Status reduce();
  Status rebuild_tensor(const Value& args);
  Status stop();

  std::span<const std::byte> bytes_;
  const Pickle::LoadStorage& load_storage_;
  size_t at_ = 0;
  bool done_ = false;
  std::vector<Value*> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, Value*> memo_;
  Pickle out_;
};

const Unpickler::Opcode Unpickler::kOpcodes[] = {
    {0x80, &Unpickler::protocol},
    {'N', &Unpickler::none},
    {0x88, &Unpickler::new_true},
    {0x89, &Unpickler::new_false},
    {'J', &Unpickler::integer<int32_t>},
    {'K', &Unpickler::integer<uint8_t>},
    {'M', &Unpickler::integer<uint16_t>},
    {0x8a, &Unpickler::long1},
    {'G', &Unpickler::real},
    {'X', &Unpickler::unicode},
    {'(', &Unpickler::mark},
    {')', &Unpickler::empty_tuple},
    {0x85, &Unpickler::tuple1},
    {0x86, &Unpickler::tuple2},
    {0x87, &Unpickler::tuple3},
    {'t', &Unpickler::tuple},
    {']', &Unpickler::empty_list},
    {'}', &Unpickler::empty_dict},
    {'a', &Unpickler::append},
    {'e', &Unpickler::appends},
    {'s', &Unpickler::set_item},
    {'u', &Unpickler::set_items},
    {'q', &Unpickler::put_index<uint8_t>},
    {'r', &Unpickler::put_index<uint32_t>},
    {'h', &Unpickler::get_index<uint8_t>},
    {'j', &Unpickler::get_index<uint32_t>},
    {'c', &Unpickler::global},
    {'Q', &Unpickler::persistent_id},
    {'R', &Unpickler::reduce},
    {'.', &Unpickler::stop},
};

Result<Pickle> Unpickler::run() {
  while (!done_) {
    const size_t position = at_;
    CA_ASSIGN_OR_RETURN(const auto code, take<unsigned char>());
    const auto* found = std::find_if(std::begin(kOpcodes), std::end(kOpcodes),
                                     [&](const Opcode& o) { return o.code == code; });
    if (found == std::end(kOpcodes)) {
      return unsupported("the pickle has opcode {:#04x} at byte {}", code, position);
    }
    CA_RETURN_IF_ERROR((this->*found->handler)());
    if (out_.values_.size() > kMaxValues)
      return unsupported("a pickle of more than {} values", kMaxValues);
  }
  return std::move(out_);
}

template <class T>
Result<T> Unpickler::take() {
  if (bytes_.size() - at_ < sizeof(T)) return corrupt("the pickle is truncated");
  T value;
  std::memcpy(&value, bytes_.data() + at_, sizeof(T));
  at_ += sizeof(T);
  return value;
}

Result<std::string> Unpickler::take_bytes(uint64_t count) {
  if (bytes_.size() - at_ < count) return corrupt("the pickle is truncated");
  std::string out(reinterpret_cast<const char*>(bytes_.data()) + at_, count);
  at_ += count;
  return out;
}

Result<std::string> Unpickler::take_line() {
  for (size_t end = at_; end < bytes_.size(); ++end) {
    if (bytes_[end] != std::byte{'\n'}) continue;
    CA_ASSIGN_OR_RETURN(std::string line, take_bytes(end - at_));
    ++at_;
    return line;
  }
  return corrupt("the pickle is truncated");
}

PickleValue* Unpickler::push(Kind kind) {
  out_.values_.push_back(std::make_unique<Value>());
  out_.values_.back()->kind = kind;
  stack_.push_back(out_.values_.back().get());
  return stack_.back();
}

Result<PickleValue*> Unpickler::pop() {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
    return corrupt("the pickle's stack is empty");
  Value* value = stack_.back();
  stack_.pop_back();
  return value;
}

Result<PickleValue*> Unpickler::top(Kind kind, std::string_view operation) {
  if (stack_.empty() || stack_.back()->kind != kind) {
    return corrupt("the pickle has nothing to {}", operation);
  }
  return stack_.back();
}

Result<std::vector<const PickleValue*>> Unpickler::pop_to_mark() {
  if (marks_.empty()) return corrupt("the pickle has no mark");
  std::vector<const Value*> items(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()),
                                  stack_.end());
  stack_.resize(marks_.back());
  marks_.pop_back();
  return items;
}

Status Unpickler::push_tuple(size_t count) {
  std::vector<const Value*> items(count);
  for (size_t i = count; i-- > 0;) {
    CA_ASSIGN_OR_RETURN(items[i], pop());
  }
  push(Kind::kTuple)->items = std::move(items);
  return {};
}

Status Unpickler::put(uint64_t index) {
  if (stack_.empty()) return corrupt("the pickle's stack is empty");
  memo_[index] = stack_.back();
  return {};
}

Status Unpickler::get(uint64_t index) {
  const auto it = memo_.find(index);
  if (it == memo_.end()) return corrupt("the pickle refers to entry {} of its memo", index);
  stack_.push_back(it->second);
  return {};
}

Status Unpickler::append_items(Kind kind, std::vector<const Value*> items) {
  CA_ASSIGN_OR_RETURN(Value * container, top(kind, "append to"));
  if (kind == Kind::kDict && items.size() % 2 != 0)
    return corrupt("the pickle has a key without a value");
  container->items.insert(container->items.end(), items.begin(), items.end());
  return {};
}

Status Unpickler::protocol() {
  CA_ASSIGN_OR_RETURN(const auto version, take<uint8_t>());
  if (version != 2) return unsupported("pickle protocol {}; 2 is accepted", version);
  return {};
}

Status Unpickler::none() {
  push(Kind::kNone);
  return {};
}

Status Unpickler::new_bool(bool value) {
  push(Kind::kBool)->number = value ? 1 : 0;
  return {};
}

template <class T>
Status Unpickler::integer() {
  CA_ASSIGN_OR_RETURN(const T value, take<T>());
  push(Kind::kInt)->number = static_cast<int64_t>(value);
  return {};
}

// Little-endian two's complement of as many bytes as needed.
Status Unpickler::long1() {
  CA_ASSIGN_OR_RETURN(const auto count, take<uint8_t>());
  CA_ASSIGN_OR_RETURN(const std::string digits, take_bytes(count));
  if (count > 8) return unsupported("a pickled integer of {} bytes", count);
  uint64_t bits = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    bits |= uint64_t{static_cast<unsigned char>(digits[i])} << (8 * i);
  }
  if (count > 0 && count < 8 && (digits.back() & 0x80) != 0) bits |= ~uint64_t{0} << (8 * count);
  push(Kind::kInt)->number = static_cast<int64_t>(bits);
  return {};
}

Status Unpickler::real() {
  CA_ASSIGN_OR_RETURN(const auto big_endian, take<uint64_t>());
  const uint64_t bits = __builtin_bswap64(big_endian);
  std::memcpy(&push(Kind::kFloat)->real, &bits, sizeof(bits));
  return {};
}

Status Unpickler::unicode() {
  CA_ASSIGN_OR_RETURN(const auto count, take<uint32_t>());
  CA_ASSIGN_OR_RETURN(std::string text, take_bytes(count));
  push(Kind::kString)->text = std::move(text);
  return {};
}

Status Unpickler::mark() {
  marks_.push_back(stack_.size());
  return {};
}

Status Unpickler::tuple() {
  CA_ASSIGN_OR_RETURN(auto items, pop_to_mark());
  push(Kind::kTuple)->items = std::move(items);
  return {};
}

Status Unpickler::empty_list() {
  push(Kind::kList);
  return {};
}

Status Unpickler::empty_dict() {
  push(Kind::kDict);
  return {};
}

Status Unpickler::append() {
  CA_ASSIGN_OR_RETURN(const Value* item, pop());
  return append_items(Kind::kList, {item});
}

Status Unpickler::appends() {
  CA_ASSIGN_OR_RETURN(auto items, pop_to_mark());
  return append_items(Kind::kList, std::move(items));
}

Status Unpickler::set_item() {
  CA_ASSIGN_OR_RETURN(const Value* value, pop());
  CA_ASSIGN_OR_RETURN(const Value* key, pop());
  return append_items(Kind::kDict, {key, value});
}

Status Unpickler::set_items() {
  CA_ASSIGN_OR_RETURN(auto items, pop_to_mark());
  return append_items(Kind::kDict, std::move(items));
}

template <class T>
Status Unpickler::put_index() {
  CA_ASSIGN_OR_RETURN(const T index, take<T>());
  return put(index);
}

template <class T>
Status Unpickler::get_index() {
  CA_ASSIGN_OR_RETURN(const T index, take<T>());
  return get(index);
}

Status Unpickler::global() {
  CA_ASSIGN_OR_RETURN(const std::string module, take_line());
  CA_ASSIGN_OR_RETURN(const std::string name, take_line());
  const std::string full = module + " " + name;
  if (!is_known_global(full)) return unsupported("the pickle uses {}.{}", module, name);
  push(Kind::kGlobal)->text = full;
  return {};
}

// ("storage", <storage class>, key, location, number of elements).
Status Unpickler::persistent_id() {
  CA_ASSIGN_OR_RETURN(const Value* id, pop());
  const auto& items = id->items;
  const bool shaped = id->kind == Kind::kTuple && items.size() == 5 &&
                      items[0]->text == "storage" && items[1]->kind == Kind::kGlobal &&
                      items[2]->kind == Kind::kString && items[4]->kind == Kind::kInt;
  const auto dtype = shaped ? storage_dtype(items[1]->text) : std::nullopt;
  if (!dtype) return corrupt("the pickle has a persistent id that is no storage");
  CA_ASSIGN_OR_RETURN(auto storage, load_storage_(items[2]->text));
  const int64_t count = items[4]->number;
  auto whole = Tensor::view(*dtype, {count}, {1}, 0, std::move(storage));
  if (!whole.ok()) return corrupt("storage {}: {}", items[2]->text, whole.status().message());
  push(Kind::kStorage)->tensor = std::move(*whole);
  return {};
}

namespace {

std::optional<std::vector<int64_t>> integers(const PickleValue& tuple) {
  if (tuple.kind != PickleValue::Kind::kTuple) return std::nullopt;
  std::vector<int64_t> out;
  for (const PickleValue* item : tuple.items) {
    if (item->kind != PickleValue::Kind::kInt) return std::nullopt;
    out.push_back(item->number);
  }
  return out;
}

}  // namespace

// (storage, offset, size, stride, requires_grad, hooks[, metadata]).
Status Unpickler::rebuild_tensor(const Value& args) {
  const auto& items = args.items;
  if (items.size() < 6 || items[0]->kind != Kind::kStorage || items[1]->kind != Kind::kInt) {
    return corrupt("the pickle rebuilds a tensor from something else");
  }
  const auto sizes = integers(*items[2]);
  const auto strides = integers(*items[3]);
  if (!sizes || !strides) return corrupt("the pickle rebuilds a tensor from something else");
  const Tensor& storage = items[0]->tensor;
  auto tensor =
      Tensor::view(storage.dtype(), *sizes, *strides, items[1]->number, storage.storage());
  if (!tensor.ok()) return corrupt("a pickled tensor: {}", tensor.status().message());
  push(Kind::kTensor)->tensor = std::move(*tensor);
  return {};
}

Status Unpickler::reduce() {
  CA_ASSIGN_OR_RETURN(const Value* args, pop());
  CA_ASSIGN_OR_RETURN(const Value* callable, pop());
  if (args->kind != Kind::kTuple || callable->kind != Kind::kGlobal) {
    return corrupt("the pickle calls something that is no function");
  }
  if (callable->text == kRebuildTensor) return rebuild_tensor(*args);
  if (callable->text != kOrderedDict || !args->items.empty()) {
    return unsupported("the pickle calls {}", callable->text);
  }
  push(Kind::kDict);
  return {};
}

Status Unpickler::stop() {
  CA_ASSIGN_OR_RETURN(out_.root_, pop());
  done_ = true;
  return {};
}

Result<Pickle> Pickle::load(std::span<const std::byte> bytes, const LoadStorage& load_storage) {
  return Unpickler(bytes, load_storage).run();
}

}  // namespace changeaware
