// Random programs, structured and not, under both models of control flow, against an evaluator that executes the
// generated blocks one thread at a time and knows no lanes, no PTX and no reconvergence.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <random>

namespace control_flow_stress_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

constexpr int registers = 5;  // %r0-4 hold values; %r5 limits the depth of calls, %r6 is the fuel
constexpr std::uint32_t warp_threads = 32;

struct Step {
    enum Kind { mad, mix, call, watch } kind = mad;
    int d = 0, a = 0;
    std::uint32_t c = 0;  // constant, or the function
};

struct Condition {
    int a = 0;
    std::uint32_t shift = 0, equals = 0;  // (%ra >> shift & 3) == equals
};

struct Block {
    std::vector<Step> steps;
    enum End { fall, jump, branch, indexed, leave, exit } end = fall;
    Condition condition;
    std::vector<std::size_t> targets;  // block numbers; one past the last: the end of the function
};

/// Block 0 is the first; leaving the last one, or running out of fuel, leaves the function.
struct Code {
    std::vector<Block> blocks;
    bool uses_fuel = false;
};

struct Source {
    std::vector<Code> functions;  // the kernel first
};

// ---- one thread at a time -------------------------------------------------------------------------------------

struct Thread {
    Source const& source;
    std::uint64_t instructions = 0;
    bool ended = false;
    bool reached_the_end = false;
    static constexpr std::uint64_t limit = 4000;  // structured loops may be endless: such programs are not run

    std::uint32_t run(std::size_t index, std::uint32_t x, std::uint32_t depth) {
        Code const& code = source.functions[index];
        std::uint32_t r[registers] = {x, x * 7 + 1, x ^ 0x55, x >> 2, 3};
        std::uint32_t fuel = 14;
        instructions += index == 0 ? 20 : 8;  // the prologue
        for (std::size_t at = 0; at < code.blocks.size() && instructions < limit;) {
            Block const& block = code.blocks[at];
            if (code.uses_fuel) {
                instructions += 3;
                if (--fuel == 0) break;
            }
            for (Step const& step : block.steps) {
                switch (step.kind) {
                    case Step::mad:
                        r[step.d] = r[step.a] * 5 + step.c;
                        ++instructions;
                        break;
                    case Step::mix:
                        r[step.d] ^= r[step.a];
                        ++instructions;
                        break;
                    case Step::watch: instructions += 3; break;
                    case Step::call:
                        instructions += 5;
                        if (depth != 0) r[step.d] = run(step.c, r[step.a], depth - 1);
                        if (ended) return 0;
                        instructions += 2;
                        break;
                }
            }
            bool const holds = (r[block.condition.a] >> block.condition.shift & 3) == block.condition.equals;
            switch (block.end) {
                case Block::fall: ++at; break;
                case Block::jump:
                    at = block.targets[0];
                    ++instructions;
                    break;
                case Block::branch:
                    at = holds ? block.targets[0] : at + 1;
                    instructions += 4;
                    break;
                case Block::indexed:
                    at = block.targets[r[block.condition.a] % block.targets.size()];
                    instructions += 2;
                    break;
                case Block::leave:
                    instructions += 4;
                    if (holds) {
                        instructions += 2;
                        ended = ended || index == 0;
                        return r[0];
                    }
                    ++at;
                    break;
                case Block::exit:
                    instructions += 4;
                    if (holds) {
                        ended = true;
                        return 0;
                    }
                    ++at;
                    break;
            }
        }
        std::uint32_t sum = 0;
        for (std::uint32_t const value : r) sum = sum * 31 + value;
        instructions += registers + 1;
        instructions += index == 0 ? 3 : 2;
        if (index == 0) reached_the_end = true;
        return sum;
    }
};

// ---- as PTX ---------------------------------------------------------------------------------------------------

std::string reg(int n) { return "%r" + std::to_string(n); }
std::string number(std::uint64_t n) { return std::to_string(n); }

