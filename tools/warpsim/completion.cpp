// `warpsim completion`: what shells complete of the command line.
#include "command.hpp"
#include "sim/error.hpp"
#include "words.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace warpsim::command {

namespace {

std::string joined(std::vector<std::string> const& words, std::string_view between = " ") {
    std::string text;
    for (std::string const& word : words) text += (text.empty() ? "" : std::string(between)) + word;
    return text;
}

std::vector<std::string> names_of(std::vector<CommandWords> const& commands) {
    std::vector<std::string> names;
    for (CommandWords const& command : commands) names.push_back(command.name);
    return names;
}

/// What may stand where no option does.
std::vector<std::string> words_behind(CommandWords const& command, CommandWords const& all) {
    // Both tell about the others.
    if (command.name == "help" || command.name == "man") return names_of(all.commands);
    std::vector<std::string> words = names_of(command.commands);
    for (OptionWords const& argument : command.arguments)
        words.insert(words.end(), argument.choices.begin(), argument.choices.end());
    return words;
}

std::string option_names(CommandWords const& command) {
    std::vector<std::string> names;
    auto const add = [&](CommandWords const& of) {
        for (OptionWords const& option : of.options)
            for (std::string const& name : option.names)
                if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    add(command);
    // Those of `config show` and its like stand behind `config`, too.
    for (CommandWords const& sub : command.commands) add(sub);
    return joined(names);
}

/// What completes a value in bash.
std::string bash_action(OptionWords const& option) {
    std::string const words = "\"" + joined(option.choices) + "\" \"$cur\"";
    if (!option.choices.empty()) return (option.takes_file ? "_warpsim_names " : "_warpsim_words ") + words;
    return option.takes_file ? "_warpsim_files \"$cur\"" : ":";
}

/// The cases of bash for the values of options.
std::string bash_values(CommandWords const& command) {
    std::string text;
    for (OptionWords const& option : command.options) {
        if (option.value.empty() || option.is_joined) continue;
        std::vector<std::string> patterns;
        for (std::string const& name : option.names) patterns.push_back("\"" + command.name + " " + name + "\"");
        text += "        " + joined(patterns, " | ") + ") " + bash_action(option) + "; return ;;\n";
    }
    return text;
}

/// The cases of bash for what stands behind `config show` and its like.
std::string bash_arguments(CommandWords const& command) {
    std::string text;
    for (CommandWords const& sub : command.commands) {
        auto const chosen = std::find_if(sub.arguments.begin(), sub.arguments.end(),
                                         [](OptionWords const& argument) { return !argument.choices.empty(); });
        if (chosen == sub.arguments.end()) continue;
        text += "        \"" + command.name + " " + sub.name + "\") " + bash_action(*chosen) + "; return ;;\n";
    }
    return text;
}

/// A text between single quotes.
std::string quoted_for_shell(std::string const& text) {
    std::string quoted = "'";
    for (char const c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

/// Part of a specification of _arguments.
std::string zsh_escaped(std::string const& text) {
    std::string escaped;
    for (char const c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
        escaped += c;
    }
    return escaped;
}

std::string zsh_value(OptionWords const& option) {
    std::string const name = zsh_escaped(option.value.empty() ? "argument" : option.value);
    if (!option.choices.empty() && option.takes_file)
        return ":" + name + ":{compadd - " + joined(option.choices) + "; _files}";
    if (!option.choices.empty()) return ":" + name + ":(" + joined(option.choices) + ")";
    return ":" + name + ":" + (option.takes_file || option.value.empty() ? "_files" : " ");
}

/// What stands behind the first word: of `config show` and its like, what these take.
std::string zsh_rest(CommandWords const& command) {
    for (CommandWords const& sub : command.commands)
        for (OptionWords const& argument : sub.arguments)
            if (!argument.choices.empty()) return zsh_value(argument);
    return ":file:_files";
}

std::string fish_command(std::string const& condition, std::string const& rest, std::string const& help) {
    return "complete -c warpsim -n " + quoted_for_shell(condition) + " " + rest + " -d " + quoted_for_shell(help) +
           "\n";
}

std::string fish_options(CommandWords const& command, CommandWords const& all) {
    std::string const condition = "__fish_seen_subcommand_from " + command.name;
    std::string text;
    for (OptionWords const& option : command.options) {
        std::string rest;
        for (std::string const& name : option.names)
            rest += (rest.empty() ? "" : " ") +
                    (name.starts_with("--") ? "-l " + name.substr(2) : "-s " + name.substr(1));
        if (!option.choices.empty())
            rest += (option.takes_file ? " -r -F -a " : " -x -a ") + quoted_for_shell(joined(option.choices));
        else if (!option.value.empty() && !option.is_joined) rest += option.takes_file ? " -r -F" : " -x";
        text += fish_command(condition, rest, option.help);
    }
    bool const takes_file = std::any_of(command.arguments.begin(), command.arguments.end(),
                                        [](OptionWords const& argument) { return argument.takes_file; });
    if (std::vector<std::string> const words = words_behind(command, all); !words.empty())
        text += fish_command(command.commands.empty() ? condition
                                                      : condition + "; and not __fish_seen_subcommand_from " +
                                                            joined(names_of(command.commands)),
                             (takes_file ? "-F -a " : "-f -a ") + quoted_for_shell(joined(words)), "");
    for (CommandWords const& sub : command.commands) text += fish_options(sub, all);
    return text;
}

}  // namespace

std::string bash_completion(CommandWords const& all) {
    std::string text =
        "# Completes the command line of warpsim in bash; made by `warpsim completion bash`.\n"
        "_warpsim_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$2\"); }\n"
        "_warpsim_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$1\"); }\n"
        "_warpsim_names() {\n"
        "    _warpsim_files \"$2\"\n"
        "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W \"$1\" -- \"$2\")\n"
        "}\n"
        "_warpsim() {\n"
        "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} i\n"
        "    COMPREPLY=()\n"
        "    if ((COMP_CWORD == 1)); then\n"
        "        _warpsim_words \"" +
        joined(names_of(all.commands)) + " " + option_names({"", "", {}, all.options, {}, {}}) +
        "\" \"$cur\"\n"
        "        return\n"
        "    fi\n"
        "    for ((i = 2; i < COMP_CWORD; ++i)); do\n"
        "        [[ ${COMP_WORDS[i]} == -- ]] || continue\n"
        "        # A program of the user's, and what is its own.\n"
        "        _warpsim_files \"$cur\"\n"
        "        ((i + 1 == COMP_CWORD)) && mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -- \"$cur\")\n"
        "        return\n"
        "    done\n"
        "    case \"$command $prev\" in\n";
    for (CommandWords const& command : all.commands) {
        text += bash_values(command);
        for (CommandWords sub : command.commands) {
            sub.name = command.name;
            text += bash_values(sub);
        }
    }
    text += "    esac\n    [[ $COMP_CWORD -gt 2 && $cur != -* ]] && case \"$command ${COMP_WORDS[2]}\" in\n";
    for (CommandWords const& command : all.commands) text += bash_arguments(command);
    text += "    esac\n    local options= words=\n    case $command in\n";
    for (CommandWords const& command : all.commands) {
        std::vector<std::string> const words = words_behind(command, all);
        text += "        " + command.name + ") options=\"" + option_names(command) + "\" words=\"" +
                joined(words) + "\" ;;\n";
    }
    return text + "    esac\n"
                  "    if [[ $cur == -* ]]; then\n"
                  "        _warpsim_words \"$options\" \"$cur\"\n"
                  "    elif [[ -n $words && COMP_CWORD -eq 2 ]]; then\n"
                  "        _warpsim_words \"$words\" \"$cur\"\n"
                  "    else\n"
                  "        _warpsim_files \"$cur\"\n"
                  "    fi\n"
                  "}\n"
                  "complete -F _warpsim warpsim\n";
}

std::string zsh_completion(CommandWords const& all) {
    std::string text =
        "#compdef warpsim\n# Completes the command line of warpsim in zsh; made by `warpsim completion zsh`.\n"
        "_warpsim() {\n    local -a commands=(\n";
    for (CommandWords const& command : all.commands)
        text += "        " + quoted_for_shell(zsh_escaped(command.name) + ":" + command.help) + "\n";
    text += "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
            "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n";
    for (CommandWords const& command : all.commands) {
        text += "        " + command.name + ")\n            _arguments -S";
        std::vector<OptionWords> options = command.options;
        for (CommandWords const& sub : command.commands)
            for (OptionWords const& option : sub.options)
                if (option.names.back() != "--help") options.push_back(option);
        for (OptionWords const& option : options)
            for (std::string const& name : option.names) {
                std::string spec = option.is_repeatable ? "*" : "";
                spec += name + (option.is_joined ? "=-" : "") + "[" + zsh_escaped(option.help) + "]";
                if (option.is_joined) spec += ":" + zsh_value(option);
                else if (!option.value.empty()) spec += zsh_value(option);
                text += " \\\n                " + quoted_for_shell(spec);
            }
        std::vector<std::string> const words = words_behind(command, all);
        if (!words.empty()) text += " \\\n                " + quoted_for_shell("1:word:(" + joined(words) + ")");
        text += " \\\n                " + quoted_for_shell("*" + zsh_rest(command)) + "\n            ;;\n";
    }
    return text + "    esac\n}\n_warpsim \"$@\"\n";
}

std::string fish_completion(CommandWords const& all) {
    std::string text = "# Completes the command line of warpsim in fish; made by `warpsim completion fish`.\n";
    for (CommandWords const& command : all.commands)
        text += fish_command("__fish_use_subcommand", "-f -a " + command.name, command.help);
    for (CommandWords const& command : all.commands) text += fish_options(command, all);
    return text;
}

void add_completion(CLI::App& app, int& status) {
    CLI::App* const sub = app.add_subcommand("completion", "Print what completes the command line in a shell");
    auto const shell = std::make_shared<std::string>();
    sub->add_option("shell", *shell, "For which shell")->type_name("bash|zsh|fish")->required();
    sub->callback([&app, shell, &status] {
        CommandWords const all = words_of(app);
        if (*shell == "bash") print(bash_completion(all));
        else if (*shell == "zsh") print(zsh_completion(all));
        else if (*shell == "fish") print(fish_completion(all));
        else throw Error(ErrorKind::usage, "there is no completion for '" + *shell + "': bash, zsh or fish");
        status = success;
    });
}

}  // namespace warpsim::command
