#include "runtime/prepared_grid.hpp"

#include "runtime/log.hpp"
#include "sim/exec/registers.hpp"
#include "sim/memory/host_memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>

namespace warpsim::runtime {

namespace {

timing::MachineKernel const* machine_kernel(Device::State const& state, Module::State& loaded,
                                            std::uint32_t kernel, DeviceOptions const& options) {
    return options.mode == Mode::timing ? &loaded.machine_kernel(kernel, state.config) : nullptr;
}

sim::KernelPlan const& checked_plan(Device::State& state, Module::State& loaded, std::uint32_t kernel,
                                    LaunchShape const& shape, std::size_t argument_bytes,
                                    timing::MachineKernel const* machine) {
    sim::KernelPlan const& plan = loaded.plan(kernel);
    check_launch(state.config, loaded.module.functions[kernel], plan, loaded.registers(kernel, state.config),
                 shape, argument_bytes);
    if (shape.host_trust) {
        if (machine != nullptr)
            throw Error(ErrorKind::launch, "memory of the host is used in functional mode only");
        sim::watch_host_memory();
    }
    sim::KernelPlan const& used = machine != nullptr ? machine->kernel : plan;
    if (used.uses_heap && !state.heap) {
        std::uint64_t const bytes = state.heap_bytes;
        state.heap = std::make_unique<sim::DeviceHeap>(state.memory->allocate(bytes), bytes,
                                                       state.options.drop_bad_accesses);
    }
    return used;
}

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};  // of all devices, whose kernels run beside each other
    return ++last;
}

void give_printed(Device::State& state, DeviceOptions const& options) {
    sim::PrintBuffer::Output const output = state.print->take();
    if (!output.text.empty() || output.lost != 0) state.has_printed = true;
    if (!output.text.empty() && options.print) {
        options.print(output.text);
    } else if (!output.text.empty()) {
        std::fwrite(output.text.data(), 1, output.text.size(), stdout);
        std::fflush(stdout);
    }
    if (output.lost != 0) {
        log::warning(std::to_string(output.lost) +
                     " calls of printf are lost: the buffer was full (limits.printf_fifo_kib)");
    }
}

}  // namespace

PreparedGrid::PreparedGrid(Device::State& state, Module::State& loaded, std::uint32_t kernel,
                           LaunchShape const& wanted, Arguments const& arguments, std::uint32_t depth,
                           DeviceOptions const& options)
    : loaded_(loaded),
      kernel_(kernel),
      shape_(placed_shape(state.config, loaded.module.functions[kernel], wanted)),
      machine_(machine_kernel(state, loaded, kernel, options)),
      plan_(checked_plan(state, loaded, kernel, shape_, arguments.bytes().size(), machine_)),
      workspace_(*state.memory, shape_.cooperative),
      // Makes memory that kernels reach, so it comes before the map.
      children_(plan_.uses_runtime ? std::optional<ChildGrids>(std::in_place, state, loaded, shape_, depth)
                                   : std::optional<ChildGrids>()),
      map_(state.memory->map()),
      textures_(state.textures->map()),
      context_{.plan = plan_,
               .access = sim::access_functions(state.host),
               .allocations = *map_,
               .memory = *state.memory,
               .windows = sim::Reservation::process().windows()},
      is_watched_(!options.watches || options.watches(loaded.module.functions[kernel].name)) {
    fill_context(context_, state, options);
    context_.grid_id = state.next_grid++;
    context_.number = result_.number = next_number();
    block_ = sim::make_plan_block(plan_, context_, arguments.bytes());
    context_.plan_block = block_.get();
    warp_blocks_ = sim::make_warp_blocks(plan_, context_);
    context_.warp_blocks = warp_blocks_.get();

    ir::Function const& function = loaded.module.functions[kernel];
    result_.kernel = function.name;
    result_.grid = shape_.grid;
    result_.block = shape_.block;
    result_.dynamic_shared = shape_.dynamic_shared;
    result_.registers_per_thread =
        registers_per_thread(state.config, function, loaded.registers(kernel, state.config), shape_);
    result_.shared_per_cta = context_.shared_bytes;
    if (plan_.reads_reserved_shared) context_.shared_bytes = context_.user_shared + context_.reserved_shared;
    if (options.sample_error > 0 && machine_ != nullptr) argument_bytes_ = arguments.bytes();
    result_.memory.counted = options.memory_statistics;
    if (options.captured && is_watched_ && depth == 0)
        capture_ = std::make_unique<LaunchCapture>(context_, loaded, function.name, wanted, arguments.bytes(),
                                                   options.captured);
    if (options.hashes_modules) result_.module_sha256 = loaded.sha256();
}

