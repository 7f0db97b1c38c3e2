// Matrix units, which work beside the threads, and tensor memory.
#include "runtime/check/race/race_check.hpp"

#include "runtime/check/race/tensor_wait.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"

#include <bit>

namespace warpsim::check {

using isa::Effect;
using isa::LaneMask;
using Of = sim::CopyGroupEvent::Of;

namespace {

constexpr std::uint32_t tensor_columns = 512, tensor_quarter = 32;  // columns, and the lanes that a warp reaches

}  // namespace

/// wgmma: chunks that the four warps of a group read together. The warps need not agree on which one waits.
void RaceCheck::read_for_product(sim::AccessEvent const& e, Doer& by) {
    Groups& groups = groups_of(by.cta.number, e.site.warp.index, Of::products);
    by.manner.engine = Engine::products;
    by.manner.proxy = Proxy::async;
    by.record.time = Record::pending;
    by.beside.agent = products_of(by.cta.number, e.site.warp.index / warps_of_group);
    by.beside.issued = groups.committed(0) + 1;
    by.beside.begun = isa::all_lanes;
    by.event = nullptr;
    find_record(by, &e.site.op);
    groups.begin(by.id, isa::all_lanes, true);
    for (LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
        by.address = e.addresses.of(std::countr_zero(m));
        by.bytes = e.addresses.bytes;
        for (Cell& cell : cells(&e.site.cta, by.address, by.bytes)) read(cell, by);
    }
}

void RaceCheck::matrix_work(sim::MatrixWorkEvent const& e) {
    std::uint64_t const number = number_of(e.cta);
    Thread const thread{number, e.thread};
    auto const begin = [&](Sort sort, char const* space) {
        Doer by = doer(order_.cta(number), {e.function, e.instruction}, thread.warp(), sort);
        by.lane = thread.lane();
        by.space = space;
        by.manner.engine = Engine::work;
        by.manner.proxy = Proxy::async;
        by.record.time = Record::pending;
        by.beside.agent = work_of(thread);
        return by;
    };
    Doer by = begin(Sort::read, "shared");
    if (!e.chunks.empty()) make_record(by);
    by.bytes = 16;
    for (std::uint64_t const chunk : e.chunks) {
        by.address = chunk;
        for (Cell& cell : cells(&e.owner, chunk, by.bytes)) read(cell, by);
    }
    for (sim::TensorCellRange const& range : e.cells) {
        Doer of_cells = begin(range.are_written ? Sort::write : Sort::read, "tensor memory");
        of_cells.manner.proxy = Proxy::generic;  // there is only one way
        make_record(of_cells);
        touch_cells({&range, 1}, e.owner.linear, of_cells);
    }
}

void RaceCheck::tensor_access(sim::TensorAccessEvent const& e) {
    bool const is_store = e.site.op.effect == Effect::tensor_memory_store;
    Doer by = doer(e.site, is_store ? Sort::write : Sort::read);
    by.space = "tensor memory";
    find_record(by, &e.site.op);
    touch_cells(e.cells, by.cta.number, by);
    if (!is_store) check_wait(e.site, by);
}

/// The registers of a load are written later, too; what uses them is known without looking at what is executed.
void RaceCheck::check_wait(sim::Site const& site, Doer const& by) {
    auto const [entry, is_new] = looked_at_.try_emplace(&site.op);
    ir::Module const& module = *launch_->plan.module;
    Instruction const load = by.manner.instruction;
    if (is_new) {
        auto const use = use_before_wait(module, *site.frame.function->function, load.index);
        if (use) entry->second = Instruction{load.function, *use};
    }
    if (!entry->second) return;
    Instruction const use = *entry->second;
    findings_.add({Kind::race, 3u << 24, &module, use.function, use.index, load.function, load.index}, [&] {
        Finding finding;
        finding.kind = Kind::race;
        finding.kernel = launch_->plan.functions.front().function->name;
        finding.what = "use of registers that are still loaded";
        finding.message = finding.what + ": no tcgen05.wait::ld between tcgen05.ld and this";
        auto const act = [&](char const* verb, Instruction which) {
            return act_of(verb, module, which, place_in(launch_->grid, by.record.cta),
                          32 * static_cast<std::uint32_t>(by.record.warp), launch_->block);
        };
        finding.act = act("used them", use);
        finding.other = act("had begun to load them", load);
        return finding;
    });
}

/// A cell of the shadow stands for a column of the lanes that one warp reaches.
void RaceCheck::touch_cells(std::span<sim::TensorCellRange const> ranges, std::uint64_t cta, Doer& by) {
    std::vector<Cell>& all = tensor_cells_[cta];
    all.resize(std::size_t{4} * tensor_columns);
    for (sim::TensorCellRange const& range : ranges) {
        for (std::uint32_t lane = range.lane / tensor_quarter; lane * tensor_quarter < range.lane + range.lanes;
             ++lane) {
            for (std::uint32_t column = range.column; column < range.column + range.columns; ++column) {
                by.address = std::uint64_t{lane} * tensor_quarter << 16 | column;
                by.bytes = 4;
                Cell& cell = all[std::size_t{lane} * tensor_columns + column % tensor_columns];
                if (by.manner.sort == Sort::read) read(cell, by);
                else write(cell, by);
            }
        }
    }
}

}  // namespace warpsim::check
