// Two runs side by side.
"use strict";
const compared = [["cycles", "cycles", count, -1], ["time_us", "time, µs", count, -1], ["instructions.warp", "warp instructions", count, -1], ["simt_efficiency", "active lanes", percent, 1],
    ["ipc", "micro-ops a cycle and SM", count, 1], ["occupancy.achieved", "occupancy", percent, 1], ["memory.global_sectors_per_request", "sectors a request", count, -1],
    ["memory.shared_bank_conflicts", "bank conflicts, passes", count, -1], ["l1.hit_rate", "L1 hit rate", percent, 1], ["l2.hit_rate", "L2 hit rate", percent, 1],
    ["dram.utilization", "DRAM busy", percent, 1], ["branches.divergent", "divergent branches", count, -1], ["registers_per_thread", "registers a thread", count, -1],
    ["energy.total_joules", "energy, estimated", joules, -1], ["energy.average_watts", "watts, estimated", count, -1]];

/// Launches that belong together: the n-th of a kernel in both.
function pairs(a, b) {
    const seen = new Map(), list = [];
    b.stats.launches.forEach((l, i) => { if (!seen.has(l.kernel)) seen.set(l.kernel, []); seen.get(l.kernel).push(i); });
    a.stats.launches.forEach((l, i) => { const other = (seen.get(l.kernel) || []).shift(); if (other !== undefined) list.push([i, other]); });
    return list;
}

function change(x, y, better) {
    if (!isNumber(x) || !isNumber(y) || x === 0) return h("span", {class: "soft"}, "–");
    const by = y / x - 1;
    if (Math.abs(by) < 0.0005) return h("span", {class: "soft"}, "same");
    return h("span", {class: Math.sign(by) === better ? "good" : "bad"}, (by > 0 ? "+" : "") + (100 * by).toFixed(1) + " %");
}

function comparison(a, b) {
    const list = pairs(a, b);
    const box = h("article", {class: "kernel", id: "comparison"}, h("h2", {}, "Comparison"), h("p", {}, h("b", {}, "A"), ` ${a.title}`, h("br"), h("b", {}, "B"), ` ${b.title}`));
    if (list.length === 0) return h("article", {class: "kernel"}, h("h2", {}, "Comparison"), h("p", {}, "The runs have no kernel in common."));
    for (const [i, j] of list.slice(0, 50)) {
        const x = a.stats.launches[i], y = b.stats.launches[j];
        const rows = compared.filter(([key]) => isNumber(at(x, key)) || isNumber(at(y, key)));
        box.append(h("section", {"data-part": "Comparison of " + x.kernel}, h("h3", {}, nameOf(x)),
            grid([["", (r) => r[1]], ["A", (r) => r[2](at(x, r[0])), true], ["B", (r) => r[2](at(y, r[0])), true], ["change", (r) => change(at(x, r[0]), at(y, r[0]), r[3]), true]], rows),
            x.stalls && y.stalls ? h("div", {}, h("p", {class: "soft"}, "What warps did in A and in B, for every issued instruction"),
                [x, y].map((l) => stacked(Object.entries(l.stalls).sort((p, q) => q[1] - p[1]).map(([n, value]) => [n, value, stallNames.indexOf(n)]), (s, value) => value.toFixed(2)))) : null,
            changedLines(a, b, i, j)));
    }
    return box;
}

/// The lines whose waiting has changed most.
function changedLines(a, b, i, j) {
    const linesOf = (run, k) => ((run.lines || [])[k] || {}).sources || [];
    const known = new Map();
    for (const l of linesOf(a, i)) known.set(l.source, [stalledOf(l), 0]);
    for (const l of linesOf(b, j)) known.set(l.source, [(known.get(l.source) || [0, 0])[0], stalledOf(l)]);
    const rows = [...known].filter(([, [x, y]]) => x !== y).sort((p, q) => Math.abs(q[1][1] - q[1][0]) - Math.abs(p[1][1] - p[1][0])).slice(0, 8);
    return rows.length === 0 ? null : grid([["line", (r) => r[0]], ["A: cycles that warps waited", (r) => count(r[1][0]), true], ["B", (r) => count(r[1][1]), true],
        ["change", (r) => change(r[1][0], r[1][1], -1), true]], rows);
}
