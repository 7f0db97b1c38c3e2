// Memory of Python objects, one byte after the other.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

namespace warpsim::python {

class Bytes {
public:
    Bytes(nanobind::handle object, bool is_written) {
        if (PyObject_GetBuffer(object.ptr(), &buffer_, is_written ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0)
            throw nanobind::python_error();
    }
    ~Bytes() { PyBuffer_Release(&buffer_); }
    Bytes(Bytes const&) = delete;
    Bytes& operator=(Bytes const&) = delete;

    void* data() const { return buffer_.buf; }
    std::size_t size() const { return static_cast<std::size_t>(buffer_.len); }

private:
    Py_buffer buffer_{};
};

}  // namespace warpsim::python
