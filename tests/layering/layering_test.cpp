// Which room may know which: the include lines of the sources, compared with one table.
#include "tests/support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace layering_test {

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string_view>;

/// A room may include the headers of itself and of those it knows. Folders inside a room belong to it.
struct Room {
    std::string_view folder;
    Names knows;
};

std::vector<Room> const rooms{
    {"frontend", {}},
    {"frontend/grammar", {"frontend"}},
    {"frontend/isa", {}},
    {"frontend/ir", {"frontend", "frontend/isa"}},
    {"frontend/ir/analysis", {"frontend", "frontend/isa", "frontend/ir"}},
    {"frontend/decode", {"frontend", "frontend/isa", "frontend/ir", "frontend/ir/analysis", "frontend/grammar"}},
    {"frontend/link", {"frontend", "frontend/isa", "frontend/ir", "frontend/decode"}},
    {"frontend/archive", {"frontend", "frontend/isa", "frontend/ir", "frontend/link"}},
    {"sim", {"frontend/isa"}},
    {"sim/plugin", {"sim"}},
    {"sim/checkpoint", {"sim", "sim/plugin"}},
    {"sim/config", {"sim", "sim/plugin", "frontend/isa"}},
    {"sim/memory", {"sim", "frontend/isa"}},
    {"sim/matrix", {"sim", "sim/config", "frontend/isa"}},
    {"sim/texture", {"sim", "frontend/isa"}},
    {"sim/tensor", {"sim"}},
    {"sim/tensor_memory", {"sim", "sim/config", "sim/matrix", "frontend/isa"}},
    {"sim/exec",
     {"sim", "sim/config", "sim/matrix", "sim/memory", "sim/texture", "sim/tensor", "sim/tensor_memory",
      "frontend", "frontend/isa", "frontend/ir", "frontend/ir/analysis"}},
    {"sim/compiled", {"sim", "sim/exec", "sim/memory", "frontend/isa", "frontend/ir"}},
    {"sim/functional", {"sim", "sim/config", "sim/memory", "sim/exec", "frontend", "frontend/isa", "frontend/ir"}},
    {"sim/engine", {"sim"}},
    {"sim/timing/memory", {"sim", "sim/config", "sim/plugin", "sim/exec", "sim/engine", "frontend/isa"}},
    {"sim/timing/network", {"sim", "sim/config", "sim/plugin", "sim/engine", "sim/timing/memory"}},
    {"sim/timing/plan",
     {"sim", "sim/config", "sim/exec", "frontend", "frontend/isa", "frontend/ir", "frontend/ir/analysis"}},
    {"sim/timing/sm",
     {"sim", "sim/config", "sim/plugin", "sim/memory", "sim/exec", "sim/engine", "sim/timing/memory",
      "sim/timing/network", "sim/timing/plan", "frontend/isa", "frontend/ir"}},
    {"sim/timing",
     {"sim", "sim/plugin", "sim/checkpoint", "sim/config", "sim/memory", "sim/exec", "sim/engine",
      "sim/timing/memory", "sim/timing/network", "sim/timing/plan", "sim/timing/sm", "frontend", "frontend/isa",
      "frontend/ir"}},
    {"runtime", {"sim",           "sim/checkpoint",    "sim/config",      "sim/memory",
                 "sim/texture",   "sim/exec",          "sim/functional",  "sim/engine",
                 "sim/timing",    "sim/timing/memory", "sim/timing/plan", "sim/compiled",
                 "frontend",      "frontend/isa",      "frontend/ir",     "frontend/decode",
                 "frontend/link", "frontend/archive",  "runtime/cache",   "runtime/checkpoint"}},
    {"runtime/options", {"sim"}},
    {"runtime/checkpoint", {"sim"}},
    {"runtime/cache", {"runtime/options", "sim"}},
    {"runtime/statistics", {"sim", "sim/config", "frontend/isa"}},
    {"runtime/check/findings", {"sim", "frontend", "frontend/isa", "frontend/ir"}},
    {"runtime/check/init",
     {"runtime/check/findings", "sim", "sim/exec", "sim/memory", "sim/matrix", "sim/tensor", "sim/tensor_memory",
      "frontend", "frontend/isa", "frontend/ir", "frontend/ir/analysis"}},
    {"runtime/check/race",
     {"runtime/check/findings", "runtime", "sim", "sim/exec", "sim/memory", "sim/tensor", "frontend",
      "frontend/isa", "frontend/ir"}},
    {"runtime/check/sync",
     {"runtime/check/findings", "sim", "sim/exec", "frontend", "frontend/isa", "frontend/ir"}},
    {"runtime/check",
     {"runtime/check/findings", "runtime/check/init", "runtime/check/race", "runtime/check/sync", "runtime", "sim",
      "sim/exec", "sim/memory", "frontend", "frontend/isa", "frontend/ir"}},
    {"runtime/coverage", {"runtime/cache", "sim", "sim/exec", "frontend", "frontend/isa", "frontend/ir"}},
    {"runtime/debug",
     {"runtime", "sim", "sim/exec", "sim/functional", "sim/timing", "frontend", "frontend/isa", "frontend/ir"}},
    {"runtime/timeline", {"runtime", "sim", "sim/engine", "sim/exec", "frontend", "frontend/isa", "frontend/ir"}},
    {"runtime/plugins",
     {"runtime", "sim", "sim/exec", "sim/plugin", "sim/timing", "frontend", "frontend/isa", "frontend/ir"}},
    {"runtime/lines", {"runtime", "sim", "sim/exec", "frontend", "frontend/isa", "frontend/ir"}},
    {"runtime/report", {"runtime", "sim", "sim/config", "sim/exec", "frontend", "frontend/isa", "frontend/ir"}},
    {"runtime/capture",
     {"runtime", "runtime/cache", "runtime/plan", "sim", "sim/exec", "sim/memory", "frontend", "frontend/isa",
      "frontend/ir"}},
    {"runtime/session",
     {"runtime", "runtime/cache", "runtime/capture", "runtime/check", "runtime/check/findings", "runtime/coverage",
      "runtime/debug", "runtime/fatbin", "runtime/lines", "runtime/options", "runtime/plugins", "runtime/report",
      "runtime/statistics", "runtime/timeline", "sim", "sim/config", "sim/exec", "frontend/isa"}},
    {"runtime/replay",
     {"runtime", "sim", "sim/config", "sim/exec", "sim/memory", "sim/timing", "sim/timing/plan", "frontend",
      "frontend/ir"}},
    {"runtime/sweep", {"runtime", "runtime/plan", "runtime/statistics", "sim", "sim/config"}},
    {"runtime/embed",
     {"runtime", "runtime/cache", "runtime/check", "runtime/check/findings", "runtime/lines", "runtime/options",
      "runtime/report", "runtime/session", "runtime/statistics", "sim", "sim/config", "sim/exec", "sim/texture"}},
    {"runtime/plan",
     {"runtime", "sim", "sim/config", "sim/tensor", "sim/texture", "frontend", "frontend/isa", "frontend/ir",
      "frontend/decode"}},
    {"runtime/fatbin", {"sim"}},
    {"runtime/cuda", {}},
    {"runtime/cuda/source_lines", {}},
    {"runtime/cuda/core",
     {"runtime/cuda/source_lines", "runtime", "runtime/options", "runtime/session", "sim", "sim/config"}},
    {"runtime/cuda/devices",
     {"runtime/cuda/core", "runtime", "runtime/session", "sim", "sim/config", "sim/memory"}},
    {"runtime/cuda/system_calls", {"runtime/cuda/devices"}},
    {"runtime/cuda/memory", {"runtime/cuda/core", "runtime/cuda/devices", "sim", "sim/memory", "sim/texture"}},
    {"runtime/cuda/code",
     {"runtime/cuda/core", "runtime/cuda/devices", "runtime/cuda/memory", "frontend", "runtime", "runtime/fatbin",
      "sim"}},
    {"runtime/cuda/stand_ins", {"runtime", "runtime/options", "runtime/session", "sim"}},
    {"runtime/cuda/compilers",
     {"runtime/cuda/code", "frontend/link", "frontend/decode", "runtime", "runtime/fatbin", "sim"}},
    {"runtime/cuda/nvrtc", {"runtime/cuda/stand_ins", "runtime/cuda/compilers", "runtime", "sim"}},
    {"runtime/cuda/nvjitlink", {"runtime/cuda/stand_ins", "runtime/cuda/compilers", "sim"}},
    {"runtime/cuda/cudnn", {"runtime"}},
    {"runtime/cuda/nvml", {"runtime/cuda/core", "runtime/cuda/devices", "runtime/cuda/memory", "runtime", "sim"}},
    {"runtime/cuda/redirect", {}},
    {"runtime/cuda/textures",
     {"runtime/cuda/core", "runtime/cuda/devices", "runtime/cuda/memory", "runtime/cuda/code", "sim",
      "sim/texture"}},
    {"runtime/cuda/process",
     {"runtime/cuda/core", "runtime/cuda/devices", "runtime/cuda/memory", "runtime/cuda/code",
      "runtime/cuda/textures", "runtime", "runtime/session", "runtime/check", "runtime/check/findings",
      "runtime/debug", "runtime/timeline", "sim"}},
    {"runtime/cuda/streams",
     {"runtime/cuda/core", "runtime/cuda/devices", "runtime/cuda/memory", "runtime/cuda/code",
      "runtime/cuda/textures", "runtime/cuda/process"}},
    {"runtime/cuda/graphs",
     {"runtime/cuda/core", "runtime/cuda/devices", "runtime/cuda/memory", "runtime/cuda/code",
      "runtime/cuda/textures", "runtime/cuda/process", "runtime/cuda/streams"}},
    {"runtime/cuda/interface",
     {"runtime/cuda/core", "runtime/cuda/devices", "runtime/cuda/textures", "runtime/cuda/process"}},
    {"runtime/cuda/runtime_api",
     {"runtime/cuda/core", "runtime/cuda/devices", "runtime/cuda/memory", "runtime/cuda/code",
      "runtime/cuda/textures", "runtime/cuda/process", "runtime/cuda/streams", "runtime/cuda/graphs",
      "runtime/cuda/interface", "runtime", "sim"}},
    {"runtime/cuda/driver_api",
     {"runtime/cuda/core", "runtime/cuda/devices", "runtime/cuda/memory", "runtime/cuda/code",
      "runtime/cuda/textures", "runtime/cuda/process", "runtime/cuda/streams", "runtime/cuda/graphs",
      "runtime/cuda/interface", "runtime", "sim", "sim/tensor"}},
    {"runtime/cuda/curand",
     {"runtime/cuda/core", "runtime/cuda/stand_ins", "runtime/cuda/process", "runtime/cuda/streams",
      "runtime/cuda/interface", "runtime", "sim"}},
    {"runtime/cuda/ocelot",
     {"runtime/cuda/core", "runtime/cuda/devices", "runtime/cuda/process", "runtime", "sim"}},
    {"python/module", {"runtime/embed", "runtime"}},
};

