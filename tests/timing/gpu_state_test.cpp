// The state of a GPU with several grids and copies of the host under way, as bytes and back.
#include "runtime/device.hpp"
#include "runtime/statistics/statistics.hpp"
#include "sim/checkpoint/archive.hpp"
#include "sim/timing/gpu.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/timing/run_timing.hpp"

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace gpu_state_test {

using namespace warpsim;

namespace {

using timing::Cycle;

struct Job {
    std::uint32_t ctas, threads, rounds;
    Cycle at;
    int priority = 0;
};
std::vector<Job> const jobs{{12, 64, 100, 0}, {3, 96, 70, 13}, {5, 32, 150, 401, 1}, {2, 128, 90, 777}};

/// Each thread walks through an array, adds up, and stores the sum.
std::string const walk = R"(
ld.global.u32 %r1, [%in]; mov.u32 %r0, 1; mov.u32 %r2, 0;
again: and.b32 %r3, %r0, 1023; mul.wide.u32 %d1, %r3, 4; add.u64 %d1, %d1, %in; ld.global.u32 %r4, [%d1];
mad.lo.u32 %r0, %r0, 3, %r4; add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r1; @%p0 bra again; st.global.u32 [%o4], %r0;
)";

/// What is carried over: state, memory, and what has ended.
struct Kept {
    std::string bytes;
    std::map<std::string, std::uint64_t> ends;
    std::vector<std::vector<std::byte>> memory;
};

/// A GPU with the launches of `jobs` prepared, and all that they leave.
class Bench {
public:
    Bench()
        : device_(sim::load_config("teaching"), functional()),
          module_(device_.load_text("k.ptx", test::kernel(walk))),
          gpu_(device_.config(), {}) {
        for (Job const& job : jobs) {
            std::vector<std::uint32_t> values(1024);
            for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i * 40503;
            values[0] = job.rounds;
            out_.push_back(device_.allocate(std::uint64_t{job.ctas} * job.threads * 4));
            auto const in = device_.upload(values);
            runtime::LaunchShape shape;
            shape.grid = {job.ctas, 1, 1};
            shape.block = {job.threads, 1, 1};
            grids_.push_back(std::make_unique<test::TimedContext>(device_.config(), *module_, "k", shape,
                                                                  runtime::Arguments::of(out_.back(), in)));
        }
    }
    void launch() {
        for (std::size_t i = 0; i < jobs.size(); ++i)
            gpu_.launch(grids_[i]->context(), grids_[i]->machine(), options_of(jobs[i]), jobs[i].at);
        timing::CopyOrder order;
        order.way = timing::CopyOrder::Way::to_device;
        order.bytes = 200'000;
        order.to = {1 << 20, order.bytes};
        order.ticket = 7;
        gpu_.begin_copy(order, 100'000);
        order.way = timing::CopyOrder::Way::inside;
        order.from = {4 << 20, order.bytes};
        order.ticket = 8;
        gpu_.begin_copy(order, 200'000);
    }
    void advance(Cycle until) {
        gpu_.advance(until);
        note();
    }
    std::string save() {
        std::string bytes;
        checkpoint::Saver saver([&](std::span<std::byte const> piece) {
            bytes.append(reinterpret_cast<char const*>(piece.data()), piece.size());
        });
        gpu_.save(saver);
        saver.flush();
        return bytes;
    }
    /// Grids and copies are under way.
    bool has_both() const { return gpu_.has_copies() && ends_.size() < jobs.size(); }
    Kept keep() {
        note_memory();
        return {save(), ends_, memory_};
    }
    /// Takes up what another GPU has written, and what was in memory then.
    void load(Kept const& kept) {
        std::string const& bytes = kept.bytes;
        for (std::size_t i = 0; i < jobs.size(); ++i)
            gpu_.adopt(static_cast<timing::GridNumber>(i), grids_[i]->context(), grids_[i]->machine(),
                       options_of(jobs[i]), jobs[i].at);
        std::size_t at = 0;
        checkpoint::Loader loader([&](std::span<std::byte> piece) {
            if (at + piece.size() > bytes.size()) throw std::runtime_error("more is read than was written");
            std::memcpy(piece.data(), bytes.data() + at, piece.size());
            at += piece.size();
        });
        gpu_.load(loader);
        CHECK(at == bytes.size());
        ends_ = kept.ends;
        memory_ = kept.memory;
        for (std::size_t i = 0; i < jobs.size(); ++i) device_.write(out_[i], memory_[i].data(), memory_[i].size());
    }
    /// Keeps what is in memory.
    void note_memory() {
        memory_.clear();
        for (std::size_t i = 0; i < jobs.size(); ++i)
            memory_.push_back(device_.download<std::byte>(out_[i], jobs[i].ctas * jobs[i].threads * 4));
    }
    /// All that was counted of each, when all is over, when that was, and what they have stored.
    std::vector<std::string> outcome() {
        while (gpu_.advance()) note();
        std::vector<std::string> list;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            sim::LaunchStatistics s;
            gpu_.retire(static_cast<timing::GridNumber>(i), s, s.timing.emplace());
            s.host_seconds = 0;
            list.push_back(statistics::to_json(s));
        }
        for (auto const& [what, end] : ends_) list.push_back(what + ": " + std::to_string(end));
        note_memory();
        for (auto const& bytes : memory_)
            list.emplace_back(reinterpret_cast<char const*>(bytes.data()), bytes.size());
        return list;
    }

private:
    static runtime::DeviceOptions functional() {
        runtime::DeviceOptions options;
        options.threads = 1;
        return options;
    }
    static timing::TimingOptions options_of(Job const& job) {
        timing::TimingOptions options;
        options.registers_per_thread = 32;
        options.priority = job.priority;
        return options;
    }
    void note() {
        for (auto const& e : gpu_.ended()) ends_["grid " + std::to_string(e.grid)] = e.at;
        for (auto const& e : gpu_.ended_copies()) ends_["copy " + std::to_string(e.ticket)] = e.at;
        gpu_.ended().clear();
        gpu_.ended_copies().clear();
    }

    runtime::Device device_;
    std::shared_ptr<runtime::Module> module_;
    timing::Gpu gpu_;
    std::vector<runtime::DevicePointer> out_;
    std::vector<std::unique_ptr<test::TimedContext>> grids_;
    std::map<std::string, std::uint64_t> ends_;
    std::vector<std::vector<std::byte>> memory_;
};

}  // namespace

TEST_CASE("A GPU with several grids and copies under way goes on where another one was", "[timing][checkpoint]") {
    std::vector<std::string> want;
    {
        Bench bench;
        bench.launch();
        want = bench.outcome();
    }
    CHECK(want.size() == 4 + 6 + 4);
    bool had_both = false;
    for (Cycle const until : std::initializer_list<Cycle>{50, 500, 900, 3000, 9000, 20000}) {
        INFO("kept before cycle " << until);
        Kept kept;
        {
            Bench first;
            first.launch();
            for (Cycle now = 0; now <= until; now += 50) first.advance(now);
            kept = first.keep();
            had_both |= first.has_both();
        }
        Bench second;  // at the same addresses
        second.load(kept);
        CHECK((second.save() == kept.bytes));
        CHECK(second.outcome() == want);
    }
    CHECK(had_both);
}

}  // namespace gpu_state_test
