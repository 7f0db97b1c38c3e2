// Initializers: nested lists of constants, and of addresses, which become relocations.
#include "frontend/decode/decoder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <optional>

namespace warpsim::frontend {

namespace {

using isa::StateSpace;
using isa::Type;
using Node = syntax::Node;
using NodeKind = syntax::Node::Kind;

class Initializer {
public:
    Initializer(Decoder& decoder, std::vector<std::uint64_t> const& dimensions, unsigned vector,
                ir::Variable& variable)
        : decoder_(decoder),
          variable_(variable),
          vector_(vector),
          element_(static_cast<unsigned>(isa::width(variable.type)) / 8) {
        std::uint64_t stride = element_;
        if (vector > 1) {
            strides_.push_back(stride);
            counts_.push_back(vector);
            stride *= vector;
        }
        for (std::size_t i = dimensions.size(); i-- > 0;) {
            strides_.insert(strides_.begin(), stride);
            counts_.insert(counts_.begin(), dimensions[i]);
            stride *= dimensions[i];
        }
    }

    void fill(std::span<Node const> nodes) {
        if (nodes[0].kind == NodeKind::vector) {
            if (strides_.empty())
                fail(nodes[0], "a list cannot initialize " + quoted(variable_.name) + ", which is no array");
            else list(nodes, 0, 0);
        } else if (!strides_.empty()) {
            fail(nodes[0], "an array is initialized by a list in braces");
        } else {
            element(nodes, 0);
        }
    }
    std::uint64_t end() const { return end_; }

private:
    void fail(Node const& node, std::string message) {
        if (!failed_) decoder_.diagnostics.error(node.text, std::move(message));
        failed_ = true;
    }

    void list(std::span<Node const> nodes, std::size_t level, std::uint64_t offset) {
        std::uint64_t const stride = strides_[level];
        std::uint64_t count = 0;
        for (auto rest = children(nodes); !rest.empty() && !failed_; rest = after(rest)) {
            if (counts_[level] != 0 && count == counts_[level]) {
                fail(rest[0], "more values than the array has elements");
                return;
            }
            bool const is_list = rest[0].kind == NodeKind::vector;
            bool const is_innermost = level + 1 == strides_.size();
            if (is_list && is_innermost) fail(rest[0], "braces are nested deeper than the array has dimensions");
            else if (is_list) list(rest, level + 1, offset + count * stride);
            else if (!is_innermost) fail(rest[0], "a list in braces is wanted for each row of the array");
            else element(rest, offset + count * stride);
            ++count;
            end_ = std::max(end_, offset + count * stride);
        }
        bool const is_vector = vector_ > 1 && level + 1 == strides_.size();
        if (is_vector && count != vector_ && !failed_)
            fail(nodes[0],
                 "a vector of " + std::to_string(vector_) + " needs as many values, not " + std::to_string(count));
    }

    void store(std::uint64_t offset, std::uint64_t value, unsigned bytes) {
        if (variable_.initializer.size() < offset + bytes) variable_.initializer.resize(offset + bytes);
        for (unsigned i = 0; i < bytes; ++i) {
            variable_.initializer[offset + i] = static_cast<std::byte>(i < 8 ? value >> 8 * i : 0);
        }
    }

    void element(std::span<Node const> nodes, std::uint64_t offset) {
        Node const& node = nodes[0];
        if (variable_.type == Type::f16 || variable_.type == Type::f16x2) {
            fail(node, "a variable of type " + type_text(variable_.type) + " cannot be initialized");
        } else if (node.kind == NodeKind::literal || node.kind == NodeKind::expression || node.text == "WARP_SZ") {
            constant(node, offset);
        } else if (node.kind == NodeKind::name || node.kind == NodeKind::apply || node.kind == NodeKind::sum) {
            address(nodes, offset);
        } else {
            fail(node, "this cannot be an initial value");
        }
    }

