// Compiled code of a module's kernels, and the cache that keeps it.
#include "runtime/device_state.hpp"
#include "runtime/log.hpp"

#include <optional>
#include <string>
#include <utility>

namespace warpsim::runtime {

namespace {

/// Compiled code of one kernel in the cache.
class CodeFiles : public sim::CodeStore {
public:
    /// Of all that the kernel's plan, and code for it, are made from.
    CodeFiles(Module::State const& module, std::uint32_t kernel, std::optional<sim::Banks> const& counts)
        : files_(module.code_files) {
        auto const add = [this](auto const& value) {
            from_.append(reinterpret_cast<char const*>(&value), sizeof value);
        };
        for (std::uint64_t const word : module.text_key) add(word);
        for (std::uint64_t const address : module.symbols.variable) add(address);
        add(module.symbols.memory);
        add(kernel);
        add(module.share_registers);
        sim::Banks const banks = counts.value_or(sim::Banks{0, 0});
        add(banks.count);
        add(banks.width_bytes);
        from_ += sim::host_name(module.host);
    }
    std::optional<std::string> find(std::string_view which) const override {
        cache::FileCache::Found found = files_->find(key(which));
        if (!found.why_not.empty()) log::debug("code not taken from the cache: " + found.why_not);
        return std::move(found.bytes);
    }
    void keep(std::string_view which, std::string const& code) const override {
        std::string const why_not = files_->store(key(which), code);
        if (!why_not.empty()) log::debug("code is not kept: " + why_not);
    }

private:
    cache::Key key(std::string_view which) const {
        cache::KeyMaker maker;
        maker.add(sim::code_stamp());
        maker.add(from_);
        maker.add(which);
        return maker.key();
    }
    std::shared_ptr<cache::FileCache const> files_;
    std::string from_;
};

std::shared_ptr<sim::TieredCode> make_code(Module::State& module, sim::KernelPlan const& plan,
                                           std::uint32_t kernel, std::optional<sim::Banks> const& counts) {
    sim::CodeTarget const target{module.host, counts};
    auto const compile = [&plan, target](sim::CodeLanes lanes, std::function<void()> const& passes) {
        return sim::compile_kernel(plan, target, lanes, passes);
    };
    auto const tell = [name = module.module.functions[kernel].name](std::string const& note) {
        log::info("kernel " + name + ": " + note);
    };
    auto const files = module.code_files ? std::make_shared<CodeFiles>(module, kernel, counts) : nullptr;
    return std::make_shared<sim::TieredCode>(
        sim::TierParts{plan, sim::TierLimits::of(plan), compile, files, tell, module.weak_from_this()});
}

}  // namespace

sim::TieredCode& Module::State::code(std::uint32_t kernel, std::optional<sim::Banks> const& counts) {
    sim::KernelPlan const& functional = plan(kernel);
    std::lock_guard const lock(planning);
    std::shared_ptr<sim::TieredCode>& code = codes[kernel];
    if (!code) code = make_code(*this, functional, kernel, counts);
    return *code;
}

}  // namespace warpsim::runtime
