// `warpsim man`: manual pages.
#include "command.hpp"
#include "sim/error.hpp"
#include "sim/nearest.hpp"
#include "words.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace warpsim::command {

namespace {

/// A text as a manual page writes it: nothing of it is taken for a request.
std::string roff(std::string const& text) {
    std::string escaped = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
    for (char const c : text) {
        if (c == '\\') escaped += "\\e";
        else if (c == '-') escaped += "\\-";
        else escaped += c;
    }
    return escaped;
}

std::string title(std::string const& name, std::string const& help) {
    std::string upper = name;
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    return ".TH " + roff(upper) + " 1 \"\" \"warpsim " WARPSIM_VERSION "\" \"User Commands\"\n.SH NAME\n" +
           roff(name) + " \\- " + roff(help) + "\n";
}

std::string bold(std::string const& text) { return "\\fB" + roff(text) + "\\fR"; }

std::string synopsis(std::string const& name, CommandWords const& command) {
    std::string text;
    for (std::string const& call : command.calls)
        text += (text.empty() ? "" : ".br\n") + bold(name) + roff(call.substr(name.size())) + "\n";
    if (!text.empty()) return text;
    text = bold(name);
    if (!command.commands.empty()) text += " \\fICOMMAND\\fR";
    if (!command.options.empty()) text += " [\\fIOPTIONS\\fR]";
    for (OptionWords const& argument : command.arguments)
        text += " \\fI" + roff(argument.value.empty() ? "ARGUMENT" : argument.value) + "\\fR";
    return text + "\n";
}

std::string options_text(CommandWords const& command) {
    std::string text;
    for (OptionWords const& option : command.options) {
        text += ".TP\n";
        for (std::size_t i = 0; i < option.names.size(); ++i) text += (i == 0 ? "" : ", ") + bold(option.names[i]);
        if (option.is_joined) text += "[=\\fI" + roff(option.value) + "\\fR]";
        else if (!option.value.empty()) text += " \\fI" + roff(option.value) + "\\fR";
        text += "\n" + roff(option.help) + "\n";
        if (!option.variable.empty()) text += ".br\nEnvironment: " + bold(option.variable) + "\n";
    }
    return text;
}

std::string see_also(CommandWords const& all) {
    std::string text = ".SH SEE ALSO\n" + bold("warpsim") + "(1)";
    for (CommandWords const& command : all.commands) text += ", " + bold("warpsim-" + command.name) + "(1)";
    return text + "\n";
}

constexpr std::string_view statuses = ".SH EXIT STATUS\n.TP\n0\nAll well.\n.TP\n1\nA comparison or a check "
                                      "failed.\n.TP\n2\nUsage, configuration or plan "
                                      "error.\n.TP\n3\nPTX error.\n.TP\n4\nA kernel faulted or could not be "
                                      "launched.\n.TP\n70\nAn internal error.\n.TP\n124\n"
                                      "It took longer than \\fB\\-\\-timeout\\fR.\n.TP\n130\nIt was "
                                      "interrupted.\n.P\n\\fBwarpsim exec\\fR ends with the status of "
                                      "the program.\n";

void write_page(std::string const& folder, std::string const& name, std::string const& page) {
    std::string const path = folder + "/" + name + ".1";
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << page;
    file.flush();
    if (!file) throw Error(ErrorKind::usage, "cannot write '" + path + "': " + std::strerror(errno));
}

}  // namespace

std::string manual_page(CommandWords const& all) {
    std::string text = title("warpsim", "run CUDA kernels on a simulated GPU") + ".SH SYNOPSIS\n" +
                       synopsis("warpsim", all) + ".SH DESCRIPTION\n" + roff(all.help) + "\n.SH COMMANDS\n";
    for (CommandWords const& command : all.commands)
        text += ".TP\n" + bold(command.name) + "\n" + roff(command.help) + "\n";
    return text + ".SH OPTIONS\n" + options_text(all) + std::string(statuses) + see_also(all);
}

std::string manual_page(CommandWords const& all, CommandWords const& command) {
    std::string text = title("warpsim-" + command.name, command.help) + ".SH SYNOPSIS\n" +
                       synopsis("warpsim " + command.name, command) + ".SH DESCRIPTION\n" + roff(command.help) +
                       ".\n";
    for (OptionWords const& argument : command.arguments)
        text += ".TP\n\\fI" + roff(argument.value.empty() ? "ARGUMENT" : argument.value) + "\\fR\n" +
                roff(argument.help) + "\n";
    for (CommandWords const& sub : command.commands)
        text += ".SS " + roff(command.name + " " + sub.name) + "\n" + roff(sub.help) + "\n" + options_text(sub);
    return text + ".SH OPTIONS\n" + options_text(command) + std::string(statuses) + see_also(all);
}

void add_manual(CLI::App& app, int& status) {
    CLI::App* const sub = app.add_subcommand("man", "Print a manual page, for man -l");
    struct Asked {
        std::string name, folder;
    };
    auto const asked = std::make_shared<Asked>();
    sub->add_option("command", asked->name, "Of this command (default: of warpsim)")->type_name("COMMAND");
    sub->add_option("--into", asked->folder, "Write all pages into this folder")->type_name("DIR");
    sub->callback([&app, asked, &status] {
        CommandWords const all = words_of(app);
        status = success;
        if (!asked->folder.empty()) {
            write_page(asked->folder, "warpsim", manual_page(all));
            for (CommandWords const& command : all.commands)
                write_page(asked->folder, "warpsim-" + command.name, manual_page(all, command));
            return;
        }
        if (asked->name.empty()) return print(manual_page(all));
        std::vector<std::string> names;
        for (CommandWords const& command : all.commands) {
            if (command.name == asked->name) return print(manual_page(all, command));
            names.push_back(command.name);
        }
        throw Error(ErrorKind::usage,
                    "there is no command '" + asked->name + "'" + sim::did_you_mean(asked->name, names));
    });
}

}  // namespace warpsim::command
