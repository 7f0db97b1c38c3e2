#include "frontend/decode/targets.hpp"

#include <algorithm>
#include <charconv>

namespace warpsim::frontend {

std::string version_text(int version) { return std::to_string(version / 10) + "." + std::to_string(version % 10); }

void require(Decoder& decoder, std::string_view where, std::string_view what, int version, int sm) {
    // A word from the source is quoted, a description is not.
    std::string const subject = what.find(' ') == std::string_view::npos ? quoted(what) : std::string(what);
    if (decoder.module.version < version) {
        decoder.diagnostics.error(where, subject + " needs PTX version " + version_text(version) +
                                             "; this module is of version " +
                                             version_text(decoder.module.version));
    } else if (decoder.module.target_sm < sm) {
        decoder.diagnostics.error(where, subject + " needs target sm_" + std::to_string(sm) +
                                             " or higher; this module is for sm_" +
                                             std::to_string(decoder.module.target_sm));
    }
}

bool check_constant_bank(Decoder& decoder, std::string_view where) {
    if (decoder.module.version < 22) return true;
    decoder.diagnostics.error(where, "banks of constant memory ended with PTX version 2.2");
    return false;
}

namespace {

struct Target {
    int sm;
    int version;         // the PTX ISA version that introduced it
    int family_version;  // the version that introduced its f and a suffixes; 0: it has none
    int arch_version;
};
constexpr Target targets[] = {
    {10, 10, 0, 0},    {11, 10, 0, 0},    {12, 12, 0, 0},    {13, 12, 0, 0},    {20, 20, 0, 0},
    {21, 20, 0, 0},    {30, 30, 0, 0},    {32, 40, 0, 0},    {35, 31, 0, 0},    {37, 41, 0, 0},
    {50, 40, 0, 0},    {52, 41, 0, 0},    {53, 42, 0, 0},    {60, 50, 0, 0},    {61, 50, 0, 0},
    {62, 50, 0, 0},    {70, 60, 0, 0},    {72, 61, 0, 0},    {75, 63, 0, 0},    {80, 70, 0, 0},
    {86, 71, 0, 0},    {87, 74, 0, 0},    {88, 90, 0, 0},    {89, 78, 0, 0},    {90, 78, 0, 80},
    {100, 86, 88, 86}, {101, 86, 88, 86}, {103, 88, 88, 88}, {107, 94, 94, 94}, {110, 90, 90, 90},
    {120, 87, 88, 87}, {121, 88, 88, 88},
};

constexpr int newest_version = 93;
constexpr int versions[] = {10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 30, 31, 32, 40, 41, 42,
                            43, 50, 51, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75, 76,
                            77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90, 91, 92, 93};

}  // namespace

std::string newer_version(int version) {
    if (version <= newest_version) return {};
    return "PTX version " + version_text(version) + " is newer than " + version_text(newest_version) +
           ", the newest that is known here";
}

namespace {

void read_version(Decoder& decoder, syntax::Directive const& directive) {
    auto const nodes = decoder.tree.node_range(directive.operands);
    std::string_view const text = nodes.empty() ? std::string_view() : nodes[0].text;
    int major = 0;
    int minor = 0;
    auto const first = std::from_chars(text.data(), text.data() + text.size(), major);
    bool ok = first.ec == std::errc{} && first.ptr != text.data() + text.size() && *first.ptr == '.';
    if (ok) {
        auto const second = std::from_chars(first.ptr + 1, text.data() + text.size(), minor);
        ok = second.ec == std::errc{} && second.ptr == text.data() + text.size() && major >= 1 && major < 100 &&
             minor < 10;
    }
    if (!ok) {
        decoder.diagnostics.error(directive.text, "a version is written major.minor, as .version 8.0");
        return;
    }
    decoder.module.version = 10 * major + minor;
    bool const is_known =
        std::find(std::begin(versions), std::end(versions), decoder.module.version) != std::end(versions);
    if (!is_known && decoder.module.version < newest_version) {
        decoder.diagnostics.error(text, "there is no PTX version " + std::string(text));
    }
    decoder.written_version = text;
}

int required_version(Target const& target, char suffix) {
    if (suffix == 'a') return target.arch_version;
    return suffix == 'f' ? target.family_version : target.version;
}

std::vector<std::string> const& target_names() {
    static auto const& names = *new auto([] {
        std::vector<std::string> made{"texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"};
        // Newest first: among names that are equally near, the newest is the likeliest.
        for (std::size_t i = std::size(targets); i-- > 0;) {
            made.push_back(std::string("sm_").append(std::to_string(targets[i].sm)));
        }
        return made;
    }());
    return names;
}

void report_target(Decoder& decoder, std::string_view text) {
    std::vector<std::string_view> const names(target_names().begin(), target_names().end());
    decoder.diagnostics.error(text, "unknown target " + quoted(text) + did_you_mean(text, names));
}

void read_target(Decoder& decoder, std::string_view text) {
    if (std::find(target_names().begin(), target_names().begin() + 4, text) != target_names().begin() + 4) return;
    std::size_t const underscore = text.find('_');
    std::string_view const kind = text.substr(0, underscore);
    int sm = 0;
    char suffix = 0;
    bool ok = underscore != std::string_view::npos && (kind == "sm" || kind == "compute");
    if (ok) {
        auto const number = std::from_chars(text.data() + underscore + 1, text.data() + text.size(), sm);
        auto const rest = static_cast<std::size_t>(text.data() + text.size() - number.ptr);
        ok = number.ec == std::errc{} && rest <= 1;
        if (ok && rest == 1) suffix = *number.ptr;
    }
    auto const* const target =
        std::find_if(std::begin(targets), std::end(targets), [&](Target const& t) { return t.sm == sm; });
    if (!ok || target == std::end(targets) || required_version(*target, suffix) == 0 ||
        (suffix != 0 && suffix != 'a' && suffix != 'f')) {
        report_target(decoder, text);
        return;
    }
    int const version = required_version(*target, suffix);
    if (version > decoder.module.version) {
        decoder.diagnostics.error(text, "target " + quoted(text) + " came with PTX version " +
                                            version_text(version) + "; this module is of version " +
                                            version_text(decoder.module.version));
    }
    // If there are several .target directives the highest counts. sm_101 was renamed sm_110 in PTX 9.0.
    int const renamed = sm == 101 ? 110 : sm;
    if (renamed < decoder.module.target_sm) return;
    decoder.module.target = text;
    decoder.module.target_sm = renamed;
    decoder.module.target_suffix = suffix;
}

void read_address_size(Decoder& decoder, syntax::Directive const& directive) {
    auto const nodes = decoder.tree.node_range(directive.operands);
    std::string_view const text = nodes.empty() ? std::string_view() : nodes[0].text;
    if (text != "32" && text != "64") {
        decoder.diagnostics.error(directive.text, "an address size is 32 or 64");
        return;
    }
    if (decoder.module.version < 23)
        decoder.diagnostics.error(directive.text, "'.address_size' needs PTX version 2.3");
    decoder.module.address_bits = text == "32" ? 32 : 64;
    decoder.has_address_size = true;
}

void read_texture_mode(Decoder& decoder, std::string_view text, Header& header) {
    if (!text.starts_with("texmode")) return;
    if (!header.texture_mode.empty() && header.texture_mode != text) {
        decoder.diagnostics.error(text, quoted(text) + " contradicts " + quoted(header.texture_mode));
    }
    header.texture_mode = text;
    decoder.has_samplers = text == "texmode_independent";
}

}  // namespace

bool read_header(Decoder& decoder, syntax::Directive const& directive, Header& header) {
    if (directive.name == ".version") {
        if (header.has_version) decoder.diagnostics.error(directive.text, "a module has one .version directive");
        else read_version(decoder, directive);
        header.has_version = true;
    } else if (directive.name == ".target") {
        if (!header.has_version && decoder.diagnostics.error_count() == 0)
            decoder.diagnostics.error(directive.text, "a module begins with a .version directive");
        header.has_version = true;
        for (syntax::Node const& node : decoder.tree.node_range(directive.operands)) {
            read_target(decoder, node.text);
            if (node.text == "map_f64_to_f32") {
                header.map_f64 = node.text;
                decoder.module.maps_f64 = true;
            }
            read_texture_mode(decoder, node.text, header);
            if (node.text == "debug") {
                require(decoder, node.text, node.text, 30);
                header.wants_debug = true;
            }
        }
        if (!header.map_f64.empty() && decoder.module.target_sm >= 13) {
            decoder.diagnostics.error(header.map_f64, "'map_f64_to_f32' is for targets below sm_13");
        }
        if (!header.has_target && decoder.module.target_sm == 0 && decoder.diagnostics.error_count() == 0) {
            decoder.diagnostics.error(directive.text,
                                      "the first .target directive names an architecture, as sm_90");
        }
        header.has_target = true;
    } else if (directive.name == ".address_size") {
        if (header.has_address_size)
            decoder.diagnostics.error(directive.text, "a module has one .address_size directive");
        else if (!header.has_target || header.is_closed)
            decoder.diagnostics.error(directive.text, "'.address_size' follows .target, before everything else");
        else read_address_size(decoder, directive);
        header.has_address_size = true;
    } else {
        return false;
    }
    return true;
}

}  // namespace warpsim::frontend
