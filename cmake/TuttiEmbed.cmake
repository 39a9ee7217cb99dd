# SPDX-License-Identifier: MIT
# Run as a script: writes OUT, a C file with the bytes of FILES (path=file,...)
# as the table TABLE of type struct TYPE, which HEADER declares: path, hash,
# bytes and their number each.
string(REPLACE "," ";" FILES "${FILES}")
set(table "")
set(text "/* SPDX-License-Identifier: MIT */\n#include \"${HEADER}\"\n\n")
set(n 0)
foreach(entry IN LISTS FILES)
  string(FIND "${entry}" "=" at)
  string(SUBSTRING "${entry}" 0 ${at} path)
  math(EXPR at "${at} + 1")
  string(SUBSTRING "${entry}" ${at} -1 file)
  file(READ "${file}" hex HEX)
  file(SHA256 "${file}" hash)
  string(SUBSTRING "${hash}" 0 16 hash)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "static const unsigned char file${n}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${path}\", \"${hash}\", file${n}, "
    "sizeof(file${n}) - 1},\n")
  math(EXPR n "${n} + 1")
endforeach()
string(APPEND text
  "\nconst struct ${TYPE} ${TABLE}[] = {\n${table}    {0},\n};\n")
file(WRITE "${OUT}" "${text}")
