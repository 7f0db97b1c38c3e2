// The options of the table (runtime/options) on the command line of a subcommand.
#pragma once

#include "runtime/options/values.hpp"

#include <memory>
#include <string_view>

namespace CLI {
class App;
class FormatterBase;
}  // namespace CLI

namespace warpsim::command {

/// Adds all options that `run` (or `exec`) takes; parsing sets them in `values`, which must outlive it.
void add_options(CLI::App& app, options::Command command, options::Values& values);

/// Throws Error(usage) for the first option of this section on the command line, since it belongs to `belongs_to`:
/// "run FILE.ptx".
void refuse(CLI::App const& app, options::Section section, std::string_view belongs_to);

/// Help that also names the environment variables of the table's options.
std::shared_ptr<CLI::FormatterBase> make_formatter();

}  // namespace warpsim::command
