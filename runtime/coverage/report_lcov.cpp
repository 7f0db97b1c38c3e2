// A report as a tracefile of lcov, which genhtml shows. Counts are lanes: how many threads have been there.
#include "runtime/coverage/report.hpp"
#include "sim/error.hpp"

#include <charconv>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <vector>

namespace warpsim::coverage {

namespace {

/// The numbers of "12,3,-", where - is none.
struct Fields {
    std::vector<std::string_view> words;
    bool are_numbers = true;

    Fields(std::string_view text, std::size_t most) {
        while (words.size() + 1 < most && text.find(',') != std::string_view::npos) {
            words.push_back(text.substr(0, text.find(',')));
            text = text.substr(text.find(',') + 1);
        }
        words.push_back(text);
    }
    bool is_none(std::size_t i) const { return i < words.size() && words[i] == "-"; }
    std::uint64_t number(std::size_t i) {
        std::uint64_t value = 0;
        if (i >= words.size()) return are_numbers = false, 0;
        auto const [end, error] = std::from_chars(words[i].data(), words[i].data() + words[i].size(), value);
        if (error != std::errc() || end != words[i].data() + words[i].size()) are_numbers = false;
        return value;
    }
};

class Reader {
public:
    /// False: lcov writes no such line.
    bool read(std::string_view line) {
        if (line.empty() || line.starts_with('#') || line == "end_of_record") return true;
        std::size_t const colon = line.find(':');
        if (colon == std::string_view::npos) return false;
        std::string_view const key = line.substr(0, colon), value = line.substr(colon + 1);
        if (key == "SF") {
            file_ = &report.files[{std::string(value), ""}];
            return true;
        }
        for (std::string_view const ignored : {"TN", "FNF", "FNH", "BRF", "BRH", "LF", "LH", "VER"})
            if (key == ignored) return true;
        if (file_ == nullptr) return false;
        if (key == "DA") return read_line(Fields(value, 3));
        if (key == "FN") return read_function(Fields(value, 2));
        if (key == "FNDA") return read_count(Fields(value, 2));
        return key == "BRDA" && read_branch(Fields(value, 4));
    }

    Report report;

private:
    bool read_line(Fields fields) {
        std::uint64_t const line = fields.number(0), count = fields.number(1);
        file_->lines[static_cast<std::uint32_t>(line)] += {count != 0, count};
        return fields.are_numbers;
    }
    bool read_function(Fields fields) {
        std::uint64_t const line = fields.number(0);
        if (!fields.are_numbers || fields.words.size() < 2) return false;
        file_->functions[std::string(fields.words[1])].line = static_cast<std::uint32_t>(line);
        return true;
    }
    bool read_count(Fields fields) {
        std::uint64_t const count = fields.number(0);
        if (!fields.are_numbers || fields.words.size() < 2) return false;
        file_->functions[std::string(fields.words[1])].count += {count != 0, count};
        return true;
    }
    bool read_branch(Fields fields) {
        std::uint64_t const line = fields.number(0), block = fields.number(1), way = fields.number(2);
        Branch& branch = file_->branches[{static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(block)}];
        if (fields.is_none(3)) return fields.are_numbers;
        (way == 0 ? branch.taken : branch.not_taken) += fields.number(3);
        branch.warps = 1;  // it has been reached
        return fields.are_numbers;
    }

    File* file_ = nullptr;
};

void add(std::string& text, char const* key, std::uint64_t first, std::string const& second) {
    text += key + std::to_string(first) + "," + second + "\n";
}

void add(std::string& text, char const* found, std::size_t all, char const* hit, std::size_t some) {
    text += found + std::to_string(all) + "\n" + hit + std::to_string(some) + "\n";
}

void write_functions(std::string& text, File const& file) {
    std::size_t hit = 0;
    for (auto const& [name, function] : file.functions) add(text, "FN:", function.line, name);
    for (auto const& [name, function] : file.functions) {
        add(text, "FNDA:", function.count.lanes, name);
        hit += function.count.lanes != 0;
    }
    add(text, "FNF:", file.functions.size(), "FNH:", hit);
}

void write_branches(std::string& text, File const& file) {
    std::size_t hit = 0;
    for (auto const& [place, branch] : file.branches) {
        auto const way = [&](int number, std::uint64_t lanes) {
            add(text, "BRDA:", place.first,
                std::to_string(place.second) + "," + std::to_string(number) + "," +
                    (branch.warps == 0 ? "-" : std::to_string(lanes)));
            hit += lanes != 0;
        };
        way(0, branch.taken);
        way(1, branch.not_taken);
    }
    add(text, "BRF:", 2 * file.branches.size(), "BRH:", hit);
}

}  // namespace

std::string to_lcov(Report const& report) {
    std::string text;
    for (auto const& [key, file] : report.files) {
        // genhtml wants every file to be there; PTX that is embedded in a program is not.
        std::error_code error;
        if (key.is_ptx() && !std::filesystem::is_regular_file(key.name, error)) continue;
        text += "TN:\nSF:" + key.name + "\n";
        write_functions(text, file);
        write_branches(text, file);
        std::size_t hit = 0;
        for (auto const& [line, count] : file.lines) {
            add(text, "DA:", line, std::to_string(count.lanes));
            hit += count.lanes != 0;
        }
        add(text, "LF:", file.lines.size(), "LH:", hit);
        text += "end_of_record\n";
    }
    return text;
}

Report from_lcov(std::string const& name, std::string const& text) {
    Reader reader;
    std::istringstream lines(text);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (!reader.read(line))
            throw Error(ErrorKind::usage,
                        "'" + name + "' is there and is no tracefile of lcov that could be added to: line " +
                            std::to_string(number) + " is '" + line + "'");
    }
    return std::move(reader.report);
}

}  // namespace warpsim::coverage
