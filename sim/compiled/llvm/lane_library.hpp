// The lane functions as LLVM bitcode, compiled from the same sources as the interpreter's, and as functions of vectors.
#pragma once

#include "sim/compiled/lane_calls.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace warpsim::sim {

/// <32 x iN> for a column, i32 for a predicate.
llvm::Type* column_type(llvm::LLVMContext& context, std::uint8_t log2);
/// iN for a column, i1 for a predicate.
llvm::Type* element_type(llvm::LLVMContext& context, std::uint8_t log2);

/// Functions are read when they are asked for.
class LaneLibrary {
public:
    /// What a wrapper is of: a column, or a single number that all lanes have.
    enum class Takes { lanes, one };

    explicit LaneLibrary(llvm::LLVMContext& context);

    /// Null: there is none in the library.
    llvm::Function* find(LaneOrigin const& origin) const;
    /// A function of the library that takes the sources (a pointer for a scalar in memory; the destination's former value
    /// last, if that is read) and the immediate, and returns the destination, with the carry if there is one. That of a
    /// number takes and returns iN for a column; i32 for a predicate, of which the result is an i1.
    llvm::Function* make_wrapper(LaneCall const& call, llvm::Function& lanes, Takes takes);
    llvm::FunctionType* type_of(LaneCall const& call, Takes takes) const;
    static std::string name_of(llvm::Function const& lanes, Takes takes);
    llvm::Module& module() const { return *library_; }

private:
    llvm::Constant* read(llvm::Constant* from, std::size_t offset, llvm::Type* type) const;
    llvm::Constant* pointer(llvm::Constant* from, std::size_t offset) const;

    std::unique_ptr<llvm::Module> library_;
};

}  // namespace warpsim::sim
