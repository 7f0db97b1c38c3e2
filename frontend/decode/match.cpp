#include "frontend/decode/match.hpp"
#include "frontend/isa/effect.hpp"
#include "frontend/isa/video.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace warpsim::frontend {

namespace {

using isa::Type;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t skip_space(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        if (is_space(text[at])) {
            ++at;
        } else if (text.substr(at).starts_with("/*")) {
            at = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
        } else if (text.substr(at).starts_with("//")) {
            at = std::min(text.find('\n', at), text.size());
        } else {
            break;
        }
    }
    return at;
}

// ---- modifiers as a set --------------------------------------------------------------------------------------

/// Which slot each written modifier fills; empty when a modifier fits no slot or a required slot stays unfilled.
class ModifierMatch {
public:
    ModifierMatch(SyntaxLine const& line, WrittenMnemonic const& written)
        : line_(line), filled_(line.modifiers.size()) {
        std::size_t const in_name = match_name(written);
        for (std::string_view const modifier : written.modifiers) {
            bool const is_in_name = in_name > 0 && modifier.data() <= written.parts[in_name - 1].data() &&
                                    modifier.data() >= written.parts[0].data();  // else it is implied
            if (!is_in_name && !place(modifier)) {
                unplaced_ = modifier;
                return;
            }
        }
    }

    bool all_placed() const { return unplaced_.empty(); }
    /// Whether the name matches the beginning of the line: `mul.hi`, `cp.async.bulk`.
    bool is_named_so() const { return is_named_so_; }
    bool complete() const { return is_named_so_ && in_order() && complete_in_some_order(); }
    bool complete_in_some_order() const {
        if (!all_placed()) return false;
        std::vector<bool> group_used(line_.outer_group.size());
        for (std::size_t i = 0; i < filled_.size(); ++i) {
            if (filled_[i].empty()) continue;
            for (std::uint8_t g = line_.modifiers[i].group; g != 0; g = line_.outer_group[g]) group_used[g] = true;
        }
        group_used[0] = true;
        for (std::size_t i = 0; i < filled_.size(); ++i) {
            ModifierSlot const& slot = line_.modifiers[i];
            if (!slot.is_type && filled_[i].empty() && group_used[slot.group]) return false;
        }
        return true;
    }

    /// The position of the written member of a class; 0 when none is written.
    unsigned selected(std::string_view modifier_class) const {
        for (std::size_t i = 0; i < filled_.size(); ++i) {
            ModifierSlot const& slot = line_.modifiers[i];
            if (slot.spelling != modifier_class || filled_[i].empty()) continue;
            auto const member = std::find(slot.members.begin(), slot.members.end(), filled_[i]);
            return static_cast<unsigned>(member - slot.members.begin());
        }
        return 0;
    }

    /// The required slots that are not filled.
    std::vector<ModifierSlot const*> missing() const {
        std::vector<ModifierSlot const*> result;
        for (std::size_t i = 0; i < filled_.size(); ++i) {
            ModifierSlot const& slot = line_.modifiers[i];
            if (!slot.is_type && slot.group == 0 && filled_[i].empty()) result.push_back(&slot);
        }
        return result;
    }

private:
    /// A number for each kind of modifier whose order matters; 0 if the order does not matter.
    int ordered_kind(std::string_view modifier) const {
        if (modifier == ".row" || modifier == ".col") return 1;
        if (modifier == ".global" || modifier.starts_with(".shared")) return 2;
        if (modifier == ".b8x16" || modifier == ".b6x16_p32" || modifier == ".b4x16_p64") return 3;
        bool const is_operation = modifier == ".popc" || modifier == ".and" || modifier == ".xor";
        return is_operation && line_.opcode.ends_with("mma") ? 4 : 0;
    }
    /// Modifiers that may be written twice; ptxas refuses to accept any other modifier again.
    static bool can_be_repeated(std::string_view modifier) {
        for (std::string_view const repeated :
             {".sat", ".sync", ".uni", ".relu", ".satfinite", ".cc", ".approx", ".NaN", ".shiftamt"}) {
            if (modifier == repeated) return true;
        }
        return false;
    }

