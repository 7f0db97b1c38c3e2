// The shapes of matrix products are read from the modifiers that state them.
#include "frontend/isa/product_shape.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <cstddef>
#include <regex>
#include <string>

namespace product_shape_test {

using namespace warpsim;
using isa::Modifier;

TEST_CASE("The shape of a product is what its modifier says, and no other modifier has one", "[isa]") {
    std::regex const form(R"(\.m([0-9]+)n([0-9]+)k([0-9]+))");
    std::size_t shapes = 0;
    for (std::size_t i = 0; i < isa::modifier_count; ++i) {
        auto const modifier = static_cast<Modifier>(i);
        std::string const name(isa::name(modifier));
        std::smatch sizes;
        auto const shape = isa::product_shape(modifier);
        INFO(name);
        REQUIRE(shape.has_value() == std::regex_match(name, sizes, form));
        if (!shape) continue;
        ++shapes;
        CHECK(name ==
              ".m" + std::to_string(shape->m) + "n" + std::to_string(shape->n) + "k" + std::to_string(shape->k));
    }
    CHECK(shapes > 40);
}

TEST_CASE("The shape of a form is that of the modifier that has one", "[isa]") {
    std::array const sparse{Modifier::sp, Modifier::m16n8k16, Modifier::row, Modifier::col};
    auto const shape = isa::product_shape(sparse);
    REQUIRE(shape.has_value());
    CHECK(shape->m == 16);
    CHECK(shape->n == 8);
    CHECK(shape->k == 16);
    std::array const none{Modifier::m8n16, Modifier::trans};
    CHECK(!isa::product_shape(none).has_value());
}

}  // namespace product_shape_test
