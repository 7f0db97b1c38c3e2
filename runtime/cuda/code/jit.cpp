#include "runtime/cuda/code/jit.hpp"

#include "frontend/source.hpp"
#include "runtime/cuda/core/errors.hpp"
#include "runtime/cuda/devices/gpu.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <system_error>

namespace warpsim::cuda {

namespace {

enum Option : int {
    max_registers = 0,
    wall_time = 2,
    information_log = 3,
    information_log_size = 4,
    error_log = 5,
    error_log_size = 6,
    last_option = 34,
};

/// What a compiler would report about each kernel.
std::string describe(Gpu& gpu, runtime::Module& module) {
    std::string text;
    for (std::string const& name : module.kernels()) {
        runtime::KernelAttributes a;
        try {
            a = gpu.device.attributes(module, name);
        } catch (Error const& error) {
            // This does not concern the kernels that can run; launching this one reports the error.
            text += name + ": " + error.what() + "\n";
            continue;
        }
        text += name + ": " + std::to_string(a.registers_per_thread) + " registers, " +
                std::to_string(a.shared_bytes) + " bytes of shared memory, " + std::to_string(a.local_bytes) +
                " bytes of local memory, " + std::to_string(a.parameter_bytes) + " bytes of parameters\n";
    }
    return text;
}

}  // namespace

JitOptions::JitOptions(unsigned count, int const* numbers, void** values) {
    if (count != 0 && (numbers == nullptr || values == nullptr)) throw Failure(Result::invalid_value);
    for (unsigned i = 0; i < count; ++i) {
        auto const value = reinterpret_cast<std::uintptr_t>(values[i]);
        if (numbers[i] < 0 || numbers[i] > last_option) throw Failure(Result::invalid_value);
        switch (numbers[i]) {
            case max_registers: load_.max_registers = static_cast<std::uint32_t>(value); break;
            case wall_time: wall_time_ = &values[i]; break;
            case information_log: information_.text = static_cast<char*>(values[i]); break;
            case error_log: errors_.text = static_cast<char*>(values[i]); break;
            case information_log_size:
                information_.size = static_cast<std::uint32_t>(value);
                information_.used = &values[i];
                break;
            case error_log_size:
                errors_.size = static_cast<std::uint32_t>(value);
                errors_.used = &values[i];
                break;
            default: break;
        }
    }
}

void JitOptions::fill(Log const& log, std::string const& text) {
    if (log.used == nullptr) return;
    std::size_t used = 0;
    if (log.text != nullptr && log.size != 0) {
        used = std::min(text.size(), log.size - 1);
        std::memcpy(log.text, text.data(), used);
        log.text[used] = 0;
    }
    *log.used = reinterpret_cast<void*>(static_cast<std::uintptr_t>(used));
}

void JitOptions::report(std::string const& information, std::string const& errors) const {
    fill(information_, information);
    fill(errors_, errors);
    // The time is a float in milliseconds; nothing is compiled.
    if (wall_time_ != nullptr) *wall_time_ = nullptr;
}

std::string read_image(char const* path) {
    if (path == nullptr) throw Failure(Result::invalid_value);
    try {
        std::string bytes = frontend::Source::read(path);
        bytes.push_back(0);
        return bytes;
    } catch (std::system_error const&) {
        throw Failure(Result::file_not_found);
    }
}

std::shared_ptr<Program> load_program(Gpu& gpu, void const* image, JitOptions const& options, bool is_preserved) {
    auto program = std::make_shared<Program>(image, options.load());
    if (!is_preserved) program->keep_copy();
    std::string errors;
    try {
        std::shared_ptr<runtime::Module> const module =
            program->module(gpu, options.has_error_log() ? &errors : nullptr);
        // Describing a kernel means planning it.
        options.report(options.has_information_log() ? describe(gpu, *module) : std::string(), errors);
    } catch (Failure const&) {
        options.report({}, errors);
        throw;
    }
    return program;
}

bool is_preserved(unsigned count, int const* numbers, void* const* values) {
    constexpr int binary_is_preserved = 1;
    if (count != 0 && (numbers == nullptr || values == nullptr)) throw Failure(Result::invalid_value);
    bool preserved = false;
    for (unsigned i = 0; i < count; ++i) {
        if (numbers[i] < 0 || numbers[i] > binary_is_preserved) throw Failure(Result::invalid_value);
        preserved = preserved || (numbers[i] == binary_is_preserved && values[i] != nullptr);
    }
    return preserved;
}

}  // namespace warpsim::cuda
