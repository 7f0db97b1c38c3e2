# elfutils tells the lines of programs and the variables of sources. WARPSIM_ELFUTILS: whether modules are built with it.
set(WARPSIM_WITH_DWARF AUTO CACHE STRING "Tell lines of programs with elfutils: ON, OFF, or AUTO (where it is found)")
find_path(WARPSIM_LIBDW_INCLUDE elfutils/libdwfl.h)
find_library(WARPSIM_LIBDW dw)
find_library(WARPSIM_LIBELF elf)

set(WARPSIM_ELFUTILS OFF)
if(WARPSIM_WITH_DWARF)
    if(WARPSIM_LIBDW_INCLUDE AND WARPSIM_LIBDW AND WARPSIM_LIBELF)
        set(WARPSIM_ELFUTILS ON)
    elseif(WARPSIM_WITH_DWARF STREQUAL "AUTO")
        message(STATUS "elfutils (libdw-dev) is not here: calls of programs are told by function, not by line, "
                       "and the debugger knows no variables of the source")
    else()
        message(FATAL_ERROR "WARPSIM_WITH_DWARF needs elfutils (libdw-dev)")
    endif()
endif()

# warpsim_elfutils_module(NAME OUTPUT FOR SOURCE...): a module of its own for room FOR, loaded when it is first needed:
# few programs need it, and elfutils brings libraries that each process would load at its start.
function(warpsim_elfutils_module name output room)
    add_library(${name} MODULE ${ARGN})
    target_include_directories(${name} SYSTEM PRIVATE ${WARPSIM_LIBDW_INCLUDE})
    target_link_libraries(${name} PRIVATE warpsim_flags ${WARPSIM_LIBDW} ${WARPSIM_LIBELF})
    set_target_properties(${name} PROPERTIES OUTPUT_NAME ${output} CXX_VISIBILITY_PRESET hidden)
    add_dependencies(${room} ${name})
    install(TARGETS ${name} LIBRARY DESTINATION ${WARPSIM_OWN_LIBDIR})
endfunction()
