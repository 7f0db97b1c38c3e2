// Bulk copies that combine, are masked byte by byte, or go to several CTAs: every type against plain C++,
// performed at once and late.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <cstring>

namespace bulk_reduction_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

constexpr std::uint32_t bytes = 512;  // of one copy

struct Reduction {
    std::string name;                                            // "add.u64"
    std::uint32_t size;                                          // bytes of an element
    std::function<std::uint64_t(std::uint32_t)> there, brought;  // bits of element i
    std::function<std::uint64_t(std::uint64_t, std::uint64_t)> combine;
};

std::uint64_t spread(std::uint32_t i) { return 0x9e3779b97f4a7c15u * (i + 1); }
std::uint64_t other(std::uint32_t i) { return spread(i * 7 + 3); }
std::uint64_t small(std::uint32_t i) { return i % 9; }

std::uint64_t bits_of(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, 4);
    return bits;
}
std::uint64_t bits_of(double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, 8);
    return bits;
}
float f32_of(std::uint64_t bits) {
    auto const word = static_cast<std::uint32_t>(bits);
    float value;
    std::memcpy(&value, &word, 4);
    return value;
}
double f64_of(std::uint64_t bits) {
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
}
/// A small integer as f16, and as the upper half of an f32.
std::uint64_t f16_of(std::uint32_t v) {
    if (v == 0) return 0;
    std::uint32_t e = 0;
    while (v >> (e + 1) != 0) ++e;
    return (e + 15) << 10 | ((v << (10 - e)) & 0x3ff);
}
std::uint64_t bf16_of(std::uint32_t v) { return bits_of(static_cast<float>(v)) >> 16; }
std::uint32_t value_of_f16(std::uint64_t bits) {
    return bits == 0 ? 0 : static_cast<std::uint32_t>((0x400 | (bits & 0x3ff)) >> (25 - (bits >> 10)));
}
std::uint32_t value_of_bf16(std::uint64_t bits) { return static_cast<std::uint32_t>(f32_of(bits << 16)); }

template <class T> std::uint64_t least(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(std::min(static_cast<T>(a), static_cast<T>(b)));
}
template <class T> std::uint64_t most(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(std::max(static_cast<T>(a), static_cast<T>(b)));
}

/// Those that targets in shared memory have, too, come first.
std::vector<Reduction> reductions(bool in_shared) {
    auto const add = [](std::uint64_t a, std::uint64_t b) { return a + b; };
    std::vector<Reduction> list{
        {"and.b32", 4, spread, other, [](std::uint64_t a, std::uint64_t b) { return a & b; }},
        {"or.b32", 4, spread, other, [](std::uint64_t a, std::uint64_t b) { return a | b; }},
        {"xor.b32", 4, spread, other, [](std::uint64_t a, std::uint64_t b) { return a ^ b; }},
        {"add.u32", 4, spread, other, add},
        {"add.s32", 4, spread, other, add},
        {"add.u64", 8, spread, other, add},
        {"min.u32", 4, spread, other, least<std::uint32_t>},
        {"max.u32", 4, spread, other, most<std::uint32_t>},
        {"min.s32", 4, spread, other, least<std::int32_t>},
        {"max.s32", 4, spread, other, most<std::int32_t>},
        {"inc.u32", 4, small, [](std::uint32_t) { return std::uint64_t{5}; },
         [](std::uint64_t a, std::uint64_t b) { return a >= b ? 0 : a + 1; }},
        {"dec.u32", 4, small, [](std::uint32_t) { return std::uint64_t{5}; },
         [](std::uint64_t a, std::uint64_t b) { return a == 0 || a > b ? b : a - 1; }},
    };
    if (in_shared) return list;
    auto const half = [](std::uint32_t i) { return f16_of(i % 100); };
    auto const brain = [](std::uint32_t i) { return bf16_of(i % 100); };
    auto const other_half = [](std::uint32_t i) { return f16_of(i * 3 % 28); };
    auto const other_brain = [](std::uint32_t i) { return bf16_of(i * 3 % 28); };
    std::vector<Reduction> const more{
        {"and.b64", 8, spread, other, [](std::uint64_t a, std::uint64_t b) { return a & b; }},
        {"or.b64", 8, spread, other, [](std::uint64_t a, std::uint64_t b) { return a | b; }},
        {"xor.b64", 8, spread, other, [](std::uint64_t a, std::uint64_t b) { return a ^ b; }},
        {"min.u64", 8, spread, other, least<std::uint64_t>},
        {"max.u64", 8, spread, other, most<std::uint64_t>},
        {"min.s64", 8, spread, other, least<std::int64_t>},
        {"max.s64", 8, spread, other, most<std::int64_t>},
        {"add.f32", 4, [](std::uint32_t i) { return bits_of(1.0f / static_cast<float>(i + 1)); },
         [](std::uint32_t i) { return bits_of(3.0f * static_cast<float>(i) - 20.0f); },
         [](std::uint64_t a, std::uint64_t b) { return bits_of(f32_of(a) + f32_of(b)); }},
        {"add.f64", 8, [](std::uint32_t i) { return bits_of(1.0 / (i + 1)); },
         [](std::uint32_t i) { return bits_of(3.0 * i - 20.0); },
         [](std::uint64_t a, std::uint64_t b) { return bits_of(f64_of(a) + f64_of(b)); }},
        {"add.noftz.f16", 2, half, other_half,
         [](std::uint64_t a, std::uint64_t b) { return f16_of(value_of_f16(a) + value_of_f16(b)); }},
        {"add.noftz.bf16", 2, brain, other_brain,
         [](std::uint64_t a, std::uint64_t b) { return bf16_of(value_of_bf16(a) + value_of_bf16(b)); }},
        {"min.f16", 2, half, other_half,
         [](std::uint64_t a, std::uint64_t b) { return f16_of(std::min(value_of_f16(a), value_of_f16(b))); }},
        {"max.f16", 2, half, other_half,
         [](std::uint64_t a, std::uint64_t b) { return f16_of(std::max(value_of_f16(a), value_of_f16(b))); }},
        {"min.bf16", 2, brain, other_brain,
         [](std::uint64_t a, std::uint64_t b) { return bf16_of(std::min(value_of_bf16(a), value_of_bf16(b))); }},
        {"max.bf16", 2, brain, other_brain,
         [](std::uint64_t a, std::uint64_t b) { return bf16_of(std::max(value_of_bf16(a), value_of_bf16(b))); }},
    };
    list.insert(list.end(), more.begin(), more.end());
    return list;
}

