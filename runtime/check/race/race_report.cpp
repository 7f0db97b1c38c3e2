// What a finding says: who did what, and what is missing in between.
#include "runtime/check/race/race_check.hpp"

#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>

namespace warpsim::check {

using isa::Scope;

namespace {

char const* noun_of(Manner const& record) {
    static constexpr char const* nouns[] = {"read", "write", "atomic"};
    static constexpr char const* nouns_beside[] = {"asynchronous read", "asynchronous write",
                                                   "asynchronous reduction"};
    return (record.is_beside() ? nouns_beside : nouns)[static_cast<std::size_t>(record.sort)];
}

/// What the thread did; `before`: of the earlier access.
std::string verb_of(Manner const& record, bool before) {
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
std::string RaceCheck::missing_wait(Stamp const& earlier, Record const& other, Doer const& by) {
    Manner const& how = manner(other);
    if (is_one_ordered(earlier, other, by) && may_be_ordered(earlier, other, by)) {
        switch (by.manner.proxy) {
            case Proxy::async:
                return "no fence.proxy.async between them: the threads' writes go another way to memory";
            case Proxy::map:
                return "no fence.proxy.tensormap::generic.acquire, after a release, between the change of the "
                       "tensor map "
                       "and this";
            case Proxy::texture:
                return std::string(by.is_of_constant ? "ld.global.nc and ld.const do" : "texture fetches do") +
                       " not see what the same kernel writes";
            case Proxy::generic:
            case Proxy::dependent:
            case Proxy::released_map:
            case Proxy::released_map_nearby: break;
        }
        return "";
    }
    if (!how.is_beside() || records_.time_of(earlier.record(), earlier.lane) != Record::pending) return "";
    switch (how.engine) {
        case Engine::thread: break;
        case Engine::copies: return "no cp.async.wait_group by the thread that has issued the copy between them";
        case Engine::bulk:
        case Engine::store:
            return "it is complete when the mbarrier at shared " +
                   sim::hexadecimal(records_.beside(earlier.record()).mbarrier) +
                   " says so, for which this thread has not waited";
        case Engine::grouped:
            return std::string("no cp.async.bulk.wait_group") + (how.sort == Sort::read ? ".read" : "") +
                   " by the thread that has issued the copy between them";
        case Engine::products: return "no wgmma.wait_group between them";
        case Engine::work: return "no tcgen05.commit behind it to an mbarrier for which this thread has waited";
    }
    return "";
}

std::string RaceCheck::missing(Stamp const& earlier, Record const& other, Doer const& by) {
    Manner const& how = manner(other);
    auto const scope_name = [](Scope scope) {
        return std::string(scope == Scope::cluster ? ".cluster" : scope == Scope::gpu ? ".gpu" : ".cta");
    };
    if (std::string wait = missing_wait(earlier, other, by); !wait.empty()) return wait;
    std::string const other_block = "block " + dims_text(place_in(launch_->grid, other.cta));
    bool const is_other_cta = other.cta != by.record.cta || earlier.extent == Stamp::Extent::grid;
    if (how.is_strong && by.manner.is_strong) {
        if (how.bytes_log2 != by.manner.bytes_log2) return "they overlap, but are not of the same bytes";
        Thread const from = thread_of(earlier, other), to = by.thread();
        Scope const narrow = order_.reaches(how.scope, to, from) ? by.manner.scope : how.scope;
        return "the scope " + scope_name(narrow) + " of one of them does not reach the other's block";
    }
    bool const is_late = how.is_beside();  // whose end is known, but not here
    if (is_late && !is_other_cta) return "no barrier between the wait for it and this";
    if (how.sort == Sort::atomic || by.manner.sort == Sort::atomic)
        return "one of them is atomic, the other is not, and nothing orders them";
    if (is_other_cta) {
        if (auto const& shorter = order_.last_short_scope(); shorter && shorter->by.cta == other.cta)
            return "the scope " + scope_name(shorter->scope) + " of a release by " + other_block +
                   " does not reach block " + dims_text(place_in(launch_->grid, by.record.cta));
        return "nothing orders these blocks: no release by the one that the other acquires";
    }
    if (earlier.record() == by.id) return "by lanes of one warp in the same instruction";
    if (other.warp == by.record.warp && earlier.extent <= Stamp::Extent::warp)
        return "no __syncwarp() or barrier between them: lanes of a warp run independently";
    return "no barrier between them";
}

bool RaceCheck::is_same_value(Stamp const& earlier, Record const& other, Doer const& by) const {
    Manner const& how = manner(other);
    bool const is_same =
        earlier.value_hash != 0 && (earlier.value_hash == by.value_hash || earlier.value_hash == by.together_hash);
    return is_same && how.sort == Sort::write && by.manner.sort == Sort::write && !how.is_beside() &&
           !by.manner.is_beside();
}

Finding RaceCheck::describe(Stamp const& earlier, Record const& other, Doer const& by) {
    Manner const& how = manner(other);
    ir::Module const& module = *launch_->plan.module;
    Finding finding;
    finding.kernel = launch_->plan.functions.front().function->name;
    finding.space = by.space;
    finding.address = by.address;
    finding.bytes = by.bytes;
    finding.is_benign = is_same_value(earlier, other, by);
    finding.what = std::string(noun_of(by.manner)) + " after " + noun_of(how) +
                   (finding.is_benign ? " of the same value" : "");
    finding.message = finding.what + " of " + std::to_string(by.bytes) + " bytes at " + by.space + " " +
                      sim::hexadecimal(by.address) + ", " + missing(earlier, other, by);
    std::uint32_t const thread = by.thread().number;
    finding.act = act_of(verb_of(by.manner, false), module, by.manner.instruction,
                         place_in(launch_->grid, by.record.cta), thread, launch_->block);
    bool const has_value = by.event != nullptr && !by.event->is_late && by.bytes <= 8 &&
                           by.event->access.elements != 0 && by.event->access.data[0] != sim::discard;
    if (has_value) finding.act->value = sim::hexadecimal(by.event->value(static_cast<int>(by.lane))[0]);
    finding.other = act_of(verb_of(how, true), module, how.instruction, place_in(launch_->grid, other.cta),
                           thread_of(earlier, other).number, launch_->block);
    // What is read now is what was written or read there, since nothing came in between.
    bool const is_left =
        by.manner.sort == Sort::atomic || (by.manner.sort == Sort::read && how.sort != Sort::read);
    if (has_value && (is_left || finding.is_benign)) finding.other->value = finding.act->value;
    if (earlier.extent != Stamp::Extent::lane)
        finding.notes.emplace_back(how.sort == Sort::read ? "other threads had read it, too"
                                                          : "other threads had changed it, too");
    return finding;
}

/// No race by the letter: volatile accesses are strong.
void RaceCheck::report_step(Stamp const& earlier, Record const& other, Doer const& by) {
    Alike const alike{Kind::race,
                      4u << 24,
                      launch_->plan.module,
                      by.manner.instruction.function,
                      by.manner.instruction.index,
                      manner(other).instruction.function,
                      manner(other).instruction.index};
    findings_.add(alike, [&] {
        Finding finding = describe(earlier, other, by);
        finding.what = "volatile read after volatile write in a warp";
        finding.message = finding.what + " of " + std::to_string(by.bytes) + " bytes at " + by.space + " " +
                          sim::hexadecimal(by.address) +
                          ", no __syncwarp() between them: volatile does not keep lanes of a warp in step";
        return finding;
    });
}

void RaceCheck::report(Stamp const& earlier, Record const& other, Doer const& by) {
    Manner const& how = manner(other);
    bool const is_same = is_same_value(earlier, other, by);
    Alike const alike{Kind::race,
                      static_cast<std::uint32_t>(how.engine) << 16 | static_cast<std::uint32_t>(how.sort) << 8 |
                          static_cast<std::uint32_t>(by.manner.sort) << 4 | static_cast<std::uint32_t>(is_same),
                      launch_->plan.module,
                      by.manner.instruction.function,
                      by.manner.instruction.index,
                      how.instruction.function,
                      how.instruction.index};
    bool const has_atomic_twin = !how.is_beside() && !by.manner.is_beside();
    bool const reads_atomic = how.sort == Sort::atomic && by.manner.sort == Sort::read;
    bool const is_unverified = reads_atomic || (how.sort == Sort::read && by.manner.sort == Sort::atomic);
    if (!is_unverified || !has_atomic_twin)
        return findings_.add(alike, [&] { return describe(earlier, other, by); });
    auto const [entry, is_new] = unverified_.try_emplace(alike);
    if (is_new) entry->second = {(reads_atomic ? by.manner : how).instruction, describe(earlier, other, by), 0};
    ++entry->second.count;
}

}  // namespace warpsim::check
