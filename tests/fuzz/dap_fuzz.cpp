// Reads any bytes as messages of the Debug Adapter Protocol, in pieces; says what messages they hold and how they end.
#include "runtime/debug/dap/message.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace warpsim;
namespace dap = debug::dap;

/// What a reader finds in bytes that come in pieces of that size; the same for all sizes.
std::string found(std::string_view bytes, std::size_t piece) {
    dap::MessageReader reader;
    std::string all;
    try {
        while (!bytes.empty()) {
            std::string_view const next = bytes.substr(0, piece);
            bytes.remove_prefix(next.size());
            reader.add(next);
            while (std::optional<std::string> const text = reader.next()) {
                all += "[" + *text + "]";
                try {
                    dap::Json const message = dap::parsed(*text);
                    // What is sent again is understood again.
                    std::string const framed = dap::framed(message);
                    dap::MessageReader other;
                    other.add(framed);
                    if (dap::parsed(other.next().value())
                            .dump(-1, ' ', false, dap::Json::error_handler_t::replace) !=
                        message.dump(-1, ' ', false, dap::Json::error_handler_t::replace))
                        std::abort();
                    dap::pending_answer(message);
                    dap::refusal_of(message, "why");
                } catch (Error const&) {
                    all += "?";
                }
            }
        }
    } catch (Error const&) {
        all += "!";
    }
    return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const bytes(reinterpret_cast<char const*>(data), size);
    std::size_t const whole = dap::whole_characters(bytes);
    if (whole > size || size - whole > 3) std::abort();
    if (found(bytes, std::max<std::size_t>(size, 1)) != found(bytes, 1)) std::abort();
    return 0;
}
