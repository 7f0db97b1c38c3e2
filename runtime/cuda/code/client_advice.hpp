// How clients that hand over machine code are asked for PTX.
#pragma once

#include <string>

namespace warpsim::cuda {

/// One line for the client that is calling, known by the libraries that are on this thread's stack, or else by those
/// that the process has loaded.
std::string advice_on_machine_code();

}  // namespace warpsim::cuda
