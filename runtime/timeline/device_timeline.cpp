#include "runtime/timeline/timeline.hpp"

#include "frontend/ir/module.hpp"
#include "sim/demangled.hpp"
#include "sim/engine/clock.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"

#include <algorithm>
#include <cstdio>

namespace warpsim::timeline {

namespace {

// Numbers of groups of tracks: of the GPU itself, and of its SMs behind it.
constexpr std::uint32_t host_groups = 1, groups_of_device = 1000;

thread_local Origin present_origin;

/// What one grid does on one SM.
class Part final : public sim::EventSink {
public:
    Part(SmTracks& sm, sim::LaunchContext const& launch, std::uint64_t base)
        : sm_(sm), launch_(launch), base_(base) {}

    sim::EventMask wants() const override {
        using enum sim::EventKind;
        sim::EventMask const always = sim::event_mask(cta, residence);
        return sm_.has_warps() ? always | sim::event_mask(micro_op, stall, divergence, reconvergence, barrier)
                               : always;
    }
    void cta_starts(sim::CtaStart const& e) override { sm_.start(e.cta, launch_.number, base_ + e.cycle); }
    void micro_op(sim::MicroOpEvent const& e) override {
        sm_.issue(e.cta, e.warp.index, place(e.place), base_ + e.cycle);
    }
    void stalls(sim::StallEvent const& e) override {
        sm_.stall(e.cta, e.warp.index, place(sim::is_of_last(e.reason) ? e.last : e.next), e.reason,
                  base_ + e.from, base_ + e.until);
    }
    void leaves(sim::ResidenceEvent const& e) override {
        sm_.leave(e.cta, e.warp.index, base_ + e.from, base_ + e.until);
    }
    void diverges(sim::DivergenceEvent const& e) override {
        mark(e.site, SmTracks::Mark::divergence, e.taken, e.not_taken);
    }
    void reconverges(sim::ReconvergenceEvent const& e) override {
        mark(e.site, SmTracks::Mark::reconvergence, e.lanes, 0);
    }
    void arrives_at_barrier(sim::BarrierArrival const& e) override {
        if (e.scope == sim::BarrierScope::cta) mark(e.site, SmTracks::Mark::barrier, e.id, 0);
    }
    void barrier_releases(sim::BarrierRelease const& e) override {
        if (e.scope == sim::BarrierScope::cta)
            sm_.mark(e.cta, 0, 0, SmTracks::Mark::release, e.id, 0, base_ + e.cycle);
    }

private:
    void mark(sim::Site const& site, SmTracks::Mark mark, std::uint32_t a, std::uint32_t b) {
        std::uint32_t const where = place(*site.frame.function->function, site.op.instruction);
        sm_.mark(site.cta, site.warp.index, where, mark, a, b, base_ + site.cycle);
    }
    std::uint32_t place(sim::CodePlace place) {
        return this->place(*launch_.plan.functions[place.function].function, place.instruction);
    }
    std::uint32_t place(ir::Function const& function, std::uint32_t instruction) {
        std::vector<std::uint32_t>& known = places_[&function];
        if (known.empty()) known.resize(function.instructions.size(), UINT32_MAX);
        std::uint32_t& number = known[instruction];
        if (number == UINT32_MAX) {
            ir::Module const& module = *launch_.plan.module;
            ir::Instruction const& i = function.instructions[instruction];
            number = sm_.place(module.written(i), module.place(i));
        }
        return number;
    }

    SmTracks& sm_;
    sim::LaunchContext const& launch_;
    std::uint64_t const base_;
    std::map<ir::Function const*, std::vector<std::uint32_t>> places_;
};

std::string shape(std::array<std::uint32_t, 3> const& s) {
    return std::to_string(s[0]) + "," + std::to_string(s[1]) + "," + std::to_string(s[2]);
}

}  // namespace

DeviceTimeline::DeviceTimeline(Options const& options, std::uint32_t number,
                               std::chrono::steady_clock::time_point start)
    : options_(options), number_(number), start_(start) {}

void DeviceTimeline::set_origin(Origin const& origin) { present_origin = origin; }

std::uint64_t DeviceTimeline::now_ps() const {
    return 1000 *
           static_cast<std::uint64_t>(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start_).count());
}

