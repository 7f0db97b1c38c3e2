// When a kernel gets code: not before it has executed enough, from an earlier run where there is some, and beside the
// threads that go on.
#include "sim/background.hpp"
#include "sim/compiled/tiers.hpp"
#include "tests/support/catch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <thread>

namespace tiers_test {

using namespace warpsim::sim;

namespace {

/// One function of one op, whose code returns 0.
CodeImage image() {
    CodeImage image;
    image.bytes = std::string("\xb8\0\0\0\0\xc3\xcc\xcc", 8);
    image.imports_at = 8;
    image.functions.push_back({0, {0}, {}, 1});
    return image;
}

class Store : public CodeStore {
public:
    std::optional<std::string> find(std::string_view which) const override {
        ++asked;
        auto const at = kept.find(std::string(which));
        return at == kept.end() ? std::nullopt : std::optional(at->second);
    }
    void keep(std::string_view which, std::string const& code) const override { kept[std::string(which)] = code; }
    mutable std::atomic<int> asked{0};
    mutable std::map<std::string, std::string> kept;
};

struct Kernel {
    explicit Kernel(std::function<Compilation(CodeLanes)> compile = {}) {
        plan.functions.emplace_back();
        plan.functions.back().ops.resize(1);
        if (!compile) compile = [](CodeLanes) { return Compilation{image(), "made"}; };
        auto const counted = [this, compile](CodeLanes lanes, std::function<void()> const&) {
            ++made[static_cast<int>(lanes)];
            return compile(lanes);
        };
        auto const tell = [this](std::string const& note) { said += note + ";"; };
        code = std::make_shared<TieredCode>(TierParts{plan, {10, 100, 1000}, counted, store, tell, owner});
    }
    /// An instruction takes a nanosecond.
    void work(std::uint64_t amount, bool has_some_lanes = false) const {
        code->add_work({amount, amount, 0, code->current(), false, has_some_lanes});
        Background::of_process().wait();
    }
    /// Reports of so many nanoseconds an instruction by the interpreter and by native code, as they come, until a trial
    /// is over.
    void run(double interpreted, double native) const {
        for (std::size_t i = 0; i < 4 * Trial::reports_of_turn; ++i) {
            double const ns = code->current() == nullptr ? interpreted : native;
            code->add_work({1000, static_cast<std::uint64_t>(1000 * ns), 0, code->current(), false, false});
        }
    }
    bool has(CodeLanes lanes) const {
        CompiledKernel const* const now = code->current();
        if (now == nullptr) return false;
        return now->functions[0].code_for(lanes == CodeLanes::all ? warpsim::isa::all_lanes : 1) != nullptr;
    }

