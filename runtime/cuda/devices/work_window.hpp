// What other threads of the program do to memory of the host while a device works: while it does all of that memory is closed, to
// all threads but our own where the processor has keys for that. Where it has none, pages that our own threads use are opened one
// by one, and stay so. Accesses of the program's threads are kept until the work has ended and can be compared with what it has
// done.
#pragma once

#include "runtime/host_conflicts.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace warpsim::cuda {

inline constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t page_of(std::uint64_t address) { return address & ~(page_bytes - 1); }
/// Lets the pages be used as `protection` says (PROT_READ ...).
void set_protection(std::uint64_t begin, std::uint64_t end, int protection);

class WorkWindow {
public:
    /// Closes these: ends by begins.
    void open(std::map<std::uint64_t, std::uint64_t> const& ranges);
    /// Opens all of them, and gives what was kept.
    std::vector<runtime::HostTouch> close();
    /// What was kept may have come before other work that begins now.
    void forget() { touches_.clear(); }
    /// The memory from there on is to be used for something else.
    void remove(std::uint64_t begin);

    bool is_open() const { return !ranges_.empty(); }
    bool has(std::uint64_t page) const;
    bool is_closed(std::uint64_t page) const { return has(page) && !opened_.contains(page); }
    /// Of a closed page: it is open from now on, as one of our own threads uses it.
    void use(std::uint64_t page);
    /// ... a thread of the program uses it. False: enough has been kept, and the page is open from now on.
    bool keep(runtime::HostTouch touch);
    /// For an access that has been kept, and that the thread's rights do not allow.
    static void open_for_step(std::uint64_t page);
    /// ... it is done.
    void close_again(std::uint64_t page);

private:
    void lift_all();

    std::map<std::uint64_t, std::uint64_t> ranges_;
    std::set<std::uint64_t> opened_;
    std::vector<runtime::HostTouch> touches_;
};

}  // namespace warpsim::cuda
