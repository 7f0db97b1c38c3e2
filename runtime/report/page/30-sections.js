// The parts of one kernel.
"use strict";
const stallNames = ["selected", "wait", "long_scoreboard", "short_scoreboard", "barrier", "membar", "math_pipe_throttle", "lg_throttle",
    "mio_throttle", "tex_throttle", "gmma", "dispatch_stall", "imc_miss", "no_instruction", "branch_resolving", "sleeping", "drain",
    "not_selected"];
const stallMeaning = {
    selected: "it issued", wait: "a fixed number of cycles, for a result of arithmetic", long_scoreboard: "data from L1 and beyond",
    short_scoreboard: "shared memory, special functions, shuffles", barrier: "a barrier of the block",
    membar: "a fence, until its writes are done", math_pipe_throttle: "its unit is busy",
    lg_throttle: "the queue of global and local memory is full", mio_throttle: "the queue of shared memory is full, or special functions are busy",
    tex_throttle: "the queue of textures is full, or shared arithmetic units are busy", gmma: "products of its warpgroup",
    dispatch_stall: "registers of the instruction before are still being read", imc_miss: "a constant",
    no_instruction: "its next instruction is not here", branch_resolving: "a branch", sleeping: "it sleeps",
    drain: "it has exited, and its writes are not done", not_selected: "it could issue, another one did"};

/// Everything about launch `i` of a run.
function view(run, i) {
    const launch = run.stats.launches[i], profile = (run.lines || [])[i];
    return {run, i, launch, peaks: run.peaks || {}, lines: (profile && profile.lines) || [], sources: (profile && profile.sources) || [],
            hints: (run.hints || [])[i] || [], steps: run.steps ? run.steps[i] : undefined, timed: isNumber(launch.cycles)};
}

/// Operations of floating point, by the instructions' names: a multiply-add is two.
function floatingOperations(v) {
    let sum = 0;
    for (const line of v.lines) {
        const name = (line.text || "").replace(/^@\S+\s+/, "").split(" ")[0];
        let each = 0;
        const product = name.match(/^(?:mma|wgmma|wmma)\b.*?\.m(\d+)n(\d+)k(\d+)/);
        if (product) { sum += 2 * product[1] * product[2] * product[3] * line.executed; continue; }
        if (!/\.(f16|bf16|f32|f64|f16x2|bf16x2)\b/.test(name)) continue;
        if (/^(fma|mad)\b/.test(name)) each = 2;
        else if (/^(add|sub|mul|div|sqrt|rsqrt|rcp|ex2|lg2|sin|cos|tanh|min|max)\b/.test(name)) each = 1;
        if (/x2\b/.test(name)) each *= 2;
        sum += each * line.threads_guarded;
    }
    return sum;
}

/// The mark of what --sample has projected.
const projected = (l) => l.sampled ? "~" : "";

function whatRan(v) {
    const l = v.launch;
    return part("What ran", facts([
        ["grid", shape(l.grid) + " blocks"], ["block", shape(l.block) + " threads"],
        ["registers a thread", count(l.registers_per_thread)], ["shared memory a block", count(l.shared_per_cta) + " bytes"],
        ["warp instructions", count(at(l, "instructions.warp"))], ["thread instructions", count(at(l, "instructions.thread"))],
        ["lanes active on average", percent(l.simt_efficiency)],
        v.timed ? ["cycles", projected(l) + count(l.cycles) + (l.sampled ? `, error up to ${percent(at(l, "sampling.cycles_error"))} (95 of 100)` : "")] : ["time", "not simulated (--mode timing does)"],
        v.timed ? ["time", projected(l) + count(l.time_us) + " µs"] : ["", null],
        v.timed ? ["micro-ops a cycle and SM", count(l.ipc)] : ["", null]]));
}

function hintsOf(v) {
    if (v.hints.length === 0) return part("Hints", h("p", {class: "soft"}, "None of the rules found anything to say."));
    return part("Hints", v.hints.map((hint) => h("div", {class: "hint", "data-rule": hint.rule}, h("b", {}, hint.says), places(hint.evidence), " ",
        h("span", {class: "soft"}, hint.advice))));
}

