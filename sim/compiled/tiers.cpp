#include "sim/compiled/tiers.hpp"

#include "sim/background.hpp"

#include <utility>

namespace warpsim::sim {

namespace {

// What the interpreter takes for a cheap warp instruction (one that waits for the host is the cheapest of all), and the
// compiler for a kernel and for an operation.
constexpr double instruction_ns = 4, kernel_ns = 40e6, op_ns = 1e6;
// A kernel is worth compiling when it has run for so many times what that takes: it will go on, and if it does not, little
// is lost.
constexpr double times_as_long = 8;
// A file is looked for when a kernel has run for a hundred times what that takes.
constexpr double look_ns = 5e6;

constexpr std::uint64_t never = UINT64_MAX;
constexpr CodeLanes both[] = {CodeLanes::all, CodeLanes::some};

constexpr char const* name_of(CodeLanes lanes) { return lanes == CodeLanes::all ? "all" : "some"; }

}  // namespace

TierLimits TierLimits::of(KernelPlan const& plan) {
    double ops = 0;
    for (FunctionPlan const& function : plan.functions) ops += static_cast<double>(function.ops.size());
    return {static_cast<std::uint64_t>(look_ns / instruction_ns),
            static_cast<std::uint64_t>(times_as_long * (kernel_ns + ops * op_ns) / instruction_ns)};
}

void TieredCode::add_work(std::uint64_t warp_instructions, bool has_some_lanes) {
    std::uint64_t const next = next_.load(std::memory_order_relaxed);
    if (next == never) return;
    if (has_some_lanes) wants_some_.store(true, std::memory_order_relaxed);
    std::uint64_t const work = work_.fetch_add(warp_instructions, std::memory_order_relaxed) + warp_instructions;
    if (work < next) return;
    std::unique_lock const lock(mutex_, std::try_to_lock);
    if (lock.owns_lock()) go_on(work);
}

void TieredCode::go_on(std::uint64_t work) {
    if (stage_ == Stage::cold) {
        if (work < parts_.limits.look) return say_next_at(parts_.limits.look);
        look();
        stage_ = Stage::looked;
    }
    if (stage_ != Stage::looked) return say_next_at(never);
    if (has(CodeLanes::all) && has(CodeLanes::some)) {
        stage_ = Stage::settled;
        say_next_at(never);
    } else if (work < parts_.limits.compile) {
        say_next_at(parts_.limits.compile);
    } else if (is_missing(CodeLanes::all) || is_missing(CodeLanes::some)) {
        make_beside();
    } else {
        say_next_at(work + parts_.limits.compile / 4);  // whether warps have split by then
    }
}

void TieredCode::look() {
    if (!parts_.store) return;
    for (CodeLanes const lanes : both) {
        std::optional<std::string> const bytes = parts_.store->find(name_of(lanes));
        if (!bytes || !use(unpack(*bytes, parts_.plan), lanes)) continue;
        has_[static_cast<std::size_t>(lanes)] = true;
        if (lanes == CodeLanes::all) parts_.tell("compiled code of an earlier run");
    }
}

void TieredCode::make_beside() {
    stage_ = Stage::making;
    say_next_at(never);
    auto work = [self = shared_from_this(), owner = parts_.owner.lock()](Background::Checkpoint const& check) {
        for (CodeLanes const lanes : both) {
            if (!self->is_missing(lanes)) continue;
            std::optional<CodeImage> const image = self->make(lanes, check);
            std::lock_guard const lock(self->mutex_);
            self->use(image, lanes);
            self->has_[static_cast<std::size_t>(lanes)] = true;
        }
        std::lock_guard const lock(self->mutex_);
        self->stage_ = Stage::looked;
        self->say_next_at(0);
    };
    if (!Background::of_process().add(std::move(work))) stage_ = Stage::settled;
}

void TieredCode::make_now() {
    std::lock_guard const lock(mutex_);
    if (stage_ == Stage::settled) return;
    look();
    for (CodeLanes const lanes : both) {
        if (!has(lanes)) use(make(lanes, {}), lanes);
        has_[static_cast<std::size_t>(lanes)] = true;
    }
    stage_ = Stage::settled;
    say_next_at(never);
}

void TieredCode::leave_out(std::string const& why) {
    std::lock_guard const lock(mutex_);
    if (!std::exchange(is_left_out_, true)) parts_.tell(why);
}

std::optional<CodeImage> TieredCode::make(CodeLanes lanes, std::function<void()> const& between_passes) const {
    Compilation made = parts_.compile(lanes, between_passes);
    parts_.tell(made.note);
    if (made.image && parts_.store) parts_.store->keep(name_of(lanes), pack(*made.image));
    return std::move(made.image);
}

/// False: it cannot be used here.
bool TieredCode::use(std::optional<CodeImage> const& image, CodeLanes lanes) {
    if (!image) return false;
    auto kernel = load(*image, lanes, kernels_.empty() ? nullptr : kernels_.back());
    if (!kernel) return false;
    kernels_.push_back(kernel);
    publish(kernel.get());
    return true;
}

}  // namespace warpsim::sim
