#include "sim/timing/plan/merged_accesses.hpp"

#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/alignment.hpp"
#include "sim/timing/plan/dependences.hpp"
#include "sim/timing/plan/operations.hpp"
#include "sim/timing/plan/schedule.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace warpsim::timing {

namespace {

using isa::Effect;
using isa::StateSpace;
using Kind = ir::Operand::Kind;
using Base = ir::Operand::AddressBase;

struct Access {
    std::uint32_t instruction = 0;
    std::int64_t offset = 0;
};

/// Accesses with equal keys touch the same array at constant distances, with nothing between them that could
/// touch it, too.
struct Key {
    bool is_store = false;
    std::uint32_t width = 0;  // bytes
    Base kind = Base::immediate;
    std::uint32_t base = 0;     // register or variable
    std::uint32_t version = 0;  // of the register's value
    std::uint32_t epoch = 0;
    bool is_constant = false;
    std::uint32_t guard = ir::none, guard_version = 0;
    bool guard_negated = false;

    auto operator<=>(Key const&) const = default;  // NOLINT(modernize-use-nullptr): the check misreads it
};

struct Group {
    std::vector<std::uint32_t> members;  // ascending
    std::uint8_t bytes = 0;
    bool is_store = false;

    /// Loads come as early as the first of them, stores as late as the last. The last one is issued for all, so that they
    /// are executed, and may fault, in the order of the program.
    std::uint32_t place() const { return is_store ? members.back() : members.front(); }
};

class Merger {
public:
    explicit Merger(MachineFunction const& m) : m_(m), alignment_(find_alignment(m)) {}

    std::vector<Group> run() {
        for (ir::Block const& block : m_.function->blocks) {
            for (std::uint32_t i = block.first; i <= block.last; ++i) {
                if (!is_scheduling_barrier(m_, i) && !orders_accesses(m_, i)) look_at(i);
                else finish(ir::effect(*m_.module, m_.ir(i)) != Effect::barrier);
            }
            finish(true);
            version_.clear();
        }
        return std::move(groups_);
    }

private:
    void look_at(std::uint32_t i) {
        Effect const effect = ir::effect(*m_.module, m_.ir(i));
        if (m_.instructions[i].fate == Fate::issued && (effect == Effect::load || effect == Effect::store))
            access(i, effect == Effect::store);
        for (std::uint32_t const reg : m_.writes[i]) ++version_[reg];
    }

    void access(std::uint32_t i, bool is_store) {
        ir::Form const& form = m_.form(i);
        if (form.space == StateSpace::constant) {
            // Nothing writes constants: their loads move past everything.
            if (auto const key = constant_key(i)) lists_[*key].push_back({i, address(i).value});
            return;
        }
        bool const may_be_shared = form.space == StateSpace::shared || form.space == StateSpace::shared_cluster ||
                                   form.space == StateSpace::generic;
        if (!may_be_shared) return;
        auto const key = key_of(i, is_store);
        // A load moves up past nothing that could write what it reads, a store down past nothing that could touch it.
        if (is_store) ++load_epoch_;
        if (!key || !is_store || *key != last_store_) ++store_epoch_;
        if (!key) return;
        Key full = *key;
        full.epoch = is_store ? store_epoch_ : load_epoch_;
        if (is_store) last_store_ = *key;
        lists_[full].push_back({i, address(i).value});
    }

    ir::Operand const& address(std::uint32_t i) const {
        auto const o = m_.operands(i);
        return *std::find_if(o.begin(), o.end(), [](ir::Operand const& x) { return x.kind == Kind::address; });
    }

    std::optional<Key> key_of(std::uint32_t i, bool is_store) const {
        ir::Form const& form = m_.form(i);
        ir::Operand const& a = address(i);
        auto const width = static_cast<std::uint32_t>(isa::width(form.types[0]) / 8);
        bool const is_plain = form.space == StateSpace::shared && form.vector == 1 && m_.ir(i).guard == ir::none &&
                              (width == 2 || width == 4 || width == 8) && a.base != Base::immediate;
        if (!is_plain) return std::nullopt;
        Key key;
        key.is_store = is_store;
        key.width = width;
        key.kind = a.base;
        key.base = a.index;
        if (a.base == Base::reg) key.version = version(a.index);
        return key;
    }

    /// Words at an index, also those under one guard. At known places they are operands, and load nothing.
    std::optional<Key> constant_key(std::uint32_t i) const {
        ir::Form const& form = m_.form(i);
        ir::Operand const& a = address(i);
        if (form.vector != 1 || isa::width(form.types[0]) != 32 || a.base != Base::reg) return std::nullopt;
        Key key;
        key.is_constant = true;
        key.width = 4;
        key.kind = a.base;
        key.base = a.index;
        key.version = version(a.index);
        key.guard = m_.ir(i).guard;
        key.guard_negated = m_.ir(i).guard_negated;
        if (key.guard != ir::none) key.guard_version = version(key.guard);
        return key;
    }

    std::uint32_t version(std::uint32_t reg) const {
        auto const found = version_.find(reg);
        return found == version_.end() ? 0 : found->second;
    }

