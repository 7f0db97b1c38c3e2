// tcgen05.cp and tcgen05.shift: from shared memory to tensor memory, and rows of tensor memory by one lane.
#include "sim/exec/effect_rule.hpp"
#include "sim/exec/tensor/matrix_work.hpp"
#include "sim/exec/tensor/tensor_memory_access.hpp"
#include "sim/exec/tensor/tensor_operands.hpp"
#include "sim/tensor_memory/packing.hpp"
#include "sim/tensor_memory/shapes.hpp"

#include "frontend/isa/operation.hpp"

#include <bit>
#include <cstring>
#include <memory>
#include <string>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using tensor_memory::CopyShape;
using tensor_memory::MemoryCell;
using tensor_memory::TensorMemory;

constexpr std::uint32_t columns_of_chunk = matrix::chunk_bytes / 4;
constexpr std::uint32_t columns_of_shift = 8;  // 32 bytes

struct TensorCopyPlan {
    CopyShape shape;
    int packed_bits = 0;  // of elements that become bytes; 0: they are copied as they are
    bool shifts = false, of_pair = false;
    Slot address = 0, descriptor = 0;
};

CopyShape copy_shape(ir::Form const& form) {
    if (form.has(Modifier::_128x256b)) return tensor_memory::copy_128x256b;
    if (form.has(Modifier::_128x128b)) return tensor_memory::copy_128x128b;
    if (form.has(Modifier::_4x256b)) return tensor_memory::copy_4x256b;
    if (form.has(Modifier::_32x128b)) return tensor_memory::copy_32x128b;
    return form.has(Modifier::warpx2_02_13) ? tensor_memory::copy_64x128b_02_13
                                            : tensor_memory::copy_64x128b_01_23;
}

void plan_tensor_copy_in(FunctionPlanner& p, Operands operands) {
    TensorCopyPlan c;
    c.of_pair = is_of_pair(p.form());
    c.shifts = p.form().operation == isa::Operation::tcgen05_shift;
    c.address = tensor_address(p, operands[0]);
    if (!c.shifts) {
        c.shape = copy_shape(p.form());
        c.packed_bits = p.form().has(Modifier::b6x16_p32) ? 6 : p.form().has(Modifier::b4x16_p64) ? 4 : 0;
        c.descriptor = p.source(operands[1], 3);
    }
    p.emit_effect_with(c);
}

// ---- work of the matrix unit -------------------------------------------------------------------------------------

class CopyIntoTensorMemory final : public MatrixWork {
public:
    CopyIntoTensorMemory(Issue const& by, Faults const& faults, TensorCopyPlan const& plan, std::uint32_t address,
                         tensor_memory::SharedMatrix const& from)
        : MatrixWork(by, faults, plan.of_pair), plan_(plan), address_(address), from_(from) {}

    Effort effort() const override {
        return {isa::Type::none, false, 0, std::uint64_t{plan_.shape.rows} * plan_.shape.chunks * 16, 0};
    }
    void perform(Execution const& execution, Cluster& cluster) const override {
        for (std::uint32_t which = 0; which < cta_count(); ++which) copy(execution, cta(cluster, which));
    }
    void carry_over(Cluster const&, Cta const& to, TensorShadow& shadow) const override {
        MemoryCell const at = tensor_memory::cell_at(address_);
        move(
            [&](std::uint32_t row, std::uint32_t chunk, std::uint32_t* words) {
                shadow.read_chunk(to, tensor_memory::chunk_address(from_, matrix::Major::k, row, chunk), words);
            },
            [&](std::uint32_t lane, std::uint32_t column, std::uint32_t bits) {
                shadow.write_cell(to, at.lane + lane, at.column + column, bits);
            });
    }

private:
    /// read(row, chunk, words) and write(lane, column, word), both from where the address is on.
    template <class Read, class Write> void move(Read const& read, Write const& write) const {
        CopyShape const& s = plan_.shape;
        for (std::uint32_t row = 0; row < s.rows; ++row) {
            for (std::uint32_t chunk = 0; chunk < s.chunks; ++chunk) {
                std::uint32_t words[columns_of_chunk];
                read(row, chunk, words);
                if (plan_.packed_bits != 0) tensor_memory::unpack(words, plan_.packed_bits);
                for (std::uint32_t copy = 0; copy < s.copies; ++copy) {
                    for (std::uint32_t w = 0; w < columns_of_chunk; ++w)
                        write(s.lane(row, copy), columns_of_chunk * chunk + w, words[w]);
                }
            }
        }
    }

    void copy(Execution const& execution, Cta& cta) const {
        CopyShape const& s = plan_.shape;
        TensorOperands const operands(execution, *this, cta);
        MemoryCell const at = tensor_memory::cell_at(address_);
        TensorMemory& memory = operands.columns("the copy's target", address_, columns_of_chunk * s.chunks,
                                                s.lane(s.rows - 1, s.copies - 1) + 1, true);
        move(
            [&](std::uint32_t row, std::uint32_t chunk, std::uint32_t* words) {
                operands.chunk("the copy's source", from_, matrix::Major::k, row, chunk, words);
            },
            [&](std::uint32_t lane, std::uint32_t column, std::uint32_t word) {
                memory.word(at.lane + lane, at.column + column) = word;
            });
        ++cta.changes;
    }

    TensorCopyPlan const& plan_;
    std::uint32_t address_;
    tensor_memory::SharedMatrix from_;
};

/// Lane i of a warp's quarter gets what lane i + 1 has, and the last one keeps what it has.
class ShiftOfLanes final : public MatrixWork {
public:
    ShiftOfLanes(Issue const& by, Faults const& faults, bool of_pair, std::uint32_t address)
        : MatrixWork(by, faults, of_pair), address_(address) {}

