// `warpsim run`: the launches of a plan, one kernel of a PTX file, or the traces of a kernelslist.g.
#include "runtime/plan/run.hpp"
#include "command.hpp"
#include "plan_input.hpp"
#include "plan_tests.hpp"
#include "run_trace.hpp"
#include "runtime/log.hpp"
#include "runtime/replay/trace.hpp"
#include "runtime/session/chosen.hpp"
#include "runtime/sha256.hpp"
#include "table_options.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace warpsim::command {

namespace {

void print_elements(plan::Array const& array, std::span<std::byte const> bytes, std::uint64_t limit) {
    std::string text =
        array.name + " " + std::string(isa::name(array.type)) + "[" + std::to_string(array.count) + "]:";
    std::size_t const size = plan::size_of(array.type);
    for (std::uint64_t i = 0; i < std::min(limit, array.count); ++i)
        text += " " + plan::to_text(array.type, bytes.data() + i * size);
    if (limit < array.count) text += " ...";
    print(text + "\n");
}

int run(std::string const& file, CLI::App const& sub, options::Values& chosen) {
    chosen.read_environment();
    runtime::configure_log(chosen);
    options::warn_of_unknown_variables(log::warning);
    if (replay::is_trace_name(file)) return run_trace(file, sub, chosen);
    PlanInput const input = read_plan_input(file, sub, chosen);
    plan::LaunchPlan const& plan = input.plan;
    runtime::Mode const mode = runtime::chosen_mode(chosen, plan.mode);
    runtime::ChosenConfig const config = runtime::chosen_config(chosen, plan.config, plan.overrides);
    runtime::SessionOptions beside = runtime::chosen_session(chosen, config, mode);
    if (!plan.one_line) beside.about.plan_sha256 = runtime::sha256(input.text);
    // A plan allocates and frees nothing by itself.
    bool const was_checked = !beside.check.kinds.empty();
    std::erase_if(beside.check.kinds,
                  [](check::Kind kind) { return kind == check::Kind::leak || kind == check::Kind::api; });
    if (was_checked && beside.check.kinds.empty())
        throw Error(ErrorKind::usage, "--check: leak and api are about the calls of a program: `warpsim exec`");
    bool const is_automatic = chosen.value<"progress">() == "auto";
    if (is_automatic) beside.progress = !chosen.value<"quiet">() && isatty(STDERR_FILENO) != 0;
    runtime::Session session(beside);
    plan::RunOptions options;
    options.device = runtime::chosen_device(chosen, mode);
    options.device.checkpoint.identity = {
        {"the plan, as SHA-256,", runtime::sha256(input.text)},
        {"what the configuration says, as SHA-256,",
         runtime::sha256(sim::show_config(config.name, config.overrides))},
    };
    session.observe(options.device);
    options.out = chosen.value<"out">();
    if (session.checkers() != nullptr) {
        auto const present = std::make_shared<std::string>();
        options.turns_to = [present](std::string const& who) { *present = who; };
        session.checkers()->set_present_call([present] { return *present; });
    }
    std::optional<PlanTests> tests;
    if (std::string const junit = chosen.value<"junit">(); !junit.empty()) tests.emplace(plan, junit);
    options.launched = [&](runtime::LaunchResult const& launch) {
        session.launched(launch);
        if (tests) tests->launched(launch, session.launches());
    };
    options.judged = [&](plan::Expectation const& expectation, std::string const& failure) {
        if (tests) tests->judged(expectation, failure);
    };
    if (std::uint64_t const limit = chosen.value<"print">(); limit > 0)
        options.inspect = [limit](plan::Array const& array, std::span<std::byte const> bytes) {
            print_elements(array, bytes, limit);
        };
    auto const write_tests = [&] {
        if (!tests) return;
        if (session.checkers() != nullptr) tests->add(session.checkers()->findings().all());
        tests->write();
    };
    try {
        plan::run_plan(plan, config.config, options);
    } catch (Error const& error) {
        if (tests && error.kind() != ErrorKind::comparison) tests->fail(error);
        write_tests();
        throw;
    }
    write_tests();
    for (plan::Expectation const& e : plan.expectations) log::info("as expected: " + e.name);
    session.finish();
    return session.has_findings() ? check_failed : success;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
    CLI::App* const sub =
        app.add_subcommand("run", "Run the launches of a plan, one kernel of a PTX file, or traces of Accel-Sim");
    struct Command {
        std::string file;
        options::Values chosen;
    };
    auto const command = std::make_shared<Command>();
    sub->add_option(
           "file", command->file,
           "A plan, a PTX file with one kernel to run, or traces of Accel-Sim's tracer; - is standard input")
        ->type_name("PLAN.json|FILE.ptx|kernelslist.g")
        ->required();
    add_options(*sub, options::Command::run, command->chosen);
    sub->callback([command, sub, &status] { status = run(command->file, *sub, command->chosen); });
}

}  // namespace warpsim::command
