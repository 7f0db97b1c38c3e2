#include "runtime/cuda/devices/page_key.hpp"

#include <cpuid.h>
#include <cstddef>
#include <cstring>
#include <sys/mman.h>

namespace warpsim::cuda {

namespace {

constexpr int rights_of_key = 2;          // bits for each: no access, no writes
constexpr unsigned rights_component = 9;  // of the state that XSAVE stores
/// Of what a signal's frame says of that state, in the 512 bytes of FXSAVE before it, and behind them.
constexpr std::size_t at_magic = 464, at_features = at_magic + 8, at_present = 512;
constexpr std::uint32_t magic = 0x46505853;

/// Where XSAVE stores the rights; 0: nowhere.
std::size_t rights_offset() {
    static std::size_t const offset = [] {
        unsigned size = 0, at = 0, flags = 0, rest = 0;
        bool const is_there = __get_cpuid_count(0xd, rights_component, &size, &at, &flags, &rest) != 0;
        return is_there && size >= sizeof(std::uint32_t) ? std::size_t{at} : std::size_t{0};
    }();
    return offset;
}

void* pointer_to(std::uint64_t address) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
    return reinterpret_cast<void*>(address);
}

constexpr int anything = PROT_READ | PROT_WRITE;

}  // namespace

PageKey const* PageKey::present() {
    static PageKey const key(rights_offset() != 0 ? pkey_alloc(0, PKEY_DISABLE_ACCESS) : -1);
    return key.key_ > 0 ? &key : nullptr;
}

void PageKey::close(std::uint64_t begin, std::uint64_t end) const {
    pkey_mprotect(pointer_to(begin), end - begin, anything, key_);
}

void PageKey::open(std::uint64_t begin, std::uint64_t end) const {
    pkey_mprotect(pointer_to(begin), end - begin, anything, 0);
}

bool PageKey::is_cause(siginfo_t const& fault) {
    return fault.si_code == SEGV_PKUERR && present() != nullptr &&
           fault.si_pkey == static_cast<unsigned>(present()->key_);
}

void PageKey::take_back() const { pkey_set(key_, PKEY_DISABLE_ACCESS); }

bool PageKey::set(ucontext_t& interrupted, bool may_use) const {
    auto* const state = reinterpret_cast<std::byte*>(interrupted.uc_mcontext.fpregs);
    if (state == nullptr) return false;
    std::uint32_t found = 0, rights = 0;
    std::uint64_t features = 0, present = 0;
    std::uint64_t const own = std::uint64_t{1} << rights_component;
    std::memcpy(&found, state + at_magic, sizeof found);
    std::memcpy(&features, state + at_features, sizeof features);
    if (found != magic || (features & own) == 0) return false;
    std::memcpy(&present, state + at_present, sizeof present);
    if ((present & own) != 0) std::memcpy(&rights, state + rights_offset(), sizeof rights);
    std::uint32_t const all = 3u << (rights_of_key * key_), no_access = 1u << (rights_of_key * key_);
    rights = (rights & ~all) | (may_use ? 0 : no_access);
    present |= own;
    std::memcpy(state + rights_offset(), &rights, sizeof rights);
    std::memcpy(state + at_present, &present, sizeof present);
    return true;
}

}  // namespace warpsim::cuda
