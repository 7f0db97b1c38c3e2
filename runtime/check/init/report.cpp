// Findings in words: what a value was used for, and where it comes from.
#include "runtime/check/init/init_check.hpp"

#include "sim/demangled.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpsim::check {

namespace {

struct UseWords {
    char const* what;
    char const* verb;
};
UseWords words_of(Use use) {
    switch (use) {
        case Use::branch: return {"uninitialised value decides a branch", "branches"};
        case Use::guard:
            return {"uninitialised value decides whether an instruction executes", "executes it or not"};
        case Use::address: return {"uninitialised value is an address", "uses it as an address"};
        case Use::operand: return {"uninitialised value controls an operation", "gives it to the operation"};
        case Use::size: return {"uninitialised value is a size", "asks for so much"};
        case Use::host: return {"uninitialised value reaches the host", ""};
        case Use::printed: return {"uninitialised value is printed", "prints it"};
        case Use::read: return {"read of uninitialised memory", "reads"};
    }
    return {"", ""};
}

}  // namespace

OriginId InitCheck::origin_read_by(Reader const& by, OriginKey key, Origin origin) {
    key.function = by.function;
    key.instruction = by.instruction;
    return origins_.of(key, [&] {
        origin.reader = {by.function, by.instruction};
        origin.read =
            act_of("had read it", *launch_->plan.module, origin.reader, by.cta, by.thread, launch_->block);
        return std::move(origin);
    });
}

OriginId InitCheck::shared_origin(Reader const& by, std::uint64_t address) {
    auto const& all = launch_->plan.shared_variables;
    auto const in = std::find_if(all.begin(), all.end(), [&](sim::SharedVariable const& v) {
        return address >= v.begin && address < v.end;
    });
    OriginKey key;
    key.sort = OriginKey::Sort::shared;
    key.number = static_cast<std::uint64_t>(in - all.begin());
    Origin origin;
    origin.space = "shared";
    origin.what = "dynamic shared memory";
    if (in != all.end()) {
        ir::Module const& module = *launch_->plan.module;
        std::string const& name =
            (in->function == ir::none ? module.variables : module.functions[in->function].variables)[in->variable]
                .name;
        origin.what = "shared variable " + sim::abbreviated(sim::demangled(name)) + " of " +
                      std::to_string(in->end - in->begin) + " bytes";
    }
    origin.address = address;
    return origin_read_by(by, key, std::move(origin));
}

OriginId InitCheck::tensor_origin(Reader const& by, std::uint32_t column) {
    OriginKey key;
    key.sort = OriginKey::Sort::tensor;
    key.number = column / sim::tensor_memory::unit_columns;
    Origin origin;
    origin.space = "tensor";
    origin.what =
        "column " + std::to_string(column) + " of tensor memory, where nothing was written after tcgen05.alloc";
    return origin_read_by(by, key, std::move(origin));
}

/// Where a value in memory comes from that nobody has written there.
OriginId InitCheck::new_origin(sim::SpaceKind space, sim::Site const& site, unsigned lane, std::uint64_t address) {
    using Sort = OriginKey::Sort;
    if (space == sim::SpaceKind::shared) return shared_origin(reader_of(site, lane), address);
    sim::FunctionPlan const& plan = *site.frame.function;
    OriginKey key;
    Origin origin;
    switch (space) {
        case sim::SpaceKind::local: {
            key.sort = Sort::local;
            origin.space = "local";
            origin.what = "local memory of " + sim::abbreviated(sim::demangled(plan.function->name));
            std::uint64_t const offset = address - site.frame.local_base;
            for (ir::Variable const& v : plan.function->variables) {
                if (v.space != ir::StateSpace::local || offset < v.offset || offset >= v.offset + v.size) continue;
                key.number = v.offset + 1;
                origin.what = "local variable " + v.name + " of " + std::to_string(v.size) + " bytes in " +
                              sim::abbreviated(sim::demangled(plan.function->name));
            }
            origin.address = address;
            break;
        }
        case sim::SpaceKind::frame_param:
            key.sort = Sort::parameter;
            origin.space = "param";
            origin.what = "a parameter of a call, of which not all was written";
            break;
        default:
            if (GlobalShadow::Region const* const region = global_.find(address)) {
                key.number = region->number;
                origin.what = region_text(*region);
                origin.allocation = Finding::Allocation{region->begin, region->end - region->begin};
            }
            origin.space = "global";
            origin.address = address;
            break;
    }
    return origin_read_by(reader_of(site, lane), key, std::move(origin));
}

Finding InitCheck::describe(Use use, sim::Site const& site, unsigned lane, Origin const& origin) const {
    UseWords const words = words_of(use);
    Finding finding;
    finding.kernel = launch_->plan.functions.front().function->name;
    finding.what = words.what;
    finding.message = words.what;
    finding.space = origin.space;
    finding.address = origin.address;
    finding.allocation = origin.allocation;
    finding.act = act_of(words.verb, *launch_->plan.module, {site.frame.function->index, site.op.instruction},
                         site.cta.id, 32 * site.warp.index + lane, launch_->block);
    if (origin.read && use != Use::read) finding.other = origin.read;
    if (origin.what.empty()) return finding;
    finding.message += ": it comes from " + origin.what;
    if (origin.address && !origin.allocation)
        finding.message += ", at " + origin.space + " " + sim::hexadecimal(*origin.address);
    if (origin.allocation)
        finding.message +=
            ", " + std::to_string(*origin.address - origin.allocation->address) + " bytes from its beginning";
    return finding;
}

void InitCheck::report(Use use, sim::Site const& site, LaneMask lanes, unsigned lane, OriginId from) {
    Origin const& origin = origins_[from];
    Alike const alike{
        Kind::init,          static_cast<std::uint32_t>(use), launch_->plan.module, site.frame.function->index,
        site.op.instruction, origin.reader.function,          origin.reader.index};
    findings_.add(
        alike, [&] { return describe(use, site, lane, origin); },
        static_cast<std::uint64_t>(std::popcount(lanes)));
}

void InitCheck::note_read(sim::Site const& site, LaneMask lanes, unsigned lane, OriginId origin) {
    report(Use::read, site, lanes, lane, origin);
}

}  // namespace warpsim::check
