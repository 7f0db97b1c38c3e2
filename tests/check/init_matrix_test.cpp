// Undefined bits go where matrix instructions and tensor copies bring the bytes that they stand for, and what is multiplied with
// an undefined factor is undefined.
#include "tests/check/follow_run.hpp"
#include "tests/support/described_matrix.hpp"
#include "tests/support/tensor_layouts.hpp"
#include "tests/support/tensor_memory.hpp"

#include <string>
#include <vector>

namespace init_matrix_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// 512 bytes of `in` in shared memory `s`, whose address is %a; %t the lane, %o where 32 bytes of it are to be stored.
std::string warp_kernel(std::string const& body) {
    std::string text =
        ".version 8.7\n.target sm_100a\n.address_size 64\n"
        ".visible .entry k(.param .u64 p_out, .param .u64 p_in)\n{\n.shared .align 128 .b8 s[512];\n"
        ".reg .b32 %t, %a, %b, %r<16>; .reg .b64 %o, %from, %d<4>;\n"
        "mov.u32 %t, %tid.x; mov.u32 %a, s; ld.param.u64 %o, [p_out]; ld.param.u64 %from, [p_in];\n"
        "mul.wide.u32 %d0, %t, 16; add.u64 %from, %from, %d0; shl.b32 %b, %t, 4; add.u32 %b, %b, %a;\n"
        "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%from]; st.shared.v4.b32 [%b], {%r0, %r1, %r2, %r3};\n"
        "mul.wide.u32 %d0, %t, 32; add.u64 %o, %o, %d0; bar.warp.sync -1;\n" +
        body + "ret;\n}\n";
    return text;
}
/// Stores the bytes of so many registers, from %r4 on.
std::string bytes_of(int registers) {
    std::string text;
    for (int b = 0; b < 4 * registers; ++b)
        text += "shr.u32 %b, %r" + std::to_string(4 + b / 4) + ", " + std::to_string(8 * (b % 4)) +
                "; st.global.u8 [%o+" + std::to_string(b) + "], %b;\n";
    return text;
}
std::string list(int registers) {
    std::string text = "{%r4";
    for (int r = 1; r < registers; ++r) text += ", %r" + std::to_string(4 + r);
    return text + "}";
}

Followed of_warp(std::string const& body) { return {warp_kernel(body), {}, std::vector<std::uint8_t>(512), 1024}; }

void check_bytes(Followed const& what, std::vector<std::size_t> const& places) {
    for (std::size_t const at : places) check_followed(what, at, {0xff});
}

}  // namespace

TEST_CASE("Undefined bytes go the ways of ldmatrix", "[check][init]") {
    struct Form {
        char const* name;
        int registers;
        std::size_t bytes;  // that it reads
    };
    for (Form const& form :
         {Form{"m8n8.x1.shared.b16", 1, 128}, Form{"m8n8.x4.shared.b16", 4, 512},
          Form{"m8n8.x1.trans.shared.b16", 1, 128}, Form{"m8n8.x2.trans.shared.b16", 2, 256},
          Form{"m8n8.x4.trans.shared.b16", 4, 512}, Form{"m16n16.x1.trans.shared.b8", 2, 256},
          Form{"m16n16.x2.trans.shared.b8", 4, 512}, Form{"m16n16.x2.trans.shared.b8x16.b6x16_p32", 4, 512},
          Form{"m16n16.x1.trans.shared.b8x16.b4x16_p64", 2, 256}, Form{"m8n16.x2.shared.b8x16.b6x16_p32", 2, 256},
          Form{"m8n16.x4.shared.b8x16.b4x16_p64", 4, 512}}) {
        INFO(form.name);
        std::vector<std::size_t> places;
        for (std::size_t row = 0; row < form.bytes / 16; row += 3) places.push_back(16 * row + row % 8);
        check_bytes(of_warp("shl.b32 %b, %t, 4; add.u32 %b, %b, %a;\nldmatrix.sync.aligned." +
                            std::string(form.name) + " " + list(form.registers) + ", [%b];\n" +
                            bytes_of(form.registers) +
                            [&] {
                                std::string rest;
                                for (int b = 4 * form.registers; b < 32; ++b)
                                    rest += "st.global.u8 [%o+" + std::to_string(b) + "], 0;\n";
                                return rest;
                            }()),
                    places);
    }
}

