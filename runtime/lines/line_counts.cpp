#include "runtime/lines/line_counts.hpp"

#include "frontend/ir/module.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"
#include "sim/found_source.hpp"

#include <algorithm>
#include <bit>
#include <fstream>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

namespace warpsim::lines {

/// Accesses of one instruction, with the distances that occur between neighbouring lanes.
struct LineCounts::Accesses : sim::LineAccesses {
    static constexpr std::size_t most_distances = 16;
    std::map<std::int64_t, std::uint64_t> distances;

    void add_distance(std::int64_t bytes, std::uint64_t count) {
        auto const known = distances.find(bytes);
        if (known != distances.end()) known->second += count;
        else if (distances.size() < most_distances) distances.emplace(bytes, count);
    }
    void choose_distance() {
        for (auto const& [bytes, count] : distances) {
            if (count <= at_distance) continue;
            distance = bytes;
            at_distance = count;
        }
    }
};

namespace {

/// Between the first two lanes that are neighbours.
std::optional<std::int64_t> distance_of(sim::Addresses const& a) {
    sim::LaneMask const pairs = a.mask & (a.mask >> 1);
    if (pairs == 0) return std::nullopt;
    int const lane = std::countr_zero(pairs);
    return static_cast<std::int64_t>(a.of(lane + 1) - a.of(lane));
}

}  // namespace

class LineCounts::Part final : public sim::EventSink {
public:
    explicit Part(sim::Banks banks) : banks_(banks) {}

    sim::EventMask wants() const override {
        return sim::event_mask(sim::EventKind::access, sim::EventKind::warp_copy);
    }
    void access(sim::AccessEvent const& e) override { add(e.site, e.space, e.addresses); }
    void warp_copies(sim::WarpCopyIssue const& e) override {
        if (e.from.mask != 0) add(e.site, sim::SpaceKind::global, e.from);
        add(e.site, sim::SpaceKind::shared, e.to);
    }
    void add_to(Accesses& sum, ir::Function const& function, std::uint32_t instruction) const {
        auto const known = functions_.find(&function);
        if (known == functions_.end()) return;
        Accesses const& here = known->second[instruction];
        sim::add(static_cast<sim::LineAccesses&>(sum), static_cast<sim::LineAccesses const&>(here));
        for (auto const& [bytes, count] : here.distances) sum.add_distance(bytes, count);
    }

private:
    void add(sim::Site const& site, sim::SpaceKind space, sim::Addresses const& addresses) {
        ir::Function const& function = *site.frame.function->function;
        std::vector<Accesses>& here = functions_[&function];
        if (here.empty()) here.resize(function.instructions.size());
        Accesses& a = here[site.op.instruction];
        auto const lanes = static_cast<std::uint64_t>(std::popcount(addresses.mask));
        if (space == sim::SpaceKind::shared) {
            ++a.shared_requests;
            a.shared_passes += sim::bank_conflicts(addresses, banks_);
        } else if (space == sim::SpaceKind::global || space == sim::SpaceKind::local) {
            ++a.requests;
            a.lanes += lanes;
            a.bytes += lanes * addresses.bytes;
            a.sectors += sim::count_sectors(addresses);
        } else {
            return;
        }
        if (auto const distance = distance_of(addresses)) a.add_distance(*distance, 1);
    }

    sim::Banks const banks_;
    std::unordered_map<ir::Function const*, std::vector<Accesses>> functions_;
};

std::shared_ptr<sim::EventSink> LineCounts::part(sim::LaunchContext const& launch, std::uint32_t) {
    auto one = std::make_shared<Part>(banks_);
    std::lock_guard const lock(mutex_);
    parts_[launch.number].push_back(one);
    return one;
}

void LineCounts::keep_texts(ir::Module const& module) {
    for (auto const& source : module.sources) {
        if (!texts_.try_emplace(source->name(), source->text()).second) continue;
        for (std::string const& file : module.files) {
            if (file.empty()) continue;
            // By the name that Module::source_place() says, which nvcc makes a whole path.
            std::ifstream in(sim::found_source(file, source->name()), std::ios::binary);
            if (in) texts_.try_emplace(file, std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
        }
    }
}

void LineCounts::counts(sim::CountsEvent const& e) {
    std::lock_guard const lock(mutex_);
    ir::Module const& module = *e.launch.plan.module;
    if (keeps_texts_) keep_texts(module);
    std::vector<std::shared_ptr<Part>> const parts = std::exchange(parts_[e.launch.number], {});
    parts_.erase(e.launch.number);
    std::vector<sim::LineProfile>& lines = lines_[e.launch.number];
    // Functions in their order, instructions in that of the PTX; the copies of an unrolled loop are one instruction.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<sim::LineProfile, Accesses>> sums;
    for (sim::ExecutionCount const& count : e.counts) {
        if (count.warps == 0) continue;
        ir::Function const& function = *e.launch.plan.functions[count.place.function].function;
        ir::Instruction const& instruction = function.instructions[count.place.instruction];
        auto& [line, accesses] = sums[{count.place.function, instruction.span.offset}];
        if (line.executed == 0) {
            line.function = function.name;
            line.place = module.place(instruction);
            line.text = module.written(instruction);
            line.source = module.source_place(instruction);
        }
        line.executed += count.warps;
        line.threads += count.threads;
        line.threads_guarded += count.threads_guarded;
        line.divergent += count.divergent;
        for (auto const& part : parts) part->add_to(accesses, function, count.place.instruction);
    }
    for (auto& [place, sum] : sums) {
        sum.second.choose_distance();
        sum.first.accesses = sum.second;
        lines.push_back(std::move(sum.first));
    }
}

std::vector<sim::LineProfile> LineCounts::take(std::uint64_t launch,
                                               std::vector<sim::LineProfile> const& profile) {
    std::lock_guard const lock(mutex_);
    std::vector<sim::LineProfile> lines = std::exchange(lines_[launch], {});
    lines_.erase(launch);
    if (profile.empty()) return lines;
    // The profile has also what is no instruction of the PTX. An instruction that was executed several times on one line is
    // found by its text.
    std::vector<sim::LineProfile> merged = profile;
    std::map<std::string, std::size_t> at;
    auto const key = [](sim::LineProfile const& line) {
        return line.function + '\n' + line.place + '\n' + line.text;
    };
    for (std::size_t i = 0; i < merged.size(); ++i) at.try_emplace(key(merged[i]), i);
    for (sim::LineProfile const& line : lines) {
        auto const known = at.find(key(line));
        if (known == at.end()) continue;
        merged[known->second].divergent += line.divergent;
        merged[known->second].accesses = line.accesses;
    }
    return merged;
}

Texts LineCounts::texts() const {
    std::lock_guard const lock(mutex_);
    return texts_;
}

}  // namespace warpsim::lines
