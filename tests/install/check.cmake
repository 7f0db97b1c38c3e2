# Installs the build, moves the tree, builds the consumer against it and runs both: run with cmake -P.
# -D build= consumer= plugin= plan= work= compiler= generator= config=
function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        string(REPLACE ";" " " line "${ARGV}")
        message(FATAL_ERROR "${line}\nended with ${status}:\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

# The folder's name has a space, as folders of users do.
set(moved "${work}/moved here")
file(REMOVE_RECURSE "${work}")
run(${CMAKE_COMMAND} --install ${build} --config ${config} --prefix ${work}/first)
file(RENAME "${work}/first" "${moved}")

run("${moved}/bin/warpsim" version)
if(NOT output MATCHES "warpsim")
    message(FATAL_ERROR "the moved command does not say its version: ${output}")
endif()
if(NOT EXISTS "${moved}/share/warpsim/configs/schema.json")
    message(FATAL_ERROR "the configurations are not installed")
endif()

# What the tree says about itself must not lead back to where it was built.
file(GLOB_RECURSE texts "${moved}/lib/cmake/*.cmake" "${moved}/include/*.hpp")
foreach(text IN LISTS texts)
    file(READ "${text}" content)
    foreach(place IN ITEMS "${build}" "${work}/first")
        string(FIND "${content}" "${place}" at)
        if(NOT at EQUAL -1)
            message(FATAL_ERROR "${text} names ${place}")
        endif()
    endforeach()
endforeach()

run(${CMAKE_COMMAND} -S ${consumer} -B ${work}/consumer -G ${generator} -D CMAKE_CXX_COMPILER=${compiler}
    -D CMAKE_BUILD_TYPE=${config} "-DCMAKE_PREFIX_PATH=${moved}")
run(${CMAKE_COMMAND} --build ${work}/consumer --config ${config})
run(${work}/consumer/consumer)
message("${output}")

# A plug-in is compiled with the installed headers, and the installed command loads it.
run(${CMAKE_COMMAND} -S ${plugin} -B ${work}/plugin -G ${generator} -D CMAKE_CXX_COMPILER=${compiler}
    -D CMAKE_BUILD_TYPE=${config} "-DCMAKE_PREFIX_PATH=${moved}")
run(${CMAKE_COMMAND} --build ${work}/plugin --config ${config})
run("${moved}/bin/warpsim" run ${plan} --mode timing --plugin ${work}/plugin/libexample.so
    --set launch.placement=packed --out ${work})
if(NOT output MATCHES "part 0, [^ ]*saxpy.ptx:[0-9]+: [0-9]+ bytes")
    message(FATAL_ERROR "the plug-in's observer tells nothing:\n${output}")
endif()
