// Records what an instruction does to memory and beyond its CTA while it is executed, for the code that issues it.
#pragma once

#include "sim/exec/memory_model.hpp"
#include "sim/exec/tensor/matrix_work.hpp"
#include "sim/timing/plan/timing_plan.hpp"
#include "sim/timing/sm/data_path.hpp"
#include "sim/timing/sm/deferred_effects.hpp"
#include "sim/timing/sm/sm_message.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpsim::timing {

/// A bulk copy or st.async and its targets: several CTAs for a multicast.
struct Issued {
    std::vector<std::shared_ptr<Transfer>> targets;  // all of them read the same bytes
};

/// What the grids on an SM share of its matrix unit.
struct SharedMatrixUnit {
    std::uint32_t free_columns = sim::tensor_memory::columns;  // of tensor memory
    Cycle done = 0;                                            // when it has done all that it was given
    Cycle free = 0;                                            // when it could begin more
};

/// An arrival at an mbarrier after the matrix unit's work.
struct WorkArrival {
    MbarrierArrival arrival;
    bool of_pair = false;
};

class Recorder : public sim::MemoryModel {
public:
    /// `moved_by` of the memory that warps access; `now` is the current cycle of the SM.
    Recorder(sim::Config const& config, std::uint64_t moved_by, Cycle const& now);

    /// An instruction of the warp in this slot begins. `merged_bytes`: all its accesses are one of so many bytes a lane.
    void begin(std::uint32_t warp_slot, std::uint32_t merged_bytes = 0) {
        warp_slot_ = warp_slot;
        merged_bytes_ = merged_bytes;
        used_ = 0;
        constants_ = 0;
        reads_constants_ = false;
        goes_beyond_ = false;
    }
    /// Whether anything reads what the next PTX instruction gives. If not, it does not arrive later either, when other
    /// values have its register.
    void set_read(bool is_read) { is_read_ = is_read; }
    /// Whether the instruction did anything of what follows; otherwise none of it is valid.
    bool goes_beyond() const { return goes_beyond_; }
    std::vector<Issued>& copies() { return copies_; }
    std::shared_ptr<FewCopies>& few() { return few_; }
    std::vector<MbarrierArrival>& arrivals() { return arrivals_; }            // at other CTAs' mbarriers
    std::vector<MbarrierArrival>& late_arrivals() { return late_arrivals_; }  // when copies have come
    std::vector<std::shared_ptr<sim::MatrixWork const>> const& works() const { return works_; }
    std::vector<WorkArrival> const& work_arrivals() const { return work_arrivals_; }
    bool has_returned_columns() const { return has_returned_columns_; }
    void use(SharedMatrixUnit& unit) { unit_ = &unit; }
    /// The warp needs something that is known only at the end of the epoch.
    bool holds() const { return holds_; }
    std::size_t operations() const { return used_; }
    MemoryOperation& operation(std::size_t i) { return operations_[i]; }
    /// An access to the banks that access() does not report: lanes that change mbarriers.
    void visit_banks(std::uint32_t passes);
    /// Makes one operation of what cp.async reads; false when it reads nothing.
    bool gather(FewCopies const& few, bool past_l1);
    /// How many passes through the constant cache the instruction needs, one for each different word.
    std::uint32_t constants() const { return constants_; }
    /// Whether it read constant variables, also as operands.
    bool reads_constants() const { return reads_constants_; }
    std::uint64_t constant_address() const { return constant_address_; }
    /// Of the last instruction that slept.
    Cycle sleep() const { return sleep_; }
    EffectLog& effects() { return effects_; }
    EffectLog const& effects() const { return effects_; }
    /// What is of use behind the instruction that was recorded, between two epochs.
    template <class Archive> void state(Archive& archive) { archive(sleep_); }

    std::uint64_t cycle() const override { return now_; }
    std::uint64_t nanoseconds() const override { return now_ * 1000 / clock_mhz_; }
    void access(sim::Op const&, sim::Access const&, sim::SpaceKind, Addresses const&) override;
    void texture(sim::TextureReads const&) override;
    Taken take_global(sim::Cta&, sim::Warp&, sim::Op const&, sim::Access const&, Addresses const&) override;

    void cluster_arrival(sim::Cta&) override;
    void remote(sim::Cta&, sim::Warp&, sim::Op const&, sim::Access const&, Addresses const&,
                sim::Cta& peer) override;
    void remote_mbarrier(sim::Cluster&, sim::MbarrierUpdate const&, sim::Culprit const&) override;
    void arrival_after_copies(sim::Cluster&, sim::MbarrierUpdate const&, sim::Culprit const&) override;
    bool take_tensor_columns(sim::Cta&, std::uint32_t columns) override;
    void return_tensor_columns(sim::Cta&, std::uint32_t columns) override;
    void matrix_work(sim::Cta&, std::shared_ptr<sim::MatrixWork const>) override;
    void arrival_after_work(sim::Cluster&, sim::Cta&, sim::MbarrierUpdate const&, bool of_pair,
                            sim::Culprit const&) override;
    void copy_few(sim::Cta&, std::uint32_t thread, sim::FewBytes const&) override;
    void copy(sim::Cluster&, sim::UnderWay&&, sim::Culprit const&) override;
    void print(std::string text, std::uint64_t bytes) override;
    void heap_call(sim::Cta&, sim::Warp&, sim::Op const&, int lane, std::uint64_t argument) override;
    void sleeps(std::uint64_t nanoseconds) override;
    void cancel_launch(sim::Cluster&, sim::Bytes const& response, sim::Bytes const& barrier, bool to_all,
                       sim::Culprit const&) override;

private:
    MemoryOperation& add(sim::Op const& op, sim::Access const& access, Addresses const& a);
    void begin_beyond();
    void local(sim::Op const& op, sim::Access const& access, Addresses const& a);
    void merged(sim::Op const& op, sim::Access const& access, Addresses const& part);
    void join(sim::Op const& op, sim::Access const& access, sim::SpaceKind space, Addresses const& a);
    void pack(MemoryOperation& operation, sim::Op const& op, Addresses const& addresses) const;

    std::uint32_t unit_cycles(std::uint32_t texels, std::uint32_t texel_bytes, std::uint32_t channel_bytes) const;
    std::uint32_t filter_cycles(std::array<std::uint32_t, 32> const& cycles) const;
    void add_lines(MemoryOperation& operation, std::uint64_t line, std::uint8_t sectors, std::uint8_t covered = 0);

    std::uint32_t group_;
    sim::TextureConfig texture_;
    sim::Banks banks_;
    bool packs_equal_pairs_;
    std::uint32_t clock_mhz_;
    Cycle const& now_;
    std::uint32_t warp_slot_ = 0, merged_bytes_ = 0;
    std::vector<MemoryOperation> operations_;  // keeps its storage
    std::uint64_t moved_lines_;                // sim::GlobalMemory::moved_by()
    std::size_t used_ = 0;
    std::uint32_t constants_ = 0;
    bool reads_constants_ = false;
    bool is_read_ = true;
    std::uint64_t constant_address_ = 0;
    Cycle sleep_ = 0;
    EffectLog effects_;
    bool goes_beyond_ = false, holds_ = false;
    std::vector<Issued> copies_;
    std::shared_ptr<FewCopies> few_;
    std::vector<MbarrierArrival> arrivals_, late_arrivals_;
    SharedMatrixUnit* unit_ = nullptr;
    std::vector<std::shared_ptr<sim::MatrixWork const>> works_;
    std::vector<WorkArrival> work_arrivals_;
    bool has_returned_columns_ = false;
};

}  // namespace warpsim::timing