    KernelPlan plan;
    std::shared_ptr<Store> store = std::make_shared<Store>();
    std::shared_ptr<int> owner = std::make_shared<int>(0);
    std::atomic<int> made[2] = {0, 0};
    std::string said;
    std::shared_ptr<TieredCode> code;
};

int status_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

}  // namespace

TEST_CASE("A kernel is looked for and then compiled when it has executed enough") {
    Kernel kernel;
    kernel.work(9);
    CHECK(kernel.store->asked == 0);
    kernel.work(1);
    CHECK(kernel.store->asked == 2);
    kernel.work(89);
    CHECK(kernel.made[0] == 0);
    CHECK(kernel.code->current() == nullptr);
    kernel.work(1);
    CHECK(kernel.made[0] == 1);
    CHECK(kernel.made[1] == 0);
    CHECK(kernel.has(CodeLanes::all));
    CHECK_FALSE(kernel.has(CodeLanes::some));
    CHECK(kernel.store->kept.size() == 1);
    CHECK(kernel.said == "made;");
    kernel.work(1000);
    kernel.work(1000);
    CHECK(kernel.made[0] == 1);
    CHECK(kernel.store->asked == 2);
}

TEST_CASE("Code for splits of some lanes is made when there are some") {
    Kernel kernel;
    kernel.work(100);
    kernel.work(100, true);
    CHECK_FALSE(kernel.has(CodeLanes::some));
    kernel.run(1.0, 0.5);
    kernel.work(100);
    CHECK(kernel.has(CodeLanes::all));
    CHECK(kernel.has(CodeLanes::some));
    CHECK(kernel.made[0] == 1);
    CHECK(kernel.made[1] == 1);
    Kernel other;
    other.work(100, true);
    CHECK(other.has(CodeLanes::all));
    CHECK(other.has(CodeLanes::some));
}

TEST_CASE("Code of an earlier run is used at once and damaged code never") {
    Kernel kernel;
    kernel.store->kept["all"] = pack(image());
    kernel.store->kept["some"] = pack(image());
    kernel.work(10);
    CHECK(kernel.has(CodeLanes::all));
    CHECK(kernel.has(CodeLanes::some));
    kernel.work(1000, true);
    CHECK(kernel.made[0] + kernel.made[1] == 0);

    Kernel other;
    other.store->kept["all"] = pack(image()).substr(1);
    other.work(10);
    CHECK_FALSE(other.has(CodeLanes::all));
    other.work(100);
    CHECK(other.has(CodeLanes::all));
    CHECK(other.store->kept["all"] == pack(image()));
}

TEST_CASE("A launch that will take long is compiled early") {
    Kernel kernel;
    kernel.code->add_work({9, 9, 1000});
    kernel.code->add_work({1, 1, 999});
    kernel.code->add_work({10, 10, 999});
    Background::of_process().wait();
    CHECK(kernel.made[0] == 0);
    kernel.code->add_work({10, 10, 1000});
    Background::of_process().wait();
    CHECK(kernel.made[0] == 1);
}

TEST_CASE("Code that is slower than the interpreter is not used again") {
    Kernel quicker;
    quicker.work(100);
    CHECK(quicker.has(CodeLanes::all));
    quicker.run(1.0, 0.9);
    CHECK(quicker.has(CodeLanes::all));
    Kernel slower;
    slower.work(100);
    slower.run(1.0, 1.25);
    CHECK(slower.code->current() == nullptr);
    CHECK(slower.said == "made;interpreted: native code takes 1.25 times as long;");
    slower.work(1000, true);
    CHECK(slower.code->current() == nullptr);
    CHECK(slower.made[1] == 0);
}

TEST_CASE("Code for some lanes that makes a kernel slower leaves that for all lanes") {
    Kernel kernel;
    kernel.work(100);
    kernel.run(1.0, 0.9);
    kernel.work(100, true);
    REQUIRE(kernel.has(CodeLanes::some));
    for (std::size_t i = 0; i < 4 * Trial::reports_of_turn; ++i) {
        std::uint64_t const ns = kernel.has(CodeLanes::some) ? 1000 : 900;
        kernel.code->add_work({1000, ns, 0, kernel.code->current()});
    }
    CHECK(kernel.has(CodeLanes::all));
    CHECK_FALSE(kernel.has(CodeLanes::some));
}

TEST_CASE("A trial compares medians of reports that are all of one code") {
    CompiledKernel const fresh;
    auto const report = [](CompiledKernel const* code, std::uint64_t ns) { return KernelWork{100, ns, 0, code}; };
    Trial trial(&fresh, nullptr, 10);
    KernelWork mixed = report(&fresh, 1);
    mixed.is_mixed = true;
    for (int i = 0; i < 100; ++i) {
        CHECK(trial.add(mixed) == Trial::Verdict::open);
        CHECK(trial.add(report(nullptr, 1)) == Trial::Verdict::open);
    }
    CHECK(trial.turn() == &fresh);
    // One of two reports while the host does something else.
    for (std::size_t i = 1; i < Trial::reports_of_turn; ++i)
        CHECK(trial.add(report(&fresh, i % 3 == 0 ? 5000 : 700)) == Trial::Verdict::open);
    CHECK(trial.add(report(&fresh, 700)) == Trial::Verdict::quicker);

    Trial close(&fresh, nullptr, 10);
    for (std::size_t turn = 0; turn < 4; ++turn) {
        for (std::size_t i = 0; i < Trial::reports_of_turn; ++i) {
            CHECK(close.turn() == (turn % 2 == 0 ? &fresh : nullptr));
            bool const is_last = turn == 3 && i == Trial::reports_of_turn - 1;
            CHECK(close.add(report(close.turn(), turn % 2 == 0 ? 900 : 600)) ==
                  (is_last ? Trial::Verdict::slower : Trial::Verdict::open));
        }
    }
    CHECK(close.ratio() == 1.5);
}

TEST_CASE("What cannot be compiled is tried once and interpreted") {
    Kernel kernel([](CodeLanes) { return Compilation{std::nullopt, "not compiled: why"}; });
    for (int i = 0; i < 5; ++i) kernel.work(100, true);
    CHECK(kernel.code->current() == nullptr);
    CHECK(kernel.made[0] == 1);
    CHECK(kernel.made[1] == 1);
    CHECK(kernel.store->kept.empty());
    CHECK(kernel.said == "not compiled: why;not compiled: why;");
    Kernel throwing([](CodeLanes) -> Compilation { throw std::runtime_error("why"); });
    for (int i = 0; i < 5; ++i) throwing.work(100, true);
    CHECK(throwing.code->current() == nullptr);
    CHECK(throwing.made[0] == 1);
}

TEST_CASE("Code can be asked for before anything runs") {
    Kernel kernel;
    kernel.code->make_soon(std::chrono::hours(1));
    CHECK(kernel.has(CodeLanes::all));
    CHECK(kernel.has(CodeLanes::some));
    kernel.code->make_soon(std::chrono::hours(1));
    kernel.work(1000, true);
    CHECK(kernel.made[0] == 1);
    CHECK(kernel.made[1] == 1);
}

TEST_CASE("Nobody waits longer for a kernel's code than was said and it is used when it is there") {
    std::atomic<bool> goes_on[2] = {false, false};
    Kernel kernel([&](CodeLanes lanes) {
        while (!goes_on[static_cast<int>(lanes)]) std::this_thread::yield();
        return Compilation{image(), "made"};
    });
    kernel.code->make_soon(std::chrono::milliseconds(1));
    CHECK(kernel.code->current() == nullptr);
    kernel.code->make_soon(std::chrono::milliseconds(1));
    CHECK(kernel.code->current() == nullptr);
    goes_on[0] = true;
    while (kernel.code->current() == nullptr) std::this_thread::yield();
    // One version is made, the other not yet.
    kernel.code->make_soon(std::chrono::milliseconds(1));
    CHECK(kernel.has(CodeLanes::all));
    CHECK_FALSE(kernel.has(CodeLanes::some));
    goes_on[1] = true;
    Background::of_process().wait();
    CHECK(kernel.has(CodeLanes::some));
    CHECK(kernel.made[0] == 1);
    CHECK(kernel.made[1] == 1);
}

TEST_CASE("Code that is asked for is tried no longer") {
    Kernel kernel;
    kernel.work(100);
    REQUIRE(kernel.has(CodeLanes::all));
    kernel.code->make_soon(std::chrono::hours(1));
    CHECK(kernel.has(CodeLanes::some));
    kernel.run(1.0, 2.0);
    CHECK(kernel.has(CodeLanes::all));
    Kernel failing([](CodeLanes) -> Compilation { throw std::runtime_error("why"); });
    failing.code->make_soon(std::chrono::hours(1));
    CHECK(failing.code->current() == nullptr);
    CHECK(failing.made[0] == 1);
    CHECK(failing.made[1] == 1);
}

TEST_CASE("Threads go on while code is made and find it when it is there") {
    Kernel kernel;
    std::vector<std::thread> threads;
    std::atomic<int> ran{0};
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            CompiledState state;
            for (int i = 0; i < 100000; ++i) {
                kernel.code->add_work({1, 1, 0, kernel.code->current(), false, i % 2 != 0});
                CompiledKernel const* const now = kernel.code->current();
                if (now == nullptr) continue;
                CompiledRun const run = now->functions[0].code_for(i % 2 == 0 ? warpsim::isa::all_lanes : 1);
                if (run != nullptr && run(state, 0) == CompiledExit::at_op) ++ran;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    kernel.work(1000, true);
    kernel.work(1000, true);
    CHECK(kernel.has(CodeLanes::all));
    CHECK(kernel.has(CodeLanes::some));
    CHECK(kernel.made[0] == 1);
    CHECK(kernel.made[1] == 1);
}

TEST_CASE("The owner of a plan is kept while code is made, and not while that waits for its turn") {
    std::atomic<bool> has_begun{false}, goes_on{false};
    Kernel kernel([&](CodeLanes) {
        for (has_begun = true; !goes_on;) std::this_thread::yield();
        return Compilation{image(), ""};
    });
    Kernel later;
    for (Kernel* const one : {&kernel, &later}) {
        one->code->add_work({10, 10});
        one->code->add_work({100, 100});
    }
    while (!has_begun) std::this_thread::yield();
    std::weak_ptr<int> const owner = kernel.owner, of_later = later.owner;
    kernel.owner.reset();
    later.owner.reset();
    CHECK_FALSE(owner.expired());
    CHECK(of_later.expired());
    goes_on = true;
    Background::of_process().wait();
    CHECK(owner.expired());
    CHECK(later.made[0] == 0);
}

#ifndef __SANITIZE_THREAD__  // which does not let a forked process make threads
TEST_CASE("A process ends while work goes on in the background and one forked from it does none") {
    Background::of_process().wait();
    pid_t const child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        static std::atomic<bool> has_begun{false};
        bool const begins = Background::of_process().add([](Background::Checkpoint const& check) {
            for (has_begun = true;;) check();
        });
        if (!begins) std::exit(0);  // other tests of this process have had a thread
        while (!has_begun) std::this_thread::yield();
        pid_t const forked = fork();
        if (forked == 0) std::exit(Background::of_process().add([](auto const&) {}) ? 1 : 0);
        std::exit(status_of(forked));
    }
    CHECK(status_of(child) == 0);
}
#endif

}  // namespace tiers_test
