#include "runtime/lane_values.hpp"

#include "frontend/ir/registers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

namespace warpsim::runtime {

namespace {

using isa::Type;

template <class T> std::string shortest(T value) {
    std::array<char, 40> text;
    auto const end = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end.ptr};
}

std::string hexadecimal(std::array<std::uint64_t, 2> const& bits) {
    char text[40];
    if (bits[1] != 0) {
        std::snprintf(text, sizeof text, "0x%llx%016llx", static_cast<unsigned long long>(bits[1]),
                      static_cast<unsigned long long>(bits[0]));
    } else {
        std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(bits[0]));
    }
    return text;
}

std::string text_of(Type type, std::array<std::uint64_t, 2> const& bits) {
    if (type == Type::f32) return shortest(std::bit_cast<float>(static_cast<std::uint32_t>(bits[0])));
    if (type == Type::f64) return shortest(std::bit_cast<double>(bits[0]));
    int const width = isa::width(type);
    if (isa::is_float(type) || width > 64) return hexadecimal(bits);
    // Large numbers of 64 bits are addresses.
    bool const is_number = isa::name(type).front() == 'u' && bits[0] >> 32 == 0;
    if (!isa::is_signed(type)) return is_number ? shortest(bits[0]) : hexadecimal(bits);
    unsigned const shift = 64 - static_cast<unsigned>(width);
    return shortest(static_cast<std::int64_t>(bits[0] << shift) >> shift);
}

/// Bytes of a column's element: registers of 8 bits take 16.
std::size_t element_bytes(Type type) {
    return std::max<std::size_t>(static_cast<std::size_t>(isa::width(type)) / 8, 2);
}

/// Bits without a type of their own are what the instruction takes them for.
Type type_in(ir::Function const& function, ir::Instruction const& instruction, std::uint32_t which) {
    Type const own = function.registers[which].type;
    if (isa::name(own).front() != 'b') return own;
    for (ir::Operand const& operand : function.operands_of(instruction)) {
        bool const is_it = operand.kind == ir::Operand::Kind::reg && operand.index == which;
        if (is_it && operand.type != Type::none && isa::width(operand.type) == isa::width(own))
            return operand.type;
    }
    return own;
}

}  // namespace

std::vector<std::string> lane_texts(sim::Warp const& warp, sim::Frame const& frame, UsedRegister const& used,
                                    isa::LaneMask lanes) {
    Type const type = used.type;
    sim::Slot const slot = frame.function->register_slot[used.index];
    if (slot == sim::discard) return {};
    std::byte const* const column = ((slot & 3) == 0 ? frame.registers.get() : warp.bases[slot & 3]) + (slot & ~3);
    std::vector<std::string> texts;
    for (isa::LaneMask m = lanes; m != 0; m &= m - 1) {
        auto const lane = static_cast<std::size_t>(std::countr_zero(m));
        if (type == Type::pred) {
            isa::LaneMask bits = 0;
            std::memcpy(&bits, column, sizeof bits);
            texts.push_back((bits >> lane & 1) != 0 ? "1" : "0");
            continue;
        }
        std::array<std::uint64_t, 2> bits{};
        std::memcpy(bits.data(), column + lane * element_bytes(type), element_bytes(type));
        texts.push_back(text_of(type, bits));
    }
    return texts;
}

std::string lane_values(sim::Warp const& warp, sim::Frame const& frame, UsedRegister const& used,
                        isa::LaneMask lanes) {
    std::vector<std::string> const texts = lane_texts(warp, frame, used, lanes);
    if (texts.empty()) return "unused";
    bool const is_same = texts.size() > 1 && std::equal(texts.begin() + 1, texts.end(), texts.begin());
    if (is_same) return "all " + texts.front();
    std::string text;
    std::size_t i = 0;
    for (isa::LaneMask m = lanes; m != 0; m &= m - 1) {
        text += (text.empty() ? "" : " ") + std::to_string(std::countr_zero(m)) + ":" + texts[i++];
    }
    return text;
}

UsedRegisters used_registers(ir::Module const& module, ir::Function const& function,
                             ir::Instruction const& instruction) {
    UsedRegisters used;
    bool is_guard = instruction.guard != ir::none;  // it comes first
    ir::for_each_register(module, function, instruction, [&](std::uint32_t which, bool is_written) {
        if (std::exchange(is_guard, false)) return;
        auto& list = is_written ? used.written : used.read;
        auto const known =
            std::find_if(list.begin(), list.end(), [&](UsedRegister const& r) { return r.index == which; });
        if (known == list.end()) list.push_back({which, type_in(function, instruction, which)});
    });
    return used;
}

}  // namespace warpsim::runtime
