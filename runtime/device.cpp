#include "runtime/device.hpp"

#include "runtime/cache_warmth.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/child_grids.hpp"
#include "runtime/device_state.hpp"
#include "runtime/launch_runner.hpp"
#include "runtime/launch_sinks.hpp"
#include "runtime/prepared_grid.hpp"
#include "runtime/timed_work.hpp"
#include "runtime/untimed.hpp"
#include "sim/error.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/functional/functional_run.hpp"
#include "sim/hexadecimal.hpp"
#include "sim/memory/host_memory.hpp"
#include "sim/timing/memory/coalescer.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <stdexcept>
#include <sys/mman.h>
#include <thread>
#include <utility>

namespace warpsim::runtime {

namespace {

TimedWork& timed(Device::State& state) {
    if (!state.timed) state.timed = std::make_unique<TimedWork>(state);
    return *state.timed;
}

/// A build may lack code for this machine's processor, or be asked for what it cannot run.
isa::HostIsa host_isa() {
    try {
        return isa::host_isa();
    } catch (std::runtime_error const& error) {
        throw Error(ErrorKind::usage, error.what());
    }
}

}  // namespace

Device::Device(sim::Config config, DeviceOptions options) : state_(std::make_unique<State>()) {
    state_->memory = std::make_shared<sim::GlobalMemory>(
        config.memory.global_bytes(), config.memory.bounds == sim::Bounds::page, options.drop_bad_accesses);
    sim::Reservation const& reservation = sim::Reservation::process();
    std::uint64_t const slot = (state_->memory->base() - reservation.base()) / reservation.slot_bytes();
    state_->textures = std::make_shared<sim::texture::Table>(static_cast<std::uint8_t>(slot));
    state_->config = std::move(config);
    state_->options = std::move(options);
    // Asked once: the C library reads a file each time, which is half of a small launch.
    int& threads = state_->options.threads;
    if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    state_->host = host_isa();
    if (!state_->options.cache_folder.empty()) {
        state_->cache.emplace(cache::Settings{state_->options.cache_folder, state_->options.cache_bytes},
                              frontend::archive_stamp());
        state_->code_files = std::make_shared<cache::FileCache>(
            cache::Settings{state_->options.cache_folder, state_->options.cache_bytes}, sim::code_stamp(),
            cache::FileCache::Kind::code);
    }
    sim::LimitsConfig const& limits = state_->config.limits;
    state_->stack_bytes = limits.stack_bytes_per_thread;
    state_->print_bytes = std::uint64_t{limits.printf_fifo_kib} * 1024;
    state_->heap_bytes = std::uint64_t{limits.malloc_heap_kib} * 1024;
    state_->print = std::make_unique<sim::PrintBuffer>(state_->print_bytes);
    for (auto const& sink : state_->options.sinks) state_->sinks.add(*sink);
    state_->sm_clocks = std::make_unique<std::atomic<std::uint64_t>[]>(state_->config.sm.count);
    if (Checkpoints::are_wanted(state_->options)) {
        state_->checkpoints = std::make_unique<Checkpoints>(*state_);
        timed(*state_).check_components();
    }
}

Device::~Device() = default;

Device::State::State() = default;
Device::State::~State() = default;

sim::Config const& Device::config() const { return state_->config; }
sim::texture::Table& Device::textures() const { return *state_->textures; }

DevicePointer Device::allocate(std::uint64_t bytes) { return allocate(bytes, sim::AllocationSource::runtime); }

DevicePointer Device::allocate(std::uint64_t bytes, sim::AllocationSource source) {
    DevicePointer const pointer = state_->memory->allocate(bytes);
    state_->tell_allocation(source, false, pointer, bytes);
    return pointer;
}

namespace {

/// Makes these addresses usable that are no device's, page by page where they are not yet.
void map_host_memory(std::set<std::uint64_t>& mapped, std::uint64_t address, std::uint64_t bytes) {
    constexpr std::uint64_t page = 4096;
    for (std::uint64_t at = address / page * page; at < address + bytes;) {
        std::uint64_t past = at;
        while (past < address + bytes && !mapped.contains(past)) mapped.insert(std::exchange(past, past + page));
        if (past == at) {
            at += page;
            continue;
        }
        // NOLINTNEXTLINE(performance-no-int-to-ptr): it is to be that address
        void* const wanted = reinterpret_cast<void*>(at);
        void* const got = mmap(wanted, past - at, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (got != wanted) {
            if (got != MAP_FAILED) munmap(got, past - at);
            throw Error(ErrorKind::launch,
                        "no " + std::to_string(bytes) + " bytes of the host's memory can be had at " +
                            sim::hexadecimal(address) + ": this process has something else there");
        }
        at = past;
    }
}

}  // namespace

void Device::allocate_at(DevicePointer address, std::uint64_t bytes) {
    sim::GlobalMemory& memory = *state_->memory;
    if (memory.owns(address)) {
        memory.allocate_at(address, bytes);
    } else {
        map_host_memory(state_->host_pages, address, bytes);
        memory.adopt(address, bytes);
    }
    state_->tell_allocation(sim::AllocationSource::runtime, false, address, bytes);
}

bool Device::is_allocated(DevicePointer address, std::uint64_t bytes) const {
    return state_->memory->find(address, bytes).has_value();
}

void Device::free(DevicePointer pointer) {
    state_->memory->free(pointer);
    state_->tell_allocation(sim::AllocationSource::runtime, true, pointer, 0);
}

bool Device::is_watched() const { return state_->sinks.want(sim::EventKind::host_access); }

namespace {

bool is_of_a_device(DevicePointer address) {
    sim::Reservation const& all = sim::Reservation::process();
    return address - all.base() < sim::max_devices * all.slot_bytes();
}

}  // namespace

void Device::tell_moved(std::uint64_t to, std::uint64_t from, std::size_t bytes) const {
    using Operation = sim::HostAccessEvent::Operation;
    if (bytes == 0 || !state_->sinks.want(sim::EventKind::host_access)) return;
    bool const writes = state_->memory->find(to, bytes).has_value();
    bool const reads = state_->memory->find(from, bytes).has_value();
    if (writes && reads) state_->tell(Operation::copy, to, from, bytes);
    else if (writes) state_->tell(Operation::write, to, 0, bytes);
    // Another device hears of what it gets; this one says where to.
    else if (reads && is_of_a_device(to)) state_->tell(Operation::copy, to, from, bytes);
    else if (reads) state_->tell(Operation::read, from, 0, bytes);
}

void Device::tell_set(std::uint64_t to, std::size_t bytes) const {
    if (bytes == 0 || !state_->sinks.want(sim::EventKind::host_access)) return;
    if (state_->memory->find(to, bytes)) state_->tell(sim::HostAccessEvent::Operation::fill, to, 0, bytes);
}

namespace {

std::byte* checked(sim::GlobalMemory const& memory, DevicePointer at, std::size_t bytes, char const* what) {
    if (bytes != 0 && !memory.find(at, bytes)) {
        char text[64];
        std::snprintf(text, sizeof text, " %zu bytes at 0x%llx: ", bytes, static_cast<unsigned long long>(at));
        throw Error(ErrorKind::launch, std::string(what) + text + memory.describe(at));
    }
    return reinterpret_cast<std::byte*>(at);
}

}  // namespace

void Device::write(DevicePointer to, void const* from, std::size_t bytes) {
    std::byte* const target = checked(*state_->memory, to, bytes, "cannot write");
    if (bytes != 0) std::memcpy(target, from, bytes);
    state_->tell(sim::HostAccessEvent::Operation::write, to, 0, bytes);
}

void Device::read(void* to, DevicePointer from, std::size_t bytes) const {
    std::byte const* const source = checked(*state_->memory, from, bytes, "cannot read");
    if (bytes != 0) std::memcpy(to, source, bytes);
    state_->tell(sim::HostAccessEvent::Operation::read, from, 0, bytes);
}

namespace {

int host_threads(DeviceOptions const& options, std::uint64_t ctas) {
    return static_cast<int>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(options.threads), std::max<std::uint64_t>(ctas, 1)));
}

}  // namespace