Names const floors{"frontend", "sim", "runtime", "python/module", "tools"};

/// Third-party headers and the beginnings of the paths that may include them. The first match counts.
struct Fence {
    std::string_view header;
    Names inside;
};

std::vector<Fence> const fences{
    {"boost/graph/", {"frontend/ir/analysis/"}},
    {"boost/property_map/", {"frontend/ir/analysis/"}},
    {"boost/", {"frontend/grammar/"}},
    {"tbb/", {"sim/host_arena."}},
    {"oneapi/tbb", {"sim/host_arena."}},
    {"nlohmann/",
     {"sim/config/", "runtime/plan/", "runtime/statistics/", "runtime/coverage/", "runtime/report/",
      "runtime/capture/", "runtime/check/findings/", "runtime/debug/dap/", "runtime/sweep/"}},
    {"zlib.h", {"runtime/timeline/", "runtime/report/", "runtime/plan/"}},
    {"sha2.h", {"runtime/sha256."}},
    {"llvm/", {"sim/compiled/llvm/"}},
    {"spdlog/", {"runtime/log."}},
    {"zstd.h", {"runtime/fatbin/", "runtime/checkpoint/"}},
    {"lz4.h", {"runtime/fatbin/"}},
    {"xxhash.h", {"runtime/cache/", "runtime/checkpoint/"}},
    {"cereal/", {"sim/checkpoint/"}},
    {"png.h", {"runtime/plan/"}},
    {"elfutils/", {"runtime/cuda/source_lines/", "runtime/debug/dwarf/"}},
    {"histedit.h", {"runtime/debug/line_editor/"}},
    {"editline/", {}},
    {"CLI/", {"tools/warpsim/"}},
    {"nanobind/", {"python/module/"}},
};

