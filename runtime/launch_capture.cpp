#include "runtime/launch_capture.hpp"

#include "sim/error.hpp"
#include "sim/exec/op.hpp"
#include "sim/exec/tensor/tensor_box.hpp"
#include "sim/memory/global_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

namespace warpsim::runtime {

namespace {

constexpr std::uint64_t block = 256;
constexpr std::uint64_t page = 4096;

bool is_zero(std::byte const* bytes, std::uint64_t size) {
    return std::all_of(bytes, bytes + size, [](std::byte b) { return b == std::byte{0}; });
}

bool uses_pictures(sim::KernelPlan const& plan) {
    for (sim::FunctionPlan const& function : plan.functions)
        for (sim::Op const& op : function.ops) {
            if (op.kind != sim::OpKind::effect) continue;
            std::string_view const name = isa::name(op.effect);
            if (name.starts_with("texture") || name.starts_with("surface")) return true;
        }
    return false;
}

}  // namespace

/// An allocation as it was when the launch began, and which of its blocks the launch has touched.
class LaunchCapture::Snapshot {
    /// Blocks of an allocation. Several SMs may add to it at once.
    class Blocks {
    public:
        explicit Blocks(std::uint64_t count) : count_(count), words_((count + 63) / 64) {}

        std::uint64_t count() const { return count_; }
        void add(std::uint64_t number) {
            std::atomic_ref<std::uint64_t> const word(words_[number / 64]);
            std::uint64_t const bit = std::uint64_t{1} << number % 64;
            if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
        }
        /// When nobody adds any more.
        bool has(std::uint64_t number) const { return (words_[number / 64] >> number % 64 & 1) != 0; }
        bool empty() const {
            return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
        }

    private:
        std::uint64_t count_;
        std::vector<std::uint64_t> words_;
    };

public:
    explicit Snapshot(sim::Allocation const& allocation)
        : begin_(allocation.begin),
          end_(allocation.end),
          touched_((size() + block - 1) / block),
          written_(touched_.count()) {
        void* const memory =
            mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            throw Error(ErrorKind::launch, "the host has no memory for a copy of " + std::to_string(size()) +
                                               " bytes of device memory (--capture)");
        bytes_ = static_cast<std::byte*>(memory);
        // What is zero takes no memory.
        for (std::uint64_t at = 0; at < size(); at += page) {
            std::uint64_t const length = std::min(page, size() - at);
            if (!is_zero(now() + at, length)) std::memcpy(bytes_ + at, now() + at, length);
        }
    }
    ~Snapshot() { munmap(bytes_, size()); }
    Snapshot(Snapshot const&) = delete;
    Snapshot& operator=(Snapshot const&) = delete;

    std::uint64_t begin() const { return begin_; }
    std::uint64_t end() const { return end_; }
    std::uint64_t size() const { return end_ - begin_; }
    bool is_touched() const { return !touched_.empty(); }
    void touch(std::uint64_t first, std::uint64_t past, bool is_write) {
        for (std::uint64_t b = (first - begin_) / block; b * block < past - begin_; ++b) {
            touched_.add(b);
            if (is_write) written_.add(b);
        }
    }
    std::vector<CapturedLaunch::Part> touched() const { return parts(touched_); }
    std::vector<CapturedLaunch::Part> written() const { return parts(written_); }
    std::vector<std::byte> before(std::vector<CapturedLaunch::Part> const& parts) const {
        return gathered(bytes_, parts);
    }
    std::vector<std::byte> after(std::vector<CapturedLaunch::Part> const& parts) const {
        return gathered(now(), parts);
    }

private:
    // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
    std::byte const* now() const { return reinterpret_cast<std::byte const*>(begin_); }

    std::vector<CapturedLaunch::Part> parts(Blocks const& blocks) const {
        std::vector<CapturedLaunch::Part> list;
        for (std::uint64_t b = 0; b < blocks.count(); ++b) {
            if (!blocks.has(b)) continue;
            std::uint64_t const at = b * block, bytes = std::min(block, size() - at);
            if (!list.empty() && list.back().at + list.back().bytes == at) list.back().bytes += bytes;
            else list.push_back({at, bytes});
        }
        return list;
    }
    static std::vector<std::byte> gathered(std::byte const* from, std::vector<CapturedLaunch::Part> const& parts) {
        std::vector<std::byte> all;
        for (CapturedLaunch::Part const& part : parts)
            all.insert(all.end(), from + part.at, from + part.at + part.bytes);
        return all;
    }

