// Values that nobody has written and that a program notices: they decide a branch, are an address, or reach the host.
#pragma once

#include "runtime/check/findings/findings.hpp"
#include "runtime/check/init/frame_shadow.hpp"
#include "runtime/check/init/host_events.hpp"
#include "runtime/check/init/memory_shadow.hpp"
#include "runtime/check/init/origin.hpp"
#include "runtime/check/init/step.hpp"
#include "runtime/check/init/tensor_memory_shadow.hpp"
#include "sim/events.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"
#include "sim/matrix/descriptor.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace warpsim::check {

/// Watches one device: one launch after another, and what the host does.
class InitCheck final : public sim::EventSink {
public:
    /// `is_strict`: every read of memory that nobody has written is a finding. `present_call` says which call of the program
    /// its thread is in; it may be empty. `peers`: those of other devices, which hear of what is copied there; null: there are
    /// none.
    InitCheck(Findings& findings, bool is_strict, std::function<std::string()> present_call,
              std::shared_ptr<InitPeers> peers = nullptr);
    ~InitCheck() override;
    InitCheck(InitCheck const&) = delete;
    InitCheck& operator=(InitCheck const&) = delete;

    sim::EventMask wants() const override {
        using enum sim::EventKind;
        return sim::event_mask(launch, cta, instruction, access, texel_access, runtime_access, mbarrier,
                               collective, warp_copy, bulk_copy, call, allocation, host_access, matrix_work);
    }
    void launch_begins(sim::LaunchBegin const& e) override;
    void launch_ends(sim::LaunchEnd const& e) override;
    void cta_starts(sim::CtaStart const& e) override;
    void cta_ends(sim::CtaEnd const& e) override;
    void instruction(sim::InstructionEvent const& e) override;
    void access(sim::AccessEvent const& e) override;
    void runtime_access(sim::RuntimeAccessEvent const& e) override;
    void mbarrier(sim::MbarrierEvent const& e) override;
    void collective(sim::CollectiveEvent const& e) override;
    void warp_copies(sim::WarpCopyIssue const& e) override;
    void bulk_copies(sim::BulkCopyIssue const& e) override;
    void matrix_work(sim::MatrixWorkEvent const& e) override;
    void tensor_access(sim::TensorAccessEvent const& e) override;
    void calls(sim::CallEvent const& e) override;
    void returns(sim::ReturnEvent const& e) override;
    void allocation(sim::AllocationEvent const& e) override;
    void host_access(sim::HostAccessEvent const& e) override;

private:
    /// Undefined bytes of arguments on their way into a function whose activation does not exist yet.
    struct Passed {
        sim::FunctionPlan const* callee;
        LaneMask lanes;
        struct Byte {
            std::uint32_t argument, byte;
            unsigned lane;
            ShadowByte bits;
            OriginId origin;
        };
        std::vector<Byte> bytes;
    };
    struct WarpShadow {
        InterleavedShadow local;
        std::vector<Passed> passed;
    };
    struct CtaShadow {
        FlatShadow shared;
        std::vector<WarpShadow> warps;
        std::unique_ptr<TensorMemoryShadow> tensor;  // null: all is defined
    };
    class MatrixShadow;  // what the matrix unit asks
    /// A thread that reads, at an instruction of the module.
    struct Reader {
        std::uint32_t function, instruction;
        std::array<std::uint32_t, 3> cta;
        std::uint32_t thread;
    };
    static Reader reader_of(sim::Site const& site, unsigned lane) {
        return {site.frame.function->index, site.op.instruction, site.cta.id, 32 * site.warp.index + lane};
    }
    /// One space, as an access of a warp reaches it.
    struct Reach {
        sim::SpaceKind space;
        FlatShadow* flat = nullptr;  // of shared, local and parameter memory
        bool is_interleaved = false;
    };

    // activations and CTAs
    FrameShadow& frame(sim::Cta const& cta, sim::Warp const& warp, sim::Frame const& of);
    FrameShadow& frame(sim::Site const& site) { return frame(site.cta, site.warp, site.frame); }
    FrameShadow& begin_frame(sim::Cta const& cta, sim::Warp const& warp, sim::Frame const& of);
    void receive_arguments(FrameShadow& f, sim::Warp const& warp, sim::Frame const& of, WarpShadow& in);
    FunctionSteps const& steps_of(ir::Function const& function);
    CtaShadow& cta(sim::Cta const& of);
    WarpShadow& warp(sim::Site const& site) { return cta(site.cta).warps[site.warp.index]; }
    sim::Cta const& owner(sim::Cta const& from, std::uint64_t address) const;

