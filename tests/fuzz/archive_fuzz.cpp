// A packed module with any bytes changed: refused, or read within its bounds. What is read is printed, which
// follows all indexes.
#include "frontend/archive/archive.hpp"
#include "frontend/ir/print.hpp"
#include "frontend/link/read_modules.hpp"

#include <cstddef>
#include <cstdint>

namespace {

using namespace warpsim;
using namespace warpsim::frontend;

constexpr char text[] = R"(.version 7.0
.target sm_70
.address_size 64
.file 1 "a.cu"
.func (.param .b32 o) f(.param .b32 i) {
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [i];
    add.u32 %r2, %r1, 1;
    st.param.b32 [o], %r2;
    ret;
}
.global .u64 table[1] = { f };
.visible .entry k(.param .u64 p) {
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    .reg .pred %p;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p, %r1, 3;
    .loc 1 3 4
    @%p bra END;
    ld.global.u64 %rd2, [table];
    {
        .param .b32 i;
        .param .b32 o;
        st.param.b32 [i], %r1;
        signature: .callprototype (.param .b32 _) _ (.param .b32 _);
        call (o), %rd2, (i), signature;
        ld.param.b32 %r2, [o];
    }
    targets: .branchtargets END;
    brx.idx %r2, targets;
END:
    st.global.v2.u32 [%rd1], {%r1, %r2};
    ret;
}
)";

}  // namespace

/// Three bytes each: where, and what is written there. What follows stands for the end.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static Linked const linked = read_modules({{"fuzz.ptx", text}}, 1);
    static std::string const whole = pack(linked);
    std::string bytes = whole;
    for (; size >= 3; data += 3, size -= 3) {
        bytes[static_cast<std::size_t>(data[0] | data[1] << 8) % bytes.size()] = static_cast<char>(data[2]);
    }
    if (size != 0) bytes.resize(bytes.size() - data[0]);
    auto packed = PackedModule::open(std::move(bytes), linked.module.sources);
    if (!packed) return 0;
    ir::Module module = packed->take_module();
    for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
        if (packed->complete(module, f)) ir::print(module, module.functions[f]);
    }
    return 0;
}
