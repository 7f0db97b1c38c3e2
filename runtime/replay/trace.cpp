// The text of a trace, as post-traces-processing of Accel-Sim leaves it (versions 1 to 5 of its tracer).
#include "runtime/replay/trace.hpp"

#include "runtime/replay/line_reader.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

namespace warpsim::replay {

namespace {

constexpr std::uint32_t most_warps = 32, most_threads = 1024, most_operands = 16, most_ctas = 1u << 26;

class TraceParser {
public:
    TraceParser(KernelTrace& trace, LineReader& reader) : trace_(trace), reader_(reader) {}

    void parse() {
        while (reader_.next_line()) {
            if (reader_.line()[0] == '-') header();
            else if (reader_.line().starts_with("#traces format")) continue;
            else if (reader_.line().starts_with("#BEGIN_TB")) cta();
            else
                reader_.fail_here("expected a line of the header or #BEGIN_TB; a .trace of the tracer itself has "
                                  "to go through post-traces-processing first");
        }
        if (!has_grid_ || !has_block_)
            reader_.fail(trace_.source->text().substr(0, 1), "the header does not give grid dim and block dim");
        sort_instructions();
    }

private:
    using Extent = std::array<std::uint32_t, 3>;

    /// "-grid dim = (4,1,1)"
    void header() {
        std::string_view const line = reader_.line();
        std::size_t const equals = line.find('=');
        if (equals == std::string_view::npos) reader_.fail(line, "a line of the header is -KEY = VALUE");
        std::string_view const key = trimmed(line.substr(1, equals - 1)), value = trimmed(line.substr(equals + 1));
        if (key == "kernel name") trace_.name = std::string(value);
        else if (key == "grid dim") grid(value);
        else if (key == "block dim") block(value);
        else if (key == "shmem") trace_.shared_bytes = number(value, 1u << 20);
        else if (key == "nregs") trace_.registers = number(value, 256);
        else if (key == "binary version") trace_.binary_version = static_cast<int>(number(value, 999));
        else if (key == "enable lineinfo") trace_.has_lines = number(value, 1) != 0;
        else if (key == "accelsim tracer version") version(value);
        else if (key == "shmem base_addr") trace_.shared_base = address(value);
        else if (key == "local mem base_addr") trace_.local_base = address(value);
        // kernel id, cuda stream id, nvbit version, cluster dim and others change nothing here.
    }

    static std::string_view trimmed(std::string_view text) {
        while (text.starts_with(' ')) text.remove_prefix(1);
        while (text.ends_with(' ') || text.ends_with('\r')) text.remove_suffix(1);
        return text;
    }

    std::uint32_t number(std::string_view text, std::uint32_t most) {
        auto const value = number_of(text, 10);
        if (!value || *value > most)
            reader_.fail(text.empty() ? reader_.line() : text, "expected a number up to " + std::to_string(most));
        return static_cast<std::uint32_t>(*value);
    }
    std::uint64_t address(std::string_view text) {
        auto const value = number_of(text, 16);
        if (!value) reader_.fail(text.empty() ? reader_.line() : text, "expected an address");
        return *value;
    }

    void version(std::string_view text) {
        trace_.version = static_cast<int>(number(text, 9999));
        if (trace_.version < 1 || trace_.version > newest_version)
            reader_.fail(text, "version " + std::string(text) + " of the tracer is unknown: 1 to " +
                                   std::to_string(newest_version) + " can be read");
    }

    void grid(std::string_view value) {
        trace_.grid = extent(value, most_ctas, '(');
        has_grid_ = true;
        std::uint64_t const plane = std::uint64_t{trace_.grid[0]} * trace_.grid[1];
        if (plane > most_ctas || plane * trace_.grid[2] > most_ctas)
            reader_.fail(value, "grids of more than " + std::to_string(most_ctas) + " CTAs are not timed");
    }

    void block(std::string_view value) {
        trace_.block = extent(value, most_threads, '(');
        has_block_ = true;
        if (std::uint64_t{trace_.block[0]} * trace_.block[1] * trace_.block[2] > most_threads)
            reader_.fail(value, "a CTA has at most 1024 threads");
    }