/// In timing mode a cycle is shown as a nanosecond.
std::uint64_t DeviceTimeline::shown(std::uint64_t ps) const {
    return is_timed() ? engine::Clock(options_.clock_mhz).first_at(ps) : ps / 1000;
}

/// Null: it is full.
DeviceTimeline::Slice* DeviceTimeline::add_slice(Origin const& origin, std::string name, char const* category,
                                                 std::uint64_t from, std::uint64_t until) {
    if (slices_.size() >= options_.events / 8) {
        is_full_ = true;
        return nullptr;
    }
    return &slices_.emplace_back(Slice{origin, from, std::max(from, until), std::move(name), category, {}});
}

void DeviceTimeline::launch_begins(sim::LaunchBegin const& e) {
    std::lock_guard const lock(mutex_);
    Launch& launch = launches_[e.launch.number];
    launch.origin = present_origin;
    if (is_timed()) launch.base = shown(e.origin);
    launch.from = is_timed() ? launch.base + e.cycle : shown(now_ps());
    launch.slice =
        add_slice(launch.origin, sim::demangled(std::string(e.kernel)), "kernel", launch.from, launch.from);
    if (launch.slice != nullptr)
        launch.slice->fields.add("launch", e.launch.number - 1)
            .add("grid", shape(e.launch.grid))
            .add("block", shape(e.launch.block));
}

void DeviceTimeline::launch_ends(sim::LaunchEnd const& e) {
    std::lock_guard const lock(mutex_);
    Launch& launch = launches_[e.launch.number];
    launch.until = std::max(launch.from, is_timed() ? launch.base + e.cycle : shown(now_ps()));
    if (launch.slice != nullptr) launch.slice->until = launch.until;
    if (!e.has_faulted) return;
    if (launch.slice != nullptr) launch.slice->name += " (faulted)";
    for (auto const& [number, sm] : sms_) sm->drop(e.launch.number, launch.until);
}

bool DeviceTimeline::listens_to(sim::LaunchContext const&) { return is_timed(); }

std::shared_ptr<sim::EventSink> DeviceTimeline::part(sim::LaunchContext const& launch, std::uint32_t sm) {
    std::lock_guard const lock(mutex_);
    std::unique_ptr<SmTracks>& tracks = sms_[sm];
    if (!tracks) {
        // Half of the events for warps, a quarter for the CTAs of all other SMs: the same share each, so that it does
        // not matter which of them comes first.
        bool const has_warps = sm < options_.detailed_sms;
        std::uint64_t const share = has_warps ? options_.events / 2 / options_.detailed_sms
                                              : options_.events / 4 / std::max(options_.sms, 1u);
        tracks = std::make_unique<SmTracks>(sm, std::max<std::uint64_t>(share, 100), has_warps);
    }
    return std::make_shared<Part>(*tracks, launch, launches_[launch.number].base);
}

void DeviceTimeline::work(Origin const& origin, std::string name, std::uint64_t bytes, std::uint64_t from,
                          std::uint64_t until) {
    std::lock_guard const lock(mutex_);
    if (Slice* const slice = add_slice(origin, std::move(name), "copy", shown(from), shown(until)))
        slice->fields.add("bytes", bytes);
}

void DeviceTimeline::name_stream(std::uint64_t number, std::string name) {
    std::lock_guard const lock(mutex_);
    streams_.try_emplace(number, std::move(name));
}

void DeviceTimeline::counted(sim::LaunchStatistics const& counted) {
    std::lock_guard const lock(mutex_);
    auto const known = launches_.find(counted.number);
    if (known == launches_.end()) return;
    if (Slice* const slice = known->second.slice) {
        slice->fields.add("warp_instructions", counted.instructions.warp);
        if (counted.timing)
            slice->fields.add("cycles", counted.timing->cycles).add("micro_ops", counted.timing->micro_ops);
    }
    if (counted.timing) add_samples(known->second, counted);
    launches_.erase(known);
}

