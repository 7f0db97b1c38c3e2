// Which launches --kernel-name, --launch-skip and --launch-count choose.
#include "runtime/session/launch_choice.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"

namespace launch_choice_test {

using namespace warpsim;
using runtime::LaunchChoice;

namespace {

bool chooses(std::string const& pattern, std::string const& kernel) {
    return LaunchChoice({pattern}, 0, UINT64_MAX).chooses(kernel);
}

}  // namespace

TEST_CASE("A kernel is chosen by its name in the source and in PTX", "[session]") {
    std::string const scale = "_ZN2ns5scaleIfEEvPT_i";  // void ns::scale<float>(float*, int)
    for (char const* const pattern :
         {"_ZN2ns5scaleIfEEvPT_i", "void ns::scale<float>(float*, int)", "ns::scale<float>", "ns::scale", "scale",
          "kernel_name=scale", "kne=scale", "kernel_substring=cale<fl", "kns=scale", "regex:^ns::sc.*e$",
          "regex:float", "regex:_ZN2ns"}) {
        INFO(pattern);
        CHECK(chooses(pattern, scale));
    }
    for (char const* const pattern : {"scal", "ns", "float", "kns=double", "regex:^cale", ""}) {
        INFO(pattern);
        CHECK_FALSE(chooses(pattern, scale));
    }
    CHECK(chooses("plain", "plain"));
    CHECK(chooses("k", "_ZN12_GLOBAL__N_11kEPi"));  // (anonymous namespace)::k(int*)
    CHECK_THROWS_AS(LaunchChoice({"regex:("}, 0, 1), Error);
}

TEST_CASE("Launches are passed over and counted among those of the chosen kernels", "[session]") {
    LaunchChoice choice({"a", "b"}, 1, 2);
    std::string chosen;
    for (char const* const kernel : {"a", "c", "b", "c", "a", "b"}) chosen += choice.chooses(kernel) ? "1" : "0";
    CHECK(chosen == "001010");
    CHECK_FALSE(choice.chooses_all());
    CHECK(LaunchChoice({}, 0, UINT64_MAX).chooses_all());
}

}  // namespace launch_choice_test
