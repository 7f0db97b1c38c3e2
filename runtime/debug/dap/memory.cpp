// Bytes, and PTX by addresses.
#include "runtime/debug/dap/code_address.hpp"
#include "runtime/debug/dap/server.hpp"
#include "runtime/debug/words.hpp"
#include "sim/error.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>

namespace warpsim::debug::dap {

namespace {

constexpr std::int64_t most_read = std::int64_t{1} << 20;
constexpr std::int64_t most_instructions = 10'000;
constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64_of(std::vector<std::byte> const& bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j)
            group = group << 8 | (i + j < bytes.size() ? static_cast<std::uint32_t>(bytes[i + j]) : 0);
        for (std::size_t j = 0; j < 4; ++j)
            text += i + j > bytes.size() ? '=' : digits[group >> (18 - 6 * j) & 63];
    }
    return text;
}

std::vector<std::byte> bytes_of_base64(std::string_view text) {
    std::vector<std::byte> bytes;
    std::uint32_t group = 0;
    int bits = 0;
    while (text.ends_with('=')) text.remove_suffix(1);
    for (char const c : text) {
        std::size_t const digit = digits.find(c);
        if (digit == std::string_view::npos) throw Error(ErrorKind::usage, "the data is no base64");
        group = group << 6 | static_cast<std::uint32_t>(digit);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes.push_back(static_cast<std::byte>(group >> bits & 0xff));
    }
    return bytes;
}

std::uint64_t address_in(Json const& arguments) {
    return number_of(arguments.at("memoryReference").get<std::string>()) +
           static_cast<std::uint64_t>(arguments.value("offset", std::int64_t{0}));
}

}  // namespace

Json Server::read_memory(Json const& arguments) {
    std::uint64_t const address = address_in(arguments);
    auto const count = arguments.at("count").get<std::int64_t>();
    if (count < 0 || count > most_read) throw Error(ErrorKind::usage, "0 to 1048576 bytes can be read at once");
    Thread const of = thread_of(debugger_.focus());
    std::vector<std::byte> bytes;
    std::byte one{};
    while (static_cast<std::int64_t>(bytes.size()) < count &&
           machine().read(of, sim::SpaceKind::generic, address + bytes.size(), {&one, 1}))
        bytes.push_back(one);
    Json body{{"address", sim::hexadecimal(address)}, {"data", base64_of(bytes)}};
    if (static_cast<std::int64_t>(bytes.size()) < count)
        body["unreadableBytes"] = count - static_cast<std::int64_t>(bytes.size());
    return body;
}

Json Server::write_memory(Json const& arguments) {
    std::uint64_t const address = address_in(arguments);
    std::vector<std::byte> const bytes = bytes_of_base64(arguments.at("data").get<std::string>());
    if (!machine().write(thread_of(debugger_.focus()), sim::SpaceKind::generic, address, bytes))
        throw Error(ErrorKind::usage, machine().explain(sim::SpaceKind::generic, address));
    return {{"bytesWritten", bytes.size()}};
}

/// Exactly as many instructions as are asked for; there are none before and behind a function.
Json Server::disassemble(Json const& arguments) {
    std::uint64_t const begin =
        address_in(arguments) + static_cast<std::uint64_t>(arguments.value("instructionOffset", std::int64_t{0}));
    auto const count = arguments.at("instructionCount").get<std::int64_t>();
    if (count < 0 || count > most_instructions)
        throw Error(ErrorKind::usage, "0 to 10000 instructions can be shown at once");
    Json list = Json::array();
    Line before;
    for (std::uint64_t at = begin; at != begin + static_cast<std::uint64_t>(count); ++at) {
        Json one{{"address", sim::hexadecimal(at)}, {"instruction", ""}};
        if (std::optional<CodePlace> const place = code_place(module(), at)) {
            ir::Function const& function = module().functions[place->function];
            ir::Instruction const& i = function.instructions[place->instruction];
            one["instruction"] = module().written(i);
            if (place->instruction == 0) one["symbol"] = function.name;
            Line const line = line_of(module(), i);
            if (line.number != 0) one["line"] = static_cast<std::int64_t>(line.number) - 1 + line_base_;
            if (line.file != before.file) one["location"] = source_of(line.file);
            before = line;
        } else {
            one["presentationHint"] = "invalid";
        }
        list.push_back(std::move(one));
    }
    return {{"instructions", list}};
}

}  // namespace warpsim::debug::dap