void Device::make_visible(void* memory, std::size_t bytes) {
    auto const address = reinterpret_cast<std::uint64_t>(memory);
    state_->memory->adopt(address, bytes);
    state_->tell_allocation(sim::AllocationSource::host_memory, false, address, bytes);
}

void Device::end_visible(void* memory) {
    auto const address = reinterpret_cast<std::uint64_t>(memory);
    state_->memory->disown(address);
    state_->tell_allocation(sim::AllocationSource::host_memory, true, address, 0);
}

std::uint64_t Device::limit(Limit which) const {
    return which == Limit::stack           ? state_->stack_bytes
           : which == Limit::printf_buffer ? state_->print_bytes
                                           : state_->heap_bytes;
}

void Device::set_limit(Limit which, std::uint64_t bytes) {
    State& s = *state_;
    if (which == Limit::stack) {
        std::uint64_t const most = s.config.limits.local_bytes_per_thread;
        if (bytes > most) {
            throw Error(ErrorKind::launch, "a stack of " + std::to_string(bytes) + " bytes: threads of " +
                                               s.config.name + " have at most " + std::to_string(most));
        }
        s.stack_bytes = bytes;
        return;
    }
    bool const is_used = which == Limit::malloc_heap ? s.heap != nullptr : s.has_printed.load();
    if (is_used)
        throw Error(ErrorKind::launch,
                    "the size of the heap or of the printf buffer cannot change once a kernel has used it");
    if (which == Limit::malloc_heap) {
        if (bytes > s.memory->capacity() - std::min(s.memory->used(), s.memory->capacity())) {
            throw Error(ErrorKind::launch,
                        "a heap of " + std::to_string(bytes) + " bytes is more than the device's memory has free");
        }
        s.heap_bytes = bytes;
    } else {
        s.print_bytes = bytes;
        s.print = std::make_unique<sim::PrintBuffer>(bytes);
    }
}

