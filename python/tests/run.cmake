# Runs the tests of the Python package: cmake -P.
# -D python= the interpreter that it is built for; empty: it is not built, and -D missing= says why. -D tests= package=
if(NOT python)
    message("skipped: ${missing}")
    return()
endif()
execute_process(COMMAND ${python} -c "import numpy, pytest" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
if(NOT status EQUAL 0)
    message("skipped: NumPy or pytest is not here (${python} -m pip install numpy pytest)")
    return()
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${package} ${python} -m pytest -q -rs -p no:cacheprovider ${tests}
                RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "pytest ended with ${status}")
endif()
