#include "engine/openvino/arguments.h"

#include <array>
#include <openvino/op/constant.hpp>
#include <string_view>

#include "engine/torch_numbers.h"

namespace changeaware::ovn {
namespace {

using ov::op::v0::Constant;
using Nodes = std::vector<std::shared_ptr<NodeDecoder>>;
using Input = NodeDecoder::Input;
namespace type = ov::frontend::type;

// Builds the nodes of one argument; one overload per kind of Argument.
struct Builder {
  const std::function<size_t()>& fresh;
  const std::function<size_t(ValueId)>& id_of;
  ArgType schema_type;
  Nodes& nodes;

  Input value(std::shared_ptr<ov::Node> constant, ov::Any declared = {}) const {
    const size_t id = fresh();
    nodes.push_back(std::make_shared<NodeDecoder>(id, std::move(constant), "", false));
    return {id, std::move(declared), false};
  }
  Input integer(int64_t v) const {
    return value(Constant::create(ov::element::i64, {}, {v}),
                 type::PyScalar(ov::Any(ov::element::i64)));
  }
  Input real(double v) const {
    // float32, as int tensor + 2.5 is float32 and not float64 in PyTorch.
    return value(Constant::create(ov::element::f32, {}, {static_cast<float>(v)}),
                 type::PyScalar(ov::Any(ov::element::f32)));
  }
  Input list(const std::vector<Input>& items) const {
    const size_t id = fresh();
    nodes.push_back(
        std::make_shared<NodeDecoder>("prim::ListConstruct", items, std::vector<size_t>{id}));
    return {id, {}, false};
  }

  Input operator()(None) const {
    const size_t id = fresh();
    nodes.push_back(std::make_shared<NodeDecoder>(id, nullptr, "", true));
    return {id, type::PyNone(), true};
  }
  Input operator()(bool v) const {
    return value(Constant::create(ov::element::boolean, {}, {v ? 1 : 0}),
                 type::PyScalar(ov::Any(ov::element::boolean)));
  }
  Input operator()(int64_t v) const {
    return schema_type == ArgType::kFloat ? real(static_cast<double>(v)) : integer(v);
  }
  Input operator()(double v) const { return real(v); }
  Input operator()(const std::string& text) const {
    const size_t id = fresh();
    nodes.push_back(std::make_shared<NodeDecoder>(id, nullptr, text, false));
    return {id, type::Str(), false};
  }
  Input operator()(DType dtype) const { return integer(scalar_type_number(dtype)); }
  Input operator()(MemoryFormat format) const { return integer(memory_format_number(format)); }
  Input operator()(Layout) const { return integer(0); }
  Input operator()(const Device& device) const { return (*this)(device.type); }
  Input operator()(ValueRef ref) const { return {id_of(ref.id), {}, false}; }
  Input operator()(const TensorList& tensors) const {
    std::vector<Input> items;
    for (const auto& item : tensors.items) {
      items.push_back(item ? Input{id_of(*item), {}, false} : (*this)(None{}));
    }
    return list(items);
  }
  Input operator()(const std::vector<int64_t>& v) const {
    return value(Constant::create(ov::element::i64, ov::Shape{v.size()}, v));
  }
  Input operator()(const std::vector<double>& v) const {
    return value(Constant::create(ov::element::f32, ov::Shape{v.size()},
                                  std::vector<float>(v.begin(), v.end())));
  }
  Input operator()(const std::vector<bool>& v) const {
    return value(Constant::create(ov::element::boolean, ov::Shape{v.size()},
                                  std::vector<char>(v.begin(), v.end())));
  }
  Input operator()(const SymIntList& ints) const {
    std::vector<Input> items;
    for (const auto& item : ints.items) {
      const auto* ref = std::get_if<ValueRef>(&item);
      items.push_back(ref ? (*this)(*ref) : integer(std::get<int64_t>(item)));
    }
    return list(items);
  }
  Input operator()(const std::shared_ptr<const Graph>&) const {
    OPENVINO_THROW("sub-graphs are not operators");
  }
};

struct Renamed {
  std::string_view base, frontend;
};
// The same arguments under another name.
constexpr std::array kRenamed = {
    Renamed{"_unsafe_view", "view"},
    Renamed{"_adaptive_avg_pool2d", "adaptive_avg_pool2d"},
    Renamed{"_adaptive_avg_pool3d", "adaptive_avg_pool3d"},
    Renamed{"detach_copy", "alias"},
    Renamed{"view_copy", "view"},
    Renamed{"subtract", "sub"},
    Renamed{"true_divide", "div"},
    Renamed{"divide", "div"},
};

}  // namespace

std::string frontend_name(const OpSchema& op) {
  for (const Renamed& line : kRenamed) {
    if (line.base == op.base_name()) return "aten::" + std::string(line.frontend);
  }
  return std::string(op.ns()) + "::" + std::string(op.base_name());
}

NodeDecoder::Input ArgumentNodes::add(const Argument& argument, ArgType schema_type,
                                      Nodes& nodes) const {
  return std::visit(Builder{fresh_id_, id_of_, schema_type, nodes}, argument);
}

}  // namespace changeaware::ovn