    /// Fills the slots of the name, which are in fixed order; returns how many parts of the mnemonic they take.
    std::size_t match_name(WrittenMnemonic const& written) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < filled_.size() && line_.modifiers[i].is_in_name; ++i) {
            ModifierSlot const& slot = line_.modifiers[i];
            if (at < written.parts.size() && slot.takes(written.parts[at])) filled_[i] = written.parts[at++];
            else if (slot.group == 0) is_named_so_ = false;
        }
        if (!is_named_so_) filled_.assign(filled_.size(), {});
        return is_named_so_ ? at : 0;
    }

    /// The destination's space must come before the source's, the layout of a before that of b, and an operation
    /// before its .popc.
    bool in_order() const {
        char const* last[5] = {};
        for (std::string_view const modifier : filled_) {
            int const kind = modifier.empty() ? 0 : ordered_kind(modifier);
            if (kind == 0) continue;
            if (last[kind] != nullptr && modifier.data() < last[kind]) return false;
            last[kind] = modifier.data();
        }
        return true;
    }

    bool place(std::string_view modifier) {
        std::size_t chosen = filled_.size();
        for (std::size_t i = 0; i < filled_.size(); ++i) {
            ModifierSlot const& slot = line_.modifiers[i];
            if (slot.is_type || !slot.takes(modifier)) continue;
            if (slot.is_in_name && is_named_so_) continue;
            if (!filled_[i].empty()) {
                if (slot.members.empty() && can_be_repeated(modifier)) return true;
                continue;
            }
            if (chosen == filled_.size() || (slot.group == 0 && line_.modifiers[chosen].group != 0)) chosen = i;
        }
        if (chosen == filled_.size()) return false;
        filled_[chosen] = modifier;
        return true;
    }

    SyntaxLine const& line_;
    std::vector<std::string_view> filled_;
    std::string_view unplaced_;
    bool is_named_so_ = true;
};

// ---- types as a list -----------------------------------------------------------------------------------------

std::vector<Type> types_of(isa::Variant const& variant) {
    std::vector<Type> types;
    for (Type const type : variant.types) {
        if (type != Type::none) types.push_back(type);
    }
    return types;
}

bool types_match(SyntaxLine const& line, isa::Variant const& variant, std::span<Type const> written) {
    std::vector<Type> const legal = types_of(variant);
    std::size_t slots = 0;
    std::size_t optional_slots = 0;
    for (ModifierSlot const& slot : line.modifiers) {
        if (!slot.is_type) continue;
        ++slots;
        if (slot.group != 0) ++optional_slots;
    }
    if (slots == legal.size() || slots == 0 || optional_slots > 0) {
        return std::equal(legal.begin(), legal.end(), written.begin(), written.end());
    }
    if (written.size() != slots) return false;
    // The variants list only the types that the line leaves open.
    std::size_t at = 0;
    std::size_t open = 0;
    for (ModifierSlot const& slot : line.modifiers) {
        if (!slot.is_type) continue;
        Type const type = written[at++];
        if (!slot.is_open_type) {
            if (isa::type_named(slot.spelling.substr(1)) != type) return false;
        } else if (open < legal.size() && legal[open++] != type) {
            return false;
        }
    }
    return true;
}

std::vector<Type> written_types(WrittenMnemonic const& written) {
    std::vector<Type> types;
    for (std::string_view const type : written.types) types.push_back(isa::type_named(type.substr(1)));
    return types;
}

std::optional<std::uint32_t> match_variant(std::uint32_t row_index, WrittenMnemonic const& written,
                                           std::span<Type const> types) {
    SyntaxLine const& line = syntax_line(row_index);
    isa::Row const& row = row_at(row_index);
    ModifierMatch const match(line, written);
    if (!match.complete()) return {};
    unsigned const selector = row.selector.empty() ? 0 : match.selected(row.selector);
    for (std::uint32_t v = 0; v < row.variants.size(); ++v) {
        isa::Variant const& variant = row.variants[v];
        if (!row.selector.empty() && variant.selector != selector) continue;
        if (types_match(line, variant, types)) return v;
    }
    return {};
}

// ---- contents of a form ----------------------------------------------------------------------------------------

template <class T> struct Word {
    std::string_view modifier;
    T value;
};

