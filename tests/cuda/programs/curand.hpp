// What the programs that use cuRAND's host interface share.
#pragma once

#include "check.hpp"

#include <curand.h>

#include <cstring>
#include <vector>

#define DONE(call)                                                              \
    do {                                                                        \
        int const status_ = (call);                                             \
        if (status_ != CURAND_STATUS_SUCCESS && is_told())                      \
            std::printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, status_); \
    } while (false)

template <class T> class DeviceArray {
public:
    explicit DeviceArray(std::size_t count) : count_(count) {
        OK(cudaMalloc(&data_, count * sizeof(T)));
        OK(cudaMemset(data_, 0x55, count * sizeof(T)));
        OK(cudaDeviceSynchronize());  // other streams do not wait for it
    }
    DeviceArray(DeviceArray const&) = delete;
    ~DeviceArray() { OK(cudaFree(data_)); }
    T* data() const { return data_; }
    std::vector<T> values() const {
        std::vector<T> all(count_);
        OK(cudaMemcpy(all.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return all;
    }

private:
    std::size_t count_;
    T* data_ = nullptr;
};

template <class T> inline bool are_same(std::vector<T> const& a, std::vector<T> const& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}