    Effort effort() const override {
        return {isa::Type::none, false, 0, std::uint64_t{tensor_memory::warp_lanes} * columns_of_shift * 4, 0};
    }
    void perform(Execution const& execution, Cluster& cluster) const override {
        MemoryCell const at = tensor_memory::cell_at(address_);
        for (std::uint32_t which = 0; which < cta_count(); ++which) {
            Cta& cta = this->cta(cluster, which);
            TensorMemory& memory =
                TensorOperands(execution, *this, cta)
                    .columns("the shifted matrix", address_, columns_of_shift, tensor_memory::warp_lanes, true);
            for (std::uint32_t column = at.column; column < at.column + columns_of_shift; ++column) {
                for (std::uint32_t lane = 0; lane + 1 < tensor_memory::warp_lanes; ++lane)
                    memory.word(at.lane + lane, column) = memory.word(at.lane + lane + 1, column);
            }
            ++cta.changes;
        }
    }
    void carry_over(Cluster const&, Cta const& to, TensorShadow& shadow) const override {
        MemoryCell const at = tensor_memory::cell_at(address_);
        for (std::uint32_t column = at.column; column < at.column + columns_of_shift; ++column) {
            for (std::uint32_t lane = at.lane; lane + 1 < at.lane + tensor_memory::warp_lanes; ++lane)
                shadow.write_cell(to, lane, column, shadow.read_cell(to, lane + 1, column));
        }
    }

private:
    std::uint32_t address_;
};

// ---- what is carried out -----------------------------------------------------------------------------------------

Flow copy_into_tensor_memory(WarpInstruction& i) {
    TensorCopyPlan const& plan = i.function.details_of<TensorCopyPlan>(i.op);
    Faults const& faults = i.parts.execution.faults;
    for (LaneMask m = i.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        Issue const by{i.cta, i.warp, i.op, lane};
        check_tensor_group(by, i.parts.execution, plan.of_pair);
        std::uint32_t const address = isa::column<std::uint32_t>(i.warp.bases, plan.address)[lane];
        if (plan.shifts) {
            if (tensor_memory::cell_at(address).lane % tensor_memory::warp_lanes != 0) {
                i.fault(lane, FaultKind::illegal_address,
                        "illegal address: tcgen05.shift at " + tensor_address_text(address) +
                            ", whose lane is not a multiple of 32");
            }
            i.parts.asynchronous.begin_work(by, std::make_shared<ShiftOfLanes>(by, faults, plan.of_pair, address));
            continue;
        }
        std::uint64_t const bits = isa::column<std::uint64_t>(i.warp.bases, plan.descriptor)[lane];
        std::string wrong;
        tensor_memory::SharedMatrix const from = tensor_memory::shared_matrix(bits, wrong);
        if (!wrong.empty())
            i.fault(lane, FaultKind::illegal_operand,
                    "illegal operand: the descriptor of the copy's source: " + wrong);
        i.parts.asynchronous.begin_work(by,
                                        std::make_shared<CopyIntoTensorMemory>(by, faults, plan, address, from));
    }
    return Flow::next;
}

// ---- tcgen05.commit ----------------------------------------------------------------------------------------------

struct TensorCommit {
    AddressOperand barrier;
    bool is_multicast = false, of_pair = false;
    Slot mask = 0;
};

void plan_tensor_commit(FunctionPlanner& p, Operands operands) {
    TensorCommit c;
    c.of_pair = is_of_pair(p.form());
    c.is_multicast = p.form().has(Modifier::multicast_cluster);
    c.barrier = p.place(operands[0], false);
    if (c.is_multicast) c.mask = p.source(operands[1], 1);
    p.emit_effect_with(c);
}

Flow commit_tensor_work(WarpInstruction& i) {
    TensorCommit const& c = i.function.details_of<TensorCommit>(i.op);
    for (LaneMask m = i.mask; m != 0; m &= m - 1) {
        Issue const by{i.cta, i.warp, i.op, std::countr_zero(m)};
        check_tensor_group(by, i.parts.execution, c.of_pair);
        AddressOperand place = c.barrier;
        // Of a generic address the hardware takes the lower half, which for shared memory is that of .shared::cluster: there
        // Triton before 3.5 gives the latter.
        if (place.is_generic && place.is_64 && i.parts.cluster_memory.address_at(by, place) <= UINT32_MAX)
            place.is_generic = false;
        Bytes const barrier = i.parts.cluster_memory.shared_bytes(by, place, 8, 8);
        if (!c.is_multicast) {
            i.parts.asynchronous.arrive_after_work(by, barrier, c.of_pair);
            continue;
        }
        std::uint32_t const mask = isa::column<std::uint16_t>(i.warp.bases, c.mask)[by.lane];
        auto const size = static_cast<std::uint32_t>(i.cta.cluster->ctas.size());
        if (mask >> size != 0) {
            i.fault(by.lane, FaultKind::illegal_operand,
                    "illegal operand: the mask " + std::to_string(mask) + " names blocks beyond the " +
                        std::to_string(size) + " of the cluster");
        }
        for (std::uint32_t rank = 0; rank < size; ++rank) {
            if ((mask >> rank & 1) != 0) i.parts.asynchronous.arrive_after_work(by, {rank, barrier.at}, c.of_pair);
        }
    }
    return Flow::next;
}

}  // namespace

EffectRules effects::tensor_memory_copy_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::tensor_memory_copy, plan_tensor_copy_in, copy_into_tensor_memory},
        {Effect::tensor_memory_commit, plan_tensor_commit, commit_tensor_work},
    };
    return rules;
}

}  // namespace warpsim::sim
