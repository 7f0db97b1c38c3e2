#include "sim/compiled/tiers.hpp"

#include "sim/background.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

namespace warpsim::sim {

namespace {

// What the compiler takes for a kernel and for an operation.
constexpr double kernel_ns = 40e6, op_ns = 1e6;
// A kernel is worth compiling when it has run for so many times what that takes, or is going to: if it ends sooner than one
// might think, little is lost.
constexpr double times_as_long = 4;
// A file is looked for when a kernel has run for a hundred times what that takes.
constexpr std::uint64_t look_ns = 5'000'000;

constexpr std::uint64_t never = UINT64_MAX;
constexpr CodeLanes both[] = {CodeLanes::all, CodeLanes::some};

constexpr char const* name_of(CodeLanes lanes) { return lanes == CodeLanes::all ? "all" : "some"; }

}  // namespace

TierLimits TierLimits::of(KernelPlan const& plan) {
    double ops = 0;
    for (FunctionPlan const& function : plan.functions) ops += static_cast<double>(function.ops.size());
    auto const long_enough = static_cast<std::uint64_t>(times_as_long * (kernel_ns + ops * op_ns));
    return {look_ns, long_enough, long_enough};
}

void TieredCode::add_work(KernelWork const& work) {
    std::uint64_t const next = next_.load(std::memory_order_relaxed);
    if (next == never) return;
    if (work.has_some_lanes) wants_some_.store(true, std::memory_order_relaxed);
    if (work.code == nullptr) {
        interpreted_.fetch_add(work.ns, std::memory_order_relaxed);
        executed_.fetch_add(work.warp_instructions, std::memory_order_relaxed);
    }
    std::uint64_t const spent = spent_.fetch_add(work.ns, std::memory_order_relaxed) + work.ns;
    if (spent < next) return;
    std::unique_lock const lock(mutex_, std::try_to_lock);
    if (lock.owns_lock()) go_on(work, spent);
}

void TieredCode::go_on(KernelWork const& work, std::uint64_t spent) {
    if (stage_ == Stage::settled || stage_ == Stage::making) return;
    if (trial_) return judge(work);
    if (stage_ == Stage::cold) {
        if (spent < parts_.limits.look) return ask_again_at(parts_.limits.look);
        stage_ = Stage::looked;
        look();
        if (trial_) return;
    }
    if (has(CodeLanes::all) && has(CodeLanes::some)) return settle();
    TierLimits const& limits = parts_.limits;
    bool const is_long = spent >= limits.compile || work.ns_left >= limits.foreseen;
    // How long it will take, and whether warps have split, by then.
    std::uint64_t const later = spent + limits.look;
    if (is_long && (is_missing(CodeLanes::all) || is_missing(CodeLanes::some)))
        make_beside(Wants::what_is_missing);
    else ask_again_at(is_long ? later : std::min(later, limits.compile));
}

void TieredCode::judge(KernelWork const& work) {
    Trial::Verdict const verdict = trial_->add(work);
    if (verdict == Trial::Verdict::open) return publish(trial_->turn());
    if (verdict == Trial::Verdict::quicker) {
        approved_ = trial_->fresh();
    } else {
        char text[64];
        std::snprintf(text, sizeof text, "%.2f", trial_->ratio());
        parts_.tell(std::string("interpreted: native code takes ") + text + " times as long");
        settle();
    }
    publish(approved_);
    trial_.reset();
}

void TieredCode::settle() {
    stage_ = Stage::settled;
    ask_again_at(never);
}

void TieredCode::look() {
    if (!parts_.store) return;
    for (CodeLanes const lanes : both) {
        std::optional<std::string> const bytes = parts_.store->find(name_of(lanes));
        if (!bytes || !use(unpack(*bytes, parts_.plan), lanes)) continue;
        has_[static_cast<std::size_t>(lanes)] = true;
        try_out(kernels_.back().get());
        if (lanes == CodeLanes::all) parts_.tell("compiled code of an earlier run");
    }
}

void TieredCode::make_beside(Wants wants) {
    stage_ = Stage::making;
    // While it waits for its turn, the module may go, and with it the device's addresses.
    bool const has_owner = !parts_.owner.expired();
    auto work = [self = shared_from_this(), wants, has_owner](Background::Checkpoint const& check) {
        auto owner = self->parts_.owner.lock();
        for (CodeLanes const lanes : both) {
            if (has_owner && !owner) break;
            if (wants == Wants::all ? self->has(lanes) : !self->is_missing(lanes)) continue;
            std::optional<CodeImage> const image = self->make(lanes, check);
            std::lock_guard const lock(self->mutex_);
            self->has_[static_cast<std::size_t>(lanes)] = true;
            if (!self->use(image, lanes)) continue;
            if (wants == Wants::all) self->publish_last();
            else self->try_out(self->kernels_.back().get());
        }
        // Who waits for the code may let the module go, whose device's addresses are then free.
        owner.reset();
        std::lock_guard const lock(self->mutex_);
        if (wants == Wants::all) {
            self->settle();
        } else {
            self->stage_ = Stage::looked;
            self->ask_again_at(0);
        }
        self->is_made_.notify_all();
    };
    if (Background::of_process().add(std::move(work))) return;
    if (wants == Wants::all) parts_.tell("interpreted: no thread can be had to compile it");
    settle();
}

void TieredCode::make_soon(std::chrono::nanoseconds longest) {
    std::unique_lock lock(mutex_);
    auto const begin = std::chrono::steady_clock::now();
    auto const end = begin + longest - waited_;
    while (stage_ != Stage::settled) {
        if (stage_ != Stage::making) {
            if (stage_ == Stage::cold) look();
            trial_.reset();
            publish_last();
            if (has(CodeLanes::all) && has(CodeLanes::some)) settle();
            else make_beside(Wants::all);
        }
        if (!is_made_.wait_until(lock, end, [this] { return stage_ != Stage::making; })) break;
    }
    waited_ += std::chrono::steady_clock::now() - begin;
}

void TieredCode::publish_last() {
    if (!kernels_.empty()) publish(kernels_.back().get());
}

void TieredCode::leave_out(std::string const& why) {
    std::lock_guard const lock(mutex_);
    if (!std::exchange(is_left_out_, true)) parts_.tell(why);
}

/// None, whatever goes wrong.
std::optional<CodeImage> TieredCode::make(CodeLanes lanes, std::function<void()> const& between_passes) const {
    try {
        Compilation made = parts_.compile(lanes, between_passes);
        parts_.tell(made.note);
        if (made.image && parts_.store) parts_.store->keep(name_of(lanes), pack(*made.image));
        return std::move(made.image);
    } catch (std::exception const&) {
        return std::nullopt;
    }
}

/// False: it cannot be used here.
bool TieredCode::use(std::optional<CodeImage> const& image, CodeLanes lanes) {
    if (!image) return false;
    auto kernel = load(*image, lanes, kernels_.empty() ? nullptr : kernels_.back());
    if (!kernel) return false;
    kernels_.push_back(kernel);
    return true;
}

/// From now on; whether it stays is seen later.
void TieredCode::try_out(CompiledKernel const* fresh) {
    auto const executed = static_cast<double>(std::max<std::uint64_t>(executed_.load(), 1));
    double const ns = static_cast<double>(interpreted_.load()) / executed;
    trial_.emplace(fresh, approved_, approved_ == nullptr ? ns : 0);
    publish(fresh);
}

}  // namespace warpsim::sim
