// Modules as bytes and back: nothing is lost, bodies are read on demand, and damage does no harm.
#include "frontend/archive/archive.hpp"
#include "frontend/archive/fields.hpp"
#include "frontend/ir/print.hpp"
#include "frontend/link/read_modules.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <random>

namespace archive_test {

using namespace warpsim;
using namespace warpsim::frontend;

namespace {

Linked linked(std::vector<NamedText> texts) {
    Linked result = read_modules(std::move(texts));
    INFO(result.report);
    REQUIRE(result.error_count == 0);
    return result;
}

/// What a later process starts from: the texts, and the bytes.
std::vector<std::shared_ptr<Source const>> fresh_sources(ir::Module const& module) {
    std::vector<std::shared_ptr<Source const>> sources;
    for (auto const& one : module.sources)
        sources.push_back(std::make_shared<Source const>(one->name(), std::string(one->text())));
    return sources;
}

template <class T> bool same(T const& a, T const& b);

template <class T> bool same_lists(T const& a, T const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](auto const& x, auto const& y) { return same(x, y); });
}
template <class Tuple, std::size_t... i>
bool same_fields(Tuple const& a, Tuple const& b, std::index_sequence<i...>) {
    return (same(std::get<i>(a), std::get<i>(b)) && ...);
}
template <class T> bool same(T const& a, T const& b) {
    if constexpr (requires { fields(a); }) {
        auto const x = fields(a), y = fields(b);
        return same_fields(x, y, std::make_index_sequence<std::tuple_size_v<decltype(x)>>());
    } else if constexpr (
        requires { a == b; } && !requires { a.begin(); }) {
        return a == b;
    } else if constexpr (std::same_as<T, std::string>) {
        return a == b;
    } else {
        return same_lists(a, b);
    }
}

bool same_form(ir::Form const& a, ir::Form const& b) { return same(a, b) && a.text == b.text; }
bool same_instruction(ir::Instruction const& a, ir::Instruction const& b) {
    return a.form == b.form && a.first_operand == b.first_operand && a.operand_count == b.operand_count &&
           a.guard_negated == b.guard_negated && a.guard == b.guard && same(a.span, b.span) &&
           a.location == b.location;
}
bool same_operand(ir::Operand const& a, ir::Operand const& b) {
    return a.kind == b.kind && a.type == b.type && a.base == b.base && a.negated == b.negated &&
           a.generic == b.generic && a.is_module_variable == b.is_module_variable && a.count == b.count &&
           a.index == b.index && a.value == b.value;
}
bool same_register(ir::Register const& a, ir::Register const& b) { return a.name == b.name && a.type == b.type; }

template <class T, class Same>
bool same_by(std::vector<T> const& a, std::vector<T> const& b, Same const& same_ones) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_ones);
}

void check_same(ir::Function const& a, ir::Function const& b) {
    CHECK(same(a, b));
    CHECK(same_by(a.registers, b.registers, same_register));
    CHECK(same_by(a.instructions, b.instructions, same_instruction));
    CHECK(same_by(a.operands, b.operands, same_operand));
    CHECK(a.branch_targets == b.branch_targets);
    CHECK(a.labels == b.labels);
    CHECK(same(a.blocks, b.blocks));
    CHECK(a.block_of == b.block_of);
    CHECK(same(a.layout, b.layout));
}

/// Packs it, opens it with fresh sources, and compares everything with the original.
void check_round_trip(Linked const& original) {
    std::string const bytes = pack(original);
    REQUIRE(!bytes.empty());
    std::optional<PackedModule> packed = PackedModule::open(bytes, fresh_sources(original.module));
    REQUIRE(packed);
    CHECK(packed->report() == original.report);
    ir::Module module = packed->take_module();
    CHECK(same(module, original.module));
    CHECK(same_by(module.forms, original.module.forms, same_form));
    REQUIRE(module.functions.size() == original.module.functions.size());
    for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
        INFO(module.functions[f].name);
        REQUIRE(packed->complete(module, f));
        check_same(module.functions[f], original.module.functions[f]);
        CHECK(ir::print(module, module.functions[f]) == ir::print(original.module, original.module.functions[f]));
    }
}

std::vector<std::filesystem::path> ptx_in(std::string const& folder) {
    std::vector<std::filesystem::path> files;
    for (auto const& entry :
         std::filesystem::directory_iterator(std::filesystem::path(WARPSIM_SOURCE_DIR) / folder)) {
        if (entry.path().extension() == ".ptx") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

NamedText text_of(std::filesystem::path const& file) {
    return {file.filename().string(), Source::read(file.string())};
}

constexpr char calls[] = R"(.version 7.0
.target sm_70
.address_size 64
.func first() { ret; }
.func second() { call first; ret; }
.func in_table() { ret; }
.func unused() { ret; }
.global .u64 table[1] = { in_table };
.visible .entry plain() { ret; }
.visible .entry direct() { call second; ret; }
.visible .entry indirect() {
    .reg .b64 %rd;
    ld.global.u64 %rd, [table];
    signature: .callprototype _ ();
    call %rd, (), signature;
    ret;
}
)";

std::uint32_t index_of(ir::Module const& module, std::string_view name) {
    return static_cast<std::uint32_t>(module.function(name) - module.functions.data());
}

}  // namespace