TEST_CASE("Undefined bytes go the ways of stmatrix and movmatrix", "[check][init]") {
    std::string const registers = "ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%b];\nbar.warp.sync -1;\n";
    std::string const show = "bar.warp.sync -1;\nld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%b];\n" + bytes_of(4);
    struct Form {
        char const* name;
        int registers;
    };
    for (Form const& form : {Form{"m8n8.x1.shared.b16", 1}, Form{"m8n8.x4.shared.b16", 4},
                             Form{"m8n8.x1.trans.shared.b16", 1}, Form{"m8n8.x4.trans.shared.b16", 4},
                             Form{"m16n8.x1.trans.shared.b8", 1}, Form{"m16n8.x4.trans.shared.b8", 4}}) {
        INFO(form.name);
        // All of shared memory is zero but for what is stored.
        check_bytes(of_warp(registers +
                            "mov.b32 %r0, 0; st.shared.v4.b32 [%b], {%r0, %r0, %r0, %r0};\n"
                            "bar.warp.sync -1;\nstmatrix.sync.aligned." +
                            form.name + " [%b], " + list(form.registers) + ";\n" + show),
                    {0, 17, 34 + 16 * 8, 3 + 16 * 31});
    }
    check_bytes(of_warp(registers + "movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r4;\n" + bytes_of(4)),
                {0, 17, 16 * 9 + 2, 16 * 31 + 3, 16 * 5 + 8});
}

// ---- products ----------------------------------------------------------------------------------------------------

namespace {

constexpr std::uint8_t f16_one[2] = {0x00, 0x3c};

/// a in 8 KiB of shared memory, and behind it b in 4; so many words of each of 128 threads are stored.
std::string warpgroup_kernel(std::string const& body, int sums) {
    std::string text =
        ".version 9.0\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k(.param .u64 p_out, .param .u64 p_in)\n{\n.shared .align 1024 .b8 s[12288];\n"
        ".reg .pred %p<4>; .reg .b32 %t, %i, %a, %w, %r<64>; .reg .b64 %da, %db, %o, %from, %d;\n"
        "mov.u32 %t, %tid.x; mov.u32 %a, s; ld.param.u64 %o, [p_out]; ld.param.u64 %from, [p_in];\n"
        "mul.wide.u32 %d, %t, 4; add.u64 %from, %from, %d; shl.b32 %i, %t, 2; add.u32 %a, %a, %i;\n"
        "mul.wide.u32 %d, %t, " +
        std::to_string(4 * sums) + "; add.u64 %o, %o, %d;\n";
    for (int at = 0; at < 12288; at += 512)
        text += "ld.global.b32 %w, [%from+" + std::to_string(at) + "]; st.shared.b32 [%a+" + std::to_string(at) +
                "], %w;\n";
    for (int r = 0; r < sums; ++r) text += "mov.b32 %r" + std::to_string(r) + ", 0;\n";
    text += "fence.proxy.async.shared::cta; bar.sync 0;\nwgmma.fence.sync.aligned;\n" + body +
            "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n";
    for (int r = 0; r < sums; ++r)
        text += "st.global.b32 [%o+" + std::to_string(4 * r) + "], %r" + std::to_string(r) + ";\n";
    return text + "ret;\n}\n";
}
std::string sums_list(int first, int count) {
    std::string text = "{%r" + std::to_string(first);
    for (int r = 1; r < count; ++r) text += ", %r" + std::to_string(first + r);
    return text + "}";
}

/// Zeros in one factor, and ones in the other.
std::vector<std::uint8_t> ones_from(std::size_t begin, std::size_t end, std::size_t bytes) {
    std::vector<std::uint8_t> all(bytes);
    for (std::size_t at = begin; at < end; at += 2)
        std::copy_n(f16_one, 2, all.begin() + static_cast<std::ptrdiff_t>(at));
    return all;
}

}  // namespace