/// The innermost room that a path lies in; null outside all of them.
Room const* room_of(std::string_view path) {
    Room const* best = nullptr;
    for (Room const& room : rooms) {
        bool const inside =
            path.size() > room.folder.size() && path.starts_with(room.folder) && path[room.folder.size()] == '/';
        if (inside && (best == nullptr || room.folder.size() > best->folder.size())) {
            best = &room;
        }
    }
    return best;
}

bool contains(Names const& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// What is wrong with a file that includes a header; empty: nothing.
std::string fault(std::string_view file, std::string_view header) {
    auto const say = [&](std::string const& why) {
        return std::string(file) + " includes " + std::string(header) + ": " + why;
    };
    for (Fence const& fence : fences) {
        if (header.starts_with(fence.header)) {
            bool const inside = std::any_of(fence.inside.begin(), fence.inside.end(),
                                            [&](std::string_view start) { return file.starts_with(start); });
            return inside ? "" : say("that library is fenced off here");
        }
    }
    Room const* const from = room_of(file);
    Room const* const to = room_of(header);
    if (from != nullptr && to != nullptr && from != to && !contains(from->knows, to->folder)) {
        return say(std::string(from->folder) + " must not know " + std::string(to->folder));
    }
    if (from != nullptr && to == nullptr && (header.starts_with("tools/") || header.starts_with("tests/"))) {
        return say("it stands above the rooms");
    }
    return "";
}

/// The header of an include line, with whatever white space it is written.
std::optional<std::string> included(std::string const& line) {
    auto const skip_blanks = [&](std::size_t at) {
        return std::min(line.find_first_not_of(" \t", at), line.size());
    };
    std::size_t at = skip_blanks(0);
    if (at == line.size() || line[at] != '#') {
        return {};
    }
    at = skip_blanks(at + 1);
    if (line.compare(at, 7, "include") != 0) {
        return {};
    }
    at = skip_blanks(at + 7);
    if (at == line.size() || (line[at] != '"' && line[at] != '<')) {
        return {};
    }
    std::size_t const end = line.find(line[at] == '"' ? '"' : '>', at + 1);
    return end == std::string::npos ? std::optional<std::string>{} : line.substr(at + 1, end - at - 1);
}

fs::path const root{WARPSIM_SOURCE_DIR};

template <class Callback> void for_each_file(Names const& folders, Callback&& callback) {
    for (std::string_view folder : folders) {
        if (!fs::exists(root / folder)) {
            continue;
        }
        for (fs::directory_entry const& entry : fs::recursive_directory_iterator(root / folder)) {
            if (entry.is_regular_file()) {
                callback(entry.path(), fs::relative(entry.path(), root).generic_string());
            }
        }
    }
}

bool is_source(fs::path const& path) {
    auto const extension = path.extension();
    return extension == ".cpp" || extension == ".hpp" || extension == ".h" || extension == ".inc";
}

}  // namespace

