// The page without its data, made of page/ when the project is built.
#pragma once

#include <string_view>

namespace warpsim::report {

/// HTML, in which the data of a run stand for <!--DATA-->.
std::string_view embedded_page();

}  // namespace warpsim::report
