#include "runtime/fatbin/decode.hpp"

#include <lz4.h>
#include <zstd.h>

#include <limits>

namespace warpsim::fatbin {

bool decode_zstd(Bytes packed, std::uint64_t plain_size, std::string& plain) {
    // The frame records its size too: nothing is allocated when the header contradicts it.
    if (ZSTD_getFrameContentSize(packed.data(), packed.size()) != plain_size) return false;
    plain.resize(plain_size);
    return ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size()) == plain_size;
}

bool decode_lz4(Bytes packed, std::uint64_t plain_size, std::string& plain) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
    // An LZ4 block expands to at most 255 times its own size.
    if (packed.size() > most || plain_size > most || plain_size / 255 > packed.size()) return false;
    plain.resize(plain_size);
    int const written = LZ4_decompress_safe(reinterpret_cast<char const*>(packed.data()), plain.data(),
                                            static_cast<int>(packed.size()), static_cast<int>(plain_size));
    return written >= 0 && static_cast<std::uint64_t>(written) == plain_size;
}

}  // namespace warpsim::fatbin
