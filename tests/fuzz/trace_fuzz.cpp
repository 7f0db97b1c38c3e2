// The readers of Accel-Sim's traces on any text: it ends in a trace whose numbers hold, or in one Error with its place.
#include "runtime/replay/sass_table.hpp"
#include "runtime/replay/trace.hpp"
#include "sim/error.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace warpsim;

void require(bool holds) {
    if (!holds) std::abort();
}

void check(replay::KernelTrace const& trace) {
    std::uint64_t const threads = std::uint64_t{trace.block[0]} * trace.block[1] * trace.block[2];
    require(threads != 0 && threads <= 1024);
    for (std::size_t i = 1; i < trace.instructions.size(); ++i)
        require(trace.instructions[i - 1].pc <= trace.instructions[i].pc);
    for (replay::SassInstruction const& one : trace.instructions) {
        require(!one.opcode.empty() && (one.bytes == 0 || std::has_single_bit(one.bytes)));
        if (replay::sass_row(one.opcode) == nullptr) continue;
        require(replay::text_of(*replay::sass_row(one.opcode)).ends_with(';'));
    }
    for (replay::TracedCta const& cta : trace.ctas) {
        require(cta.warps.size() == (threads + 31) / 32);
        for (replay::TracedWarp const& warp : cta.warps) {
            for (replay::Record const& record : warp.records) {
                require(record.instruction < trace.instructions.size());
                bool const is_access = trace.instructions[record.instruction].bytes != 0;
                require(!is_access || record.first_address <= trace.addresses.size());
            }
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string const text(reinterpret_cast<char const*>(data), size);
    try {
        check(replay::parse_trace("kernel-1.traceg", text));
    } catch (Error const&) {}
    try {
        replay::parse_list("kernelslist.g", text, "folder/");
    } catch (Error const&) {}
    return 0;
}