std::uint64_t Device::used_bytes() const { return state_->memory->used(); }

std::uint64_t Device::capacity_bytes() const { return state_->memory->capacity(); }

void Device::prepare(Module& module) {
    for (std::string const& kernel : module.kernels()) module.state().plan(module.state().kernel(kernel));
}

void Device::check(Module& module, std::string_view kernel, LaunchShape const& shape, std::size_t argument_bytes) {
    Module::State& loaded = module.state();
    std::uint32_t const index = loaded.kernel(kernel);
    ir::Function const& f = loaded.module.functions[index];
    check_launch(state_->config, f, loaded.plan(index), loaded.registers(index, state_->config),
                 placed_shape(state_->config, f, shape), argument_bytes);
    if (state_->checkpoints) Checkpoints::check(loaded.plan(index), kernel);
}

KernelAttributes Device::attributes(Module& module, std::string_view kernel) {
    return kernel_attributes(state_->config, module.state(), module.state().kernel(kernel));
}

std::uint32_t Device::ctas_per_sm(Module& module, std::string_view kernel, LaunchShape const& shape) {
    Module::State& loaded = module.state();
    std::uint32_t const index = loaded.kernel(kernel);
    return runtime::ctas_per_sm(state_->config, loaded.plan(index), loaded.registers(index, state_->config),
                                shape);
}

namespace {

/// Of a warp, in instructions: between two barriers of a grid there are some of them.
constexpr std::uint64_t shortest_turn = 24;

void run_functional(Device::State& state, DeviceOptions const& options,
                    std::shared_ptr<PreparedGrid> const& prepared, Module::State& loaded, std::uint32_t index) {
    PreparedGrid& grid = *prepared;
    sim::Config const& config = state.config;
    sim::LaunchContext& context = grid.context();
    LaunchShape const& shape = grid.shape();
    LaunchResult& result = grid.result();
    sim::FunctionalOptions run;
    run.threads = host_threads(options, context.ctas());
    run.resident_ctas = shape.cooperative
                            ? context.ctas()
                            : resident_ctas(config, context.plan, result.registers_per_thread, shape);
    run.cooperative = shape.cooperative;
    run.max_instructions = options.max_instructions;
    run.turn_instructions = options.turn_instructions;
    run.host_wait_seconds = options.host_wait_seconds;
    run.waits_for_host = options.waits_for_host;
    run.progress = options.progress;
    run.stop = options.stop.get();
    run.spare = &loaded.spare(index);
    if (grid.wants_counts(state))
        run.counted = [&](std::span<sim::ExecutionCount const> counts) { grid.tell_counts(state, counts); };
    LaunchSinks sinks(options, config, context, result.kernel, false, grid.is_watched());
    sinks.add(grid.capture());
    if (sinks.wants_one_thread()) {
        run.threads = 1;
        // Who judges the order of blocks is to see each of them learn of the others as early as it can: a block that is let go by
        // a barrier of the grid would otherwise mostly find the others at the next one, and so behind all that they do before it.
        if (shape.cooperative && run.turn_instructions == 0) run.turn_instructions = shortest_turn;
    }
    if (sinks.wanted()) run.sinks = [&](int) { return sinks.of_part(0); };
    if (options.engine != Engine::interpreted) {
        bool const is_compiled = options.engine == Engine::compiled;
        sim::TieredCode& code = loaded.code(index, sinks.counted_banks());
        if (sinks.counts_only()) {
            if (is_compiled) code.make_soon(options.longest_compile_wait);
            context.code = &code;
            context.banks = sinks.counted_banks().value_or(sim::Banks{});
        } else if (is_compiled) {
            code.leave_out("interpreted, as a trace or a tool looks at each access");
        }
    }
    try {
        if (options.runner) {
            struct Owner {
                std::shared_ptr<Module::State> module;
                std::shared_ptr<PreparedGrid> grid;
            };
            options.runner->run(context, run, loaded.symbols, result,
                                std::make_shared<Owner>(Owner{loaded.shared_from_this(), prepared}));
        } else sim::run_functional(context, run, result);
    } catch (...) {
        sinks.add_to(result.memory);
        throw;
    }
    sinks.add_to(result.memory);
}

}  // namespace