TEST_CASE("A packed module is the module that was packed", "[archive]") {
    std::size_t modules = 0;
    for (char const* const folder : {"tests/kernels", "tests/cuda/ptx", "tests/frontend/corpus/sample"}) {
        for (auto const& file : ptx_in(folder)) {
            Linked const read = read_modules({text_of(file)});
            if (read.error_count != 0) continue;  // a part of a program
            INFO(file);
            check_round_trip(read);
            ++modules;
        }
    }
    CHECK(modules > 70);
    check_round_trip(
        linked({text_of(std::filesystem::path(WARPSIM_SOURCE_DIR) / "tests/cuda/ptx/separate.ptx"),
                text_of(std::filesystem::path(WARPSIM_SOURCE_DIR) / "tests/cuda/ptx/separate_part.ptx")}));
}

TEST_CASE("A module is packed with its warnings, and never with errors", "[archive]") {
    Linked const warned =
        linked({{"w.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.extern .shared .b8 x[16];\n"
                          ".visible .entry k() { .reg .b32 %r; ld.shared.u32 %r, [x]; ret; }\n"}});
    REQUIRE(warned.report.find("warning: ") != std::string::npos);
    check_round_trip(warned);
    Linked wrong =
        read_modules({{"e.ptx", ".version 7.0\n.target sm_70\n.visible .entry k() { nonsense; ret; }\n"}});
    REQUIRE(wrong.error_count != 0);
    CHECK(pack(wrong).empty());
}

TEST_CASE("A packed function gets its body with those that it may call", "[archive]") {
    Linked const original = linked({{"calls.ptx", calls}});
    std::string const bytes = pack(original);
    auto const completed = [&](std::string_view name) {
        auto packed = PackedModule::open(bytes, fresh_sources(original.module));
        REQUIRE(packed);
        ir::Module module = packed->take_module();
        REQUIRE(packed->completed() == 0);
        REQUIRE(packed->complete(module, index_of(module, name)));
        for (ir::Function const& f : module.functions) {
            if (f.name == name) CHECK_FALSE(f.instructions.empty());
        }
        std::size_t const count = packed->completed();
        REQUIRE(packed->complete(module, index_of(module, name)));
        CHECK(packed->completed() == count);
        return count;
    };
    CHECK(completed("plain") == 2);   // and what any initializer names
    CHECK(completed("direct") == 4);  // second, and first through it
    CHECK(completed("indirect") == original.module.functions.size());
}

TEST_CASE("A packed module belongs to its texts", "[archive]") {
    Linked const original = linked({{"calls.ptx", calls}});
    std::string const bytes = pack(original);
    auto const opens = [&](std::vector<std::shared_ptr<Source const>> sources) {
        return PackedModule::open(bytes, std::move(sources)).has_value();
    };
    CHECK(opens(fresh_sources(original.module)));
    CHECK_FALSE(opens({}));
    CHECK_FALSE(opens({std::make_shared<Source const>("calls.ptx", std::string(calls) + "\n")}));
    CHECK_FALSE(opens({original.module.sources[0], original.module.sources[0]}));
}

TEST_CASE("Damaged bytes of a module are refused or read within their bounds", "[archive]") {
    auto const file = std::filesystem::path(WARPSIM_SOURCE_DIR) / "tests/cuda/ptx/function_pointers.ptx";
    Linked const original = linked({text_of(file)});
    std::string const whole = pack(original);
    auto const sources = fresh_sources(original.module);
    auto const read_all = [&](std::string bytes) {
        auto packed = PackedModule::open(std::move(bytes), sources);
        if (!packed) return false;
        ir::Module module = packed->take_module();
        for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
            if (!packed->complete(module, f)) return false;
        }
        // Every index is used: printing follows all of them.
        for (ir::Function const& f : module.functions) ir::print(module, f);
        return true;
    };
    REQUIRE(read_all(whole));
    for (std::size_t size = 0; size < whole.size(); size += 1 + size / 100)
        CHECK_FALSE(read_all(whole.substr(0, size)));
    CHECK_FALSE(read_all(whole + '\0'));
    std::mt19937 random(11);
#ifdef WARPSIM_SANITIZED
    std::size_t const rounds = 1500;
#else
    std::size_t const rounds = 6000;
#endif
    std::size_t refused = 0;
    for (std::size_t i = 0; i < rounds; ++i) {
        std::string bytes = whole;
        for (unsigned n = 1 + random() % 4; n != 0; --n) {
            auto& byte = bytes[random() % bytes.size()];
            byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1u << random() % 8));
        }
        if (!read_all(std::move(bytes))) ++refused;
    }
    CHECK(refused > rounds / 6);
}

TEST_CASE("The stamp of packed modules is a digest", "[archive]") {
    CHECK(archive_stamp().size() == 32);
    CHECK(archive_stamp().find_first_not_of("0123456789abcdef") == std::string_view::npos);
}

}  // namespace archive_test
