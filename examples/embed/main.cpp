// A program with its own GPU: loads PTX, runs it, reads the result and its cost. Then it lets the kernel write
// past the end of its array, to show how an error is reported.
#include <runtime/device.hpp>

#include <iostream>
#include <vector>

using namespace warpsim;

int main() {
    try {
        runtime::Device device(sim::load_config("h100"));
        auto const module = device.load_file(KERNEL);

        std::vector<float> const ones(1000, 1.0f);
        runtime::DevicePointer const x = device.upload(ones);
        runtime::DevicePointer const y = device.upload(ones);
        runtime::LaunchShape shape;
        shape.grid = {4, 1, 1};
        shape.block = {256, 1, 1};
        auto const result = device.launch(*module, "saxpy", shape, runtime::Arguments::of(1000, 2.0f, x, y));
        std::cout << "y[0] = " << device.download<float>(y, 1000)[0] << " after " << result.instructions.warp
                  << " warp instructions, " << result.branches.divergent << " divergent branch\n";

        try {
            device.launch(*module, "saxpy", shape, runtime::Arguments::of(1024, 2.0f, x, y));
        } catch (Error const& error) {
            std::cout << "n = 1024 with arrays of 1000:\n" << error.what() << '\n';
        }
        return 0;
    } catch (Error const& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
