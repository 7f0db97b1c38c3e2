// An mbarrier object: 64 bits of shared memory that the ISA calls opaque. Here its fields are, from the lowest
// bit: valid 1 | phase parity 1 | arrivals expected in each phase 20 | arrivals pending in this one 20 | bytes of
// transactions outstanding 21, two's complement | layout 1. An mbarrier of
// layout 1 counts fewer arrivals and holds what copies report. None that is executed here reports anything, so the
// primary and the conditional phase of the ISA are one.
// The state that arrive returns is the object as it was before the arrival.
#pragma once

#include <cstdint>
#include <string>

namespace warpsim::sim {

class Mbarrier {
public:
    static constexpr std::uint32_t most = (1u << 20) - 1;             // arrivals, and bytes of transactions
    static constexpr std::uint32_t most_with_report = (1u << 9) - 1;  // arrivals
    static constexpr std::uint32_t most_arrivals(bool with_report) {
        return with_report ? most_with_report : most;
    }

    explicit Mbarrier(std::uint64_t bits) : bits_(bits) {}
    static Mbarrier fresh(std::uint32_t count, bool with_report) {
        return Mbarrier(1 | std::uint64_t{count} << 2 | std::uint64_t{count} << 22 |
                        std::uint64_t{with_report} << 63);
    }

    std::uint64_t bits() const { return bits_; }
    bool is_valid() const {
        return (bits_ & 1) != 0 && expected() <= most_arrivals(with_report()) &&
               pending() <= most_arrivals(with_report());
    }
    bool with_report() const { return bits_ >> 63 != 0; }
    std::uint32_t parity() const { return static_cast<std::uint32_t>(bits_ >> 1 & 1); }
    std::uint32_t expected() const { return field(2); }
    std::uint32_t pending() const { return field(22); }
    std::int32_t transactions() const {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits_ >> 42) << 11) >> 11;
    }

    /// Each returns what is wrong, or "" if nothing is; completing a phase begins the next.
    std::string expect(std::uint32_t bytes) { return add_transactions(bytes); }
    std::string complete(std::uint32_t bytes) {
        std::string wrong = add_transactions(-static_cast<std::int64_t>(bytes));
        if (wrong.empty()) end_phase();
        return wrong;
    }
    std::string arrive(std::uint32_t count, bool drops, bool must_not_complete) {
        if (count == 0 || count > most)
            return "arrival of " + std::to_string(count) + ": the count must be from 1 to " + std::to_string(most);
        if (count > pending()) {
            return "arrival of " + std::to_string(count) + ", while only " + std::to_string(pending()) + " of " +
                   std::to_string(expected()) + " arrivals are pending";
        }
        set_field(22, pending() - count);
        if (drops) set_field(2, expected() - count);
        if (must_not_complete && pending() == 0) return "an arrival with .noComplete completes the phase";
        end_phase();
        return {};
    }
    std::string add_pending() {
        std::uint32_t const limit = most_arrivals(with_report());
        if (pending() == limit) return "more arrivals pending than " + std::to_string(limit);
        set_field(22, pending() + 1);
        return {};
    }
    std::string text() const {
        return std::to_string(pending()) + " of " + std::to_string(expected()) + " arrivals and " +
               std::to_string(transactions()) + " bytes of transactions pending in a phase of parity " +
               std::to_string(parity());
    }

private:
    std::uint32_t field(unsigned at) const { return static_cast<std::uint32_t>(bits_ >> at & most); }
    void set_field(unsigned at, std::uint32_t value) {
        bits_ = (bits_ & ~(std::uint64_t{most} << at)) | std::uint64_t{value} << at;
    }
    std::string add_transactions(std::int64_t bytes) {
        std::int64_t const sum = transactions() + bytes;
        if (sum > most || sum < -static_cast<std::int64_t>(most)) {
            return "transactions of " + std::to_string(sum) + " bytes pending: at most " + std::to_string(most);
        }
        constexpr std::uint64_t mask = (std::uint64_t{1} << 21) - 1;
        bits_ = (bits_ & ~(mask << 42)) | (static_cast<std::uint64_t>(sum) & mask) << 42;
        return {};
    }
    void end_phase() {
        if (pending() != 0 || transactions() != 0) return;
        bits_ ^= 2;
        set_field(22, expected());
    }

    std::uint64_t bits_;
};

}  // namespace warpsim::sim
