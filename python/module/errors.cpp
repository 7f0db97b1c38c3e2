#include "errors.hpp"

namespace nb = nanobind;

namespace warpsim::python {

namespace {

/// The class of the package that stands for a kind of error.
char const* class_of(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::config: return "ConfigError";
        case ErrorKind::ptx: return "PtxError";
        case ErrorKind::launch: return "LaunchError";
        case ErrorKind::fault: return "Fault";
        case ErrorKind::usage:
        case ErrorKind::plan:
        case ErrorKind::comparison: break;
    }
    return "UsageError";
}

nb::object errors() { return nb::module_::import_("warpsim._errors"); }

void raise(nb::object const& error) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

}  // namespace

nb::object python_fault(embed::Fault const& fault) {
    nb::object const launch = fault.launch() ? nb::cast(LaunchHandle{fault.launch()}) : nb::none();
    return errors().attr("Fault")(fault.what(), std::string(name(fault.fault())).c_str(), launch);
}

void translate_errors() {
    nb::register_exception_translator([](std::exception_ptr const& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (embed::Fault const& fault) {
            raise(python_fault(fault));
        } catch (FaultError const& fault) {
            raise(errors().attr("Fault")(fault.what(), std::string(name(fault.fault())).c_str(), nb::none()));
        } catch (Error const& error) {
            raise(errors().attr(class_of(error.kind()))(error.what()));
        }
    });
}

}  // namespace warpsim::python
