// Notices what the host's own code does to memory that kernels use too, while they may still run: pages that work uses which
// the host has not waited for are protected, so that an access to one is a fault, which tells of it and goes on. For checkers;
// functional mode only, where all work is done as soon as it is submitted. While it is, pages are open, but for the other threads
// of a program that has some (WorkWindow).
#pragma once

#include "runtime/cuda/devices/work_window.hpp"
#include "runtime/host_conflicts.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace warpsim::cuda {

class HostGuard {
public:
    /// Null: nobody asks. One for all devices, since all see the memory.
    static HostGuard* present();
    /// Asks about a device from now on.
    static HostGuard& ask(std::shared_ptr<runtime::HostConflicts> device);

    /// Memory that the host may reach through pointers.
    void add(std::uint64_t begin, std::uint64_t bytes);
    /// Memory of the program's own: of pages that hold other things, too, nothing is noticed, nor on the stack of this thread.
    void add_own(std::uint64_t begin, std::uint64_t bytes);
    void remove(std::uint64_t begin);
    bool is_needed() const { return is_needed_; }
    /// Around all that devices do: it may use any memory.
    void work_begins();
    void work_ends();
    /// What a thread of the host has waited for is over, which here it has long been. Other threads, which do not know of the wait
    /// before it ends, get some time to do what they would do beside the work.
    void host_will_wait();
    /// The host has waited for something.
    void host_waits();

    /// While it lives, what the thread does is a call of the program's, or our own, and of no concern.
    class Inside {
    public:
        Inside() { ++depth(); }
        ~Inside() {
            if (--depth() == 0 && has_rights()) give_up_rights();
        }
        Inside(Inside const&) = delete;
        Inside& operator=(Inside const&) = delete;
        static int& depth();        // one of the thread, whichever library asks
        static bool& has_rights();  // ... whether it may use pages that are closed by the key

    private:
        static void give_up_rights();
    };

    /// What a fault was.
    enum class Fault : std::uint8_t {
        foreign,      // nothing to do with this
        gone,         // the page is not protected any more
        permitted,    // from now on the access may be tried again
        single_step,  // ... and the page is to be protected again behind it
        own_by_key,   // one of our own threads needs rights, or else opens_for_own()
        step_by_key,  // a thread of the program does, for this access, or else opens_for_step()
    };
    /// `is_by_key`: the thread has no rights to the page.
    Fault fault(runtime::HostTouch const& touch, bool is_by_key);
    /// Whether what the present thread does is no concern.
    static bool is_own_thread();
    /// A fault of one of our own threads, while a device works: whether the page is open now.
    bool opens_for_own(std::uint64_t address);
    void opens_for_step(std::uint64_t address);
    /// The accesses that were permitted for a single step are done.
    void protect_again(std::uint64_t page);
    /// To a call of the system, which would not fault, but fail: none of it is protected until it is taken back. False: it is no
    /// memory that ever is. `touch` says what the call does.
    bool lend(std::uint64_t begin, std::uint64_t bytes, runtime::HostTouch const& touch);
    void take_back(std::uint64_t begin, std::uint64_t bytes);

private:
    HostGuard() = default;
    bool is_ours(std::uint64_t begin, std::uint64_t end) const;
    void update();
    void lift(std::uint64_t page);
    void lift_all();
    void judge(runtime::HostTouch const& touch);

    std::atomic<bool> is_needed_{false};
    std::mutex mutex_;  // guards what follows; with it held, work may not begin
    std::vector<std::shared_ptr<runtime::HostConflicts>> devices_;
    std::map<std::uint64_t, std::uint64_t> ranges_;     // ends by begins
    std::map<std::uint64_t, bool> protected_;           // pages, and whether they may not even be read
    std::map<std::uint64_t, bool> stepped_;             // ... that are open for a step
    std::set<std::uint64_t> own_;                       // begins of those that are the program's own memory
    std::multimap<std::uint64_t, std::uint64_t> lent_;  // ends by begins: of whole pages
    WorkWindow window_;
    int at_work_ = 0;
    std::uint32_t steps_left_ = 0;
    std::chrono::microseconds patience_{1'000'000};  // that is left for other threads
};

}  // namespace warpsim::cuda