std::string body_of(Source const& source, std::size_t index) {
    Code const& code = source.functions[index];
    std::string const label = "F" + number(index) + "_";
    std::string text = "mad.lo.u32 %r1, %r0, 7, 1; xor.b32 %r2, %r0, 0x55; shr.u32 %r3, %r0, 2; mov.u32 %r4, 3; "
                       "mov.u32 %r6, 14; mov.u32 %r9, 0;\n";
    auto const condition = [](Condition const& c) {
        return "shr.u32 %r7, " + reg(c.a) + ", " + number(c.shift) +
               "; and.b32 %r7, %r7, 3; setp.eq.u32 %p0, %r7, " + number(c.equals) + ";\n";
    };
    for (std::size_t b = 0; b < code.blocks.size(); ++b) {
        Block const& block = code.blocks[b];
        text += label + number(b) + ":\n";
        if (code.uses_fuel)
            text += "sub.u32 %r6, %r6, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra " + label +
                    number(code.blocks.size()) + ";\n";
        for (Step const& step : block.steps) {
            switch (step.kind) {
                case Step::mad:
                    text += "mad.lo.u32 " + reg(step.d) + ", " + reg(step.a) + ", 5, " + number(step.c) + ";\n";
                    break;
                case Step::mix:
                    text += "xor.b32 " + reg(step.d) + ", " + reg(step.d) + ", " + reg(step.a) + ";\n";
                    break;
                case Step::watch:
                    text += "activemask.b32 %r8; popc.b32 %r8, %r8; min.u32 %r20, %r20, %r8;\n";
                    break;
                case Step::call:
                    text += "{ .reg .b32 result; .param .u32 x; .param .u32 n; .param .u32 y; setp.ne.u32 %p2, "
                            "%r5, 0; sub.u32 %r8, %r5, 1; st.param.u32 [x], " +
                            reg(step.a) + "; st.param.u32 [n], %r8; @%p2 call (y), f" + number(step.c) +
                            ", (x, n); ld.param.u32 result, [y]; @%p2 mov.b32 " + reg(step.d) + ", result; }\n";
                    break;
            }
        }
        auto const target = [&](std::size_t t) { return label + number(t); };
        switch (block.end) {
            case Block::fall: break;
            case Block::jump: text += "bra " + target(block.targets[0]) + ";\n"; break;
            case Block::branch:
                text += condition(block.condition) + "@%p0 bra " + target(block.targets[0]) + ";\n";
                break;
            case Block::indexed: {
                std::string list;
                for (std::size_t const t : block.targets) list += (list.empty() ? "" : ", ") + target(t);
                text += label + "T" + number(b) + ": .branchtargets " + list + ";\nrem.u32 %r7, " +
                        reg(block.condition.a) + ", " + number(block.targets.size()) + "; brx.idx %r7, " + label +
                        "T" + number(b) + ";\n";
                break;
            }
            case Block::leave:
                // A lane that leaves returns its first register.
                text += condition(block.condition) + "@!%p0 bra " + label + "S" + number(b) + ";\n" +
                        (index == 0 ? "st.global.u32 [%o4], %r0; ret;\n" : "st.param.u32 [y], %r0; ret;\n") +
                        label + "S" + number(b) + ":\n";
                break;
            case Block::exit: text += condition(block.condition) + "@%p0 exit;\n"; break;
        }
    }
    text += label + number(code.blocks.size()) + ": mov.u32 %r8, 0;\n";
    for (int i = 0; i < registers; ++i) text += "mad.lo.u32 %r8, %r8, 31, " + reg(i) + ";\n";
    return text;
}

std::string ptx_of(Source const& source) {
    std::string before;
    for (std::size_t i = 1; i < source.functions.size(); ++i) {
        before += ".func (.param .u32 y) f" + number(i) + "(.param .u32 x, .param .u32 n);\n";
    }
    for (std::size_t i = 1; i < source.functions.size(); ++i) {
        before += ".func (.param .u32 y) f" + number(i) +
                  "(.param .u32 x, .param .u32 n) {\n.reg .b32 %r<10>; .reg .pred %p<3>; .reg .b32 %r20;\n"
                  "ld.param.u32 %r0, [x]; ld.param.u32 %r5, [n];\n" +
                  body_of(source, i) + "st.param.u32 [y], %r8; ret;\n}\n";
    }
    return kernel("mov.u32 %r0, %i; mov.u32 %r5, 2; mov.u32 %r20, 32;\n" + body_of(source, 0) +
                      "st.global.u32 [%o4], %r8; st.global.u32 [%o4+128], %r20;",
                  before);
}