function speedOfLight(v) {
    if (!v.timed) return null;
    const l = v.launch, units = Object.entries(l.units || {}).filter(([, u]) => isNumber(u.utilization));
    units.sort((a, b) => b[1].utilization - a[1].utilization);
    const l2 = l.l2 || {}, sectors = (l2.read_sectors || 0) + (l2.write_sectors || 0) + (l2.atomic_sectors || 0);
    const l2Share = v.peaks.l2_bytes_per_cycle ? 32 * sectors / l.cycles / v.peaks.l2_bytes_per_cycle : undefined;
    const l1Sectors = (at(l, "l1.load_sectors") || 0) + (at(l, "l1.store_sectors") || 0);
    const l1Share = v.peaks.l1_bytes_per_cycle ? 32 * l1Sectors / l.cycles / v.peaks.l1_bytes_per_cycle : undefined;
    const busiest = units[0];
    return part("Speed of light",
        h("p", {class: "soft"}, "How much of what the GPU can do at most the kernel has used."),
        bar("issue slots", at(l, "issue_slots.issued"), "of the schedulers' cycles in SMs that had a warp", "var(--c0)"),
        busiest ? bar("compute: " + busiest[0], busiest[1].utilization, "the busiest kind of unit", "var(--c0)") : null,
        bar("memory: L1", l1Share, "bytes of loads and stores", "var(--c1)"), bar("memory: L2", l2Share, "bytes asked of all slices", "var(--c1)"),
        bar("memory: DRAM", at(l, "dram.utilization"), "cycles in which a data bus was busy", "var(--c1)"));
}

function rooflineOf(v) {
    if (!v.timed || !v.peaks.fp32_flops) return null;
    const operations = floatingOperations(v), d = v.launch.dram || {};
    const bytes = 32 * ((d.read_sectors || 0) + (d.written_sectors || 0)), seconds = v.launch.time_us / 1e6;
    if (operations === 0 || bytes === 0 || !(seconds > 0)) return null;
    return part("Roofline", roofline(v.peaks, [{name: nameOf(v.launch), intensity: operations / bytes, flops: operations / seconds}]),
        h("p", {class: "soft"}, `${short(operations)} operations of floating point, ${short(bytes)} bytes of DRAM: ` +
            `${count(operations / bytes)} operations per byte, ${short(operations / seconds)} a second.`));
}

function stallStack(v) {
    if (!v.timed || !v.launch.stalls) return null;
    const entries = Object.entries(v.launch.stalls).filter(([, value]) => isNumber(value) && value > 0);
    entries.sort((a, b) => b[1] - a[1]);
    return part("What warps did", h("p", {class: "soft"}, "Warps in each state for every issued instruction, as Nsight Compute names the states."),
        stacked(entries.map(([name, value]) => [name, value, stallNames.indexOf(name)]), (s, value) => value.toFixed(2)),
        grid([["state", (r) => r[0]], ["warps", (r) => r[1].toFixed(2), true], ["it waits for", (r) => stallMeaning[r[0]] || ""]], entries.slice(0, 8)));
}

function occupancy(v) {
    if (!v.timed || !v.launch.occupancy) return null;
    const o = v.launch.occupancy, warps = Math.ceil(product(v.launch.block) / 32), p = v.peaks;
    const limits = [];
    if (p.max_warps) limits.push(["warps of an SM", Math.floor(p.max_warps / warps)]);
    if (p.max_ctas) limits.push(["blocks of an SM", p.max_ctas]);
    if (p.registers && v.launch.registers_per_thread) limits.push(["registers", Math.floor(p.registers / (Math.ceil(v.launch.registers_per_thread * 32 / 256) * 256 * warps))]);
    if (p.shared_bytes && v.launch.shared_per_cta) limits.push(["shared memory", Math.floor(p.shared_bytes / v.launch.shared_per_cta)]);
    return part("Occupancy", bar("possible", o.theoretical, "warps that fit on an SM"), bar("achieved", o.achieved, "in cycles in which an SM had any"),
        h("p", {}, "Limited by ", h("b", {}, String(o.limited_by || "").replace("_", " ")), "."),
        limits.length ? grid([["what", (r) => r[0]], ["blocks that it allows on an SM", (r) => count(r[1]), true]], limits) : null);
}

