// What a finding says: who did what, and what is missing in between.
#include "runtime/check/race/race_check.hpp"

#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>

namespace warpsim::check {

using isa::Scope;

namespace {

char const* noun_of(Record const& record) {
    static constexpr char const* nouns[] = {"read", "write", "atomic"};
    static constexpr char const* nouns_beside[] = {"asynchronous read", "asynchronous write",
                                                   "asynchronous reduction"};
    return (record.is_beside() ? nouns_beside : nouns)[static_cast<std::size_t>(record.sort)];
}

/// What the thread did; `before`: of the earlier access.
std::string verb_of(Record const& record, bool before) {
    static constexpr char const* verbs[] = {"read", "wrote", "changed by an atomic"};
    static constexpr char const* verbs_before[] = {"had read it", "had written it", "had changed it by an atomic"};
    auto const sort = static_cast<std::size_t>(record.sort);
    if (!record.is_beside()) return (before ? verbs_before : verbs)[sort];
    static constexpr char const* what[] = {"read", "written", "reduced into"};
    bool const computes = record.engine == Engine::products || record.engine == Engine::work;
    std::string const by = computes                         ? " by the matrix unit"
                           : record.engine == Engine::store ? " later"
                                                            : " by a copy";
    return (before ? "had it " : "has it ") + std::string(what[sort]) + by;
}

}  // namespace

/// What orders an engine's access for those who wait for it, or lets another way to memory see one; empty: it is not that.
std::string RaceCheck::missing_wait(Stamp earlier, Record const& other, Doer const& by) {
    bool const is_one = earlier.extent() == Stamp::Extent::lane;
    if (is_one && is_one_ordered(earlier, other, by)) {
        switch (by.record.proxy) {
            case Proxy::async:
                return "no fence.proxy.async between them: the threads' writes go another way to memory";
            case Proxy::map:
                return "no fence.proxy.tensormap::generic.acquire, after a release, between the change of the "
                       "tensor map "
                       "and this";
            case Proxy::texture: return "texture fetches do not see what the same kernel writes";
            case Proxy::generic:
            case Proxy::released_map: break;
        }
        return "";
    }
    if (!other.is_beside() || time_of(earlier, other) != Record::pending) return "";
    switch (other.engine) {
        case Engine::thread: break;
        case Engine::copies: return "no cp.async.wait_group by the thread that has issued the copy between them";
        case Engine::bulk:
        case Engine::store:
            return "it is complete when the mbarrier at shared " + sim::hexadecimal(other.mbarrier) +
                   " says so, for which this thread has not waited";
        case Engine::grouped:
            return std::string("no cp.async.bulk.wait_group") + (other.sort == Sort::read ? ".read" : "") +
                   " by the thread that has issued the copy between them";
        case Engine::products: return "no wgmma.wait_group between them";
        case Engine::work: return "no tcgen05.commit behind it to an mbarrier for which this thread has waited";
    }
    return "";
}

std::string RaceCheck::missing(Stamp earlier, Record const& other, Doer const& by) {
    auto const scope_name = [](Scope scope) {
        return std::string(scope == Scope::cluster ? ".cluster" : scope == Scope::gpu ? ".gpu" : ".cta");
    };
    if (std::string wait = missing_wait(earlier, other, by); !wait.empty()) return wait;
    std::string const other_block = "block " + dims_text(place_in(launch_->grid, other.cta));
    bool const is_other_cta = other.cta != by.record.cta || earlier.extent() == Stamp::Extent::grid;
    if (other.is_strong && by.record.is_strong) {
        if (other.bytes_log2 != by.record.bytes_log2) return "they overlap, but are not of the same bytes";
        Thread const from{other.cta, 32 * other.warp + earlier.lane()}, to = by.thread();
        Scope const narrow = order_.reaches(other.scope, to, from) ? by.record.scope : other.scope;
        return "the scope " + scope_name(narrow) + " of one of them does not reach the other's block";
    }
    bool const is_late = other.is_beside();  // whose end is known, but not here
    if (is_late && !is_other_cta) return "no barrier between the wait for it and this";
    if (other.sort == Sort::atomic || by.record.sort == Sort::atomic)
        return "one of them is atomic, the other is not, and nothing orders them";
    if (is_other_cta) {
        if (auto const& shorter = order_.last_short_scope(); shorter && shorter->by.cta == other.cta)
            return "the scope " + scope_name(shorter->scope) + " of a release by " + other_block +
                   " does not reach block " + dims_text(place_in(launch_->grid, by.record.cta));
        return "nothing orders these blocks: no release by the one that the other acquires";
    }
    if (earlier.record() == by.id) return "by lanes of one warp in the same instruction";
    if (other.warp == by.record.warp && earlier.extent() <= Stamp::Extent::warp)
        return "no __syncwarp() or barrier between them: lanes of a warp run independently";
    return "no barrier between them";
}

bool RaceCheck::is_same_value(Stamp earlier, Record const& other, Doer const& by) {
    return other.sort == Sort::write && by.record.sort == Sort::write && !other.is_beside() &&
           !by.record.is_beside() && earlier.value_hash() == by.value_hash;
}

Finding RaceCheck::describe(Stamp earlier, Record const& other, Doer const& by) {
    ir::Module const& module = *launch_->plan.module;
    Finding finding;
    finding.kernel = launch_->plan.functions.front().function->name;
    finding.space = by.space;
    finding.address = by.address;
    finding.bytes = by.bytes;
    finding.is_benign = is_same_value(earlier, other, by);
    finding.what = std::string(noun_of(by.record)) + " after " + noun_of(other) +
                   (finding.is_benign ? " of the same value" : "");
    finding.message = finding.what + " of " + std::to_string(by.bytes) + " bytes at " + by.space + " " +
                      sim::hexadecimal(by.address) + ", " + missing(earlier, other, by);
    std::uint32_t const thread = 32 * by.record.warp + by.lane;
    finding.act = act_of(verb_of(by.record, false), module, by.record.instruction,
                         place_in(launch_->grid, by.record.cta), thread, launch_->block);
    bool const has_value =
        by.event != nullptr && !by.event->is_late && by.bytes <= 8 && by.event->access.elements != 0;
    if (has_value) finding.act->value = sim::hexadecimal(by.event->value(static_cast<int>(by.lane))[0]);
    finding.other = act_of(verb_of(other, true), module, other.instruction, place_in(launch_->grid, other.cta),
                           32 * other.warp + earlier.lane(), launch_->block);
    // What is read now has been written there, unless both were the same.
    bool const was_written = other.sort == Sort::write && by.record.sort == Sort::read;
    if (has_value && (was_written || finding.is_benign)) finding.other->value = finding.act->value;
    if (earlier.extent() != Stamp::Extent::lane) finding.notes.emplace_back("other threads had read it, too");
    return finding;
}

void RaceCheck::report(Stamp earlier, Record const& other, Doer const& by) {
    bool const is_same = is_same_value(earlier, other, by);
    Alike const alike{Kind::race,
                      static_cast<std::uint32_t>(other.engine) << 16 |
                          static_cast<std::uint32_t>(other.sort) << 8 |
                          static_cast<std::uint32_t>(by.record.sort) << 4 | static_cast<std::uint32_t>(is_same),
                      launch_->plan.module,
                      by.record.instruction.function,
                      by.record.instruction.index,
                      other.instruction.function,
                      other.instruction.index};
    bool const has_atomic_twin = !other.is_beside() && !by.record.is_beside();
    bool const reads_atomic = other.sort == Sort::atomic && by.record.sort == Sort::read;
    bool const is_unverified = reads_atomic || (other.sort == Sort::read && by.record.sort == Sort::atomic);
    if (!is_unverified || !has_atomic_twin)
        return findings_.add(alike, [&] { return describe(earlier, other, by); });
    auto const [entry, is_new] = unverified_.try_emplace(alike);
    if (is_new) entry->second = {(reads_atomic ? by.record : other).instruction, describe(earlier, other, by), 0};
    ++entry->second.count;
}

}  // namespace warpsim::check
