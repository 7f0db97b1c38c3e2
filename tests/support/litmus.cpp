#include "tests/support/litmus.hpp"

#include "runtime/device.hpp"
#include "sim/config/config.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace warpsim::test {

namespace {

constexpr std::size_t registers_of_thread = 4;

[[noreturn]] void wrong(std::string const& name, std::string const& what) {
    throw std::runtime_error(name + ": " + what);
}

Condition parse_condition(LitmusTest const& test, std::istringstream& words) {
    Condition condition;
    for (std::string word; words >> word;) {
        auto const equals = word.find('=');
        auto const colon = word.find(':');
        if (equals == std::string::npos) wrong(test.name, "no condition: " + word);
        auto const value = static_cast<std::uint32_t>(std::stoul(word.substr(equals + 1)));
        if (colon != std::string::npos) {
            std::size_t const thread = std::stoul(word.substr(0, colon)),
                              index = std::stoul(word.substr(colon + 2));
            if (thread >= test.threads.size() || index >= registers_of_thread)
                wrong(test.name, "no such register: " + word);
            condition.emplace_back(thread * registers_of_thread + index, value);
        } else {
            auto const v = std::find(test.variables.begin(), test.variables.end(), word.substr(0, equals));
            if (v == test.variables.end()) wrong(test.name, "no such variable: " + word);
            condition.emplace_back(test.threads.size() * registers_of_thread +
                                       static_cast<std::size_t>(v - test.variables.begin()),
                                   value);
        }
    }
    return condition;
}

std::vector<unsigned> parse_place(LitmusTest const& test, std::string const& word) {
    std::vector<unsigned> ctas;
    for (unsigned t = 0; t < test.threads.size(); ++t) {
        if (word == "cta") ctas.push_back(0);
        else if (word == "grid") ctas.push_back(t);
        else if (t < word.size() && word[t] >= '0' && word[t] <= '9')
            ctas.push_back(static_cast<unsigned>(word[t] - '0'));
        else wrong(test.name, "no place of threads: " + word);
    }
    return ctas;
}

}  // namespace

LitmusTest parse_litmus(std::string const& name, std::string const& text) {
    LitmusTest test;
    test.name = name;
    std::istringstream lines(text);
    std::vector<std::string> where, conditions;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty()) continue;
        if (line[0] == '#') {
            test.title += (test.title.empty() ? "" : " ") + line.substr(std::min<std::size_t>(2, line.size()));
            continue;
        }
        if (line[0] == ' ') {
            if (test.threads.empty()) wrong(name, "a line of no thread: " + line);
            test.threads.back().push_back(line);
            continue;
        }
        std::istringstream words(line);
        std::string key;
        words >> key;
        auto const rest = [&](std::vector<std::string>& list) {
            list.clear();
            for (std::string word; words >> word;) list.push_back(word);
        };
        if (key == "variables") rest(test.variables);
        else if (key == "racy" || key == "race-free") {
            test.is_racy = key == "racy";
            test.judged = line.substr(std::min(key.size() + 1, line.size()));
        } else if (key == "cell") words >> test.cell;
        else if (key == "scopes") rest(test.scopes);
        else if (key == "where") rest(where);
        else if (key == "global") test.in_shared = false;
        else if (key == "shared") test.in_global = false;
        else if (key == "independent") test.lanes_wait = true;
        else if (key == "thread") test.threads.emplace_back();
        else if (key == "forbid" || key == "sees") conditions.push_back(line);
        else wrong(name, "no such line: " + line);
    }
    for (std::string const& word : where) {
        if (word == "warp") test.in_one_warp = true;
        else test.places.push_back(parse_place(test, word));
    }
    for (std::string const& line : conditions) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        (key == "forbid" ? test.forbidden : test.seen).push_back(parse_condition(test, words));
    }
    if (test.threads.empty() || test.variables.empty() || (test.places.empty() && !test.in_one_warp))
        wrong(name, "incomplete");
    return test;
}

