// What sinks are told: every kind of event, in functional and in timing mode.
#include "sim/events.hpp"
#include "sim/exec/fault.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <numeric>

namespace events_test {

using namespace warpsim;
using namespace warpsim::test;
using sim::EventKind;

namespace {

/// Keeps what it is told as copies, because the references in events do not outlive the call.
class Notes : public sim::EventSink {
public:
    explicit Notes(sim::EventMask wanted) : wanted_(wanted) {}
    sim::EventMask wants() const override { return wanted_; }

    struct At {
        std::uint32_t cta = 0, warp = 0, line = 0;
        std::uint64_t cycle = 0;
    };
    struct Lanes : At {
        isa::LaneMask first = 0, second = 0, third = 0;
    };
    struct Place {
        int cta = -1;  // global memory
        std::uint64_t address = 0;
    };
    static Place place(sim::MemoryPlace const& p) {
        return {p.cta == nullptr ? -1 : static_cast<int>(p.cta->id[0]), p.address};
    }

    void launch_begins(sim::LaunchBegin const& e) override {
        log += "begin " + std::string(e.kernel) + " " + std::to_string(e.launch.grid[0]) + "x" +
               std::to_string(e.launch.block[0]) + ";";
    }
    void launch_ends(sim::LaunchEnd const& e) override {
        log += "end " + std::string(e.kernel) + (e.has_faulted ? " faulted;" : ";");
    }
    void cta_starts(sim::CtaStart const& e) override {
        starts.push_back(e.cta.id[0]);
        start_cycles.push_back(e.cycle);
    }
    void cta_ends(sim::CtaEnd const& e) override {
        ends.push_back(e.cta.id[0]);
        end_cycles.push_back(e.cycle);
    }
    void instruction(sim::InstructionEvent const& e) override {
        instructions.push_back({at(e.site), e.active, e.mask});
        sequence += 'i';
    }
    struct Accessed : At {
        sim::SpaceKind space{};
        sim::OpKind kind{};
        isa::LaneMask mask = 0;
        std::uint32_t bytes = 0;
        bool is_late = false;
        std::vector<std::uint64_t> addresses, values;
    };
    void access(sim::AccessEvent const& e) override {
        Accessed a{at(e.site), e.space, e.site.op.kind, e.addresses.mask, e.addresses.bytes, e.is_late, {}, {}};
        for (isa::LaneMask m = a.mask; m != 0; m &= m - 1) {
            a.addresses.push_back(e.addresses.of(std::countr_zero(m)));
            a.values.push_back(e.is_late ? 0 : e.value(std::countr_zero(m))[0]);
        }
        accesses.push_back(std::move(a));
    }
    void diverges(sim::DivergenceEvent const& e) override {
        divergences.push_back({at(e.site), e.taken, e.not_taken});
        isa::LaneMask all = 0;
        for (sim::DivergedPath const& s : e.splits) all |= s.lanes;
        CHECK(all == (e.taken | e.not_taken));
    }
    void reconverges(sim::ReconvergenceEvent const& e) override {
        reconvergences.push_back({at(e.site), e.lanes});
    }
    void arrives_at_barrier(sim::BarrierArrival const& e) override {
        bool const is_cluster = e.scope == sim::BarrierScope::cluster;
        log += std::string(is_cluster ? "cluster" : "cta") + (e.waits ? " waits " : " arrives ") +
               std::to_string(e.id) + " warp " + std::to_string(e.site.warp.index) + ";";
        CHECK(e.lanes == isa::all_lanes);
    }
    void barrier_releases(sim::BarrierRelease const& e) override {
        bool const is_cluster = e.scope == sim::BarrierScope::cluster;
        log += std::string(is_cluster ? "cluster" : "cta") + " " + std::to_string(e.cta.id[0]) + " releases " +
               std::to_string(e.id) + ";";
    }
    struct OfMbarrier {
        Place place;
        sim::MbarrierOperation operation{};
        std::uint32_t count = 0, cta = 0, thread = 0;
        bool passed = false;
    };
    void mbarrier(sim::MbarrierEvent const& e) override {
        mbarriers.push_back({place(e.place), e.operation, e.count, e.cta[0], e.thread, e.passed});
    }
    void mbarrier_releases(sim::MbarrierRelease const& e) override {
        log += "phase " + std::to_string(e.parity) + " of " + std::to_string(e.place.cta->id[0]) + ";";
    }
    void collective(sim::CollectiveEvent const& e) override {
        collectives.push_back({at(e.site), e.members, e.lanes, e.together});
        effects.push_back(e.site.op.effect);
    }
    struct Copied {
        bool arrives = false;
        Place from, to;
        std::uint32_t bytes = 0, source_bytes = 0, thread = 0;
        bool is_bulk = false, is_of_registers = false, is_in_group = false;
        Place barrier;
    };
    void copy_issues(sim::CopyIssue const& e) override {
        copies.push_back({false, place(e.from), place(e.to), e.bytes, e.source_bytes,
                          32 * e.site.warp.index + static_cast<std::uint32_t>(e.lane), e.is_bulk,
                          e.is_of_registers, e.is_in_group, place(e.barrier)});
    }
    void copy_group(sim::CopyGroupEvent const& e) override {
        using Action = sim::CopyGroupEvent::Action;
        char const* const what = e.action == Action::commit ? "commit"
                                 : e.action == Action::wait ? "wait"
                                                            : "arrive";
        groups += std::string(what) + (e.of == sim::CopyGroupEvent::Of::bulk_copies ? " bulk" : "") +
                  (e.action == Action::wait && !e.is_for_all ? " " + std::to_string(e.left) : "") +
                  (e.is_for_reads ? " read " : " ") + std::to_string(std::popcount(e.lanes)) + ";";
    }
    void copy_arrives(sim::CopyArrival const& e) override {
        copies.push_back({true, place(e.from), place(e.to), e.bytes, 0, e.thread, e.is_bulk, false, false, {}});
    }
    void fence(sim::FenceEvent const& e) override {
        fences.push_back({at(e.site), e.lanes});
        orders.emplace_back(e.order, e.scope);
    }
    void calls(sim::CallEvent const& e) override {
        log += "call " + (e.callee != nullptr ? e.callee->function->name : std::string("builtin")) + " " +
               std::to_string(std::popcount(e.lanes)) + ";";
    }
    void returns(sim::ReturnEvent const& e) override {
        log +=
            "return " + e.site.frame.function->function->name + " " + std::to_string(std::popcount(e.lanes)) + ";";
    }
    void exits(sim::ExitEvent const& e) override {
        exited |= e.lanes;
        CHECK(e.site.warp.index == 0);
    }
    void allocation(sim::AllocationEvent const& e) override {
        constexpr char const* sources[] = {"host", "shared", "texels", "visible", "heap"};
        log += std::string(sources[static_cast<std::size_t>(e.source)]) +
               (e.is_free ? " free" : " alloc " + std::to_string(e.bytes)) + " by " + std::to_string(e.thread) +
               ";";
        CHECK(e.address != 0);
    }
    void host_access(sim::HostAccessEvent const& e) override { host.push_back(e); }
    void micro_op(sim::MicroOpEvent const& e) override { micro_ops[e.place.instruction] += 1; }
    void stalls(sim::StallEvent const& e) override {
        CHECK(e.from < e.until);
        CHECK(e.warp.index < e.cta.warps.size());
        stalled[static_cast<std::size_t>(e.reason)] += e.until - e.from;
    }
    void leaves(sim::ResidenceEvent const& e) override {
        CHECK(e.warp.index < e.cta.warps.size());
        resident += e.until - e.from;
        ++left;
    }
    void fault(sim::FaultEvent const& e) override {
        log += "fault of thread " + std::to_string(e.fault.thread[0]) + ";";
        CHECK(e.fault.kind == FaultKind::illegal_address);
    }

