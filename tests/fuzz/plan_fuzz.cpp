// The plan reader on any text: it ends in a plan or in one Error, and small arrays can be made.
#include "runtime/plan/plan.hpp"
#include "runtime/plan/sequence.hpp"
#include "sim/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace warpsim;
    try {
        auto const p = plan::parse_plan("/nonexistent/plan.json", {reinterpret_cast<char const*>(data), size});
        for (plan::Array const& array : p.arrays)
            if (array.count > 0 && array.count <= 4096 && array.init.kind != plan::Init::Kind::file)
                plan::make_bytes(array.init, array.type, array.count,
                                 [](plan::Address const&) { return std::uint64_t{0}; });
    } catch (Error const&) {}
    return 0;
}
