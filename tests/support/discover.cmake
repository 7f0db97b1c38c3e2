# Read by ctest when it starts: one test for each Catch2 test case of warpsim-tests, under its own name.
# Asking the binary here, and not while building, keeps a build free of runs of what it built.
if(NOT EXISTS "${tests_command}")
    add_test([==[warpsim-tests (not built)]==] "${tests_command}")
    return()
endif()
execute_process(COMMAND "${tests_command}" ${list_arguments} OUTPUT_VARIABLE listing RESULT_VARIABLE status
                ERROR_VARIABLE errors)
if(listing STREQUAL "")
    add_test([==[warpsim-tests (lists no tests)]==] /bin/false)
    message("warpsim-tests could not list its tests (${status}): ${errors}")
    return()
endif()
# CMake lists end at ';' and do not split inside brackets: hide both while the lines are taken apart.
string(REPLACE ";" "<semicolon>" listing "${listing}")
string(REPLACE "[" "<open>" listing "${listing}")
string(REPLACE "]" "<close>" listing "${listing}")
string(REPLACE "\n" ";" listing "${listing}")
foreach(name IN LISTS listing)
    if(name STREQUAL "")
        continue()
    endif()
    string(REPLACE "<semicolon>" ";" name "${name}")
    string(REPLACE "<open>" "[" name "${name}")
    string(REPLACE "<close>" "]" name "${name}")
    # Catch2 2 lists a name that begins with '#' in quotes.
    string(REGEX REPLACE "^\"(#.*)\"$" "\\1" name "${name}")
    # What a test specification of Catch2 would read as syntax.
    set(pattern "${name}")
    string(REPLACE "\\" "\\\\" pattern "${pattern}")
    string(REPLACE "," "\\," pattern "${pattern}")
    string(REPLACE "[" "\\[" pattern "${pattern}")
    string(REPLACE "\"" "\\\"" pattern "${pattern}")
    add_test("${name}" "${tests_command}" "${pattern}")
    # Catch2 2 is content when a name finds no test.
    set_tests_properties("${name}" PROPERTIES TIMEOUT "${tests_timeout}" WORKING_DIRECTORY "${tests_folder}"
                         FAIL_REGULAR_EXPRESSION "No test cases matched")
endforeach()
