// Products with any operands, executed: sparse ones with any metadata, those of warpgroups and of tensor memory with any
// descriptors. A launch ends in results or in one Error, and what lies behind the results is as before.
#include "runtime/device.hpp"
#include "sim/config/config.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace warpsim;

constexpr std::size_t threads = 128, words_of_thread = 16, results = 1024, behind = 64;

/// %r0 to %r15 hold the thread's words, %d0 and %d1 what the first two of them and the next two make, %f are sums.
std::string entry(std::string const& name, std::string const& body) {
    std::string text =
        ".visible .entry " + name +
        "(.param .u64 p_out, .param .u64 p_in)\n{\n.shared .align 1024 .b8 s[8192]; .shared .align 8 .b64 bar;\n"
        ".shared .align 4 .b32 slot;\n.reg .pred %p<4>; .reg .b32 %r<16>, %t, %w, %a, %b; .reg .f32 %f<4>;\n"
        ".reg .b64 %out, %in, %d<4>;\nld.param.u64 %out, [p_out]; ld.param.u64 %in, [p_in];\n"
        "mov.u32 %t, %tid.x; shr.u32 %w, %t, 5; mul.wide.u32 %d0, %t, 64; add.u64 %in, %in, %d0;\n"
        "mul.wide.u32 %d0, %t, 8; add.u64 %out, %out, %d0; mov.u32 %a, s; shl.b32 %b, %t, 6; add.u32 %a, %a, "
        "%b;\n";
    for (std::size_t i = 0; i < words_of_thread; ++i) {
        std::string const r = "%r" + std::to_string(i), at = std::to_string(4 * i);
        text += "ld.global.b32 " + r + ", [%in+" + at + "]; st.shared.b32 [%a+" + at + "], " + r + ";\n";
    }
    return text +
           "mov.b64 %d0, {%r0, %r1}; mov.b64 %d1, {%r2, %r3};\n"
           "mov.b32 %f0, %r4; mov.b32 %f1, %r5; mov.b32 %f2, %r6; mov.b32 %f3, %r7; fence.proxy.async; bar.sync "
           "0;\n" +
           body + "mov.b32 %r0, %f0; mov.b32 %r1, %f1; st.global.v2.b32 [%out], {%r0, %r1}; ret;\n}\n";
}

std::string sparse(std::string const& form, bool is_wide, int selector) {
    std::string const a = is_wide ? "{%r0, %r1, %r2, %r3}" : "{%r0, %r1}",
                      b = is_wide ? "{%r8, %r9, %r10, %r11}" : "{%r8, %r9}";
    return "mma.sp" + form + " {%f0, %f1, %f2, %f3}, " + a + ", " + b + ", {%f0, %f1, %f2, %f3}, %r12, " +
           std::to_string(selector) + ";\n";
}