constexpr Word<isa::StateSpace> spaces[] = {
    {".global", isa::StateSpace::global},
    {".shared", isa::StateSpace::shared},
    {".shared::cta", isa::StateSpace::shared},
    {".shared::cluster", isa::StateSpace::shared_cluster},
    {".local", isa::StateSpace::local},
    {".const", isa::StateSpace::constant},
    {".param", isa::StateSpace::param},
    {".param::entry", isa::StateSpace::param_entry},
    {".param::func", isa::StateSpace::param_func},
    {".tex", isa::StateSpace::texture},
};
constexpr Word<isa::Rounding> roundings[] = {
    {".rn", isa::Rounding::rn},   {".rz", isa::Rounding::rz},   {".rm", isa::Rounding::rm},
    {".rp", isa::Rounding::rp},   {".rna", isa::Rounding::rna}, {".rs", isa::Rounding::rs},
    {".rni", isa::Rounding::rni}, {".rzi", isa::Rounding::rzi}, {".rmi", isa::Rounding::rmi},
    {".rpi", isa::Rounding::rpi},
};
constexpr Word<isa::Order> orders[] = {
    {".weak", isa::Order::weak},          {".relaxed", isa::Order::relaxed}, {".acquire", isa::Order::acquire},
    {".release", isa::Order::release},    {".acq_rel", isa::Order::acq_rel}, {".sc", isa::Order::sc},
    {".volatile", isa::Order::volatile_}, {".mmio", isa::Order::mmio},
};
constexpr Word<isa::Scope> scopes[] = {
    {".cta", isa::Scope::cta}, {".cluster", isa::Scope::cluster}, {".gpu", isa::Scope::gpu},
    {".gl", isa::Scope::gpu},  {".sys", isa::Scope::sys},
};
constexpr Word<std::uint8_t> vectors[] = {{".v2", 2}, {".v4", 4}, {".v8", 8}};

template <class T, std::size_t n> void look_up(Word<T> const (&words)[n], std::string_view modifier, T& value) {
    for (auto const& word : words) {
        if (word.modifier == modifier) value = word.value;
    }
}

/// Fills in the order and scope that the manual specifies when none is written.
void fill_defaults(isa::Effect effect, ir::Form& form) {
    if (effect == isa::Effect::atomic || effect == isa::Effect::reduction || effect == isa::Effect::reduce_async) {
        if (form.order == isa::Order::weak) form.order = isa::Order::relaxed;
        if (form.scope == isa::Scope::none) form.scope = isa::Scope::gpu;
    } else if (effect == isa::Effect::fence) {
        if (form.order == isa::Order::weak)
            form.order = form.operation == isa::Operation::membar ? isa::Order::sc : isa::Order::acq_rel;
    } else if (form.order == isa::Order::volatile_ || form.order == isa::Order::mmio) {
        if (form.scope == isa::Scope::none) form.scope = isa::Scope::sys;
    }
}

/// With map_f64_to_f32 an f64 instruction becomes an f32 one that uses half of the storage. This does not work for
/// vectors in memory, whose elements would be in the wrong places.
bool map_f64(WrittenMnemonic& written, std::vector<Type>& types) {
    bool const is_vector = std::any_of(written.modifiers.begin(), written.modifiers.end(),
                                       [](std::string_view m) { return m == ".v2" || m == ".v4" || m == ".v8"; });
    if (is_vector || std::find(types.begin(), types.end(), Type::f64) == types.end()) return false;
    std::replace(types.begin(), types.end(), Type::f64, Type::f32);
    if (written.opcode == "cvt" && types == std::vector{Type::f32, Type::f32}) {
        // There is nothing left to round.
        std::erase_if(written.modifiers,
                      [](std::string_view m) { return m == ".rn" || m == ".rz" || m == ".rm" || m == ".rp"; });
    }
    return true;
}

ir::Form make_form(std::string_view text, std::uint32_t row, std::uint32_t variant, WrittenMnemonic const& written,
                   std::span<Type const> types) {
    ir::Form form;
    form.row = row;
    form.variant = variant;
    form.text = text;
    form.operation = isa::operation_of(row);
    for (std::string_view const modifier : written.modifiers) {
        form.modifiers.push_back(isa::modifier_named(modifier));
    }
    std::copy_n(types.begin(), std::min(types.size(), form.types.size()), form.types.begin());
    for (std::string_view const modifier : written.modifiers) {
        look_up(spaces, modifier, form.space);
        look_up(roundings, modifier, form.rounding);
        look_up(orders, modifier, form.order);
        look_up(scopes, modifier, form.scope);
        look_up(vectors, modifier, form.vector);
        form.ftz = form.ftz || modifier == ".ftz";
        form.sat = form.sat || modifier == ".sat";
        form.uniform = form.uniform || modifier == ".uni";
    }
    fill_defaults(row_at(row).effect, form);
    return form;
}

}  // namespace

WrittenMnemonic split_mnemonic(std::string_view text) {
    WrittenMnemonic written;
    std::size_t at = 0;
    while (at < text.size() && text[at] != '.' && !is_space(text[at]) && text[at] != '/') ++at;
    written.opcode = text.substr(0, at);
    while ((at = skip_space(text, at)) < text.size()) {
        std::size_t const first = at++;
        while (at < text.size() && text[at] != '.' && !is_space(text[at]) && text[at] != '/') ++at;
        std::string_view modifier = text.substr(first, at - first);
        modifier = modifier.substr(0, modifier.find('['));  // without the bank of `.const[3]`
        written.parts.push_back(modifier);
        if (modifier.size() > 1 && isa::type_named(modifier.substr(1)) != Type::none) {
            written.types.push_back(modifier);
        } else {
            written.modifiers.push_back(modifier);
        }
    }
    return written;
}