    std::optional<Constant> constant_value(Node const& node) {
        std::optional<Constant> value;
        if (node.kind == NodeKind::literal) {
            value = parse_literal(node.text);
            if (!value) fail(node, quoted(node.text) + " is not a number");
        } else if (node.kind == NodeKind::name) {
            value = Constant{Constant::Kind::s64, 32};
        } else {
            Evaluated const result = evaluate(decoder_.tree.token_range(node.tokens));
            value = result.value;
            if (!value) fail(node, result.message);
        }
        if (value && node.minus) value = negated(*value);
        return value;
    }

    void constant(Node const& node, std::uint64_t offset) {
        auto const value = constant_value(node);
        if (!value) return;
        bool const is_mapped = decoder_.module.maps_f64 && variable_.type == Type::f64;
        auto const bits = bits_as(*value, is_mapped ? Type::f32 : variable_.type);
        if (!bits && !value->is_integer() && variable_.type == Type::b16) {
            decoder_.diagnostics.warning(node.text, "a floating-point number does not fit a .b16; its value is 0");
            return;
        }
        if (!bits) {
            fail(node, std::string(value->is_integer() ? "an integer" : "a floating-point number") +
                           " cannot initialize a " + type_text(variable_.type));
            return;
        }
        // A negative integer in a 128-bit element keeps its sign.
        store(offset, *bits, std::min(element_, 8u));
        if (element_ == 16) store(offset + 8, value->is_integer() && value->as_signed() < 0 ? UINT64_MAX : 0, 8);
    }

    /// The name in an address expression, with whatever `generic()`, `mask()` and `+ n` around it add.
    void address_part(std::span<Node const> nodes, ir::Relocation& to) {
        Node const& node = nodes[0];
        if (node.kind == NodeKind::name) {
            symbol(node, to);
        } else if (node.kind == NodeKind::sum) {
            bool has_address = false;
            for (auto rest = children(nodes); !rest.empty(); rest = after(rest)) {
                bool const is_number = rest[0].kind == NodeKind::literal || rest[0].kind == NodeKind::expression;
                if (!is_number) {
                    if (has_address) {
                        fail(rest[0], "two addresses cannot be added; only a constant can");
                        return;
                    }
                    has_address = true;
                    bool const is_mask = rest[0].kind == NodeKind::apply && !rest[0].text.starts_with("generic");
                    if (is_mask) {
                        fail(nodes[0], "nothing can be added to a byte of an address");
                        return;
                    }
                    address_part(rest, to);
                    continue;
                }
                auto const value = constant_value(rest[0]);
                if (!value) return;
                if (rest[0].separator == '-') {
                    fail(rest[0], "an offset is added to an address, never subtracted");
                    return;
                }
                to.addend += value->as_signed();
            }
        } else if (node.kind == NodeKind::apply && node.text.starts_with("generic")) {
            to.generic = true;
            auto const inner = children(nodes);
            if (inner.size() != 1 || inner[0].kind != NodeKind::name)
                fail(node, "generic() takes the name of a variable");
            else symbol(inner[0], to);
        } else if (node.kind == NodeKind::apply && node.text.starts_with("mask")) {
            mask(nodes, to);
        } else if (node.kind == NodeKind::apply &&
                   parse_literal(node.text.substr(0, node.text.find_first_of(" \t(")))) {
            select_byte(node, *parse_literal(node.text.substr(0, node.text.find_first_of(" \t("))), to);
            for (auto rest = children(nodes); !rest.empty(); rest = after(rest)) address_part(rest, to);
        } else if (to.masked && (node.kind == NodeKind::literal || node.kind == NodeKind::expression)) {
            auto const value = constant_value(node);
            if (value && !value->is_integer()) fail(node, "an integer is wanted here");
            else if (value) to.addend += value->as_signed();
        } else {
            fail(node, "this cannot be part of an address");
        }
    }

    /// `0xFF00(address)`: the byte of the address that the mask selects.
    void select_byte(Node const& node, Constant mask, ir::Relocation& to) {
        int const shift = mask.bits == 0 ? 0 : std::countr_zero(mask.bits);
        if (shift % 8 != 0 || mask.bits >> shift != 0xff) {
            fail(node, "a mask must select one byte, as 0xFF or 0xFF00");
            return;
        }
        to.masked = true;
        to.mask_shift = static_cast<std::uint8_t>(shift);
    }

