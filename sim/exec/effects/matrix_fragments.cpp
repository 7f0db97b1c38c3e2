// wmma.load and wmma.store: the elements of a fragment, at addresses that follow from one and a stride. The instruction
// becomes an op that computes the addresses, and a load or store for each register, or for each element of a register
// whose elements are not neighbours in memory. Where nobody looks on, the first op moves the elements itself.
#include "sim/exec/effect_rule.hpp"
#include "sim/exec/matrix/fragment_accesses.hpp"
#include "sim/exec/matrix/fragment_moves.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::Operation;
using isa::Type;

// ---- the elements that share a register --------------------------------------------------------------------------

template <class T, std::size_t part>
void load_part(std::byte* column, Addresses const& a, std::uint64_t bias, std::uint32_t element) {
    for (LaneMask m = a.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        std::memcpy(column + 4 * static_cast<std::size_t>(lane) + sizeof(T) * part,
                    reinterpret_cast<std::byte const*>(a.of(lane) + bias + element), sizeof(T));
    }
}
template <class T, std::size_t part>
void store_part(std::byte* column, Addresses const& a, std::uint64_t bias, std::uint32_t element) {
    for (LaneMask m = a.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        std::memcpy(reinterpret_cast<std::byte*>(a.of(lane) + bias + element),
                    column + 4 * static_cast<std::size_t>(lane) + sizeof(T) * part, sizeof(T));
    }
}
constexpr Move load_byte_part[] = {load_part<std::uint8_t, 0>, load_part<std::uint8_t, 1>,
                                   load_part<std::uint8_t, 2>, load_part<std::uint8_t, 3>};
constexpr Move load_half_part[] = {load_part<std::uint16_t, 0>, load_part<std::uint16_t, 1>};
constexpr Move store_half_part[] = {store_part<std::uint16_t, 0>, store_part<std::uint16_t, 1>};

// ---- plans -------------------------------------------------------------------------------------------------------

/// Plans the accesses of a fragment; the address comes first, the registers then.
class FragmentPlanner {
public:
    FragmentPlanner(FunctionPlanner& p, OpKind kind, ir::Operand const& address, ir::Operand const* stride,
                    Operands registers)
        : p_(p),
          kind_(kind),
          accesses_(fragment_accesses(p.form(), registers.size())),
          layout_(accesses_.layout),
          is_column_(p.form().has(Modifier::col)),
          registers_(registers),
          access_(p.access_to(address, kind == OpKind::load)) {
        addresses_.address = access_.address;
        addresses_.address_is_64 = access_.address_is_64;
        addresses_.is_at_one_place = access_.is_at_one_place;
        addresses_.offset = access_.offset;
        addresses_.has_stride = stride != nullptr;
        if (stride != nullptr) addresses_.stride = p.source(*stride, 2);
        addresses_.default_stride = static_cast<std::uint64_t>(is_column_ ? layout_.rows : layout_.columns);
        addresses_.element_bits = static_cast<std::uint64_t>(layout_.element_bits);
        // What CUDA asks for: 16 bytes, or the size of a fragment that is smaller.
        std::size_t const bytes = registers.size() * static_cast<std::size_t>(layout_.register_bits) / 8;
        addresses_.alignment = std::min<std::size_t>(bytes, 16);
        access_.is_at_one_place = false;
        access_.address_is_64 = true;
        access_.is_signed = false;
        access_.offset = 0;
        access_.elements = 1;
    }

    void plan() {
        int const in_register = layout_.register_bits / layout_.element_bits;
        auto const count = static_cast<int>(accesses_.parts);
        // Fragments of f16 may have more registers than elements: the others repeat these.
        for (std::size_t r = 0; r < registers_.size(); ++r) {
            int const first = static_cast<int>(r) * in_register % layout_.elements;
            for (int part = 0; part < count; ++part) add_part(first + part);
        }
        int const log2 = layout_.register_bits == 64 ? 3 : 2;
        add_registers(log2, static_cast<std::size_t>(count));
        std::vector<Slot> lanes, data;
        for (FragmentAddresses::Part const& part : addresses_.parts) lanes.push_back(part.lanes);
        for (FragmentAddresses::Register const& r : addresses_.registers) data.push_back(r.data);
        p_.emit_effect_with(std::move(addresses_));
        std::size_t next = 0;
        for (Slot const slot : data) {
            for (int part = 0; part < count; ++part, ++next)
                emit(lanes[next], slot, log2, count, part, accesses_.joins[next]);
        }
    }

private:
    void add_part(int element) {
        FragmentAddresses::Part part;
        part.lanes = p_.temporary(3);
        for (int lane = 0; lane < 32; ++lane) {
            auto const [row, column] = layout_.cell(lane, element);
            part.line[static_cast<std::size_t>(lane)] = static_cast<std::uint8_t>(is_column_ ? column : row);
            part.place[static_cast<std::size_t>(lane)] = static_cast<std::uint8_t>(is_column_ ? row : column);
        }
        addresses_.parts.push_back(part);
    }

    void add_registers(int log2, std::size_t parts) {
        FragmentAddresses& f = addresses_;
        f.space = access_.space;
        f.is_store = kind_ == OpKind::store;
        f.register_bytes = std::size_t{1} << log2;
        f.parts_of_register = parts;
        f.part_bytes = f.register_bytes / parts;
        for (std::size_t r = 0; r < registers_.size(); ++r) {
            ir::Operand const& operand = registers_[r];
            Slot const data = f.is_store ? p_.source(operand, log2) : p_.destination(operand, log2);
            std::span const own(&f.parts[r * parts], parts);
            f.registers.push_back({data, lying_of(own, f.part_bytes, f.element_bits)});
        }
        for (FragmentAddresses::Part const& part : f.parts) {
            for (std::uint64_t const line : part.line) f.last_line = std::max(f.last_line, line);
            for (std::uint64_t const place : part.place) f.last_place = std::max(f.last_place, place);
        }
    }

