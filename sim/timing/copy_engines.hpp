// The engines that copy between the host and the GPU and inside it, and fill: a component that sends requests to L2 as
// SMs do. A copy goes to the engine of its way that is free first. Its lines pass at the pace of the bus, or of what
// engines get of DRAM, and no faster than L2 and DRAM answer. While no grid is under way nothing competes with them:
// then their lines pass at that pace without requests.
#pragma once

#include "sim/config/config.hpp"
#include "sim/engine/channel.hpp"
#include "sim/engine/clock.hpp"
#include "sim/timing/memory/address_map.hpp"
#include "sim/timing/memory/copy_area.hpp"
#include "sim/timing/memory/messages.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;
using engine::Time;

/// What the host asks an engine to do.
struct CopyOrder {
    enum class Way : std::uint8_t { to_device, to_host, inside, fill };  // the last two have engines in common
    Way way = Way::inside;
    bool is_pageable = false;  // the host's memory
    std::uint64_t bytes = 0;
    CopyArea from{}, to{};     // of device memory; empty for the host's side
    std::uint64_t ticket = 0;  // chosen by the caller
};

class CopyEngines {
public:
    /// `settling`: after so many cycles everything has happened that epochs of any length have in common.
    CopyEngines(sim::Config const& config, AddressMap const& map, Cycle settling);

    /// Between epochs: a copy that may begin at that time.
    void begin(CopyOrder const& order, Time at);
    /// Between epochs: grids are under way from cycle `at` on, or none is any more.
    void grids_begin(Cycle at);
    void grids_end(Cycle at);
    /// Lines that were written without requests, since this was cleared.
    struct Passed {
        Cycle at;
        CopyArea to;
        std::uint64_t first, past;  // by position in the area
    };
    std::vector<Passed>& passed() { return passed_; }
    struct Ended {
        std::uint64_t ticket;
        Time at;
    };
    /// Copies that have ended since this was cleared.
    std::vector<Ended>& ended() { return ended_; }
    bool is_idle() const { return running_.empty() && waiting_.empty(); }

    Cycle next_event() const;
    /// Handles everything from cycle `begin` to before `end`.
    void run(Cycle begin, Cycle end);
    engine::Inbox<MemoryReply>& inbox() { return inbox_; }
    engine::Outbox<MemoryRequest>& outbox() { return outbox_; }
    template <class Archive> void state(Archive& archive) {
        archive(engines_, waiting_, running_, free_lines_, asks_until_, inbox_, passed_, ended_);
        archive.list(lines_, [&](Line& line) { keep(archive, line); });
    }

private:
    struct Copy {
        CopyOrder order;
        std::size_t engine = 0;
        std::uint64_t lines = 0;
        Time length = 0;    // of all lines on the bus
        Time earliest = 0;  // of a request
        Time lead = 0;      // of a request before its line passes the bus
        // Line i passes the bus at `since` + (i - past + 1) / lines of the length.
        Time since = 0;
        std::uint64_t past = 0;
        std::uint64_t next = 0;  // the first line that has not been asked for
        bool is_held_up = false;
        std::uint64_t under_way = 0, most_under_way = 0;  // lines
        Time last = 0;                                    // when what is over was over
    };
    struct Line {  // under way
        Copy* copy = nullptr;
        std::uint64_t position = 0;
        bool is_read = false;
        std::uint8_t sectors = 0;  // that have not arrived
    };
    struct Waiting {
        CopyOrder order;
        Time asked;
    };

    /// The copy of a line by its place; of one that is not under way it is any or none.
    template <class Archive> void keep(Archive& archive, Line& line) {
        auto const found = std::find_if(running_.begin(), running_.end(),
                                        [&](auto const& copy) { return copy.get() == line.copy; });
        auto place = static_cast<std::uint64_t>(found - running_.begin());
        archive(place, line.position, line.is_read, line.sectors);
        line.copy = place < running_.size() ? running_[place].get() : nullptr;
    }

    std::vector<Time>& engines_for(CopyOrder const& order);
    Time length_of(CopyOrder const& order) const;
    void start_waiting();
    void start(CopyOrder const& order, std::size_t engine, Time at);
    static Time passes(Copy const& copy, std::uint64_t line);
    Cycle asked_for(Copy const& copy, std::uint64_t line) const;
    Cycle next_event(Copy const& copy) const;
    void pass_until(Copy& copy, Cycle until, Cycle now);
    void send_due(Copy& copy, Cycle now);
    void ask(Copy& copy, std::uint64_t position, Cycle now);
    void send(Copy& copy, std::uint64_t position, bool is_read, Cycle now);
    void receive(MemoryReply const& reply, Cycle now);
    void end_finished(Cycle now);

    sim::CopiesConfig config_;
    AddressMap map_;
    engine::Clock core_;
    Cycle const settling_, request_latency_;
    Time write_trip_, read_trip_;  // when nothing else is under way
    std::uint64_t dram_mb_per_s_;
    std::array<std::vector<Time>, 3> engines_;  // by way: from when on each is free; never: it copies
    std::vector<Waiting> waiting_;              // in order
    std::vector<std::unique_ptr<Copy>> running_;
    std::vector<Line> lines_;  // by token
    std::vector<std::uint32_t> free_lines_;
    Cycle asks_until_ = 0;  // lines that are due before this cycle are asked for by requests
    engine::Inbox<MemoryReply> inbox_;
    engine::Outbox<MemoryRequest> outbox_;
    std::vector<Passed> passed_;
    std::vector<Ended> ended_;
};

}  // namespace warpsim::timing
