#include "runtime/cuda/devices/rejected_launches.hpp"

#include "runtime/cuda/core/call_site.hpp"
#include "runtime/log.hpp"
#include "sim/demangled.hpp"

namespace warpsim::cuda {

void RejectedLaunches::add(std::uint64_t thread, std::string const& kernel, Failure const& why) {
    std::string text = "kernel " + sim::abbreviated(sim::demangled(kernel)) + " was not launched: ";
    if (why.reason().empty()) text += description(static_cast<int>(why.result()));
    else text += why.reason();
    CallSite const site = CallSite::present();
    if (SourcePlace const place = site.source()) text += ", at " + place.file + ":" + std::to_string(place.line);
    text +=
        " (" + std::string(runtime_name(static_cast<int>(why.result()))) + ", which the program did not look at)";
    std::lock_guard const lock(mutex_);
    by_thread_.emplace(thread, std::move(text));
}

void RejectedLaunches::look(std::uint64_t thread) {
    std::lock_guard const lock(mutex_);
    by_thread_.erase(thread);
}

void RejectedLaunches::tell() const {
    std::lock_guard const lock(mutex_);
    for (auto const& [thread, text] : by_thread_) log::failure_once(text);
}

}  // namespace warpsim::cuda
