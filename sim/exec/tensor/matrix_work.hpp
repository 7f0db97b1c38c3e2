// What a thread has the matrix unit do beside it: tcgen05.cp, tcgen05.shift and tcgen05.mma.
#pragma once

#include "sim/exec/component.hpp"
#include "sim/exec/tensor/tensor_shadow.hpp"

#include <cstdint>
#include <string>

namespace warpsim::sim {

/// One operation with all its operands. It reads and writes shared and tensor memory when it is performed: at once, when
/// something waits for it, or between two epochs.
class MatrixWork {
public:
    MatrixWork(Issue const& by, Faults const& faults, bool of_pair)
        : culprit_(faults.culprit(by)), rank_(by.cta.rank), of_pair_(of_pair) {}
    virtual ~MatrixWork() = default;

    /// Throws Fault.
    virtual void perform(Execution const& execution, Cluster& cluster) const = 0;
    /// What performing it does to the definedness of what it writes in one of its CTAs.
    virtual void carry_over(Cluster const& cluster, Cta const& to, TensorShadow& shadow) const = 0;
    /// What it takes of the unit's time.
    struct Effort {
        isa::Type type = isa::Type::none;  // of a product's factors; none: a copy
        bool is_packed = false;            // two factors in a byte
        std::uint64_t multiply_adds = 0;   // of one SM
        std::uint64_t bytes = 0;           // that are copied, or of operands in the shared memory of one SM
        std::uint64_t first_bytes = 0;     // of those, which have to be there before a product begins
    };
    virtual Effort effort() const = 0;

    bool of_pair() const { return of_pair_; }
    Culprit const& culprit() const { return culprit_; }

protected:
    /// The CTA that it works in: the issuer's, or of a pair the one with the even rank, and the other.
    template <class ClusterOrConst> auto& cta(ClusterOrConst& cluster, std::uint32_t which) const {
        return cluster.ctas[of_pair_ ? (rank_ & ~1u) + which : rank_];
    }
    std::uint32_t cta_count() const { return of_pair_ ? 2 : 1; }

private:
    Culprit culprit_;
    std::uint32_t rank_;
    bool of_pair_;
};

}  // namespace warpsim::sim