namespace {

/// Runs one grid to its end. What its kernels asked to be done then is added to `todo`, the first of it last.
LaunchResult run_grid(Device::State& state, Module::State& loaded, std::uint32_t index, LaunchShape const& wanted,
                      Arguments const& arguments, std::uint32_t depth, DeviceOptions const& options,
                      std::vector<ChildWork>& todo) {
    auto const prepared = std::make_shared<PreparedGrid>(state, loaded, index, wanted, arguments, depth, options);
    PreparedGrid& grid = *prepared;
    grid.begin(state);
    try {
        run_functional(state, options, prepared, loaded, index);
    } catch (sim::Fault const& fault) {
        FaultError const error = grid.fail(state, options, fault);
        if (options.launch_stopped) options.launch_stopped(grid.result());
        throw error;
    }
    grid.finish(state, options);
    grid.give_children(todo);
    return std::move(grid.result());
}

}  // namespace

void move_bytes(Device::State const& state, ChildWork const& work, bool host_trust) {
    auto const check = [&](std::uint64_t address, bool is_written) {
        if (state.memory->find(address, work.width)) return;
        bool const is_own = state.memory->owns(address);
        if (host_trust && !is_own && !sim::try_host_memory(address, work.width, is_written)) return;
        char text[128];
        std::snprintf(text, sizeof text,
                      "illegal address: a copy that a kernel asked for %s %llu bytes at 0x%llx, ",
                      is_written ? "writes" : "reads", static_cast<unsigned long long>(work.width),
                      static_cast<unsigned long long>(address));
        throw FaultError(FaultKind::illegal_address, text + state.memory->describe(address));
    };
    for (std::uint64_t row = 0; row < work.height; ++row) {
        std::uint64_t const to = work.to + row * work.to_distance, from = work.from + row * work.from_distance;
        check(to, true);
        bool const is_fill = work.kind == ChildWork::Kind::fill;
        using Operation = sim::HostAccessEvent::Operation;
        state.tell(is_fill ? Operation::fill : Operation::copy, to, is_fill ? 0 : from, work.width);
        if (work.kind == ChildWork::Kind::fill) {
            std::memset(reinterpret_cast<void*>(to), work.value, work.width);
        } else {
            check(from, false);
            std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void const*>(from), work.width);
        }
    }
}

namespace {

/// A grid ends only after everything that it launched, which in turn runs before the host's next launch: depth
/// first.
void run_children(Device::State& state, Module::State& loaded, std::vector<ChildWork>& todo, bool host_trust,
                  DeviceOptions options, std::uint64_t executed) {
    while (!todo.empty()) {
        ChildWork const work = std::move(todo.back());
        todo.pop_back();
        if (work.kind != ChildWork::Kind::launch) {
            if (options.child_moves) options.child_moves(&work.request);
            move_bytes(state, work, host_trust);
            if (options.child_moves) options.child_moves(nullptr);
            continue;
        }
        if (options.max_instructions != 0) {
            options.max_instructions -= std::min(options.max_instructions, executed);
            if (options.max_instructions == 0) {
                throw FaultError(FaultKind::instruction_limit, "instruction limit: a kernel was stopped among the "
                                                               "grids that it launched (--max-instructions)");
            }
        }
        if (options.child_begins) options.child_begins(work.request);
        LaunchResult const result =
            run_grid(state, loaded, work.kernel, work.shape, work.arguments, work.depth, options, todo);
        executed = result.instructions.warp;
        if (options.child_launched) options.child_launched(result);
    }
}

}  // namespace

