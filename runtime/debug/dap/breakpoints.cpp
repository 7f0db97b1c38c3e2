// Breakpoints as clients ask for them, and those of the debugger that are made of them.
#include "runtime/debug/dap/code_address.hpp"
#include "runtime/debug/dap/server.hpp"
#include "runtime/debug/words.hpp"
#include "sim/error.hpp"
#include "sim/found_source.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <filesystem>

namespace warpsim::debug::dap {

namespace {

/// "5" and ">= 5": from the fifth hit on; "== 5"; "> 5"; "% 5": each fifth one.
struct HitCondition {
    enum class Kind : std::uint8_t { from, only, each };
    Kind kind = Kind::from;
    std::uint64_t count = 1;

    explicit HitCondition(std::string text) {
        std::erase(text, ' ');
        std::size_t const digits = text.find_first_of("0123456789");
        std::string const how = text.substr(0, digits);
        count = number_of(digits == std::string::npos ? "" : text.substr(digits));
        if (how == "==" || how == "=") kind = Kind::only;
        else if (how == "%") kind = Kind::each;
        else if (how == ">") ++count;
        else if (!how.empty() && how != ">=")
            throw Error(ErrorKind::usage, "'" + text + "' is no count of hits: 5, >= 5, > 5, == 5, or % 5");
        if (count == 0) throw Error(ErrorKind::usage, "hits are counted from 1");
    }
};

std::string canonical(std::string const& name) {
    std::error_code error;
    std::filesystem::path const whole =
        std::filesystem::weakly_canonical(std::filesystem::absolute(name, error), error);
    return error ? name : whole.string();
}

/// What the module calls the file of the client; empty: it has none such.
std::string name_in_module(ir::Module const& module, std::string const& file) {
    std::string const wanted = canonical(file);
    std::string const ptx = module.sources.empty() ? "" : module.sources.front()->name();
    std::vector<std::string> names = module.files;
    for (auto const& source : module.sources) names.push_back(source->name());
    std::string alike;  // of the same name, in another folder: the sources may have been moved
    int count = 0;
    for (std::string const& name : names) {
        if (name.empty()) continue;
        if (name == file || canonical(sim::found_source(name, ptx)) == wanted) return name;
        bool const is_alike = std::filesystem::path(name).filename() == std::filesystem::path(file).filename();
        if (!is_alike || name == alike) continue;
        alike = name;
        ++count;
    }
    return count == 1 ? alike : "";
}

Wish wish_in(Json const& wanted, Wish::Kind kind) {
    Wish wish;
    wish.kind = kind;
    wish.id = wanted.value("id", std::int64_t{0});
    wish.condition = wanted.value("condition", "");
    wish.hits = wanted.value("hitCondition", "");
    wish.log = wanted.value("logMessage", "");
    return wish;
}

}  // namespace

Json Server::set_breakpoints(Json const& arguments) {
    std::string const file = file_of_source(arguments.at("source"));
    std::vector<Wish> wishes;
    for (Json const& wanted : arguments.value("breakpoints", Json::array())) {
        Wish wish = wish_in(wanted, Wish::Kind::line);
        wish.file = file;
        wish.line = static_cast<std::uint32_t>(wanted.at("line").get<std::int64_t>() + 1 - line_base_);
        wishes.push_back(std::move(wish));
    }
    Json list = Json::array();
    replace(std::move(wishes), Wish::Kind::line, file);
    for (Wish const& w : wishes_)
        if (w.kind == Wish::Kind::line && w.file == file) list.push_back(w.told);
    return {{"breakpoints", list}};
}

namespace {

Json told_of_kind(std::vector<Wish> const& wishes, Wish::Kind kind) {
    Json list = Json::array();
    for (Wish const& w : wishes)
        if (w.kind == kind) list.push_back(w.told);
    return {{"breakpoints", list}};
}

}  // namespace

Json Server::set_function_breakpoints(Json const& arguments) {
    std::vector<Wish> wishes;
    for (Json const& wanted : arguments.at("breakpoints")) {
        wishes.push_back(wish_in(wanted, Wish::Kind::function));
        wishes.back().what = wanted.at("name").get<std::string>();
    }
    replace(std::move(wishes), Wish::Kind::function, "");
    return told_of_kind(wishes_, Wish::Kind::function);
}

Json Server::set_instruction_breakpoints(Json const& arguments) {
    std::vector<Wish> wishes;
    for (Json const& wanted : arguments.at("breakpoints")) {
        Wish wish = wish_in(wanted, Wish::Kind::instruction);
        std::uint64_t const address = number_of(wanted.at("instructionReference").get<std::string>()) +
                                      static_cast<std::uint64_t>(wanted.value("offset", std::int64_t{0}));
        ir::Module const* const known = debugger_.module();
        std::optional<CodePlace> const place = known != nullptr ? code_place(*known, address) : std::nullopt;
        if (place)
            wish.what = "*" + known->functions[place->function].name + "+" + std::to_string(place->instruction);
        else wish.error = sim::hexadecimal(address) + " is the address of no instruction";
        wishes.push_back(std::move(wish));
    }
    replace(std::move(wishes), Wish::Kind::instruction, "");
    return told_of_kind(wishes_, Wish::Kind::instruction);
}

Json Server::set_exception_breakpoints(Json const& arguments) {
    std::vector<Wish> wishes;
    stops_at_faults_ = false;
    auto const add = [&](Json const& wanted, std::string const& filter) {
        if (filter == "fault") stops_at_faults_ = true;
        Wish wish = wish_in(wanted, Wish::Kind::exception);
        wish.what = filter;
        if (!caught_named(filter)) wish.error = "'" + filter + "' is no filter here";
        wishes.push_back(std::move(wish));
    };
    for (Json const& filter : arguments.at("filters")) add(Json::object(), filter.get<std::string>());
    for (Json const& option : arguments.value("filterOptions", Json::array()))
        add(option, option.at("filterId").get<std::string>());
    replace(std::move(wishes), Wish::Kind::exception, "");
    return told_of_kind(wishes_, Wish::Kind::exception);
}

/// Where the value is, as text that the client gives back: "SPACE ADDRESS BYTES BLOCK THREAD NAME".
Json Server::data_breakpoint_info(Json const& arguments) {
    auto const name = arguments.at("name").get<std::string>();
    std::optional<Value> value;
    FrameOf at = frame_of(arguments);
    std::string expression = name;
    if (arguments.contains("variablesReference")) {
        Container const of = container(arguments.at("variablesReference").get<std::int64_t>());
        at = of.at;
        for (Variable& v : list(of, 0, UINT64_MAX))
            if (v.name == name) value = std::move(v.value), expression = v.expression;
    } else {
        ThreadScope scope = scope_of(at);
        value = Expression(name, scope).evaluate(scope);
    }
    auto const* const place = value ? std::get_if<MemoryPlace>(&value->place) : nullptr;
    if (place == nullptr) return {{"dataId", nullptr}, {"description", "'" + name + "' is nowhere in memory"}};
    MemoryPlace const memory = machine().resolved(*place);
    std::uint64_t const bytes = arguments.value("bytes", value->type->bytes);
    Thread const of = thread_of(at.of);
    std::string const id = std::to_string(static_cast<int>(memory.space)) + " " + std::to_string(memory.address) +
                           " " + std::to_string(bytes) + " " + std::to_string(of.cta->linear) + " " +
                           std::to_string(of.linear()) + " " + (expression.empty() ? name : expression);
    return {{"dataId", id},
            {"description", name + ", " + std::to_string(bytes) + " bytes at " + sim::hexadecimal(memory.address)},
            {"accessTypes", {"read", "write", "readWrite"}},
            {"canPersist", false}};
}

Json Server::set_data_breakpoints(Json const& arguments) {
    std::vector<Wish> wishes;
    for (Json const& wanted : arguments.at("breakpoints")) {
        Wish wish = wish_in(wanted, Wish::Kind::data);
        std::string rest = wanted.at("dataId").get<std::string>();
        try {
            std::array<std::uint64_t, 5> numbers{};
            for (std::uint64_t& n : numbers) n = number_of(take_word(rest));
            if (numbers[0] > static_cast<std::uint64_t>(sim::SpaceKind::frame_param))
                throw Error(ErrorKind::usage, "no such space");
            Breakpoint b;
            b.kind = Breakpoint::Kind::watch;
            b.memory = {static_cast<sim::SpaceKind>(numbers[0]), numbers[1]};
            b.bytes = numbers[2];
            std::string const how = wanted.value("accessType", "write");
            b.stops_at_reads = how != "write";
            b.stops_at_writes = how != "read";
            if (b.memory.space != sim::SpaceKind::global) b.cta = numbers[3];
            if (b.memory.space == sim::SpaceKind::local) b.linear = static_cast<std::uint32_t>(numbers[4]);
            wish.memory = std::move(b);
            wish.what = rest;
        } catch (Error const& error) {
            wish.error = std::string("the dataId is none of dataBreakpointInfo: ") + error.what();
        }
        wishes.push_back(std::move(wish));
    }
    replace(std::move(wishes), Wish::Kind::data, "");
    return told_of_kind(wishes_, Wish::Kind::data);
}

/// All of that kind, or of that file, by others.
void Server::replace(std::vector<Wish> wishes, Wish::Kind kind, std::string const& file) {
    std::erase_if(wishes_, [&](Wish const& w) {
        if (w.kind != kind || w.file != file) return false;
        debugger_.breakpoints.remove(w.number);
        return true;
    });
    for (Wish& wish : wishes) {
        make(wish);
        wish.told = told_of(wish);
        wishes_.push_back(std::move(wish));
    }
    debugger_.breakpoints_changed();
}

/// The debugger's own breakpoint, if the module that is known lets there be one.
void Server::make(Wish& wish) {
    if (!wish.error.empty()) return;
    try {
        Breakpoint b = wish.memory ? std::move(*wish.memory) : Breakpoint{};
        b.what = wish.what;
        if (wish.kind == Wish::Kind::line) {
            ir::Module const* const known = debugger_.module();
            std::string const name = known != nullptr ? name_in_module(*known, wish.file) : "";
            b.what = (name.empty() ? wish.file : name) + ":" + std::to_string(wish.line);
        } else if (wish.kind == Wish::Kind::exception) {
            b.kind = Breakpoint::Kind::catching;
            b.caught = *caught_named(wish.what);
        }
        if (b.kind == Breakpoint::Kind::code) find_location(ir::Module(), b.what, "");
        b.condition = condition_of(wish.condition);
        b.log = wish.log;
        if (!wish.hits.empty()) b.ignored = HitCondition(wish.hits).count - 1;
        wish.number = debugger_.breakpoints.add(std::move(b)).number;
    } catch (Error const& error) {
        wish.error = error.what();
    }
}

Json Server::told_of(Wish const& wish) {
    Json told{{"id", wish.id}, {"verified", wish.error.empty()}};
    if (!wish.error.empty()) {
        told["message"] = wish.error;
        told["reason"] = "failed";
        return told;
    }
    Breakpoint const* const b = debugger_.breakpoints.find(wish.number);
    if (wish.kind == Wish::Kind::data || wish.kind == Wish::Kind::exception || b == nullptr) return told;
    ir::Module const* const known = debugger_.module();
    Location const found = known != nullptr ? find_location(*known, b->what, "") : Location();
    told["verified"] = !found.places.empty();
    if (found.places.empty()) {
        told["message"] = "no code of it yet";
        told["reason"] = "pending";
        if (wish.kind == Wish::Kind::line) told["line"] = static_cast<std::int64_t>(wish.line) - 1 + line_base_;
        return told;
    }
    told["line"] = static_cast<std::int64_t>(found.line.number) - 1 + line_base_;
    told["source"] = source_of(found.line.file);
    told["instructionReference"] = sim::hexadecimal(code_address(found.places.front()));
    return told;
}

/// Another module may be there: files and lines have to be found in it.
void Server::settle() {
    ir::Module const* const known = debugger_.module();
    if (known == nullptr) return;
    bool has_changed = false;
    for (Wish& wish : wishes_) {
        Breakpoint* const b = debugger_.breakpoints.find(wish.number);
        if (wish.kind != Wish::Kind::line || b == nullptr) continue;
        std::string const name = name_in_module(*known, wish.file);
        std::string const what = (name.empty() ? wish.file : name) + ":" + std::to_string(wish.line);
        has_changed = has_changed || what != b->what;
        b->what = what;
    }
    if (has_changed) debugger_.breakpoints_changed();
    for (Wish& wish : wishes_) {
        Json const now = told_of(wish);
        // What is verified once stays so: its module is only not the one that runs now.
        bool const is_lost = wish.told.value("verified", false) && !now.value("verified", false);
        if (now == wish.told || is_lost) continue;
        wish.told = now;
        writer_.write(event_of("breakpoint", {{"reason", "changed"}, {"breakpoint", now}}));
    }
}

Wish* Server::wish_of(int number) {
    auto const found =
        std::find_if(wishes_.begin(), wishes_.end(), [&](Wish const& w) { return w.number == number; });
    return number != 0 && found != wishes_.end() ? &*found : nullptr;
}

/// After a stop: how many more hits are to be passed.
void Server::count_hit(Wish& wish) {
    Breakpoint* const b = debugger_.breakpoints.find(wish.number);
    if (b == nullptr || wish.hits.empty()) return;
    HitCondition const hits(wish.hits);
    if (hits.kind == HitCondition::Kind::only) b->ignored = UINT64_MAX;
    if (hits.kind == HitCondition::Kind::each) b->ignored = hits.count - 1;
}

}  // namespace warpsim::debug::dap
