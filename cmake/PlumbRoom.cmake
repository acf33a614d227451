# Compile options of every target of the project.
add_library(plumb_flags INTERFACE)
# Fused multiply-add where the hardware has it would change bits between machines (docs/numerics.md).
target_compile_options(plumb_flags INTERFACE -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow)
# False alarms of GCC 12 in "text" + std::string (GCC bug 105651) and in members of <variant>, <regex>, <optional> (105562).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(plumb_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-array-bounds -Wno-maybe-uninitialized)
endif()
if(PLUMB_WERROR)
  target_compile_options(plumb_flags INTERFACE -Werror)
endif()
if(PLUMB_SANITIZE)
  target_compile_definitions(plumb_flags INTERFACE PLUMB_FEW_TARGETS)
  target_compile_options(plumb_flags INTERFACE -fsanitize=${PLUMB_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(plumb_flags INTERFACE -fsanitize=${PLUMB_SANITIZE})
endif()
# Hardened (docs/reliability.md): a canary in each frame with an array, checked library calls, tables of addresses that are
# read-only before main runs, marked branch targets. The sanitizers replace the first two.
if(NOT PLUMB_SANITIZE AND NOT PLUMB_FUZZ)
  target_compile_options(plumb_flags INTERFACE -fstack-protector-strong
    $<$<CONFIG:Release>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(plumb_flags INTERFACE -fcf-protection=full)
  endif()
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(plumb_flags INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
  endif()
endif()
target_compile_features(plumb_flags INTERFACE cxx_std_20)
# Libraries and programs are compiled alike, so that one precompiled header serves them all: GCC compares -fPIC with -fPIE,
# and the definitions that a header in it depends on.
target_compile_options(plumb_flags INTERFACE -fPIC)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND PLUMB_PCH)
  target_compile_options(plumb_flags INTERFACE -fpch-preprocess)  # ccache asks for it
endif()
target_compile_definitions(plumb_flags INTERFACE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)

# plumb_precompiled_sum(target headers... versions...): what ccache hashes in place of the target's precompiled header, which
# is large and differs by a few bytes each time it is built.
function(plumb_precompiled_sum target)
  string(SHA256 sum "${CMAKE_CXX_COMPILER_VERSION} ${ARGN}")
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.gch.sum ${sum})
endfunction()

# plumb_precompiled(name headers...): a precompiled header, for plumb_use_precompiled(target name). Only third-party
# headers: reading them takes longer than compiling most of our files, and they never change. A file still includes what it uses; the asan
# preset compiles each without precompiled headers.
function(plumb_precompiled name)
  if(PLUMB_PCH)
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "")
    add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    target_link_libraries(${name} PRIVATE plumb_flags)
    target_precompile_headers(${name} PRIVATE ${ARGN})
    plumb_precompiled_sum(${name} ${ARGN} ${fmt_VERSION} ${GTest_VERSION})
  endif()
endfunction()

function(plumb_use_precompiled target name)
  if(PLUMB_PCH)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

set(PLUMB_STD_HEADERS <algorithm> <array> <bit> <charconv> <cmath> <cstdint> <cstring> <filesystem> <functional> <limits> <map>
  <memory> <mutex> <numeric> <optional> <set> <span> <stdexcept> <string> <string_view> <unordered_map> <utility> <vector>)
plumb_precompiled(plumb_std ${PLUMB_STD_HEADERS} <fmt/format.h>)

# plumb_batches(target): in release builds eight files of a target are compiled as one, in the order of the list: most of their time
# goes into templates that they have in common. Their local names are unique within the room; the compiler reports a name that
# is not. The asan and dev presets compile each file by itself.
function(plumb_batches target)
  if(PLUMB_PCH)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# plumb_room(name [BATCHES] SOURCES ... DEPENDS ... PRIVATE ...): one static library for one room.
# DEPENDS are rooms below it, seen by its users; PRIVATE are third-party libraries that stay inside.
function(plumb_room name)
  cmake_parse_arguments(R "BATCHES" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  add_library(plumb_${name} STATIC ${R_SOURCES})
  plumb_use_precompiled(plumb_${name} plumb_std)
  if(R_BATCHES)
    plumb_batches(plumb_${name})
  endif()
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
