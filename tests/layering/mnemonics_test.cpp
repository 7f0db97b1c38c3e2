// Below the decoder nothing compares mnemonics as text: instructions are operations and modifiers there.
#include "frontend/isa/operation.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mnemonics_test {

namespace {

namespace fs = std::filesystem;
namespace isa = warpsim::isa;

/// Mnemonics, their first words, and modifiers with their dots.
std::set<std::string, std::less<>> words_of_ptx() {
    std::set<std::string, std::less<>> words;
    for (std::size_t i = 0; i < isa::operation_count; ++i) {
        std::string const whole{isa::name(static_cast<isa::Operation>(i))};
        words.insert(whole);
        words.insert(whole.substr(0, whole.find('.')));
    }
    for (std::size_t i = 0; i < isa::modifier_count; ++i) words.emplace(isa::name(static_cast<isa::Modifier>(i)));
    return words;
}

/// What stands between the quotes of a literal that begins at `at`, up to a character that ends a word of a
/// mnemonic.
std::string first_word(std::string_view line, std::size_t at) {
    std::string_view const text = line.substr(at + 1, line.find('"', at + 1) - at - 1);
    std::size_t const end = text.find_first_of("{ ");
    return std::string(text.substr(0, end));
}

/// Whether the literal at `at` is an operand of a comparison or a search.
bool is_compared(std::string_view line, std::size_t at) {
    std::string_view before = line.substr(0, at);
    while (!before.empty() && std::isspace(static_cast<unsigned char>(before.back())) != 0)
        before.remove_suffix(1);
    for (std::string_view const how :
         {"==", "!=", "starts_with(", "ends_with(", "has(", "find(", "contains(", "case"}) {
        if (before.ends_with(how)) return true;
    }
    return line.substr(at).find("\" ==") != std::string_view::npos;
}

/// The mnemonics and modifiers that a line compares something with.
std::vector<std::string> compared_in(std::string_view line) {
    static auto const words = words_of_ptx();
    std::vector<std::string> found;
    line = line.substr(0, line.find("//"));
    bool is_inside = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] == '\\') ++at;
        else if (line[at] == '"') {
            is_inside = !is_inside;
            if (!is_inside || !is_compared(line, at)) continue;
            std::string word = first_word(line, at);
            std::string const without_dot = word.ends_with('.') ? word.substr(0, word.size() - 1) : word;
            // A whole mnemonic, ldmatrix.m8n8.b16, is found by its first word.
            std::string const first = word.substr(0, word.find('.', 1));
            if (words.contains(word) || words.contains(without_dot) || words.contains(first))
                found.push_back(std::move(word));
        }
    }
    return found;
}

}  // namespace

TEST_CASE("A mnemonic that is compared as text is found", "[layering]") {
    CHECK(compared_in(R"(if (form.opcode == "mad") return;)") == std::vector<std::string>{"mad"});
    CHECK(compared_in(R"(bool const a = form.has(".wide");)") == std::vector<std::string>{".wide"});
    CHECK(compared_in(R"(return row.syntax.starts_with("cp.async");)") == std::vector<std::string>{"cp.async"});
    CHECK(compared_in(R"(return row.syntax.starts_with("st{");)") == std::vector<std::string>{"st"});
    CHECK(compared_in(R"(if (name == "ldmatrix.m8n8.trans.b16") return;)") ==
          std::vector<std::string>{"ldmatrix.m8n8.trans.b16"});
    CHECK(compared_in(R"(refuse("a store to a kernel parameter");)").empty());
    CHECK(compared_in(R"(if (name == "gto") return;  // == "mad")").empty());
}

TEST_CASE("No engine compares mnemonics as text", "[layering]") {
    std::size_t read = 0;
    for (char const* const folder :
         {"frontend/ir", "frontend/link", "frontend/archive", "sim/exec", "sim/functional", "sim/engine",
          "sim/memory", "sim/matrix", "sim/tensor", "sim/tensor_memory", "sim/timing"}) {
        for (fs::directory_entry const& entry :
             fs::recursive_directory_iterator(fs::path(WARPSIM_SOURCE_DIR) / folder)) {
            auto const extension = entry.path().extension();
            if (!entry.is_regular_file() || (extension != ".cpp" && extension != ".hpp")) continue;
            ++read;
            std::ifstream file(entry.path());
            int number = 0;
            for (std::string line; std::getline(file, line);) {
                ++number;
                for (std::string const& word : compared_in(line))
                    FAIL_CHECK(entry.path().generic_string()
                               << ":" << number << " compares with \"" << word << "\"");
            }
        }
    }
    CHECK(read > 150);
}

}  // namespace mnemonics_test