std::vector<LitmusTest> read_litmus_tests() {
    std::vector<LitmusTest> tests;
    for (auto const& entry :
         std::filesystem::directory_iterator(std::string(WARPSIM_SOURCE_DIR) + "/tests/litmus/tests")) {
        std::ifstream file(entry.path());
        std::stringstream text;
        text << file.rdbuf();
        tests.push_back(parse_litmus(entry.path().stem().string(), text.str()));
        if (tests.back().judged.empty()) wrong(tests.back().name, "it does not say whether it is racy, and why");
    }
    std::sort(tests.begin(), tests.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
    return tests;
}

std::vector<LitmusSetting> settings(LitmusTest const& test) {
    std::vector<LitmusSetting> list;
    auto places = test.places;
    if (test.in_one_warp) places.emplace_back();
    for (auto const& place : places) {
        bool const in_one_cta = std::all_of(place.begin(), place.end(), [](unsigned c) { return c == 0; });
        for (std::string const& scope : test.scopes) {
            // A scope that does not include a thread guarantees it nothing.
            if (scope == "cta" && !in_one_cta) continue;
            unsigned const n = static_cast<unsigned>(list.size());
            if (test.in_global) list.push_back({place, scope, n % 2 == 0 ? ".global" : "", n % 4 < 2, n + 1});
            if (in_one_cta && test.in_shared) list.push_back({place, scope, ".shared", false, n + 2});
        }
    }
    return list;
}

std::string describe(LitmusSetting const& setting) {
    std::string text = setting.ctas.empty() ? "in one warp" : "in CTAs";
    for (unsigned const c : setting.ctas) text += " " + std::to_string(c);
    return text + ", scope " + setting.scope + ", " + (setting.space.empty() ? "generic" : setting.space) +
           (setting.spread ? ", spread" : "");
}

namespace {

/// Writes the kernel that runs `instances` of a test: 32 at a time, one in each lane of the warps that are its
/// threads.
class KernelText {
public:
    KernelText(LitmusTest const& test, LitmusSetting const& setting, LitmusEngine const& engine)
        : test_(test), setting_(setting), engine_(engine), in_shared_(setting.space == ".shared") {
        for (unsigned const c : setting.ctas) ctas_ = std::max(ctas_, c + 1);
        warps_.assign(ctas_, 0);
        for (unsigned const c : setting.ctas) warp_of_.push_back(warps_[c]++);
        lanes_ = setting.ctas.empty() ? 32 / static_cast<unsigned>(test.threads.size()) : 32;
    }

    unsigned ctas() const { return ctas_; }
    unsigned threads() const {
        return setting_.ctas.empty() ? 32 : 32 * *std::max_element(warps_.begin(), warps_.end());
    }
    unsigned instances() const { return lanes_ * engine_.rounds; }
    unsigned stride() const { return setting_.spread && !in_shared_ ? 64 : test_.cell; }

    std::string text() {
        std::string const n = std::to_string(test_.threads.size());
        out_ = ".version 8.7\n.target sm_90\n.address_size 64\n";
        if (in_shared_) out_ += ".shared .align 16 .b8 cells[" + std::to_string(bytes_of_variables()) + "];\n";
        out_ += R"(.visible .entry k(.param .u64 p_out, .param .u64 p_vars, .param .u64 p_sync) {
.reg .b32 r<8>, %t, %c, %w, %lane, %round, %state, %n, %inst, %meet, %zero;
.reg .b64 d<8>, %out, %vars, %sync, %at, %base;
.reg .b128 q<4>;
.reg .pred p<4>, %p, %q;
)";
        for (std::string const& v : test_.variables) out_ += ".reg .b64 " + v + ";\n";
        out_ += R"(ld.param.u64 %out, [p_out]; ld.param.u64 %vars, [p_vars]; ld.param.u64 %sync, [p_sync];
mov.u32 %lane, %laneid; mov.u32 %c, %ctaid.x; mov.u32 %w, %warpid; mov.u32 %t, 99; mov.u32 %zero, 0;
)";
        place_threads();
        out_ += in_shared_ ? "mov.u64 %base, cells;\n" : "mov.u64 %base, %vars;\n";
        if (in_shared_) over_all_cells("st.shared.b8 [%at], 0;");
        out_ += "mad.lo.u32 %state, %t, 747796405, " + std::to_string(setting_.seed * 2891336453u) +
                ";\nmov.u32 %round, 0;\nROUND:\n";
        out_ += "mad.lo.u32 %inst, %round, " + std::to_string(lanes_) + ", %lane;\n";
        addresses();
        if (!setting_.ctas.empty()) meet();
        for (unsigned i = 0; i < 8; ++i) out_ += "mov.u32 r" + std::to_string(i) + ", 0; ";
        out_ += "\n";
        for (std::size_t t = 0; t < test_.threads.size(); ++t) {
            std::string const id = std::to_string(t);
            out_ += "setp.ne.u32 %p, %t, " + id + "; @%p bra NOT" + id + ";\n{\n";
            for (std::string const& line : test_.threads[t]) statement(line);
            out_ += "}\nNOT" + id + ":\n";
        }
        for (std::size_t i = 0; i < registers_of_thread; ++i) {
            out_ += "mad.lo.u32 %n, %t, 4, " + std::to_string(i) + "; mad.lo.u32 %n, %n, " +
                    std::to_string(instances()) +
                    ", %inst; mul.wide.u32 %at, %n, 4; add.u64 %at, %at, %out; st.global.u32 [%at], r" +
                    std::to_string(i) + ";\n";
        }
        out_ += "add.u32 %round, %round, 1; setp.lt.u32 %p, %round, " + std::to_string(engine_.rounds) +
                "; @%p bra ROUND;\n";
        if (in_shared_)
            over_all_cells("ld.shared.u8 %n, [%at]; sub.u64 %at, %at, %base; add.u64 %at, %at, %vars; "
                           "st.global.u8 [%at], %n;");
        out_ += "ret;\n}\n";
        return out_;
    }
    std::size_t bytes_of_variables() const { return std::size_t{test_.variables.size()} * instances() * stride(); }

private:
    void place_threads() {
        if (setting_.ctas.empty()) {
            std::string const n = std::to_string(test_.threads.size());
            out_ += "rem.u32 %t, %lane, " + n + "; div.u32 %lane, %lane, " + n + ";\n";
            if (32 % test_.threads.size() != 0)
                out_ += "setp.ge.u32 %p, %lane, " + std::to_string(lanes_) + "; @%p ret;\n";
            return;
        }
        for (std::size_t t = 0; t < test_.threads.size(); ++t) {
            out_ += "setp.eq.u32 %p, %c, " + std::to_string(setting_.ctas[t]) + "; setp.eq.and.u32 %q, %w, " +
                    std::to_string(warp_of_[t]) + ", %p; @%q mov.u32 %t, " + std::to_string(t) + ";\n";
        }
        out_ += "setp.eq.u32 %p, %t, 99; @%p ret;\n";
    }
    void addresses() {
        for (std::size_t v = 0; v < test_.variables.size(); ++v) {
            std::string const& name = test_.variables[v];
            out_ += "add.u32 %n, %inst, " + std::to_string(v * instances()) + "; mul.wide.u32 " + name + ", %n, " +
                    std::to_string(stride()) + "; add.u64 " + name + ", " + name + ", %base;\n";
        }
    }
    /// Lanes of all warps write the variables in shared memory byte by byte; then all wait.
    void over_all_cells(std::string const& what) {
        std::string const label = "CELLS" + std::to_string(labels_++);
        out_ += "mov.u32 %n, %tid.x; cvt.u64.u32 d0, %n;\nbar.sync 0;\n" + label + ": add.u64 %at, %base, d0; " +
                what + "\nadd.u64 d0, d0, " + std::to_string(threads()) + "; setp.lt.u64 %p, d0, " +
                std::to_string(bytes_of_variables()) + "; @%p bra " + label + ";\nbar.sync 0;\n";
    }
    void meet() {
        std::string const threads = std::to_string(test_.threads.size());
        unsigned const every = engine_.rounds_between_meetings;
        out_ += "rem.u32 %n, %round, " + std::to_string(every) +
                "; setp.ne.u32 %p, %n, 0; @%p bra MET;\ndiv.u32 %meet, %round, " + std::to_string(every) +
                "; mad.lo.u32 %meet, %meet, " + threads + ", " + threads +
                ";\nsetp.eq.u32 %p, %lane, 0; @%p red.release.gpu.global.add.u32 [%sync], 1;\n"
                "WAIT: ld.acquire.gpu.global.u32 %n, [%sync]; setp.lt.u32 %p, %n, %meet; @%p bra WAIT;\nMET:\n";
    }
    /// A statement, executed a random time after the one before it.
    void statement(std::string const& line) {
        std::string const id = std::to_string(labels_++);
        out_ += "mad.lo.u32 %state, %state, 1664525, 1013904223; shr.u32 %n, %state, " +
                std::to_string(29 + setting_.seed % 2) + ";\nDELAY" + id + ": setp.eq.u32 %p, %n, 0; @%p bra GO" +
                id + "; sub.u32 %n, %n, 1; bra DELAY" + id + ";\nGO" + id + ":\n" + replaced(line) + "\n";
    }
    std::string replaced(std::string line) const {
        std::string const membar = setting_.scope == "gpu" ? "gl" : setting_.scope;
        std::pair<std::string, std::string> const words[] = {
            {"$scope", setting_.scope}, {"$membar", membar}, {".$space", setting_.space}};
        for (auto const& [from, to] : words) {
            for (std::size_t at; (at = line.find(from)) != std::string::npos;) line.replace(at, from.size(), to);
        }
        return line;
    }

    LitmusTest const& test_;
    LitmusSetting const& setting_;
    LitmusEngine const& engine_;
    bool in_shared_;
    unsigned ctas_ = 1, lanes_ = 32, labels_ = 0;
    std::vector<unsigned> warps_, warp_of_;
    std::string out_;
};

}  // namespace

