#include "sim/timing/sm/instruction_cache.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::timing {

InstructionCaches::Tags InstructionCaches::make(std::uint32_t kib, std::uint32_t ways, std::uint32_t line_bytes) {
    Tags tags;
    std::uint32_t const lines = std::max(kib * 1024 / line_bytes, 1u);
    tags.ways = std::max(std::min(ways, lines), 1u);
    tags.sets = std::max(lines / tags.ways, 1u);
    tags.entries.resize(std::size_t{tags.sets} * tags.ways);
    return tags;
}

InstructionCaches::Entry* InstructionCaches::Tags::find(std::uint64_t line) {
    std::uint32_t& before = found[line % found.size()];
    if (entries[before].line == line) return &entries[before];
    Entry* const set = entries.data() + line % sets * ways;
    for (std::uint32_t w = 0; w < ways; ++w) {
        if (set[w].line != line) continue;
        before = static_cast<std::uint32_t>(set + w - entries.data());
        return set + w;
    }
    return nullptr;
}

InstructionCaches::Entry& InstructionCaches::Tags::put(std::uint64_t line, Cycle ready, Cycle now) {
    Entry* const set = entries.data() + line % sets * ways;
    Entry* const victim =
        std::min_element(set, set + ways, [](Entry const& a, Entry const& b) { return a.used < b.used; });
    *victim = {line, ready, now};
    ++changes;
    return *victim;
}

InstructionCaches::InstructionCaches(sim::FrontEndConfig const& config, std::uint32_t sub_cores)
    : config_(config),
      line_log2_(std::has_single_bit(config.line_bytes)
                     ? static_cast<unsigned>(std::countr_zero(config.line_bytes))
                     : 0) {
    for (std::uint32_t i = 0; i < sub_cores; ++i)
        l0_.push_back(make(config.l0_size_kib, config.l0_ways, config.line_bytes));
    l1_ = make(config.l1_size_kib, config.l1_ways, config.line_bytes);
}

void InstructionCaches::put_all(std::uint64_t begin, std::uint32_t instructions, Cycle now) {
    if (instructions == 0) return;
    std::uint64_t const last = line_of(instructions - 1, begin);
    for (std::uint64_t line = line_of(0, begin); line <= last; ++line) {
        if (l1_.find(line) == nullptr) l1_.put(line, now, now);
        for (Tags& l0 : l0_)
            if (l0.find(line) == nullptr) l0.put(line, now, now);
    }
}

Cycle InstructionCaches::from_l1(std::uint64_t line, Cycle now) {
    Cycle const asked = now + config_.l0_miss_cycles;
    if (Entry* const here = l1_.find(line)) {
        here->used = now;
        return here->ready == engine::never ? engine::never
                                            : std::max(asked, here->ready + config_.l0_miss_cycles / 2);
    }
    if (config_.fetch_from_l2) {
        l1_.put(line, engine::never, now);
        wanted_.push_back(line);
        return engine::never;
    }
    Cycle const ready = now + config_.l0_miss_cycles / 2 + config_.l1_miss_cycles;
    l1_.put(line, ready, now);
    return asked + config_.l1_miss_cycles;
}

/// A line that has made room for others in the meantime is not there any more: who waits for it has it all the same.
void InstructionCaches::filled(std::uint64_t line, Cycle ready) {
    if (Entry* const here = l1_.find(line); here != nullptr && here->ready == engine::never) here->ready = ready;
    for (Tags& l0 : l0_) {
        Entry* const here = l0.find(line);
        if (here != nullptr && here->ready == engine::never) here->ready = ready + config_.l0_miss_cycles / 2;
    }
}

Cycle InstructionCaches::ready(std::uint32_t sub_core, std::uint64_t line, Cycle filled) {
    Entry const* const here = l0_[sub_core].find(line);
    return here != nullptr ? here->ready : filled + config_.l0_miss_cycles / 2;
}

Cycle InstructionCaches::fetch(std::uint32_t sub_core, std::uint64_t line, Cycle now) {
    Tags& l0 = l0_[sub_core];
    Cycle ready = 0;
    Entry* here = l0.find(line);
    if (here != nullptr) {
        here->used = now;
        if (here->followed == l0.changes) return here->ready;
        ready = here->ready;
    } else {
        ready = from_l1(line, now);
        here = &l0.put(line, ready, now);
    }
    std::uint64_t const before = l0.changes;
    for (std::uint32_t i = 1; i <= config_.l0_prefetch_lines; ++i) {
        if (l0.find(line + i) != nullptr) continue;
        Cycle const there = from_l1(line + i, now);
        l0.put(line + i, there == engine::never ? there : there + i, now);
    }
    if (l0.changes == before) here->followed = before;
    return ready;
}

}  // namespace warpsim::timing