    static At at(sim::Site const& s) {
        return {s.cta.id[0], s.warp.index, s.frame.function->function->instructions[s.op.instruction].span.offset,
                s.cycle};
    }

    std::string log, sequence, groups;
    std::vector<std::uint32_t> starts, ends;
    std::vector<std::uint64_t> start_cycles, end_cycles;
    std::vector<Lanes> instructions, divergences, reconvergences, collectives, fences;
    std::vector<Accessed> accesses;
    std::vector<OfMbarrier> mbarriers;
    std::vector<isa::Effect> effects;
    std::vector<Copied> copies;
    std::vector<std::pair<isa::Order, isa::Scope>> orders;
    std::vector<sim::HostAccessEvent> host;
    std::map<std::uint32_t, std::uint64_t> micro_ops;  // by instruction
    sim::StallCounts stalled{};
    std::uint64_t resident = 0, left = 0;  // warp cycles, warps
    isa::LaneMask exited = 0;

private:
    sim::EventMask wanted_;
};

struct Heard {
    std::shared_ptr<Notes> notes;
    bool is_timed = false;
    std::uint64_t out = 0, in = 0;
};

/// Runs the kernel in both modes and lets `look` see what a sink for the events `wanted` was told.
void hear(sim::EventMask wanted, std::string const& text, runtime::LaunchShape shape,
          std::function<void(Heard const&)> const& look) {
    for (runtime::Mode const mode : {runtime::Mode::functional, runtime::Mode::timing}) {
        INFO((mode == runtime::Mode::timing ? "timing" : "functional"));
        Heard heard;
        heard.notes = std::make_shared<Notes>(wanted);
        heard.is_timed = mode == runtime::Mode::timing;
        runtime::DeviceOptions options;
        options.mode = mode;
        options.threads = 2;
        options.sinks = {heard.notes};
        runtime::Device device(sim::load_config("h100"), options);
        auto const module = device.load_text("test.ptx", text);
        heard.out = device.allocate(4096);
        heard.in = device.upload(each<std::uint32_t>(1024, [](std::uint32_t i) { return 1000 + i; }));
        try {
            device.launch(*module, "k", shape, runtime::Arguments::of(heard.out, heard.in));
        } catch (FaultError const&) {}
        device.free(heard.out);
        look(heard);
    }
}

runtime::LaunchShape shape(std::uint32_t ctas, std::uint32_t threads, std::uint32_t cluster = 0) {
    runtime::LaunchShape s;
    s.grid = {ctas, 1, 1};
    s.block = {threads, 1, 1};
    if (cluster != 0) s.cluster = {cluster, 1, 1};
    return s;
}

}  // namespace

TEST_CASE("Sinks are told of launches and CTAs", "[exec][events]") {
    hear(sim::event_mask(EventKind::launch, EventKind::cta), kernel(""), shape(3, 40), [](Heard const& heard) {
        Notes& notes = *heard.notes;
        CHECK(notes.log == "begin k 3x40;end k;");
        for (auto* const list : {&notes.starts, &notes.ends}) {
            std::sort(list->begin(), list->end());
            CHECK(*list == std::vector<std::uint32_t>{0, 1, 2});
        }
        CHECK((notes.end_cycles.back() > notes.start_cycles.back()) == heard.is_timed);
        CHECK(notes.instructions.empty());
    });
}

TEST_CASE("Sinks are told of instructions with their lanes before and after the guard", "[exec][events]") {
    hear(sim::event_mask(EventKind::instruction), kernel("setp.lt.u32 %p0, %i, 5; @%p0 st.global.u32 [%o4], %i;"),
         shape(1, 40), [](Heard const& heard) {
             auto const& list = heard.notes->instructions;
             auto const guarded = std::count_if(list.begin(), list.end(), [](Notes::Lanes const& e) {
                 return e.warp == 0 && e.first == isa::all_lanes && e.second == 0x1f;
             });
             CHECK(guarded == 1);
             CHECK(std::any_of(list.begin(), list.end(),
                               [](Notes::Lanes const& e) { return e.warp == 1 && e.first == 0xff; }));
             CHECK(std::any_of(list.begin(), list.end(), [](Notes::Lanes const& e) { return e.cycle != 0; }) ==
                   heard.is_timed);
             CHECK(heard.notes->accesses.empty());
         });
}

TEST_CASE("Sinks are told of accesses with addresses, bytes and values", "[exec][events]") {
    std::string const body = R"(
        mov.u32 %r1, box; mad.lo.u32 %r1, %i, 4, %r1; mad.lo.u32 %r2, %i, 3, 7; setp.lt.u32 %p0, %i, 4;
        @%p0 st.shared.u32 [%r1], %r2; add.u64 %d1, %in, 16; ld.global.u32 %r3, [%d1];
        atom.shared.add.u32 %r4, [box], 2; @%p0 st.global.u32 [%o4], %r3;
        @%p0 st.local.u32 [own], %r3; @%p0 ld.local.u32 %r5, [own]; st.global.u32 [%o4], %r5;
        mov.u64 %d2, box; cvta.shared.u64 %d3, %d2; ld.u32 %r6, [%d3]; st.global.u32 [%o4], %r6;
        atom.global.add.u32 %r7, [%out+512], 1; st.global.u32 [%o4], %r7;)";
    hear(sim::event_mask(EventKind::access), kernel(".local .u32 own;\n" + body, ".shared .u32 box[32];"),
         shape(1, 32), [](Heard const& heard) {
             auto const& list = heard.notes->accesses;
             auto const find = [&](sim::SpaceKind space, sim::OpKind kind) -> Notes::Accessed const& {
                 auto const it = std::find_if(list.begin(), list.end(), [&](Notes::Accessed const& a) {
                     return a.space == space && a.kind == kind;
                 });
                 REQUIRE(it != list.end());
                 return *it;
             };
             auto const& stored = find(sim::SpaceKind::shared, sim::OpKind::store);
             CHECK(stored.mask == 0xf);
             CHECK(stored.bytes == 4);
             CHECK(stored.addresses == std::vector<std::uint64_t>{0, 4, 8, 12});
             CHECK(stored.values == std::vector<std::uint64_t>{7, 10, 13, 16});
             auto const& loaded = find(sim::SpaceKind::global, sim::OpKind::load);
             CHECK(loaded.mask == isa::all_lanes);
             CHECK(loaded.addresses == std::vector<std::uint64_t>(32, heard.in + 16));
             CHECK(loaded.values == std::vector<std::uint64_t>(32, 1004));
             CHECK(find(sim::SpaceKind::shared, sim::OpKind::atomic).values[3] == 7 + 2 * 3);
             CHECK(find(sim::SpaceKind::local, sim::OpKind::load).values == std::vector<std::uint64_t>(4, 1004));
             CHECK(find(sim::SpaceKind::shared, sim::OpKind::load).values[0] == 7 + 64);  // a generic address
             auto const& added = find(sim::SpaceKind::global, sim::OpKind::atomic);
             CHECK(added.is_late == heard.is_timed);
             CHECK(added.addresses[5] == heard.out + 512);
             if (!added.is_late) CHECK(added.values[5] == 5);
         });
}

