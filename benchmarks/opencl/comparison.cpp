// Wall time of kernels interpreted, compiled, and by the OpenCL implementation of the machine, launch by launch in turn;
// `scaling` is how many times longer one thread takes than all, compiled.
//   warpsim-opencl [THREADS [ROUNDS [KERNEL...]]]
#include "benchmarks/opencl/opencl_side.hpp"
#include "runtime/device.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpsim::benchmarks {

namespace {

double milliseconds(auto const& act) {
    auto const start = std::chrono::steady_clock::now();
    act();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// A task on a device of ours.
class OwnTask {
public:
    OwnTask(Task const& task, runtime::Engine engine, int threads) : task_(task) {
        runtime::DeviceOptions options;
        options.engine = engine;
        options.threads = threads;
        device_ = std::make_unique<runtime::Device>(sim::load_config("h100"), options);
        module_ = device_->load_file(ptx_of(task));
        for (auto const& data : task.buffers) buffers_.push_back(device_->upload(data));
        for (auto const& argument : task.arguments) {
            if (auto const* const number = std::get_if<int>(&argument)) arguments_.add(*number);
            else if (auto const* const value = std::get_if<float>(&argument)) arguments_.add(*value);
            else arguments_.add(buffers_[std::get<BufferArgument>(argument).index]);
        }
        shape_.grid = task.grid;
        shape_.block = task.block;
        shape_.dynamic_shared = task.dynamic_shared;
    }
    void launch() { device_->launch(*module_, task_.name, shape_, arguments_); }
    std::vector<float> result() const {
        return device_->download<float>(buffers_[task_.result], task_.buffers[task_.result].size());
    }

private:
    Task const& task_;
    std::unique_ptr<runtime::Device> device_;
    std::shared_ptr<runtime::Module> module_;
    std::vector<runtime::DevicePointer> buffers_;
    runtime::Arguments arguments_;
    runtime::LaunchShape shape_;
};

/// The share of elements that differ by more than rounding explains.
double differing(Task const& task, std::vector<float> const& a, std::vector<float> const& b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        double x = a[i], y = b[i];
        if (task.result_is_integer) {
            std::int32_t words[2];
            std::memcpy(&words[0], &a[i], 4);
            std::memcpy(&words[1], &b[i], 4);
            x = words[0];
            y = words[1];
        }
        if (!(std::abs(x - y) <= 1e-3 * (1 + std::abs(x)))) ++count;
    }
    return static_cast<double>(count) / static_cast<double>(a.size());
}

struct Times {
    double interpreted = 1e9, compiled = 1e9, compiled_by_one = 1e9, opencl = 1e9;
};

void print(std::string const& name, Times const& t) {
    std::printf("| %-13s | %8.2f | %8.2f | %8.2f | %5.2f | %5.2f | %7.2f |\n", name.c_str(), t.interpreted,
                t.compiled, t.opencl, t.compiled / t.interpreted, t.compiled / t.opencl,
                t.compiled_by_one / t.compiled);
    std::fflush(stdout);
}

void compare(OpenClDevice const& opencl, Task const& task, int threads, int rounds) {
    OwnTask interpreted(task, runtime::Engine::interpreted, threads),
        compiled(task, runtime::Engine::compiled, threads), by_one(task, runtime::Engine::compiled, 1);
    OpenClTask const theirs(opencl, task);
    Times best;
    for (int round = 0; round <= rounds; ++round) {
        Times now{milliseconds([&] { interpreted.launch(); }), milliseconds([&] { compiled.launch(); }),
                  milliseconds([&] { by_one.launch(); }), milliseconds([&] {
                      theirs.enqueue();
                      theirs.finish();
                  })};
        if (round == 0) continue;  // compiles
        best = {std::min(best.interpreted, now.interpreted), std::min(best.compiled, now.compiled),
                std::min(best.compiled_by_one, now.compiled_by_one), std::min(best.opencl, now.opencl)};
    }
    auto const result = interpreted.result(), own = compiled.result();
    if (std::memcmp(own.data(), result.data(), 4 * own.size()) != 0)
        throw std::runtime_error(task.name + ": compiled and interpreted differ");
    // Points at the edge of Mandelbrot's set depend on the last bit.
    if (differing(task, result, theirs.result()) > 0.01)
        throw std::runtime_error(task.name + ": the OpenCL implementation computes something else");
    print(task.name, best);
}

/// Many launches of a block of 32 threads, and the wait for the last.
void compare_launches(OpenClDevice const& opencl, Task task, int threads) {
    constexpr int launches = 10000;
    task.grid = {1, 1, 1};
    task.block = {32, 1, 1};
    task.arguments[0] = 32;
    OwnTask interpreted(task, runtime::Engine::interpreted, threads),
        compiled(task, runtime::Engine::compiled, threads), by_one(task, runtime::Engine::compiled, 1);
    OpenClTask const theirs(opencl, task);
    auto const many = [](OwnTask& own) {
        own.launch();
        return milliseconds([&] {
            for (int i = 0; i < launches; ++i) own.launch();
        });
    };
    Times best;
    for (int round = 0; round < 3; ++round) {
        best.interpreted = std::min(best.interpreted, many(interpreted));
        best.compiled = std::min(best.compiled, many(compiled));
        best.compiled_by_one = std::min(best.compiled_by_one, many(by_one));
        theirs.enqueue();
        theirs.finish();
        best.opencl = std::min(best.opencl, milliseconds([&] {
                                   for (int i = 0; i < launches; ++i) theirs.enqueue();
                                   theirs.finish();
                               }));
    }
    print("10k small", best);
}

/// `names`: of the kernels; none: all, and small launches.
void run(int threads, int rounds, std::vector<std::string> const& names) {
    // PoCL's name for it.
    setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(threads).c_str(), 0);
    OpenClDevice const opencl;
    std::printf("%s; %d threads; milliseconds, the best of %d\n\n", opencl.name().c_str(), threads, rounds);
    std::printf("| kernel        | interp.  | compiled | OpenCL   | c / i | c / O | scaling |\n");
    std::printf("| ------------- | -------- | -------- | -------- | ----- | ----- | ------- |\n");
    std::vector<Task> const all = tasks();
    for (Task const& task : all) {
        if (names.empty() || std::find(names.begin(), names.end(), task.name) != names.end())
            compare(opencl, task, threads, rounds);
    }
    if (names.empty() || std::find(names.begin(), names.end(), "launches") != names.end())
        compare_launches(opencl, all.front(), threads);
}

}  // namespace

}  // namespace warpsim::benchmarks

int main(int count, char** arguments) {
    try {
        int const threads = count > 1 ? std::atoi(arguments[1]) : 2;
        std::vector<std::string> const names(arguments + std::min(count, 3), arguments + count);
        warpsim::benchmarks::run(threads, count > 2 ? std::atoi(arguments[2]) : 15, names);
        return 0;
    } catch (std::exception const& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
