// Kernels that work with tensor memory: blocks of 128 threads, which fill shared and tensor memory, do something, and
// store what tensor memory holds.
#pragma once

#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace warpsim::test {

/// How a kernel is run.
struct TensorWay {
    std::string control_flow = "independent";
    bool late = false, timed = false;
    std::string name() const { return control_flow + (late ? ", late" : "") + (timed ? ", timed" : ""); }
};
inline std::vector<TensorWay> const tensor_ways{
    {"independent", false, false}, {"stack", true, false}, {"independent", false, true}};

/// The bits of tensor memory: lanes of columns.
struct TensorCells {
    explicit TensorCells(std::uint32_t count = 512) : columns(count), words(std::size_t{128} * count) {}
    std::uint32_t& at(std::uint32_t lane, std::uint32_t column) { return words[std::size_t{column} * 128 + lane]; }
    std::uint32_t at(std::uint32_t lane, std::uint32_t column) const {
        return words[std::size_t{column} * 128 + lane];
    }
    bool operator==(TensorCells const&) const = default;

    std::uint32_t columns;
    std::vector<std::uint32_t> words;
};

struct TensorKernel {
    std::string
        body;  // %t thread, %w warp, %rank, %ta address of the columns, %sa of the shared bytes, %ba of bar
    std::uint32_t columns = 128;  // of tensor memory, a power of two
    std::uint32_t shared = 1024;  // bytes, a multiple of 512
    std::uint32_t ctas = 1;       // a pair has 2, and .cta_group::2
    std::string target = "sm_100a";

    std::string group() const { return ".cta_group::" + std::to_string(ctas); }

    /// For each column of 32: what `each` says.
    std::string chunks(std::string const& instruction, bool loads) const {
        std::string text;
        for (std::uint32_t c = 0; c < columns; c += 32) {
            std::string list = "{";
            for (int r = 0; r < 32; ++r) list += (r == 0 ? "%v" : ", %v") + std::to_string(r);
            list += "}";
            std::string const address =
                "add.u32 %a, %ta, " + std::to_string(c) + "; shl.b32 %b, %w, 21; add.u32 %a, %a, %b;\n";
            text += address;
            if (loads) text += instruction + " " + list + ", [%a]; tcgen05.wait::ld.sync.aligned;\n";
            for (int r = 0; r < 32; ++r) {
                std::string const offset = std::to_string((c + static_cast<std::uint32_t>(r)) * 512);
                text += loads ? "st.global.b32 [%to+" + offset + "], %v" + std::to_string(r) + ";\n"
                              : "ld.global.b32 %v" + std::to_string(r) + ", [%from+" + offset + "];\n";
            }
            if (!loads) text += instruction + " [%a], " + list + "; tcgen05.wait::st.sync.aligned;\n";
        }
        return text;
    }

    std::string text() const {
        auto const number = [](std::uint64_t value) { return std::to_string(value); };
        std::uint64_t const each = shared + std::uint64_t{columns} * 512;
        std::string const join =
            ctas == 1 ? "bar.sync 0;\n" : "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
        return ".version 9.0\n.target " + target +
               "\n.address_size 64\n.visible .entry k(.param .u64 p_out, .param .u64 p_in)" +
               (ctas == 1 ? "" : " .reqnctapercluster 2") + "\n{\n.shared .align 1024 .b8 s[" + number(shared) +
               "]; .shared .align 8 .b64 bar; .shared .align 4 .b32 slot;\n"
               ".reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %t, %w, %ta, %sa, %ba, %a, %b, %i, %rank, %v<32>, "
               "%r<16>; .reg .b64 %out, %in, %to, %from, %o, %d<16>;\n"
               "ld.param.u64 %out, [p_out]; ld.param.u64 %in, [p_in]; mov.u32 %t, %tid.x; shr.u32 %w, %t, 5; "
               "mov.u32 %rank, %cluster_ctarank;\n"
               "mov.u32 %sa, s; mov.u32 %ba, bar; shl.b32 %i, %t, 2; cvt.u64.u32 %o, %i; mul.wide.u32 %d0, "
               "%rank, " +
               number(each) + "; add.u64 %in, %in, %d0; mul.wide.u32 %d0, %rank, " +
               number(std::uint64_t{columns} * 512) +
               "; add.u64 %out, %out, %d0; add.u64 %to, %out, %o; add.u64 %from, %in, %o;\n"
               "add.u32 %a, %sa, %i;\n"
               "F: ld.global.b32 %b, [%from]; st.shared.b32 [%a], %b; add.u64 %from, %from, 512; add.u32 %a, %a, "
               "512;\n"
               "add.u32 %i, %i, 512; setp.lt.u32 %p0, %i, " +
               number(shared) +
               "; @%p0 bra F;\n"
               "setp.ne.u32 %p1, %t, 0; @!%p1 mbarrier.init.shared.b64 [bar], 1;\n"
               "setp.ne.u32 %p2, %w, 0; @%p2 bra A;\n"
               "tcgen05.alloc" +
               group() + ".sync.aligned.shared::cta.b32 [slot], " + number(columns) + ";\nA:\n" + join +
               "ld.shared.b32 %ta, [slot];\n" + chunks("tcgen05.st.sync.aligned.32x32b.x32.b32", false) + join +
               body + join + chunks("tcgen05.ld.sync.aligned.32x32b.x32.b32", true) + join +
               "@%p2 bra B;\ntcgen05.dealloc" + group() + ".sync.aligned.b32 %ta, " + number(columns) +
               ";\ntcgen05.relinquish_alloc_permit" + group() + ".sync.aligned;\nB: ret;\n}\n";
    }

