// The OpenCL implementation of the machine, as far as the comparison needs it.
#pragma once

#include "benchmarks/opencl/task.hpp"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <string>
#include <vector>

namespace warpsim::benchmarks {

/// Throws std::runtime_error for whatever fails.
class OpenClDevice {
public:
    OpenClDevice();
    ~OpenClDevice();
    OpenClDevice(OpenClDevice const&) = delete;
    OpenClDevice& operator=(OpenClDevice const&) = delete;
    std::string name() const;
    cl_context context() const { return context_; }
    cl_device_id id() const { return id_; }
    cl_command_queue queue() const { return queue_; }

private:
    cl_device_id id_ = nullptr;
    cl_context context_ = nullptr;
    cl_command_queue queue_ = nullptr;
};

/// A task with its kernel built and its data on the device.
class OpenClTask {
public:
    OpenClTask(OpenClDevice const& device, Task const& task);
    ~OpenClTask();
    OpenClTask(OpenClTask const&) = delete;
    OpenClTask& operator=(OpenClTask const&) = delete;
    void enqueue() const;
    void finish() const;
    std::vector<float> result() const;

private:
    OpenClDevice const& device_;
    Task const& task_;
    cl_program program_ = nullptr;
    cl_kernel kernel_ = nullptr;
    std::vector<cl_mem> buffers_;
};

}  // namespace warpsim::benchmarks
