// Every single change that can alter a result or a message alters the identity, and no two of them
// alter it alike.
#include <functional>
#include <limits>
#include <map>

#include "identity/test_util.h"

namespace changeaware {
namespace {

constexpr std::string_view kBase =
    R"(graph(%x: f32[2, s0], %y: f32[s1], %z: f32[2, 3], %n: sym(s2)) {
  %w = constant f32[2, 3] {1, 2, 3, 4, 5, 6}
  %k = constant i64[1] {7}
  %sum: f32[2, 3] = aten.add.Tensor(%z, %w, alpha=2)
  %difference: f32[2, 3] = aten.sub.Tensor(%sum, %z)
  %relu: f32[2, 3] = aten.relu.default(%difference)
  %top: f32[2], %where: i64[2] = aten.max.dim(%relu, 1)
  %flat: f32[6] = aten.view.default(%relu, [6])
  %cat: f32[12] = aten.cat.default([%flat, %flat])
  %like: f32[2, 3] = aten.full_like.default(%z, 1.0, dtype=f32)
  %gelu: f32[2, s0] = aten.gelu.default(%x, approximate="tanh")
  %ok: bool[] = aten.all.default(%z)
  %fine: bool[] = aten.any.default(%z)
  assert %ok "first"
  assert %fine "second"
  return (%where, %cat, %like, %gelu, %y, %k, None, 3, 1.5, True, "text")
})";

struct TextChange {
  std::string_view what;
  std::string_view from;
  std::string_view to;
};

constexpr TextChange kTextChanges[] = {
    {"an element of a constant", "{1, 2, 3, 4, 5, 6}", "{1, 2, 3, 4, 5, 7}"},
    {"the sign of a zero in a constant", "{1, 2, 3, 4, 5, 6}", "{0.0, 2, 3, 4, 5, 6}"},
    {"the sign of a zero in a constant, negative", "{1, 2, 3, 4, 5, 6}", "{-0.0, 2, 3, 4, 5, 6}"},
    {"the dtype of a constant", "%k = constant i64[1]", "%k = constant i32[1]"},
    {"the sizes of a constant", "%k = constant i64[1]", "%k = constant i64[]"},
    {"an attribute", "alpha=2", "alpha=3"},
    {"an attribute left at its default", ", alpha=2", ""},
    {"an integer that becomes a float", "alpha=2", "alpha=2.0"},
    {"a float that becomes an integer", "1.0, dtype", "1, dtype"},
    {"a float that becomes a boolean", "1.0, dtype", "True, dtype"},
    {"a float that becomes 0.0", "1.0, dtype", "0.0, dtype"},
    {"a float that becomes -0.0", "1.0, dtype", "-0.0, dtype"},
    {"a float by one bit", "1.0, dtype", "1.0000000000000002, dtype"},
    {"a dtype argument", "dtype=f32", "dtype=f64"},
    {"a dtype argument that is left out", ", dtype=f32", ""},
    {"a memory format", "dtype=f32)", "dtype=f32, memory_format=channels_last)"},
    {"a device", "dtype=f32)", "dtype=f32, device=device(\"cpu\"))"},
    {"a layout", "dtype=f32)", "dtype=f32, layout=strided)"},
    {"a text argument", "approximate=\"tanh\"", "approximate=\"none\""},
    {"a list of integers", "[6])", "[-1])"},
    {"the length of a list of integers", "[6])", "[6, 1])"},
    {"the length of a list of tensors", "[%flat, %flat]", "[%flat, %flat, %flat]"},
    {"an operand in a list", "[%flat, %flat]", "[%flat, %z]"},
    {"an operator", "aten.relu.default", "aten.sigmoid.default"},
    {"an overload", "aten.sub.Tensor(%sum, %z)", "aten.sub.Scalar(%sum, 1)"},
    {"swapped operands", "aten.sub.Tensor(%sum, %z)", "aten.sub.Tensor(%z, %sum)"},
    {"another operand", "aten.sub.Tensor(%sum, %z)", "aten.sub.Tensor(%sum, %w)"},
    {"a skipped node", "aten.relu.default(%difference)", "aten.relu.default(%sum)"},
    {"the order of ports", "(%x: f32[2, s0], %y: f32[s1],", "(%y: f32[s1], %x: f32[2, s0],"},
    {"a port more", "%n: sym(s2)", "%n: sym(s2), %more: f32[1]"},
    {"the dtype of a port", "%y: f32[s1]", "%y: f16[s1]"},
    {"the kind of a port", "%n: sym(s2)", "%n: symfloat(s2)"},
    {"a size of a port", "%z: f32[2, 3]", "%z: f32[2, 4]"},
    {"the rank of a port", "%z: f32[2, 3]", "%z: f32[2, 3, 1]"},
    {"a symbol that becomes a number", "%y: f32[s1]", "%y: f32[2]"},
    {"two symbols that become one", "%y: f32[s1]", "%y: f32[s0]"},
    {"a symbolic expression", "%y: f32[s1]", "%y: f32[2*s1]"},
    {"a symbolic number of a port", "%n: sym(s2)", "%n: sym(2*s0)"},
    {"the dtype of a result", "%like: f32", "%like: f64"},
    {"a size of a result", "%flat: f32[6]", "%flat: f32[7]"},
    {"which result of a node", "return (%where", "return (%top"},
    {"whether a result is named", "%top: f32[2], %where", "_, %where"},
    {"the order of outputs", "%cat, %like", "%like, %cat"},
    {"an output less", "%gelu, %y", "%gelu"},
    {"an output twice", "%gelu, %y", "%gelu, %y, %y"},
    {"an output that was fixed: none", "None, 3", "0, 3"},
    {"an output that was fixed: integer", "None, 3", "None, 4"},
    {"an output that was fixed: float", "1.5, True", "-1.5, True"},
    {"an output that was fixed: boolean", "1.5, True", "1.5, False"},
    {"an output that was fixed: text", "\"text\")", "\"tex\")"},
    {"the condition of an assertion", "assert %ok \"first\"", "assert %k \"first\""},
    {"the message of an assertion", "\"first\"", "\"other\""},
    {"one assertion less", "  assert %ok \"first\"\n", ""},
    {"the order of assertions", "  assert %ok \"first\"\n  assert %fine \"second\"",
     "  assert %fine \"second\"\n  assert %ok \"first\""},
};

