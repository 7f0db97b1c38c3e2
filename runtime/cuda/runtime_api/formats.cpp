#include "runtime/cuda/runtime_api/formats.hpp"

#include <array>

namespace warpsim::cuda {

namespace {

/// Numbers of cudaChannelFormatKind after those of ChannelKind: planar; normalised integers of 8 and 16 bits, unsigned
/// and then signed, each with 1, 2 and 4 channels; compressed; and 10, 10, 10 and 2 bits.
enum Kind : int { last_plain = 3, planar = 4, first_normalized = 5, first_compressed = 17, ten_bits = 31 };

struct Normalized {
    ChannelKind kind;
    int bits;
};
constexpr std::array<Normalized, 4> normalized_kinds{{{ChannelKind::unsigned_normalized, 8},
                                                      {ChannelKind::unsigned_normalized, 16},
                                                      {ChannelKind::signed_normalized, 8},
                                                      {ChannelKind::signed_normalized, 16}}};

unsigned channels_of(int kind) { return 1u << static_cast<unsigned>(kind - first_normalized) % 3; }

}  // namespace

ChannelFormat format_of(cudaChannelFormatDesc const& d) {
    ChannelFormat format{{d.x, d.y, d.z, d.w}, ChannelKind::none};
    if (d.f == planar || (d.f >= first_compressed && d.f < ten_bits)) throw Failure(Result::not_supported);
    if (d.f == ten_bits && d.x == 10) {
        format.kind = ChannelKind::unsigned_normalized;
    } else if (d.f >= 0 && d.f <= last_plain) {
        format.kind = static_cast<ChannelKind>(d.f);
    } else if (d.f >= first_normalized && d.f < first_compressed) {
        Normalized const& n = normalized_kinds[static_cast<std::size_t>(d.f - first_normalized) / 3];
        if (d.x == n.bits && format.channels() == channels_of(d.f)) format.kind = n.kind;
    }
    return format;
}

cudaChannelFormatDesc description_of(ChannelFormat const& f) {
    cudaChannelFormatDesc d{f.bits[0], f.bits[1], f.bits[2], f.bits[3], static_cast<int>(f.kind)};
    if (d.f <= last_plain) return d;
    d.f = ten_bits;
    for (int kind = first_normalized; kind < first_compressed; ++kind) {
        Normalized const& n = normalized_kinds[static_cast<std::size_t>(kind - first_normalized) / 3];
        if (f.kind == n.kind && d.x == n.bits && f.channels() == channels_of(kind)) d.f = kind;
    }
    return d;
}

}  // namespace warpsim::cuda
