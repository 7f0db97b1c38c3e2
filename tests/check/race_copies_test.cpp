// Races of asynchronous copies: each is ordered only by its wait, and by a barrier for others than who waited.
#include "tests/check/race_cases.hpp"

#include <string>

namespace race_copies_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string const copy = "cp.async.ca.shared.global [%d0], [%o4], 4;\n", get_own = "ld.shared.u32 %r2, [%d0];\n";
std::string const put_result = "st.global.u32 [%o4+4096], %r2;\n";
std::string const start = values + addresses;

/// An mbarrier for so many arrivals.
std::string with_mbarrier(char const* count) {
    return ".shared .align 8 .b64 phase;\n" + start + "setp.ne.u32 %p0, %r0, 0; @%p0 bra READY;\n" +
           "mbarrier.init.shared.b64 [phase], " + count + ";\nREADY: bar.sync 0;\n";
}
std::string const wait = "WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [phase], 0; @!%p3 bra WAIT;\n";
/// Two warps copy, and two read what they have copied when they have waited for the mbarrier.
std::string handed_over(std::string const& arrival) {
    return with_mbarrier("64") + "setp.lt.u32 %p2, %r0, 64; @!%p2 bra WAIT;\n" + copy + arrival + "bra DONE;\n" +
           wait + "ld.shared.u32 %r2, [%d1];\n" + put_result + "DONE:\n";
}
/// Thread 0 has 256 bytes brought to shared memory.
std::string const load_tile =
    "@%p0 bra LOADED; mbarrier.arrive.expect_tx.shared.b64 _, [phase], 256;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [values], [%out], 256, [phase];\nLOADED:\n";
std::string const only_first = "@%p0 bra NEXT;\n", others = "NEXT:\n";
std::string const fence = "fence.proxy.async.shared::cta;\n", barrier = "bar.sync 0;\n";
/// Thread 0 has 256 bytes of shared memory brought to global memory at 1024 beyond %out.
std::string const first = "setp.ne.u32 %p0, %r0, 0;\n";
std::string store_tile(std::string const& wait_for_it) {
    return "@%p0 bra STORED; cp.async.bulk.global.shared::cta.bulk_group [%out+1024], [values], 256;\n"
           "cp.async.bulk.commit_group;\n" +
           wait_for_it + "STORED:\n";
}
std::string const have_read = "cp.async.bulk.wait_group.read 0;\n", have_written = "cp.async.bulk.wait_group 0;\n";

