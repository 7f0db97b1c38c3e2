#include "sim/timing/network/network.hpp"

#include "sim/timing/memory/coalescer.hpp"
#include "sim/timing/network/topologies.hpp"

#include <tuple>

namespace warpsim::timing {

namespace {

constexpr std::uint32_t header_bytes = 8;

std::uint32_t bytes_of(std::uint8_t sectors, bool has_data) {
    return header_bytes + (has_data ? count_of(sectors) * sector_bytes : 0);
}

std::unique_ptr<plugin::Topology> make_topology(sim::Config const& config) {
    plugin::TopologySettings settings;
    settings.sms = config.sm.count;
    for (std::uint32_t gpc = 0; gpc < config.sm.gpc_count(); ++gpc)
        settings.gpc_of.resize(config.sm.first_of_gpc(gpc + 1), gpc);
    settings.slices = config.l2.slices->count;
    settings.hop_cycles = config.interconnect->hop_cycles;
    settings.link_bytes_per_cycle = config.interconnect->link_bytes_per_cycle;
    return network_components().make_topology(config.interconnect->topology, settings);
}

}  // namespace

bool Network::is_needed(sim::Config const& config) { return make(config) != nullptr; }

std::unique_ptr<Network> Network::make(sim::Config const& config) {
    std::unique_ptr<Network> made(new Network(config));
    return made->topology_ || made->translation_ ? std::move(made) : nullptr;
}

Network::Network(sim::Config const& config)
    : sms_(config.sm.count),
      slices_per_partition_(config.l2.slices->count / config.dram.channels->count),
      request_latency_(config.interconnect->request_latency_cycles),
      reply_latency_(config.interconnect->reply_latency_cycles),
      topology_(make_topology(config)) {
    if (config.sm.tlb.enabled) translation_.emplace(config);
}

bool Network::Later::operator()(Packet const& a, Packet const& b) const {
    auto const order = [](Packet const& p) { return std::tie(p.sent, p.is_reply, p.from, p.to, p.number); };
    return order(b) < order(a);
}

void Network::take(std::span<engine::Outbox<MemoryRequest>* const> requests,
                   std::span<engine::Outbox<MemoryReply>* const> replies) {
    for (std::uint32_t sm = 0; sm < requests.size(); ++sm) {
        requests[sm]->each([&](std::size_t slice, auto const& message) {
            Packet p{message.time - request_latency_, sm, static_cast<std::uint32_t>(slice), taken_++};
            p.has_address = !translation_;
            p.request = message.payload;
            packets_.push(p);
        });
        requests[sm]->clear();
    }
    if (!topology_) return;
    for (std::uint32_t partition = 0; partition < replies.size(); ++partition) {
        std::vector<engine::Outbox<MemoryReply>::Message> to_copies;
        replies[partition]->each([&](std::size_t to, auto const& message) {
            if (to == sms_) return to_copies.push_back(message);
            std::uint32_t const slice = partition * slices_per_partition_ + message.payload.slice;
            Packet p{message.time - reply_latency_, slice, static_cast<std::uint32_t>(to), taken_++};
            p.is_reply = true;
            p.reply = message.payload;
            packets_.push(p);
        });
        replies[partition]->clear();
        for (auto const& message : to_copies) replies[partition]->send(sms_, message.time, message.payload);
    }
}

Cycle Network::delay(Packet const& p) {
    if (!topology_) return 0;
    plugin::Packet packet;
    packet.sm = p.is_reply ? p.to : p.from;
    packet.slice = p.is_reply ? p.from : p.to;
    packet.bytes = p.is_reply ? bytes_of(p.reply.sectors, p.reply.kind != RequestKind::write)
                              : bytes_of(p.request.sectors, p.request.kind != RequestKind::read);
    packet.is_reply = p.is_reply;
    packet.sent = p.sent;
    return topology_->delay(packet);
}

void Network::pass(Cycle end, std::span<engine::Outbox<MemoryRequest>* const> requests,
                   std::span<engine::Outbox<MemoryReply>* const> replies) {
    using Kind = Passed::Kind;
    take(requests, replies);
    passed_.clear();
    while (next_event() < end) {
        Packet p = packets_.top();
        packets_.pop();
        if (p.is_reply) {
            Cycle const late = delay(p);
            passed_.push_back({p.to, p.reply.grid, Kind::reply, late});
            replies[p.from / slices_per_partition_]->send(p.to, p.sent + reply_latency_ + late, p.reply);
            continue;
        }
        if (!p.has_address) {
            auto const [ready, was_there] = translation_->translate(p.from, p.request.line * line_bytes, p.sent);
            passed_.push_back({p.from, p.request.grid, was_there ? Kind::translated : Kind::looked_up, 0});
            p.has_address = true;
            bool const waits = ready != p.sent;
            p.sent = ready;
            if (waits) {
                packets_.push(p);
                continue;
            }
        }
        Cycle const late = delay(p);
        passed_.push_back({p.from, p.request.grid, Kind::request, late});
        requests[p.from]->send(p.to, p.sent + request_latency_ + late, p.request);
    }
}

}  // namespace warpsim::timing
