#include "runtime/plan/plan.hpp"
#include "runtime/plan/reader.hpp"
#include "runtime/plan/sequence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

namespace warpsim::plan {

namespace {

constexpr std::uint64_t max_bytes = std::uint64_t{1}
                                    << 48;  // beyond any device; keeps arithmetic from overflowing

std::string folder_of(std::string const& path) {
    auto const slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::vector<std::string_view> names_of(std::vector<Array> const& arrays) {
    std::vector<std::string_view> names;
    for (Array const& a : arrays) names.push_back(a.name);
    return names;
}

Array read_array(Reader& reader, std::string const& name, Json const& value, JsonPath const& place,
                 bool is_symbol) {
    if (is_symbol) reader.object(value, place, {"type", "count", "init"});
    else reader.object(value, place, {"type", "count", "init", "space"});
    Array result;
    result.name = name;
    result.is_symbol = is_symbol;
    result.type = reader.type(value, place);
    Json const* const count = value.find("count");
    Json const* const init = value.find("init");
    if (count != nullptr)
        result.count =
            reader.unsigned_integer(*count, JsonPath(place, "count"), 1, max_bytes / size_of(result.type));
    if (Json const* const space = value.find("space")) {
        JsonPath const here(place, "space");
        std::string const& word = reader.string(*space, here);
        if (word != "global" && word != "const")
            reader.fail(here, "unknown space '" + word + "'" + suggestion(word, {"global", "const"}));
    }
    JsonPath const here(place, "init");
    result.has_init = init != nullptr;
    if (init != nullptr) result.init = reader.init(*init, here, result.type);
    if (count == nullptr) {
        auto const own = init == nullptr ? std::nullopt : own_count(result.init, result.type);
        if (own) result.count = *own;
        else if (!is_symbol) reader.fail(place, "the key 'count' is missing");
        if (own && *own == 0) reader.fail(here, "it has no elements");
    }
    if (result.count == 0) return result;
    if (std::string const wrong = check(result.init, result.type, result.count); !wrong.empty())
        reader.fail(here, wrong);
    return result;
}

void read_arrays(Reader& reader, Json const& root, LaunchPlan& plan) {
    for (std::string_view const group : {"buffers", "symbols"}) {
        Json const* const members = root.find(group);
        if (members == nullptr) continue;
        JsonPath const top;
        JsonPath const place(top, group);
        bool const is_symbol = group == "symbols";
        if (!members->is(Json::Kind::object)) reader.fail(place, "an object is wanted, not " + describe(*members));
        for (auto const& [name, value] : members->members) {
            JsonPath const here(place, name);
            if (name.empty() || number_of_word(name))
                reader.fail(here, "'" + name + "' stands for a number, not a name");
            if (plan.array(name) != nullptr) reader.fail(here, "there is a buffer of this name already");
            if (auto object = is_symbol ? reader.texture_object(value, here) : std::nullopt) {
                plan.objects.push_back({name, std::move(*object)});
                continue;
            }
            plan.arrays.push_back(read_array(reader, name, value, here, is_symbol));
        }
    }
}

std::array<std::uint32_t, 3> read_extent(Reader const& reader, Json const& value, JsonPath const& place) {
    std::array<std::uint32_t, 3> extent{1, 1, 1};
    auto const one = [&](Json const& v, JsonPath const& p) {
        return static_cast<std::uint32_t>(reader.unsigned_integer(v, p, 1, UINT32_MAX));
    };
    if (!value.is(Json::Kind::array)) {
        extent[0] = one(value, place);
        return extent;
    }
    if (value.items.empty() || value.items.size() > 3) reader.fail(place, "one to three numbers are wanted");
    for (std::size_t i = 0; i < value.items.size(); ++i) extent[i] = one(value.items[i], JsonPath(place, i));
    return extent;
}

Launch read_launch(Reader& reader, Json const& value, JsonPath const& place) {
    reader.object(value, place,
                  {"kernel", "grid", "block", "shared", "cluster", "args", "repeat", "cooperative", "registers",
                   "max_registers"});
    Launch result;
    Json const* const kernel = value.find("kernel");
    if (kernel == nullptr) reader.fail(place, "the key 'kernel' is missing");
    result.kernel = reader.string(*kernel, JsonPath(place, "kernel"));
    if (result.kernel.empty()) reader.fail(JsonPath(place, "kernel"), "a kernel's name is wanted");
    if (Json const* const grid = value.find("grid"))
        result.shape.grid = read_extent(reader, *grid, JsonPath(place, "grid"));
    if (Json const* const block = value.find("block"))
        result.shape.block = read_extent(reader, *block, JsonPath(place, "block"));
    if (Json const* const cluster = value.find("cluster"))
        result.shape.cluster = read_extent(reader, *cluster, JsonPath(place, "cluster"));
    if (Json const* const shared = value.find("shared"))
        result.shape.dynamic_shared =
            static_cast<std::uint32_t>(reader.unsigned_integer(*shared, JsonPath(place, "shared"), 0, UINT32_MAX));
    if (Json const* const repeat = value.find("repeat"))
        result.repeat = reader.unsigned_integer(*repeat, JsonPath(place, "repeat"), 1, UINT32_MAX);
    if (Json const* const cooperative = value.find("cooperative"))
        result.shape.cooperative = reader.boolean(*cooperative, JsonPath(place, "cooperative"));
    auto const count = [&](char const* key, std::uint32_t& to) {
        if (Json const* const registers = value.find(key))
            to = static_cast<std::uint32_t>(
                reader.unsigned_integer(*registers, JsonPath(place, key), 1, UINT32_MAX));
    };
    count("registers", result.registers);
    count("max_registers", result.max_registers);
    if (Json const* const args = value.find("args")) {
        JsonPath const here(place, "args");
        reader.array(*args, here);
        for (std::size_t i = 0; i < args->items.size(); ++i)
            result.arguments.push_back(reader.argument(args->items[i], JsonPath(here, i)));
    }
    return result;
}

/// Registers are of kernels, which are loaded once for all launches.
void check_registers(Reader const& reader, std::vector<Launch> const& launches, JsonPath const& place) {
    for (std::size_t i = 0; i < launches.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            JsonPath const here(place, i);
            std::string const other = " is not what launches[" + std::to_string(k) + "] says";
            bool const is_same_kernel = launches[i].kernel == launches[k].kernel;
            if (is_same_kernel && launches[i].registers != launches[k].registers)
                reader.fail(here, "the kernel's 'registers'" + other);
            if (launches[i].max_registers != launches[k].max_registers)
                reader.fail(here, "'max_registers', which is of all kernels," + other);
        }
}

Array const& known_array(Reader const& reader, LaunchPlan const& plan, std::string const& name,
                         JsonPath const& place) {
    Array const* const array = plan.array(name);
    if (array == nullptr)
        reader.fail(place,
                    "there is no buffer or symbol '" + name + "'" + suggestion(name, names_of(plan.arrays)));
    return *array;
}

/// A buffer of texels with 1 to 4 channels as a picture; floats from 0 to 1 become bytes.
Save read_picture(Reader const& reader, Json const& value, JsonPath const& place, Array const& array) {
    reader.object(value, place, {"file", "size"});
    Save save{array.name, {}};
    for (std::string_view const key : {"file", "size"}) {
        if (value.find(key) == nullptr) reader.fail(place, "the key '" + std::string(key) + "' is missing");
    }
    save.file = reader.string(*value.find("file"), JsonPath(place, "file"));
    if (!save.file.ends_with(".png")) reader.fail(JsonPath(place, "file"), "only a .png file has a size");
    JsonPath const here(place, "size");
    Json const& size = *value.find("size");
    reader.array(size, here);
    if (size.items.size() != 2) reader.fail(here, "two numbers are wanted");
    constexpr std::uint64_t most = 1u << 20;  // of libpng
    save.width = static_cast<std::uint32_t>(reader.unsigned_integer(size.items[0], JsonPath(here, 0), 1, most));
    save.height = static_cast<std::uint32_t>(reader.unsigned_integer(size.items[1], JsonPath(here, 1), 1, most));
    if (array.type != Type::u8 && array.type != Type::f32)
        reader.fail(place, "a picture is made from u8 or f32, not " + std::string(isa::name(array.type)));
    std::uint64_t const texels = std::uint64_t{save.width} * save.height;
    if (array.is_symbol && array.count == 0) return save;
    if (array.count % texels != 0 || array.count / texels > 4)
        reader.fail(here, std::to_string(array.count) + " elements are not 1 to 4 channels of so many texels");
    return save;
}

void read_saves(Reader const& reader, Json const& value, JsonPath const& place, LaunchPlan& plan) {
    if (!value.is(Json::Kind::object)) reader.fail(place, "an object is wanted, not " + describe(value));
    for (auto const& [name, file] : value.members) {
        JsonPath const here(place, name);
        Array const& array = known_array(reader, plan, name, here);
        if (file.is(Json::Kind::object)) {
            plan.saves.push_back(read_picture(reader, file, here, array));
            continue;
        }
        std::string const& path = reader.string(file, here);
        if (path.ends_with(".png"))
            reader.fail(here, R"(a PNG file needs a size: {"file": ")" + path + R"(", "size": [width, height]})");
        if (!path.ends_with(".npy") && !path.ends_with(".bin"))
            reader.fail(here, "'" + path + "' is neither a .npy nor a .bin nor a .png file");
        plan.saves.push_back({name, path});
    }
}

void read_expectations(Reader& reader, Json const& value, JsonPath const& place, LaunchPlan& plan) {
    if (!value.is(Json::Kind::object)) reader.fail(place, "an object is wanted, not " + describe(value));
    for (auto const& [name, want] : value.members) {
        JsonPath const here(place, name);
        Array const& array = known_array(reader, plan, name, here);
        Expectation e;
        e.name = name;
        e.want = reader.init(want, here, array.type, {"abs", "rel"});
        for (ReferencePatch const& patch : e.want.references) {
            if (!std::holds_alternative<Address>(patch.reference))
                reader.fail(here, "no handle can be expected: each has a number of its own");
        }
        for (auto const& [key, tolerance] :
             {std::pair<char const*, double*>{"abs", &e.absolute}, {"rel", &e.relative}}) {
            Json const* const written = want.find(key);
            if (written == nullptr) continue;
            *tolerance = reader.real(*written, JsonPath(here, key));
            if (*tolerance < 0) reader.fail(JsonPath(here, key), "a tolerance cannot be negative");
        }
        if (array.count > 0)
            if (std::string const wrong = check(e.want, array.type, array.count); !wrong.empty())
                reader.fail(here, wrong);
        plan.expectations.push_back(std::move(e));
    }
}

void read_modules(Reader const& reader, Json const& root, LaunchPlan& plan) {
    JsonPath const top;
    Json const* const one = root.find("module");
    Json const* const several = root.find("modules");
    if (one != nullptr && several != nullptr)
        reader.fail(JsonPath(top, "modules"), "give either 'module' or 'modules', not both");
    if (one != nullptr) plan.modules.push_back(reader.resolve(reader.string(*one, JsonPath(top, "module"))));
    else if (several != nullptr) {
        JsonPath const place(top, "modules");
        reader.array(*several, place);
        for (std::size_t i = 0; i < several->items.size(); ++i)
            plan.modules.push_back(reader.resolve(reader.string(several->items[i], JsonPath(place, i))));
        if (plan.modules.empty()) reader.fail(place, "at least one PTX file is wanted");
    } else {
        reader.fail(top, "the key 'module' is missing");
    }
}

void read_settings(Reader const& reader, Json const& root, LaunchPlan& plan) {
    JsonPath const top;
    if (Json const* const schema = root.find("schema"))
        if (reader.string(*schema, JsonPath(top, "schema")) != "warpsim-plan/1")
            reader.fail(JsonPath(top, "schema"), "unknown schema '" + schema->text + "'; known: warpsim-plan/1");
    if (Json const* const config = root.find("config")) {
        plan.config = reader.string(*config, JsonPath(top, "config"));
        // The name of a built-in configuration has neither; a file is relative to the plan.
        if (plan.config.find('/') != std::string::npos || plan.config.ends_with(".json"))
            plan.config = reader.resolve(plan.config);
    }
    if (Json const* const mode = root.find("mode")) {
        plan.mode = reader.string(*mode, JsonPath(top, "mode"));
        if (plan.mode != "functional" && plan.mode != "timing")
            reader.fail(JsonPath(top, "mode"),
                        "unknown mode '" + plan.mode + "'" + suggestion(plan.mode, {"functional", "timing"}));
    }
    if (Json const* const set = root.find("set")) {
        JsonPath const place(top, "set");
        if (!set->is(Json::Kind::object)) reader.fail(place, "an object is wanted, not " + describe(*set));
        for (auto const& [key, value] : set->members)
            plan.overrides.push_back(key + "=" + (value.is(Json::Kind::string) ? value.text : to_text(value)));
    }
}

// Offsets can be checked only now that all sizes are known. One past the end is a valid address, as in C.
void check_uses(Reader const& reader, LaunchPlan const& plan) {
    for (Reader::Use const& use : reader.uses) {
        Array const* const array = plan.array(use.address.buffer);
        if (array != nullptr && use.address.offset > array->bytes())
            throw Error(ErrorKind::plan, reader.path() + ": " + use.place + ": offset " +
                                             std::to_string(use.address.offset) + " is past the end of buffer '" +
                                             array->name + "' of " + std::to_string(array->bytes()) + " bytes");
        if (array != nullptr && use.bytes > array->bytes() - use.address.offset)
            throw Error(ErrorKind::plan, reader.path() + ": " + use.place + ": " + std::to_string(use.bytes) +
                                             " bytes of texels do not fit into buffer '" + array->name + "' of " +
                                             std::to_string(array->bytes()) + " bytes");
    }
}

}  // namespace

Array const* LaunchPlan::array(std::string_view name) const {
    for (Array const& a : arrays)
        if (a.name == name) return &a;
    return nullptr;
}

LaunchPlan parse_plan(std::string const& path, std::string_view text) {
    Json const root = parse_json(path, text);
    Reader reader(path, folder_of(path));
    JsonPath const top;
    reader.object(root, top,
                  {"schema", "module", "modules", "config", "mode", "set", "buffers", "symbols", "memory",
                   "launches", "save", "expect"});
    LaunchPlan plan;
    plan.path = path;
    plan.folder = reader.folder();
    read_settings(reader, root, plan);
    read_modules(reader, root, plan);
    if (Json const* const buffers = root.find("buffers"))
        for (auto const& member : buffers->members) reader.buffers.push_back(member.name);
    read_arrays(reader, root, plan);
    if (Json const* const memory = root.find("memory"))
        plan.memory = reader.captured_memory(*memory, JsonPath(top, "memory"));
    if (Json const* const launches = root.find("launches")) {
        JsonPath const place(top, "launches");
        reader.array(*launches, place);
        for (std::size_t i = 0; i < launches->items.size(); ++i)
            plan.launches.push_back(read_launch(reader, launches->items[i], JsonPath(place, i)));
        check_registers(reader, plan.launches, place);
    } else {
        reader.fail(top, "the key 'launches' is missing");
    }
    if (Json const* const save = root.find("save")) read_saves(reader, *save, JsonPath(top, "save"), plan);
    if (Json const* const expect = root.find("expect"))
        read_expectations(reader, *expect, JsonPath(top, "expect"), plan);
    check_uses(reader, plan);
    return plan;
}

LaunchPlan read_plan(std::string const& path, std::string_view text) {
    LaunchPlan plan = parse_plan(path, text);
    for (std::size_t i = 0; i < plan.modules.size(); ++i) {
        std::error_code error;
        if (std::filesystem::exists(plan.modules[i], error)) continue;
        std::string const where = plan.modules.size() == 1 ? "module" : "modules[" + std::to_string(i) + "]";
        throw Error(ErrorKind::plan, path + ": " + where + ": '" + plan.modules[i] + "': no such file");
    }
    return plan;
}

}  // namespace warpsim::plan