function memoryTables(v) {
    const l = v.launch, m = l.memory || {};
    if (!v.timed) {
        return part("Memory", facts([["requests to global and local memory", count(m.global_requests)], ["sectors of them", count(m.global_sectors)],
            ["sectors a request", count(m.global_sectors_per_request)], ["requests to shared memory", count(m.shared_requests)],
            ["bank conflicts, passes", count(m.shared_bank_conflicts)]]));
    }
    const rows = (object, names) => names.map(([key, name, format]) => [name, (format || count)(at(object, key)), key]);
    return part("Memory", h("div", {class: "columns"},
        h("div", {}, h("b", {}, "L1 and shared memory"), facts(rows(l.l1, [["load_requests", "loads"], ["load_sectors", "sectors loaded"],
            ["load_sectors_per_request", "sectors a load"], ["store_requests", "stores"], ["store_sectors", "sectors stored"],
            ["store_sectors_per_request", "sectors a store"], ["atomic_requests", "atomics"], ["hit_rate", "hit rate", percent],
            ["shared_requests", "requests to shared memory"], ["shared_bank_conflicts", "bank conflicts, passes"]].concat(!at(l.l1, "prefetch.issued") ? [] :
                [["prefetch.issued", "lines prefetched"], ["prefetch.accuracy", "of them of use", percent], ["prefetch.coverage", "of misses avoided", percent]])))),
        h("div", {}, h("b", {}, "L2"), facts(rows(l.l2, [["read_sectors", "sectors read"], ["write_sectors", "sectors written"],
            ["atomic_sectors", "sectors of atomics"], ["hit_rate", "hit rate", percent], ["written_back_sectors", "written back"]])),
            h("b", {}, "DRAM"), facts(rows(l.dram, [["read_sectors", "sectors read"], ["written_sectors", "sectors written"],
                ["row_hit_rate", "row hits", percent], ["bandwidth_gb_per_s", "GB/s"], ["utilization", "busy", percent]])))));
}

function instructionMix(v) {
    const classes = Object.entries(at(v.launch, "instructions.by_class") || {}).filter(([, n]) => n > 0);
    if (classes.length === 0) return null;
    return part("Instructions", stacked(classes.map(([name, n], i) => [name, n, i]), (s, n) => `${short(n)} (${percent(s)})`),
        v.timed ? h("div", {}, Object.entries(v.launch.units || {}).filter(([, u]) => u.micro_ops > 0)
            .map(([name, u]) => bar(name, u.utilization, `${count(u.micro_ops)} micro-ops`))) : null);
}

const energyNames = {constant: "board and idle memory", sms: "SMs, without their work", alu: "integers", fma: "fp32, integer products", fp16: "fp16", fp64: "fp64",
    sfu: "special functions", tensor: "matrices", l1: "L1", shared: "shared memory", l2: "L2", dram: "DRAM"};

/// "1.23 mJ"
function joules(x) {
    const [scale, unit] = x >= 1 ? [1, "J"] : x >= 1e-3 ? [1e3, "mJ"] : x >= 1e-6 ? [1e6, "µJ"] : [1e9, "nJ"];
    return `${(scale * x).toPrecision(3)} ${unit}`;
}

function energyOf(v) {
    const e = v.launch.energy;
    if (!v.timed || !e || !(e.total_joules > 0)) return null;
    const parts = Object.entries(e.joules).filter(([, x]) => x > 0).sort((a, b) => b[1] - a[1]);
    return part("Energy", h("p", {}, h("b", {}, joules(e.total_joules)), isNumber(e.average_watts) ? `, ${e.average_watts.toFixed(1)} W on the average. ` : ". ",
        h("span", {class: "soft"}, `It is ${e.estimated_from}.`)),
        parts.map(([name, x]) => bar(energyNames[name] || name, x / e.total_joules, `${name}: ${joules(x)}`)));
}

const placeOf = (line) => places(line.source || line.line);
function accessPatterns(v) {
    const global = v.lines.filter((l) => l.global), shared = v.lines.filter((l) => l.shared);
    if (global.length + shared.length === 0) return null;
    const distance = (l) => (l.global.distance ? count(l.global.distance.bytes) + " B" : "–");
    return part("Accesses by line",
        global.length ? grid([["global memory", placeOf], ["", (l) => h("code", {}, l.text)], ["requests", (l) => count(l.global.requests), true],
            ["sectors a request", (l) => count(l.global.sectors / l.global.requests), true],
            ["of the bytes moved, asked for", (l) => percent(Math.min(1, l.global.bytes / (32 * l.global.sectors)), 0), true],
            ["between neighbours", distance, true]], global.slice(0, 60)) : null,
        shared.length ? grid([["shared memory", placeOf], ["", (l) => h("code", {}, l.text)], ["requests", (l) => count(l.shared.requests), true],
            ["conflicts a request", (l) => count(l.shared.conflicts / l.shared.requests), true]], shared.slice(0, 60)) : null);
}