TEST_CASE("Sinks are told where lanes part and meet", "[exec][events]") {
    std::string const body = R"(
        mov.u32 %r0, 0; and.b32 %r1, %i, 3;
        LOOP: .pragma "nounroll"; add.u32 %r0, %r0, 1; setp.le.u32 %p0, %r0, %r1; @%p0 bra LOOP; st.global.u32 [%o4], %r0;)";
    hear(sim::event_mask(EventKind::divergence, EventKind::reconvergence), kernel(body), shape(1, 32),
         [](Heard const& heard) {
             auto const& list = heard.notes->divergences;
             REQUIRE(list.size() == 3);
             CHECK(list[0].first == 0xeeeeeeee);
             CHECK(list[0].second == 0x11111111);
             CHECK(list[2].first == 0x88888888);
             REQUIRE(!heard.notes->reconvergences.empty());
             CHECK(heard.notes->reconvergences.back().first == isa::all_lanes);
         });
    hear(sim::event_mask(EventKind::divergence),
         kernel("and.b32 %r1, %i, 1; TO: .branchtargets A, B; brx.idx %r1, TO; A: st.global.u32 [%o4], 1; bra C;\n"
                "B: st.global.u32 [%o4], 2; C:"),
         shape(1, 32), [](Heard const& heard) {
             REQUIRE(heard.notes->divergences.size() == 1);
             CHECK(heard.notes->divergences[0].first == isa::all_lanes);
         });
}

