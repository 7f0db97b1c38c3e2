#include "frontend/link/read_modules.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace warpsim::frontend {

namespace {

struct Compiled {
    ir::Module module;
    std::string report;
    std::size_t error_count = 0;
    std::exception_ptr failure;  // out of memory, or the text is too long
};

Compiled compiled(NamedText text, DecodeOptions const& options) {
    Compiled result;
    try {
        auto const source = std::make_shared<Source const>(std::move(text.name), std::move(text.text));
        Diagnostics diagnostics(*source);
        result.module = compile(source, diagnostics, options);
        result.error_count = diagnostics.error_count();
        if (!diagnostics.list().empty()) result.report = diagnostics.render();
    } catch (...) {
        result.failure = std::current_exception();
    }
    return result;
}

/// Runs tasks 0 to count - 1, each on the first free thread.
template <class Task> void run_on_threads(std::size_t count, unsigned threads, Task const& task) {
    std::atomic<std::size_t> next{0};
    auto const work = [&] {
        for (std::size_t i = next++; i < count; i = next++) task(i);
    };
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) helpers.emplace_back(work);
    work();
}

}  // namespace

Linked read_modules(std::vector<NamedText> texts, unsigned threads, DecodeOptions const& options) {
    std::vector<Compiled> all(texts.size());
    run_on_threads(texts.size(), threads, [&](std::size_t i) { all[i] = compiled(std::move(texts[i]), options); });
    Linked result;
    std::vector<ir::Module> modules;
    for (Compiled& one : all) {
        if (one.failure) std::rethrow_exception(one.failure);
        result.report += one.report;
        result.error_count += one.error_count;
        modules.push_back(std::move(one.module));
    }
    if (result.error_count != 0 || modules.empty()) return result;
    Linked linked = link(std::move(modules));
    linked.report.insert(0, result.report);
    return linked;
}

}  // namespace warpsim::frontend