// ---- generators -----------------------------------------------------------------------------------------------

class Generator {
public:
    explicit Generator(unsigned seed) : random_(seed) {}

    Source unstructured() {
        Source source;
        source.functions.resize(1 + below(3));
        for (std::size_t f = 0; f < source.functions.size(); ++f) {
            Code& code = source.functions[f];
            code.uses_fuel = true;
            code.blocks.resize(2 + below(9));
            for (Block& block : code.blocks) {
                fill(block, source.functions.size());
                block.condition = condition();
                auto const somewhere = [&] { return below(code.blocks.size() + 1); };
                switch (below(10)) {
                    case 0: break;
                    case 1:
                    case 2:
                        block.end = Block::jump;
                        block.targets = {somewhere()};
                        break;
                    case 3:
                        block.end = Block::indexed;
                        for (std::size_t n = 2 + below(3); n > 0; --n) block.targets.push_back(somewhere());
                        break;
                    case 4: block.end = Block::leave; break;
                    case 5: block.end = below(3) == 0 ? Block::exit : Block::leave; break;
                    default:
                        block.end = Block::branch;
                        block.targets = {somewhere()};
                        break;
                }
            }
        }
        return source;
    }

    /// Ifs, loops with break and continue, and switches, nested; behind each of the outermost all lanes must have
    /// reconverged.
    Source structured() {
        Source source;
        source.functions.resize(1 + below(2));
        functions_ = source.functions.size();
        for (std::size_t f = 0; f < source.functions.size(); ++f) {
            code_ = &source.functions[f];
            code_->blocks.emplace_back();
            in_kernel_ = f == 0;
            sequence(3, none);
        }
        return source;
    }

private:
    static constexpr std::size_t none = SIZE_MAX;

    std::size_t below(std::size_t n) { return random_() % n; }
    int any() { return static_cast<int>(below(registers)); }
    Condition condition() {
        return {any(), static_cast<std::uint32_t>(below(6)), static_cast<std::uint32_t>(below(4))};
    }
    void fill(Block& block, std::size_t functions) {
        for (std::size_t n = below(3); n > 0; --n) {
            Step step;
            step.kind = below(2) == 0 ? Step::mad : Step::mix;
            step.d = any();
            step.a = any();
            step.c = static_cast<std::uint32_t>(below(1000));
            block.steps.push_back(step);
        }
        if (functions > 1 && below(6) == 0) {
            block.steps.push_back(
                {Step::call, any(), any(), static_cast<std::uint32_t>(1 + below(functions - 1))});
        }
    }

