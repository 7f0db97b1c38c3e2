#include "frontend/isa/table.hpp"

#include "frontend/isa/host_list.hpp"

#include <algorithm>
#include <cpuid.h>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

namespace warpsim::isa {

// What the chapters, compiled once per host instruction set, define.
#define WARPSIM_CHAPTERS(host)                                                                                  \
    namespace host {                                                                                            \
    extern std::span<Row const> const integer_arithmetic, bit_manipulation, extended_precision, floating_point, \
        half_precision, comparison_selection, half_comparison, logic_shift, data_movement, conversion,          \
        conversion_to_integer, conversion_of_integer, narrow_conversion, video, control_flow, synchronization,  \
        asynchronous_copy, tensor_copy, multimem, fabric, texture, surface, matrix, warpgroup_matrix,           \
        tensor_memory, miscellaneous;                                                                           \
    LaneFunction saturate(Type type);                                                                           \
    }                                                                                                           \
    static std::vector<Chapter> chapters_of_##host() {                                                          \
        return {                                                                                                \
            {"Integer Arithmetic Instructions", host::integer_arithmetic},                                      \
            {"Integer Arithmetic Instructions on Bits", host::bit_manipulation},                                \
            {"Extended-Precision Integer Arithmetic Instructions", host::extended_precision},                   \
            {"Floating Point Instructions", host::floating_point},                                              \
            {"Half and Mixed Precision Floating Point Instructions", host::half_precision},                     \
            {"Comparison and Selection Instructions", host::comparison_selection},                              \
            {"Half Precision Comparison Instructions", host::half_comparison},                                  \
            {"Logic and Shift Instructions", host::logic_shift},                                                \
            {"Data Movement Instructions", host::data_movement},                                                \
            {"Conversion Instructions to Integers", host::conversion_to_integer},                               \
            {"Conversion Instructions from Integers", host::conversion_of_integer},                             \
            {"Conversion Instructions", host::conversion},                                                      \
            {"Conversion Instructions of Packed Narrow Types", host::narrow_conversion},                        \
            {"Asynchronous Copy Instructions", host::asynchronous_copy},                                        \
            {"Tensor Copy Instructions", host::tensor_copy},                                                    \
            {"Multimem Instructions", host::multimem},                                                          \
            {"Fabric Instructions", host::fabric},                                                              \
            {"Texture Instructions", host::texture},                                                            \
            {"Surface Instructions", host::surface},                                                            \
            {"Matrix Instructions", host::matrix},                                                              \
            {"Warpgroup Matrix Instructions", host::warpgroup_matrix},                                          \
            {"Tensor Memory Instructions", host::tensor_memory},                                                \
            {"Video Instructions", host::video},                                                                \
            {"Control Flow Instructions", host::control_flow},                                                  \
            {"Parallel Synchronization and Communication Instructions", host::synchronization},                 \
            {"Miscellaneous Instructions", host::miscellaneous},                                                \
        };                                                                                                      \
    }
WARPSIM_HOSTS(WARPSIM_CHAPTERS)
#undef WARPSIM_CHAPTERS

std::string_view name(HostIsa host) {
    return host == HostIsa::avx512 ? "avx512" : host == HostIsa::avx2 ? "avx2" : "baseline";
}

/// What x86-64-v3 has beyond the features that every compiler's builtin knows: MOVBE, F16C and LZCNT.
static bool has_rest_of_v3() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0) return false;
    bool const movbe_and_f16c = (c >> 22 & 1) != 0 && (c >> 29 & 1) != 0;
    return movbe_and_f16c && __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c >> 5 & 1) != 0;
}

static bool is_built(HostIsa host) {
#define WARPSIM_IS(name) \
    if (host == HostIsa::name) return true;
    WARPSIM_HOSTS(WARPSIM_IS)
#undef WARPSIM_IS
    return false;
}

bool runs_here(HostIsa host) {
    if (!is_built(host)) return false;
    bool const v3 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                    __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0 && has_rest_of_v3();
    switch (host) {
        case HostIsa::baseline: return true;
        case HostIsa::avx2: return v3;
        case HostIsa::avx512:
            return v3 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                   __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                   __builtin_cpu_supports("avx512vl") != 0;
    }
    return false;
}