namespace {

bool is_timed(Device::State const& state, std::string_view kernel) {
    DeviceOptions const& options = state.options;
    return options.mode == Mode::timing && (!options.times || options.times(kernel));
}

/// A launch of the host, with all that its kernels launch, at once.
LaunchResult run_untimed(Device::State& state, Module::State& loaded, std::uint32_t kernel,
                         LaunchShape const& shape, Arguments const& arguments, DeviceOptions const& options) {
    std::vector<ChildWork> todo;
    LaunchResult result = run_grid(state, loaded, kernel, shape, arguments, 0, options, todo);
    if (!todo.empty()) run_children(state, loaded, todo, shape.host_trust, options, result.instructions.warp);
    return result;
}

}  // namespace

LaunchResult run_untimed(Device::State& state, Module::State& loaded, std::uint32_t kernel,
                         LaunchShape const& shape, Arguments const& arguments) {
    if (state.options.mode == Mode::functional)
        return run_untimed(state, loaded, kernel, shape, arguments, state.options);
    DeviceOptions options = state.options;
    options.mode = Mode::functional;
    if (options.warms_caches && state.config.l2.size_bytes() != 0) {
        if (!state.warmth)
            state.warmth = std::make_shared<CacheWarmth>(state.config.l2.size_bytes() / timing::line_bytes,
                                                         state.memory->moved_by());
        state.warmth->runs(loaded.module.functions[kernel].name);
        options.sinks.push_back(state.warmth);
    }
    return run_untimed(state, loaded, kernel, shape, arguments, options);
}

LaunchResult Device::launch(Module& module, std::string_view kernel, LaunchShape const& shape,
                            Arguments const& arguments) {
    Module::State& loaded = module.state();
    std::uint32_t const index = loaded.kernel(kernel);
    bool const times = is_timed(*state_, kernel);
    Checkpoints* const kept = state_->checkpoints.get();
    if (kept != nullptr) {
        Checkpoints::check(loaded.plan(index), kernel);
        if (auto known = kept->known({loaded, index, shape, arguments, times})) return *known;
    }
    LaunchResult result = times ? timed(*state_).run(loaded, index, shape, arguments)
                                : run_untimed(*state_, loaded, index, shape, arguments);
    if (kept != nullptr) kept->ended(result);
    return result;
}

namespace {

void refuse_if_kept(Device::State const& state) {
    if (state.checkpoints)
        throw Error(ErrorKind::usage, "a run that is kept (--checkpoint) has one launch under way at a time");
}

}  // namespace

Device::Ticket Device::begin_launch(std::shared_ptr<Module> module, std::string_view kernel,
                                    LaunchShape const& shape, Arguments const& arguments, int priority,
                                    std::uint64_t at, std::function<void(LaunchResult const&)> told) {
    refuse_if_kept(*state_);
    TimedWork::Order order;
    order.loaded = &module->state();
    order.kernel = order.loaded->kernel(kernel);
    if (!is_timed(*state_, kernel)) {
        LaunchResult result = run_untimed(*state_, *order.loaded, order.kernel, shape, arguments);
        if (state_->timed) state_->timed->tell(std::move(result), std::move(told));
        else told(result);
        return 0;
    }
    order.shape = shape;
    order.arguments = arguments;
    order.priority = priority;
    order.owner = std::move(module);
    order.told = std::move(told);
    return timed(*state_).launch(std::move(order), at);
}

Device::Ticket Device::begin_copy(TimedCopy const& copy, std::uint64_t at) {
    refuse_if_kept(*state_);
    return timed(*state_).copy(copy, at);
}

std::vector<Device::Ended> Device::advance(std::uint64_t until) { return timed(*state_).advance(until); }

void Device::settle() {
    if (state_->timed) state_->timed->settle();
}

std::uint64_t Device::quiet_time() const { return state_->timed ? state_->timed->quiet() : 0; }

}  // namespace warpsim::runtime