function branches(v) {
    const parted = v.lines.filter((l) => l.divergent > 0);
    const total = v.launch.branches || {};
    return part("Divergence", h("p", {}, `${count(total.divergent)} of ${count(total.total)} branches that could part the lanes of a warp have done so.`),
        parted.length ? grid([["branch", placeOf], ["", (l) => h("code", {}, l.text)], ["executed", (l) => count(l.executed), true],
            ["divergent", (l) => `${count(l.divergent)} (${percent(l.divergent / l.executed, 0)})`, true],
            ["lanes", (l) => (l.threads / l.executed).toFixed(1), true], ["of them taking it", (l) => percent(l.threads_guarded / l.threads, 0), true]],
            parted.sort((a, b) => b.divergent - a.divergent).slice(0, 40)) : null);
}

function overTime(v) {
    const samples = at(v.launch, "intervals.samples");
    if (!samples || samples.length === 0) return null;
    const series = (key, name, scale = 1) => ({name, values: samples.map((s) => [s.cycle, isNumber(s[key]) ? scale * s[key] : 0])});
    const every = v.launch.intervals.every_cycles;
    return part("Over time", h("div", {class: "columns"}, lines("IPC", [series("ipc", "IPC")], "micro-ops a cycle and SM"),
        lines("Warps", [series("active_warps", "warps")], "warps of an SM"),
        lines("Hit rates", [series("l1_hit_rate", "L1", 100), series("l2_hit_rate", "L2", 100)], "hit rate, %"),
        lines("Traffic", [series("l2_read_sectors", "L2 read", 32 / every), series("dram_read_sectors", "DRAM read", 32 / every),
            series("dram_written_sectors", "DRAM written", 32 / every)], "bytes a cycle")));
}

/// Of all kernels of a run.
function warpsOverTime(run) {
    const w = run.warps;
    if (!w) return null;
    const end = d3.max(w.rows, (r) => d3.max(d3.range(0, r.slices.length, 3), (k) => r.slices[k] + r.slices[k + 1])) || 1;
    const start = d3.min(w.rows, (r) => r.slices[0]) || 0;
    const rowHeight = 14, left = 120, width = 1120, height = rowHeight * w.rows.length + 28;
    const canvas = h("canvas", {role: "img", "aria-label": "What each warp does over time"});
    const draw = () => {
        const dpr = 2, context = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
        const paint = (name) => style.getPropertyValue(name).trim() || "#888";
        canvas.width = width * dpr; canvas.height = height * dpr; canvas.style.aspectRatio = `${width} / ${height}`;
        context.setTransform(dpr, 0, 0, dpr, 0, 0);
        context.font = "11px sans-serif"; context.textBaseline = "middle";
        const x = d3.scaleLinear().domain([start, end]).range([left, width - 8]);
        w.rows.forEach((row, i) => {
            context.fillStyle = paint("--soft");
            context.fillText(row.name, 0, rowHeight * i + 7);
            for (let k = 0; k < row.slices.length; k += 3) {
                const kind = w.kinds[row.slices[k + 2]];
                context.fillStyle = kind === "issued" ? paint("--text") : paint(`--c${stallNames.indexOf(kind)}`);
                const from = x(row.slices[k]);
                context.fillRect(from, rowHeight * i + 1, Math.max(0.4, x(row.slices[k] + row.slices[k + 1]) - from), rowHeight - 3);
            }
        });
        context.fillStyle = paint("--soft");
        for (const tick of x.ticks(8)) context.fillText(`${tick}`, x(tick), height - 10);
    };
    draw();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    const legend = h("div", {class: "legend"}, w.kinds.map((kind) => h("span", {},
        h("i", {style: `background:${kind === "issued" ? "var(--text)" : colour(stallNames.indexOf(kind))}`}), kind)));
    return part("Warps over time", h("p", {class: "soft"}, `What the warps of ${w.sm} did in each cycle` + (w.complete ? "." : ", as far as it is kept.")), h("div", {class: "scroll"}, canvas), legend);
}