TEST_CASE("Sinks are told of arrivals at barriers and of their ends", "[exec][events]") {
    hear(sim::event_mask(EventKind::barrier), kernel("bar.sync 3; barrier.cta.arrive 4, 64; bar.sync 4, 64;"),
         shape(1, 32), [](Heard const& heard) {
             CHECK(
                 heard.notes->log ==
                 "cta waits 3 warp 0;cta 0 releases 3;cta arrives 4 warp 0;cta waits 4 warp 0;cta 0 releases 4;");
         });
    hear(sim::event_mask(EventKind::barrier),
         kernel("barrier.cluster.arrive; barrier.cluster.wait; st.global.u32 [%o4], 1;"), shape(2, 32, 2),
         [](Heard const& heard) {
             std::string const& log = heard.notes->log;
             auto const count = [&](std::string const& part) {
                 std::size_t found = 0;
                 for (std::size_t at = 0; (at = log.find(part, at)) != std::string::npos; ++at) ++found;
                 return found;
             };
             CHECK(count("cluster arrives 0 warp 0;") == 2);
             CHECK(count("cluster waits 0 warp 0;") == 2);
             CHECK(log.rfind("cluster arrives 0 warp 0;") < log.find("releases"));
             CHECK(contains(log, "cluster 0 releases 0;"));
             CHECK(contains(log, "cluster 1 releases 0;"));
         });
}

