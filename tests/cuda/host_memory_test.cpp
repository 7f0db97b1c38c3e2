// How much memory a host, or the container that a process runs in, has for simulated memory: from files as the
// kernel writes them.
#include "runtime/cuda/memory/host_memory.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <string>
#include <unistd.h>

namespace host_memory_test {

using namespace warpsim;
using warpsim::cuda::available_host_memory;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

std::string meminfo(std::uint64_t available_mib) {
    return "MemTotal:       99999999 kB\nMemFree:          123456 kB\nMemAvailable:   " +
           std::to_string(available_mib * 1024) + " kB\n";
}

}  // namespace

TEST_CASE("The host's memory is what the kernel calls available", "[cuda]") {
    test::TemporaryFolder const root;
    CHECK(available_host_memory(root / "") == ~std::uint64_t{0});  // nothing is known, nothing is limited
    root.write("proc/meminfo", meminfo(5000));
    CHECK(available_host_memory(root / "") == 5000 * mib);
}

TEST_CASE("A container's limit counts, less what it uses but for unused pages of files", "[cuda]") {
    test::TemporaryFolder const root;
    root.write("proc/meminfo", meminfo(5000));
    root.write("proc/self/cgroup", "0::/outer/inner\n");
    root.write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
    CHECK(available_host_memory(root / "") == 5000 * mib);
    root.write("sys/fs/cgroup/outer/memory.max", std::to_string(2000 * mib) + "\n");
    root.write("sys/fs/cgroup/outer/memory.current", std::to_string(900 * mib) + "\n");
    root.write("sys/fs/cgroup/outer/memory.stat", "anon 5\ninactive_file " + std::to_string(400 * mib) + "\n");
    CHECK(available_host_memory(root / "") == 1500 * mib);
    // The container sees its own group as the root of all.
    root.write("sys/fs/cgroup/memory.max", std::to_string(100 * mib) + "\n");
    CHECK(available_host_memory(root / "") == 100 * mib);
}

TEST_CASE("Control groups of the first generation have other names", "[cuda]") {
    test::TemporaryFolder const root;
    root.write("proc/meminfo", meminfo(5000));
    root.write("proc/self/cgroup", "5:devices:/a\n4:memory:/a\n0::/\n");
    root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    root.write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", std::to_string(3000 * mib) + "\n");
    root.write("sys/fs/cgroup/memory/a/memory.usage_in_bytes", std::to_string(3500 * mib) + "\n");
    root.write("sys/fs/cgroup/memory/a/memory.stat",
               "cache 1\ntotal_inactive_file " + std::to_string(1000 * mib) + "\n");
    CHECK(available_host_memory(root / "") == 500 * mib);
}

TEST_CASE("What others take of the host is missing, what this process takes is not", "[cuda]") {
    test::TemporaryFolder const root;
    std::uint64_t const pages = 1024 * mib / static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    root.write("proc/meminfo", meminfo(8192));
    root.write("proc/self/statm", "1 0 0\n");
    cuda::HostMemory const host(root / "");
    CHECK(host.most() == 8192 * mib);
    CHECK(host.left_of(7000 * mib) == 7000 * mib);
    root.write("proc/meminfo", meminfo(7168));
    root.write("proc/self/statm", "9 " + std::to_string(pages) + " 0\n");  // its own
    CHECK(host.left_of(7000 * mib) == 7000 * mib);
    root.write("proc/meminfo", meminfo(5120));  // and 2048 MiB of others
    CHECK(host.left_of(7000 * mib) == (7000 - 2048) * mib);
    root.write("proc/meminfo", meminfo(1));
    CHECK(host.left_of(100 * mib) == 0);
}

}  // namespace host_memory_test