Outcomes run_litmus(LitmusTest const& test, LitmusSetting const& setting, LitmusEngine const& engine) {
    runtime::Device device(sim::load_config("h100", engine.overrides), engine.options);
    KernelText kernel(test, setting, engine);
    auto const module = device.load_text(test.name + ".ptx", kernel.text());
    std::size_t const instances = kernel.instances(), threads = test.threads.size();
    auto const out = device.allocate(threads * registers_of_thread * instances * 4);
    auto const variables = device.allocate(kernel.bytes_of_variables());
    auto const sync = device.allocate(4);
    runtime::LaunchShape shape;
    shape.grid = {kernel.ctas(), 1, 1};
    shape.block = {kernel.threads(), 1, 1};
    device.launch(*module, "k", shape, runtime::Arguments::of(out, variables, sync));
    auto const registers = device.download<std::uint32_t>(out, threads * registers_of_thread * instances);
    auto const cells = device.download<std::uint32_t>(variables, kernel.bytes_of_variables() / 4);
    Outcomes outcomes;
    for (std::size_t i = 0; i < instances; ++i) {
        Outcome outcome;
        for (std::size_t k = 0; k < threads * registers_of_thread; ++k)
            outcome.registers.push_back(registers[k * instances + i]);
        for (std::size_t v = 0; v < test.variables.size(); ++v) {
            outcome.variables.push_back(cells[(v * instances + i) * kernel.stride() / 4]);
        }
        ++outcomes[outcome];
    }
    return outcomes;
}

bool holds(Condition const& condition, Outcome const& outcome, LitmusTest const& test) {
    std::size_t const registers = test.threads.size() * registers_of_thread;
    return std::all_of(condition.begin(), condition.end(), [&](auto const& term) {
        auto const& [index, value] = term;
        return (index < registers ? outcome.registers[index] : outcome.variables[index - registers]) == value;
    });
}

std::string violations(LitmusTest const& test, Outcomes const& outcomes) {
    std::string text;
    for (auto const& [outcome, count] : outcomes) {
        for (Condition const& condition : test.forbidden) {
            if (!holds(condition, outcome, test)) continue;
            text += std::to_string(count) + " times";
            for (std::size_t k = 0; k < outcome.registers.size(); ++k) {
                text += " " + std::to_string(k / registers_of_thread) + ":r" +
                        std::to_string(k % registers_of_thread) + "=" + std::to_string(outcome.registers[k]);
            }
            for (std::size_t v = 0; v < outcome.variables.size(); ++v) {
                text += " " + test.variables[v] + "=" + std::to_string(outcome.variables[v]);
            }
            text += "\n";
            break;
        }
    }
    return text;
}

}  // namespace warpsim::test