std::vector<Case> few() {
    return {
        {"a copy, a wait and a barrier", blocks(1, 64), start + copy + "cp.async.wait_all; bar.sync 0;\n" + get,
         ""},
        {"... no barrier", blocks(1, 64), start + copy + "cp.async.wait_all;\n" + get,
         "asynchronous write after read"},
        {"a thread's own copy", blocks(1, 32), start + copy + "cp.async.wait_all;\n" + get_own + put_result, ""},
        {"... that it did not wait for", blocks(1, 32), start + copy + get_own + put_result,
         "read after asynchronous write", "no cp.async.wait_group"},
        {"... but a barrier", blocks(1, 64), start + copy + barrier + get_own + put_result,
         "read after asynchronous write", "no cp.async.wait_group"},
        {"the older of two groups", blocks(1, 32),
         start + copy +
             "cp.async.commit_group; cp.async.ca.shared.global [%d0+512], [%o4], 4; cp.async.commit_group;\n"
             "cp.async.wait_group 1;\n" +
             get_own + put_result,
         ""},
        {"... the younger one", blocks(1, 32),
         start + copy +
             "cp.async.commit_group; cp.async.ca.shared.global [%d0+512], [%o4], 4; cp.async.commit_group;\n"
             "cp.async.wait_group 1; ld.shared.u32 %r2, [%d0+512];\n" +
             put_result,
         "read after asynchronous write"},
        {"a copy in no group", blocks(1, 32), start + copy + "cp.async.wait_group 0;\n" + get_own + put_result,
         "read after asynchronous write"},
        {"a source that is written behind the wait", blocks(1, 32),
         start + copy + "cp.async.wait_all; st.global.u32 [%o4], 1;\n", ""},
        {"... without one", blocks(1, 32), start + copy + "st.global.u32 [%o4], 1;\n",
         "write after asynchronous read"},
        {"a target that is written behind the wait", blocks(1, 32),
         start + copy + "cp.async.wait_all; st.shared.u32 [%d0], 1;\n", ""},
        {"... without one", blocks(1, 32), start + copy + "st.shared.u32 [%d0], 1;\n",
         "write after asynchronous write"},
        {"half of the lanes wait", blocks(1, 32),
         start + copy + "setp.lt.u32 %p1, %r0, 16; @%p1 cp.async.wait_all;\n@%p1 ld.shared.u32 %r2, [%d0];\n", ""},
        {"... and the others read", blocks(1, 32),
         start + copy + "setp.lt.u32 %p1, %r0, 16; @%p1 cp.async.wait_all;\n@!%p1 ld.shared.u32 %r2, [%d0];\n",
         "read after asynchronous write"},
        {"an mbarrier that copies arrive at", blocks(1, 128),
         handed_over("cp.async.mbarrier.arrive.noinc.shared.b64 [phase];\n"), ""},
        {"... that their threads arrive at", blocks(1, 128),
         handed_over("mbarrier.arrive.shared.b64 _, [phase];\n"), "read after asynchronous write"},
        {"... behind their waits", blocks(1, 128),
         handed_over("cp.async.wait_all; mbarrier.arrive.shared.b64 _, [phase];\n"), ""},
    };
}

std::vector<Case> bulk() {
    return {
        {"a bulk copy that all wait for", blocks(1, 64),
         with_mbarrier("1") + load_tile + wait + get_own + put_result, ""},
        {"... that nobody waits for", blocks(1, 64),
         with_mbarrier("1") + load_tile + barrier + get_own + put_result, "read after asynchronous write",
         "for which this thread has not waited"},
        {"... that one waits for, before a barrier", blocks(1, 64),
         with_mbarrier("1") + load_tile + only_first + wait + others + barrier + get_own + put_result, ""},
        {"... without the barrier", blocks(1, 64),
         with_mbarrier("1") + load_tile + only_first + wait + others + get_own + put_result,
         "asynchronous write after read", "no barrier"},
        {"... into bytes that threads have read", blocks(1, 64),
         with_mbarrier("1") + get_own + put_result + barrier + load_tile, ""},
        {"... with no barrier in between", blocks(1, 64), with_mbarrier("1") + get_own + put_result + load_tile,
         "asynchronous write after read"},
        {"... into bytes that threads have written", blocks(1, 64),
         with_mbarrier("1") + put + fence + barrier + load_tile, ""},
        {"... with no proxy fence in between", blocks(1, 64), with_mbarrier("1") + put + barrier + load_tile,
         "asynchronous write after write", "no fence.proxy.async"},
        {"a bulk copy of what threads have written", blocks(1, 64),
         start + first + put + fence + barrier + store_tile(have_read) + barrier + put, ""},
        {"... the fence behind the barrier", blocks(1, 64),
         start + first + put + barrier + fence + store_tile(have_read) + barrier + put, ""},
        {"... no proxy fence", blocks(1, 64),
         start + first + put + barrier + store_tile(have_read) + barrier + put, "asynchronous read after write",
         "no fence.proxy.async"},
        {"... a fence of the threads' own memory", blocks(1, 64),
         start + first + put + "fence.acq_rel.cta;\n" + barrier + store_tile(have_read) + barrier + put,
         "asynchronous read after write", "no fence.proxy.async"},
        {"... the fence of one thread alone", blocks(1, 64),
         start + first + put + "@!%p0 " + fence + barrier + store_tile(have_read) + barrier + put,
         "asynchronous read after write", "no fence.proxy.async"},
        {"... no barrier", blocks(1, 64), start + first + put + fence + store_tile(have_read) + barrier + put,
         "asynchronous read after write"},
        {"... nobody waits before it is overwritten", blocks(1, 64),
         start + first + put + fence + barrier + store_tile("") + barrier + put, "write after asynchronous read",
         "no cp.async.bulk.wait_group.read"},
        {"... the others do not know of the wait", blocks(1, 64),
         start + first + put + fence + barrier + store_tile(have_read) + put, "asynchronous read after write"},
        {"the target of a bulk copy, behind the wait", blocks(1, 64),
         start + first + put + fence + barrier +
             store_tile(have_written + "ld.global.u32 %r2, [%out+1024]; st.global.u32 [%out+4096], %r2;\n"),
         ""},
        {"... that waits for reads only", blocks(1, 64),
         start + first + put + fence + barrier +
             store_tile(have_read + "ld.global.u32 %r2, [%out+1024]; st.global.u32 [%out+4096], %r2;\n"),
         "read after asynchronous write", "no cp.async.bulk.wait_group by"},
        {"two blocks write the same", blocks(2, 64),
         start + first + put + fence + barrier + store_tile(have_written),
         "asynchronous write after asynchronous write"},
        {"... add to the same", blocks(2, 64),
         start + first + put + fence + barrier +
             "@%p0 bra ADDED; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out+1024], [values], "
             "256;\n"
             "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nADDED:\n",
         ""},
    };
}

