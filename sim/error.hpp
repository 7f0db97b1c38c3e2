// The one type of error that a user can cause and that is thrown.
#pragma once

#include <stdexcept>
#include <string>

namespace warpsim {

enum class ErrorKind {
    usage,       // a bad option or call
    config,      // a configuration
    plan,        // a plan file or a file it names
    ptx,         // PTX that does not parse, check or link; what() is the rendered diagnostics
    launch,      // a launch that cannot be placed, an allocation that cannot be made
    fault,       // a kernel that faulted, deadlocked or ran away; what() is the whole report
    comparison,  // an `expect` that failed
};

class Error : public std::runtime_error {
public:
    Error(ErrorKind kind, std::string const& message) : std::runtime_error(message), kind_(kind) {}
    ErrorKind kind() const { return kind_; }

private:
    ErrorKind kind_;
};

}  // namespace warpsim
