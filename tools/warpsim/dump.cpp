// `warpsim dump`: a module as the stages of the frontend and the functional engine see it.
#include "choice.hpp"
#include "command.hpp"
#include "dump_syntax.hpp"
#include "frontend/decode/decode.hpp"
#include "frontend/grammar/parse.hpp"
#include "frontend/ir/print.hpp"
#include "frontend/isa/table.hpp"
#include "runtime/plan/plan.hpp"
#include "sim/compiled/compile.hpp"
#include "sim/config/config.hpp"
#include "sim/exec/plan.hpp"
#include "sim/timing/plan/machine_kernel.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace warpsim::command {

namespace {

struct DumpCommand {
    std::string file;
    std::string kernel;
    std::string what = "ir";
    std::string config = "v100";
};

void stop_at_errors(frontend::Diagnostics const& diagnostics) {
    if (diagnostics.error_count() > 0) throw Error(ErrorKind::ptx, diagnostics.render());
}

void check_kernel(std::string const& kernel, std::vector<std::string_view> const& known) {
    if (!kernel.empty() && std::find(known.begin(), known.end(), kernel) == known.end())
        throw Error(ErrorKind::usage,
                    "--kernel: there is no function '" + kernel + "'" + plan::suggestion(kernel, known));
}

std::string dump_syntax(DumpCommand const& command, frontend::Source const& source) {
    frontend::Diagnostics diagnostics(source);
    frontend::syntax::Module const tree = frontend::grammar::parse(source, diagnostics);
    stop_at_errors(diagnostics);
    std::vector<std::string_view> names;
    for (auto const& f : tree.functions)
        if (f.kind != frontend::syntax::Function::Kind::prototype) names.push_back(f.name);
    check_kernel(command.kernel, names);
    return print_syntax(source, tree, command.kernel);
}

// There is no device, so variables get the addresses that an empty device would give them.
sim::SymbolAddresses example_addresses(ir::Module const& module) {
    sim::SymbolAddresses symbols;
    std::uint64_t global = 0x10000000000;
    for (ir::Variable const& v : module.variables) {
        bool const is_global = v.space == ir::StateSpace::global;
        symbols.variable.push_back(is_global ? global : v.offset);
        if (is_global) global += std::max<std::uint64_t>(v.size + 511, 512) / 512 * 512;
    }
    return symbols;
}

std::string dump_plan(ir::Module const& module, ir::Function const& function) {
    if (!function.is_entry) return {};
    auto const index = static_cast<std::uint32_t>(&function - module.functions.data());
    sim::PlanOptions options;
    options.host = isa::host_isa();
    return sim::print_plan(sim::make_plan(module, index, example_addresses(module), options));
}

std::string dump_compiled(ir::Module const& module, ir::Function const& function) {
    if (!function.is_entry) return {};
    if (sim::compiler_version().empty())
        throw Error(ErrorKind::usage, "--what compiled: this warpsim was built without LLVM");
    auto const index = static_cast<std::uint32_t>(&function - module.functions.data());
    sim::PlanOptions options;
    options.host = isa::host_isa();
    return sim::print_code(sim::make_plan(module, index, example_addresses(module), options), {options.host, {}});
}

std::string dump_machine(DumpCommand const& command, ir::Module const& module, ir::Function const& function) {
    if (!function.is_entry) return {};
    auto const index = static_cast<std::uint32_t>(&function - module.functions.data());
    sim::SymbolAddresses const symbols = example_addresses(module);
    sim::PlanOptions options;
    options.host = isa::host_isa();
    sim::KernelPlan const plan = sim::make_plan(module, index, symbols, options);
    return timing::print_machine_kernel(
        *timing::make_machine_kernel(plan, symbols, options, sim::load_config(command.config)));
}

std::string dump_decoded(DumpCommand const& command, std::shared_ptr<frontend::Source const> const& source) {
    frontend::Diagnostics diagnostics(*source);
    ir::Module const module = frontend::compile(source, diagnostics);
    stop_at_errors(diagnostics);
    std::vector<std::string_view> names;
    for (ir::Function const& f : module.functions) names.push_back(f.name);
    check_kernel(command.kernel, names);
    std::string text;
    for (ir::Function const& f : module.functions) {
        if ((!command.kernel.empty() && f.name != command.kernel) || !f.has_body) continue;
        std::string const part = command.what == "ir"         ? ir::print(module, f)
                                 : command.what == "cfg"      ? ir::print_cfg_dot(module, f)
                                 : command.what == "plan"     ? dump_plan(module, f)
                                 : command.what == "compiled" ? dump_compiled(module, f)
                                                              : dump_machine(command, module, f);
        if (!text.empty() && !part.empty()) text += "\n";
        text += part;
    }
    return text;
}

}  // namespace

void add_dump(CLI::App& app, int& status) {
    CLI::App* const sub = app.add_subcommand("dump", "Print a module as the simulator reads it");
    auto const command = std::make_shared<DumpCommand>();
    sub->add_option("file", command->file, "A PTX file; - is standard input")->type_name("FILE.ptx")->required();
    sub->add_option("--kernel", command->kernel, "This kernel or function alone")->type_name("NAME");
    choose(sub->add_option(
               "--what", command->what,
               "ast: the syntax tree; ir: checked and decoded (default); cfg: the control-flow graph for\n"
               "Graphviz; plan: what the functional engine executes; machine: what timing mode issues, with\n"
               "micro-ops and hardware registers; compiled: native code of kernels, as LLVM IR and as assembly"),
           {"ast", "ir", "cfg", "plan", "machine", "compiled"});
    sub->add_option("--config", command->config, "The GPU, for --what machine (default v100)")
        ->type_name("NAME|FILE");
    sub->callback([command, &status] {
        Input input = read_ptx(command->file);
        auto const source = std::make_shared<frontend::Source const>(std::move(input.name), std::move(input.text));
        print(command->what == "ast" ? dump_syntax(*command, *source) : dump_decoded(*command, source));
        status = success;
    });
}

}  // namespace warpsim::command
