// Loading PTX onto a device: reading, checking, giving addresses to variables, and writing their initial values.
#include "frontend/decode/decode.hpp"
#include "runtime/device_state.hpp"
#include "runtime/log.hpp"
#include "sim/nearest.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>

namespace warpsim::runtime {

namespace {

ir::Module compile(std::string name, std::string text) {
    auto const source = std::make_shared<frontend::Source const>(std::move(name), std::move(text));
    frontend::Diagnostics diagnostics(*source);
    ir::Module module = frontend::compile(source, diagnostics);
    if (diagnostics.error_count() != 0) throw Error(ErrorKind::ptx, diagnostics.render());
    if (!diagnostics.list().empty()) log::plain(log::Level::warning, diagnostics.render());
    return module;
}

/// Gives every variable its address: each .global one an allocation, all .const ones together a bank.
void place_variables(Module::State& state) {
    std::uint64_t bank_bytes = 0;
    for (ir::Variable const& v : state.module.variables) {
        if (v.space == ir::StateSpace::constant) bank_bytes = std::max(bank_bytes, v.offset + v.size);
    }
    std::uint64_t bank = 0;
    if (bank_bytes != 0) {
        bank = state.memory->allocate(bank_bytes);
        state.allocations.push_back(bank);
    }
    for (ir::Variable const& v : state.module.variables) {
        std::uint64_t address = 0;
        if (v.space == ir::StateSpace::constant) {
            address = bank + v.offset;
        } else if (v.space == ir::StateSpace::global) {
            if (v.is_external) {
                auto const place = state.module.source->position(v.span.offset);
                throw Error(ErrorKind::ptx, state.module.source->name() + ":" + std::to_string(place.line) + ":" +
                                                std::to_string(place.column) + ": error: undefined variable '" + v.name +
                                                "': it is declared .extern and no module defines it\n");
            }
            address = state.memory->allocate(v.size);
            state.allocations.push_back(address);
        }
        state.symbols.variable.push_back(address);
    }
}

void initialise(Module::State& state) {
    for (std::size_t i = 0; i < state.module.variables.size(); ++i) {
        ir::Variable const& v = state.module.variables[i];
        if (v.space != ir::StateSpace::global && v.space != ir::StateSpace::constant) continue;
        auto* const bytes = reinterpret_cast<std::byte*>(state.symbols.variable[i]);
        std::copy(v.initializer.begin(), v.initializer.end(), bytes);
        for (ir::Relocation const& r : v.relocations) {
            std::uint64_t value = r.is_function ? sim::function_address(r.index) : state.symbols.variable[r.index];
            value += static_cast<std::uint64_t>(r.addend);
            if (r.masked) value = value >> r.mask_shift & 0xff;
            std::memcpy(bytes + r.offset, &value, r.size);
        }
    }
}

}  // namespace

std::shared_ptr<Module> Device::load_text(std::string const& name, std::string const& text) {
    auto state = std::make_unique<Module::State>();
    state->memory = state_->memory;
    state->module = compile(name, text);
    state->host = state_->host;
    state->share_registers = state_->options.register_sharing;
    int const target = state->module.target_sm, own = state_->config.compute_capability.number();
    if (target > own) {
        log::warning(name + " is for sm_" + std::to_string(target) + "; it runs on a device of compute capability " +
                     std::to_string(own / 10) + "." + std::to_string(own % 10) + " all the same");
    }
    place_variables(*state);
    initialise(*state);
    return std::make_shared<Module>(std::move(state));
}

std::shared_ptr<Module> Device::load_file(std::string const& path) {
    std::string text;
    try {
        text = frontend::Source::read(path);
    } catch (std::system_error const& error) {
        throw Error(ErrorKind::usage, "cannot read " + path + ": " + error.code().message());
    }
    return load_text(path, text);
}

std::shared_ptr<Module> Device::load_files(std::vector<std::string> const& paths) {
    if (paths.size() != 1) {
        throw Error(ErrorKind::ptx, "linking of several PTX files is not there yet: " + std::to_string(paths.size()) + " were given\n");
    }
    return load_file(paths.front());
}

Module::Module(std::unique_ptr<State> state) : state_(std::move(state)) {}

Module::~Module() {
    for (std::uint64_t const allocation : state_->allocations) state_->memory->free(allocation);
}

sim::KernelPlan const& Module::State::plan(std::uint32_t kernel) {
    std::unique_ptr<sim::KernelPlan>& plan = plans[kernel];
    if (!plan) plan = std::make_unique<sim::KernelPlan>(sim::make_plan(module, kernel, symbols, {host, share_registers}));
    return *plan;
}

std::uint32_t Module::State::kernel(std::string_view name) const {
    std::vector<std::string> known;
    for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
        ir::Function const& f = module.functions[i];
        if (!f.is_entry || !f.has_body) continue;
        if (f.name == name) return i;
        known.push_back(f.name);
    }
    throw Error(ErrorKind::usage,
                "no kernel '" + std::string(name) + "' in " + module.source->name() + sim::did_you_mean(name, known));
}

std::vector<std::string> Module::kernels() const {
    std::vector<std::string> names;
    for (ir::Function const& f : state_->module.functions) {
        if (f.is_entry && f.has_body) names.push_back(f.name);
    }
    return names;
}

bool Module::has_kernel(std::string_view name) const {
    auto const all = kernels();
    return std::find(all.begin(), all.end(), name) != all.end();
}

std::vector<Module::Parameter> Module::parameters(std::string_view kernel) const {
    ir::Function const& f = state_->module.functions[state_->kernel(kernel)];
    std::vector<Parameter> list;
    for (std::uint32_t const p : f.parameters) {
        ir::Variable const& v = f.variables[p];
        list.push_back({v.name, std::string(isa::name(v.type)), v.offset, v.size, v.is_pointer});
    }
    return list;
}

Module::Symbol Module::symbol(std::string_view name) const {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < state_->module.variables.size(); ++i) {
        ir::Variable const& v = state_->module.variables[i];
        if (v.space != ir::StateSpace::global && v.space != ir::StateSpace::constant) continue;
        if (v.name == name) return {state_->symbols.variable[i], v.size, v.space == ir::StateSpace::constant};
        known.push_back(v.name);
    }
    throw Error(ErrorKind::usage, "no .global or .const variable '" + std::string(name) + "' in " +
                                      state_->module.source->name() + sim::did_you_mean(name, known));
}

namespace {

void check_range(Module::Symbol const& symbol, std::string_view name, std::uint64_t offset, std::size_t bytes) {
    if (offset <= symbol.size && bytes <= symbol.size - offset) return;
    throw Error(ErrorKind::usage, std::to_string(bytes) + " bytes at offset " + std::to_string(offset) + " are outside of '" +
                                      std::string(name) + "', which has " + std::to_string(symbol.size));
}

}  // namespace

void Module::write_symbol(std::string_view name, std::uint64_t offset, void const* from, std::size_t bytes) {
    Symbol const found = symbol(name);
    check_range(found, name, offset, bytes);
    std::memcpy(reinterpret_cast<void*>(found.address + offset), from, bytes);
}

void Module::read_symbol(std::string_view name, std::uint64_t offset, void* to, std::size_t bytes) const {
    Symbol const found = symbol(name);
    check_range(found, name, offset, bytes);
    std::memcpy(to, reinterpret_cast<void const*>(found.address + offset), bytes);
}

}  // namespace warpsim::runtime
