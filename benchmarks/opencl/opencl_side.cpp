#include "benchmarks/opencl/opencl_side.hpp"

#include <stdexcept>

namespace warpsim::benchmarks {

namespace {

void check(cl_int status, char const* what) {
    if (status != CL_SUCCESS)
        throw std::runtime_error(std::string(what) + ": OpenCL error " + std::to_string(status));
}

}  // namespace

OpenClDevice::OpenClDevice() {
    cl_platform_id platforms[8] = {};
    cl_uint count = 0;
    check(clGetPlatformIDs(8, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && id_ == nullptr; ++i) {
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &id_, nullptr) != CL_SUCCESS) id_ = nullptr;
    }
    if (id_ == nullptr) throw std::runtime_error("no OpenCL implementation here runs on the processor");
    cl_int status = 0;
    context_ = clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, id_, 0, &status);
    check(status, "clCreateCommandQueue");
}

OpenClDevice::~OpenClDevice() {
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
}

std::string OpenClDevice::name() const {
    std::string text;
    for (int const what : {CL_DEVICE_VERSION, CL_DEVICE_NAME}) {
        char value[256] = {};
        check(clGetDeviceInfo(id_, static_cast<cl_device_info>(what), sizeof value - 1, value, nullptr),
              "clGetDeviceInfo");
        text += (text.empty() ? "" : ", ") + std::string(value);
    }
    return text;
}

OpenClTask::OpenClTask(OpenClDevice const& device, Task const& task) : device_(device), task_(task) {
    cl_int status = 0;
    std::string const text = source_of(task);
    char const* source = text.c_str();
    program_ = clCreateProgramWithSource(device.context(), 1, &source, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    cl_device_id const id = device.id();
    check(clBuildProgram(program_, 1, &id, "", nullptr, nullptr), "clBuildProgram");
    kernel_ = clCreateKernel(program_, task.name.c_str(), &status);
    check(status, "clCreateKernel");
    for (std::vector<float> const& data : task.buffers) {
        buffers_.push_back(clCreateBuffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                          4 * data.size(), const_cast<float*>(data.data()), &status));
        check(status, "clCreateBuffer");
    }
    cl_uint index = 0;
    for (auto const& argument : task.arguments) {
        if (auto const* const number = std::get_if<int>(&argument)) {
            status = clSetKernelArg(kernel_, index, sizeof *number, number);
        } else if (auto const* const value = std::get_if<float>(&argument)) {
            status = clSetKernelArg(kernel_, index, sizeof *value, value);
        } else {
            status = clSetKernelArg(kernel_, index, sizeof(cl_mem),
                                    &buffers_[std::get<BufferArgument>(argument).index]);
        }
        check(status, "clSetKernelArg");
        ++index;
    }
    if (task.dynamic_shared != 0)
        check(clSetKernelArg(kernel_, index, task.dynamic_shared, nullptr), "clSetKernelArg");
}

OpenClTask::~OpenClTask() {
    for (cl_mem const buffer : buffers_) clReleaseMemObject(buffer);
    clReleaseKernel(kernel_);
    clReleaseProgram(program_);
}

void OpenClTask::enqueue() const {
    std::size_t all[3], group[3];
    for (std::size_t i = 0; i < 3; ++i) {
        group[i] = task_.block[i];
        all[i] = group[i] * task_.grid[i];
    }
    check(clEnqueueNDRangeKernel(device_.queue(), kernel_, 3, nullptr, all, group, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
}

void OpenClTask::finish() const { check(clFinish(device_.queue()), "clFinish"); }

std::vector<float> OpenClTask::result() const {
    std::vector<float> values(task_.buffers[task_.result].size());
    check(clEnqueueReadBuffer(device_.queue(), buffers_[task_.result], CL_TRUE, 0, 4 * values.size(),
                              values.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    return values;
}

}  // namespace warpsim::benchmarks
