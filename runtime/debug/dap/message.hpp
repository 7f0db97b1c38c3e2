// The Debug Adapter Protocol's messages: JSON with a header that says how long it is.
#pragma once

#include <nlohmann/json.hpp>

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace warpsim::debug::dap {

using Json = nlohmann::json;

/// Cuts what arrives into messages.
class MessageReader {
public:
    void add(std::string_view bytes) { bytes_ += bytes; }
    /// The text of the next message; none: more has to arrive. Throws Error(usage) where no message can be found any more.
    std::optional<std::string> next();

private:
    std::string bytes_;
};

/// Throws Error(usage): it is no object, or nested too deeply.
Json parsed(std::string const& text);
std::string framed(Json const& message);
/// How many bytes of the text end with a whole character.
std::size_t whole_characters(std::string_view text);

Json response_to(Json const& request, Json body);
Json refusal_of(Json const& request, std::string const& why);
Json event_of(std::string_view name, Json body);
/// To a request that sets breakpoints, where the debugger takes them later.
Json pending_answer(Json const& request);
/// Before a kernel has stood still.
Json no_threads();
Json output_of(std::string_view category, std::string_view text);

/// False: the other end is gone.
bool write_all(int file, std::string_view text);

/// The end of a socket at which several threads write.
class Writer {
public:
    explicit Writer(int file) : file_(file) {}
    /// With the number that comes next.
    bool write(Json message);

private:
    int const file_;
    std::mutex lock_;
    std::int64_t next_ = 1;
};

}  // namespace warpsim::debug::dap
