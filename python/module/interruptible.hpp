// Work of the simulator while Python goes on: other threads run, and Ctrl-C ends it.
#pragma once

#include "errors.hpp"
#include "runtime/embed/device.hpp"

#include <nanobind/nanobind.h>

#include <chrono>
#include <future>
#include <thread>
#include <utility>

namespace warpsim::python {

/// Does the work on a thread of its own, while this one, which may be the one that Python handles signals in, waits without
/// the lock of the interpreter and looks for them.
template <class Work> auto interruptible(embed::Device& device, Work&& work) {
    using Result = decltype(work());
    std::packaged_task<Result()> task(std::forward<Work>(work));
    std::future<Result> result = task.get_future();
    bool is_interrupted = false;
    {
        std::thread worker(std::move(task));
        nanobind::gil_scoped_release const released;
        auto const is_over = [&](std::chrono::milliseconds patience) {
            return result.wait_for(patience) == std::future_status::ready;
        };
        while (!is_over(std::chrono::milliseconds(50))) {
            nanobind::gil_scoped_acquire const acquired;
            if (PyErr_CheckSignals() == 0) continue;
            is_interrupted = true;
            break;
        }
        // A launch that had not begun yet forgets it.
        if (is_interrupted) {
            do device.interrupt();
            while (!is_over(std::chrono::milliseconds(10)));
        }
        worker.join();
    }
    if (!is_interrupted) return result.get();
    nanobind::python_error interrupt;
    try {
        result.get();
    } catch (embed::Fault const& fault) {
        PyException_SetCause(interrupt.value().ptr(), python_fault(fault).release().ptr());
    } catch (Error const&) {
        // It has ended by itself just before.
    }
    throw interrupt;
}

}  // namespace warpsim::python
