#include "sim/config/gpgpusim.hpp"

#include "sim/config/config.hpp"
#include "sim/config/gpgpusim_table.hpp"
#include "sim/config/resolve.hpp"
#include "sim/error.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace warpsim::sim {

namespace gpgpusim {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool matches(std::string_view pattern, std::string_view key) {
    return pattern.ends_with('*') ? key.starts_with(pattern.substr(0, pattern.size() - 1)) : key == pattern;
}

}  // namespace

Conversion::Given const* Conversion::find(std::string_view key) const {
    auto const found = std::find_if(given_.begin(), given_.end(), [&](Given const& g) { return g.key == key; });
    return found == given_.end() ? nullptr : &*found;
}

std::vector<std::uint64_t> Conversion::numbers(std::string_view key) const {
    std::vector<std::uint64_t> all;
    Given const* const given = find(key);
    if (given == nullptr) return all;
    std::string const& text = given->value;
    for (std::size_t i = 0; i < text.size();) {
        bool const begins =
            is_digit(text[i]) && (i == 0 || std::isalpha(static_cast<unsigned char>(text[i - 1])) == 0);
        if (!begins) {
            ++i;
            continue;
        }
        char* end = nullptr;
        all.push_back(static_cast<std::uint64_t>(std::strtod(text.c_str() + i, &end) + .5));
        i = static_cast<std::size_t>(end - text.c_str());
    }
    return all;
}

std::optional<std::uint64_t> Conversion::number(std::string_view key) const {
    std::vector<std::uint64_t> const all = numbers(key);
    return all.empty() ? std::nullopt : std::optional(all.front());
}

std::string Conversion::text(std::string_view key) const {
    Given const* const given = find(key);
    return given == nullptr ? "" : given->value;
}

std::optional<std::uint64_t> Conversion::named(std::string_view key, std::string_view name) const {
    std::string const value = ":" + text(key), wanted = ":" + std::string(name) + "=";
    std::size_t const at = value.find(wanted);
    if (at == std::string::npos) return std::nullopt;
    return std::strtoull(value.c_str() + at + wanted.size(), nullptr, 10);
}

void Conversion::set(std::string_view path, Json value, std::string_view key) {
    if (std::find(row_->ours.begin(), row_->ours.end(), path) == row_->ours.end())
        throw std::logic_error("gpgpusim_table: '" + std::string(path) + "' is not in the row that sets it");
    set_.push_back({std::string(path), std::move(value), "-" + std::string(key) + " " + text(key)});
}

void Conversion::refuse(std::string_view key, std::string const& why) {
    refused_.push_back("-" + std::string(key) + " " + text(key) + ": " + why);
}

void Conversion::convert(Row const& row) {
    row_ = &row;
    std::size_t const before = set_.size();
    row.convert(*this);
    if (set_.size() == before) return;
    for (Given& given : given_)
        given.is_mapped |= std::find(row.theirs.begin(), row.theirs.end(), given.key) != row.theirs.end();
}

std::optional<std::uint64_t> Conversion::value_of(std::string_view path) const {
    for (Set const& one : set_)
        if (one.path == path && one.value.is_number()) return one.value.get<std::uint64_t>();
    return std::nullopt;
}

}  // namespace gpgpusim

namespace {

using gpgpusim::Conversion;
using gpgpusim::Row;

/// Keys begin with a dash, everything up to the next one is the value; # begins a comment, and quotes may hold several lines.
std::vector<Conversion::Given> read(std::string const& label, std::string_view text) {
    std::vector<Conversion::Given> all;
    std::string word;
    bool is_quoted = false, is_comment = false;
    auto const end_word = [&] {
        if (word.empty()) return;
        bool const is_key =
            word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1])) != 0;
        if (is_key) all.push_back({word.substr(1), ""});
        else if (all.empty())
            throw Error(ErrorKind::config,
                        label + ": '" + word + "' stands before the first -key: no gpgpusim.config");
        else all.back().value += (all.back().value.empty() ? "" : " ") + word;
        word.clear();
    };
    for (char const c : text) {
        if (is_comment) {
            is_comment = c != '\n';
        } else if (c == '"') {
            is_quoted = !is_quoted;
        } else if (is_quoted) {
            if (std::isspace(static_cast<unsigned char>(c)) == 0) word += c;
        } else if (c == '#') {
            end_word();
            is_comment = true;
        } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            end_word();
        } else {
            word += c;
        }
    }
    end_word();
    if (is_quoted) throw Error(ErrorKind::config, label + ": a quote is not closed");
    if (all.empty()) throw Error(ErrorKind::config, label + ": there is no -key in it: no gpgpusim.config");
    return all;
}