TEST_CASE("Sinks are told what threads do to mbarriers and when phases end", "[exec][events]") {
    std::string const body = R"(
        setp.eq.u32 %p0, %i, 0; @%p0 mbarrier.init.shared.b64 [bar], 32; bar.sync 0;
        @%p0 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 0;
        mbarrier.arrive.shared.b64 %d0, [bar]; WAIT: mbarrier.test_wait.shared.b64 %p1, [bar], %d0; @!%p1 bra WAIT;
        bar.sync 0; @%p0 mbarrier.inval.shared.b64 [bar];)";
    hear(sim::event_mask(EventKind::mbarrier), kernel(body, ".shared .align 8 .b64 bar;"), shape(1, 32),
         [](Heard const& heard) {
             using Operation = sim::MbarrierOperation;
             auto const& list = heard.notes->mbarriers;
             auto const count = [&](Operation operation) {
                 return std::count_if(list.begin(), list.end(),
                                      [&](Notes::OfMbarrier const& e) { return e.operation == operation; });
             };
             REQUIRE(!list.empty());
             CHECK(list.front().operation == Operation::initialize);
             CHECK(list.front().count == 32);
             CHECK(list.front().place.cta == 0);
             CHECK(count(Operation::expect) == 1);
             CHECK(count(Operation::arrive) == 32);
             CHECK(count(Operation::invalidate) == 1);
             CHECK(std::any_of(list.begin(), list.end(), [](Notes::OfMbarrier const& e) {
                 return e.operation == Operation::arrive && e.thread == 31 && e.count == 1;
             }));
             CHECK(std::any_of(list.begin(), list.end(), [](Notes::OfMbarrier const& e) {
                 return e.operation == Operation::test && e.passed;
             }));
             CHECK(heard.notes->log == "phase 0 of 0;");
         });
}

