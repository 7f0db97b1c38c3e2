// Traces in files, and the list of what a program did.
#include "runtime/replay/line_reader.hpp"
#include "runtime/replay/trace.hpp"
#include "sim/error.hpp"

#include <array>
#include <cstdio>
#include <system_error>
#include <utility>

namespace warpsim::replay {

namespace {

struct Compression {
    std::string_view ending, command;
};
constexpr std::array<Compression, 3> compressions{{{".xz", "xz -dc"}, {".gz", "gzip -dc"}, {".zst", "zstd -dc"}}};

Compression const* compression_of(std::string_view name) {
    for (Compression const& one : compressions)
        if (name.ends_with(one.ending)) return &one;
    return nullptr;
}

std::string_view without_compression(std::string_view name) {
    Compression const* const found = compression_of(name);
    if (found != nullptr) name.remove_suffix(found->ending.size());
    return name;
}

/// Between quotes of the shell.
std::string quoted(std::string const& path) {
    std::string result = "'";
    for (char const c : path) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

std::string decompressed(std::string const& path, std::string_view command) {
    std::FILE* const pipe = popen((std::string(command) + " -- " + quoted(path)).c_str(), "r");
    if (pipe == nullptr) throw Error(ErrorKind::usage, path + ": cannot run " + std::string(command));
    std::string text;
    std::array<char, 65536> piece;
    while (std::size_t const n = std::fread(piece.data(), 1, piece.size(), pipe)) text.append(piece.data(), n);
    if (pclose(pipe) != 0)
        throw Error(ErrorKind::usage, path + ": '" + std::string(command) + "' cannot decompress it");
    return text;
}

std::string read_text(std::string const& path) {
    try {
        // Says better than another program whether the file is there.
        if (Compression const* const found = compression_of(path)) {
            if (std::FILE* const file = std::fopen(path.c_str(), "rb")) std::fclose(file);
            else throw std::system_error(errno, std::generic_category(), path);
            return decompressed(path, found->command);
        }
        return frontend::Source::read(path);
    } catch (std::system_error const& error) {
        throw Error(ErrorKind::usage, error.what());
    }
}

}  // namespace

bool is_list_name(std::string_view name) {
    std::string_view const file = name.substr(name.rfind('/') + 1);
    return file.starts_with("kernelslist") && file.ends_with(".g");
}

bool is_trace_name(std::string_view name) {
    return is_list_name(name) || without_compression(name).ends_with(".traceg") ||
           without_compression(name).ends_with(".trace");
}

KernelTrace read_trace(std::string const& path) { return parse_trace(path, read_text(path)); }

std::vector<TraceCommand> parse_list(std::string name, std::string text, std::string const& folder) {
    frontend::Source const source(std::move(name), std::move(text));
    LineReader reader(source);
    std::vector<TraceCommand> list;
    while (reader.next_line()) {
        std::string_view const line = reader.word();
        TraceCommand command;
        if (line.starts_with("MemcpyHtoD")) {
            std::size_t const first = line.find(','), second = line.find(',', first + 1);
            auto const address = second == std::string_view::npos
                                     ? std::nullopt
                                     : number_of(line.substr(first + 1, second - first - 1), 16);
            auto const bytes = address ? number_of(line.substr(second + 1), 10) : std::nullopt;
            if (!bytes) reader.fail(line, "expected MemcpyHtoD,ADDRESS,BYTES");
            command = {true, {}, *address, *bytes};
        } else if (line.starts_with("Memcpy")) {
            continue;  // back to the host: leaves nothing on the device
        } else if (line.starts_with("kernel")) {
            command.file = folder + std::string(line);
        } else {
            reader.fail(line, "expected MemcpyHtoD,ADDRESS,BYTES or the name of a kernel's trace");
        }
        list.push_back(std::move(command));
    }
    return list;
}

}  // namespace warpsim::replay
