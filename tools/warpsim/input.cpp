// The texts that the command reads: files, or standard input.
#include "command.hpp"

#include "frontend/source.hpp"

#include <iostream>
#include <iterator>
#include <system_error>

namespace warpsim::command {

namespace {

/// Why a text that is no PTX cannot be read, and what makes PTX of it; "" for all others.
std::string what_makes_ptx_of(Input const& input) {
    std::string_view const text = input.text;
    bool const is_elf = text.starts_with("\177ELF"), is_fatbin = text.starts_with("\x50\xed\x55\xba");
    if (is_elf || is_fatbin)
        return input.name + " is compiled code, not PTX; if PTX was kept beside it, `cuobjdump -ptx " +
               input.name + "` prints it";
    bool const is_cuda = input.name.ends_with(".cu") || (text.find("__global__") != std::string_view::npos &&
                                                         text.find(".version") == std::string_view::npos);
    if (!is_cuda) return {};
    std::string const source = input.name.ends_with(".cu") ? input.name : "kernel.cu";
    std::string const stem = source.substr(0, source.size() - 3);
    return input.name + " is CUDA C++, not PTX; compile it first:\n  nvcc -ptx -lineinfo -o " + stem + ".ptx " +
           source + "\nor\n  clang++ -x cuda --cuda-gpu-arch=sm_75 --cuda-device-only -O3 -S -o " + stem +
           ".ptx " + source;
}

}  // namespace

std::string read_file(std::string const& path) {
    try {
        return frontend::Source::read(path);
    } catch (std::system_error const& e) {
        throw Error(ErrorKind::usage, e.what());
    }
}

Input read_input(std::string const& path) {
    if (path != "-") return {path, read_file(path)};
    Input input{"<stdin>", {}};
    input.text.assign(std::istreambuf_iterator<char>(std::cin), {});
    return input;
}

void expect_ptx(Input const& input) {
    std::string const advice = what_makes_ptx_of(input);
    if (!advice.empty()) throw Error(ErrorKind::usage, advice);
}

Input read_ptx(std::string const& path) {
    Input input = read_input(path);
    expect_ptx(input);
    return input;
}

}  // namespace warpsim::command
