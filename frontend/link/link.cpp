#include "frontend/link/link.hpp"

#include "frontend/link/symbols.hpp"

#include <algorithm>
#include <iterator>

namespace warpsim::frontend {

namespace {

constexpr std::uint64_t constant_bank_bytes = 64 * 1024;

/// Appends the modules to one another and redirects every reference to the definition that its name stands for.
class Merger {
public:
    explicit Merger(std::vector<ir::Module> modules) : modules_(std::move(modules)), names_(modules_, report_) {}

    Linked run() {
        check_addresses();
        names_.resolve();
        Linked result;
        if (report_.error_count() == 0) {
            place_names();
            for (std::uint32_t m = 0; m < modules_.size(); ++m) append(m);
            lay_out_constants();
        }
        result.module = std::move(module_);
        result.report = report_.text();
        result.error_count = report_.error_count();
        return result;
    }

private:
    /// For each function or variable of a module, its index in the merged module.
    using Map = std::vector<std::uint32_t>;

    void check_addresses() {
        for (ir::Module const& m : modules_) {
            ir::Module const& first = modules_.front();
            if (m.address_bits == first.address_bits) continue;
            report_.add(Severity::error, *m.sources.front(), {},
                        "addresses of " + std::to_string(m.address_bits) + " bits here, of " +
                            std::to_string(first.address_bits) + " in " + first.sources.front()->name());
        }
    }

    static bool is_dynamic_shared(ir::Variable const& v) {
        return v.space == isa::StateSpace::shared && v.is_external && v.size == 0;
    }

    /// Assigns indices to everything that is kept. A name that is defined elsewhere gets the index of its
    /// definition.
    void place_names() {
        functions_.resize(modules_.size());
        variables_.resize(modules_.size());
        hidden_functions_.resize(modules_.size());
        hidden_variables_.resize(modules_.size());
        for (std::size_t m = 0; m < modules_.size(); ++m) {
            hidden_functions_[m].resize(modules_[m].functions.size());
            hidden_variables_[m].resize(modules_[m].variables.size());
        }
        for_each_hidden([&](Declaration const& d, Declaration const&) {
            (d.is_function ? hidden_functions_ : hidden_variables_)[d.module][d.index] = true;
        });
        auto const number = [](std::vector<bool> const& hidden, Map& map, std::uint32_t& next) {
            for (bool const is_hidden : hidden) map.push_back(is_hidden ? ir::none : next++);
        };
        std::uint32_t next_function = 0;
        std::uint32_t next_variable = 0;
        for (std::size_t m = 0; m < modules_.size(); ++m) {
            number(hidden_functions_[m], functions_[m], next_function);
            number(hidden_variables_[m], variables_[m], next_variable);
        }
        for_each_hidden([&](Declaration const& d, Declaration const& chosen) {
            std::uint32_t index = chosen.index;
            if (d.is_function && names_.function(chosen).alias_of != ir::none)
                index = names_.function(chosen).alias_of;
            auto& maps = d.is_function ? functions_ : variables_;
            maps[d.module][d.index] = maps[chosen.module][index];
        });
        note_strictest_alignments();
        name_builtins();
    }

    template <class Do> void for_each_hidden(Do const& act) const {
        for (SharedName const& name : names_.all()) {
            Declaration const& chosen = name.declarations[name.chosen];
            for (Declaration const& d : name.declarations) {
                if (&d == &chosen) continue;
                if (!name.is_defined && !d.is_function && is_dynamic_shared(names_.variable(d))) continue;
                act(d, chosen);
            }
        }
    }

    void note_strictest_alignments() {
        for_each_hidden([&](Declaration const& d, Declaration const& chosen) {
            if (d.is_function) return;
            ir::Variable& kept = modules_[chosen.module].variables[chosen.index];
            kept.align = std::max(kept.align, names_.variable(d).align);
            kept.is_managed = kept.is_managed || names_.variable(d).is_managed;
        });
    }

    void name_builtins() {
        for (SharedName const& name : names_.all()) {
            Declaration const& first = name.declarations.front();
            ir::BuiltinFunction const* const builtin = ir::builtin_function(name.name);
            if (name.is_defined || !first.is_function || builtin == nullptr) continue;
            modules_[first.module].functions[first.index].builtin = builtin->id;
        }
        // A sized .shared array without a definition is defined by its declaration.
        for (ir::Module& m : modules_) {
            for (ir::Variable& v : m.variables) {
                if (v.space == isa::StateSpace::shared && v.size != 0) v.is_external = false;
            }
        }
    }

