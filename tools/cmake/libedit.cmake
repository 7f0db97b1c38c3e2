# libedit lets the debugger's user edit lines. WARPSIM_LIBEDIT: whether the module is built.
set(WARPSIM_WITH_LINE_EDITING AUTO CACHE STRING "Edit the debugger's lines with libedit: ON, OFF, or AUTO (where it is found)")
find_path(WARPSIM_LIBEDIT_INCLUDE histedit.h)
find_library(WARPSIM_LIBEDIT_LIBRARY edit)

set(WARPSIM_LIBEDIT OFF)
if(WARPSIM_WITH_LINE_EDITING)
    if(WARPSIM_LIBEDIT_INCLUDE AND WARPSIM_LIBEDIT_LIBRARY)
        set(WARPSIM_LIBEDIT ON)
    elseif(WARPSIM_WITH_LINE_EDITING STREQUAL "AUTO")
        message(STATUS "libedit (libedit-dev) is not here: the debugger's lines have no history and no completion")
    else()
        message(FATAL_ERROR "WARPSIM_WITH_LINE_EDITING needs libedit (libedit-dev)")
    endif()
endif()

# warpsim_libedit_module(NAME FOR SOURCE...): a module of its own for room FOR, loaded when it is first needed, which is in few
# programs.
function(warpsim_libedit_module name room)
    add_library(${name} MODULE ${ARGN})
    target_include_directories(${name} SYSTEM PRIVATE ${WARPSIM_LIBEDIT_INCLUDE})
    target_link_libraries(${name} PRIVATE warpsim_flags ${WARPSIM_LIBEDIT_LIBRARY})
    set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden)
    add_dependencies(${room} ${name})
    install(TARGETS ${name} LIBRARY DESTINATION ${WARPSIM_OWN_LIBDIR})
endfunction()
