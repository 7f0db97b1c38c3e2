// Handles of textures, samplers and surfaces, and what is said of bad ones.
#include "sim/texture/table.hpp"
#include "tests/support/catch.hpp"

#include <set>

namespace table_test {

using namespace warpsim::sim::texture;

TEST_CASE("A handle finds its object until that is destroyed", "[texture]") {
    Table table;
    Texture texture;
    texture.image = image_of_line(0x1000, {Channel::f32, 1}, 10);
    Handle const a = table.add(texture);
    Handle const b = table.add(Texture{});
    Handle const s = table.add(Surface{texture.image});
    Handle const p = table.add(Sampler{});
    CHECK(std::set{a, b, s, p}.size() == 4);
    auto const before = table.map();
    CHECK(before->texture(a)->image.extent.width == 10);
    CHECK(before->surface(s) != nullptr);
    CHECK(before->sampler(p) != nullptr);
    CHECK(table.remove(a));
    CHECK_FALSE(table.remove(a));
    CHECK(before->texture(a) != nullptr);  // a launch that runs keeps what it began with
    auto const after = table.map();
    CHECK(after->texture(a) == nullptr);
    CHECK(after->texture(b) != nullptr);
    Handle const c = table.add(Texture{});
    CHECK(c != a);
    CHECK(table.map()->texture(a) == nullptr);
    CHECK(table.map()->texture(c) != nullptr);
    CHECK(table.replace(c, texture));
    CHECK(table.texture(c)->image.extent.width == 10);
    CHECK_FALSE(table.replace(a, texture));
    CHECK_FALSE(table.replace(s, texture));
}

TEST_CASE("A handle that finds nothing is described", "[texture]") {
    Table table(1), other(2);
    Handle const a = table.add(Texture{}), gone = table.add(Texture{});
    Handle const surface = table.add(Surface{}), foreign = other.add(Texture{});
    table.remove(gone);
    auto const map = table.map();
    CHECK(map->why(0, HandleKind::texture) == Missing::unbound);
    CHECK(map->why(0x10000000000, HandleKind::texture) == Missing::not_a_handle);
    CHECK(map->why(a + 100, HandleKind::texture) == Missing::not_a_handle);
    CHECK(map->why(a, HandleKind::surface) == Missing::other_kind);
    CHECK(map->why(surface, HandleKind::texture) == Missing::other_kind);
    CHECK(map->why(foreign, HandleKind::texture) == Missing::other_device);
    CHECK(map->why(gone, HandleKind::texture) == Missing::destroyed);
    CHECK(map->describe(0, HandleKind::surface) == "no surface is bound");
    CHECK(map->describe(gone, HandleKind::texture).find("was destroyed") != std::string::npos);
}

}  // namespace table_test
