// What a program does with a simulated GPU: allocate, copy, load PTX, launch, wait. The C interfaces and the
// command are built on this.
#pragma once

#include "runtime/launch.hpp"
#include "sim/config/config.hpp"
#include "sim/fault_kind.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sim {
enum class AllocationSource : std::uint8_t;
}  // namespace warpsim::sim

namespace warpsim::sim::texture {
class Table;
struct Sampler;
}  // namespace warpsim::sim::texture

namespace warpsim::runtime {

/// An address of device memory, as kernels see it.
using DevicePointer = std::uint64_t;

class Module;

/// PTX in memory, under the name that messages call it.
struct PtxText {
    std::string name;
    std::string text;
};

/// Options that apply to all kernels of a module. A kernel's own directives take precedence.
struct LoadOptions {
    std::uint32_t max_registers = 0;  // per thread, as .maxnreg; 0: no limit
    RegisterCounts registers = {};  // of kernels whose machine code is known; DeviceOptions::registers come first
    /// Where the module's memory is, as Module::placement() has told it earlier; empty: anywhere.
    std::vector<DevicePointer> placement = {};
};

struct KernelAttributes {
    std::uint32_t registers_per_thread = 0;
    std::uint64_t shared_bytes = 0;    // static, per CTA
    std::uint64_t local_bytes = 0;     // per thread
    std::uint64_t constant_bytes = 0;  // of the module
    std::uint64_t parameter_bytes = 0;
    std::uint32_t max_threads_per_cta = 0;  // by its registers and directives
    int target = 0;                         // 90 for sm_90
    int version = 0;                        // of the ISA: 80 for 8.0
    std::array<std::uint32_t, 3> required_cluster{0, 0, 0};
    // By griddepcontrol, somewhere in its code: it waits for the grids before it, or lets those behind it begin.
    bool waits_for_grids = false, lets_grids_begin = false;
};

/// Limits of a device that a program may change, in bytes. The configuration gives the initial values.
enum class Limit : std::uint8_t { stack, printf_buffer, malloc_heap };

/// A copy or fill of timing mode, whose bytes the caller moves.
struct TimedCopy {
    enum class Way : std::uint8_t { to_device, to_host, inside, fill };
    Way way = Way::inside;
    bool is_pageable = false;  // the host's memory
    std::uint64_t bytes = 0;
    /// Rows of device memory; none for the host's side.
    struct Area {
        DevicePointer at = 0;
        std::uint64_t width = 0, rows = 1;
        std::uint64_t distance = 0;  // from one row to the next
    };
    Area from{}, to{};
};

/// One simulated GPU. Launches come one at a time, everything else from any thread.
class Device {
public:
    explicit Device(sim::Config config, DeviceOptions options = {});
    ~Device();
    Device(Device const&) = delete;
    Device& operator=(Device const&) = delete;

    sim::Config const& config() const;

    /// `bytes` of zeroed global memory, 512-aligned. Throws Error(launch) when the device's memory is exhausted.
    DevicePointer allocate(std::uint64_t bytes);
    /// ... which sinks are told to be of that source.
    DevicePointer allocate(std::uint64_t bytes, sim::AllocationSource source);
    /// Zeroed memory at an address that another process has had, also of its host's memory: to repeat what happened there.
    /// Throws Error(launch) when the address is not free here.
    void allocate_at(DevicePointer address, std::uint64_t bytes);
    /// Whether all of it lies in one allocation.
    bool is_allocated(DevicePointer address, std::uint64_t bytes) const;
    /// Throws Error(launch) for an address that allocate() did not return or that was freed.
    void free(DevicePointer pointer);
    /// Makes memory of this process visible to kernels at its own address, until end_visible() of that address.
    /// Both throw Error(launch): when a part is visible already, when nothing began there.
    void make_visible(void* memory, std::size_t bytes);
    void end_visible(void* memory);
    /// Bytes that allocate() has given out and not taken back, and the most it gives.
    std::uint64_t used_bytes() const;
    std::uint64_t capacity_bytes() const;
    /// Both throw Error(launch) when the range is not inside one allocation.
    void write(DevicePointer to, void const* from, std::size_t bytes);
    void read(void* to, DevicePointer from, std::size_t bytes) const;
    /// The textures, samplers and surfaces that kernels find by handle; a launch sees those of its beginning.
    sim::texture::Table& textures() const;

    /// For bytes that are moved or set without these two: tells the sinks of DeviceOptions what of it concerns memory
    /// of this device, which both addresses or one of them may name.
    void tell_moved(std::uint64_t to, std::uint64_t from, std::size_t bytes) const;
    void tell_set(std::uint64_t to, std::size_t bytes) const;
    /// Whether any sink listens to them.
    bool is_watched() const;

    template <class T> DevicePointer upload(std::vector<T> const& values) {
        DevicePointer const p = allocate(values.size() * sizeof(T));
        write(p, values.data(), values.size() * sizeof(T));
        return p;
    }
    template <class T> std::vector<T> download(DevicePointer from, std::size_t count) const {
        std::vector<T> values(count);
        read(values.data(), from, count * sizeof(T));
        return values;
    }

