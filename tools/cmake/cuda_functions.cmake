# What follows from the definitions in the folder of a CUDA interface, found by reading its sources, so that a function is
# written down in one place: where it is defined. Run at build time:
#   cmake -D FOLDER=... -D OUT=... -P cuda_functions.cmake
# FOLDER/names.hpp has NAME(function) for what the interface exports without a definition here, or FOLDER/entry_list.hpp
# has ENTRY(name, version, function, is_per_thread) for what a name means from which version of CUDA on. Written are, each
# only when it changed,
#   OUT/not_supported.hpp   NAME(function) for all those that no source of the folder defines
#   OUT/functions.hpp       NAME(function) for those and for all that are defined: what the library exports
#   OUT/entries.hpp         ENTRY(...) for the rows of entry_list.hpp and for definitions that have no row there
cmake_minimum_required(VERSION 3.24)
set(newest_version 13000)

# Defined by a line WARPSIM_API type name(... or WARPSIM_PER_THREAD(function, name).
set(defined "")
set(per_thread "")
file(GLOB sources ${FOLDER}/*.cpp)
foreach(source IN LISTS sources)
    file(READ ${source} text)
    string(REGEX MATCHALL "WARPSIM_API [A-Za-z0-9_ *\n]+[ *\n](__)?cu[A-Za-z0-9_]*\\(" found "${text}")
    foreach(one IN LISTS found)
        string(REGEX REPLACE "^.*[ *\n]([A-Za-z0-9_]+)\\($" "\\1" name "${one}")
        list(APPEND defined ${name})
    endforeach()
    string(REGEX MATCHALL "WARPSIM_PER_THREAD\\([A-Za-z0-9_]+,[ \n]+[A-Za-z0-9_]+\\)" found "${text}")
    foreach(one IN LISTS found)
        string(REGEX REPLACE "^.*[, \n]([A-Za-z0-9_]+)\\)$" "\\1" name "${one}")
        list(APPEND defined ${name})
        list(APPEND per_thread ${name})
    endforeach()
endforeach()
list(SORT defined)

set(listed "")
set(entries "")
if(EXISTS ${FOLDER}/entry_list.hpp)
    file(READ ${FOLDER}/entry_list.hpp text)
    string(REGEX MATCHALL "\nENTRY\\([^)]*\\)" rows "${text}")
    foreach(row IN LISTS rows)
        string(REGEX REPLACE "^.*\\([^,]*,[^,]*,[ \n]*([A-Za-z0-9_]+),.*$" "\\1" name "${row}")
        list(APPEND listed ${name})
        string(APPEND entries "${row}")
    endforeach()
endif()
if(EXISTS ${FOLDER}/names.hpp)
    file(STRINGS ${FOLDER}/names.hpp rows REGEX "^NAME\\(")
    list(TRANSFORM rows REPLACE "^NAME\\((.*)\\)$" "\\1")
    list(APPEND listed ${rows})
endif()
list(REMOVE_DUPLICATES listed)

set(not_supported ${listed})
list(REMOVE_ITEM not_supported ${defined})
set(new ${defined})
list(REMOVE_ITEM new ${listed})
# The name that programs ask for has neither the number of a form nor the mark of the per-thread default stream.
foreach(function IN LISTS new)
    string(REGEX REPLACE "_pt(sz|ds)$" "" name ${function})
    string(REGEX REPLACE "_v[0-9]+$" "" name ${name})
    set(is_per_thread false)
    if(function IN_LIST per_thread)
        set(is_per_thread true)
    endif()
    string(APPEND entries "\nENTRY(${name}, ${newest_version}, ${function}, ${is_per_thread})")
endforeach()

function(write file names)
    set(text "// Written by tools/cmake/cuda_functions.cmake.\n")
    foreach(name IN LISTS names)
        string(APPEND text "NAME(${name})\n")
    endforeach()
    file(CONFIGURE OUTPUT ${OUT}/${file} CONTENT "${text}" @ONLY)
endfunction()
set(functions ${not_supported} ${defined})
list(SORT functions)
write(not_supported.hpp "${not_supported}")
write(functions.hpp "${functions}")
if(entries)
    file(CONFIGURE OUTPUT ${OUT}/entries.hpp CONTENT "// Written by tools/cmake/cuda_functions.cmake.${entries}\n" @ONLY)
endif()
