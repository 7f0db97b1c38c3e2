// Syntax lines as people read them.
#include "frontend/isa/table.hpp"

namespace warpsim::isa {

/// The class as the manual names it: without our suffix, if it has one.
static std::string_view shown_name(std::string_view name) {
    for (std::string_view const whole :
         {".level::eviction_priority", ".level1::eviction_priority", ".level2::eviction_priority",
          ".level::cache_hint", ".level::prefetch_size", ".primary_priority", ".secondary_priority", ".cta_group",
          ".collector_usage", ".scale_vectorsize", ".src_fmt", ".vec"}) {
        if (name.starts_with(whole)) return whole;
    }
    return name.substr(0, name.find('_'));
}

std::string printed(std::string_view syntax) {
    std::string text;
    for (std::size_t at = 0; at < syntax.size();) {
        std::size_t end = at + 1;
        if (syntax[at] == '.') {
            while (end < syntax.size() &&
                   std::string_view(".{}, []|!()").find(syntax[end]) == std::string_view::npos)
                ++end;
        }
        std::string_view word = syntax.substr(at, end - at);
        if (!modifier_class(word).empty()) word = shown_name(word);
        text += word;
        at = end;
    }
    return text;
}

}  // namespace warpsim::isa
