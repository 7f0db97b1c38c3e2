#include "sim/exec/tensor/tensor_operands.hpp"

#include <cstring>
#include <utility>

namespace warpsim::sim {

TensorOperands::~TensorOperands() {
    if (chunks_.empty() && cells_.empty()) return;
    execution_.sinks.tell<MatrixWorkEvent>([&] {
        Culprit const& by = work_.culprit();
        return MatrixWorkEvent{by.cta, by.thread, by.function, by.instruction, cta_, chunks_, cells_, work_};
    });
}

void TensorOperands::refuse(FaultKind kind, std::string what) const {
    if (work_.of_pair()) what += ", of rank " + std::to_string(cta_.rank);
    Fault fault = execution_.faults.fault_of(work_.culprit(), std::move(what));
    fault.kind = kind;
    throw fault;
}

tensor_memory::TensorMemory& TensorOperands::columns(std::string_view what, std::uint32_t address,
                                                     std::uint32_t count, std::uint32_t lanes,
                                                     bool are_written) const {
    auto const [lane, column] = tensor_memory::cell_at(address);
    std::string wrong;
    if (lane + lanes > tensor_memory::lanes) {
        wrong = "its " + std::to_string(lanes) + " lanes go beyond the last of 128";
    } else if (tensor_memory::TensorMemory* const memory = tensor_columns(cta_, column, count, wrong)) {
        if (is_watched_) cells_.push_back({lane, lanes, column, count, are_written});
        return *memory;
    }
    refuse(FaultKind::illegal_address,
           "illegal address: " + std::string(what) + " at " + tensor_address_text(address) + ": " + wrong);
}

void TensorOperands::chunk(std::string_view what, tensor_memory::SharedMatrix const& m, matrix::Major major,
                           std::uint32_t line, std::uint32_t number, std::uint32_t* words) const {
    std::uint64_t const at = tensor_memory::chunk_address(m, major, line, number);
    if (at + matrix::chunk_bytes > execution_.launch.shared_bytes) {
        refuse(FaultKind::illegal_address,
               "illegal address: 16 bytes of " + std::string(what) + " at shared " + std::to_string(at) +
                   ", past the end of " + std::to_string(execution_.launch.shared_bytes) + " bytes per block");
    }
    if (is_watched_) chunks_.push_back(at);
    std::memcpy(words, cta_.shared.get() + at, matrix::chunk_bytes);
}

}  // namespace warpsim::sim