    /// Shared bytes and cells of each CTA; gives the cells.
    std::vector<TensorCells> run(std::vector<std::vector<std::uint8_t>> const& bytes,
                                 std::vector<TensorCells> const& cells, TensorWay const& way) const {
        std::vector<std::uint32_t> in;
        for (std::uint32_t c = 0; c < ctas; ++c) {
            std::vector<std::uint32_t> words(shared / 4);
            std::copy_n(bytes[c].begin(), std::min<std::size_t>(bytes[c].size(), shared),
                        reinterpret_cast<std::uint8_t*>(words.data()));
            in.insert(in.end(), words.begin(), words.end());
            in.insert(in.end(), cells[c].words.begin(), cells[c].words.end());
        }
        runtime::DeviceOptions options = Program::one_thread();
        if (way.timed) options.mode = runtime::Mode::timing;
        Program program(text(), way.control_flow, options,
                        {target == "sm_103a" ? "compute_capability=10.3" : "compute_capability=10.0",
                         std::string("functional.late_async=") + (way.late ? "true" : "false")});
        program.in = program.device.upload(in);
        auto const out =
            program.run<std::uint32_t>(std::size_t{ctas} * columns * 128, {{128, 1, 1}, {ctas, 1, 1}, 0});
        std::vector<TensorCells> got;
        for (std::uint32_t c = 0; c < ctas; ++c) {
            got.emplace_back(columns);
            std::memcpy(got.back().words.data(), out.data() + std::size_t{c} * columns * 128,
                        got.back().words.size() * 4);
        }
        cycles = program.result.timing ? program.result.timing->cycles : 0;
        return got;
    }
    mutable std::uint64_t cycles = 0;

    /// What the launch ends with; "" if nothing is wrong.
    std::string error(TensorWay const& way = {}) const {
        try {
            run(std::vector<std::vector<std::uint8_t>>(ctas), std::vector<TensorCells>(ctas, TensorCells(columns)),
                way);
        } catch (Error const& error) {
            return error.what();
        }
        return {};
    }
};

/// Thread 0 (of the first CTA) does something and commits it; all wait.
inline std::string committed(TensorKernel const& kernel, std::string const& instructions) {
    bool const is_pair = kernel.ctas == 2;
    return std::string(is_pair ? "setp.ne.u32 %p4, %rank, 0; or.pred %p4, %p4, %p1;\n" : "mov.pred %p4, %p1;\n") +
           "@%p4 bra W;\n" + instructions + "tcgen05.commit" + kernel.group() + ".mbarrier::arrive::one" +
           (is_pair ? ".shared::cluster.multicast::cluster.b64 [%ba], %h0;\n" : ".shared::cluster.b64 [%ba];\n") +
           "W: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; @!%p3 bra "
           "W;\ntcgen05.fence::after_thread_sync;\n";
}

}  // namespace warpsim::test
