// Mistakes made in correct kernels by machine, and how many of them the checkers find. The README of seeded/ has the rates.
#include "runtime/check/checkers.hpp"
#include "runtime/plan/run.hpp"
#include "sim/config/config.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/mutants.hpp"
#include "tests/support/seeds.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace mutants_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// What becomes of a mutant.
enum class Fate : std::uint8_t { found, wrong_result, unnoticed, refused };

/// A correct kernel, and how to run what has been made of it.
struct Subject {
    std::string name;
    std::string ptx;
    /// What it leaves in memory; throws Error.
    std::function<std::string(std::string const& ptx, runtime::DeviceOptions const&)> run;
};

std::string contents(std::string const& path) {
    std::ifstream file(path);
    REQUIRE(file);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

Subject subject_of_plan(std::string const& name) {
    std::string const path = WARPSIM_SOURCE_DIR "/" + name;
    plan::LaunchPlan const plan = plan::read_plan(path, contents(path));
    REQUIRE(plan.modules.size() == 1);
    auto const run = [plan](std::string const& ptx, runtime::DeviceOptions const& device) {
        plan::LaunchPlan changed = plan;
        changed.modules.clear();
        changed.text = runtime::PtxText{"mutant.ptx", ptx};
        changed.saves.clear();
        changed.expectations.clear();
        plan::RunOptions options;
        options.device = device;
        std::string left;
        options.inspect = [&](plan::Array const&, std::span<std::byte const> bytes) {
            left.append(reinterpret_cast<char const*>(bytes.data()), bytes.size());
        };
        run_plan(changed, sim::load_config("h100", {}), options);
        return left;
    };
    std::string const module = plan.modules.front();
    return {name, contents(module.starts_with('/') ? module : plan.folder + module), run};
}

Subject subject_of_seed(Seed const& seed) {
    auto const run = [threads = seed.threads](std::string const& ptx, runtime::DeviceOptions const& device) {
        Program program(ptx, "independent", device);
        program.in = program.device.allocate(std::uint64_t{128} << 10);
        auto const out = program.run<char>(65536, threads);
        return std::string(out.begin(), out.end());
    };
    return {seed.name, seed.twin, run};
}

/// Runs what was made of a subject under the checkers; `left` is what it leaves in memory.
Fate run_checked(Subject const& subject, std::string const& ptx, std::string& left) {
    check::Options options;
    options.kinds = {check::Kind::memory, check::Kind::race, check::Kind::sync};
    options.print_limit = 0;
    check::Checkers checkers(options);
    runtime::DeviceOptions device;
    device.threads = 1;
    device.max_instructions = 2'000'000;
    checkers.observe(device);
    try {
        left = subject.run(ptx, device);
    } catch (FaultError const&) {
        left = "fault";
    } catch (Error const&) {
        return Fate::refused;
    }
    return checkers.has_findings() ? Fate::found : Fate::unnoticed;
}

struct Counts {
    std::size_t made = 0, found = 0, wrong_result = 0, unnoticed = 0;
};

/// Makes all mutants of the subjects; `told` hears of those that were not found.
std::map<std::string, Counts> judge(std::vector<Subject> const& subjects,
                                    std::function<void(Subject const&, Mutant const&, Fate)> const& told) {
    std::map<std::string, Counts> counts;
    for (Subject const& subject : subjects) {
        std::string right, left;
        INFO(subject.name);
        REQUIRE(run_checked(subject, subject.ptx, right) == Fate::unnoticed);
        for (Mutant const& mutant : mutants_of(subject.ptx)) {
            Fate fate = run_checked(subject, mutant.text, left);
            if (fate == Fate::refused) continue;
            if (fate == Fate::unnoticed && left != right) fate = Fate::wrong_result;
            Counts& of_kind = counts[mutant.kind];
            ++of_kind.made;
            ++(fate == Fate::found          ? of_kind.found
               : fate == Fate::wrong_result ? of_kind.wrong_result
                                            : of_kind.unnoticed);
            if (fate != Fate::found) told(subject, mutant, fate);
        }
    }
    return counts;
}

std::vector<std::string> const plans{
    "tests/kernels/plans/bitonic.json",      "tests/kernels/plans/reduce.json",
    "tests/kernels/plans/cooperative.json",  "tests/kernels/plans/warp_lock.json",
    "tests/kernels/plans/saxpy.json",        "tests/kernels/plans/constants.json",
    "benchmarks/validation/pathfinder.json", "examples/bank_conflicts/plan.json",
    "examples/coalescing/plan.json",         "examples/divergence/plan.json",
};

}  // namespace

