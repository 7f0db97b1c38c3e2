// What device memory costs the host: buffers of a given total size are allocated, filled and read by a kernel, and
// the process's peak resident memory is printed beside their size. Fails when the difference exceeds the limit.
//
//     warpsim-memory [MIB [LIMIT_MIB]]       default 1024 and 96
#include "runtime/device.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <vector>

namespace {

using namespace warpsim;

// Adds up n words; each thread of 64 CTAs of 256 takes every 16384th.
char const* const sum_ptx = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .entry sum(.param .u64 in, .param .u64 n, .param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [n];
    ld.param.u64 %rd3, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mul.wide.u32 %rd4, %r1, %r2;
    cvt.u64.u32 %rd5, %r3;
    add.u64 %rd4, %rd4, %rd5;
    mov.u32 %r4, 0;
NEXT:
    setp.ge.u64 %p, %rd4, %rd2;
    @%p bra DONE;
    shl.b64 %rd6, %rd4, 2;
    add.u64 %rd6, %rd6, %rd1;
    ld.global.u32 %r5, [%rd6];
    add.u32 %r4, %r4, %r5;
    add.u64 %rd4, %rd4, 16384;
    bra NEXT;
DONE:
    red.global.add.u32 [%rd3], %r4;
    ret;
}
)";

double peak_resident_mib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;  // KiB on Linux
}

int check(std::uint64_t mib, double limit_mib) {
    std::uint64_t const buffers = 8;
    std::uint64_t const bytes = (mib << 20) / buffers;
    double const before = peak_resident_mib();
    runtime::Device device(sim::load_config("h100"));
    auto const module = device.load_text("sum.ptx", sum_ptx);
    runtime::DevicePointer const sum = device.allocate(4);
    // Filled in pieces, so that this program's own copy hardly counts.
    std::vector<std::uint32_t> const piece(1 << 18, 1);
    runtime::LaunchShape shape;
    shape.grid = {64, 1, 1};
    shape.block = {256, 1, 1};
    for (std::uint64_t k = 0; k < buffers; ++k) {
        runtime::DevicePointer const buffer = device.allocate(bytes);
        for (std::uint64_t at = 0; at < bytes; at += piece.size() * 4) {
            device.write(buffer + at, piece.data(), std::min<std::uint64_t>(piece.size() * 4, bytes - at));
        }
        device.launch(*module, "sum", shape, runtime::Arguments::of(buffer, bytes / 4, sum));
    }
    double const peak = peak_resident_mib();
    double const overhead = peak - static_cast<double>(mib);
    std::cout << "buffers " << mib << " MiB, peak resident " << peak << " MiB (" << before
              << " MiB before the device), overhead " << overhead << " MiB, limit " << limit_mib << " MiB\n";
    std::uint32_t const words = device.download<std::uint32_t>(sum, 1)[0];
    if (words != static_cast<std::uint32_t>(bytes / 4 * buffers)) {
        std::cerr << "the kernel counted " << words << " words\n";
        return 1;
    }
    return overhead <= limit_mib ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        return check(count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1024,
                     count > 2 ? std::strtod(arguments[2], nullptr) : 96);
    } catch (std::exception const& error) {
        std::cerr << error.what() << '\n';
        return 2;
    }
}