std::vector<std::string> const& bodies() {
    static std::vector<std::string> const all = [] {
        std::string const ordered = "::ordered_metadata.sync.aligned.", any = ".sync.aligned.",
                          sums = "{%f0, %f1, %f2, %f3}",
                          commit = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n";
        std::vector<std::string> list;
        for (std::string const& kind : {ordered, any}) {
            for (int selector = 0; selector < 2; ++selector) {
                list.push_back(sparse(kind + "m16n8k32.row.col.f32.f16.f16.f32", true, selector));
                list.push_back(sparse(kind + "m16n8k16.row.col.f32.bf16.bf16.f32", false, selector));
                list.push_back(sparse(kind + "m16n8k8.row.col.f32.tf32.tf32.f32", false, selector));
                list.push_back(sparse(kind + "m16n8k16.row.col.f32.tf32.tf32.f32", true, selector));
            }
            list.push_back(sparse(kind + "m16n8k64.row.col.f32.e4m3.e5m2.f32", true, 0));
        }
        for (std::string const& shape : {"m64n8k16.f32.f16.f16 ", "m64n8k16.f32.bf16.bf16 "})
            list.push_back("wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned." + shape + sums +
                           ", %d0, %d1, 1, 1, 1, 0, 1;\n" + commit);
        list.push_back("wgmma.fence.sync.aligned; wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " + sums +
                       ", %d0, %d1, %r12, 0, 1, 1, 1, 0, 0;\n" + commit);
        std::string const
            begin = "setp.eq.u32 %p0, %w, 0; setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [bar], 1;\n"
                    "@!%p0 bra A; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 128;\n"
                    "A: bar.sync 0; ld.shared.b32 %a, [slot];\n",
            end = "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n"
                  "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W; bar.sync 0;\n"
                  "@!%p0 bra B; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %a, 128;\nB:\n";
        for (std::string const& kind : {"f16", "tf32", "f8f6f4", "i8"}) {
            list.push_back(begin + "@%p1 tcgen05.mma.cta_group::1.kind::" + kind + " [%a], %d0, %d1, %r8, %p1;\n" +
                           end);
            list.push_back(begin + "@%p1 tcgen05.mma.sp.cta_group::1.kind::" + kind +
                           " [%a], %d0, %d1, [%r9], %r8, %p1;\n" + end);
        }
        for (std::string const& kind : {"mxf8f6f4", "mxf4"})
            list.push_back(begin + "@%p1 tcgen05.mma.cta_group::1.kind::" + kind +
                           ".block_scale [%a], %d0, %d1, %r8, [%r9], [%r10], %p1;\n" + end);
        return list;
    }();
    return all;
}

/// Everything that is the same for all inputs.
struct Machine {
    runtime::Device device;
    std::shared_ptr<runtime::Module> sparse, warpgroups, tensor;
    runtime::DevicePointer out, in;

    Machine() : device(sim::load_config("h100", std::vector<std::string>{"compute_capability=10.0"}), options()) {
        auto const load = [&](std::string const& target, std::size_t first, std::size_t last) {
            std::string text = ".version 9.0\n.target " + target + "\n.address_size 64\n";
            for (std::size_t i = first; i < last; ++i) text += entry("k" + std::to_string(i), bodies()[i]);
            return device.load_text(target + ".ptx", text);
        };
        sparse = load("sm_90", 0, first_of_warpgroups);
        warpgroups = load("sm_90a", first_of_warpgroups, first_of_tensor);
        tensor = load("sm_100a", first_of_tensor, bodies().size());
        in = device.allocate(threads * words_of_thread * 4);
        out = device.allocate(results + behind);
    }
    static runtime::DeviceOptions options() {
        runtime::DeviceOptions o;
        o.threads = 1;
        return o;
    }
    runtime::Module& module_of(std::size_t kernel) {
        return kernel < first_of_warpgroups ? *sparse : kernel < first_of_tensor ? *warpgroups : *tensor;
    }
    static constexpr std::size_t first_of_warpgroups = 18, first_of_tensor = 21;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static Machine machine;
    if (size == 0) return 0;
    std::size_t const kernel = data[0] % bodies().size();
    std::vector<std::uint32_t> words(threads * words_of_thread);
    // The input again and again: few bytes give every thread something.
    auto* const bytes = reinterpret_cast<std::uint8_t*>(words.data());
    for (std::size_t i = 0; i < words.size() * 4 && size > 1; ++i) bytes[i] = data[1 + i % (size - 1)];
    std::vector<std::uint8_t> const before(results + behind, 0xa5);
    machine.device.write(machine.in, words.data(), words.size() * sizeof words[0]);
    machine.device.write(machine.out, before.data(), before.size());
    runtime::LaunchShape shape;
    shape.block = {threads, 1, 1};
    try {
        machine.device.launch(machine.module_of(kernel), "k" + std::to_string(kernel), shape,
                              runtime::Arguments::of(machine.out, machine.in));
    } catch (Error const&) {}
    auto const after = machine.device.download<std::uint8_t>(machine.out, results + behind);
    if (!std::equal(after.begin() + results, after.end(), before.begin() + results)) __builtin_trap();
    return 0;
}