TEST_CASE("Sinks are told of operations of a warp and who took part", "[exec][events]") {
    std::string const body = R"(
        shfl.sync.bfly.b32 %r0, %i, 1, 31, -1; setp.lt.u32 %p0, %i, 16; @%p0 bra LOW;
        redux.sync.add.u32 %r1, %i, -1; bra END; LOW: redux.sync.add.u32 %r1, %i, -1; END:
        add.u32 %r0, %r0, %r1; st.global.u32 [%o4], %r0;)";
    hear(sim::event_mask(EventKind::collective), kernel(body), shape(1, 32), [](Heard const& heard) {
        auto const& list = heard.notes->collectives;
        REQUIRE(list.size() == 3);
        CHECK(heard.notes->effects[0] == isa::Effect::shuffle);
        CHECK(list[0].first == isa::all_lanes);
        CHECK(list[0].second == isa::all_lanes);
        CHECK(heard.notes->effects[2] == isa::Effect::reduce_warp);
        CHECK((list[1].second | list[2].second) == isa::all_lanes);
        CHECK((list[1].second & list[2].second) == 0);
        CHECK(list[1].third == isa::all_lanes);
    });
}

TEST_CASE("Sinks are told when asynchronous copies are issued and when they have arrived", "[exec][events]") {
    std::string const body = R"(
        setp.eq.u32 %p0, %i, 0; @%p0 mbarrier.init.shared.b64 [bar], 1; bar.sync 0;
        setp.eq.u32 %p1, %i, 3; add.u64 %d1, %in, 32;
        @%p1 cp.async.ca.shared.global [cells], [%d1], 16, 8; cp.async.commit_group; cp.async.wait_group 2;
        cp.async.wait_all;
        @!%p0 bra END;
        mbarrier.arrive.expect_tx.shared.b64 %d0, [bar], 64;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [cells+128], [%in], 64, [bar];
        WAIT: mbarrier.try_wait.shared.b64 %p2, [bar], %d0; @!%p2 bra WAIT;
        fence.proxy.async.shared::cta; add.u64 %d2, %out, 256;
        cp.async.bulk.global.shared::cta.bulk_group [%d2], [cells+128], 32;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 1; cp.async.bulk.wait_group 0;
        END:)";
    hear(sim::event_mask(EventKind::copy, EventKind::copy_group, EventKind::mbarrier),
         kernel(body, ".shared .align 8 .b64 bar; .shared .align 128 .b8 cells[256];"), shape(1, 32),
         [](Heard const& heard) {
             auto const& list = heard.notes->copies;
             REQUIRE(list.size() == 6);
             for (std::size_t i = 0; i < 6; ++i) CHECK(list[i].arrives == (i % 2 != 0));
             CHECK(list[0].thread == 3);
             CHECK(list[0].from.cta == -1);
             CHECK(list[0].from.address == heard.in + 32);
             CHECK(list[0].to.cta == 0);
             CHECK(list[0].bytes == 16);
             CHECK(list[0].source_bytes == 8);
             CHECK(!list[0].is_bulk);
             CHECK(list[0].is_in_group);
             CHECK(list[0].barrier.cta == -1);
             CHECK(!list[2].is_in_group);
             CHECK(list[2].barrier.cta == 0);
             CHECK(list[4].is_in_group);
             CHECK(heard.notes->groups ==
                   "commit 32;wait 2 32;wait 32;commit bulk 1;wait bulk 1 read 1;wait bulk 0 1;");
             CHECK(list[1].thread == 3);
             CHECK(list[1].to.address == list[0].to.address);
             CHECK(list[2].bytes == 64);
             CHECK(list[2].is_bulk);
             CHECK(list[3].to.address == list[0].to.address + 128);
             CHECK(list[5].to.cta == -1);
             CHECK(list[5].to.address == heard.out + 256);
             CHECK(list[5].from.cta == 0);
             CHECK(std::any_of(heard.notes->mbarriers.begin(), heard.notes->mbarriers.end(),
                               [](Notes::OfMbarrier const& e) {
                                   return e.operation == sim::MbarrierOperation::complete && e.count == 64;
                               }));
         });
}

TEST_CASE("Sinks are told of fences with order and scope", "[exec][events]") {
    hear(sim::event_mask(EventKind::fence), kernel("fence.acq_rel.cta; membar.gl; fence.sc.sys;"), shape(1, 32),
         [](Heard const& heard) {
             REQUIRE(heard.notes->fences.size() == 3);
             CHECK(heard.notes->fences[0].first == isa::all_lanes);
             CHECK(heard.notes->orders[0] == std::pair(isa::Order::acq_rel, isa::Scope::cta));
             CHECK(heard.notes->orders[2] == std::pair(isa::Order::sc, isa::Scope::sys));
         });
}

