// The header of a module: .version, .target and .address_size.
#pragma once

#include "frontend/decode/decoder.hpp"

namespace warpsim::frontend {

/// What of the header has been seen, in the order that PTX wants.
struct Header {
    bool has_version = false;
    bool has_target = false;
    bool has_address_size = false;
    bool is_closed = false;    // something else than a header directive has been seen
    bool wants_debug = false;  // .target ..., debug
    std::string_view texture_mode;
    std::string_view map_f64;  // where map_f64_to_f32 stands
};

/// Reads a header directive; false when it is none.
bool read_header(Decoder& decoder, syntax::Directive const& directive, Header& header);

}  // namespace warpsim::frontend
