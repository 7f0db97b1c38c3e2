#include "sim/compiled/llvm/lane_library.hpp"

#include <cstring>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <span>
#include <stdexcept>

extern "C" {
extern char const warpsim_lane_bitcode[];
extern char const warpsim_lane_bitcode_end[];
}

namespace warpsim::sim {

namespace {

struct NamedChapter {
    std::string_view title, variable;
};
/// What is in the bitcode.
// clang-format off
constexpr NamedChapter compiled_chapters[] = {
    {"Integer Arithmetic Instructions", "integer_arithmetic"},
    {"Integer Arithmetic Instructions on Bits", "bit_manipulation"},
    {"Extended-Precision Integer Arithmetic Instructions", "extended_precision"},
    {"Floating Point Instructions", "floating_point"},
    {"Half and Mixed Precision Floating Point Instructions", "half_precision"},
    {"Comparison and Selection Instructions", "comparison_selection"},
    {"Half Precision Comparison Instructions", "half_comparison"},
    {"Logic and Shift Instructions", "logic_shift"},
    {"Conversion Instructions to Integers", "conversion_to_integer"},
    {"Conversion Instructions from Integers", "conversion_of_integer"},
    {"Conversion Instructions", "conversion"},
    {"Conversion Instructions of Packed Narrow Types", "narrow_conversion"},
};
// clang-format on

std::string mangled(std::string_view room, std::string_view name) {
    return "_ZN7warpsim3" + std::string(room) + "7bitcode" + std::to_string(name.size()) + std::string(name) + "E";
}

/// The end of the mangled arguments of run_lanes.
std::string_view saturation(isa::Type type) {
    switch (type) {
        case isa::Type::f32: return "8SaturateELb0EJfEE";
        case isa::Type::f64: return "8SaturateELb0EJdEE";
        case isa::Type::f16: return "8SaturateELb0EJNS1_4HalfEEE";
        case isa::Type::bf16: return "8SaturateELb0EJNS1_6BfloatEEE";
        case isa::Type::f16x2: return "12SaturatePairELb0EJNS1_5Half2EEE";
        case isa::Type::bf16x2: return "12SaturatePairELb0EJNS1_7Bfloat2EEE";
        default: return "none";
    }
}

}  // namespace

llvm::Type* column_type(llvm::LLVMContext& context, std::uint8_t log2) {
    if (log2 == 0) return llvm::Type::getInt32Ty(context);
    return llvm::FixedVectorType::get(llvm::Type::getIntNTy(context, 8u << log2), 32);
}

llvm::Type* element_type(llvm::LLVMContext& context, std::uint8_t log2) {
    return llvm::Type::getIntNTy(context, log2 == 0 ? 1 : 8u << log2);
}

LaneLibrary::LaneLibrary(llvm::LLVMContext& context) {
    llvm::StringRef const bytes(warpsim_lane_bitcode,
                                static_cast<std::size_t>(warpsim_lane_bitcode_end - warpsim_lane_bitcode));
    auto module = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bytes, "lanes"), context);
    if (!module) throw std::runtime_error(llvm::toString(module.takeError()));
    library_ = std::move(*module);
}

llvm::Constant* LaneLibrary::read(llvm::Constant* from, std::size_t offset, llvm::Type* type) const {
    if (from == nullptr) return nullptr;
    return llvm::ConstantFoldLoadFromConstPtr(from, type, llvm::APInt(64, offset), library_->getDataLayout());
}
llvm::Constant* LaneLibrary::pointer(llvm::Constant* from, std::size_t offset) const {
    return read(from, offset, llvm::PointerType::getUnqual(library_->getContext()));
}

/// The tables are constants of the bitcode, laid out as the host's.
llvm::Function* LaneLibrary::find(LaneOrigin const& origin) const {
    llvm::Constant* found = nullptr;
    switch (origin.table) {
        case LaneOrigin::Table::access:
            found = pointer(library_->getGlobalVariable(mangled("sim", "functions")), origin.member);
            break;
        case LaneOrigin::Table::chapter: {
            for (NamedChapter const& chapter : compiled_chapters) {
                if (chapter.title != origin.chapter) continue;
                // A span begins with its pointer.
                llvm::Constant* const rows =
                    pointer(library_->getGlobalVariable(mangled("isa", chapter.variable)), 0);
                llvm::Constant* const variants =
                    pointer(rows, origin.row * sizeof(isa::Row) + offsetof(isa::Row, variants));
                found = pointer(variants, origin.variant * sizeof(isa::Variant) + origin.member);
            }
            break;
        }
        case LaneOrigin::Table::saturate:
            for (llvm::Function& function : *library_) {
                bool const is_wrapper = !function.getName().startswith("_ZN");
                if (!is_wrapper && function.getName().contains(saturation(origin.type))) return &function;
            }
            break;
    }
    return found == nullptr ? nullptr : llvm::dyn_cast<llvm::Function>(found->stripPointerCasts());
}

std::string LaneLibrary::name_of(llvm::Function const& lanes, Takes takes) {
    return (takes == Takes::one ? "scalar." : "vector.") + lanes.getName().str();
}

