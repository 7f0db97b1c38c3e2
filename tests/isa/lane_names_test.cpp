#include "frontend/isa/lane_names.hpp"
#include "frontend/isa/table.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace lane_names_test {

using namespace warpsim::isa;

namespace {

constexpr LaneKind kinds[] = {LaneKind::plain, LaneKind::ftz, LaneKind::directed, LaneKind::directed_ftz};

/// Calls f(row index, variant index, kind) for every lane function.
template <class F> void for_each_function(F f) {
    std::vector<Row> const& all = rows(HostIsa::baseline);
    for (std::size_t r = 0; r < all.size(); ++r)
        for (std::size_t v = 0; v < all[r].variants.size(); ++v)
            for (LaneKind const kind : kinds)
                if (lane_function(all[r].variants[v], kind) != nullptr) f(r, v, kind);
}

}  // namespace

TEST_CASE("No two lane functions have one name", "[isa]") {
    std::vector<Row> const& all = rows(HostIsa::baseline);
    std::set<std::string> names;
    for_each_function([&](std::size_t r, std::size_t v, LaneKind kind) {
        std::string const name = lane_name(all[r], all[r].variants[v], kind);
        INFO(name);
        CHECK(names.insert(name).second);
    });
    CHECK(names.size() > 2000);
}

TEST_CASE("A lane function has the same name on every host, of characters that symbols may have", "[isa]") {
    for_each_function([](std::size_t r, std::size_t v, LaneKind kind) {
        Row const& row = rows(HostIsa::baseline)[r];
        std::string const name = lane_name(row, row.variants[v], kind);
        INFO(name);
        CHECK(std::all_of(name.begin(), name.end(), [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
        }));
        for (HostIsa const host : {HostIsa::avx2, HostIsa::avx512}) {
            Row const& other = rows(host)[r];
            CHECK(lane_name(other, other.variants[v], kind) == name);
        }
    });
}

TEST_CASE("A lane function's name says what it computes", "[isa]") {
    auto const named = [](std::string const& wanted) {
        bool found = false;
        for_each_function([&](std::size_t r, std::size_t v, LaneKind kind) {
            Row const& row = rows(HostIsa::baseline)[r];
            found = found || lane_name(row, row.variants[v], kind) == wanted;
        });
        return found;
    };
    CHECK(named("add.rnd.ftz.sat.f32_d_a_b__f32__f32.f32.f32__directed_ftz"));
    CHECK(named("mad.lo.type_d_a_b_c__u32__u32.u32.u32.u32__plain"));
    CHECK(named("setp.CmpOp.ftz.f32_p_q_a_b__lt.f32__pred.f32.f32__ftz"));
}

}  // namespace lane_names_test