    void mask(std::span<Node const> nodes, ir::Relocation& to) {
        auto rest = children(nodes);
        auto const value = rest.empty() ? std::nullopt : constant_value(rest[0]);
        if (!value) {
            fail(nodes[0], "mask() takes a constant and an address");
            return;
        }
        select_byte(rest[0], *value, to);
        for (rest = after(rest); !rest.empty(); rest = after(rest)) address_part(rest, to);
    }

    void symbol(Node const& node, ir::Relocation& to) {
        Found const found = decoder_.symbols.find(node.text);
        if (!found) {
            report_unknown(decoder_, node.text, "variable or function");
            failed_ = true;
            return;
        }
        bool const is_variable = found.symbol->kind == Symbol::Kind::module_variable;
        to.is_function = found.symbol->kind == Symbol::Kind::function;
        to.index = found.index;
        StateSpace const space = is_variable ? decoder_.module.variables[found.index].space : StateSpace::generic;
        if (!to.is_function && space != StateSpace::global && space != StateSpace::constant) {
            fail(node,
                 "only .global and .const variables and functions have addresses that an initializer can use");
        }
    }

    void address(std::span<Node const> nodes, std::uint64_t offset) {
        ir::Relocation relocation;
        relocation.offset = offset;
        relocation.size = static_cast<std::uint8_t>(element_);
        address_part(nodes, relocation);
        if (failed_) return;
        if (relocation.generic && relocation.is_function) {
            fail(nodes[0], "the address of a function is no generic address");
            return;
        }
        if (relocation.is_function && relocation.addend != 0) {
            fail(nodes[0], "nothing can be added to the address of a function");
            return;
        }
        if (relocation.index != ir::none) require(decoder_, nodes[0].text, "an address as initial value", 21);
        if (relocation.is_function) {
            bool const is_kernel = decoder_.module.functions[relocation.index].is_entry;
            require(decoder_, nodes[0].text,
                    is_kernel ? "a kernel as initial value" : "a function as initial value", is_kernel ? 31 : 21,
                    is_kernel ? 35 : 20);
        }
        if (relocation.masked) require(decoder_, nodes[0].text, "a byte of an address", 71);
        if (relocation.generic) require(decoder_, nodes[0].text, "generic()", 31);
        if (relocation.index == ir::none) {  // mask() applied to a constant
            store(offset, static_cast<std::uint64_t>(relocation.addend) >> relocation.mask_shift & 0xff, element_);
            return;
        }
        // Before PTX 3.1 an address in an initializer was a generic address.
        if (decoder_.module.version < 31 && !relocation.is_function) relocation.generic = true;
        bool const can_hold = variable_.type == Type::u32 || variable_.type == Type::u64 ||
                              (variable_.type == Type::u8 && relocation.masked);
        if (!can_hold) {
            fail(nodes[0], "a " + type_text(variable_.type) +
                               " cannot hold an address; .u64 and .u32 can, and .u8 a byte of one");
            return;
        }
        store(offset, 0, element_);
        variable_.relocations.push_back(relocation);
    }