TEST_CASE("Mistakes that a machine makes in correct kernels are found", "[check]") {
    std::vector<Subject> subjects{subject_of_plan("tests/kernels/plans/reduce.json")};
    for (Seed const& seed : read_seeds()) {
        bool const is_chosen = seed.name == "race/tree-without-barrier" ||
                               seed.name == "race/lock-does-not-release" || seed.name == "race/release-missing" ||
                               seed.name == "race/last-block-without-fence" ||
                               seed.name == "sync/bulk-copy-not-waited-for";
        if (is_chosen) subjects.push_back(subject_of_seed(seed));
    }
    REQUIRE(subjects.size() == 6);
    // Of these the checkers say nothing. A wrong index that changes the result is left to whoever looks at that.
    std::set<std::string> const known{
        // The first threads of a single warp.
        "sync/bulk-copy-not-waited-for: barrier removed: bar.sync 0",
        // All inside of the array, and the same sum.
        "race/tree-without-barrier: index off by one: st.shared.u32 [%d0], %s",
        "race/tree-without-barrier: index off by one: ld.shared.u32 %r3, [%d1]",
    };
    std::set<std::string> missed;
    auto const counts = judge(subjects, [&](Subject const& subject, Mutant const& mutant, Fate fate) {
        if (mutant.kind == "index off by one" && fate == Fate::wrong_result) return;
        std::string const what = subject.name + ": " + mutant.kind + ": " + mutant.before;
        if (!known.contains(what)) missed.insert(what);
    });
    for (std::string const& what : missed) UNSCOPED_INFO("not found: " << what);
    CHECK(missed.empty());
    // And there were some to find, of each kind that these kernels can have.
    std::size_t made = 0;
    for (auto const& [kind, of_kind] : counts) {
        INFO(kind);
        CHECK(of_kind.found >= 1);
        made += of_kind.made;
    }
    CHECK(made >= 40);
    CHECK(counts.size() >= 6);
}

// Not a test, but the table of the README: warpsim-tests "[.mutants]"; WARPSIM_MUTANTS=1 tells of each that is not found.
TEST_CASE("Mutants of all kernels", "[.mutants]") {
    std::vector<Subject> subjects;
    for (std::string const& name : plans) subjects.push_back(subject_of_plan(name));
    for (Seed const& seed : read_seeds()) subjects.push_back(subject_of_seed(seed));
    bool const tells = std::getenv("WARPSIM_MUTANTS") != nullptr;
    auto const counts = judge(subjects, [&](Subject const& subject, Mutant const& mutant, Fate fate) {
        if (tells)
            std::printf("%s:%zu: %s%s: %s\n", subject.name.c_str(), mutant.line, mutant.kind.c_str(),
                        fate == Fate::wrong_result ? ", result changed" : "", mutant.before.c_str());
    });
    std::printf("| mistake | made | found | not found, result changed | not found, same result |\n| --- | --- | "
                "--- | --- | --- |\n");
    for (auto const& [kind, c] : counts)
        std::printf("| %s | %zu | %zu (%.0f %%) | %zu | %zu |\n", kind.c_str(), c.made, c.found,
                    100.0 * static_cast<double>(c.found) / static_cast<double>(c.made), c.wrong_result,
                    c.unnoticed);
}

}  // namespace mutants_test
