#include "runtime/debug/breakpoints.hpp"

#include "sim/demangled.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <charconv>

namespace warpsim::debug {

namespace {

constexpr std::array<std::pair<std::string_view, Caught>, 7> caught_names{{{"fault", Caught::fault},
                                                                           {"launch", Caught::launch},
                                                                           {"divergence", Caught::divergence},
                                                                           {"barrier", Caught::barrier},
                                                                           {"exit", Caught::exit},
                                                                           {"stall", Caught::stall},
                                                                           {"finding", Caught::finding}}};

std::optional<std::uint32_t> number_in(std::string_view text) {
    std::uint32_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

bool is_called(ir::Function const& function, std::string const& name) {
    if (function.name == name) return true;
    std::string const full = sim::demangled(function.name);
    if (full == name) return true;
    std::vector<std::string> const names = sim::short_names(full);
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Behind the instructions that fetch arguments and set up the stack: before them a function's parameters have no values.
std::uint32_t behind_prologue(ir::Module const& module, ir::Function const& function) {
    std::uint32_t at = 0;
    for (; at + 1 < function.instructions.size(); ++at) {
        ir::Instruction const& i = function.instructions[at];
        std::string_view const text = module.forms[i.form].text;
        bool const is_stack =
            text.starts_with("cvta.local") ||
            (text.starts_with("mov") && module.written(i).find("__local_depot") != std::string::npos);
        if (!is_stack && !text.starts_with("ld.param")) break;
    }
    return at;
}

/// Functions of that name, or copies of them that were inlined: the first instruction of each.
std::vector<CodePlace> places_of_function(ir::Module const& module, std::string const& name) {
    std::vector<CodePlace> places;
    for (std::size_t f = 0; f < module.functions.size(); ++f) {
        ir::Function const& function = module.functions[f];
        if (!function.has_body || function.instructions.empty()) continue;
        auto const index = static_cast<std::uint32_t>(f);
        if (is_called(function, name)) {
            places.push_back({index, behind_prologue(module, function)});
            continue;
        }
        std::uint32_t copy = ir::none;
        for (std::size_t i = 0; i < function.instructions.size(); ++i) {
            std::uint32_t const at = function.instructions[i].location;
            if (at == ir::none || module.locations[at].function.empty()) continue;
            ir::SourceLocation const& l = module.locations[at];
            if (l.inlined_at == copy) continue;
            std::string const full = sim::demangled(l.function);
            std::vector<std::string> const names = sim::short_names(full);
            if (full != name && std::find(names.begin(), names.end(), name) == names.end()) continue;
            copy = l.inlined_at;
            places.push_back({index, static_cast<std::uint32_t>(i)});
        }
    }
    return places;
}

/// kernel+12: an instruction of PTX, counted from 0.
std::vector<CodePlace> place_of_instruction(ir::Module const& module, std::string const& text) {
    std::size_t const plus = text.rfind('+');
    std::string const name = text.substr(0, plus);
    std::optional<std::uint32_t> const at =
        plus == std::string::npos ? std::optional<std::uint32_t>(0) : number_in(text.substr(plus + 1));
    if (!at || name.empty())
        throw Error(ErrorKind::usage,
                    "'*" + text + "' is no instruction: *KERNEL+12 is the 13th one of a function");
    std::vector<CodePlace> places;
    for (std::size_t f = 0; f < module.functions.size(); ++f)
        if (is_called(module.functions[f], name) && *at < module.functions[f].instructions.size())
            places.push_back({static_cast<std::uint32_t>(f), *at});
    return places;
}

/// Names in a condition are found when it is evaluated; only types are asked for before.
class TypesOnly final : public Scope {
public:
    Value named(std::string const& name) override {
        throw Error(ErrorKind::usage, "'" + name + "' has no value yet");
    }
    TypePointer type(std::string const&) override { return nullptr; }
    Value load(TypePointer, MemoryPlace const&) override { throw Error(ErrorKind::usage, "nothing runs yet"); }
    void store(Place const&, std::vector<std::byte> const&) override {}
};

}  // namespace

std::optional<Caught> caught_named(std::string_view name) {
    for (auto const& [known, which] : caught_names)
        if (known == name) return which;
    return std::nullopt;
}

std::string_view name_of(Caught what) { return caught_names[static_cast<std::size_t>(what)].first; }

namespace {

/// That of the first kernel, where nothing runs that would say another one.
std::string first_file(ir::Module const& module) {
    for (ir::Function const& f : module.functions) {
        if (!f.is_entry) continue;
        for (ir::Instruction const& i : f.instructions)
            if (Line const line = line_of(module, i); line.number != 0) return line.file;
    }
    return "";
}

}  // namespace

Location find_location(ir::Module const& module, std::string const& text, std::string const& file) {
    Location found;
    if (text.empty())
        throw Error(ErrorKind::usage, "a place is missing: FILE:LINE, LINE, a function, or *FUNCTION+12");
    std::size_t const colon = text.rfind(':');
    bool const has_file = colon != std::string::npos && colon > 0 && text[colon - 1] != ':';
    std::optional<std::uint32_t> const line = number_in(has_file ? text.substr(colon + 1) : text);
    if (line) {
        std::string const wanted = has_file ? text.substr(0, colon) : file.empty() ? first_file(module) : file;
        if (wanted.empty())
            throw Error(ErrorKind::usage, "line " + text + " of which file? Nothing is running yet: FILE:" + text);
        std::uint32_t number = *line;
        found.places = places_of(module, wanted, number);
        found.line = {wanted, number};
    } else if (text.front() == '*') {
        found.places = place_of_instruction(module, text.substr(1));
    } else {
        found.places = places_of_function(module, text);
    }
    if (!found.places.empty() && !line) {
        ir::Function const& function = module.functions[found.places.front().function];
        found.line = line_of(module, function.instructions[found.places.front().instruction]);
    }
    return found;
}

Breakpoint& Breakpoints::add(Breakpoint breakpoint) {
    breakpoint.number = next_++;
    return all_.emplace_back(std::move(breakpoint));
}

bool Breakpoints::remove(int number) {
    return std::erase_if(all_, [&](Breakpoint const& b) { return b.number == number; }) != 0;
}

Breakpoint* Breakpoints::find(int number) {
    for (Breakpoint& b : all_)
        if (b.number == number) return &b;
    return nullptr;
}

void Breakpoints::resolve(ir::Module const& module) {
    marks_.assign(module.functions.size(), {});
    watches_ = false;
    for (Breakpoint& b : all_) {
        if (b.kind == Breakpoint::Kind::watch) watches_ = watches_ || b.is_enabled;
        if (b.kind != Breakpoint::Kind::code) continue;
        b.places = find_location(module, b.what, "").places;
        if (!b.is_enabled) continue;
        for (CodePlace const& place : b.places) {
            std::vector<bool>& marks = marks_[place.function];
            marks.resize(module.functions[place.function].instructions.size());
            marks[place.instruction] = true;
        }
    }
}

bool Breakpoints::catches(Caught what) const {
    return std::any_of(all_.begin(), all_.end(), [&](Breakpoint const& b) {
        return b.kind == Breakpoint::Kind::catching && b.is_enabled && b.caught == what;
    });
}

std::optional<Expression> condition_of(std::string const& text) {
    if (text.empty()) return std::nullopt;
    TypesOnly types;
    return Expression(text, types);
}

}  // namespace warpsim::debug
