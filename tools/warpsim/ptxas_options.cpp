#include "ptxas_options.hpp"

#include "sim/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

namespace warpsim::command {

namespace {

struct PtxasOption {
    std::string_view name, abbreviation;
    std::string_view value;         // how the help calls it; empty: the option has none
    std::string_view allowed = {};  // separated by commas; empty: anything
    std::string_view help = {};     // empty: accepted, since it steers what this assembler does not do
};

// clang-format off
constexpr auto ptxas_options = std::to_array<PtxasOption>({
    {"Ofast-compile", "Ofc", "<0|min|mid|max>", "0,min,mid,max"},
    {"allow-expensive-optimizations", "allow-expensive-optimizations", "<true|false>", "true,false"},
    {"compile-as-tools-patch", "astoolspatch", ""},
    {"compile-only", "c", "", "", "External functions may be undefined: they are linked later"},
    {"compiler-annotations", "annotate", ""},
    {"def-load-cache", "dlcm", "<modifier>"},
    {"def-store-cache", "dscm", "<modifier>"},
    {"device-debug", "g", ""},
    {"device-function-maxrregcount", "func-maxrregcount", "<archmax|archmin|N>"},
    {"device-stack-protector", "device-stack-protector", "<true|false>", "true,false"},
    {"disable-optimizer-constants", "disable-optimizer-consts", ""},
    {"disable-warnings", "w", "", "", "No warnings"},
    {"dont-merge-basicblocks", "no-bb-merge", ""},
    {"entry", "e", "<name>,...", "", "Entry functions that have to be there"},
    {"extensible-whole-program", "ewp", "", "", "As --compile-only"},
    {"fmad", "fmad", "<true|false>", "true,false"},
    {"force-load-cache", "flcm", "<modifier>"},
    {"force-store-cache", "fscm", "<modifier>"},
    {"g-tensor-memory-access-check", "g-tmem-access-check", ""},
    {"generate-line-info", "lineinfo", ""},
    {"gno-tensor-memory-access-check", "gno-tmem-access-check", ""},
    {"gpu-name", "arch", "<name>", "", "The GPU: sm_NN, sm_NNa, sm_NNf; with compute_NN nothing is written (default: sm_75)"},
    {"help", "h", "", "", "Print this help"},
    {"input-as-string", "ias", "<ptx>", "", "PTX itself instead of a file"},
    {"legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior", ""},
    {"list-version", "version-ls", "", "", "Print the versions of the PTX ISA"},
    {"machine", "m", "<bits>", "64"},
    {"make-errors-visible-at-exit", "make-errors-visible-at-exit", ""},
    {"maxntid", "maxntid", "<x,y,z>"},
    {"maxrregcount", "maxrregcount", "<archmax|archmin|N>", "", "Registers of a thread; recorded in the output, and used when it is loaded"},
    {"minnctapersm", "minnctapersm", "<N>"},
    {"opt-level", "O", "<N>", "0,1,2,3,4"},
    {"optimize-float-atomics", "opt-fp-atomics", ""},
    {"options-file", "optf", "<file>", "", "Take more options from a file"},
    {"output-file", "o", "<file>", "", "The file to write (default: elf.o)"},
    {"override-directive-values", "override-directive-values", ""},
    {"position-independent-code", "pic", "<true|false>", "true,false"},
    {"preserve-relocs", "preserve-relocs", ""},
    {"regAllocOptLevel", "regAllocOptLevel", "<N>"},  // not in the help of NVIDIA's; Triton gives it
    {"register-usage-level", "regUsageLevel", "<0..10>", "0,1,2,3,4,5,6,7,8,9,10"},
    {"return-at-end", "ret-end", ""},
    {"sanitize", "sanitize", "<memcheck|threadsteer>", "memcheck,threadsteer"},
    {"sp-bounds-check", "sp-bounds-check", ""},
    {"split-compile", "split-compile", "<N>"},
    {"suppress-async-bulk-multicast-advisory-warning", "suppress-async-bulk-multicast-advisory-warning", ""},
    {"suppress-debug-info", "suppress-debug-info", ""},
    {"suppress-double-demote-warning", "suppress-double-demote-warning", ""},
    {"suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", ""},
    {"suppress-stack-size-warning", "suppress-stack-size-warning", ""},
    {"verbose", "v", "", "", "Print what each kernel uses"},
    {"version", "V", "", "", "Print the version"},
    {"warn-on-double-precision-use", "warn-double-usage", ""},
    {"warn-on-local-memory-usage", "warn-lmem-usage", ""},
    {"warn-on-spills", "warn-spills", ""},
    {"warning-as-error", "Werror", "", "", "Warnings are errors"},
});
// clang-format on

[[noreturn]] void refuse(std::string const& what) { throw Error(ErrorKind::usage, what); }

std::string in_quotes(std::string_view word) { return "'" + std::string(word) + "'"; }

bool is_among(std::string_view word, std::string_view list) {
    while (!list.empty()) {
        std::string_view const one = list.substr(0, list.find(','));
        if (one == word) return true;
        list.remove_prefix(std::min(list.size(), one.size() + 1));
    }
    return false;
}

PtxasOption const* option_named(std::string_view name) {
    auto const found = std::find_if(ptxas_options.begin(), ptxas_options.end(), [&](PtxasOption const& option) {
        return option.name == name || option.abbreviation == name;
    });
    return found != ptxas_options.end() ? &*found : nullptr;
}

/// An option of one letter whose value follows it at once: -O3, -ofile.
PtxasOption const* option_with_value_attached(std::string_view word) {
    if (word.size() < 2) return nullptr;
    PtxasOption const* const option = option_named(word.substr(0, 1));
    return option != nullptr && !option->value.empty() ? option : nullptr;
}

class WordReader {
public:
    explicit WordReader(PtxasWords& into) : into_(into) {}