TEST_CASE("An undefined factor of wgmma makes its row or column undefined", "[check][init]") {
    std::vector<Canonical> const of_a = canonical_layouts(64, 32), of_b = canonical_layouts(16, 32);
    for (std::size_t i = 0; i + 1 < of_a.size(); ++i) {
        for (bool const is_f16 : {false, true}) {
            Canonical a = of_a[i], b = of_b[i];
            b.start += 8192;
            INFO(a.name() << ", b " << b.name() << (is_f16 ? ", f16" : ""));
            auto const major = [](Canonical const& c) { return c.major == sim::matrix::Major::mn ? "1" : "0"; };
            int const sums = is_f16 ? 4 : 8;
            std::string const multiply = "mov.b64 %da, " + std::to_string(a.descriptor()) + "; mov.b64 %db, " +
                                         std::to_string(b.descriptor()) +
                                         ";\nwgmma.mma_async.sync.aligned.m64n16k16." + (is_f16 ? "f16" : "f32") +
                                         ".f16.f16 " + sums_list(0, sums) + ", %da, %db, 1, 1, 1, " + major(a) +
                                         ", " + major(b) + ";\n";
            Followed what{warpgroup_kernel(multiply, sums),
                          {{128, 1, 1}},
                          ones_from(8192, 12288, 12288),
                          std::size_t{512} * static_cast<std::size_t>(sums),
                          is_f16 ? std::size_t{2} : 4};
            for (std::uint32_t const row : {0u, 9u, 37u, 63u})
                check_followed(what, a.byte(row, 2 * (row % 16)), {f16_one[0], f16_one[1]});
            what.in = ones_from(0, 8192, 12288);
            // An upper half alone would be padding.
            for (std::uint32_t const column : {0u, is_f16 ? 6u : 7u, is_f16 ? 12u : 13u})
                check_followed(what, b.byte(column, 2 * column), {f16_one[0], f16_one[1]});
        }
    }
}

TEST_CASE("A row of a in registers is a row of what wgmma sums up", "[check][init]") {
    Canonical b = canonical_layouts(16, 32).front();
    b.start = 8192;
    std::string const multiply = "ld.shared.b32 %r32, [%a]; ld.shared.b32 %r33, [%a+512]; ld.shared.b32 %r34, "
                                 "[%a+1024]; ld.shared.b32 %r35, "
                                 "[%a+1536];\nmov.b64 %db, " +
                                 std::to_string(b.descriptor()) +
                                 ";\nwgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " + sums_list(0, 8) +
                                 ", " + sums_list(32, 4) + ", %db, 1, 1, 1, 0;\n";
    Followed const what{warpgroup_kernel(multiply, 8), {{128, 1, 1}}, ones_from(8192, 12288, 12288), 4096, 4};
    for (std::size_t const at : {0u, 4u * 33u, 512u + 4u * 70u, 1024u + 4u * 127u + 2u, 1536u + 4u * 5u})
        check_followed(what, at, {f16_one[0], f16_one[1]});
}

// ---- tensor memory -----------------------------------------------------------------------------------------------

namespace {

Followed of_tensor_memory(TensorKernel const& kernel) {
    return {kernel.text(),
            {{128, 1, 1}, {kernel.ctas, 1, 1}},
            std::vector<std::uint8_t>(kernel.ctas * (kernel.shared + std::size_t{kernel.columns} * 512)),
            std::size_t{kernel.ctas} * kernel.columns * 512,
            4,
            {},
            false,
            0,
            {"compute_capability=10.0"}};
}
std::vector<std::uint8_t> const word{0xff, 0xff, 0xff, 0xff};

}  // namespace

