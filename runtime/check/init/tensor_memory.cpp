// Tensor memory: its cells are undefined from tcgen05.alloc on, and what tcgen05.st, cp, shift and mma write there is as defined
// as what they read.
#include "runtime/check/init/init_check.hpp"

#include "sim/exec/tensor/matrix_work.hpp"
#include "sim/exec/tensor/tensor_memory_access.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace warpsim::check {

using isa::Effect;
using sim::tensor_memory::MemoryCell;

/// tcgen05.alloc has written the address of the first column to shared memory.
void InitCheck::begin_tensor_columns(sim::Site const& site, std::uint64_t at) {
    std::uint32_t address = 0;
    std::memcpy(&address, site.cta.shared.get() + at, sizeof address);
    std::uint32_t const first = sim::tensor_memory::cell_at(address).column;
    std::uint32_t const count =
        std::min(site.cta.tensor_memory->smallest, sim::tensor_memory::columns - first);  // no later one is larger
    std::unique_ptr<TensorMemoryShadow>& shadow = cta(site.cta).tensor;
    if (!shadow) shadow = std::make_unique<TensorMemoryShadow>();
    shadow->undefine(first, count);
}

/// tcgen05.ld has been executed, or tcgen05.st.
void InitCheck::tensor_access(sim::TensorAccessEvent const& e) {
    TensorMemoryShadow* const shadow = cta(e.site.cta).tensor.get();
    if (shadow == nullptr) return;
    FrameShadow& f = frame(e.site);
    Step const& step = f.steps().steps[e.site.op.instruction];
    sim::tensor_memory::AccessShape const shape = sim::access_shape(form(e.site));
    bool const packs = sim::packs_columns(form(e.site)), is_load = e.site.op.effect == Effect::tensor_memory_load;
    std::uint32_t const split = e.cells.size() > 1 ? e.cells[1].column - e.cells[0].column : 0;
    auto const cell = [&](std::uint32_t thread, std::uint32_t reg) {
        MemoryCell at = cell_of(shape, thread, reg, 0);
        if (packs) at.column *= 2;
        if (shape == sim::tensor_memory::AccessShape::l16_32b_twice) at.column += thread / 16 * split;
        return MemoryCell{at.lane + e.cells[0].lane, at.column + e.cells[0].column};
    };
    if (!is_load) {
        for (std::uint32_t reg = 0; reg < step.sources.size(); ++reg) {
            std::uint32_t const from = step.sources[reg].reg;
            for (std::uint32_t thread = 0; thread < 32; ++thread) {
                auto const bits = static_cast<std::uint32_t>(from == ir::none ? 0 : f.bits(from, thread));
                OriginId const origin = bits == 0 ? 0 : f.origin(from, thread);
                auto const [lane, column] = cell(thread, reg);
                if (!packs) shadow->at(lane, column) = {bits, origin};
                for (std::uint32_t half = 0; half < 2 && packs; ++half) {
                    TensorMemoryShadow::Cell& of_half = shadow->at(lane, column + half);
                    of_half.bits = (of_half.bits & 0xffff0000u) | (bits >> (16 * half) & 0xffff);
                    if (origin != 0) of_half.origin = origin;
                }
            }
        }
        return;
    }
    bool const reduces = form(e.site).operation == isa::Operation::tcgen05_ld_red;
    std::size_t const count = step.targets.size() - (reduces ? 1 : 0);
    for (std::uint32_t thread = 0; thread < 32; ++thread) {
        OriginId any = 0;
        for (std::uint32_t reg = 0; reg < count; ++reg) {
            auto const [lane, column] = cell(thread, reg);
            TensorMemoryShadow::Cell read = shadow->at(lane, column);
            std::uint32_t undefined_column = column;
            if (packs) {
                TensorMemoryShadow::Cell const upper = shadow->at(lane, column + 1);
                if ((read.bits & 0xffff) == 0) {
                    read.origin = upper.origin;
                    ++undefined_column;
                }
                read.bits = (read.bits & 0xffff) | upper.bits << 16;
            }
            if (read.bits == 0) continue;
            any = read.origin != 0 ? read.origin : tensor_origin(reader_of(e.site, thread), undefined_column);
            if (is_strict_) note_read(e.site, LaneMask{1} << thread, thread, any);
            else if (step.targets[reg].reg != ir::none) f.set(step.targets[reg].reg, thread, read.bits, any);
        }
        if (reduces && any != 0 && !is_strict_ && step.targets[count].reg != ir::none)
            f.set(step.targets[count].reg, thread, UINT32_MAX, any);
    }
}

