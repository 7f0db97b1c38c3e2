// What a program can put into a stream. One piece of work is the same whether a call submits it, a stream is being
// captured, or a graph holds it.
#pragma once

#include "runtime/cuda/streams/copies.hpp"

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace warpsim::cuda {

class Condition;
class Graph;
class GraphMemory;

struct EmptyWork {};

struct KernelWork {
    std::shared_ptr<Kernel> kernel;
    runtime::LaunchShape shape;
    runtime::Arguments arguments;
    int priority = 0;
    void* function = nullptr;  // what the program called it by
};

struct FillWork {
    Box to;
    Extent extent;  // the width in bytes
    std::uint32_t value = 0;
    unsigned element_bytes = 1;
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

// Of graphs alone:

struct AllocationWork {
    std::shared_ptr<GraphMemory> memory;
};
struct FreeWork {
    std::uint64_t address = 0;
};
struct ChildWork {
    std::shared_ptr<Graph> graph;
};
/// Bodies that run as a value says which kernels set.
struct ConditionalWork {
    std::shared_ptr<Condition> condition;
    int type = 0;  // 0 if (and else), 1 while, 2 switch
    std::vector<std::shared_ptr<Graph>> bodies;
    std::shared_ptr<std::vector<void*>> handles;  // of the bodies, for the program to read
};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork, ValueWork,
                          AllocationWork, FreeWork, ChildWork, ConditionalWork>;

/// Throws the Failure that CUDA gives for work that cannot be done.
void check(Gpu& gpu, KernelWork const& work);
void check(CopyWork const& work);
void check(FillWork const& work);
void check(ValueWork const& work);

/// Puts checked work into a stream, or into the graph that the stream is captured for.
void submit(Stream& stream, Work const& work);

}  // namespace warpsim::cuda
