// The requests of one direction that a DRAM channel has taken in, oldest first, and which banks they need. Commands are chosen in
// nearly every cycle of a busy channel: what is asked there is counted by bank, so that few of these cycles look at all requests.
#pragma once

#include "sim/huge_pages.hpp"
#include "sim/plugin/plugin.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpsim::timing {

/// Some of the banks of a channel.
class BankSet {
public:
    explicit BankSet(std::size_t banks) : words_((banks + 63) / 64) {}
    void add(std::uint32_t bank) { words_[bank / 64] |= bit(bank); }
    void remove(std::uint32_t bank) { words_[bank / 64] &= ~bit(bank); }
    bool has(std::uint32_t bank) const { return (words_[bank / 64] & bit(bank)) != 0; }
    template <class Visitor> void each(Visitor&& visitor) const {
        for (std::size_t word = 0; word < words_.size(); ++word) {
            for (std::uint64_t left = words_[word]; left != 0; left &= left - 1)
                visitor(static_cast<std::uint32_t>(64 * word) +
                        static_cast<std::uint32_t>(std::countr_zero(left)));
        }
    }

private:
    static std::uint64_t bit(std::uint32_t bank) { return std::uint64_t{1} << bank % 64; }
    std::vector<std::uint64_t> words_;
};

class DramRequests {
public:
    using Waiting = plugin::DramWaiting;

    DramRequests(std::size_t banks, std::size_t most)
        : open_(banks), closed_(banks), open_banks_(banks), closed_banks_(banks) {
        items_.reserve(2 * most);
    }
    bool empty() const { return first_ == items_.size(); }
    std::size_t size() const { return items_.size() - first_; }
    std::span<Waiting const> waiting() const { return std::span(items_).subspan(first_); }
    Waiting& operator[](std::size_t i) { return items_[first_ + i]; }

    /// Banks whose open row any of them needs, and those of which any needs another row.
    BankSet const& open_banks() const { return open_banks_; }
    BankSet const& closed_banks() const { return closed_banks_; }
    /// By bank, how many need its open row.
    std::span<std::uint32_t const> open() const { return open_; }

    void add(Waiting const& w, bool is_open) {
        if (first_ != 0 && items_.size() == items_.capacity()) {
            items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
        items_.push_back(w);
        count(w.bank, is_open);
    }
    /// One whose row is open has been served. Mostly it is one of the oldest, so these move, not those behind it.
    void remove(std::size_t i) {
        std::uint32_t const bank = (*this)[i].bank;
        for (; i != 0; --i) (*this)[i] = (*this)[i - 1];
        ++first_;
        if (--open_[bank] == 0) open_banks_.remove(bank);
    }
    /// Another row of the bank is open.
    void opened(std::uint32_t bank, std::uint64_t row) {
        forget(bank);
        for (Waiting const& w : waiting())
            if (w.bank == bank) count(bank, w.row == row);
    }
    /// No row is open any more, or others may be.
    void recount(std::span<plugin::DramBank const> banks) {
        for (std::uint32_t bank = 0; bank < banks.size(); ++bank) forget(bank);
        for (Waiting const& w : waiting()) count(w.bank, w.row == banks[w.bank].row);
    }
    /// recount() has to follow.
    template <class Archive> void state(Archive& archive) {
        items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
        archive(items_);
    }

private:
    void count(std::uint32_t bank, bool is_open) {
        ++(is_open ? open_ : closed_)[bank];
        (is_open ? open_banks_ : closed_banks_).add(bank);
    }
    void forget(std::uint32_t bank) {
        open_[bank] = closed_[bank] = 0;
        open_banks_.remove(bank);
        closed_banks_.remove(bank);
    }

    sim::HugeVector<Waiting> items_;
    std::size_t first_ = 0;  // those in front of it have been served
    std::vector<std::uint32_t> open_, closed_;
    BankSet open_banks_, closed_banks_;
};

}  // namespace warpsim::timing
