// LLVM's errors as exceptions.
#pragma once

#include <llvm/Support/Error.h>
#include <stdexcept>
#include <utility>

namespace warpsim::sim {

template <class T> T or_throw(llvm::Expected<T> value) {
    if (!value) throw std::runtime_error(llvm::toString(value.takeError()));
    return std::move(*value);
}

}  // namespace warpsim::sim
