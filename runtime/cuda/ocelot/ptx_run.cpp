#include "runtime/cuda/ocelot/ptx_run.hpp"

#include "runtime/cuda/process/process.hpp"
#include "runtime/log.hpp"
#include "sim/error.hpp"

#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace warpsim::cuda {

namespace {

enum Status : int { well = 0, bad_call = 2, bad_ptx = 3, faulted = 4, internal = 70 };

/// Loaded modules by their text, because programs launch the same one again and again. The most recently used are
/// kept.
class LoadedTexts {
public:
    std::shared_ptr<runtime::Module> get(runtime::Device& device, std::string_view text) {
        std::lock_guard const lock(mutex_);
        auto const known = by_text_.find(text);
        if (known != by_text_.end()) {
            entries_.splice(entries_.begin(), entries_, known->second);
            return known->second->module;
        }
        entries_.push_front({std::string(text), nullptr});
        try {
            entries_.front().module = device.load_text("ptx", entries_.front().text);
        } catch (...) {
            entries_.pop_front();
            throw;
        }
        by_text_.emplace(entries_.front().text, entries_.begin());
        bytes_ += text.size();
        while (bytes_ > most_bytes && entries_.size() > 1) {
            bytes_ -= entries_.back().text.size();
            by_text_.erase(entries_.back().text);
            entries_.pop_back();
        }
        return entries_.front().module;
    }

private:
    static constexpr std::size_t most_bytes = std::size_t{32} << 20;  // of text

    struct Entry {
        std::string text;
        std::shared_ptr<runtime::Module> module;
    };
    std::mutex mutex_;
    std::list<Entry> entries_;  // most recently used first
    std::unordered_map<std::string_view, std::list<Entry>::iterator> by_text_;
    std::size_t bytes_ = 0;
};

std::uint32_t size_of(char const* what, int value, int least) {
    if (value < least)
        throw Error(ErrorKind::usage, std::string("ptx_run: ") + what + " is " + std::to_string(value));
    return static_cast<std::uint32_t>(value);
}

runtime::Arguments arguments_of(runtime::Module const& module, std::string const& kernel, int count,
                                void* const* values) {
    auto const parameters = module.parameters(kernel);
    if (count < 0 || static_cast<std::size_t>(count) != parameters.size() || (count != 0 && values == nullptr)) {
        throw Error(ErrorKind::usage, "ptx_run: " + std::to_string(values == nullptr ? 0 : count) +
                                          " arguments for " + kernel + ", which takes " +
                                          std::to_string(parameters.size()));
    }
    runtime::Arguments block;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        runtime::Module::Parameter const& p = parameters[i];
        if (p.size > sizeof(void*)) {
            throw Error(ErrorKind::usage, "ptx_run: parameter " + p.name + " of " + kernel + " has " +
                                              std::to_string(p.size) +
                                              " bytes; a value of more than 8 cannot be passed");
        }
        block.place(p.offset, &values[i], p.size);
    }
    return block;
}

void run(Process& process, char const* ptx, int count, void* const* values, runtime::LaunchShape const& shape) {
    static auto* const texts = new LoadedTexts;  // never destroyed: callers may come after static destructors
    if (ptx == nullptr) throw Error(ErrorKind::usage, "ptx_run: no PTX was given");
    Gpu& gpu = process.gpu(0);
    std::shared_ptr<runtime::Module> const module = texts->get(gpu.device, ptx);
    auto const kernels = module->kernels();
    if (kernels.empty()) throw Error(ErrorKind::usage, "ptx_run: the PTX has no kernel");
    runtime::Arguments const arguments = arguments_of(*module, kernels.front(), count, values);
    std::exception_ptr failed;
    gpu.queue.run(gpu.legacy.order, [&] {
        try {
            gpu.execute(*module, kernels.front(), shape, arguments);
        } catch (...) {
            failed = std::current_exception();
        }
    });
    if (failed) std::rethrow_exception(failed);
}

Status tell(Error const& error) {
    std::string_view text = error.what();
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (error.kind() == ErrorKind::ptx) log::plain(log::Level::error, text);
    else log::error(text);
    switch (error.kind()) {
        case ErrorKind::ptx: return bad_ptx;
        case ErrorKind::launch:
        case ErrorKind::fault: return faulted;
        default: return bad_call;
    }
}

}  // namespace

}  // namespace warpsim::cuda

extern "C" int ptx_run(char const* ptx, int n_args, void* args[], int bx, int by, int bz, int gx, int gy, int gz,
                       int smem) {
    using namespace warpsim;
    using namespace warpsim::cuda;
    try {
        runtime::LaunchShape shape;
        shape.block = {size_of("bx", bx, 1), size_of("by", by, 1), size_of("bz", bz, 1)};
        shape.grid = {size_of("gx", gx, 1), size_of("gy", gy, 1), size_of("gz", gz, 1)};
        shape.dynamic_shared = size_of("smem", smem, 0);
        shape.host_trust = true;
        run(Process::get(), ptx, n_args, args, shape);
        return well;
    } catch (Error const& error) {
        return tell(error);
    } catch (Failure const&) {
        return bad_call;  // an error of the environment, reported already
    } catch (std::exception const& error) {
        log::error(std::string("internal error: ") + error.what());
        return internal;
    } catch (...) {
        log::error("internal error");
        return internal;
    }
}
