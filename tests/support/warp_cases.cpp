#include "tests/support/warp_cases.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace warpsim::test {

namespace {

std::uint64_t number(std::string const& text) {
    char* end = nullptr;
    bool const is_negative = text.starts_with('-');
    std::uint64_t const value = std::strtoull(text.c_str() + is_negative, &end, 0);
    if (text.empty() || *end != '\0') throw std::runtime_error(text + " is no integer");
    return is_negative ? 0 - value : value;
}

/// Removes and returns what follows the last `mark`; `otherwise` when there is none.
std::string behind(std::string& text, std::string const& mark, std::string const& otherwise) {
    std::size_t const at = text.rfind(mark);
    if (at == std::string::npos) return otherwise;
    std::string const rest = text.substr(at + mark.size());
    text.resize(at);
    return rest;
}

std::string trimmed(std::string const& text) {
    std::size_t const first = text.find_first_not_of(' ');
    return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<std::vector<std::uint64_t>> results(std::string const& field, std::size_t threads) {
    if (trimmed(field) == "-") return std::nullopt;
    std::vector<std::uint64_t> values = values_of(field);
    if (values.size() != threads) {
        throw std::runtime_error(std::to_string(values.size()) + " results of " + std::to_string(threads) +
                                 " threads");
    }
    return values;
}

void read(std::filesystem::path const& path, std::vector<WarpCase>& cases) {
    std::ifstream in(path);
    std::string line, target = "sm_90";
    for (int line_number = 1; std::getline(in, line); ++line_number) {
        line = trimmed(line);
        if (line.empty() || line.starts_with('#')) continue;
        if (line.starts_with(".target ")) {
            target = trimmed(line.substr(8));
            continue;
        }
        WarpCase c{path.filename().string() + ":" + std::to_string(line_number), target, {}, {}, {}, {}};
        // A predicate pair is written d|p: only a bar between blanks separates fields.
        std::vector<std::string> fields(1);
        for (std::size_t at = 0; at < line.size();) {
            if (line.compare(at, 3, " | ") == 0) {
                fields.emplace_back();
                at += 3;
            } else {
                fields.back() += line[at++];
            }
        }
        if (fields.size() < 4) throw std::runtime_error(c.place + ": a case is `statements | sources | d | p`");
        try {
            c.statements = trimmed(fields[0]);
            c.sources = values_of(fields[1]);
            c.d = results(fields[2], c.sources.size());
            c.p = results(fields[3], c.sources.size());
        } catch (std::runtime_error const& error) {
            throw std::runtime_error(c.place + ": " + error.what());
        }
        cases.push_back(std::move(c));
    }
}

}  // namespace

std::vector<std::uint64_t> values_of(std::string const& list) {
    std::vector<std::uint64_t> values;
    std::istringstream in(list);
    for (std::string item; in >> item;) {
        std::uint64_t const times = number(behind(item, "*", "1")), step = number(behind(item, "/", "1"));
        std::string const text = behind(item, "..", "");
        std::uint64_t const first = number(item.empty() ? text : item), last = text.empty() ? first : number(text);
        if (step == 0 || first > last || last - first > 1024 || times > 1024)
            throw std::runtime_error(list + ": a range goes up, and not far");
        for (std::uint64_t t = 0; t < times; ++t) {
            for (std::uint64_t i = 0; i <= (last - first) / step; ++i) values.push_back(first + i * step);
        }
    }
    return values;
}

std::vector<WarpCase> read_warp_cases() {
    std::vector<WarpCase> cases;
    std::vector<std::filesystem::path> files;
    for (auto const& entry :
         std::filesystem::directory_iterator(std::string(WARPSIM_SOURCE_DIR) + "/tests/isa/warp")) {
        if (entry.path().extension() == ".cases") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (auto const& file : files) read(file, cases);
    std::stable_sort(cases.begin(), cases.end(),
                     [](WarpCase const& a, WarpCase const& b) { return a.target < b.target; });
    return cases;
}

std::string module_of(std::span<WarpCase const> cases) {
    std::string text = ".version 9.3\n.target " + cases.front().target + "\n.address_size 64\n";
    for (std::size_t i = 0; i < cases.size(); ++i) {
        text += ".visible .entry case" + std::to_string(i) + R"((.param .u64 p_out, .param .u64 p_in) {
.shared .align 8 .b64 bar;
.shared .align 128 .b8 cells[1024];
.reg .pred p, q, u;
.reg .b32 t, d, e, x, y, z, old;
.reg .b64 out, in, at, s, w;
.reg .f32 f, g;
mov.u32 t, %tid.x; mul.wide.u32 at, t, 8;
ld.param.u64 out, [p_out]; ld.param.u64 in, [p_in]; add.u64 out, out, at; add.u64 in, in, at;
ld.global.u64 w, [in]; cvt.u32.u64 x, w; mov.u32 d, 0; setp.ne.u32 p, x, x;
)" + cases[i].statements +
                R"(
st.global.u32 [out], d; selp.u32 e, 1, 0, p; st.global.u32 [out+4], e; ret;
}
)";
    }
    return text;
}

}  // namespace warpsim::test