/// For a plan of the kernel: that of timing mode, or the one that functional mode executes.
void PreparedGrid::fill_context(sim::LaunchContext& context, Device::State& state, DeviceOptions const& options) {
    sim::Config const& config = state.config;
    context.textures = textures_.get();
    context.grid = shape_.grid;
    context.host_trust = shape_.host_trust;
    context.block = shape_.block;
    if (shape_.cluster[0] != 0) context.cluster = shape_.cluster;
    context.explicit_cluster = shape_.cluster[0] != 0;
    context.grid_workspace = workspace_.address();
    context.late_copies = options.mode == Mode::functional && config.functional.late_async;
    context.undefined = config.functional.undefined;
    context.drops_bad_accesses = options.drop_bad_accesses && is_watched_;
    std::uint64_t const unit = std::max(config.sm.shared.allocation_unit_bytes, 1u);
    context.shared_bytes = context.plan.shared_bytes + shape_.dynamic_shared;
    context.user_shared = (context.shared_bytes + unit - 1) / unit * unit;
    context.reserved_shared = config.sm.shared.cta_reserved_bytes;
    context.dynamic_shared = shape_.dynamic_shared;
    context.sms = config.sm.count;
    context.control_flow = config.sm.control_flow;
    context.matrix = config.sm.matrix;
    context.convergence_patience = config.sm.convergence_patience;
    context.stack_bytes = state.stack_bytes;
    context.heap = state.heap.get();
    context.runtime = children_ ? &*children_ : nullptr;
    context.print = state.print.get();
    context.notices = &state.notices;
    context.warps_per_sm = config.sm.max_warps;
    context.registers_at_entry = sim::registers_at_entry(context.plan, config);
    if (context.plan.reads_clock) context.sm_clocks = state.sm_clocks.get();
}

sim::LaunchContext& PreparedGrid::functional_context(Device::State& state, DeviceOptions const& options) {
    if (functional_) return functional_->context;
    sim::KernelPlan const& plan = loaded_.plan(kernel_);
    functional_ = std::make_unique<Functional>(Functional{{.plan = plan,
                                                           .access = context_.access,
                                                           .allocations = *map_,
                                                           .memory = *state.memory,
                                                           .windows = context_.windows},
                                                          {},
                                                          {}});
    sim::LaunchContext& context = functional_->context;
    fill_context(context, state, options);
    context.grid_id = context_.grid_id;
    context.number = context_.number;
    functional_->block = sim::make_plan_block(plan, context, argument_bytes_);
    context.plan_block = functional_->block.get();
    functional_->warp_blocks = sim::make_warp_blocks(plan, context);
    context.warp_blocks = functional_->warp_blocks.get();
    if (plan.reads_reserved_shared) context.shared_bytes = context.user_shared + context.reserved_shared;
    return context;
}

void PreparedGrid::begin(Device::State& state, std::uint64_t cycle, std::uint64_t origin) {
    if (capture_) capture_->begin();
    state.sinks.tell<sim::LaunchBegin>([&] {
        return sim::LaunchBegin{result_.kernel, context_, is_watched_, cycle, origin};
    });
}

bool PreparedGrid::wants_counts(Device::State const& state) const {
    return is_watched_ && state.sinks.want(sim::EventKind::counts);
}

void PreparedGrid::tell_counts(Device::State& state, std::span<sim::ExecutionCount const> counts) const {
    state.sinks.tell<sim::CountsEvent>([&] { return sim::CountsEvent{context_, counts}; });
}

void PreparedGrid::tell_end(Device::State& state, bool has_faulted, std::uint64_t cycle) const {
    state.sinks.tell<sim::LaunchEnd>([&] { return sim::LaunchEnd{result_.kernel, context_, has_faulted, cycle}; });
}

void PreparedGrid::end(sim::LaunchStatus status) {
    result_.status = status;
    result_.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (capture_) capture_->end(status);
}

void PreparedGrid::abandon(Device::State& state, std::uint64_t cycle) {
    end(sim::LaunchStatus::interrupted);
    tell_end(state, true, cycle);
}

FaultError PreparedGrid::fail(Device::State& state, DeviceOptions const& options, sim::Fault const& fault,
                              std::uint64_t cycle) {
    end(is_stop(fault.kind) ? sim::LaunchStatus::interrupted : sim::LaunchStatus::fault);
    state.sinks.tell<sim::FaultEvent>([&] { return sim::FaultEvent{context_, fault}; });
    tell_end(state, true, cycle);
    give_printed(state, options);
    return FaultError(fault.kind, report(fault, fault_module(), result_.kernel, shape_));
}

void PreparedGrid::finish(Device::State& state, DeviceOptions const& options, std::uint64_t cycle) {
    tell_end(state, false, cycle);
    give_printed(state, options);
    std::vector<sim::Fault> const notices = state.notices.take();
    if (!is_watched_ || !state.sinks.want(sim::EventKind::undefined))  // who wants them has heard of each
        for (sim::Fault const& notice : notices) log::warning(report(notice, module(), result_.kernel, shape_));
    end(sim::LaunchStatus::ok);
}

void PreparedGrid::give_children(std::vector<ChildWork>& todo) {
    if (!children_) return;
    std::vector<ChildWork> list = children_->take();
    for (ChildWork& work : list) work.request.parent = context_.grid_id;
    std::move(list.rbegin(), list.rend(), std::back_inserter(todo));
}

}  // namespace warpsim::runtime
