// The names that a thread knows: registers, special registers, parameters, variables of its functions and of its module.
#pragma once

#include "runtime/debug/dwarf/variables.hpp"
#include "runtime/debug/expression.hpp"
#include "runtime/debug/machine.hpp"
#include "sim/exec/plan.hpp"

#include <string>
#include <vector>

namespace warpsim::debug {

class ThreadScope final : public Scope {
public:
    /// `frame` and `instruction`: of the activation that registers and variables are of.
    ThreadScope(Machine& machine, Thread const& thread, sim::Frame const* frame, std::uint32_t instruction,
                sim::SymbolAddresses const& symbols, std::vector<Value> const& history)
        : machine_(machine),
          thread_(thread),
          frame_(frame),
          instruction_(instruction),
          symbols_(symbols),
          history_(history) {}

    Value named(std::string const& name) override;
    TypePointer type(std::string const& name) override;
    Value load(TypePointer type, MemoryPlace const& from) override;
    void store(Place const& to, std::vector<std::byte> const& bytes) override;

    /// Variables of the source that are in scope, the innermost first.
    std::vector<SourceVariable const*> in_scope() const;
    /// Throws Error(usage) if it has no place here.
    Value load_source(SourceVariable const& variable);

private:
    std::optional<Value> own_member(std::string const& name);
    std::optional<Value> enumerator(std::string const& name) const;
    std::optional<Value> dynamic_shared(SourceVariable const& variable);
    std::optional<Value> source_variable(std::string const& name);
    std::optional<MemoryPlace> memory_of(std::uint64_t symbol) const;
    std::optional<Value> special(std::string const& name) const;
    std::optional<Value> register_named(std::string const& name);
    std::optional<Value> variable(std::string const& name);
    Value load_variable(ir::Variable const& variable, MemoryPlace const& from);

    Machine& machine_;
    Thread const thread_;
    sim::Frame const* const frame_;  // null: the thread has ended
    std::uint32_t const instruction_;
    sim::SymbolAddresses const& symbols_;
    std::vector<Value> const& history_;
};

}  // namespace warpsim::debug
