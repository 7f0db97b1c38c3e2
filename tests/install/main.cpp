// A program that uses the installed library: doubles an array on the built-in default configuration.
#include <runtime/device.hpp>

#include <cstdint>
#include <iostream>
#include <numeric>
#include <vector>

namespace {

char const* const ptx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 array, .param .u32 count)
{
    .reg .pred %p;
    .reg .u32 %r<6>;
    .reg .u64 %rd<3>;
    ld.param.u64 %rd0, [array];
    ld.param.u32 %r0, [count];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    setp.ge.u32 %p, %r4, %r0;
    @%p ret;
    mul.wide.u32 %rd1, %r4, 4;
    add.u64 %rd2, %rd0, %rd1;
    ld.global.u32 %r5, [%rd2];
    shl.b32 %r5, %r5, 1;
    st.global.u32 [%rd2], %r5;
    ret;
}
)";

}  // namespace

int main() {
    using namespace warpsim;
    try {
        runtime::Device device(sim::load_config("h100"));
        std::vector<std::uint32_t> values(1000);
        std::iota(values.begin(), values.end(), 1u);
        runtime::DevicePointer const array = device.upload(values);
        auto const module = device.load_text("twice.ptx", ptx);
        runtime::LaunchShape shape;
        shape.grid = {4, 1, 1};
        shape.block = {256, 1, 1};
        device.launch(*module, "twice", shape, runtime::Arguments::of(array, std::uint32_t{1000}));
        std::vector<std::uint32_t> const result = device.download<std::uint32_t>(array, values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (result[i] != 2 * values[i]) {
                std::cerr << "element " << i << " is " << result[i] << '\n';
                return 1;
            }
        }
        // A user's error arrives as the library's one exception type, across the library's border.
        try {
            device.load_text("wrong.ptx", "not PTX");
            std::cerr << "nonsense was loaded\n";
            return 1;
        } catch (Error const& error) {
            if (error.kind() != ErrorKind::ptx) throw;
        }
        std::cout << "1000 elements doubled\n";
        return 0;
    } catch (std::exception const& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