    /// A stack is of one thread. The heap and the buffer cannot change once a kernel has used them: set_limit()
    /// then throws Error(launch), as for a value that the device cannot meet.
    std::uint64_t limit(Limit which) const;
    void set_limit(Limit which, std::uint64_t bytes);

    /// Reads, checks and links PTX files or texts into one module on this device; its globals are initialised.
    /// Several are read by as many host threads as the device may use. Throws Error(ptx) with the rendered
    /// diagnostics, Error(usage) for a file that cannot be read. Warnings go to the log.
    std::shared_ptr<Module> load_file(std::string const& path, LoadOptions const& options = {});
    std::shared_ptr<Module> load_text(std::string const& name, std::string const& text,
                                      LoadOptions const& options = {});
    std::shared_ptr<Module> load_files(std::vector<std::string> const& paths, LoadOptions const& options = {});
    std::shared_ptr<Module> load_texts(std::vector<PtxText> texts, LoadOptions const& options = {});

    /// Plans all kernels now; else each is planned when it is first launched or asked about. Throws Error(launch)
    /// that says what of them is not executed.
    void prepare(Module& module);
    /// Throws Error(launch) when the launch cannot be placed, without running it: naming the resource and the
    /// limit.
    void check(Module& module, std::string_view kernel, LaunchShape const& shape, std::size_t argument_bytes);
    /// What the kernel needs on this device.
    KernelAttributes attributes(Module& module, std::string_view kernel);
    /// How many CTAs of that shape one SM holds at once; 0 when not even one fits.
    std::uint32_t ctas_per_sm(Module& module, std::string_view kernel, LaunchShape const& shape);
    /// Runs one kernel to its end, in timing mode after everything else. Throws Error(launch) when it cannot be placed,
    /// FaultError when it faulted.
    LaunchResult launch(Module& module, std::string_view kernel, LaunchShape const& shape,
                        Arguments const& arguments);

    // Timing mode, for callers that keep several things under way at once. What they begin goes on only inside of
    // advance(). Times are picoseconds since the device was made. Nothing may begin before a time that advance()
    // has returned or was given.

    using Ticket = std::uint64_t;
    /// Begins a kernel; CTAs of one with a greater `priority` come first. `told` is called inside of advance() or
    /// settle(), some time after the end, when everything that was counted is known. A launch that is not timed has ended,
    /// and been told of, when this returns 0. Throws Error(launch) as launch() does.
    Ticket begin_launch(std::shared_ptr<Module> module, std::string_view kernel, LaunchShape const& shape,
                        Arguments const& arguments, int priority, std::uint64_t at,
                        std::function<void(LaunchResult const&)> told);
    /// Begins a copy or fill on the engine that is free first.
    Ticket begin_copy(TimedCopy const& copy, std::uint64_t at);
    struct Ended {
        Ticket ticket;
        std::uint64_t at;
    };
    /// Goes on until copies end, or kernels with the grids that they launched; or until everything before `until` has
    /// happened.
    /// What is returned may lie after `until`. Throws FaultError: then nothing is under way any more.
    std::vector<Ended> advance(std::uint64_t until);
    /// With no kernel under way: goes on until everything is known of those that have ended.
    void settle();
    /// The first time that lies behind everything that has happened.
    std::uint64_t quiet_time() const;

    struct State;

private:
    std::unique_ptr<State> state_;
};

/// A loaded module: the lifetime of its variables on the device.
class Module {
public:
    struct Parameter {
        std::string name;
        std::string type;  // "u64", "f32", "b8" (arrays of bytes are structs)
        std::uint64_t offset = 0;
        std::uint64_t size = 0;           // bytes
        bool is_pointer = false;          // declared .ptr
        std::uint64_t address_bytes = 8;  // of any address in its module
    };
    struct Symbol {
        DevicePointer address = 0;
        std::uint64_t size = 0;
        bool is_constant = false;
        bool is_managed = false;
        std::string type = {};  // "u64", "b8", "texref"
    };
    ~Module();
    std::vector<std::string> kernels() const;
    bool has_kernel(std::string_view name) const;
    std::vector<Parameter> parameters(std::string_view kernel) const;
    /// The .global or .const variable of that name; throws Error(usage) naming the nearest when there is none.
    Symbol symbol(std::string_view name) const;
    /// Changes what the declaration of a texture or a sampler sets: `.texref t = { filter_mode = linear }`.
    void apply_settings(std::string_view name, sim::texture::Sampler& sampler) const;
    /// Symbols are read and written through the device: .const ones too, by these.
    void write_symbol(std::string_view name, std::uint64_t offset, void const* from, std::size_t bytes);
    void read_symbol(std::string_view name, std::uint64_t offset, void* to, std::size_t bytes) const;

    struct State;
    explicit Module(std::shared_ptr<State> state);
    State& state() { return *state_; }
    State const& state() const { return *state_; }

private:
    std::shared_ptr<State> state_;
};

}  // namespace warpsim::runtime
