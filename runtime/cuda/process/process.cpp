#include "runtime/cuda/process/process.hpp"

#include "runtime/log.hpp"
#include "sim/error.hpp"

#include <atomic>
#include <cstdio>
#include <pthread.h>
#include <unistd.h>

namespace warpsim::cuda {

namespace {

std::atomic<Process*> the_process{nullptr};
std::atomic<bool> is_forked{false};  // in a process that was forked from one that has it

/// After the program's own destructors, which may still launch kernels.
[[gnu::destructor]] void finish_at_exit() {
    if (Process::exists()) the_process.load()->finish();
}

void refuse_forked() {
    static std::atomic<bool> is_told{false};
    // Not through the log: another thread may have held its lock when the process was forked.
    if (!is_told.exchange(true)) {
        std::fputs("error: this process was forked from one that had used the simulator already, and cannot use "
                   "it: fork before "
                   "the first call, or start a program with exec\n",
                   stderr);
    }
    throw Failure(Result::not_initialized);
}

}  // namespace

bool Process::exists() { return the_process.load() != nullptr && !is_forked; }

void Process::finish() {
    for (auto const& gpu : gpus_) gpu->finish();
    checks.finish(*this);
    session_->finish();
    if (terminal_) terminal_->front().note("[the program has ended]");
    if (session_->has_findings() && !fault_marker_.empty())
        if (std::FILE* const file = std::fopen(fault_marker_.c_str(), "w")) std::fclose(file);
    if (!checks.looks_at_calls()) rejected_launches.tell();
    if (!session_->was_interrupted()) return;
    // The program took the stop for a failed kernel, and may have ended as if that were all.
    std::fflush(nullptr);
    runtime::end_by_interrupt();
}

Process& Process::get() {
    static Result const made = [] {
        try {
            Options const options = options_from_environment();
            if (options.devices == 0) {
                log::error("CUDA_VISIBLE_DEVICES leaves none of the simulated devices");
                return Result::no_device;
            }
            the_process = new Process(options);
            pthread_atfork(nullptr, nullptr, [] {
                is_forked = true;
                CallArguments::observer = nullptr;  // its locks may be held for ever
            });
            return Result::success;
        } catch (Error const& error) {
            log::error(error.what());
            return Result::not_initialized;
        }
    }();
    if (made != Result::success) throw Failure(made);
    if (is_forked) refuse_forked();
    return *the_process.load(std::memory_order_relaxed);
}

namespace {

/// Of this process alone, not of those that it starts.
std::unique_ptr<debug::Terminal> terminal_of(Options const& options) {
    if (options.debug.empty()) return nullptr;
    unsetenv("WARPSIM_DEBUG");
    auto terminal = std::make_unique<debug::Terminal>(options.debug);
    terminal->debugger().on_quit = [] {
        std::fflush(nullptr);
        _exit(0);
    };
    return terminal;
}

runtime::SessionOptions with(runtime::SessionOptions session, debug::Terminal* terminal) {
    if (terminal != nullptr) session.debugger = &terminal->debugger();
    return session;
}

}  // namespace

Process::Process(Options const& options)
    : terminal_(terminal_of(options)),
      session_(std::make_unique<runtime::Session>(with(options.session, terminal_.get()))),
      fault_marker_(options.fault_marker),
      checks(session_->checkers(), session_->timeline() != nullptr),
      memory(gpus_),
      libraries(handles, kernels, memory),
      arrays(handles, memory, gpus_),
      textures(arrays, memory, gpus_),
      references(handles, textures, gpus_),
      is_eager(options.is_eager),
      launches_wait(options.launches_wait),
      contexts(*this, options.devices),
      pools(handles, options.devices),
      virtual_memory(handles, memory) {
    for (int i = 0; i < options.devices; ++i) {
        runtime::DeviceOptions device = options.device;
        session_->observe(device);  // each has checkers of its own: kernels of two devices run at once
        device.devices = options.devices;
        gpus_.push_back(std::make_unique<Gpu>(i, options.config, device, *session_, options.fault_marker));
        gpus_.back()->is_eager = is_eager;
    }
    if (session_->timeline() == nullptr) return;
    call_timeline_ = std::make_unique<CallTimeline>(*session_->timeline(), gpus_);
    CallArguments::observer.store(call_timeline_.get(), std::memory_order_release);
}

Gpu& Process::current() {
    Thread& thread = Thread::current();
    if (thread.contexts.empty()) contexts.use_primary(thread.device);
    return gpu(thread.device);
}

Gpu& Process::gpu(int device) {
    if (device < 0 || device >= devices()) throw Failure(Result::invalid_device);
    return *gpus_[static_cast<std::size_t>(device)];
}

std::shared_ptr<Stream> Process::stream(void* handle) {
    auto const number = reinterpret_cast<std::uint64_t>(handle);
    Thread& thread = Thread::current();
    current();  // a thread that uses a stream has a context
    if (number == 2 || (number == 0 && thread.null_stream_is_own)) {
        std::shared_ptr<Stream>& own = thread.own_streams[thread.device];
        if (!own) {
            own = std::make_shared<Stream>(gpu(thread.device));
            own->id = next_stream_++;
        }
        return own;
    }
    // The legacy stream lives as long as its device, so the pointer owns nothing.
    if (number < 2) return {std::shared_ptr<void>(), &gpu(thread.device).legacy};
    return streams.get(handle);
}

}  // namespace warpsim::cuda