    /// An access to a register, or to one of the elements that share it.
    void emit(Slot lanes, Slot data, int log2, int parts, int part, Joins joins) {
        Access access = access_;
        access.joins = joins;
        access.address = lanes;
        access.data[0] = data;
        access.column_log2[0] = static_cast<std::uint8_t>(log2);
        access.memory_log2 = static_cast<std::uint8_t>(parts == 1 ? log2 : parts == 2 ? 1 : 0);
        access.bytes = 1u << access.memory_log2;
        access.register_byte = static_cast<std::uint8_t>(static_cast<std::uint32_t>(part) * access.bytes);
        auto const which = static_cast<std::size_t>(part), width = static_cast<std::size_t>(log2);
        if (kind_ == OpKind::load) {
            access.move[0] = parts == 1   ? p_.access().load[width][0][width]
                             : parts == 2 ? load_half_part[which]
                                          : load_byte_part[which];
        } else {
            access.move[0] = parts == 1 ? p_.access().store[width][width] : store_half_part[which];
        }
        Op& op = p_.emit(kind_);
        op.target = static_cast<std::uint32_t>(p_.plan().accesses.size());
        p_.plan().accesses.push_back(access);
    }

    FunctionPlanner& p_;
    OpKind kind_;
    FragmentAccesses accesses_;
    matrix::Layout const& layout_;
    bool is_column_;
    Operands registers_;
    Access access_;
    FragmentAddresses addresses_;
};

std::size_t registers_in(Operands& operands) {
    if (operands[0].kind != ir::Operand::Kind::vector) return 1;
    std::size_t const count = operands[0].count;
    operands = operands.subspan(1);
    return count;
}

void plan_fragment_load(FunctionPlanner& p, Operands operands) {
    std::size_t const count = registers_in(operands);
    ir::Operand const* const stride = operands.size() > count + 1 ? &operands[count + 1] : nullptr;
    FragmentPlanner(p, OpKind::load, operands[count], stride, operands.first(count)).plan();
}

void plan_fragment_store(FunctionPlanner& p, Operands operands) {
    ir::Operand const& address = operands[0];
    operands = operands.subspan(1);
    std::size_t const count = registers_in(operands);
    ir::Operand const* const stride = operands.size() > count ? &operands[count] : nullptr;
    FragmentPlanner(p, OpKind::store, address, stride, operands.first(count)).plan();
}

// ---- what is carried out -----------------------------------------------------------------------------------------

std::uint64_t base_address(WarpInstruction const& i, FragmentAddresses const& f, std::size_t lane) {
    auto const offset = static_cast<std::uint64_t>(f.offset);
    if (f.is_at_one_place) return *isa::column<std::uint64_t>(i.warp.bases, f.address) + offset;
    if (f.address_is_64) return isa::column<std::uint64_t>(i.warp.bases, f.address)[lane] + offset;
    return isa::column<std::uint32_t>(i.warp.bases, f.address)[lane] + static_cast<std::uint32_t>(offset);
}

void check_matrix_alignment(WarpInstruction const& i, FragmentAddresses const& f, std::uint64_t base,
                            std::uint64_t stride) {
    bool const is_aligned = base % f.alignment == 0;
    if (is_aligned && stride * f.element_bits % (8 * f.alignment) == 0) return;
    char text[160];
    std::snprintf(text, sizeof text,
                  "misaligned address: a matrix at 0x%llx with a stride of %llu elements; the %s",
                  static_cast<unsigned long long>(base), static_cast<unsigned long long>(stride),
                  is_aligned ? "stride" : "address");
    i.fault(0, FaultKind::misaligned_address,
            std::string(text) + " is not a multiple of " + std::to_string(f.alignment) + " bytes");
}

Flow find_fragment_addresses(WarpInstruction& i) {
    i.check_whole_warp();
    FragmentAddresses const& f = i.function.details_of<FragmentAddresses>(i.op);
    std::uint64_t const base = base_address(i, f, 0);
    auto const* const strides = f.has_stride ? isa::column<std::uint32_t>(i.warp.bases, f.stride) : nullptr;
    std::uint64_t const stride = strides != nullptr ? strides[0] : f.default_stride;
    for (std::size_t lane = 1; lane < 32; ++lane) {
        if (base_address(i, f, lane) == base && (strides == nullptr || strides[lane] == stride)) continue;
        i.fault(static_cast<int>(lane), FaultKind::broken_promise,
                "a matrix whose address or stride is not the same in all threads of the warp");
    }
    check_matrix_alignment(i, f, base, stride);
    if (move_fragment(i, f, base, stride)) {
        i.skip(static_cast<std::uint32_t>(f.parts.size()));
        return Flow::next;
    }
    for (FragmentAddresses::Part const& part : f.parts) {
        auto* const column = isa::column<std::uint64_t>(i.warp.bases, part.lanes);
        for (std::size_t lane = 0; lane < 32; ++lane)
            column[lane] = base + (part.line[lane] * stride + part.place[lane]) * f.element_bits / 8;
    }
    return Flow::next;
}

}  // namespace

EffectRules effects::matrix_fragments_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::fragment_load, plan_fragment_load, find_fragment_addresses},
        {Effect::fragment_store, plan_fragment_store, find_fragment_addresses},
    };
    return rules;
}

}  // namespace warpsim::sim