/// Counters of the launch, at most a thousand of each: several samples become one.
void DeviceTimeline::add_samples(Launch const& launch, sim::LaunchStatistics const& counted) {
    sim::TimingCounts const& t = *counted.timing;
    if (t.intervals.empty()) return;
    if (samples_.size() >= options_.events / 8) {
        is_full_ = true;
        return;
    }
    constexpr std::size_t most = 1000;
    std::size_t const together = (t.intervals.size() + most - 1) / most;
    std::string const suffix =
        launch.origin.stream == 0 ? "" : " (stream " + std::to_string(launch.origin.stream) + ")";
    auto const add = [&](std::uint64_t at, char const* name, double value) {
        samples_.push_back({at, name + suffix, value});
    };
    auto const rate = [](std::uint64_t part, std::uint64_t whole) {
        return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
    };
    for (std::size_t i = 0; i < t.intervals.size(); i += together) {
        std::uint64_t const begin = i * t.interval_cycles;
        if (begin >= t.cycles) break;
        std::size_t const end = std::min(i + together, t.intervals.size());
        // DRAM may go on after the end of the launch.
        bool const is_last = (i + together) * t.interval_cycles >= t.cycles || end == t.intervals.size();
        sim::IntervalSample sum = t.intervals[i];
        for (std::size_t j = i + 1; j < (is_last ? t.intervals.size() : end); ++j) sum += t.intervals[j];
        std::uint64_t const cycles = is_last ? t.cycles - begin : together * t.interval_cycles;
        std::uint64_t const at = launch.from + begin;
        std::uint64_t const l2 = sum.l2.all_sectors();
        add(at, "IPC of an SM", rate(sum.micro_ops, cycles * t.sms));
        add(at, "warps of an SM", rate(sum.resident_warp_cycles, cycles * t.sms));
        add(at, "L1 hit rate, %", 100 * rate(sum.l1.tag_hits, sum.l1.load_sectors));
        add(at, "L2 hit rate, %", 100 * rate(sum.l2.tag_hits + sum.l2.write_sectors, l2));
        add(at, "L2, bytes a cycle", 32 * rate(l2, cycles));
        add(at, "DRAM, GB/s",
            32e-3 * t.clock_mhz * rate(sum.dram.read_sectors + sum.dram.written_sectors, cycles));
    }
    for (char const* const name :
         {"IPC of an SM", "warps of an SM", "L1 hit rate, %", "L2 hit rate, %", "L2, bytes a cycle", "DRAM, GB/s"})
        add(launch.until, name, 0);
}

bool DeviceTimeline::was_cut() const {
    return is_full_ || std::any_of(sms_.begin(), sms_.end(), [](auto const& sm) { return sm.second->was_cut(); });
}

void DeviceTimeline::write(TraceFile& file) const {
    std::lock_guard const lock(mutex_);
    std::uint32_t const group = host_groups + 1 + number_ * groups_of_device;
    file.name_group(group, "GPU " + std::to_string(number_) + ": " + options_.config);
    std::vector<Slice const*> order;
    for (Slice const& slice : slices_) order.push_back(&slice);
    std::stable_sort(order.begin(), order.end(), [](Slice const* a, Slice const* b) {
        if (a->origin.stream != b->origin.stream) return a->origin.stream < b->origin.stream;
        return a->from != b->from ? a->from < b->from : a->until > b->until;
    });
    std::uint64_t last = UINT64_MAX;
    for (Slice const* const slice : order) {
        Track const track{group, static_cast<std::uint32_t>(slice->origin.stream) + 1};
        if (slice->origin.stream != last) {
            last = slice->origin.stream;
            auto const name = streams_.find(last);
            file.name_track(track, name != streams_.end() ? name->second : "kernels");
        }
        file.slice(track, slice->from, slice->until - slice->from, slice->name, slice->category, slice->fields,
                   {slice->origin.call, false});
    }
    for (Sample const& sample : samples_) file.counter(group, sample.at, sample.name, sample.value);
    for (auto const& [number, sm] : sms_)
        if (!sm->is_empty()) sm->write(file, group + 1 + number);
}

}  // namespace warpsim::timeline