TEST_CASE("Undefined words go the ways of tcgen05.ld and st", "[check][init]") {
    for (std::string const shape : {"32x32b.x1", "16x64b.x1", "16x64b.x2", "16x128b.x1", "16x256b.x1"}) {
        INFO(shape);
        int const registers = shape == "16x64b.x2" || shape == "16x128b.x1" ? 2 : shape == "16x256b.x1" ? 4 : 1;
        std::string values = "{%v0";
        for (int r = 1; r < registers; ++r) values += ", %v" + std::to_string(r);
        values += "}";
        TensorKernel kernel;
        kernel.columns = 32;
        // From the first columns to the sixteenth on, where the shape of the stores is another.
        kernel.body = "shl.b32 %a, %w, 21; add.u32 %a, %a, %ta;\ntcgen05.ld.sync.aligned." + shape + ".b32 " +
                      values + ", [%a]; tcgen05.wait::ld.sync.aligned;\n";
        for (int r = 0; r < registers; ++r)
            kernel.body += "tcgen05.st.sync.aligned.32x32b.x1.b32 [%a+" + std::to_string(16 + r) + "], {%v" +
                           std::to_string(r) + "}; tcgen05.wait::st.sync.aligned;\n";
        Followed const what = of_tensor_memory(kernel);
        for (std::size_t const lane : {0u, 5u, 35u, 73u})
            check_followed(what, kernel.shared + 4 * lane + 512 * (lane % static_cast<unsigned>(registers)), word);
        // And back.
        TensorKernel back = kernel;
        back.body = "shl.b32 %a, %w, 21; add.u32 %a, %a, %ta;\n";
        for (int r = 0; r < registers; ++r)
            back.body += "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v" + std::to_string(r) + "}, [%a+" +
                         std::to_string(16 + r) + "]; tcgen05.wait::ld.sync.aligned;\n";
        back.body +=
            "tcgen05.st.sync.aligned." + shape + ".b32 [%a], " + values + "; tcgen05.wait::st.sync.aligned;\n";
        Followed const from_there = of_tensor_memory(back);
        for (std::size_t const lane : {0u, 30u, 35u, 126u})
            check_followed(from_there,
                           back.shared + 4 * lane + 512 * (16 + lane % static_cast<unsigned>(registers)), word);
    }
}

TEST_CASE("Undefined halves are packed and unpacked in tensor memory", "[check][init]") {
    TensorKernel kernel;
    kernel.columns = 32;
    kernel.body =
        "shl.b32 %a, %w, 21; add.u32 %a, %a, %ta;\n"
        "tcgen05.ld.sync.aligned.32x32b.x1.pack::16b.b32 {%v0}, [%a]; tcgen05.wait::ld.sync.aligned;\n"
        "tcgen05.st.sync.aligned.32x32b.x1.b32 [%a+16], {%v0}; tcgen05.wait::st.sync.aligned;\n"
        "tcgen05.st.sync.aligned.32x32b.x1.unpack::16b.b32 [%a+20], {%v0}; tcgen05.wait::st.sync.aligned;\n";
    Followed what = of_tensor_memory(kernel);
    what.unit = 2;
    for (std::size_t const lane : {3u, 64u}) check_followed(what, kernel.shared + 4 * lane, {0xff, 0xff});
    // The other column of the two, in the upper half, which is turned round: undefined alone it would be padding.
    kernel.body =
        "shl.b32 %a, %w, 21; add.u32 %a, %a, %ta;\n"
        "tcgen05.ld.sync.aligned.32x32b.x1.pack::16b.b32 {%v0}, [%a]; tcgen05.wait::ld.sync.aligned;\n"
        "shf.l.wrap.b32 %v1, %v0, %v0, 16;\n"
        "tcgen05.st.sync.aligned.32x32b.x1.b32 [%a+16], {%v1}; tcgen05.wait::st.sync.aligned;\n"
        "tcgen05.st.sync.aligned.32x32b.x1.unpack::16b.b32 [%a+20], {%v0}; tcgen05.wait::st.sync.aligned;\n";
    what.text = kernel.text();
    for (std::size_t const lane : {3u, 64u}) check_followed(what, kernel.shared + 4 * lane + 512, {0xff, 0xff});
}

