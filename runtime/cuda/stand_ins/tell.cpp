#include "runtime/cuda/stand_ins/tell.hpp"

#include "runtime/log.hpp"
#include "runtime/session/chosen.hpp"
#include "sim/error.hpp"

#include <mutex>
#include <set>

namespace warpsim::cuda {

void set_up_log() {
    static std::once_flag once;
    std::call_once(once, [] {
        try {
            options::Values chosen;
            chosen.read_environment();
            runtime::configure_log(chosen);
        } catch (Error const&) {
            // The first call of the driver's interface reports it.
        }
    });
}

void tell_of_stand_in(std::string const& what) {
    set_up_log();
    static std::mutex mutex;
    static auto* const told = new std::set<std::string>;  // programs compile from their last destructors
    std::lock_guard const lock(mutex);
    if (told->insert(what).second) log::info(what);
}

}  // namespace warpsim::cuda
