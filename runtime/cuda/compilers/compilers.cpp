#include "runtime/cuda/compilers/compilers.hpp"

#include "runtime/fatbin/write.hpp"
#include "runtime/log.hpp"
#include "runtime/session/chosen.hpp"
#include "sim/error.hpp"

#include <mutex>
#include <set>

namespace warpsim::cuda {

std::string fat_binary(std::string_view ptx, std::string_view options) { return fatbin::write(ptx, options); }

void tell_of_compiler(std::string const& what) {
    static std::mutex mutex;
    static auto* const told = new std::set<std::string>;  // programs compile from their last destructors
    std::lock_guard const lock(mutex);
    if (told->empty()) {
        try {
            options::Values chosen;
            chosen.read_environment();
            runtime::configure_log(chosen);
        } catch (Error const&) {
            // The first call of the driver's interface reports it.
        }
    }
    if (told->insert(what).second) log::info(what);
}

}  // namespace warpsim::cuda