    Decoder& decoder_;
    ir::Variable& variable_;
    unsigned vector_;
    unsigned element_;
    std::vector<std::uint64_t> strides_;  // bytes from one element to the next, outermost dimension first
    std::vector<std::uint64_t> counts_;
    std::uint64_t end_ = 0;
    bool failed_ = false;
};

std::vector<std::string_view> settings_of(Type type) {
    if (type == Type::samplerref)
        return {"filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2", "force_unnormalized_coords"};
    std::vector<std::string_view> known = {
        "width",      "height", "depth", "channel_data_type", "channel_order", "array_size", "num_mipmap_levels",
        "num_samples"};
    if (type == Type::surfref) known.push_back("memory_layout");
    else
        known.insert(known.end(),
                     {"normalized_coords", "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2"});
    return known;
}

/// None for a number, or after an error.
std::optional<ir::SamplerSetting::Mode> mode_of(Decoder& decoder, Node const& value) {
    // In the order of the enumerators.
    static constexpr std::string_view modes[] = {"nearest",   "linear",        "wrap",           "mirror",
                                                 "clamp_ogl", "clamp_to_edge", "clamp_to_border"};
    if (value.kind != NodeKind::name) return {};
    auto const found = std::find(std::begin(modes), std::end(modes), value.text);
    if (found != std::end(modes)) return static_cast<ir::SamplerSetting::Mode>(found - std::begin(modes));
    decoder.diagnostics.error(value.text, "unknown mode " + quoted(value.text) +
                                              did_you_mean(value.text, {std::begin(modes), std::end(modes)}));
    return {};
}

/// Keeps what matters to sampling. Sizes and formats are those of what is bound.
void keep_setting(Decoder& decoder, std::string_view name, Node const& value, std::uint32_t element,
                  ir::Variable& variable) {
    // In the order of the enumerators.
    static constexpr std::string_view kept[] = {
        "filter_mode",      "addr_mode_0", "addr_mode_1", "addr_mode_2", "force_unnormalized_coords",
        "normalized_coords"};
    auto const mode = mode_of(decoder, value);
    auto const found = std::find(std::begin(kept), std::end(kept), name);
    if (found == std::end(kept)) return;
    auto const which = static_cast<ir::SamplerSetting::Name>(found - std::begin(kept));
    bool const is_on =
        value.kind == NodeKind::literal && value.text.find_first_of("123456789") != std::string_view::npos;
    variable.settings.push_back({element, which, mode ? static_cast<std::uint32_t>(*mode) : is_on ? 1u : 0u});
}

/// `{ filter_mode = nearest, ... }` for a texture, sampler or surface; for an array, a list of such lists. Returns the
/// number of the element that follows.
std::uint32_t take_settings(Decoder& decoder, std::span<Node const> nodes, std::size_t dimensions,
                            std::uint32_t element, ir::Variable& variable) {
    if (nodes[0].kind != NodeKind::vector) {
        decoder.diagnostics.error(nodes[0].text, "the settings of a texture, sampler or surface stand in braces");
        return element;
    }
    if (dimensions > 0) {
        for (auto rest = children(nodes); !rest.empty(); rest = after(rest))
            element = take_settings(decoder, rest, dimensions - 1, element, variable);
        return element;
    }
    std::vector<std::string_view> const known = settings_of(variable.type);
    for (auto rest = children(nodes); !rest.empty(); rest = after(rest)) {
        std::string_view const name = rest[0].text.substr(0, rest[0].text.find_first_of(" \t="));
        bool const is_known = std::find(known.begin(), known.end(), name) != known.end();
        if (rest[0].kind == NodeKind::assignment && is_known) {
            keep_setting(decoder, name, children(rest)[0], element, variable);
            continue;
        }
        decoder.diagnostics.error(rest[0].text, "unknown setting " + quoted(name) + did_you_mean(name, known));
    }
    return element + 1;
}

}  // namespace

void initialize(Decoder& decoder, syntax::Declarator const& declarator,
                std::vector<std::uint64_t> const& dimensions, unsigned vector, ir::Variable& variable) {
    if (isa::width(variable.type) < 8) {
        auto const nodes = decoder.tree.node_range(declarator.initializer);
        take_settings(decoder, nodes, dimensions.size(), 0, variable);
        if (dimensions.empty() || dimensions[0] != 0) return;
        std::uint64_t count = 0;
        for (auto rest = children(nodes); !rest.empty(); rest = after(rest)) ++count;
        variable.size = 8 * count;
        return;
    }
    Initializer initializer(decoder, dimensions, vector, variable);
    initializer.fill(decoder.tree.node_range(declarator.initializer));
    if (dimensions.empty() || dimensions[0] != 0) return;
    variable.size = initializer.end();
    if (variable.size == 0)
        decoder.diagnostics.error(declarator.text, "the size of " + quoted(declarator.name) + " is not given");
}

}  // namespace warpsim::frontend