    /// Merges what has been found since the last scheduling barrier. Loads of constants move past those of a CTA.
    void finish(bool with_constants) {
        for (auto& [key, list] : lists_) {
            if (list.size() < 2 || (key.is_constant && !with_constants)) continue;
            std::stable_sort(list.begin(), list.end(),
                             [](Access const& a, Access const& b) { return a.offset < b.offset; });
            // Of several at one place only the first is merged.
            list.erase(std::unique(list.begin(), list.end(),
                                   [](Access const& a, Access const& b) { return a.offset == b.offset; }),
                       list.end());
            std::int64_t const known = std::int64_t{1} << known_bits(key);
            // A load of constants brings at most 8 bytes.
            if (known >= 16 && !key.is_constant) windows(key, list, 16);
            if (known >= 8) windows(key, list, 8);
            if (known >= 4 && key.width == 2) windows(key, list, 4);
        }
        std::erase_if(lists_, [&](auto const& entry) { return with_constants || !entry.first.is_constant; });
        load_epoch_ = store_epoch_ = 0;
        last_store_.reset();
    }

    std::uint8_t known_bits(Key const& key) const {
        return key.kind == Base::reg ? alignment_[key.base] : most_known_bits;
    }

    /// Takes those out of the list that fill an aligned window. Of words, three neighbours may be loaded as four.
    void windows(Key const& key, std::vector<Access>& list, std::int64_t bytes) {
        std::int64_t const slots = bytes / key.width;
        if (slots < 2 || slots > 4) return;
        std::vector<Access> left;
        for (std::size_t i = 0; i < list.size();) {
            std::int64_t const window = list[i].offset & -bytes;
            std::size_t end = i;
            bool is_tight = true;
            for (; end < list.size() && list[end].offset < window + bytes; ++end) {
                bool const is_slot = list[end].offset % key.width == 0;
                bool const follows = end == i || list[end].offset == list[end - 1].offset + key.width;
                is_tight = is_tight && is_slot && follows;
            }
            auto const count = static_cast<std::int64_t>(end - i);
            bool const fills = count == slots || (count == 3 && slots == 4 && !key.is_store);
            if (is_tight && fills &&
                add({list.begin() + static_cast<std::ptrdiff_t>(i),
                     list.begin() + static_cast<std::ptrdiff_t>(end)},
                    key.is_store, static_cast<std::uint8_t>(bytes))) {
                i = end;
                continue;
            }
            for (; i < end; ++i) left.push_back(list[i]);
        }
        list = std::move(left);
    }

    bool add(std::vector<Access> const& accesses, bool is_store, std::uint8_t bytes) {
        Group group;
        group.bytes = bytes;
        group.is_store = is_store;
        for (Access const& a : accesses) group.members.push_back(a.instruction);
        std::sort(group.members.begin(), group.members.end());
        for (std::uint32_t const member : group.members)
            if (!may_move(member, group.place(), is_store)) return false;
        groups_.push_back(std::move(group));
        return true;
    }

    /// No instruction between uses the register that a load writes, or changes the one that a store reads.
    bool may_move(std::uint32_t member, std::uint32_t place, bool is_store) const {
        auto const& own = is_store ? m_.reads[member] : m_.writes[member];
        auto const mentions = [&](std::span<std::uint32_t const> list) {
            return std::any_of(list.begin(), list.end(), [&](std::uint32_t reg) {
                return std::find(own.begin(), own.end(), reg) != own.end();
            });
        };
        for (std::uint32_t i = std::min(member, place); i <= std::max(member, place); ++i) {
            if (i == member) continue;
            if (mentions(m_.writes[i]) || (!is_store && mentions(m_.reads[i]))) return false;
        }
        return true;
    }

    MachineFunction const& m_;
    std::vector<std::uint8_t> const alignment_;
    std::map<std::uint32_t, std::uint32_t> version_;
    std::map<Key, std::vector<Access>> lists_;
    std::uint32_t load_epoch_ = 0, store_epoch_ = 0;
    std::optional<Key> last_store_;
    std::vector<Group> groups_;
};

/// What the hardware reads and writes for all of them, it does with the last.
void give_to_last(MachineFunction& m) {
    auto const give = [&](Lists& lists) {
        Lists result;
        std::vector<std::uint32_t> taken;
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
            auto const own = lists[i];
            if (m.instructions[i].is_merged) {
                taken.insert(taken.end(), own.begin(), own.end());
                result.end_list();
                continue;
            }
            taken.insert(taken.end(), own.begin(), own.end());
            for (auto reg = taken.begin(); reg != taken.end(); ++reg)
                if (std::find(taken.begin(), reg, *reg) == reg) result.items.push_back(*reg);
            result.end_list();
            taken.clear();
        }
        lists = std::move(result);
    };
    give(m.machine_reads);
    give(m.machine_writes);
}

}  // namespace

std::vector<std::uint32_t> merge_accesses(MachineFunction& m, ir::Function& function) {
    std::vector<Group> const groups = Merger(m).run();
    std::vector<std::uint32_t> order(m.instructions.size());
    if (groups.empty()) {
        std::iota(order.begin(), order.end(), 0u);
        return order;
    }
    std::map<std::uint32_t, Group const*> at;
    for (Group const& group : groups) {
        at[group.place()] = &group;
        for (std::uint32_t const member : group.members) {
            m.instructions[member].is_merged = true;
            m.instructions[member].fate = Fate::folded;
        }
        MachineInstruction& last = m.instructions[group.members.back()];
        last.is_merged = false;
        last.fate = Fate::issued;
        last.merged_bytes = group.bytes;
    }
    order.clear();
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        if (auto const group = at.find(i); group != at.end())
            order.insert(order.end(), group->second->members.begin(), group->second->members.end());
        else if (!m.instructions[i].is_merged && m.instructions[i].merged_bytes == 0) order.push_back(i);
    }
    reorder(m, function, order);
    give_to_last(m);
    return order;
}

}  // namespace warpsim::timing
