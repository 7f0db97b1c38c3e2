#include "sim/timing/plan/compiler_model.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

// As far ahead as there is anything else to do.
constexpr std::uint16_t global_latency = 256;
constexpr std::uint32_t shared_latency = 37;
// Of a constant that an instruction loads for itself, as far as that does not go ahead.
constexpr std::uint32_t loaded_operand_latency = 12;
constexpr std::uint32_t guard_latency = 13;

bool writes(MachineFunction const& m, std::uint32_t i, std::uint32_t reg) {
    auto const written = m.machine_writes[i];
    return std::find(written.begin(), written.end(), reg) != written.end();
}

}  // namespace

CompilerModel::CompilerModel(sim::Config const& config) : capability_(config.compute_capability.number()) {
    latency_.fill(4);
    auto const set = [&](MicroUnit unit, std::uint32_t cycles) {
        latency_[static_cast<std::size_t>(unit)] = static_cast<std::uint16_t>(cycles);
    };
    set(MicroUnit::fp16, capability_ < 80 ? 6 : 4);
    set(MicroUnit::fp64, capability_ < 80 || capability_ >= 90 ? 8 : 6);
    set(MicroUnit::sfu, 18);
    set(MicroUnit::shuffle, 25);
    set(MicroUnit::special, 24);
    set(MicroUnit::constant, 30);
    set(MicroUnit::uniform, 6);
    set(MicroUnit::lsu, global_latency);
    set(MicroUnit::tensor, 18);
    // Later generations' have none.
    if (config.sm.units && config.sm.units->tensor)
        set(MicroUnit::tensor, config.sm.units->tensor->latency_cycles);
    if (config.sm.units) set(MicroUnit::vote, config.sm.units->vote.latency_cycles);
    set(MicroUnit::texture, config.sm.texture.hit_latency_cycles);
}

std::uint32_t CompilerModel::latency(MachineFunction const& m, std::uint32_t i) const {
    std::uint32_t next = 0, ready = 0;
    for (MicroOp const& op : m.own_micros_of(i)) {
        bool const is_loaded = op.unit == MicroUnit::special && op.latency != 0;
        std::uint32_t cycles = op.latency != 0 ? op.latency : latency_[static_cast<std::size_t>(op.unit)];
        if (is_loaded) cycles = loaded_operand_latency;
        if (op.unit == MicroUnit::lsu && m.form(i).space == isa::StateSpace::shared) cycles = shared_latency;
        std::uint32_t const at = op.chained ? std::max(next, ready) : next;
        ready = at + cycles;
        next = at + 1;
    }
    return ready;
}

std::uint32_t CompilerModel::way(MachineFunction const& m, std::uint32_t from, std::uint32_t to) const {
    if (m.instructions[from].micros == 0 || m.instructions[to].micros == 0) return 0;
    MicroUnit const made = m.own_micros_of(from).back().unit, used = m.own_micros_of(to).front().unit;
    if (made != MicroUnit::alu && made != MicroUnit::fma) return 0;
    std::uint32_t const guard = m.ir(to).guard;
    if (guard != ir::none && writes(m, from, guard)) return guard_latency - latency_[0];
    switch (used) {
        case MicroUnit::fp64: return 2;
        case MicroUnit::lsu:
        case MicroUnit::fp16: return 1;
        case MicroUnit::alu:
        case MicroUnit::fma: return made == used ? 0 : 1;
        default: return 0;
    }
}

std::uint32_t CompilerModel::way_to_branch(MachineFunction const& m, std::uint32_t from) const {
    MicroUnit const made =
        m.instructions[from].micros != 0 ? m.own_micros_of(from).back().unit : MicroUnit::branch;
    return made == MicroUnit::alu || made == MicroUnit::fma ? guard_latency - latency_[0] : 0;
}

CompilerModel::Pipe CompilerModel::pipe(MicroOp const& op) {
    switch (op.unit) {
        case MicroUnit::alu: return Pipe::alu;
        case MicroUnit::fma: return Pipe::fma;
        case MicroUnit::fp16: return Pipe::fp16;
        case MicroUnit::fp64: return Pipe::fp64;
        case MicroUnit::sfu: return Pipe::sfu;
        case MicroUnit::tensor: return Pipe::tensor;
        case MicroUnit::lsu:
        case MicroUnit::shuffle: return Pipe::memory;
        // Loads of constants are part of their readers here, but go ahead of these in the compiler's code.
        case MicroUnit::special: return op.latency != 0 ? Pipe::other : Pipe::special;
        case MicroUnit::constant: return Pipe::constant;
        case MicroUnit::uniform: return Pipe::uniform;
        default: return Pipe::other;
    }
}

std::uint32_t CompilerModel::interval(MachineFunction const& m, std::uint32_t i, MicroOp const& op) const {
    switch (pipe(op)) {
        case Pipe::fma: {
            auto const written = m.machine_writes[i];
            isa::Type const type = m.form(i).types[0];
            bool const is_wide = written.size() == 1 && m.units(written[0]) == 2 && m.own_micros_of(i).size() == 1;
            if (is_wide && !isa::is_float(type)) return 4;
            return isa::is_float(type) && capability_ >= 86 ? 1 : 2;
        }
        case Pipe::alu:
        case Pipe::fp16:
        case Pipe::uniform: return 2;
        case Pipe::fp64: return capability_ >= 90 ? 2 : 4;
        case Pipe::memory: return 4;
        case Pipe::special: return capability_ >= 90 ? 1 : 4;
        case Pipe::sfu:
        case Pipe::constant: return 8;
        case Pipe::tensor: return std::max<std::uint32_t>(op.interval, 1);
        case Pipe::other: break;
    }
    return 1;
}

}  // namespace warpsim::timing
