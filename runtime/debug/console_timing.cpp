// What there is to see in timing mode: SMs, what warps wait for, queues, caches.
#include "runtime/debug/command_table.hpp"
#include "runtime/debug/words.hpp"
#include "sim/error.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

namespace warpsim::debug {

using engine::never;

namespace {

std::string index_text(std::array<std::uint32_t, 3> const& v) {
    return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}

std::string number_text(double value, char const* format) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string queue_text(timing::QueueView const& q) {
    return q.name + ": " + std::to_string(q.used) + (q.limit != 0 ? " of " + std::to_string(q.limit) : "");
}

/// A character for each sector: v valid, d dirty, p partly written, > on its way, . not there.
std::string sectors_text(timing::CachedLine const& line) {
    std::string text;
    for (int s = 0; s < 4; ++s) {
        auto const has = [s](std::uint8_t mask) { return (mask >> s & 1) != 0; };
        text += has(line.pending)   ? '>'
                : has(line.partial) ? 'p'
                : has(line.dirty)   ? 'd'
                : has(line.valid)   ? 'v'
                                    : '.';
    }
    return text;
}

std::uint32_t below(std::string const& word, std::uint32_t limit, char const* what) {
    std::uint64_t const number = number_of(word);
    if (number >= limit)
        throw Error(ErrorKind::usage,
                    std::string(what) + " " + word + ": they are 0 to " + std::to_string(limit - 1));
    return static_cast<std::uint32_t>(number);
}

}  // namespace

timing::GpuView const& Console::gpu() {
    machine();
    if (debugger_.gpu() == nullptr)
        throw Error(ErrorKind::usage, "nothing takes time here: `warpsim debug --mode timing` has cycles");
    return *debugger_.gpu();
}

/// " long_scoreboard for 120 cycles"; nothing in functional mode.
std::string Console::stall_text(sim::Warp const& warp) {
    if (debugger_.gpu() == nullptr) return "";
    std::optional<timing::WarpView> const w = debugger_.gpu()->warp(warp);
    if (!w) return "";
    std::uint64_t const now = debugger_.launched_at() + debugger_.cycle();
    std::string text = "  SM " + std::to_string(w->sm) + " slot " + std::to_string(w->slot) + ", ";
    if (w->is_ready) text += "can issue";
    else if (w->since > now) text += "has issued";
    else
        text += std::string(sim::name(w->reason)) + " for " + std::to_string(now - w->since) + " cycles" +
                (w->until != never ? ", until cycle " + std::to_string(w->until - debugger_.launched_at()) : "");
    if (w->loads != 0) text += ", " + std::to_string(w->loads) + " loads in flight";
    if (w->writes != 0) text += ", " + std::to_string(w->writes) + " writes in flight";
    return text;
}

std::string Console::where_text() {
    std::string text = "[cycle " + std::to_string(debugger_.cycle());
    std::optional<Thread> const of = debugger_.focused();
    if (of)
        text += ": block " + index_text(of->cta->id) + " warp " + std::to_string(of->warp->index) +
                stall_text(*of->warp);
    return text + "]";
}

std::string Console::sms_text() {
    gpu();
    std::uint64_t const cycles = std::max<std::uint64_t>(debugger_.cycle(), 1);
    std::string text = "   SM  blocks  warps  micro-ops   IPC  L1 hits";
    std::uint64_t all = 0;
    for (timing::SmView const& sm : gpu().sms()) {
        char line[128];
        std::snprintf(line, sizeof line, "%5u  %6u  %5zu  %9llu  %4.2f  %s", sm.number, sm.ctas, sm.warps.size(),
                      static_cast<unsigned long long>(sm.micro_ops),
                      static_cast<double>(sm.micro_ops) / static_cast<double>(cycles),
                      sm.l1_sectors == 0 ? "      -"
                                         : number_text(100.0 * static_cast<double>(sm.l1_hits) /
                                                           static_cast<double>(sm.l1_sectors),
                                                       "%5.1f %%")
                                               .c_str());
        all += sm.micro_ops;
        std::optional<Thread> const of = debugger_.focused();
        text += std::string("\n") + (of && of->cta->sm == sm.number ? "*" : " ") + (line + 1);
    }
    return text + "\n" + std::to_string(all) + " micro-ops in " + std::to_string(cycles) + " cycles, IPC " +
           number_text(static_cast<double>(all) / static_cast<double>(cycles), "%.2f") + " of the whole GPU";
}

std::string Console::stalls_text() {
    std::map<std::string, std::uint32_t> count;
    std::uint64_t const now = debugger_.launched_at() + debugger_.cycle();
    std::uint32_t warps = 0;
    for (timing::SmView const& sm : gpu().sms()) {
        for (timing::WarpView const& w : sm.warps) {
            ++warps;
            ++count[w.is_ready ? "can issue" : w.since > now ? "have issued" : std::string(sim::name(w.reason))];
        }
    }
    std::string text = std::to_string(warps) + " warps";
    for (auto const& [reason, n] : count)
        text += "\n" + std::string(n < 10 ? "   " : n < 100 ? "  " : " ") + std::to_string(n) + "  " + reason;
    return text;
}

std::string Console::scoreboard_text() {
    gpu();
    Thread const of = thread();
    std::optional<timing::WarpView> const w = gpu().warp(*of.warp);
    if (!w) return "The warp is on no SM any more.";
    std::string text = "warp " + std::to_string(of.warp->index) + stall_text(*of.warp);
    if (w->micro != 0)
        text += "\n" + std::to_string(w->micro) + " of " + std::to_string(w->micros) +
                " micro-operations of its instruction have issued";
    if (w->pending.empty()) return text + "\nNo register waits for its value.";
    ir::Function const& function = *stack_.front().frame->function->function;
    for (timing::PendingRegister const& p : w->pending) {
        std::string names;
        for (std::uint32_t const r : p.registers)
            names += (names.empty() ? "" : ", ") + function.registers[r].name;
        text += "\n  " + names + "\tfrom " + std::string(p.maker) +
                (p.ready == never ? ", on its way"
                                  : ", in cycle " + std::to_string(p.ready - debugger_.launched_at())) +
                "\t(" + std::string(sim::name(p.reason)) + ")";
    }
    return text;
}

std::string Console::queues_text(std::string const& arguments) {
    std::string rest = arguments;
    std::string const what = take_word(rest);
    timing::GpuView const& g = gpu();
    std::string text;
    if (what == "l2" || what == "dram") {
        std::uint32_t const per_partition = g.slices() / g.partitions();
        std::uint32_t const number =
            below(take_word(rest), what == "l2" ? g.slices() : g.partitions(), what == "l2" ? "slice" : "channel");
        timing::PartitionView const p = g.partition(what == "l2" ? number / per_partition : number);
        if (what == "l2") {
            timing::SliceView const& s = p.slices[number % per_partition];
            text = "L2 slice " + std::to_string(number);
            for (timing::QueueView const& q : s.queues) text += "\n  " + queue_text(q);
            if (s.waits_for_fill) text += "\n  its first request waits for DRAM's data";
            if (s.waits_for_dram) text += "\n  its first request waits for room in DRAM's queue";
            return text;
        }
        text = "DRAM channel " + std::to_string(number) + (p.dram.is_writing ? ", writing" : ", reading");
        for (timing::QueueView const& q : p.dram.queues) text += "\n  " + queue_text(q);
        for (timing::DramView::Bank const& b : p.dram.banks)
            text += "\n  bank " + std::to_string(b.number) + ": " +
                    (b.has_row ? "row " + std::to_string(b.row) + " is open" : "no row is open") + ", " +
                    std::to_string(b.waiting) + " requests";
        return text;
    }
    std::optional<Thread> const of = debugger_.focused();
    std::uint32_t const number =
        what.empty() ? (of ? of->cta->sm : 0)
                     : static_cast<std::uint32_t>(number_of(what == "sm" ? take_word(rest) : what));
    for (timing::SmView const& sm : g.sms()) {
        if (sm.number != number) continue;
        text = "SM " + std::to_string(number);
        for (timing::QueueView const& q : sm.queues) text += "\n  " + queue_text(q);
    }
    if (text.empty()) throw Error(ErrorKind::usage, "SM " + std::to_string(number) + " has not had a block");
    // Of all slices and channels, those that have anything to do.
    for (std::uint32_t i = 0; i < g.partitions(); ++i) {
        timing::PartitionView const p = g.partition(i);
        auto const busy = [](std::vector<timing::QueueView> const& queues) {
            std::string list;
            for (timing::QueueView const& q : queues)
                if (q.used != 0) list += (list.empty() ? "" : ", ") + queue_text(q);
            return list;
        };
        for (timing::SliceView const& s : p.slices)
            if (std::string const list = busy(s.queues); !list.empty())
                text += "\nL2 slice " + std::to_string(s.number) + ": " + list;
        if (std::string const list = busy(p.dram.queues); !list.empty())
            text += "\nDRAM channel " + std::to_string(i) + ": " + list;
    }
    return text;
}

/// l1 [SM] [set N], l2 [SLICE] [set N]
std::string Console::cache_text(std::string const& arguments) {
    std::string rest = arguments;
    std::string const level = take_word(rest);
    if (level != "l1" && level != "l2")
        throw Error(ErrorKind::usage, "info cache l1 [SM] [set N], or info cache l2 [SLICE] [set N]");
    timing::GpuView const& g = gpu();
    bool const is_l1 = level == "l1";
    std::optional<Thread> const of = debugger_.focused();
    std::uint32_t number = is_l1 && of ? of->cta->sm : 0;
    std::string word = take_word(rest);
    if (word == "sm" || word == "slice") word = take_word(rest);
    if (!word.empty() && word != "set") {
        number =
            below(word, is_l1 ? static_cast<std::uint32_t>(g.sms().size()) : g.slices(), is_l1 ? "SM" : "slice");
        word = take_word(rest);
    }
    if (number >= (is_l1 ? g.sms().size() : g.slices())) throw Error(ErrorKind::usage, "no block is on an SM yet");
    timing::CacheView const cache = is_l1 ? g.l1(number) : g.l2(number);
    std::string text = (is_l1 ? "L1 of SM " : "L2 slice ") + std::to_string(number);
    if (word != "set") {
        std::uint64_t used = 0;
        for (std::uint32_t const n : cache.used) used += n;
        text += ": " + std::to_string(cache.sets) + " sets of " + std::to_string(cache.ways) + " ways; " +
                std::to_string(used) + " lines are there";
        std::string sets;
        int told = 0;
        for (std::uint32_t s = 0; s < cache.sets; ++s)
            if (cache.used[s] != 0 && told++ < 32)
                sets += " " + std::to_string(s) + ":" + std::to_string(cache.used[s]);
        return used == 0 ? text : text + "\nby set:" + sets + (told > 32 ? " ..." : "");
    }
    std::uint32_t const set = below(take_word(rest), cache.sets, "set");
    text += " set " + std::to_string(set) + ": " + std::to_string(cache.used[set]) + " of " +
            std::to_string(cache.ways) + " ways\n  way  address        sectors  replaced";
    std::vector<timing::CachedLine> const lines = is_l1 ? g.l1_set(number, set) : g.l2_set(number, set);
    for (timing::CachedLine const& line : lines) {
        char row[96];
        std::snprintf(row, sizeof row, "\n  %3u  %-13s  %s     %s", line.way,
                      sim::hexadecimal(line.address).c_str(), sectors_text(line).c_str(),
                      line.has_order ? std::to_string(line.order).c_str() : "at random");
        text += row;
    }
    return lines.empty() ? text + "\n  nothing is there"
                         : text + "\n  (v valid, d dirty, p partly written, > on its way; 0 is replaced first)";
}

}  // namespace warpsim::debug