TEST_CASE("No file includes a room or a library that it must not know", "[layering]") {
    std::vector<std::string> faults;
    std::size_t checked = 0;
    for_each_file(floors, [&](fs::path const& path, std::string const& name) {
        if (!is_source(path)) {
            return;
        }
        std::ifstream file(path);
        for (std::string line; std::getline(file, line);) {
            if (auto const header = included(line)) {
                ++checked;
                if (std::string text = fault(name, *header); !text.empty()) {
                    faults.push_back(std::move(text));
                }
            }
        }
    });
    CHECK(checked > 100);
    for (std::string const& text : faults) {
        FAIL_CHECK(text);
    }
}

TEST_CASE("Every room has a line in the table of who may know whom", "[layering]") {
    for_each_file({"frontend", "sim", "runtime"}, [&](fs::path const& path, std::string const& name) {
        if (path.filename() != "CMakeLists.txt") {
            return;
        }
        std::ifstream file(path);
        std::string const text{std::istreambuf_iterator<char>(file), {}};
        if (text.find("warpsim_room(") != std::string::npos) {
            Room const* const room = room_of(name);
            INFO(name);
            REQUIRE(room != nullptr);
            CHECK(fs::path(name).parent_path().generic_string() == room->folder);
        }
    });
}

TEST_CASE("The table of who may know whom has no cycles", "[layering]") {
    // Rooms that no other room knows are removed, until none is left.
    std::vector<Room> left = rooms;
    while (!left.empty()) {
        std::vector<Room> still;
        std::copy_if(left.begin(), left.end(), std::back_inserter(still), [&](Room const& room) {
            return std::any_of(left.begin(), left.end(),
                               [&](Room const& other) { return contains(room.knows, other.folder); });
        });
        REQUIRE(still.size() < left.size());
        left = std::move(still);
    }
}

