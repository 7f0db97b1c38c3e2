// What is remembered of an access: who made it, with which instruction, and from when on others can know that it is over.
#pragma once

#include "frontend/isa/operands.hpp"
#include "frontend/isa/types.hpp"
#include "runtime/check/findings/act.hpp"
#include "runtime/check/race/clock.hpp"

#include <cstdint>

namespace warpsim::check {

enum class Sort : std::uint8_t { read, write, atomic };

/// Who accesses memory for an instruction: the thread, or something that works beside it and is waited for.
enum class Engine : std::uint8_t {
    thread,
    copies,    // cp.async
    bulk,      // cp.async.bulk, which signals an mbarrier
    grouped,   // ... whose groups are waited for
    store,     // st.async, red.async
    products,  // wgmma
    work,      // tcgen05.mma, cp, shift
};

/// An instruction that a warp has executed, possibly several times without synchronising in between.
struct Record {
    /// What an engine does beside its thread is over at a time that is not known yet.
    static constexpr Time pending = ~Time{0};

    std::uint64_t cta = 0;
    Time time = 0;    // of the thread, or when it has waited for the engine
    Time issued = 0;  // as `agent` counts
    Agent agent = 0;  // who knows that this one has come to `issued` knows that it is over
    Instruction instruction;
    isa::LaneMask begun = 0;   // lanes whose part is waited for
    std::uint32_t launch = 0;  // among those that are remembered
    std::uint32_t warp = 0;
    std::uint32_t mbarrier = 0;  // that the engine signals: its offset in shared memory
    Sort sort = Sort::read;
    Engine engine = Engine::thread;
    Proxy proxy = Proxy::generic;
    bool is_strong = false;
    bool is_by_lane = false;  // lanes have waited at different times
    isa::Scope scope = isa::Scope::none;
    std::uint8_t bytes_log2 = 0;

    bool is_beside() const { return engine != Engine::thread; }
};

}  // namespace warpsim::check
