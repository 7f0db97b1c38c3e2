// PTX ISA "Fabric Instructions": copies and reductions between shared memory and memory that a logical endpoint names.
// They are read and checked. There is one GPU here and no endpoint, so a kernel that copies does not launch; without
// copies there is nothing to submit and nothing to wait for.
#include "frontend/isa/lanes.hpp"
#include "frontend/isa/line.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;
using namespace operand_words;

constexpr Since fabric_since = since(9, 3, 100);
/// Wider sums of a pulled reduction, and minima of 8-bit numbers.
constexpr Since pulled_since = only_on("100f 110f 120a 121a", 9, 3, 100);
/// An endpoint is a number in a register of 32 bits.
constexpr OperandSpec id = tensor_address;
constexpr OperandList endpoint = brackets(id, u64);
constexpr OperandList counted_endpoint = brackets(id, u64, u64);
using ReducedBits = Types<b32, b64>;
using Ordered = Types<u32, s32, u64, s64, f16, bf16>;
using Fp8 = Types<e4m3, e5m2>;
using Halves = Types<f16, bf16>;

constexpr Row done(std::string_view syntax) {
    return effect_row(syntax, Types<>{}, fabric_since, Unit::lsu, &effects::nothing, operands());
}
template <class TypeList>
constexpr Row transfer(std::string_view syntax, TypeList types, Since since, OperandList const& operands) {
    return effect_row(syntax, types, since, Unit::lsu, &effects::not_executed, operands);
}
/// From shared memory to an endpoint, also with a counter there.
template <Word name, Word operation, class TypeList>
constexpr std::array sent = [] {
    constexpr Word counts = ".shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric";
    return std::array{
        transfer(line<name, "{.multimem}", counts, ".relaxed.sys", operation,
                      " [dstLeId, dstDataOff], [src], size, [bar]">,
                 TypeList{}, fabric_since, operands(endpoint, shared_address, u32, shared_address)),
        transfer(line<name, "{.multimem}", counts, ".counted::bytes.relaxed.sys", operation,
                      " [dstLeId, dstDataOff, dstCounterOff], [src], size, [bar]">,
                 TypeList{}, fabric_since, operands(counted_endpoint, shared_address, u32, shared_address)),
    };
}();
/// The same operation on what several devices hold, to shared memory.
template <Word operation, class TypeList> constexpr Row pulled(TypeList types, Since since) {
    return transfer(line<"fabric.try_pullred.async.multimem.shared::cta.mbarrier::complete_tx::bytes"
                         ".mbarrier::report::fabric.relaxed.sys",
                         operation, ".type.sync [dst], [srcLeId, srcDataOff], size, [bar], membermask">,
                    types, since, operands(shared_address, endpoint, u32, shared_address, constant(b32)));
}

constexpr auto rows = join(
    transfer(
        "fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.b128"
        " [dst], [srcLeId, srcDataOff], size, [bar]",
        Types<>{}, fabric_since, operands(shared_address, endpoint, u32, shared_address)),
    sent<"fabric.try_put.async", ".b128", Types<>>,
    transfer(
        "fabric.try_put.async{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.cp_mask"
        ".relaxed.sys.b128 [dstLeId, dstDataOff], [src], size, [bar], byteMask",
        Types<>{}, fabric_since, operands(endpoint, shared_address, u32, shared_address, u16)),
    sent<"fabric.try_red.async", ".logic.type", ReducedBits>,
    sent<"fabric.try_red.async", ".op_minmax.type", Ordered>,
    sent<"fabric.try_red.async", ".add.type", Types<u32, u64, f16, bf16, f32, f64>>,
    pulled<".logic">(ReducedBits{}, fabric_since), pulled<".op_minmax">(Ordered{}, fabric_since),
    pulled<".op_minmax">(Fp8{}, pulled_since), pulled<".add">(Types<u32, u64, f16, bf16, f32>{}, fabric_since),
    pulled<".add.acc::f16">(Fp8{}, pulled_since), pulled<".add.acc::f32">(Halves{}, pulled_since),
    done("fabric.submit{.op_restrict::fetching}"), done("fabric.wait.sync_restrict::reads"));

}  // namespace

extern constinit std::span<Row const> const fabric{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
