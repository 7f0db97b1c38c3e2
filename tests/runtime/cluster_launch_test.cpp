// Which clusters a launch has: what the launch says, what the kernel's directives say, and what each CTA then
// sees.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace cluster_launch_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Every block stores the blocks of its cluster, its rank, the clusters of the grid, and whether a cluster was
/// asked for.
std::string text(std::string const& directives) {
    return ".version 9.0" + kernel(R"(
        mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x; mov.u32 %r2, %ctaid.y; mad.lo.u32 %r0, %r2, %r1, %r0; mul.wide.u32 %d0, %r0, 16; add.u64 %d0, %d0, %out;
        mov.u32 %r3, %tid.x; setp.ne.u32 %p0, %r3, 0; @%p0 ret;
        mov.u32 %r4, %cluster_nctarank; mov.u32 %r5, %cluster_ctarank; mov.u32 %r6, %nclusterid.x; mov.u32 %r7, %nclusterid.y; mad.lo.u32 %r6, %r7, 100, %r6;
        mov.pred %p1, %is_explicit_cluster; selp.u32 %r7, 1, 0, %p1; st.global.v4.u32 [%d0], {%r4, %r5, %r6, %r7};)",
                                   {}, directives)
                                .substr(std::string(".version 8.7").size());
}

struct Block {
    std::uint32_t size, rank, clusters, is_explicit;
    bool operator==(Block const&) const = default;
};

/// What the CTAs stored; if the launch was refused, the message goes to `error`.
std::vector<Block> run(std::string const& directives, std::array<std::uint32_t, 3> grid,
                       std::array<std::uint32_t, 3> cluster, std::size_t blocks, std::string* error = nullptr) {
    runtime::Device device(sim::load_config("h100"), Program::one_thread());
    auto const module = device.load_text("test.ptx", text(directives));
    runtime::DevicePointer const out = device.allocate(4096);
    runtime::LaunchShape shape;
    shape.grid = grid;
    shape.block = {32, 1, 1};
    shape.cluster = cluster;
    try {
        device.launch(*module, "k", shape, runtime::Arguments::of(out, out));
    } catch (Error const& e) {
        if (error != nullptr) *error = e.what();
    }
    return device.download<Block>(out, blocks);
}

constexpr std::array<std::uint32_t, 3> none{0, 0, 0};

}  // namespace

TEST_CASE("A launch without clusters gets those that the kernel requires", "[runtime]") {
    auto const got = run(".reqnctapercluster 2, 3\n", {4, 3, 1}, none, 12);
    for (std::uint32_t i = 0; i < 12; ++i) {
        INFO(i);
        CHECK(got[i] == Block{6, i % 4 % 2 + 2 * (i / 4), 102, 1});
    }
    CHECK(run(".reqnctapercluster 2, 3\n", {4, 3, 1}, {2, 3, 1}, 12) == got);
    CHECK(run("", {3, 1, 1}, none, 3) == std::vector<Block>(3, Block{1, 0, 103, 0}));
}

TEST_CASE("A kernel of explicit clusters runs with those that the launch gives", "[runtime]") {
    auto const got = run(".explicitcluster\n", {4, 1, 1}, {2, 1, 1}, 4);
    CHECK(got == std::vector<Block>{{2, 0, 102, 1}, {2, 1, 102, 1}, {2, 0, 102, 1}, {2, 1, 102, 1}});
    std::string error;
    run(".explicitcluster\n", {4, 1, 1}, none, 1, &error);
    CHECK(contains(error, ".explicitcluster asks for cluster dimensions"));
    error.clear();
    run(".explicitcluster\n.reqnctapercluster 2\n", {4, 1, 1}, none, 1, &error);
    CHECK(error.empty());
}

TEST_CASE("A grid of a kernel whose blocks are clusters counts clusters", "[runtime]") {
    auto const got = run(".reqntid 32\n.reqnctapercluster 2\n.blocksareclusters\n", {3, 2, 1}, none, 12);
    for (std::uint32_t i = 0; i < 12; ++i) {
        INFO(i);
        CHECK(got[i] == Block{2, i % 2, 203, 1});
    }
}

TEST_CASE("A kernel's largest cluster bounds the launch", "[runtime]") {
    CHECK(run(".maxclusterrank 4\n", {4, 1, 1}, {4, 1, 1}, 4)[3] == Block{4, 3, 101, 1});
    std::string error;
    run(".maxclusterrank 4\n", {8, 1, 1}, {8, 1, 1}, 1, &error);
    CHECK(contains(error, ".maxclusterrank allows 4"));
    error.clear();
    run(".reqnctapercluster 4\n", {8, 1, 1}, {2, 1, 1}, 1, &error);
    CHECK(contains(error, ".reqnctapercluster asks for clusters of (4,1,1)"));
}

}  // namespace cluster_launch_test