std::string changed_text(const TextChange& change) {
  std::string text(kBase);
  const size_t at = text.find(change.from);
  EXPECT_NE(at, std::string::npos) << change.what;
  return text.replace(at, change.from.size(), change.to);
}

struct GraphChange {
  std::string_view what;
  void (*apply)(Graph&);
};

Argument& argument(Graph& graph, std::string_view op, size_t index) {
  for (NodeId n = 0; n < graph.nodes().size(); ++n) {
    if (graph.node(n).op->name == op) return graph.mutable_node(n).args[index];
  }
  ADD_FAILURE() << op;
  return graph.mutable_node(0).args[0];
}

void flip_bit(Graph& graph, size_t constant, size_t byte, int bit) {
  std::byte* data = graph.constants()[constant].tensor.mutable_data();
  data[byte] ^= std::byte(1 << bit);
}

const double kOtherNan = std::bit_cast<double>(uint64_t{0x7ff8000000000001});

constexpr GraphChange kGraphChanges[] = {
    {"the engine of a node", [](Graph& g) { g.mutable_node(0).exact = true; }},
    {"the lowest bit of a weight", [](Graph& g) { flip_bit(g, 0, 20, 0); }},
    {"the highest bit of a weight", [](Graph& g) { flip_bit(g, 0, 23, 7); }},
    {"a bit of the last element", [](Graph& g) { flip_bit(g, 1, 7, 3); }},
    {"a lower bound",
     [](Graph& g) {
       g.set_symbol("s0", {2, std::nullopt});
     }},
    {"a lower bound that is 0",
     [](Graph& g) {
       g.set_symbol("s0", {0, std::nullopt});
     }},
    {"an upper bound",
     [](Graph& g) {
       g.set_symbol("s0", {std::nullopt, 2});
     }},
    {"the bound of another symbol",
     [](Graph& g) {
       g.set_symbol("s1", {2, std::nullopt});
     }},
    {"a NaN",
     [](Graph& g) {
       argument(g, "aten.full_like.default", 1) = std::numeric_limits<double>::quiet_NaN();
     }},
    {"the bits of a NaN", [](Graph& g) { argument(g, "aten.full_like.default", 1) = kOtherNan; }},
    {"a list of floats",
     [](Graph& g) { argument(g, "aten.view.default", 1) = std::vector<double>{6.0}; }},
    {"a list of booleans",
     [](Graph& g) { argument(g, "aten.view.default", 1) = std::vector<bool>{true}; }},
    {"an empty list",
     [](Graph& g) { argument(g, "aten.view.default", 1) = std::vector<int64_t>{}; }},
    {"a list with a size computed at run time",
     [](Graph& g) {
       argument(g, "aten.view.default", 1) = SymIntList{{ValueRef{g.find_value("n")}}};
     }},
    {"an absent element of a list",
     [](Graph& g) {
       argument(g, "aten.cat.default", 0) = TensorList{{g.find_value("flat"), std::nullopt}};
     }},
    {"a nested graph",
     [](Graph& g) {
       argument(g, "aten.view.default", 1) =
           std::make_shared<const Graph>(graph_of("graph(%x: f32[2]) { return (%x) }"));
     }},
};

