// When a kernel gets compiled code, and from where. README.md, "When code is made".
#pragma once

#include "sim/compiled/compile.hpp"
#include "sim/compiled/trial.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sim {

/// Keeps packed code of one kernel between runs.
class CodeStore {
public:
    CodeStore() = default;
    CodeStore(CodeStore const&) = delete;
    CodeStore& operator=(CodeStore const&) = delete;
    virtual ~CodeStore() = default;
    virtual std::optional<std::string> find(std::string_view which) const = 0;
    virtual void keep(std::string_view which, std::string const& code) const = 0;
};

/// How long host threads have to have executed a kernel, in nanoseconds, all launches together.
struct TierLimits {
    std::uint64_t look = 0;      // before anybody asks whether an earlier run has left code
    std::uint64_t compile = 0;   // before code is made
    std::uint64_t foreseen = 0;  // or how long the launch will still take

    static TierLimits of(KernelPlan const& plan);
};

/// What is given to it; tests give other things.
struct TierParts {
    KernelPlan const& plan;
    TierLimits limits;
    std::function<Compilation(CodeLanes, std::function<void()> const& between_passes)> compile;
    std::shared_ptr<CodeStore const> store;        // null: nothing is kept
    std::function<void(std::string const&)> tell;  // what -v says
    std::weak_ptr<void const> owner;               // of the plan; is kept while code is made
};

/// Code that is looked for, and then made beside the interpreter, when the kernel has executed enough.
class TieredCode final : public KernelCode, public std::enable_shared_from_this<TieredCode> {
public:
    explicit TieredCode(TierParts parts) : parts_(std::move(parts)) {}

    void add_work(KernelWork const& work) override;
    /// All code that can be made is, beside the interpreter. Returns when there is all of it, or sooner: calls wait for a
    /// kernel no longer than that altogether.
    void make_soon(std::chrono::nanoseconds longest);
    /// A launch is interpreted: says why, once.
    void leave_out(std::string const& why);

private:
    enum class Stage : std::uint8_t { cold, looked, making, settled };

    bool has(CodeLanes lanes) const { return has_[static_cast<std::size_t>(lanes)]; }
    bool is_missing(CodeLanes lanes) const { return !has(lanes) && (lanes == CodeLanes::all || wants_some_); }
    void go_on(KernelWork const& work, std::uint64_t spent);
    void look();
    void judge(KernelWork const& work);
    void settle();
    enum class Wants : std::uint8_t { what_is_missing, all };
    void make_beside(Wants wants);
    std::optional<CodeImage> make(CodeLanes lanes, std::function<void()> const& between_passes) const;
    void publish_last();
    bool use(std::optional<CodeImage> const& image, CodeLanes lanes);
    void try_out(CompiledKernel const* fresh);
    void ask_again_at(std::uint64_t spent) { next_.store(spent, std::memory_order_relaxed); }

    TierParts const parts_;
    std::atomic<std::uint64_t> spent_{0};  // nanoseconds
    std::atomic<std::uint64_t> interpreted_{0},
        executed_{0};                     // those before there was code, and their instructions
    std::atomic<std::uint64_t> next_{0};  // spent_ when there may be something to do
    std::atomic<bool> wants_some_{false};

    std::mutex mutex_;                 // guards the members below
    std::condition_variable is_made_;  // nothing is being made
    std::chrono::nanoseconds waited_{0};
    Stage stage_ = Stage::cold;
    bool is_left_out_ = false;
    bool has_[2] = {};  // by CodeLanes: there is code, or there never will be
    std::vector<std::shared_ptr<CompiledKernel const>> kernels_;  // the last has all code; others may be under way
    std::optional<Trial> trial_;                                  // of the last
    CompiledKernel const* approved_ = nullptr;                    // has passed its trial
};

}  // namespace warpsim::sim