    Block& last() { return code_->blocks.back(); }
    std::size_t here() {  // a new block to go on in
        code_->blocks.emplace_back();
        return code_->blocks.size() - 1;
    }
    void sequence(int depth, std::size_t loop_head) {
        for (std::size_t n = 1 + below(3); n > 0; --n) {
            fill(last(), functions_);
            switch (depth == 0 ? 0 : below(4)) {
                case 0: break;
                case 1: conditional(depth, loop_head); break;
                case 2: loop(depth); break;
                case 3: choice(depth); break;
            }
            if (depth == 3 && in_kernel_) last().steps.push_back({Step::watch, 0, 0, 0});
            if (loop_head != none && below(4) == 0) {
                // break or continue; the target of a break is known when the loop is complete
                last().end = Block::branch;
                last().condition = condition();
                bool const is_break = below(2) == 0;
                last().targets = {is_break ? none : loop_head};
                here();
            }
        }
    }
    void conditional(int depth, std::size_t head) {
        std::size_t const test = code_->blocks.size() - 1;
        last().end = Block::branch;
        last().condition = condition();
        here();
        sequence(depth - 1, head);
        if (below(2) == 0) {
            std::size_t const then_end = code_->blocks.size() - 1;
            code_->blocks[then_end].end = Block::jump;
            code_->blocks[test].targets = {here()};
            sequence(depth - 1, head);
            code_->blocks[then_end].targets = {here()};
        } else {
            code_->blocks[test].targets = {here()};
        }
    }
    void loop(int depth) {
        std::size_t const head = here();
        code_->blocks[head].steps.push_back({Step::mad, 4, 4, 1});
        code_->blocks[head].end = Block::branch;
        code_->blocks[head].condition = {4, static_cast<std::uint32_t>(below(4)),
                                         static_cast<std::uint32_t>(below(4))};
        std::size_t const first = here();
        sequence(depth - 1, head);
        last().end = Block::branch;
        last().condition = condition();
        last().targets = {head};
        std::size_t const out = here();
        code_->blocks[head].targets = {out};
        for (std::size_t b = first; b < out; ++b) {
            for (std::size_t& t : code_->blocks[b].targets) t = t == none ? out : t;
        }
    }
    void choice(int depth) {
        std::size_t const test = code_->blocks.size() - 1;
        last().end = Block::indexed;
        last().condition = condition();
        std::vector<std::size_t> starts, ends;
        for (std::size_t n = 2 + below(2); n > 0; --n) {
            starts.push_back(here());
            sequence(depth - 1, none);
            bool const falls_through = below(4) == 0;
            if (!falls_through) {
                last().end = Block::jump;
                ends.push_back(code_->blocks.size() - 1);
            }
        }
        std::size_t const out = here();
        for (std::size_t const e : ends) code_->blocks[e].targets = {out};
        code_->blocks[test].targets = starts;
    }

    std::mt19937 random_;
    Code* code_ = nullptr;
    std::size_t functions_ = 1;
    bool in_kernel_ = false;
};

struct Expected {
    std::vector<std::uint32_t>
        values;                      // 32 results, then the minimum number of lanes together behind each structure
    std::uint64_t instructions = 0;  // of all threads
    bool ends = true;
};

Expected evaluate(Source const& source) {
    Expected expected;
    expected.values.assign(2 * warp_threads, 0);
    for (std::uint32_t i = 0; i < warp_threads; ++i) {
        Thread thread{source};
        expected.values[i] = thread.run(0, i, 2);
        if (thread.reached_the_end) expected.values[warp_threads + i] = 32;
        expected.instructions += thread.instructions;
        expected.ends = expected.ends && thread.instructions < Thread::limit;
    }
    return expected;
}

}  // namespace

TEST_CASE("Random jumps, calls and ends give each thread what it computes alone", "[exec]") {
    for (unsigned seed = 0; seed < 150; ++seed) {
        Source const source = Generator(seed).unstructured();
        Expected const want = evaluate(source);
        if (!want.ends) continue;
        std::string const ptx = ptx_of(source);
        for (std::string const& model : control_flows()) {
            INFO("seed " << seed << ", " << model);
            Program program(ptx, model);
            CHECK(program.run<std::uint32_t>(2 * warp_threads) == want.values);
            CHECK(program.result.instructions.thread == want.instructions);
        }
        // Waiting that ends early changes which lanes run together, never a result.
        Program hasty(ptx, "independent", Program::one_thread(), {"sm.convergence_patience=5"});
        INFO("seed " << seed << ", patience 5");
        CHECK(hasty.run<std::uint32_t>(2 * warp_threads) == want.values);
        CHECK(hasty.result.instructions.thread == want.instructions);
    }
}

TEST_CASE("Random structured programs are together behind every structure, alike in both models", "[exec]") {
    int run = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
        Source const source = Generator(1000 + seed).structured();
        Expected const want = evaluate(source);
        if (!want.ends) continue;
        ++run;
        std::string const ptx = ptx_of(source);
        std::vector<std::uint64_t> counts;
        for (std::string const& model : control_flows()) {
            INFO("seed " << seed << ", " << model);
            Program program(ptx, model);
            CHECK(program.run<std::uint32_t>(2 * warp_threads) == want.values);
            CHECK(program.result.instructions.thread == want.instructions);
            counts.push_back(program.result.instructions.warp);
        }
        INFO("seed " << seed);
        CHECK(counts[0] == counts[1]);
    }
    CHECK(run > 50);
}

}  // namespace control_flow_stress_test
