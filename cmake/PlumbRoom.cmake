# plumb_together(target files... | files...): the files up to a bar are compiled as one, because reading the headers costs
# as much as the code. Two files of one part must not use the same name in their unnamed namespaces, nor call a function
# by a name that is local to the other: put a bar between them. A SIMD file has a part of its own.
function(plumb_together target)
  set(part 0)
  foreach(file ${ARGN})
    if(file STREQUAL "|")
      math(EXPR part "${part} + 1")
    else()
      target_sources(${target} PRIVATE ${file})
      set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${part})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PLUMB_UNITY} UNITY_BUILD_MODE GROUP)
endfunction()

# plumb_room(name SOURCES ... DEPENDS ... PRIVATE ...): one static library for one room of the house.
# SOURCES have bars as in plumb_together.
# DEPENDS are rooms below it, seen by its users; PRIVATE are third-party libraries that stay inside.
add_library(plumb_flags INTERFACE)
# Fused multiply-add where the hardware has it would change bits between machines (docs/numerics.md).
target_compile_options(plumb_flags INTERFACE -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow)
# GCC 12 warns of overlaps that cannot happen in "text" + std::string (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(plumb_flags INTERFACE -Wno-restrict)
endif()
if(PLUMB_WERROR)
  target_compile_options(plumb_flags INTERFACE -Werror)
endif()
# Code that is instrumented or compiled together makes GCC take members of <variant>, <regex> and <optional> for
# uninitialised (GCC bug 105562).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND (PLUMB_SANITIZE OR PLUMB_UNITY))
  target_compile_options(plumb_flags INTERFACE -Wno-maybe-uninitialized)
endif()
if(PLUMB_SANITIZE)
  target_compile_definitions(plumb_flags INTERFACE PLUMB_FEW_TARGETS)
  target_compile_options(plumb_flags INTERFACE -fsanitize=${PLUMB_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(plumb_flags INTERFACE -fsanitize=${PLUMB_SANITIZE})
endif()
target_compile_features(plumb_flags INTERFACE cxx_std_20)

function(plumb_room name)
  cmake_parse_arguments(R "" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  add_library(plumb_${name} STATIC)
  plumb_together(plumb_${name} ${R_SOURCES})
  target_include_directories(plumb_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  # Highway includes each SIMD file again for every target, by its path from the source root.
  target_include_directories(plumb_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  foreach(d ${R_DEPENDS})
    target_link_libraries(plumb_${name} PUBLIC plumb_${d})
  endforeach()
  target_link_libraries(plumb_${name} PRIVATE $<BUILD_INTERFACE:plumb_flags> ${R_PRIVATE})
  target_compile_features(plumb_${name} PUBLIC cxx_std_20)
  set_target_properties(plumb_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS plumb_${name} EXPORT plumbTargets ARCHIVE DESTINATION lib)
endfunction()