    /// Where the pools of the module being appended begin.
    struct Bases {
        std::uint32_t sources, forms, prototypes, files, locations;
    };

    template <class T> static void append_pool(std::vector<T>& to, std::vector<T>& from) {
        if (to.empty()) to = std::move(from);
        else to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    }

    void append(std::uint32_t m) {
        ir::Module& from = modules_[m];
        Bases const bases{static_cast<std::uint32_t>(module_.sources.size()),
                          static_cast<std::uint32_t>(module_.forms.size()),
                          static_cast<std::uint32_t>(module_.prototypes.size()),
                          static_cast<std::uint32_t>(module_.files.size()),
                          static_cast<std::uint32_t>(module_.locations.size())};
        for (ir::Form& form : from.forms) form.source += bases.sources;
        for (ir::SourceLocation& location : from.locations) {
            location.file += bases.files;
            if (location.inlined_at != ir::none) location.inlined_at += bases.locations;
        }
        for (ir::Prototype& prototype : from.prototypes) {
            for (std::uint32_t& target : prototype.targets) target = functions_[m][target];
        }
        append_pool(module_.sources, from.sources);
        append_pool(module_.forms, from.forms);
        append_pool(module_.prototypes, from.prototypes);
        append_pool(module_.files, from.files);
        append_pool(module_.locations, from.locations);
        for (std::size_t i = 0; i < from.variables.size(); ++i) {
            if (!hidden_variables_[m][i]) append(from.variables[i], m, bases);
        }
        for (std::size_t i = 0; i < from.functions.size(); ++i) {
            if (!hidden_functions_[m][i]) append(from.functions[i], m, bases);
        }
        if (m == 0 || from.target_sm > module_.target_sm) {
            module_.target = from.target;
            module_.target_sm = from.target_sm;
            module_.target_suffix = from.target_suffix;
        }
        module_.version = m == 0 ? from.version : std::max(module_.version, from.version);
        module_.address_bits = from.address_bits;
    }

    void append(ir::Variable& variable, std::uint32_t m, Bases const& bases) {
        variable.source += bases.sources;
        for (ir::Relocation& r : variable.relocations)
            r.index = (r.is_function ? functions_ : variables_)[m][r.index];
        module_.variables.push_back(std::move(variable));
    }

    void append(ir::Function& function, std::uint32_t m, Bases const& bases) {
        function.source += bases.sources;
        if (function.alias_of != ir::none) function.alias_of = functions_[m][function.alias_of];
        if (modules_.size() > 1) {  // a single module needs no renumbering
            for (ir::Variable& v : function.variables) v.source += bases.sources;
            for (ir::Instruction& i : function.instructions) {
                i.form += bases.forms;
                if (i.location != ir::none) i.location += bases.locations;
            }
            for (ir::Operand& operand : function.operands) redirect(operand, m, bases);
        }
        module_.functions.push_back(std::move(function));
    }

    void redirect(ir::Operand& operand, std::uint32_t m, Bases const& bases) const {
        using Kind = ir::Operand::Kind;
        switch (operand.kind) {
            case Kind::function: operand.index = functions_[m][operand.index]; break;
            case Kind::prototype: operand.index += bases.prototypes; break;
            case Kind::symbol:
                if (operand.is_module_variable) operand.index = variables_[m][operand.index];
                break;
            case Kind::address:
                if (operand.base == ir::Operand::AddressBase::module_variable)
                    operand.index = variables_[m][operand.index];
                break;
            default: break;
        }
    }

    void lay_out_constants() {
        std::uint64_t end = 0;
        for (ir::Variable& v : module_.variables) {
            if (v.space != isa::StateSpace::constant) continue;
            v.offset = (end + v.align - 1) / v.align * v.align;
            bool const fitted = end <= constant_bank_bytes;
            end = v.offset + v.size;
            if (!fitted || end <= constant_bank_bytes) continue;
            report_.add(Severity::error, *module_.sources[v.source], v.span,
                        "the .const variables of all modules together have " +
                            std::to_string(constant_bank_bytes) + " bytes; with this one they take " +
                            std::to_string(end));
        }
    }

    std::vector<ir::Module> modules_;
    LinkReport report_;
    SharedNames names_;
    std::vector<Map> functions_;
    std::vector<Map> variables_;
    std::vector<std::vector<bool>> hidden_functions_;  // true where another declaration replaces the function
    std::vector<std::vector<bool>> hidden_variables_;
    ir::Module module_;
};

}  // namespace

Linked link(std::vector<ir::Module> modules) { return Merger(std::move(modules)).run(); }

}  // namespace warpsim::frontend
