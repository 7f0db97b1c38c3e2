# Run by CPack on the tree that becomes a tarball: takes the libraries in that the tree needs and other systems lack. They get
# names of their own: a program that warpsim runs may need another version of the same library.
if(NOT CPACK_GENERATOR STREQUAL "TGZ")
    return()
endif()

function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(root ${CPACK_TEMPORARY_DIRECTORY})
set(programs ${root}/bin/warpsim)
file(GLOB_RECURSE libraries ${root}/lib/*.so*)
set(files)
foreach(file IN LISTS libraries)
    if(NOT IS_SYMLINK ${file})
        list(APPEND files ${file})
    endif()
endforeach()
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} LIBRARIES ${files} RESOLVED_DEPENDENCIES_VAR needed
     UNRESOLVED_DEPENDENCIES_VAR nowhere
     # What every Linux with this libc has, and what may be there once in a process only.
     PRE_EXCLUDE_REGEXES "^lib(c|m|dl|rt|pthread|stdc\\+\\+|gcc_s)\\.so" "^ld-linux")
list(FILTER needed EXCLUDE REGEX "^${root}/")
if(nowhere)
    message(FATAL_ERROR "these libraries are needed and nowhere: ${nowhere}")
endif()

set(renamed)
set(taken)
foreach(library IN LISTS needed)
    get_filename_component(name ${library} NAME)
    string(REGEX REPLACE "^lib" "libwarpsim_" own ${name})
    file(REAL_PATH ${library} path)
    configure_file(${path} ${root}/lib/${own} COPYONLY)
    run(${CPACK_WARPSIM_PATCHELF} --set-soname ${own} ${root}/lib/${own})
    list(APPEND renamed --replace-needed ${name} ${own})
    list(APPEND taken ${root}/lib/${own})
    # Their licenses. Packages own files by the names that these had before /lib became a part of /usr.
    string(REGEX REPLACE "^/usr" "" before "${path}")
    execute_process(COMMAND dpkg -S ${path} ${before} OUTPUT_VARIABLE owners ERROR_QUIET)
    if(NOT owners MATCHES "^([^:\n]+):")
        message(FATAL_ERROR "no package has ${path}: what is its license?")
    endif()
    configure_file(/usr/share/doc/${CMAKE_MATCH_1}/copyright ${root}/share/doc/warpsim/licenses/${CMAKE_MATCH_1} COPYONLY)
endforeach()

foreach(file IN LISTS programs files taken)
    get_filename_component(folder ${file} DIRECTORY)
    file(RELATIVE_PATH to_lib ${folder} ${root}/lib)
    # One after the other: patchelf 0.14 mixes them up.
    run(${CPACK_WARPSIM_PATCHELF} ${renamed} ${file})
    run(${CPACK_WARPSIM_PATCHELF} --set-rpath "$ORIGIN/${to_lib}" ${file})
endforeach()