TEST_CASE("An include that runs the wrong way is found", "[layering]") {
    CHECK(fault("frontend/decode/decode.cpp", "frontend/ir/module.hpp").empty());
    CHECK(fault("sim/exec/lanes/store.cpp", "sim/memory/address.hpp").empty());
    CHECK(fault("frontend/ir/module.cpp", "vector").empty());
    CHECK(fault("runtime/log.cpp", "spdlog/spdlog.h").empty());
    CHECK(fault("tools/warpsim/main.cpp", "runtime/device.hpp").empty());

    CHECK_FALSE(fault("frontend/isa/chapters/logic.cpp", "frontend/source.hpp").empty());
    CHECK_FALSE(fault("frontend/ir/module.cpp", "sim/error.hpp").empty());
    CHECK_FALSE(fault("sim/exec/run.cpp", "frontend/decode/decode.hpp").empty());
    CHECK_FALSE(fault("sim/memory/map.cpp", "sim/exec/warp.hpp").empty());
    CHECK_FALSE(fault("sim/engine/epoch.cpp", "sim/config/config.hpp").empty());
    CHECK_FALSE(fault("sim/functional/run.cpp", "runtime/device.hpp").empty());
    CHECK_FALSE(fault("runtime/device.cpp", "tools/warpsim/options.hpp").empty());
    CHECK_FALSE(fault("runtime/cuda/streams/work.cpp", "runtime/cuda/graphs/graph.hpp").empty());
    CHECK_FALSE(fault("runtime/cuda/memory/memory.cpp", "runtime/cuda/process/process.hpp").empty());
}

TEST_CASE("A library outside its fence is found", "[layering]") {
    CHECK_FALSE(fault("frontend/decode/decode.cpp", "boost/spirit/home/x3.hpp").empty());
    CHECK_FALSE(fault("frontend/grammar/parse.cpp", "boost/graph/graph_traits.hpp").empty());
    CHECK_FALSE(fault("sim/exec/run.cpp", "tbb/parallel_for.h").empty());
    CHECK_FALSE(fault("sim/exec/run.cpp", "oneapi/tbb/task_group.h").empty());
    CHECK_FALSE(fault("runtime/device.cpp", "nlohmann/json.hpp").empty());
    CHECK_FALSE(fault("runtime/device.cpp", "spdlog/spdlog.h").empty());
    CHECK_FALSE(fault("runtime/device.cpp", "CLI/CLI.hpp").empty());
    CHECK_FALSE(fault("runtime/embed/device.cpp", "nanobind/nanobind.h").empty());
}

TEST_CASE("Include lines are read however they are spaced", "[layering]") {
    CHECK(included("#include \"a/b.hpp\"") == "a/b.hpp");
    CHECK(included("  #  include\t<vector>  // why") == "vector");
    CHECK_FALSE(included("// #include <vector>"));
    CHECK_FALSE(included("#define INCLUDE"));
    CHECK_FALSE(included(""));
}

}  // namespace layering_test