std::vector<std::byte> filled(std::uint32_t size, std::function<std::uint64_t(std::uint32_t)> const& element) {
    std::vector<std::byte> all(bytes);
    for (std::uint32_t i = 0; i < bytes / size; ++i) {
        std::uint64_t const value = element(i);
        std::memcpy(all.data() + i * size, &value, size);
    }
    return all;
}

std::vector<std::byte> combined(Reduction const& r) {
    return filled(r.size, [&](std::uint32_t i) {
        std::uint64_t const mask = r.size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * r.size) - 1;
        return r.combine(r.there(i) & mask, r.brought(i) & mask);
    });
}

std::string const objects = ".shared .align 8 .b64 bar; .shared .align 128 .b8 cells[2048];";
/// %r0 is the thread within its CTA, %p1 says that it is not the first; %r1 points to the cells.
std::string const begin =
    "mov.u32 %r0, %tid.x; setp.ne.u32 %p1, %r0, 0; mov.u32 %r1, cells; mov.u32 %r3, %cluster_ctarank; "
    "mov.u32 %r12, %cluster_nctarank;";
std::string const wait =
    "WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p0, [bar], 0; @!%p0 bra WAIT;";

struct Run {
    Run(std::string const& body, bool late)
        : program(kernel(begin + body, objects), "independent", Program::one_thread(),
                  {std::string("functional.late_async=") + (late ? "true" : "false")}) {}
    std::vector<std::byte> operator()(std::vector<std::byte> const& there, std::vector<std::byte> const& brought,
                                      std::uint32_t blocks = 1, std::uint32_t cluster = 0) {
        program.in = program.device.upload(brought);
        runtime::DevicePointer const out = program.device.upload(there);
        runtime::LaunchShape shape;
        shape.grid = {blocks, 1, 1};
        shape.block = {32, 1, 1};
        shape.cluster = {cluster, cluster != 0, cluster != 0};
        program.device.launch(*program.module, "k", shape, runtime::Arguments::of(out, program.in));
        return program.device.download<std::byte>(out, there.size());
    }
    Program program;
};

/// Thread t loads 16 bytes of `in` at 16 t into %q0 and stores them in the cells at %r2.
std::string const bring =
    "mul.wide.u32 %d1, %r0, 16; add.u64 %d1, %d1, %in; ld.global.b128 %q0, [%d1]; mad.lo.u32 %r2, %r0, 16, %r1; ";

}  // namespace

TEST_CASE("Bulk reductions into global memory combine as plain C++ does, in every type", "[exec]") {
    for (Reduction const& r : reductions(false)) {
        for (bool const late : {false, true}) {
            INFO(r.name << (late ? " late" : ""));
            Run run(bring +
                        "st.shared.b128 [%r2], %q0; bar.sync 0; @%p1 bra END; "
                        "cp.reduce.async.bulk.global.shared::cta.bulk_group." +
                        r.name +
                        " [%out], [%r1], 512; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:",
                    late);
            CHECK(run(filled(r.size, r.there), filled(r.size, r.brought)) == combined(r));
        }
    }
}