/// Each of two blocks of a cluster has thread 0 send something to the other.
std::string sent(std::string const& receive) {
    return kernel(with_mbarrier("1") +
                      "@%p0 bra BEGUN; mbarrier.arrive.expect_tx.shared.b64 _, [phase], 4;\nBEGUN:\n"
                      "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
                      "mov.u32 %r3, %cluster_ctarank; xor.b32 %r3, %r3, 1; mov.u64 %d4, phase;\n"
                      "mapa.shared::cluster.u64 %d3, %d2, %r3; mapa.shared::cluster.u64 %d4, %d4, %r3;\n"
                      "@!%p0 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%d3], %r3, [%d4];\n" +
                      receive + "ld.shared.u32 %r2, [values];\n" + put_result +
                      "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n",
                  "", ".reqnctapercluster 2\n");
}
/// Rank 0 has the same bytes brought to both.
std::string multicast(std::string const& receive) {
    return kernel(
        with_mbarrier("1") +
            "@%p0 bra BEGUN; mbarrier.arrive.expect_tx.shared.b64 _, [phase], 256;\nBEGUN:\n"
            "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
            "mov.u32 %r3, %cluster_ctarank; or.b32 %r4, %r3, %r0; setp.ne.u32 %p4, %r4, 0; mov.u16 %h0, 3;\n"
            "@!%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
            "[values], [%out], 256, [phase], %h0;\nsetp.eq.u32 %p5, %r3, 0;\n" +
            receive + get_own + put_result + "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n",
        "", ".reqnctapercluster 2\n");
}

std::vector<Case> in_clusters() {
    return {
        {"a store to the other block that it waits for", blocks(2, 32), sent(wait), ""},
        {"... that it does not wait for", blocks(2, 32), sent(""), "asynchronous write after read"},
        {"a multicast that both wait for", blocks(2, 32), multicast(wait), ""},
        {"... that one waits for", blocks(2, 32), multicast("@!%p5 bra READ;\n" + wait + "READ:\n"),
         "asynchronous write after read"},
    };
}

}  // namespace

TEST_CASE("Copies by cp.async are races unless they are waited for") { check_cases(few()); }
TEST_CASE("Bulk copies are races unless they are waited for and fenced") { check_cases(bulk()); }
TEST_CASE("Asynchronous writes to other blocks are races unless these wait") { check_cases(in_clusters()); }

}  // namespace race_copies_test
