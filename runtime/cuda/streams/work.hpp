// What a program can put into a stream. One piece of work is the same whether a call submits it, a stream is being
// captured, or a graph holds it.
#pragma once

#include "runtime/cuda/code/kernel_launch.hpp"
#include "runtime/cuda/streams/copies.hpp"

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace warpsim::cuda {

struct EmptyWork {};

struct FillWork {
    Box to;
    Extent extent;  // the width in bytes
    std::uint32_t value = 0;
    unsigned element_bytes = 1;
    std::size_t pitch_of_one_row = 0;  // means nothing, but programs that ask get what they said
};

struct HostWork {
    void (*function)(void*) = nullptr;
    void* data = nullptr;
};

struct RecordWork {
    std::shared_ptr<Event> event;
    void* handle = nullptr;
};

struct WaitWork {
    std::shared_ptr<Event> event;
    void* handle = nullptr;
};

/// Waits for a value in memory, or writes one.
struct ValueOperation {
    enum class Kind : std::uint8_t { wait_32, wait_64, write_32, write_64, barrier };
    enum class Comparison : std::uint8_t { at_least, equal, any_bit, not_all_bits };
    Kind kind = Kind::barrier;
    Comparison comparison = Comparison::at_least;
    std::uint64_t address = 0;
    std::uint64_t value = 0;
    unsigned flags = 0, code = 0;  // as they were given

    bool is_wait() const { return kind == Kind::wait_32 || kind == Kind::wait_64; }
    bool is_wide() const { return kind == Kind::wait_64 || kind == Kind::write_64; }
};
struct ValueWork {
    std::vector<ValueOperation> operations;
};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork, ValueWork>;

/// What takes the time of a copy or fill on that device, in timing mode.
runtime::TimedCopy in_time(Process& process, Gpu const& gpu, CopyWork const& work);
runtime::TimedCopy in_time(Process& process, Gpu const& gpu, FillWork const& work);

/// Whose memory the work of a stream uses: of that device, or of another.
CopyDevices devices_of(Process& process, Gpu& here, CopyWork const& work);
runtime::Device const& device_of(Process& process, Gpu& here, FillWork const& work);

/// Throw the Failure that CUDA gives for work that cannot be done.
void check(Process& process, CopyWork const& work);
void check(Process& process, FillWork const& work);
void check(Process& process, ValueWork const& work);

/// Puts checked work into a stream, or into the graph that the stream is captured for.
void submit(Process& process, Stream& stream, Work const& work);

/// Puts work into a stream that is not captured: a visitor of the kinds of work.
struct Submission {
    Process& process;
    Stream& stream;

    void operator()(EmptyWork const&) const {}
    void operator()(KernelWork const& work) const;
    void operator()(CopyWork const& work) const;
    void operator()(FillWork const& work) const;
    void operator()(HostWork const& work) const;
    void operator()(RecordWork const& work) const;
    void operator()(WaitWork const& work) const;
    void operator()(ValueWork const& work) const;
};

}  // namespace warpsim::cuda
