// What a word that is typed may become: commands, what they take, functions, files, names of this thread.
#include "runtime/debug/command_table.hpp"
#include "runtime/debug/words.hpp"
#include "sim/demangled.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace warpsim::debug {

namespace {

/// Those of a command's arguments that stand for themselves: of "[/F] divergence|stall REASON" they are in small letters.
void add_own_words(std::set<std::string>& words, std::string_view arguments) {
    std::string word;
    auto const take = [&] {
        bool const is_own = word.size() > 1 && std::all_of(word.begin(), word.end(), [](unsigned char c) {
                                return std::islower(c) != 0 || std::isdigit(c) != 0;
                            });
        if (is_own) words.insert(word);
        word.clear();
    };
    for (char const c : arguments) {
        if (c == ' ' || c == '|' || c == '[' || c == ']') take();
        else word += c;
    }
    take();
}

void add_places(std::set<std::string>& words, ir::Module const& module) {
    for (ir::Function const& f : module.functions) {
        if (!f.has_body) continue;
        words.insert(f.name);
        for (std::string const& name : sim::short_names(sim::demangled(f.name))) words.insert(name);
    }
    for (std::string const& file : module.files)
        if (!file.empty()) words.insert(file.substr(file.rfind('/') + 1) + ":");
}

}  // namespace

std::vector<std::string> Console::completions(std::string const& line) {
    std::string const last = line.substr(last_word_at(line));
    std::string before = line.substr(0, line.size() - last.size());
    std::string const name = take_word(before);
    std::set<std::string> words;
    std::string prefix;  // of the last word, that is no part of what is completed
    if (name.empty()) {
        for (Command const& c : commands()) words.insert(std::string(c.names.front()));
    } else {
        auto const all = commands();
        auto const found = std::find_if(all.begin(), all.end(), [&](Command const& c) {
            return std::find(c.names.begin(), c.names.end(), name) != c.names.end();
        });
        if (found == all.end()) return {};
        add_own_words(words, found->arguments);
        if (name == "help" || name == "h")
            for (Command const& c : all) words.insert(std::string(c.names.front()));
        if (take_word(before) == "stall")
            for (std::size_t i = 0; i < sim::stall_reasons; ++i) words.insert(std::string(sim::stall_name(i)));
        ir::Module const* const module = debugger_.module();
        if (module != nullptr && found->arguments.find("PLACE") != std::string_view::npos)
            add_places(words, *module);
        if (found->arguments.find("EXPRESSION") != std::string_view::npos) {
            std::size_t const at = last.find_last_of("+-*/%&|()[]=<>!,");
            bool const is_register = at != std::string::npos && last[at] == '%';
            if (at != std::string::npos) prefix = last.substr(0, is_register ? at : at + 1);
            add_names(words);
        }
    }
    std::vector<std::string> fitting;
    for (std::string const& word : words)
        if ((prefix + word).starts_with(last)) fitting.push_back(prefix + word);
    return fitting;
}

/// What the thread in focus knows.
void Console::add_names(std::set<std::string>& words) {
    for (char const* const name : {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"}) words.insert(name);
    if (debugger_.machine() == nullptr || stack_.empty()) return;
    StackFrame const& at = stack_[std::min(frame_, stack_.size() - 1)];
    ir::Function const& function = *at.frame->function->function;
    for (ir::Register const& r : function.registers) words.insert(r.name);
    for (ir::Variable const& v : function.variables) words.insert(sim::demangled(v.name));
    for (ir::Variable const& v : debugger_.module()->variables) words.insert(sim::demangled(v.name));
    if (std::optional<Thread> const of = debugger_.focused()) {
        ThreadScope scope = scope_of(*of);
        for (SourceVariable const* const v : scope.in_scope()) words.insert(v->name);
    }
}

}  // namespace warpsim::debug