TEST_CASE("Undefined bytes go the ways of tcgen05.cp and shift", "[check][init]") {
    for (std::string const shape : {"128x256b", "128x128b", "4x256b", "64x128b.warpx2::02_13", "32x128b.warpx4"}) {
        for (std::string const format : {"", ".b8x16.b6x16_p32"}) {
            INFO(shape << format);
            TensorKernel kernel;
            kernel.columns = 32;
            kernel.shared = 4096;
            std::uint32_t const rows = static_cast<std::uint32_t>(std::stoi(shape));
            kernel.body = committed(
                kernel,
                "and.b32 %a, %sa, 262143; shr.u32 %a, %a, 4; cvt.u64.u32 %d1, %a; "
                "add.u64 %d1, %d1, " +
                    std::to_string(std::uint64_t{rows} << 16 | std::uint64_t{8} << 32 | std::uint64_t{1} << 46) +
                    "; add.u32 %a, %ta, 8;\ntcgen05.cp.cta_group::1." + shape + format + " [%a], %d1;\n");
            Followed what = of_tensor_memory(kernel);
            what.unit = format.empty() ? 4 : 1;
            for (std::uint32_t const row : {0u, 3u, 30u})
                if (row < rows)
                    check_followed(what, 16 * row + 4 * (row % 3),
                                   format.empty() ? word : std::vector<std::uint8_t>{0xff});
        }
    }
    TensorKernel kernel;
    kernel.columns = 32;
    kernel.body = committed(kernel, "add.u32 %a, %ta, 4194306; tcgen05.shift.cta_group::1.down [%a];\n");
    Followed const what = of_tensor_memory(kernel);
    for (std::size_t const lane : {65u, 70u, 95u})
        check_followed(what, kernel.shared + 4 * lane + std::size_t{512} * 3, word);
}

