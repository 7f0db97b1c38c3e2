// Streams and events as objects; the operations on them are in streams/.
#pragma once

#include "runtime/cuda/devices/queue.hpp"
#include "runtime/work_order.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

namespace warpsim::cuda {

class CapturePoint;
class Gpu;
class Kernel;

struct Stream {
    explicit Stream(Gpu& on) : gpu(on) {}

    Gpu& gpu;
    StreamOrder order;
    unsigned flags = 0;
    int priority = 0;
    std::uint64_t id = 0;
    void* context = nullptr;                                  // in which it was created
    std::map<int, std::array<unsigned char, 64>> attributes;  // those that were set
    std::shared_ptr<CapturePoint> point;                      // how far a capture has come, while it is captured
    std::atomic<std::shared_ptr<Kernel>> last_kernel;         // its last work, for checkers; null: it is no kernel
};

/// A point in the work of a stream. Only the latest recording counts.
struct Event {
    unsigned flags = 0;
    void* context = nullptr;                  // in which it was created
    int owner = 0;                            // the device that it was created for
    std::shared_ptr<CapturePoint> point;      // what it stands for once it was recorded in a captured stream
    std::atomic<std::uint64_t> recorded{0};   // how often record() was called
    std::atomic<std::uint64_t> completed{0};  // the latest record() that was reached
    std::atomic<std::uint64_t> time_ns{0};    // when that happened
    std::atomic<int> device{-1};              // that of the stream in which it was recorded
    runtime::WorkClock follows;               // what the latest recording follows, if somebody asks

    bool is_timed() const { return (flags & 2) == 0; }
    bool is_complete() const { return completed.load() >= recorded.load(); }
};

}  // namespace warpsim::cuda