/// Of each key the last one holds.
std::vector<Conversion::Given> read(std::vector<GpgpusimFile> const& files) {
    std::vector<Conversion::Given> last;
    for (GpgpusimFile const& file : files) {
        for (auto const& one : read(file.label, file.text)) {
            std::erase_if(last, [&](Conversion::Given const& g) { return g.key == one.key; });
            last.push_back(one);
        }
    }
    return last;
}

/// Of those with figures for timing, the nearest by compute capability, then by SMs and by clock.
std::string nearest_builtin(Conversion const& c) {
    auto const major = c.number("gpgpu_compute_capability_major"),
               minor = c.number("gpgpu_compute_capability_minor");
    std::uint64_t const wanted =
        major ? *major * 10 + minor.value_or(0) : c.number("gpgpu_ptx_force_max_capability").value_or(70);
    std::uint64_t const sms = c.value_of("sm.count").value_or(0);
    auto const distance = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; };
    std::string best;
    std::uint64_t const clock = c.value_of("clock_mhz").value_or(0);
    std::array<std::uint64_t, 3> least{UINT64_MAX, 0, 0};
    for (std::string const& name : builtin_names()) {
        if (name == "teaching") continue;  // made up
        Config const config = load_config(name);
        if (!config.missing_timing_groups().empty()) continue;
        std::array const here{distance(static_cast<std::uint64_t>(config.compute_capability.number()), wanted),
                              distance(config.sm.count, sms), distance(config.clock_mhz, clock)};
        if (here >= least) continue;
        least = here;
        best = name;
    }
    return best;
}

Row const* row_of(std::string_view key) {
    Row const* wide = nullptr;
    for (Row const& row : gpgpusim::table()) {
        for (std::string_view const pattern : row.theirs) {
            if (pattern == key) return &row;
            if (gpgpusim::matches(pattern, key)) wide = &row;
        }
    }
    return wide;
}

std::string told(Conversion::Given const& given) {
    std::string const head = "-" + given.key + " " + given.value + ": ";
    Row const* const row = row_of(given.key);
    if (row == nullptr) return head + "not known";
    bool const is_option = !row->ours.empty() && row->ours.front().starts_with("--");
    if (is_option) return head + "an option of the command: " + std::string(row->ours.front());
    return head + std::string(row->remark.empty() ? "not understood" : row->remark);
}

/// What follows from figures that were set, where the base's would contradict them.
class ConvertedFigures {
public:
    ConvertedFigures(Json& document, Config const& base) : document_(document), base_(base) {}

    void agree() {
        if (has("/sm/shared/size_kib")) shared_memory();
        if (has("/sm/sub_cores") && has("/sm/max_warps")) sub_cores();
        std::uint64_t const slices = has("/l2/slices/count") ? number("/l2/slices/count") : base_.l2.slices->count;
        std::uint64_t const partitions =
            has("/l2/slices/partitions") ? number("/l2/slices/partitions") : base_.l2.slices->partitions;
        if (slices % partitions != 0)
            set("/l2/slices/partitions", 1, "the slices are not divisible by those of the base");
        if (has("/dram/channels/command_interval_cycles") && has("/dram/channels/access_bytes")) burst();
        if (has("/sm/count") && number("/sm/count") < base_.sm.gpcs)
            set("/sm/gpcs", 1, "there are fewer SMs than the base has GPCs");
        if (has("/sm/registers") && !has("/limits/max_registers_per_cta") &&
            number("/sm/registers") < base_.limits.max_registers_per_cta)
            set("/limits/max_registers_per_cta", number("/sm/registers"), "no more than sm.registers");
    }

private:
    bool has(char const* pointer) const { return document_.contains(Json::json_pointer(pointer)); }
    std::uint64_t number(char const* pointer) const {
        return document_.at(Json::json_pointer(pointer)).get<std::uint64_t>();
    }
    void set(std::string const& pointer, Json value, char const* why) {
        document_[Json::json_pointer(pointer)] = std::move(value);
        std::string path = pointer.substr(1);
        std::replace(path.begin(), path.end(), '/', '.');
        document_["sources"][path] = why;
    }

    void sub_cores() {
        constexpr std::uint64_t most = 16;  // warps of one
        std::uint64_t const warps = number("/sm/max_warps");
        std::uint64_t count = std::max<std::uint64_t>(number("/sm/sub_cores"), 1);
        if (warps <= most * count) return;
        count = (warps + most - 1) / most;
        std::uint64_t const registers = has("/sm/registers") ? number("/sm/registers") : base_.sm.registers;
        while (warps % count != 0 || registers % count != 0) ++count;
        set("/sm/sub_cores", count, "each has 16 warps at most");
    }