    // instructions
    void check_uses(sim::InstructionEvent const& e, FrameShadow& f, Step const& step);
    void carry_over(sim::InstructionEvent const& e, FrameShadow& f, Step const& step);
    void apply_rule(sim::Site const& site, FrameShadow& f, Step const& step, LaneMask mask);
    void move_parts(FrameShadow& f, Step const& step, LaneMask mask);
    void multiply(sim::Site const& site, FrameShadow& f, Step const& step);
    void multiply_warpgroup(sim::Site const& site, FrameShadow& f, Step const& step);
    struct SharedLines {  // of a matrix that a descriptor names
        std::uint64_t descriptor;
        sim::matrix::Major major;
        std::uint32_t first, words;
    };
    OriginId undefined_lines(sim::Site const& site, SharedLines const& of, std::span<bool> lines);
    void transpose(FrameShadow& f, Step const& step);
    void begin_stack(sim::InstructionEvent const& e);
    ir::Form const& form(sim::Site const& site) const;
    Term term(sim::Site const& site, FrameShadow const& f, Source const& source, unsigned lane) const;
    static Bits source_bits(FrameShadow const& f, Source const& source, unsigned lane);

    // memory
    Reach reach(sim::AccessEvent const& e, FrameShadow& f);
    bool is_defined(sim::Addresses const& a, Reach const& r);
    void define(sim::AccessEvent const& e, Reach const& r);
    static void define(sim::Addresses const& a, FlatShadow& shadow);
    void read(Reach const& r, sim::Site const& site, unsigned lane, std::uint64_t address, std::size_t bytes,
              ShadowByte* to);
    void write(Reach const& r, sim::Site const& site, unsigned lane, std::uint64_t address, std::size_t bytes,
               ShadowByte const* from, OriginId origin);
    OriginId origin(Reach const& r, sim::Site const& site, unsigned lane, std::uint64_t address,
                    ShadowByte const* bytes, std::size_t count);
    OriginId new_origin(sim::SpaceKind space, sim::Site const& site, unsigned lane, std::uint64_t address);
    OriginId origin_read_by(Reader const& by, OriginKey key, Origin origin);
    OriginId shared_origin(Reader const& by, std::uint64_t address);
    OriginId tensor_origin(Reader const& by, std::uint32_t column);
    void load(sim::AccessEvent const& e, Reach const& r, FrameShadow& f, Step const& step);
    void load_rows(sim::AccessEvent const& e, Reach const& r, FrameShadow& f, Step const& step);
    void store(sim::AccessEvent const& e, Reach const& r, FrameShadow& f, Step const& step);
    void exchange(sim::AccessEvent const& e, Reach const& r, FrameShadow& f, Step const& step);
    void store_rows(sim::AccessEvent const& e, Reach const& r, FrameShadow& f, Step const& step);
    void fetch(sim::AccessEvent const& e, FrameShadow& f, Step const& step);
    void copy(sim::Site const& site, unsigned lane, sim::MemoryPlace const& from, std::size_t source_bytes,
              sim::MemoryPlace const& to, std::size_t bytes);
    void store_registers(sim::CopyIssue const& e);
    static void reduce(std::vector<ShadowByte>& bytes, std::vector<ShadowByte> const& before, std::size_t element);
    void copy_tensor(sim::CopyIssue const& e);
    void load_tensor(sim::CopyIssue const& e, FlatShadow& flat);
    void store_tensor(sim::CopyIssue const& e, FlatShadow& flat);
    void begin_tensor_columns(sim::Site const& site, std::uint64_t at);
    std::vector<ShadowByte> bytes_at(sim::MemoryPlace const& place, std::size_t count);
    void set_bytes(sim::MemoryPlace const& place, std::span<ShadowByte const> bytes, OriginId origin);
    OriginId origin_at(sim::MemoryPlace const& place, sim::Site const& site, unsigned lane,
                       std::span<ShadowByte const> bytes);

    // the host
    void hear(HostEvent const& e);
    void check_host_read(std::uint64_t address, std::uint64_t bytes);
    void hear_of_host();
    void arrive(Arrived const& arrived);
    InitCheck* owner(std::uint64_t address) const;
    void send(InitCheck& to, std::uint64_t address, std::uint64_t from, std::uint64_t bytes);

    // findings
    void report(Use use, sim::Site const& site, LaneMask lanes, unsigned lane, OriginId origin);
    Finding describe(Use use, sim::Site const& site, unsigned lane, Origin const& origin) const;
    void note_read(sim::Site const& site, LaneMask lanes, unsigned lane, OriginId origin);
    std::string region_text(GlobalShadow::Region const& region) const;

    Findings& findings_;
    bool const is_strict_;
    std::function<std::string()> const present_call_;
    sim::LaunchContext const* launch_ = nullptr;
    GlobalShadow global_;
    Origins origins_;
    std::unordered_map<ir::Function const*, FunctionSteps> steps_;
    std::unordered_map<sim::Frame const*, FrameShadow> frames_;
    FrameShadow* last_frame_ = nullptr;
    std::unordered_map<std::uint64_t, std::unique_ptr<CtaShadow>> ctas_;  // by number in the grid
    std::vector<std::unique_ptr<CtaShadow>> free_ctas_;
    std::uint64_t last_cta_number_ = 0;
    CtaShadow* last_cta_ = nullptr;
    std::shared_ptr<InitPeers> const peers_;
    std::map<std::uint64_t, std::uint64_t> allocated_;  // ends by begins; guarded by the peers' mutex
    HostEvents host_;
};

}  // namespace warpsim::check
