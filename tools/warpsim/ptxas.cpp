// `warpsim ptxas`: stands in for NVIDIA's assembler in tools that call it. It checks the PTX and writes a fat binary
// with the PTX itself, which the CUDA libraries load in place of machine code.
#include "ptxas_options.hpp"

#include "command.hpp"
#include "frontend/decode/decode.hpp"
#include "frontend/diagnostic.hpp"
#include "frontend/link/link.hpp"
#include "runtime/device.hpp"
#include "runtime/fatbin/write.hpp"
#include "runtime/log.hpp"
#include "runtime/session/chosen.hpp"
#include "sim/config/config.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

namespace warpsim::command {

namespace {

// Clients read "release 13.0" and V13.0.x, and keep results under the text as a whole.
std::string ptxas_version(std::string const& release) {
    return "ptxas: warpsim's assembler, which checks PTX and keeps it\n"
           "warpsim " WARPSIM_VERSION ", in place of NVIDIA's\n"
           "Cuda compilation tools, release " +
           release + ", V" + release + ".0\nBuild warpsim_" WARPSIM_VERSION "\n";
}
constexpr char const* ptx_versions =
    "1.0 1.1 1.2 1.3 1.4 1.5 2.0 2.1 2.2 2.3 3.0 3.1 3.2 4.0 4.1 4.2 4.3 5.0 5.1 6.0 6.1 "
    "6.2 6.3 6.4 6.5 7.0 7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 8.0 8.1 8.2 8.3 8.4 8.5 8.6 8.7 "
    "8.8 9.0";
constexpr int ptxas_failure = 255;
constexpr char const* aborted = "Ptx assembly aborted due to errors";

void tell(std::string const& line) { std::fputs((line + "\n").c_str(), stderr); }

/// Ends the command with ptxas's form of a message.
struct Fatal {
    std::string what;
};

std::string first_line(std::string const& text) { return text.substr(0, text.find('\n')); }

std::shared_ptr<frontend::Source const> read_text(PtxasWords const& words) {
    if (words.texts.size() + words.files.size() > 1) throw Fatal{"More than one input: warpsim's ptxas takes one"};
    if (!words.texts.empty())
        return std::make_shared<frontend::Source const>("application ptx input", words.texts.front());
    std::string const& file = words.files.front();
    try {
        return std::make_shared<frontend::Source const>(file, read_input(file).text);
    } catch (Error const&) {
        tell("ptxas fatal   : Input file '" + file + "' could not be opened");
        throw Fatal{aborted};
    }
}

/// Prints as ptxas does; further lines of a message and notes are indented below it.
void print_diagnostics(frontend::Diagnostics const& diagnostics, bool with_warnings) {
    for (frontend::Diagnostic const* const d : diagnostics.shown(0, with_warnings).findings) {
        std::string const place = "ptxas " + diagnostics.source().name() + ", line " +
                                  std::to_string(diagnostics.source().position(d->span.offset).line) + "; ";
        switch (d->severity) {
            case frontend::Severity::error: tell(place + "error   : " + d->message); break;
            case frontend::Severity::warning: tell(place + "warning : " + d->message); break;
            case frontend::Severity::note: tell("    " + d->message); break;
        }
    }
}

void check_target(ir::Module const& module, Architecture const& chosen) {
    bool const is_other =
        module.target_suffix == 'a' && (chosen.number != module.target_sm || chosen.suffix != 'a');
    if (is_other)
        throw Fatal{"PTX with .target '" + module.target + "' cannot be compiled to architecture 'sm_" +
                    std::to_string(chosen.number) + (chosen.suffix != 0 ? std::string(1, chosen.suffix) : "") +
                    "'"};
    if (module.target_sm > chosen.number)
        throw Fatal{"SM version specified by .target is higher than default SM version assumed"};
}

void check_entries(ir::Module const& module, PtxasWords const& words) {
    std::istringstream names(words.value("entry", ""));
    for (std::string name; std::getline(names, name, ',');)
        if (module.kernel(name) == nullptr) throw Fatal{"Unknown function " + name};
}

/// Whatever is declared external has to be defined, unless the output is linked later.
void check_links(ir::Module module) {
    std::vector<ir::Module> modules;
    modules.push_back(std::move(module));
    frontend::Linked const linked = frontend::link(std::move(modules));
    if (linked.error_count == 0) return;
    std::istringstream lines(linked.report);
    for (std::string line; std::getline(lines, line);)
        if (line.find("error: ") != std::string::npos)
            tell("ptxas error   : " + line.substr(line.find("error: ") + 7));
    throw Fatal{aborted};
}

/// The simulated GPU that says how many registers a kernel takes: the least capable of those that can run it.
sim::Config configuration_for(int target) {
    std::vector<sim::ConfigSummary> known = sim::builtin_configs();
    std::stable_sort(known.begin(), known.end(), [](auto const& a, auto const& b) {
        return a.compute_capability.number() < b.compute_capability.number();
    });
    auto const found = std::find_if(known.begin(), known.end(),
                                    [&](auto const& one) { return one.compute_capability.number() >= target; });
    return sim::load_config(found != known.end() ? found->name : known.back().name);
}

void print_usage(ir::Module const& module, frontend::Source const& source, PtxasWords const& words) {
    std::string const name = words.value("gpu-name", "sm_75");
    runtime::DeviceOptions options;
    options.threads = 1;
    runtime::Device device(configuration_for(architecture_named(name).number), options);
    runtime::LoadOptions load;
    load.max_registers =
        static_cast<std::uint32_t>(std::strtoul(words.value("maxrregcount", "0").c_str(), nullptr, 10));
    auto const loaded = device.load_texts({{source.name(), std::string(source.text())}}, load);
    std::uint64_t global = 0;
    for (ir::Variable const& v : module.variables)
        if (v.space == ir::StateSpace::global) global += v.size;
    tell("ptxas info    : " + std::to_string(global) + " bytes gmem");
    for (ir::Function const& function : module.functions) {
        if (module.kernel(function.name) != &function) continue;
        std::string const kernel(function.name);
        runtime::KernelAttributes const a = device.attributes(*loaded, kernel);
        tell("ptxas info    : Compiling entry function '" + kernel + "' for '" + name + "'");
        tell("ptxas info    : Function properties for " + kernel);
        tell("    " + std::to_string(a.local_bytes) +
             " bytes stack frame, 0 bytes spill stores, 0 bytes spill loads");
        std::string line = "ptxas info    : Used " + std::to_string(a.registers_per_thread) + " registers";
        if (a.shared_bytes != 0) line += ", " + std::to_string(a.shared_bytes) + " bytes smem";
        if (a.parameter_bytes != 0) line += ", " + std::to_string(a.parameter_bytes) + " bytes cmem[0]";
        tell(line);
    }
}

void write_output(std::string const& path, std::string const& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) throw Fatal{"Output file '" + path + "' could not be opened"};
}

void assemble(PtxasWords const& words) {
    std::shared_ptr<frontend::Source const> const source = read_text(words);
    frontend::Diagnostics diagnostics(*source);
    ir::Module module = frontend::compile(source, diagnostics);
    print_diagnostics(diagnostics, !words.has("disable-warnings"));
    bool const warned = std::any_of(diagnostics.list().begin(), diagnostics.list().end(),
                                    [](auto const& d) { return d.severity == frontend::Severity::warning; });
    if (diagnostics.error_count() != 0 || (warned && words.has("warning-as-error"))) throw Fatal{aborted};
    Architecture const chosen = architecture_named(words.value("gpu-name", "sm_75"));
    check_target(module, chosen);
    check_entries(module, words);
    bool const is_linked_later = words.has("compile-only") || words.has("extensible-whole-program");
    if (!is_linked_later) check_links(module);
    if (words.has("verbose") && !is_linked_later) print_usage(module, *source, words);
    if (!chosen.real) return;
    std::string const registers = words.value("maxrregcount", "");
    std::string const output = words.value("output-file", "elf.o");
    write_output(output, fatbin::write(source->text(), registers.empty() ? "" : "-maxrregcount=" + registers));
    log::info("ptxas: " + output + " holds the PTX of " + source->name());
}

int ptxas(std::vector<std::string> const& line) {
    try {
        options::Values chosen;
        chosen.read_environment();
        runtime::configure_log(chosen);
        PtxasWords const words = read_ptxas_words(line);
        if (words.has("version")) print(ptxas_version(chosen.value<"ptxas-release">()));
        else if (words.has("list-version")) {
            std::string text = ptx_versions;
            std::replace(text.begin(), text.end(), ' ', '\n');
            print(text + "\n");
        } else if (words.has("help") || (words.files.empty() && words.texts.empty())) print(ptxas_help());
        else assemble(words);
        return success;
    } catch (Fatal const& fatal) {
        tell("ptxas fatal   : " + fatal.what);
    } catch (Error const& error) {
        tell("ptxas fatal   : " + first_line(error.what()));
    }
    return ptxas_failure;
}

}  // namespace

void add_ptxas(CLI::App& app, int& status, std::vector<std::string> const& words) {
    CLI::App* const sub =
        app.add_subcommand("ptxas", "Check PTX and write a fat binary, with ptxas's command line");
    sub->footer("\nwarpsim ptxas [OPTIONS] FILE.ptx\n\n"
                "The options are those of NVIDIA's ptxas; warpsim ptxas --help lists them.\n"
                "Tools that call ptxas find it as lib/cuda/toolkit/bin/ptxas.");
    sub->callback([&words, &status] { status = ptxas(words); });
}

}  // namespace warpsim::command