/// Undefined bits are told where they come from when they are written.
class InitCheck::MatrixShadow final : public sim::TensorShadow {
public:
    MatrixShadow(InitCheck& check, sim::MatrixWorkEvent const& e) : check_(check), e_(e) {}

    void read_chunk(sim::Cta const& cta, std::uint64_t at, std::uint32_t* words) override {
        FlatShadow const& shared = check_.cta(cta).shared;
        std::fill_n(words, chunk_bytes / 4, 0);
        if (at + chunk_bytes > shared.bytes.size()) return;
        ShadowByte const* const bytes = shared.bytes.data() + at;
        if (!has_undefined(bytes, chunk_bytes)) return;
        std::memcpy(words, bytes, chunk_bytes);
        auto const first = std::find_if(bytes, bytes + chunk_bytes, [](ShadowByte b) { return b != 0; });
        std::uint64_t const place = at + static_cast<std::uint64_t>(first - bytes);
        origin_ = shared.origin(place);
        unwritten_ = origin_ == 0 ? std::optional<Unwritten>({true, place}) : std::nullopt;
    }

    std::uint32_t read_cell(sim::Cta const& cta, std::uint32_t lane, std::uint32_t column) override {
        TensorMemoryShadow* const shadow = check_.cta(cta).tensor.get();
        if (shadow == nullptr || !TensorMemoryShadow::has(lane, column)) return 0;
        TensorMemoryShadow::Cell const cell = shadow->at(lane, column);
        if (cell.bits == 0) return 0;
        origin_ = cell.origin;
        unwritten_ = origin_ == 0 ? std::optional<Unwritten>({false, column}) : std::nullopt;
        return cell.bits;
    }

    void write_cell(sim::Cta const& cta, std::uint32_t lane, std::uint32_t column, std::uint32_t bits) override {
        TensorMemoryShadow* const shadow = check_.cta(cta).tensor.get();
        if (shadow == nullptr || !TensorMemoryShadow::has(lane, column)) return;
        shadow->at(lane, column) = {bits, bits == 0 ? 0 : origin()};
    }

private:
    static constexpr std::size_t chunk_bytes = 16;
    struct Unwritten {
        bool is_shared;
        std::uint64_t place;
    };

    OriginId origin() {
        if (!unwritten_) return origin_;
        Reader const by{e_.function, e_.instruction, e_.cta, e_.thread};
        origin_ = unwritten_->is_shared ? check_.shared_origin(by, unwritten_->place)
                                        : check_.tensor_origin(by, static_cast<std::uint32_t>(unwritten_->place));
        unwritten_.reset();
        return origin_;
    }

    InitCheck& check_;
    sim::MatrixWorkEvent const& e_;
    OriginId origin_ = 0;                 // of what was read last
    std::optional<Unwritten> unwritten_;  // ... which nobody has written
};

/// Of several events for one operation in a CTA, one tells of what it writes there.
void InitCheck::matrix_work(sim::MatrixWorkEvent const& e) {
    auto const is_written = [](sim::TensorCellRange const& range) { return range.are_written; };
    if (std::none_of(e.cells.begin(), e.cells.end(), is_written)) return;
    MatrixShadow shadow(*this, e);
    e.work.carry_over(*e.owner.cluster, e.owner, shadow);
}

}  // namespace warpsim::check
