// The header of a module: .version, .target and .address_size.
#pragma once

#include "frontend/decode/decoder.hpp"

namespace warpsim::frontend {

/// The header directives seen so far, in the order that PTX requires.
struct Header {
    bool has_version = false;
    bool has_target = false;
    bool has_address_size = false;
    bool is_closed = false;    // a directive that does not belong to the header has been seen
    bool wants_debug = false;  // .target ..., debug
    std::string_view texture_mode;
    std::string_view map_f64;  // where map_f64_to_f32 is written
};

/// Reads a header directive; returns false for any other directive.
bool read_header(Decoder& decoder, syntax::Directive const& directive, Header& header);

}  // namespace warpsim::frontend
