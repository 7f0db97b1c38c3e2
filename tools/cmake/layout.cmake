# Where an installed tree has what. All that is ours stands in lib, beside bin, so that the tree can be moved; Debian's packages
# have libraries where Debian has them, and what is for us alone in a folder of ours below that. sim/own_file finds both.
set(WARPSIM_PACKAGE "" CACHE STRING "Lay the installed tree out for a package: deb, tarball or nothing")
set_property(CACHE WARPSIM_PACKAGE PROPERTY STRINGS "" deb tarball)
if(NOT WARPSIM_PACKAGE MATCHES "^(deb|tarball)?$")
    message(FATAL_ERROR "WARPSIM_PACKAGE is '${WARPSIM_PACKAGE}'; it is deb, tarball or empty")
endif()

include(GNUInstallDirs)
if(WARPSIM_PACKAGE STREQUAL "deb")
    set(CMAKE_INSTALL_PREFIX /usr)
    set(CMAKE_INSTALL_LIBDIR lib/${CMAKE_LIBRARY_ARCHITECTURE})
    set(WARPSIM_OWN_LIBDIR ${CMAKE_INSTALL_LIBDIR}/warpsim)
    set(WARPSIM_ZSH_FOLDER zsh/vendor-completions)
    # The loader looks there anyway.
    set(CMAKE_SKIP_RPATH ON)
else()
    # One layout on every distribution: the libraries' rpath and users' scripts rely on it.
    set(CMAKE_INSTALL_LIBDIR lib)
    set(WARPSIM_OWN_LIBDIR lib)
    set(WARPSIM_ZSH_FOLDER zsh/site-functions)
endif()

# What only programs need that are compiled against the library; all else is what the command needs.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME warpsim)
set(WARPSIM_DEVELOPMENT libwarpsim-dev)