    /// Three numbers from 1 (in parentheses) or 0 on, separated by commas.
    Extent extent(std::string_view text, std::uint32_t most, char bracket) {
        std::string_view rest = text;
        Extent result{};
        if (bracket != 0) {
            if (!rest.starts_with('(') || !rest.ends_with(')'))
                reader_.fail(text.empty() ? reader_.line() : text, "expected (X,Y,Z)");
            rest = rest.substr(1, rest.size() - 2);
        }
        for (std::size_t i = 0; i < 3; ++i) {
            std::size_t const comma = std::min(rest.find(','), rest.size());
            auto const value = number_of(trimmed(rest.substr(0, comma)), 10);
            if (!value || *value > most || (bracket != 0 && *value == 0) || (i < 2) != (comma < rest.size()))
                reader_.fail(text.empty() ? reader_.line() : text, "expected three numbers, X,Y,Z");
            result[i] = static_cast<std::uint32_t>(*value);
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
        return result;
    }

    void cta() {
        if (!has_grid_ || !has_block_)
            reader_.fail(reader_.line(), "the header before it does not give grid dim and block dim");
        std::string_view const begin = reader_.line();
        std::uint32_t const threads = trace_.block[0] * trace_.block[1] * trace_.block[2];
        TracedCta cta;
        cta.warps.resize((threads + 31) / 32);
        bool has_id = false;
        TracedWarp* warp = nullptr;
        while (true) {
            if (!reader_.next_line()) reader_.fail(begin, "no #END_TB follows");
            std::string_view const line = reader_.line();
            if (line.starts_with("#END_TB")) break;
            if (line.starts_with("#")) reader_.fail(line, "expected #END_TB before it");
            std::string_view const value = trimmed(line.substr(std::min(line.find('='), line.size() - 1) + 1));
            if (line.starts_with("thread block")) {
                cta.id = extent(value, UINT32_MAX, 0);
                for (std::size_t i = 0; i < 3; ++i)
                    if (cta.id[i] >= trace_.grid[i]) reader_.fail(value, "the grid has no such CTA");
                if (!known_.insert({cta.id, true}).second) reader_.fail(value, "this CTA has come before");
                has_id = true;
            } else if (line.starts_with("cluster")) {
                if (line.starts_with("cluster rank") && value != "0")
                    reader_.fail(value, "traces of clusters are not supported");
            } else if (line.starts_with("warp")) {
                std::uint32_t const index = number(value, most_warps - 1);
                if (index >= cta.warps.size()) reader_.fail(value, "the CTA has no such warp");
                warp = &cta.warps[index];
                if (!warp->records.empty()) reader_.fail(value, "this warp has come before");
                promised_.reset();
            } else if (line.starts_with("insts")) {
                promised_ = number(value, UINT32_MAX);
            } else {
                if (warp == nullptr) reader_.fail(line, "expected warp = NUMBER before the first instruction");
                if (promised_ && warp->records.size() >= *promised_)
                    reader_.fail(line, "more instructions than insts says");
                warp->records.push_back(record());
            }
        }
        if (!has_id) reader_.fail(begin, "its thread block = X,Y,Z is missing");
        trace_.ctas.push_back(std::move(cta));
    }

    std::vector<std::uint32_t> registers(std::string_view what) {
        std::vector<std::uint32_t> list(reader_.decimal(what, most_operands));
        for (std::uint32_t& one : list) {
            std::string_view const word = reader_.expect("a register");
            auto const value = word.starts_with('R') ? number_of(word.substr(1), 10) : std::nullopt;
            if (!value || *value > zero_register) reader_.fail(word, "expected a register, R0 to R255");
            one = static_cast<std::uint32_t>(*value);
        }
        return list;
    }

    Record record() {
        // Before version 3 each line begins with its CTA and warp.
        if (trace_.version < 3)
            for (int i = 0; i < 4; ++i) reader_.decimal("the CTA and the warp", UINT32_MAX);
        std::uint32_t const line =
            trace_.has_lines ? static_cast<std::uint32_t>(reader_.decimal("the line of the source", UINT32_MAX))
                             : 0;
        std::uint64_t const pc = reader_.hex("the pc", UINT32_MAX);
        Record record;
        record.mask = static_cast<std::uint32_t>(reader_.hex("the mask", UINT32_MAX));
        record.instruction = number_of_instruction(pc, line);
        SassInstruction& instruction = trace_.instructions[record.instruction];
        if (reader_.decimal("the width of the access", 4096) != 0) {
            if (instruction.bytes == 0) instruction.bytes = bytes_of(instruction.opcode);
            read_addresses(record);
        }
        if (trace_.version >= 5 && !instruction.immediate)
            instruction.immediate = signed_number_of(reader_.word());
        return record;
    }

    /// Of the instruction whose operands follow: those of one place may differ, since functions that are called begin at 0, too.
    std::uint32_t number_of_instruction(std::uint64_t pc, std::uint32_t line) {
        std::string_view const begin = reader_.rest();
        skip_registers("the number of destinations");
        std::string_view const opcode = reader_.expect("the opcode");
        if (opcode[0] < 'A' || opcode[0] > 'Z') reader_.fail(opcode, "expected an opcode");
        skip_registers("the number of sources");
        std::string_view const operands = begin.substr(0, begin.size() - reader_.rest().size());
        auto const [found, is_new] =
            numbers_.try_emplace({pc, operands}, static_cast<std::uint32_t>(trace_.instructions.size()));
        if (!is_new) return found->second;
        reader_.go_back(begin);
        SassInstruction instruction;
        instruction.pc = pc;
        instruction.line = line;
        instruction.destinations = registers("the number of destinations");
        instruction.opcode = reader_.word();
        instruction.sources = registers("the number of sources");
        trace_.instructions.push_back(std::move(instruction));
        return found->second;
    }

    void skip_registers(std::string_view what) {
        for (std::uint64_t left = reader_.decimal(what, most_operands); left != 0; --left)
            reader_.expect("a register");
    }

    void read_addresses(Record& record) {
        record.first_address = static_cast<std::uint32_t>(trace_.addresses.size());
        int const lanes = std::popcount(record.mask);
        std::string_view const mode = reader_.expect("how the addresses are written");
        if (mode == "0") {
            for (int i = 0; i < lanes; ++i) trace_.addresses.push_back(reader_.hex("an address"));
        } else if (mode == "1") {
            std::uint64_t const base = reader_.hex("the first address");
            auto const stride = static_cast<std::uint64_t>(reader_.signed_decimal("the stride"));
            for (int i = 0; i < lanes; ++i)
                trace_.addresses.push_back(base + static_cast<std::uint64_t>(i) * stride);
        } else if (mode == "2") {
            std::uint64_t at = reader_.hex("the first address");
            for (int i = 0; i < lanes; ++i) {
                if (i != 0) at += static_cast<std::uint64_t>(reader_.signed_decimal("a distance of addresses"));
                trace_.addresses.push_back(at);
            }
        } else {
            reader_.fail(mode, "addresses are 0 (a list), 1 (a base and a stride) or 2 (a base and distances)");
        }
    }

    void sort_instructions() {
        std::vector<std::uint32_t> order(trace_.instructions.size()), new_number(order.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return trace_.instructions[a].pc < trace_.instructions[b].pc;
        });
        std::vector<SassInstruction> sorted;
        for (std::uint32_t const number : order) {
            new_number[number] = static_cast<std::uint32_t>(sorted.size());
            sorted.push_back(std::move(trace_.instructions[number]));
        }
        trace_.instructions = std::move(sorted);
        for (TracedCta& cta : trace_.ctas)
            for (TracedWarp& warp : cta.warps)
                for (Record& record : warp.records) record.instruction = new_number[record.instruction];
    }