HostIsa host_isa() {
    constexpr HostIsa all[] = {HostIsa::avx512, HostIsa::avx2, HostIsa::baseline};
    char const* const wanted = std::getenv("WARPSIM_HOST_ISA");
    if (wanted == nullptr || *wanted == '\0') {
        for (HostIsa const host : all) {
            if (runs_here(host)) return host;
        }
        throw std::runtime_error("this warpsim was built for processors with other vector instructions "
                                 "(WARPSIM_HOSTS); build it for this one");
    }
    for (HostIsa const host : all) {
        if (name(host) != wanted) continue;
        if (!is_built(host)) {
            throw std::runtime_error(
                "WARPSIM_HOST_ISA asks for " + std::string(wanted) +
                ", for which this warpsim has no code (it was built with other WARPSIM_HOSTS)");
        }
        if (!runs_here(host)) {
            throw std::runtime_error("WARPSIM_HOST_ISA asks for " + std::string(wanted) +
                                     ", which this machine cannot run");
        }
        return host;
    }
    throw std::runtime_error("WARPSIM_HOST_ISA is '" + std::string(wanted) +
                             "'; it must be baseline, avx2 or avx512");
}

namespace {

/// The rows of one host, and the chapters as parts of them.
struct Table {
    std::vector<Row> rows;
    std::vector<Chapter> chapters;
};

/// Effects are numbered in the order in which rows name them.
void number_effects(std::vector<Row>& rows) {
    std::vector<std::string_view> names;
    Row const* before = nullptr;
    for (Row& row : rows) {
        // Rows with one effect mostly stand together.
        if (before != nullptr && before->facts == row.facts) {
            row.effect = before->effect;
            continue;
        }
        before = &row;
        auto const found = std::find(names.begin(), names.end(), row.facts->name);
        row.effect = static_cast<Effect>(found - names.begin());
        if (found == names.end()) names.push_back(row.facts->name);
    }
}

Table const* make_table(std::vector<Chapter> chapters) {
    auto* const table = new Table{{}, std::move(chapters)};
    for (Chapter const& chapter : table->chapters)
        table->rows.insert(table->rows.end(), chapter.rows.begin(), chapter.rows.end());
    number_effects(table->rows);
    std::size_t first = 0;
    for (Chapter& chapter : table->chapters) {
        chapter.rows = std::span(table->rows).subspan(first, chapter.rows.size());
        first += chapter.rows.size();
    }
    return table;
}

// Tables are never destroyed, neither these nor the decoder's: a program may end while a thread still runs its
// kernels. Each is made when its host is first asked for; most programs ask for one.
Table const& table(HostIsa host) {
#define WARPSIM_TABLE(name)                                        \
    if (host == HostIsa::name) {                                   \
        static auto const& of = *make_table(chapters_of_##name()); \
        return of;                                                 \
    }
    WARPSIM_HOSTS(WARPSIM_TABLE)
#undef WARPSIM_TABLE
    return table(HostIsa::WARPSIM_FIRST_HOST);
}

}  // namespace

std::vector<Chapter> const& chapters(HostIsa host) { return table(host).chapters; }
std::vector<Row> const& rows(HostIsa host) { return table(host).rows; }

LaneFunction saturate(HostIsa host, Type type) {
#define WARPSIM_SATURATE(name) \
    if (host == HostIsa::name) return name::saturate(type);
    WARPSIM_HOSTS(WARPSIM_SATURATE)
#undef WARPSIM_SATURATE
    return WARPSIM_FIRST_HOST::saturate(type);
}

bool carries(Row const& row) {
    std::string_view const syntax = row.syntax;
    return syntax.find(".cc") != std::string_view::npos || syntax.starts_with("addc") ||
           syntax.starts_with("subc") || syntax.starts_with("madc");
}

InstructionClass instruction_class(Row const& row, Variant const& variant) {
    InstructionClass const counted = row.facts->counted;
    if (counted != InstructionClass::count) return counted;
    if (row.unit == Unit::sfu) return InstructionClass::sfu;
    if (row.unit == Unit::tensor) return InstructionClass::tensor;
    // An arithmetic instruction counts by what it computes in: a comparison by its operands.
    Type const type = variant.source_count > 0 ? variant.sources[0] : variant.types[0];
    switch (type) {
        case Type::f64: return InstructionClass::fp64;
        case Type::f32:
        case Type::f32x2: return InstructionClass::fp32;
        case Type::f16:
        case Type::f16x2:
        case Type::bf16:
        case Type::bf16x2: return InstructionClass::fp16;
        case Type::none: return InstructionClass::other;
        default: return InstructionClass::integer;
    }
}

}  // namespace warpsim::isa
