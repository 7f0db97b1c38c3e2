// What lies between SMs and slices, where a configuration models more of it than latencies and ports: translation, and
// a topology with links. All SMs share it, so it works between epochs, on packets in the order in which they are sent.
#pragma once

#include "sim/config/config.hpp"
#include "sim/engine/channel.hpp"
#include "sim/plugin/plugin.hpp"
#include "sim/timing/memory/messages.hpp"
#include "sim/timing/network/translation.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <vector>

namespace warpsim::timing {

class Network {
public:
    /// Null: the configuration models nothing that would need it.
    static std::unique_ptr<Network> make(sim::Config const& config);
    /// Whether make() gives one.
    static bool is_needed(sim::Config const& config);

    /// What happened to a packet, and whose it is.
    struct Passed {
        enum class Kind : std::uint8_t { request, reply, translated, looked_up };  // the last two beside the first
        std::uint32_t sm;
        GridNumber grid;
        Kind kind;
        Cycle delay;  // in the topology
    };

    /// When the next packet is sent of those that have not been passed on.
    Cycle next_event() const { return packets_.empty() ? engine::never : packets_.top().sent; }
    /// Between epochs: takes the packets out of the outboxes of SMs and of partitions. Those that are sent before `end`,
    /// when the epoch ends, are put back with the cycle of their arrival, which is in a later one.
    void pass(Cycle end, std::span<engine::Outbox<MemoryRequest>* const> requests,
              std::span<engine::Outbox<MemoryReply>* const> replies);
    /// What the last call has passed on.
    std::vector<Passed> const& passed() const { return passed_; }
    template <class Archive> void state(Archive& archive) {
        if (translation_) archive(*translation_);
        archive.component(topology_);
        archive(packets_.all(), taken_);
    }

private:
    explicit Network(sim::Config const& config);

    struct Packet {
        Cycle sent;
        std::uint32_t from, to;  // of SMs, slices, partitions, as in their outboxes
        std::uint64_t number;    // in the order of taking
        bool is_reply = false;
        bool has_address = false;
        MemoryRequest request{};
        MemoryReply reply{};
    };
    struct Later {
        bool operator()(Packet const& a, Packet const& b) const;
    };
    void take(std::span<engine::Outbox<MemoryRequest>* const> requests,
              std::span<engine::Outbox<MemoryReply>* const> replies);
    Cycle delay(Packet const& packet);

    std::uint32_t sms_, slices_per_partition_;
    Cycle request_latency_, reply_latency_;
    std::optional<Translation> translation_;
    std::unique_ptr<plugin::Topology> topology_;  // null: a crossbar
    struct Queue : std::priority_queue<Packet, std::vector<Packet>, Later> {
        std::vector<Packet>& all() { return c; }
    };
    Queue packets_;
    std::uint64_t taken_ = 0;
    std::vector<Passed> passed_;
};

}  // namespace warpsim::timing
