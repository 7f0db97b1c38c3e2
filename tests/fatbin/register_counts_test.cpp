// Registers of kernels as machine code and the reports of NVIDIA's tools tell them.
#include "runtime/device.hpp"
#include "runtime/fatbin/fatbin.hpp"
#include "runtime/fatbin/register_counts.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/support/temporary_folder.hpp"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace register_counts_test {

using namespace warpsim;
using namespace warpsim::fatbin;

namespace {

template <class T> std::string bytes_of(T const& value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

/// An ELF file with symbols "first" and "second", whose attributes are given.
std::string elf_with(std::string const& attributes) {
    std::string const names("\0.shstrtab\0.symtab\0.strtab\0.nv.info\0", 36), strings("\0first\0second\0", 14);
    Elf64_Sym first{}, second{};
    first.st_name = 1;
    second.st_name = 7;
    std::vector<std::string> const contents{"", names, bytes_of(Elf64_Sym{}) + bytes_of(first) + bytes_of(second),
                                            strings, attributes};
    std::vector<std::uint32_t> const name_at{0, 1, 11, 19, 27};
    std::string body;
    std::vector<Elf64_Shdr> sections(contents.size());
    for (std::size_t i = 0; i < contents.size(); ++i) {
        sections[i].sh_name = name_at[i];
        sections[i].sh_offset = sizeof(Elf64_Ehdr) + body.size();
        sections[i].sh_size = contents[i].size();
        body += contents[i];
    }
    sections[2].sh_link = 3;
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_shoff = sizeof head + body.size();
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = static_cast<Elf64_Half>(sections.size());
    head.e_shstrndx = 1;
    std::string all = bytes_of(head) + body;
    for (Elf64_Shdr const& section : sections) all += bytes_of(section);
    return all;
}

/// Of the function whose symbol has that number.
std::string registers(std::uint32_t symbol, std::uint32_t count) {
    return std::string("\x04\x2f\x08\x00", 4) + bytes_of(symbol) + bytes_of(count);
}

std::string const both = registers(1, 26) + std::string("\x01\x2a\x00\x00", 4) +
                         std::string("\x04\x11\x04\x00\x09\x00\x00\x00", 8) + registers(2, 255);

RegisterCounts read(std::string const& text) {
    test::TemporaryFolder const folder;
    std::ofstream(folder / "counts", std::ios::binary) << text;
    return read_register_counts(folder / "counts");
}

Entry entry_of(Kind kind, std::uint32_t architecture, Variant variant = Variant::any) {
    Entry entry;
    entry.kind = kind;
    entry.architecture = architecture;
    entry.variant = variant;
    return entry;
}

}  // namespace

TEST_CASE("Machine code tells the registers of its functions", "[fatbin]") {
    RegisterCounts const want{{"first", 26}, {"second", 255}};
    CHECK(machine_code_registers(elf_with(both)) == want);
    CHECK(read(elf_with(both)) == want);
    CHECK(machine_code_registers(elf_with("")).empty());
}

TEST_CASE("Damaged machine code is refused, and never read beyond its end", "[fatbin]") {
    std::string const whole = elf_with(both);
    int refused = 0;
    auto const look_at = [&](std::string const& bytes) {
        try {
            machine_code_registers(bytes);
        } catch (Error const& error) {
            CHECK(test::contains(error.what(), "the machine code is damaged: "));
            ++refused;
        }
    };
    for (std::size_t size = 0; size < whole.size(); ++size) look_at(whole.substr(0, size));
    CHECK(refused == static_cast<int>(whole.size()));
    std::mt19937 random(5);
    for (int i = 0; i < 20000; ++i) {
        std::string bytes = whole;
        for (int k = 0; k < 1 + i % 3; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
        look_at(bytes);
    }
    CHECK_THROWS_WITH(read(whole.substr(0, 100)), Catch::Contains("counts: the machine code is damaged"));
}

TEST_CASE("What ptxas and cuobjdump print tells registers, and so do lists", "[fatbin]") {
    RegisterCounts const want{{"_Z1kPf", 8}, {"_Z1hPfi", 24}};
    CHECK(read("ptxas info    : 0 bytes gmem\n"
               "ptxas info    : Compiling entry function '_Z1hPfi' for 'sm_75'\n"
               "ptxas info    : Function properties for _Z1hPfi\n"
               "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
               "ptxas info    : Used 24 registers, used 0 barriers, 364 bytes cmem[0]\n"
               "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_75'\n"
               "ptxas info    : Used 8 registers, used 0 barriers, 360 bytes cmem[0]\n") == want);
    CHECK(read("\nResource usage:\n Common:\n  GLOBAL:0\n Function _Z1kPf:\n"
               "  REG:8 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:360\n Function _Z1hPfi:\n"
               "  REG:24 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:364\n") == want);
    CHECK(read("# kernel and registers\n_Z1kPf 8\n\n  _Z1hPfi\t24\n") == want);
    CHECK_THROWS_WITH(read("_Z1kPf 8\n_Z1hPfi many\n"),
                      Catch::EndsWith("counts:2: 'many' is no number of registers"));
    CHECK_THROWS_WITH(read("_Z1kPf\n"), Catch::EndsWith("counts:1: a name and a number of registers are wanted"));
    CHECK_THROWS_WITH(read("_Z1kPf 0\n"), Catch::EndsWith("'0' is no number of registers"));
    CHECK_THROWS_WITH(read("ptxas info    : Used 24 registers\n"),
                      Catch::EndsWith("counts:1: no function is named before these registers"));
    CHECK_THROWS_WITH(read("# nothing\n"), Catch::EndsWith("counts: it tells registers of no function"));
    CHECK_THROWS_WITH(read_register_counts("/nowhere/at/all"), "'/nowhere/at/all' cannot be read");
}

TEST_CASE("A device executes machine code of its own and of earlier minor versions", "[fatbin]") {
    std::vector<Entry> const all{entry_of(Kind::ptx, 75), entry_of(Kind::cubin, 70), entry_of(Kind::cubin, 80),
                                 entry_of(Kind::cubin, 86), entry_of(Kind::cubin, 90, Variant::exact)};
    CHECK(choose_machine_code(all, 70) == &all[1]);
    CHECK(choose_machine_code(all, 75) == &all[1]);
    CHECK(choose_machine_code(all, 80) == &all[2]);
    CHECK(choose_machine_code(all, 89) == &all[3]);
    CHECK(choose_machine_code(all, 90) == &all[4]);
    CHECK(choose_machine_code(all, 100) == nullptr);
}

TEST_CASE("Kernels take the registers of machine code that is known, which limits how many blocks an SM has",
          "[fatbin]") {
    std::string const text = test::kernel("st.global.u32 [%o4], %i;");
    auto const took = [&](std::uint32_t given, std::uint32_t known, std::string const& setting, bool times) {
        runtime::DeviceOptions options;
        options.mode = times ? runtime::Mode::timing : runtime::Mode::functional;
        if (given != 0) options.registers["k"] = given;
        runtime::LoadOptions load;
        if (known != 0) load.registers["k"] = known;
        runtime::Device device(sim::load_config("gv100", setting.empty() ? std::vector<std::string>{}
                                                                         : std::vector<std::string>{setting}),
                               options);
        auto const module = device.load_text("k.ptx", text, load);
        auto const out = device.allocate(4096);
        runtime::LaunchShape shape;
        shape.block = {256, 1, 1};
        sim::LaunchStatistics const statistics =
            device.launch(*module, "k", shape, runtime::Arguments::of(out, out));
        return statistics.registers_per_thread;
    };
    for (bool const times : {false, true}) {
        std::uint32_t const own = took(0, 0, "", times);
        CHECK(own < 32);
        CHECK(took(0, 100, "", times) == 100);
        CHECK(took(64, 100, "", times) == 64);
        CHECK(took(0, 100, "launch.registers_of_machine_code=false", times) == own);
        CHECK(took(64, 100, "launch.registers_of_machine_code=false", times) == 64);
        CHECK(took(256, 0, "", times) == own);  // more than a thread can have
    }
}

}  // namespace register_counts_test
