// Rows of a table as text, as RFC 4180 has them, but with a line feed alone at the end of each.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sweep {

using Fields = std::vector<std::string>;

/// With its line feed.
std::string to_csv(Fields const& fields);

struct Record {
    Fields fields;
    std::size_t begin = 0, end = 0;  // in the text; the line's end is in it
};
/// All that are complete. What follows the last of them, a line without its end, is left out.
std::vector<Record> read_csv(std::string_view text);

}  // namespace warpsim::sweep
