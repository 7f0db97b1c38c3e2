// What writing and reading the file of a checkpoint have in common.
#pragma once

#include "sim/error.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace warpsim::checkpoint {

inline constexpr std::array<char, 24> mark{'w', 'a', 'r', 'p', 's', 'i', 'm', ' ', 'c',  'h', 'e', 'c',
                                           'k', 'p', 'o', 'i', 'n', 't', ' ', '1', '\n', 0,   0,   0};

struct Checksum {
    std::uint64_t low = 0, high = 0;
    bool operator==(Checksum const&) const = default;
};

/// Of what was added so far.
class Hash {
public:
    Hash() { XXH3_128bits_reset(&state_); }
    void add(void const* bytes, std::size_t size) { XXH3_128bits_update(&state_, bytes, size); }
    Checksum sum() const {
        XXH128_hash_t const hash = XXH3_128bits_digest(&state_);
        return {hash.low64, hash.high64};
    }

private:
    XXH3_state_t state_{};
};

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] inline void fail(std::string const& path, std::string const& why) {
    throw Error(ErrorKind::usage, "checkpoint '" + path + "': " + why);
}

}  // namespace warpsim::checkpoint