/// The first feature of a form that the module's version or target lacks.
static std::optional<Unmet> first_unmet(isa::Row const& row, WrittenMnemonic const& written,
                                        ir::Module const& module) {
    auto const lacks = [&](isa::Since const& since) {
        return since.version > module.version ||
               (module.target_sm != 0 &&
                (since.target > module.target_sm || !since.allows(module.target_sm, module.target_suffix)));
    };
    if (lacks(row.since)) return Unmet{{}, row.since};
    for (isa::Requirement const& requirement : isa::requirements()) {
        if (!row.syntax.starts_with(requirement.name)) continue;
        if (requirement.below != 0 && module.target_sm >= requirement.below) continue;
        for (std::string_view const part : written.parts) {
            if (part == requirement.modifier && lacks(requirement.since)) return Unmet{part, requirement.since};
        }
    }
    return {};
}

std::uint32_t Mnemonics::add(std::string_view mnemonic) {
    std::vector<Shape> shapes;
    WrittenMnemonic written = split_mnemonic(mnemonic);
    // Before PTX 6.3 the modifier was implied.
    bool const is_unsaid = written.opcode == "wmma" && module_->version < 63;
    if (is_unsaid &&
        std::find(written.modifiers.begin(), written.modifiers.end(), ".aligned") == written.modifiers.end())
        written.modifiers.push_back(".aligned");
    std::vector<Type> types = written_types(written);
    bool const is_mapped = module_->maps_f64 && map_f64(written, types);
    for (std::uint32_t const row_index : rows_of(written.opcode)) {
        auto const variant = match_variant(row_index, written, types);
        if (!variant) continue;
        isa::Row const& row = row_at(row_index);
        Shape shape;
        shape.form = static_cast<std::uint32_t>(module_->forms.size());
        shape.row = &row;
        shape.line = &syntax_line(row_index);
        module_->forms.push_back(make_form(mnemonic, row_index, *variant, written, types));
        ir::Form& form = module_->forms.back();
        // These targets have no subnormal f32 numbers.
        if (module_->target_sm != 0 && module_->target_sm < 20) form.ftz = true;
        set_operands(row.variants.empty() ? nullptr : &row.variants[*variant], form, shape);
        shape.is_relaxed = written.opcode == "ld" || written.opcode == "st" || written.opcode == "ldu" ||
                           written.opcode == "sured" ||
                           (written.opcode == "cvt" && std::none_of(types.begin(), types.end(), lives_in_bits));
        // An instruction mapped to f32 need not exist yet in that version.
        if (!is_mapped) shape.unmet = first_unmet(row, written, *module_);
        shapes.push_back(std::move(shape));
    }
    entries_.push_back(std::move(shapes));
    return static_cast<std::uint32_t>(entries_.size() - 1);
}

MnemonicProbe probe(std::uint32_t row, WrittenMnemonic const& written) {
    SyntaxLine const& line = syntax_line(row);
    ModifierMatch const match(line, written);
    MnemonicProbe result;
    result.all_placed = match.all_placed();
    result.is_complete = match.complete();
    result.is_disordered = match.complete_in_some_order() && !result.is_complete;
    if (result.all_placed) result.missing = match.missing();
    std::vector<Type> const types = written_types(written);
    auto const& variants = row_at(row).variants;
    result.types_fit = std::any_of(variants.begin(), variants.end(),
                                   [&](isa::Variant const& variant) { return types_match(line, variant, types); });
    return result;
}

std::vector<std::vector<Type>> legal_types(std::uint32_t row) {
    SyntaxLine const& line = syntax_line(row);
    std::vector<std::vector<Type>> result;
    for (isa::Variant const& variant : row_at(row).variants) {
        std::vector<Type> const open = types_of(variant);
        std::vector<Type> types;
        std::size_t at = 0;
        auto const slots = static_cast<std::size_t>(std::count_if(line.modifiers.begin(), line.modifiers.end(),
                                                                  [](auto const& slot) { return slot.is_type; }));
        if (slots == open.size()) {
            types = open;
        } else {
            for (ModifierSlot const& slot : line.modifiers) {
                if (!slot.is_type) continue;
                if (!slot.is_open_type) types.push_back(isa::type_named(slot.spelling.substr(1)));
                else if (at < open.size()) types.push_back(open[at++]);
            }
        }
        result.push_back(std::move(types));
    }
    return result;
}

}  // namespace warpsim::frontend