    KernelTrace& trace_;
    LineReader& reader_;
    bool has_grid_ = false, has_block_ = false;
    std::optional<std::uint32_t> promised_;
    std::map<Extent, bool> known_;
    struct Place {
        std::uint64_t pc;
        std::string_view operands;
        bool operator==(Place const&) const = default;
    };
    struct PlaceHash {
        std::size_t operator()(Place const& place) const {
            return std::hash<std::string_view>()(place.operands) ^ place.pc * 0x9e3779b97f4a7c15u;
        }
    };
    std::unordered_map<Place, std::uint32_t, PlaceHash> numbers_;
};

}  // namespace

std::uint32_t matrices_of(std::string_view opcode) {
    return opcode.ends_with(".4") ? 4 : opcode.ends_with(".2") ? 2 : 1;
}

std::uint32_t bytes_of(std::string_view opcode) {
    if (opcode.starts_with("LDSM") || opcode.starts_with("STSM")) return 16;  // a row of a matrix
    while (!opcode.empty()) {
        std::size_t const dot = std::min(opcode.find('.'), opcode.size());
        std::string_view part = opcode.substr(0, dot);
        opcode.remove_prefix(std::min(dot + 1, opcode.size()));
        if (!part.empty() && (part[0] == 'U' || part[0] == 'S' || part[0] == 'F')) part.remove_prefix(1);
        auto const bits = number_of(part, 10);
        if (bits && *bits >= 8 && *bits <= 256 && std::has_single_bit(*bits))
            return static_cast<std::uint32_t>(*bits / 8);
    }
    return 4;
}

KernelTrace parse_trace(std::string name, std::string text) {
    KernelTrace trace;
    trace.source = std::make_shared<frontend::Source const>(std::move(name), std::move(text));
    LineReader reader(*trace.source);
    TraceParser(trace, reader).parse();
    return trace;
}

}  // namespace warpsim::replay
