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

class LaneLibrary {
public:
    explicit LaneLibrary(llvm::LLVMContext& context);

    /// A function of `into` that takes the sources (a pointer for a scalar in memory; the destination's former value last,
    /// if that is read) and the immediate, and returns the destination, with the carry if there is one. Null: there is
    /// none in the library.
    llvm::Function* wrapper(llvm::Module& into, LaneCall const& call);
    /// The same for a single number that all lanes have: takes and returns iN for a column; i32 for a predicate, of
    /// which the result is an i1.
    llvm::Function* scalar(llvm::Module& into, LaneCall const& call);
    /// Gives the wrappers their bodies.
    void link(llvm::Module& into);

private:
    llvm::Function* find(LaneOrigin const& origin) const;
    llvm::Constant* read(llvm::Constant* from, std::size_t offset, llvm::Type* type) const;
    llvm::Constant* pointer(llvm::Constant* from, std::size_t offset) const;
    enum class Takes { lanes, one };
    llvm::Function* wrapper(llvm::Module& into, LaneCall const& call, Takes takes);
    llvm::Function* make_wrapper(llvm::Module& into, LaneCall const& call, llvm::Function& lanes, Takes takes,
                                 std::string const& name) const;

    std::unique_ptr<llvm::Module> library_;
};

}  // namespace warpsim::sim
