// The options that programs give to loaders and linkers, by the numbers that both interfaces share.
#pragma once

#include "runtime/cuda/code/program.hpp"

#include <string>

namespace warpsim::cuda {

/// A list of options and their values; some values are addresses for answers.
class JitOptions {
public:
    /// Throws Failure(invalid_value) for an unknown number. Options that only steer a compiler are accepted and
    /// ignored.
    JitOptions(unsigned count, int const* numbers, void** values);
    JitOptions() = default;

    runtime::LoadOptions load() const { return load_; }
    /// Whether the program wants to read errors itself.
    bool has_error_log() const { return errors_.text != nullptr && errors_.size != 0; }
    /// Whether it wants to read what a compiler reports about each kernel.
    bool has_information_log() const { return information_.used != nullptr; }
    /// Fills the program's logs as far as they have room, and stores in the options how many bytes that is.
    void report(std::string const& information, std::string const& errors) const;

private:
    struct Log {
        char* text = nullptr;
        std::size_t size = 0;
        void** used = nullptr;  // holds the size of the log, and then the bytes used
    };
    static void fill(Log const& log, std::string const& text);

    runtime::LoadOptions load_;
    Log information_, errors_;
    void** wall_time_ = nullptr;
};

/// A file's bytes followed by a NUL. Throws Failure(file_not_found).
std::string read_image(char const* path);
/// Loads an image, whose bytes may change afterwards unless `is_preserved`. Its module on `gpu` is created at
/// once, so that errors come from this call and go where the options say. Throws Failure.
std::shared_ptr<Program> load_program(Gpu& gpu, void const* image, JitOptions const& options, bool is_preserved);

/// Whether the options of a library, passed as two lists, say that its image stays where it is. Throws
/// Failure(invalid_value) for an unknown option.
bool is_preserved(unsigned count, int const* numbers, void* const* values);

}  // namespace warpsim::cuda
