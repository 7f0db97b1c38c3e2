// Functions that compilers leave undefined.
#pragma once

#include <string>
#include <string_view>

namespace warpsim::frontend {

/// What defines a function of libdevice or of the C library, or how to do without it; "" for other names.
std::string advice_on_undefined(std::string_view name);

}  // namespace warpsim::frontend