    void read(std::vector<std::string> const& words) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            std::string_view word = words[i];
            if (!word.starts_with('-') || word == "-") {
                into_.files.emplace_back(word);
                continue;
            }
            word.remove_prefix(word.starts_with("--") ? 2 : 1);
            std::size_t const equals = word.find('=');
            if (PtxasOption const* const option = option_named(word.substr(0, equals))) {
                if (option->value.empty()) {
                    if (equals != std::string_view::npos)
                        refuse("Unexpected value for option " + in_quotes(option->name));
                    take(*option, "");
                } else if (equals != std::string_view::npos) {
                    take(*option, word.substr(equals + 1));
                } else if (i + 1 < words.size()) {
                    take(*option, words[++i]);
                } else {
                    refuse("argument expected after " + in_quotes(words[i]));
                }
            } else if (PtxasOption const* const attached = option_with_value_attached(word)) {
                take(*attached, word.substr(1));
            } else {
                refuse("Unknown option " + in_quotes("-" + std::string(word.substr(0, equals))));
            }
        }
    }

private:
    void take(PtxasOption const& option, std::string_view value) {
        if (!option.allowed.empty() && !is_among(value, option.allowed))
            refuse("Value " + in_quotes(value) + " is not defined for option " + in_quotes(option.name));
        if (option.name == "gpu-name" && architecture_named(value).number == 0)
            refuse("Value " + in_quotes(value) + " is not defined for option 'gpu-name'");
        if (option.name == "input-as-string") into_.texts.emplace_back(value);
        if (option.name == "options-file") read_file(std::string(value));
        into_.options.insert_or_assign(std::string(option.name), std::string(value));
    }

    void read_file(std::string const& path) {
        std::ifstream file(path);
        if (!file) refuse("Input file " + in_quotes(path) + " could not be opened");
        std::vector<std::string> words;
        for (std::string word; file >> word;) words.push_back(word);
        read(words);
    }

    PtxasWords& into_;
};

}  // namespace

PtxasWords read_ptxas_words(std::vector<std::string> const& words) {
    PtxasWords read;
    WordReader(read).read(words);
    return read;
}

Architecture architecture_named(std::string_view name) {
    constexpr auto known = std::to_array<int>(
        {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121});
    Architecture read;
    for (std::string_view const kind : {"sm_", "compute_", "lto_"}) {
        if (!name.starts_with(kind)) continue;
        read.real = kind == "sm_";
        name.remove_prefix(kind.size());
        auto const [end, error] = std::from_chars(name.data(), name.data() + name.size(), read.number);
        std::string_view const suffix(end, static_cast<std::size_t>(name.data() + name.size() - end));
        read.suffix = suffix.empty() ? '\0' : suffix.front();
        bool const is_known =
            error == std::errc() && std::find(known.begin(), known.end(), read.number) != known.end();
        bool const may_have =
            suffix.empty() || (suffix == "a" && read.number >= 90) || (suffix == "f" && read.number >= 100);
        return is_known && may_have ? read : Architecture{};
    }
    return {};
}

std::string ptxas_help() {
    std::ostringstream text;
    text << "\nUsage  : ptxas [options] <ptx file>,...\n\n"
            "Checks PTX as NVIDIA's assembler does, and writes a fat binary that holds it, for warpsim.\n"
            "Options without a description are accepted: they steer what is not done here, since PTX is "
            "executed.\n\n"
            "Options\n=======\n\n";
    for (PtxasOption const& option : ptxas_options) {
        std::string head = "--" + std::string(option.name);
        if (!option.value.empty()) head += " " + std::string(option.value);
        text << head << std::string(head.size() < 52 ? 52 - head.size() : 1, ' ') << "(-" << option.abbreviation
             << ")\n";
        if (!option.help.empty()) text << "        " << option.help << '\n';
    }
    return text.str();
}

}  // namespace warpsim::command