TEST_CASE("Sinks are told of calls, returns and exits", "[exec][events]") {
    std::string const functions = R"(
        .func (.reg .u32 r) twice(.reg .u32 a) { add.u32 r, a, a; ret; }
        .extern .func (.param .b64 p) malloc(.param .b64 n);
        .extern .func free(.param .b64 p);)";
    std::string const body = R"(
        setp.lt.u32 %p0, %i, 6; @%p0 call (%r0), twice, (%i); st.global.u32 [%o4], %r0;
        setp.ne.u32 %p1, %i, 2; @%p1 exit;
        { .param .b64 n; .param .b64 p; st.param.b64 [n], 48; call (p), malloc, (n); ld.param.b64 %d1, [p]; }
        { .param .b64 p; st.param.b64 [p], %d1; call free, (p); })";
    hear(sim::event_mask(EventKind::call, EventKind::allocation), kernel(body, functions), shape(1, 32),
         [](Heard const& heard) {
             CHECK(heard.notes->log == "host alloc 4096 by 0;host alloc 4096 by 0;call twice 6;return twice 6;"
                                       "call builtin 1;heap alloc 48 by 2;call builtin 1;heap free by 2;"
                                       "host free by 0;");
             CHECK(heard.notes->exited == isa::all_lanes);
         });
}

TEST_CASE("Sinks are told of the host's reads and writes", "[exec][events]") {
    auto const notes = std::make_shared<Notes>(sim::event_mask(EventKind::host_access));
    runtime::DeviceOptions options;
    options.sinks = {notes};
    runtime::Device device(sim::load_config("h100"), options);
    runtime::DevicePointer const p = device.allocate(64);
    std::array<char, 16> bytes{};
    device.write(p + 8, bytes.data(), 16);
    device.read(bytes.data(), p, 4);
    REQUIRE(notes->host.size() == 2);
    CHECK(notes->host[0].operation == sim::HostAccessEvent::Operation::write);
    CHECK(notes->host[0].address == p + 8);
    CHECK(notes->host[0].bytes == 16);
    CHECK(notes->host[1].operation == sim::HostAccessEvent::Operation::read);
    CHECK(notes->host[1].address == p);
    CHECK(notes->log.empty());
}

TEST_CASE("Sinks are told of bytes that are moved by address, by what of them is the device's", "[exec][events]") {
    using Operation = sim::HostAccessEvent::Operation;
    auto const notes = std::make_shared<Notes>(sim::event_mask(EventKind::host_access));
    runtime::DeviceOptions options;
    options.sinks = {notes};
    runtime::Device device(sim::load_config("h100"), options);
    runtime::DevicePointer const p = device.allocate(64), q = device.allocate(64);
    std::array<char, 64> own{};
    auto const host = reinterpret_cast<std::uint64_t>(own.data());
    device.tell_moved(p, host, 16);
    device.tell_moved(host, p + 16, 16);
    device.tell_moved(p, q, 32);
    device.tell_moved(host, host + 8, 8);
    device.tell_set(q, 64);
    device.tell_set(host, 64);
    REQUIRE(notes->host.size() == 4);
    CHECK(notes->host[0].operation == Operation::write);
    CHECK(notes->host[0].address == p);
    CHECK(notes->host[1].operation == Operation::read);
    CHECK(notes->host[1].address == p + 16);
    CHECK(notes->host[2].operation == Operation::copy);
    CHECK(notes->host[2].address == p);
    CHECK(notes->host[2].from == q);
    CHECK(notes->host[2].bytes == 32);
    CHECK(notes->host[3].operation == Operation::fill);
    CHECK(notes->host[3].address == q);
    device.make_visible(own.data(), own.size());
    device.tell_moved(p, host, 16);
    CHECK(notes->host.back().operation == Operation::copy);
    device.end_visible(own.data());
}

