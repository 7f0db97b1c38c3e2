// Loading PTX onto a device: reading, checking, giving addresses to variables, and writing their initial values.
#include "frontend/decode/decode.hpp"
#include "runtime/device_state.hpp"
#include "runtime/log.hpp"
#include "runtime/read_module.hpp"
#include "runtime/sha256.hpp"
#include "sim/demangled.hpp"
#include "sim/nearest.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>

namespace warpsim::runtime {

namespace {

/// "a.ptx" or "a.ptx and 2 more".
std::string names_of(ir::Module const& module) {
    std::size_t const others = module.sources.size() - 1;
    return module.sources.front()->name() + (others == 0 ? "" : " and " + std::to_string(others) + " more");
}

/// Gives every variable its address: each .global one an allocation, all .const ones together a bank.
void place_variables(Module::State& state, std::vector<DevicePointer> const& placement) {
    auto const allocate = [&](std::uint64_t bytes) {
        std::uint64_t address = 0;
        if (placement.empty()) {
            address = state.memory->allocate(bytes);
        } else {
            if (state.allocations.size() >= placement.size())
                throw Error(ErrorKind::launch, "the module has more variables than there are places for");
            address = placement[state.allocations.size()];
            state.memory->allocate_at(address, bytes);
        }
        state.allocations.push_back(address);
        return address;
    };
    if (state.module.address_bits == 32) state.memory->keep_narrow();
    state.symbols.memory = state.memory->base();
    std::uint64_t bank_bytes = 0;
    for (ir::Variable const& v : state.module.variables) {
        if (v.space == ir::StateSpace::constant) bank_bytes = std::max(bank_bytes, v.offset + v.size);
    }
    std::uint64_t bank = 0;
    if (bank_bytes != 0) bank = allocate(bank_bytes);
    for (ir::Variable const& v : state.module.variables) {
        std::uint64_t address = 0;
        if (v.space == ir::StateSpace::constant) {
            address = bank + v.offset;
        } else if (v.space == ir::StateSpace::global) {
            address = allocate(v.size);
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

/// What the settings of an element make of a sampler.
void apply(ir::SamplerSetting const& setting, sim::texture::Sampler& sampler) {
    using Name = ir::SamplerSetting::Name;
    using Mode = ir::SamplerSetting::Mode;
    using sim::texture::Address;
    auto const mode = static_cast<Mode>(setting.value);
    auto const address = [&] {
        switch (mode) {
            case Mode::wrap: return Address::wrap;
            case Mode::mirror: return Address::mirror;
            case Mode::clamp_ogl: return Address::clamp_ogl;
            case Mode::clamp_to_border: return Address::border;
            default: return Address::clamp;
        }
    };
    switch (setting.name) {
        case Name::filter_mode:
            sampler.filter = mode == Mode::linear ? sim::texture::Filter::linear : sim::texture::Filter::point;
            break;
        case Name::addr_mode_0: sampler.address[0] = address(); break;
        case Name::addr_mode_1: sampler.address[1] = address(); break;
        case Name::addr_mode_2: sampler.address[2] = address(); break;
        case Name::force_unnormalized_coords: sampler.is_normalized = setting.value == 0; break;
        case Name::normalized_coords: sampler.is_normalized = setting.value != 0; break;
    }
}

void apply_settings(ir::Variable const& v, std::uint32_t element, sim::texture::Sampler& sampler) {
    for (ir::SamplerSetting const& setting : v.settings) {
        if (setting.element == element) apply(setting, sampler);
    }
}

/// As element `index` of the variable declares it. Coordinates are normalised unless a sampler says otherwise.
sim::texture::Sampler sampler_of(ir::Variable const& v, std::uint32_t index) {
    sim::texture::Sampler sampler;
    sampler.is_normalized = true;
    apply_settings(v, index, sampler);
    return sampler;
}

/// Samplers that are declared with settings are there from the beginning.
void make_samplers(Module::State& state) {
    for (std::size_t i = 0; i < state.module.variables.size(); ++i) {
        ir::Variable const& v = state.module.variables[i];
        if (v.type != ir::Type::samplerref || v.settings.empty()) continue;
        for (std::uint32_t element = 0; element < v.size / sizeof(sim::texture::Handle); ++element) {
            sim::texture::Handle const handle = state.textures->add(sampler_of(v, element));
            state.samplers.push_back(handle);
            // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
            auto* const handles = reinterpret_cast<std::byte*>(state.symbols.variable[i]);
            std::memcpy(handles + element * sizeof handle, &handle, sizeof handle);
        }
    }
}

std::uint64_t threads_of(std::array<std::uint32_t, 3> const& v) { return std::uint64_t{v[0]} * v[1] * v[2]; }

/// That machine code of the kernel takes: as the user says, or what the program has; 0: neither is known.
std::uint32_t known_registers(std::string const& kernel, RegisterCounts const& given, LoadOptions const& options,
                              sim::Config const& config) {
    auto found = given.find(kernel);
    if (found == given.end()) {
        found = options.registers.find(kernel);
        bool const is_wanted = !config.launch || config.launch->registers_of_machine_code;
        if (found == options.registers.end() || !is_wanted) return 0;
    }
    if (found->second <= config.limits.max_registers_per_thread) return found->second;
    log::warning(sim::demangled(kernel) + ": the " + std::to_string(found->second) +
                 " registers of its machine code are more than a thread has on " + config.name +
                 ", and are ignored");
    return 0;
}

/// A kernel's directives come before what the loader asks; what this device cannot meet is ignored, with a
/// warning.
void apply(LoadOptions const& options, RegisterCounts const& given, sim::Config const& config,
           ir::Module& module) {
    for (ir::Function& f : module.functions) {
        if (!f.is_entry) continue;
        ir::LaunchBounds& bounds = f.bounds;
        if (bounds.max_registers == 0) bounds.max_registers = options.max_registers;
        bounds.registers = known_registers(f.name, given, options, config);
        if (bounds.max_registers > config.limits.max_registers_per_thread) {
            log::warning(sim::demangled(f.name) + ": .maxnreg " + std::to_string(bounds.max_registers) +
                         " is more than the " + std::to_string(config.limits.max_registers_per_thread) +
                         " registers that a thread has on " + config.name);
        }
        std::uint64_t const threads =
            std::max(threads_of(bounds.max_threads), threads_of(bounds.required_threads));
        if (bounds.min_ctas_per_sm * threads > config.sm.max_threads ||
            bounds.min_ctas_per_sm > config.sm.max_ctas) {
            log::warning(sim::demangled(f.name) + ": .minnctapersm " + std::to_string(bounds.min_ctas_per_sm) +
                         " is ignored: an SM of " + config.name + " has " + std::to_string(config.sm.max_threads) +
                         " threads and " + std::to_string(config.sm.max_ctas) + " blocks");
            bounds.min_ctas_per_sm = 0;
        }
    }
}

}  // namespace

std::shared_ptr<Module> Device::load_texts(std::vector<PtxText> texts, LoadOptions const& options) {
    if (texts.empty()) throw Error(ErrorKind::usage, "no PTX was given to load");
    auto state = std::make_shared<Module::State>();
    state->memory = state_->memory;
    state->textures = state_->textures;
    ReadModule read = read_module(std::move(texts), *state_);
    state->packed = std::move(read.packed);
    state->module = std::move(read.module);
    state->text_key = read.key;
    state->code_files = state_->code_files;
    state->name_kernels();
    state->host = state_->host;
    state->share_registers = state_->options.register_sharing;
    if (std::string const newer = frontend::newer_version(state->module.version); !newer.empty())
        log::debug(names_of(state->module) + ": " + newer);
    int const target = state->module.target_sm, own = state_->config.compute_capability.number();
    if (target > own) {
        log::warning_once("target " + std::to_string(target),
                          names_of(state->module) + " is for sm_" + std::to_string(target) +
                              "; it runs on a device of compute capability " + std::to_string(own / 10) + "." +
                              std::to_string(own % 10) + " all the same");
    }
    apply(options, state_->options.registers, state_->config, state->module);
    place_variables(*state, options.placement);
    initialise(*state);
    make_samplers(*state);
    if (state_->sinks.want(sim::EventKind::module)) {
        if (state->packed)
            for (std::uint32_t i = 0; i < state->module.functions.size(); ++i)
                complete(*state->packed, state->module, i);
        state_->sinks.tell<sim::ModuleEvent>([&] { return sim::ModuleEvent{state->module}; });
    }
    return std::make_shared<Module>(std::move(state));
}

std::shared_ptr<Module> Device::load_text(std::string const& name, std::string const& text,
                                          LoadOptions const& options) {
    std::vector<PtxText> texts;
    texts.push_back({name, text});
    return load_texts(std::move(texts), options);
}

std::shared_ptr<Module> Device::load_file(std::string const& path, LoadOptions const& options) {
    return load_files({path}, options);
}

std::shared_ptr<Module> Device::load_files(std::vector<std::string> const& paths, LoadOptions const& options) {
    std::vector<PtxText> texts;
    for (std::string const& path : paths) {
        try {
            texts.push_back({path, frontend::Source::read(path)});
        } catch (std::system_error const& error) {
            throw Error(ErrorKind::usage, "cannot read " + path + ": " + error.code().message());
        }
    }
    return load_texts(std::move(texts), options);
}

Module::Module(std::shared_ptr<State> state) : state_(std::move(state)) {}

Module::~Module() {
    for (sim::texture::Handle const sampler : state_->samplers) state_->textures->remove(sampler);
    for (std::uint64_t const allocation : state_->allocations) state_->memory->free(allocation);
}

sim::KernelPlan const& Module::State::plan(std::uint32_t kernel) {
    std::lock_guard const lock(planning);
    std::unique_ptr<sim::KernelPlan>& plan = plans[kernel].plan;
    if (plan) return *plan;
    if (packed) complete(*packed, module, kernel);
    plan = std::make_unique<sim::KernelPlan>(sim::make_plan(module, kernel, symbols, {host, share_registers}));
    return *plan;
}

sim::SpareCluster& Module::State::spare(std::uint32_t kernel) {
    std::lock_guard const lock(planning);
    return plans[kernel].spare;
}

timing::MachineKernel const& Module::State::machine_kernel(std::uint32_t kernel, sim::Config const& config) {
    sim::KernelPlan const& functional = plan(kernel);
    std::lock_guard const lock(planning);
    std::unique_ptr<timing::MachineKernel>& machine = machine_kernels[kernel];
    if (!machine) machine = timing::make_machine_kernel(functional, symbols, {host, share_registers}, config);
    return *machine;
}

std::uint32_t Module::State::registers(std::uint32_t kernel, sim::Config const& config) {
    sim::KernelPlan const& functional = plan(kernel);
    std::lock_guard const lock(planning);
    auto const known = counted_registers.find(kernel);
    if (known != counted_registers.end()) return known->second;
    auto const machine = machine_kernels.find(kernel);
    std::uint32_t const count = machine != machine_kernels.end() ? machine->second->registers
                                                                 : timing::count_registers(functional, config);
    counted_registers[kernel] = count;
    return count;
}

std::string const& Module::State::sha256() {
    std::lock_guard const lock(planning);
    if (!hash.empty()) return hash;
    std::vector<std::string_view> texts;
    for (auto const& source : module.sources) texts.push_back(source->text());
    return hash = runtime::sha256(texts);
}

void Module::State::name_kernels() {
    for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
        ir::Function const& f = module.functions[i];
        if (!f.is_entry || !f.has_body) continue;
        auto const [named, is_new] = kernels.emplace(f.name, i);
        // Of several modules' private kernels of one name, the one that the module knows by it.
        if (!is_new) named->second = static_cast<std::uint32_t>(module.kernel(f.name) - module.functions.data());
    }
}

std::uint32_t Module::State::kernel(std::string_view name) const {
    if (auto const named = kernels.find(name); named != kernels.end()) return named->second;
    std::vector<std::string> known;
    for (ir::Function const& f : module.functions) {
        if (f.is_entry && f.has_body) known.push_back(f.name);
    }
    throw Error(ErrorKind::usage,
                "no kernel '" + std::string(name) + "' in " + names_of(module) + sim::did_you_mean(name, known));
}

std::vector<std::string> Module::kernels() const {
    std::vector<std::string> names;
    for (ir::Function const& f : state_->module.functions) {
        if (f.is_entry && f.has_body) names.push_back(f.name);
    }
    return names;
}

bool Module::has_kernel(std::string_view name) const { return state_->kernels.contains(name); }

std::vector<Module::Parameter> Module::parameters(std::string_view kernel) const {
    return state_->parameters(kernel);
}

std::vector<Module::Parameter> Module::State::parameters(std::string_view kernel_name) const {
    ir::Function const& f = module.functions[kernel(kernel_name)];
    std::vector<Parameter> list;
    for (std::uint32_t const p : f.parameters) {
        ir::Variable const& v = f.variables[p];
        list.push_back({v.name, std::string(isa::name(v.type)), v.offset, v.size, v.is_pointer,
                        static_cast<std::uint64_t>(module.address_bits) / 8});
    }
    return list;
}

Module::Symbol Module::symbol(std::string_view name) const {
    auto const is_known = [](ir::Variable const& v) {
        return v.space == ir::StateSpace::global || v.space == ir::StateSpace::constant;
    };
    ir::Module const& module = state_->module;
    ir::Variable const* const v = module.variable(name);
    if (v != nullptr && is_known(*v)) {
        auto const index = static_cast<std::size_t>(v - module.variables.data());
        return {state_->symbols.variable[index], v->size, v->space == ir::StateSpace::constant, v->is_managed,
                std::string(isa::name(v->type))};
    }
    std::vector<std::string> known;
    for (ir::Variable const& one : module.variables) {
        if (is_known(one)) known.push_back(one.name);
    }
    throw Error(ErrorKind::usage, "no .global or .const variable '" + std::string(name) + "' in " +
                                      names_of(state_->module) + sim::did_you_mean(name, known));
}

void Module::apply_settings(std::string_view name, sim::texture::Sampler& sampler) const {
    if (ir::Variable const* const v = state_->module.variable(name)) runtime::apply_settings(*v, 0, sampler);
}

namespace {

void check_range(Module::Symbol const& symbol, std::string_view name, std::uint64_t offset, std::size_t bytes) {
    if (offset <= symbol.size && bytes <= symbol.size - offset) return;
    throw Error(ErrorKind::usage, std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                                      " are outside of '" + std::string(name) + "', which has " +
                                      std::to_string(symbol.size));
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