    void shared_memory() {
        std::uint64_t const size = number("/sm/shared/size_kib");
        if (has("/sm/l1/size_kib") && number("/sm/l1/size_kib") < size)
            set("/sm/l1/size_kib", size, "as large as shared memory, which is carved out of it");
        if (!has("/sm/shared/carve_outs_kib"))
            set("/sm/shared/carve_outs_kib", Json::array({size}), "always all of it");
        std::uint64_t const reserved = (base_.sm.shared.cta_reserved_bytes + 1023) / 1024;
        std::uint64_t const most = size > reserved ? size - reserved : 0;
        auto const limit = [&](char const* pointer, std::uint64_t of_base) {
            if ((has(pointer) ? number(pointer) : of_base) > most) set(pointer, most, "as much as there is");
        };
        limit("/sm/shared/cta_opt_in_kib", base_.sm.shared.cta_opt_in_kib);
        limit("/sm/shared/cta_default_kib", base_.sm.shared.cta_default_kib);
    }

    void burst() {
        if (!has("/dram/bus_width_bits") || !has("/dram/channels/count")) return;
        std::uint64_t const transfers = has("/dram/transfers_per_clock") ? number("/dram/transfers_per_clock")
                                                                         : base_.dram.transfers_per_clock;
        std::uint64_t const channels = std::max<std::uint64_t>(number("/dram/channels/count"), 1);
        std::uint64_t const bytes =
            std::max<std::uint64_t>(number("/dram/bus_width_bits") / 8 / channels * transfers, 1);
        std::uint64_t const cycles = (number("/dram/channels/access_bytes") + bytes - 1) / bytes;
        if (number("/dram/channels/command_interval_cycles") < cycles)
            set("/dram/channels/command_interval_cycles", cycles, "a burst keeps the bus as long");
    }

    Json& document_;
    Config const& base_;
};

}  // namespace

FromGpgpusim from_gpgpusim(std::vector<GpgpusimFile> const& files) {
    Conversion conversion(read(files));
    for (Row const& row : gpgpusim::table()) {
        if (row.convert != nullptr) conversion.convert(row);
    }
    FromGpgpusim result;
    result.base = nearest_builtin(conversion);
    Config const base = load_config(result.base);
    Json document = Json::object();
    std::string description = "from";
    for (GpgpusimFile const& file : files) description += (&file == &files.front() ? " " : " and ") + file.label;
    document["description"] = std::move(description);
    document["base"] = result.base;
    document["sources"] = Json::object();
    for (Conversion::Set const& one : conversion.all_set()) {
        std::string pointer = "/" + one.path;
        std::replace(pointer.begin(), pointer.end(), '.', '/');
        document[Json::json_pointer(pointer)] = one.value;
        document["sources"][one.path] = "gpgpusim.config: " + one.source;
    }
    ConvertedFigures(document, base).agree();
    for (Conversion::Given const& given : conversion.given()) {
        if (given.is_mapped) ++result.mapped;
        else if (std::none_of(conversion.refused().begin(), conversion.refused().end(),
                              [&](std::string const& r) { return r.starts_with("-" + given.key + " "); }))
            result.notes.push_back(told(given));
    }
    result.notes.insert(result.notes.end(), conversion.refused().begin(), conversion.refused().end());
    std::string left_out;
    for (std::string const& note : result.notes) left_out += (left_out.empty() ? "" : "; ") + note;
    document["sources"]["description"] = "converted from gpgpusim.config; what is not here is as in " +
                                         result.base + "; not converted: " + left_out;
    // Sources last, as in other files.
    Json sources = document["sources"];
    document.erase("sources");
    document["sources"] = std::move(sources);
    result.json = document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    return result;
}

std::string gpgpusim_page() {
    std::string text = "# Coming from gpgpusim.config\n\n"
                       "    warpsim config from-gpgpusim gpgpusim.config -o mine.json\n"
                       "    warpsim config from-gpgpusim gpgpusim.config trace.config -o mine.json\n\n"
                       "writes a configuration of what GPGPU-Sim and Accel-Sim are told, over the nearest "
                       "built-in one, and says which keys "
                       "it has\nnot converted. This is its table. The middle column gives paths for a "
                       "configuration file or for `--set`, or "
                       "options of the\ncommand; `warpsim config schema` explains each of them. A dash means that "
                       "there is no counterpart, "
                       "*by hand* that the remark\nsays what to think of instead.\n\n"
                       "| gpgpusim.config | here | remark |\n| --- | --- | --- |\n";
    for (Row const& row : gpgpusim::table()) {
        std::string theirs, ours;
        for (std::string_view const key : row.theirs)
            theirs += (theirs.empty() ? "`-" : ", `-") + std::string(key) + "`";
        for (std::string_view const path : row.ours)
            ours += (ours.empty() ? "`" : ", `") + std::string(path) + "`";
        bool const is_by_hand = row.convert == nullptr && !row.ours.empty() && !row.ours.front().starts_with("--");
        text += "| " + theirs + " | " + (ours.empty() ? "-" : ours) + (is_by_hand ? ", by hand" : "") + " | " +
                std::string(row.remark) + (row.remark.empty() ? "" : " ") + "|\n";
    }
    return text;
}

}  // namespace warpsim::sim