TEST_CASE("Sinks are told when memory of the process becomes visible to kernels", "[exec][events]") {
    auto const notes = std::make_shared<Notes>(sim::event_mask(EventKind::allocation));
    runtime::DeviceOptions options;
    options.sinks = {notes};
    runtime::Device device(sim::load_config("h100"), options);
    std::array<char, 64> own{};
    device.make_visible(own.data(), own.size());
    device.end_visible(own.data());
    CHECK(notes->log == "visible alloc 64 by 0;visible free by 0;");
}

/// `last`: what comes before the exit.
void check_sinks_of_timing(std::string const& last) {
    std::string const text = kernel(std::string(R"(
        and.b32 %r0, %i, 31; mul.wide.u32 %d0, %r0, 128; add.u64 %d0, %d0, %in; ld.global.u32 %r1, [%d0];
        bar.sync 0; mov.u32 %r2, 0;
        LOOP: mad.lo.u32 %r1, %r1, 5, %r2; add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 9; @%p0 bra LOOP;
        st.global.u32 [%o4], %r1;)") +
                                    last);
    auto const notes =
        std::make_shared<Notes>(sim::event_mask(EventKind::micro_op, EventKind::stall, EventKind::residence));
    auto const run = [&](bool listens) {
        runtime::DeviceOptions options;
        options.mode = runtime::Mode::timing;
        options.profile = true;
        if (listens) options.sinks = {notes};
        Program program(text, "independent", options);
        program.in = program.device.upload(std::vector<std::uint32_t>(1024, 3));
        program.run<std::uint32_t>(256, {{128, 1, 1}, {2, 1, 1}});
        return *program.result.timing;
    };
    sim::TimingCounts const alone = run(false), heard = run(true);
    CHECK(heard.cycles == alone.cycles);
    std::uint64_t sum = 0;
    for (auto const& [instruction, count] : notes->micro_ops) sum += count;
    CHECK(sum == heard.micro_ops);
    CHECK(notes->stalled == heard.stalls);
    // In each cycle a warp has issued or was stalled.
    CHECK(notes->left == 8);
    CHECK(notes->resident == heard.resident_warp_cycles);
    CHECK(notes->resident == sum + std::accumulate(heard.stalls.begin(), heard.stalls.end(), std::uint64_t{0}));
    CHECK(std::count_if(notes->stalled.begin(), notes->stalled.end(), [](std::uint64_t n) { return n != 0; }) >=
          5);
    // The profile listens to the same.
    std::uint64_t profiled = 0;
    sim::StallCounts waited{};
    for (sim::LineProfile const& line : heard.profile) {
        profiled += line.micro_ops;
        for (std::size_t r = 0; r < waited.size(); ++r) waited[r] += line.stalls[r];
    }
    CHECK(profiled == sum);
    CHECK(waited == notes->stalled);
}

TEST_CASE("Sinks are told of every micro-op, stall and residence of timing mode", "[exec][events]") {
    check_sinks_of_timing("");
    check_sinks_of_timing("membar.gl;");  // no store is under way when the warp leaves
}

TEST_CASE("Sinks are told of faults", "[exec][events]") {
    hear(sim::event_mask(EventKind::fault, EventKind::launch),
         kernel("setp.eq.u32 %p0, %i, 9; @%p0 st.global.u32 [0], 1;"), shape(1, 32),
         [](Heard const& heard) { CHECK(heard.notes->log == "begin k 1x32;fault of thread 9;end k faulted;"); });
}

TEST_CASE("Several sinks hear the same, each what it wants", "[exec][events]") {
    auto const all = std::make_shared<Notes>(sim::all_events);
    auto const again = std::make_shared<Notes>(sim::event_mask(EventKind::instruction));
    runtime::DeviceOptions options;
    options.sinks = {all, again};
    Program program(kernel("st.global.u32 [%o4], %i;"), "independent", options);
    CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, [](std::uint32_t i) { return i; }));
    CHECK(!all->sequence.empty());
    CHECK(all->sequence == again->sequence);
    CHECK(!all->accesses.empty());
    CHECK(again->accesses.empty());
}

}  // namespace events_test
