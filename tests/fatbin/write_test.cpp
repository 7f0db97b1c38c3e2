// Containers that are written here, read again.
#include "runtime/fatbin/fatbin.hpp"
#include "runtime/fatbin/write.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"

#include <span>

namespace write_test {

using namespace warpsim;
using namespace warpsim::fatbin;

namespace {

Entry only_entry(std::string const& container) {
    auto const list = entries(std::as_bytes(std::span(container)));
    REQUIRE(list.size() == 1);
    return list[0];
}

}  // namespace

TEST_CASE("What is written is read as it was", "[fatbin]") {
    std::string const text =
        "// .version 1.0\n/* .target sm_10 */ .version 7.8\n.target sm_90a, debug\n.address_size 64\n";
    std::string const container = write(text, "-maxrregcount=40");
    CHECK(image_kind(container.data()) == Image::container);
    CHECK(fatbin::container(container.data()).size() == container.size());
    CHECK(container.size() % 8 == 0);
    Entry const entry = only_entry(container);
    CHECK(entry.kind == Kind::ptx);
    CHECK(entry.coding == Coding::raw);
    CHECK(architecture_name(entry) == "sm_90a");
    CHECK(entry.isa_major == 7);
    CHECK(entry.isa_minor == 8);
    CHECK(max_registers(entry) == 40);
    CHECK(contents(entry) == text);
    std::string const family = write(".version 8.8\n.target sm_100f\n");
    CHECK(architecture_name(only_entry(family)) == "sm_100f");
    CHECK(max_registers(only_entry(family)) == 0);
}

TEST_CASE("A text that does not say what it is for is not written", "[fatbin]") {
    for (char const* text : {"", ".version 8.0\n", ".target sm_80\n", ".version 8\n.target sm_80\n",
                             "// .version 8.0", "/*", ".version 8.0\n{ .target sm_80 }"}) {
        INFO(text);
        CHECK_THROWS_AS(write(text), Error);
    }
}

}  // namespace write_test