TEST_CASE("An undefined factor of tcgen05.mma makes its row or column undefined", "[check][init]") {
    struct Choice {
        std::uint32_t m, ctas;
        bool across, a_is_shared, is_f16;
        std::uint32_t swizzle;
    };
    for (Choice const& x : {Choice{128, 1, false, true, false, 0}, Choice{128, 1, true, true, false, 128},
                            Choice{64, 1, false, true, true, 32}, Choice{128, 1, false, false, false, 64},
                            Choice{256, 2, false, true, false, 0}, Choice{128, 2, true, true, false, 64}}) {
        INFO("m " << x.m << ", blocks " << x.ctas << ", across " << x.across << ", swizzle " << x.swizzle);
        TensorKernel kernel;
        kernel.ctas = x.ctas;
        kernel.columns = 64;
        kernel.shared = 32768;
        constexpr std::uint32_t n = 32, a_in_cells = 48, base_of_b = 16384;
        SharedLayout const a = layout_of(x.across, x.swizzle, x.m / x.ctas, 16, 2),
                           b = layout_of(x.across, x.swizzle, n / x.ctas, 16, 2);
        std::uint32_t const idesc =
            (x.is_f16 ? 0u : 1u << 4) | (x.across ? 3u << 15 : 0) | n / 8 << 17 | x.m / 16 << 24;
        kernel.body = committed(
            kernel,
            "mov.u16 %h0, 3; and.b32 %a, %sa, 262143; shr.u32 %a, %a, 4; cvt.u64.u32 %d1, %a; add.u64 %d2, %d1, " +
                std::to_string(b.descriptor() + base_of_b / 16) + "; add.u64 %d1, %d1, " +
                std::to_string(a.descriptor()) + "; mov.b32 %r0, " + std::to_string(idesc) +
                "; setp.eq.u32 %p5, 0, 0; mov.u32 %r1, %ta; add.u32 %r2, %ta, " + std::to_string(a_in_cells) +
                ";\ntcgen05.mma" + kernel.group() + ".kind::f16 [%r1], " + (x.a_is_shared ? "%d1" : "[%r2]") +
                ", %d2, %r0, %p5;\n");
        Followed what = of_tensor_memory(kernel);
        what.unit = x.is_f16 ? 2 : 4;
        std::vector<std::uint8_t> const one{f16_one[0], f16_one[1]};
        std::size_t const each = what.in.size() / x.ctas;
        auto const fill = [&](std::size_t begin, std::size_t end) {
            std::fill(what.in.begin(), what.in.end(), std::uint8_t{0});
            for (std::size_t cta = 0; cta < x.ctas; ++cta)
                for (std::size_t at = cta * each + begin; at < cta * each + end; at += 2)
                    std::copy_n(f16_one, 2, what.in.begin() + static_cast<std::ptrdiff_t>(at));
        };
        fill(base_of_b, kernel.shared);
        for (std::uint32_t const row : {0u, 21u, 63u}) {
            if (x.a_is_shared)
                for (std::size_t cta = 0; cta < x.ctas; ++cta)
                    check_followed(what, cta * each + a.byte(row, row % 16, 2), one);
            else what.in[kernel.shared] = 0;
        }
        fill(0, base_of_b);
        for (std::uint32_t const column : {0u, 11u})
            for (std::size_t cta = 0; cta < x.ctas && x.a_is_shared; ++cta)
                check_followed(what, cta * each + base_of_b + b.byte(column, column % 16, 2), one);
        // What is added, and an undefined sum of one lane.
        fill(base_of_b, kernel.shared);
        if (!x.is_f16) check_followed(what, kernel.shared + std::size_t{512} * 7 + 4 * 5, word);
    }
}

TEST_CASE("Tensor memory is undefined when it has been allocated", "[check][init]") {
    std::string const text =
        ".version 9.0\n.target sm_100a\n.address_size 64\n"
        ".visible .entry k(.param .u64 p_out, .param .u64 p_in)\n{\n.shared .align 4 .b32 slot;\n"
        ".reg .b32 %t, %a, %v; .reg .b64 %o, %d;\n"
        "ld.param.u64 %o, [p_out]; mov.u32 %t, %tid.x; mul.wide.u32 %d, %t, 4; add.u64 %o, %o, %d;\n"
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;\nld.shared.b32 %a, [slot];\nSTORE"
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v}, [%a]; tcgen05.wait::ld.sync.aligned;\n"
        "st.global.b32 [%o], %v;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %a, 32;\nret;\n}\n";
    auto const with = [&](std::string const& store) {
        std::string made = text;
        made.replace(made.find("STORE"), 5, store);
        return Followed{made, {}, std::vector<std::uint8_t>(4), 128, 4, {}, false, 0, {"compute_capability=10.0"}};
    };
    FollowRun const unwritten(with(""), std::vector<std::uint8_t>(4), 0, 0),
        written(with("tcgen05.st.sync.aligned.32x32b.x1.b32 [%a], {%t}; tcgen05.wait::st.sync.aligned;\n"),
                std::vector<std::uint8_t>(4), 0, 0);
    CHECK(unwritten.undefined == 128);
    CHECK(contains(unwritten.text, "column 0 of tensor memory, where nothing was written after tcgen05.alloc"));
    CHECK(written.text.empty());
}

// ---- tensor copies -----------------------------------------------------------------------------------------------

