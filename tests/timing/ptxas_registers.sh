#!/bin/sh
# Writes what ptxas hands out to the kernels of the project, a line each: file, kernel, 32-bit registers for sm_75, sm_80
# and sm_90 (0: not for this target). From the top folder: tests/timing/ptxas_registers.sh > tests/timing/ptxas_registers.txt
count() {   # file target
    ptxas -v -arch="sm_$2" "$1" -o /dev/null 2>&1 |
        awk '/Compiling entry function/ { split($0, q, "\047"); k = q[2] } /Used [0-9]+ registers/ { match($0, /Used [0-9]+/); print k, substr($0, RSTART + 5, RLENGTH - 5) }'
}
ptxas --version | tail -1 | sed 's/^/# /'
for file in tests/kernels/*.ptx tests/timing/published/*.ptx examples/*/*.ptx tests/frontend/corpus/sample/*.ptx; do
    target=$(sed -n 's/^\.target *sm_\([0-9a-z]*\).*/\1/p' "$file" | head -1)
    for sm in 75 80 90; do
        [ "${target%[a-z]}" -le $sm ] || continue
        case $target in *a) [ "$target" = "${sm}a" ] || continue; count "$file" "$target" ;; *) count "$file" $sm ;; esac |
            sed "s|^|$file |; s|\$| $sm|"
    done
done | awk '{ key = $1 " " $2; if (!(key in seen)) { order[++n] = key; seen[key] = 1 } regs[key, $4] = $3 }
    END { for (i = 1; i <= n; ++i) print order[i], regs[order[i], 75] + 0, regs[order[i], 80] + 0, regs[order[i], 90] + 0 }' | LC_ALL=C sort