    std::uint64_t const begin_, end_;
    std::byte* bytes_ = nullptr;
    Blocks touched_, written_;
};

LaunchCapture::LaunchCapture(sim::LaunchContext const& launch, Module::State& module, std::string kernel,
                             LaunchShape const& shape, std::vector<std::byte> arguments,
                             std::function<void(CapturedLaunch const&)> done)
    : launch_(launch), module_(module), arguments_(std::move(arguments)), done_(std::move(done)) {
    captured_.kernel = std::move(kernel);
    captured_.shape = shape;
}

LaunchCapture::~LaunchCapture() = default;

sim::EventMask LaunchCapture::wants() const {
    using Kind = sim::EventKind;
    return sim::event_mask(Kind::access, Kind::runtime_access, Kind::bulk_copy, Kind::warp_copy);
}

std::string LaunchCapture::why_not() const {
    if (launch_.plan.uses_heap) return "it uses malloc or free in device code";
    if (launch_.plan.uses_runtime) return "it calls CUDA's device runtime";
    if (launch_.host_trust) return "it uses memory of the host through plain pointers";
    if (uses_pictures(launch_.plan)) return "it uses textures or surfaces";
    return "";
}

void LaunchCapture::begin() {
    captured_.why_not = why_not();
    if (!captured_.why_not.empty()) return;
    for (sim::Allocation const& allocation : launch_.allocations.all())
        snapshots_.push_back(std::make_unique<Snapshot>(allocation));
}

void LaunchCapture::touch(std::uint64_t address, std::uint64_t bytes, bool is_write) {
    if (bytes == 0) return;
    auto const after =
        std::upper_bound(snapshots_.begin(), snapshots_.end(), address,
                         [](std::uint64_t a, std::unique_ptr<Snapshot> const& s) { return a < s->begin(); });
    if (after == snapshots_.begin()) return;
    Snapshot& snapshot = **std::prev(after);
    if (address < snapshot.end()) snapshot.touch(address, std::min(address + bytes, snapshot.end()), is_write);
}

void LaunchCapture::touch(sim::MemoryPlace const& place, std::uint64_t bytes, bool is_write) {
    if (place.cta == nullptr) touch(place.address, bytes, is_write);
}

void LaunchCapture::access(sim::AccessEvent const& e) {
    if (e.space != sim::SpaceKind::global && e.space != sim::SpaceKind::constant) return;
    bool const is_write = e.site.op.kind != sim::OpKind::load;
    if (e.addresses.pattern == sim::Pattern::uniform)
        return touch(e.addresses.low, e.addresses.past_high - e.addresses.low, is_write);
    for (isa::LaneMask m = e.addresses.mask; m != 0; m &= m - 1)
        touch(e.addresses.of(std::countr_zero(m)), e.addresses.bytes, is_write);
}

void LaunchCapture::runtime_access(sim::RuntimeAccessEvent const& e) { touch(e.address, e.bytes, e.is_write); }

void LaunchCapture::bulk_copies(sim::BulkCopyIssue const& e) {
    if (e.tensor == nullptr) {
        touch(e.from, e.source_bytes, false);
        touch(e.to, e.bytes, true);
        return;
    }
    for (sim::tensor::Run const& run : e.tensor->runs) touch(run.address, run.bytes, e.to.cta == nullptr);
}

void LaunchCapture::warp_copies(sim::WarpCopyIssue const& e) {
    for (isa::LaneMask m = e.from.mask; m != 0; m &= m - 1)
        touch(e.from.of(std::countr_zero(m)), e.from.bytes, false);
}

CapturedLaunch::Region LaunchCapture::region_of(Snapshot const& snapshot) const {
    CapturedLaunch::Region region;
    region.address = snapshot.begin();
    region.bytes = snapshot.size();
    region.touched = snapshot.touched();
    region.before = snapshot.before(region.touched);
    if (captured_.status != sim::LaunchStatus::ok) return region;
    region.written = snapshot.written();
    region.after = snapshot.after(region.written);
    return region;
}

void LaunchCapture::end(sim::LaunchStatus status) {
    captured_.status = status;
    if (captured_.why_not.empty()) {
        captured_.arguments = arguments_;
        captured_.parameters = module_.parameters(captured_.kernel);
        ir::LaunchBounds const& bounds = module_.module.functions[module_.kernel(captured_.kernel)].bounds;
        captured_.registers = bounds.registers;
        captured_.max_registers = bounds.max_registers;
        for (auto const& source : module_.module.sources)
            captured_.texts.push_back({source->name(), std::string(source->text())});
        captured_.placement = module_.allocations;
        for (auto const& snapshot : snapshots_) {
            // What the barriers of a cooperative launch use is made anew for each.
            bool const is_own = snapshot->begin() == launch_.grid_workspace;
            if (snapshot->is_touched() && !is_own) captured_.regions.push_back(region_of(*snapshot));
        }
    }
    snapshots_.clear();
    done_(captured_);
}

}  // namespace warpsim::runtime