namespace {

std::string tensor_copy_kernel(std::string const& body) {
    return ".version 8.7\n.target sm_100a\n.address_size 64\n.shared .align 8 .b64 bar; .shared .align 1024 .b8 "
           "cells[4096];\n"
           ".visible .entry k(.param .align 128 .b8 p_map[128], .param .u64 p_out, .param .u64 p_in) {\n"
           ".reg .pred %p<4>; .reg .b32 %t, %c, %a, %w; .reg .b64 %map, %out, %in, %d;\n"
           "mov.b64 %d, p_map; cvta.param.u64 %map, %d; ld.param.u64 %out, [p_out]; ld.param.u64 %in, [p_in];\n"
           "mov.u32 %t, %tid.x; setp.ne.u32 %p1, %t, 0; mov.u32 %c, cells; shl.b32 %w, %t, 2; add.u32 %a, %c, "
           "%w;\n"
           "cvt.u64.u32 %d, %w; add.u64 %out, %out, %d; add.u64 %in, %in, %d;\n"
           "@!%p1 mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster; bar.sync 0;\n" +
           body + "ret;\n}\n";
}
/// Moves so many bytes between words of `cells` and memory.
std::string words(std::size_t bytes, bool to_cells) {
    std::string text;
    for (std::size_t at = 0; at < bytes; at += 128) {
        std::string const of_cells = "[%a+" + std::to_string(at) + "]";
        text += to_cells
                    ? "ld.global.b32 %w, [%in+" + std::to_string(at) + "]; st.shared.b32 " + of_cells + ", %w;\n"
                    : "ld.shared.b32 %w, " + of_cells + "; st.global.b32 [%out+" + std::to_string(at) + "], %w;\n";
    }
    return text;
}

}  // namespace

TEST_CASE("Undefined bytes go the ways of tensor copies", "[check][init]") {
    using sim::tensor::Swizzle;
    for (Swizzle const swizzle : {Swizzle::none, Swizzle::bytes_32, Swizzle::bytes_64, Swizzle::bytes_128}) {
        INFO("swizzle " << static_cast<int>(swizzle));
        sim::tensor::TensorMap map;
        map.element = sim::tensor::Element::u32;
        map.swizzle = swizzle;
        map.rank = 2;
        map.dims = {64, 16, 1, 1, 1};
        map.strides = {256, 0, 0, 0};
        map.box = {8, 12, 1, 1, 1};  // 32 bytes of each of twelve rows
        std::size_t const bytes = std::size_t{8} * 12 * 4;
        std::string const box = "[%map, {4, 2}]";
        std::string const load =
            "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], " + std::to_string(bytes) +
            ";\n@!%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%c], " +
            box + ", [bar];\nWAIT: mbarrier.try_wait.parity.shared.b64 %p0, [bar], 0; @!%p0 bra WAIT;\n";
        Followed const loads{
            tensor_copy_kernel(load + words(bytes, false)), {}, std::vector<std::uint8_t>(4096), bytes, 4, map};
        for (std::size_t const row : {2u, 5u, 13u}) check_followed(loads, row * 256 + 16 + 4 * (row % 8), word);
        std::string const store =
            "fence.proxy.async; bar.sync 0;\n@!%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group " +
            box + ", [%c];\n@!%p1 cp.async.bulk.commit_group; @!%p1 cp.async.bulk.wait_group 0;\n";
        Followed stores{
            tensor_copy_kernel(words(bytes, true) + store), {}, std::vector<std::uint8_t>(bytes), 4096, 4, map};
        stores.map_is_of_out = true;
        for (std::size_t const at : {0u, 44u, 200u, 380u}) check_followed(stores, at, word);
        // A sum of undefined bits is undefined as a whole.
        std::string reduce = store;
        reduce.replace(reduce.find("cp.async.bulk.tensor.2d.global.shared::cta.tile"), 47,
                       "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile");
        stores.text = tensor_copy_kernel(words(bytes, true) + reduce);
        check_followed(stores, 44, {0xff});
    }
}

}  // namespace init_matrix_test