struct ConfigChange {
  std::string_view what;
  std::string NumericConfig::*field;
};
constexpr ConfigChange kConfigChanges[] = {
    {"the engine", &NumericConfig::engine},
    {"the version of the engine", &NumericConfig::engine_version},
    {"the precision", &NumericConfig::precision},
    {"the numerics mode", &NumericConfig::numerics},
};

// Canonical bytes of the base and of every variant, by what was changed.
std::map<std::string, std::string> all_variants() {
  std::map<std::string, std::string> out;
  const auto add = [&](std::string_view what, std::string bytes) {
    EXPECT_TRUE(out.emplace(what, std::move(bytes)).second) << what;
  };
  add("nothing", bytes_of(kBase));
  for (const TextChange& change : kTextChanges) add(change.what, bytes_of(changed_text(change)));
  for (const GraphChange& change : kGraphChanges) {
    Graph graph = graph_of(kBase);
    change.apply(graph);
    add(change.what, bytes_of(graph));
  }
  for (const ConfigChange& change : kConfigChanges) {
    NumericConfig config = kTestConfig;
    config.*change.field += "x";
    add(change.what, bytes_of(graph_of(kBase), config));
  }
  return out;
}

TEST(IdentityChanges, EverySingleChangeGivesAnotherIdentity) {
  const auto variants = all_variants();
  EXPECT_GT(variants.size(), 70u);
  std::map<Digest, std::string> seen;
  for (const auto& [what, bytes] : variants) {
    const auto [it, fresh] = seen.emplace(identity_of(bytes), what);
    EXPECT_TRUE(fresh) << "equal identities: " << what << " and " << it->second;
  }
}

TEST(IdentityChanges, ADisguiseKeepsEveryVariant) {
  std::mt19937 random(1);
  const auto expect_kept = [&](std::string_view what, const Graph& graph) {
    const std::string before = bytes_of(graph);
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(bytes_of(disguised(graph, random)), before) << what;
    }
  };
  for (const TextChange& change : kTextChanges)
    expect_kept(change.what, graph_of(changed_text(change)));
  for (const GraphChange& change : kGraphChanges) {
    Graph graph = graph_of(kBase);
    change.apply(graph);
    expect_kept(change.what, graph);
  }
}

// Texts that run into each other would be equal without their lengths.
TEST(IdentityChanges, FieldsDoNotRunIntoEachOther) {
  NumericConfig a = kTestConfig;
  NumericConfig b = kTestConfig;
  a.engine = "ab";
  a.engine_version = "c";
  b.engine = "a";
  b.engine_version = "bc";
  EXPECT_NE(bytes_of(graph_of(kBase), a), bytes_of(graph_of(kBase), b));
}

}  // namespace
}  // namespace changeaware