llvm::FunctionType* LaneLibrary::type_of(LaneCall const& call, Takes takes) const {
    llvm::LLVMContext& context = library_->getContext();
    bool const is_scalar = takes == Takes::one;
    auto const taken = [&](LaneOperand const& operand) {
        return operand.is_predicate() || !is_scalar ? column_type(context, operand.log2)
                                                    : element_type(context, operand.log2);
    };
    std::vector<llvm::Type*> parameters;
    for (LaneOperand const& source : call.sources) parameters.push_back(taken(source));
    if (call.reads_scalar) parameters.push_back(llvm::PointerType::getUnqual(context));
    llvm::Type* const result = taken(call.destination);
    if (call.reads_destination) parameters.push_back(result);
    parameters.push_back(llvm::Type::getInt64Ty(context));
    llvm::Type* const bit = llvm::Type::getIntNTy(context, is_scalar ? 1 : 32);
    llvm::Type* const value_type = call.destination.is_predicate() ? bit : result;
    llvm::Type* const returned = call.carry_out ? llvm::StructType::get(value_type, bit) : value_type;
    return llvm::FunctionType::get(returned, parameters, false);
}

llvm::Function* LaneLibrary::make_wrapper(LaneCall const& call, llvm::Function& lanes, Takes takes) {
    llvm::LLVMContext& context = library_->getContext();
    llvm::IRBuilder<> b(context);
    bool const is_scalar = takes == Takes::one;
    llvm::Type* const pointer_type = b.getPtrTy();
    auto* const function = llvm::Function::Create(type_of(call, takes), llvm::Function::InternalLinkage,
                                                  name_of(lanes, takes), *library_);
    function->addFnAttr(llvm::Attribute::NoUnwind);

    b.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
    // Each column is an object of its own, at one of the four bases; what is more than that shares the last.
    std::size_t const columns = 1 + call.sources.size() + (call.reads_scalar ? 1 : 0) + (call.carry_out ? 1 : 0);
    auto* const column_bytes = llvm::ArrayType::get(b.getInt8Ty(), 256);
    llvm::Value* objects[4] = {};
    for (std::size_t i = 0; i < 4; ++i) {
        std::size_t const more = i == 3 && columns > 4 ? columns - 3 : 1;
        auto* const object = b.CreateAlloca(llvm::ArrayType::get(column_bytes, more));
        object->setAlignment(llvm::Align(64));
        objects[i] = object;
    }
    std::size_t argument = 0;
    auto const place = [&](std::size_t column) {
        return column < 4 ? objects[column]
                          : b.CreateConstGEP1_32(column_bytes, objects[3], static_cast<unsigned>(column - 3));
    };
    auto const slot_of = [&](std::size_t column) {
        return static_cast<Slot>(column < 4 ? column : 3 + 256 * (column - 3));
    };
    auto* const bases = b.CreateAlloca(llvm::ArrayType::get(pointer_type, 4));
    auto* const operands = b.CreateAlloca(llvm::ArrayType::get(b.getInt64Ty(), sizeof(isa::Operands) / 8));
    // All lanes get the number: none of them may do what only a number that nobody gave makes it do.
    auto const put = [&](LaneOperand const& operand, llvm::Value* at) {
        llvm::Value* value = function->getArg(static_cast<unsigned>(argument++));
        if (is_scalar && !operand.is_predicate()) value = b.CreateVectorSplat(isa::warp_size, value);
        b.CreateAlignedStore(value, at, llvm::Align(64));
    };
    for (std::size_t i = 0; i < call.sources.size(); ++i) put(call.sources[i], place(1 + i));
    llvm::Value* const scalar = call.reads_scalar ? function->getArg(static_cast<unsigned>(argument++)) : nullptr;
    for (unsigned i = 0; i < 4; ++i) {
        b.CreateStore(i == 1 && scalar != nullptr ? scalar : objects[i],
                      b.CreateConstGEP1_32(pointer_type, bases, i));
    }
    if (call.reads_destination) put(call.destination, place(0));
    for (std::size_t i = 0; i < 6; ++i) {
        b.CreateStore(b.getInt32(static_cast<std::uint32_t>(i < columns ? slot_of(i) : 0)),
                      b.CreateConstGEP1_32(b.getInt32Ty(), operands, static_cast<unsigned>(i)));
    }
    b.CreateStore(function->getArg(static_cast<unsigned>(argument)),
                  b.CreateConstGEP1_32(b.getInt8Ty(), operands, offsetof(isa::Operands, immediate)));
    if (!call.reads_destination && call.destination.is_predicate()) b.CreateStore(b.getInt32(0), place(0));
    std::size_t const carry = 1 + call.sources.size();
    if (call.carry_out) b.CreateStore(b.getInt32(0), place(carry));

    b.CreateCall(&lanes, {bases, operands, b.getInt32(isa::all_lanes)});
    auto const predicate = [&](llvm::Value* mask) {
        return is_scalar ? b.CreateTrunc(mask, b.getInt1Ty()) : mask;
    };
    bool const is_column = call.destination.is_predicate() || !is_scalar;
    llvm::Type* const result =
        is_column ? column_type(context, call.destination.log2) : element_type(context, call.destination.log2);
    llvm::Value* value = b.CreateAlignedLoad(result, place(0), llvm::Align(64));
    if (call.destination.is_predicate()) value = predicate(value);
    if (call.carry_out) {
        llvm::Value* both = llvm::UndefValue::get(function->getReturnType());
        both = b.CreateInsertValue(both, value, 0);
        value = b.CreateInsertValue(both, predicate(b.CreateLoad(b.getInt32Ty(), place(carry))), 1);
    }
    b.CreateRet(value);
    return function;
}

}  // namespace warpsim::sim