TEST_CASE("Bulk reductions into another block's shared memory combine as plain C++ does, in every type",
          "[exec]") {
    for (Reduction const& r : reductions(true)) {
        for (bool const late : {false, true}) {
            INFO(r.name << (late ? " late" : ""));
            // Rank 0 has the values that are there, rank 1 sends the others and completes rank 0's bytes.
            Run run(R"(
                setp.eq.u32 %p2, %r3, 0; selp.b64 %d0, %out, %in, %p2; mul.wide.u32 %d1, %r0, 16; add.u64 %d2, %d1, %d0; ld.global.b128 %q0, [%d2];
                mad.lo.u32 %r2, %r0, 16, %r1; st.shared.b128 [%r2], %q0; @!%p1 mbarrier.init.shared.b64 [bar], 1; bar.sync 0;
                @!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512; barrier.cluster.arrive; barrier.cluster.wait;
                @%p2 bra TAKE; mapa.shared::cluster.u32 %r4, %r1, 0; mapa.shared::cluster.u32 %r5, bar, 0;
                @!%p1 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.)" +
                        r.name + R"( [%r4], [%r1], 512, [%r5];
                bra END; TAKE: )" +
                        wait + R"( ld.shared.b128 %q0, [%r2]; add.u64 %d2, %d1, %out; st.global.b128 [%d2], %q0;
                END: barrier.cluster.arrive; barrier.cluster.wait;)",
                    late);
            CHECK(run(filled(r.size, r.there), filled(r.size, r.brought), 2, 2) == combined(r));
        }
    }
}

TEST_CASE("A bulk copy with a mask writes the bytes of each 16 that it names", "[exec]") {
    for (std::uint32_t const mask : {0x0001u, 0x8000u, 0xa5f0u, 0xffffu, 0u}) {
        for (bool const late : {false, true}) {
            INFO(mask << (late ? " late" : ""));
            std::string text = kernel(
                begin + bring + "st.shared.b128 [%r2], %q0; bar.sync 0; mov.u16 %h0, " + std::to_string(mask) +
                    "; @%p1 bra END; cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%out], [%r1], 512, %h0; "
                    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:",
                objects);
            text.replace(text.find("sm_90"), 5, "sm_100");
            Program program(text, "independent", Program::one_thread(),
                            {std::string("functional.late_async=") + (late ? "true" : "false")});
            auto const there = filled(8, spread), brought = filled(8, other);
            program.in = program.device.upload(brought);
            runtime::DevicePointer const out = program.device.upload(there);
            program.launch(out);
            std::vector<std::byte> want = there;
            for (std::size_t i = 0; i < bytes; ++i) {
                if ((mask >> (i % 16) & 1) != 0) want[i] = brought[i];
            }
            CHECK(program.device.download<std::byte>(out, bytes) == want);
        }
    }
}

TEST_CASE("A multicast goes to the blocks of its mask, each with its own mbarrier", "[exec]") {
    for (bool const late : {false, true}) {
        // Of 4 CTAs rank 2 sends to ranks 1 and 3; the others expect nothing.
        Run run(R"(
            setp.eq.u32 %p2, %r3, 2; and.b32 %r4, %r3, 1; setp.eq.u32 %p3, %r4, 1; @!%p1 mbarrier.init.shared.b64 [bar], 1; bar.sync 0;
            selp.u32 %r5, 128, 0, %p3; @!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], %r5; barrier.cluster.arrive; barrier.cluster.wait;
            mov.u16 %h0, 10; @%p1 bra GO; @!%p2 bra GO;
            cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1+64], [%in], 128, [bar], %h0;
            GO: )" + wait +
                    R"( mad.lo.u32 %r2, %r0, 4, %r1; ld.shared.u32 %r6, [%r2+64]; st.global.u32 [%o4], %r6;
            barrier.cluster.arrive; barrier.cluster.wait;)",
                late);
        auto const brought = filled(8, other);
        std::vector<std::byte> want(bytes);
        for (std::size_t rank : {1u, 3u})
            std::copy_n(brought.begin(), 128, want.begin() + static_cast<std::ptrdiff_t>(rank * 128));
        CHECK(run(std::vector<std::byte>(bytes), brought, 4, 4) == want);
    }
    Run wrong("@%p1 bra END; mbarrier.init.shared.b64 [bar], 1; mov.u16 %h0, 8; "
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%in], "
              "128, [bar], %h0; END:",
              false);
    std::string error;
    try {
        wrong(std::vector<std::byte>(bytes), std::vector<std::byte>(bytes), 2, 2);
    } catch (FaultError const& fault) {
        error = fault.what();
    }
    CHECK(contains(error, "multicast to rank 3 of a cluster of 2"));
}

}  // namespace bulk_reduction_test
