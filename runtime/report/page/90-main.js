// Puts the page together. A kernel is drawn when it comes into view, so that many of them stay quick.
"use strict";

/// A fault as statistics have it: what happened, and which thread did it where.
function faultText(fault) {
    const place = line => line ? `\n  ${line.file}:${line.line}${line.text ? ":  " + line.text : ""}` : "";
    const who = (fault.thread ? `, block (${fault.block}), thread (${fault.thread})` : "") + (isNumber(fault.warp) ? `, warp ${fault.warp} lane ${fault.lane}` : "") + (isNumber(fault.sm) ? `, SM ${fault.sm}` : "");
    return `${fault.message}\n  kernel ${fault.demangled || fault.kernel}${who}${place(fault.ptx)}${place(fault.source)}${fault.details ? "\n" + fault.details : ""}`;
}

const endings = {fault: "A fault has ended this launch", interrupted: "This launch was interrupted"};

/// Of a launch that has not come to its end.
function partial(launch) {
    const how = endings[launch.status];
    return how ? h("div", {class: "finding"}, h("b", {}, how + "."), " The figures are of what had happened until then.") : null;
}

function head() {
    const run = runs[0], s = run.stats;
    const rows = [["configuration", s.config + (run.peaks && run.peaks.product ? ` (${run.peaks.product})` : "")], ["mode", s.mode], ["version", s.version || null],
        ["launches", count(s.launches.length) + (s.launches_left_out ? `, and ${count(s.launches_left_out)} that are left out` : "")], ["host", isNumber(at(s, "host.seconds")) ? `${count(s.host.seconds)} s, ${s.host.threads} threads` : null],
        ["changed", s.overrides && s.overrides.length ? JSON.stringify(s.overrides) : null], ["module", s.module_sha256 ? String(s.module_sha256).slice(0, 16) + "…" : null],
        ["status", s.status && s.status !== "ok" ? h("b", {class: "bad"}, s.status) : s.status || null]];
    document.title = run.title + " – warpsim report";
    document.getElementById("head").append(h("h1", {}, run.title), s.command ? h("code", {class: "command"}, Array.isArray(s.command) ? s.command.join(" ") : s.command) : "",
        facts(rows), s.fault ? h("div", {class: "finding"}, h("b", {}, "Fault"), h("pre", {style: "white-space:pre-wrap;margin:0"}, faultText(s.fault))) : "");
}

function findings(run) {
    const list = run.findings && run.findings.findings;
    if (!list) return null;
    const where = (act) => (act ? [act.source ? `${act.source.file}:${act.source.line}` : null, act.ptx ? act.ptx.text : null].filter(Boolean).join("  ") : "");
    return h("article", {class: "kernel", id: "findings"}, h("h2", {}, "Findings of the checkers"), h("p", {class: "soft"}, "Checked: " + (run.findings.checked || []).join(", ")),
        list.length === 0 ? h("p", {class: "good"}, "Nothing was found.") : list.map((f) => h("div", {class: "finding"}, h("b", {}, `${f.kind}: ${f.what}`), ` (${count(f.count)} times)`,
            h("div", {}, f.message || ""), h("div", {class: "soft"}, [f.kernel, f.block ? `block ${shape(f.block)}` : null, f.thread ? `thread ${shape(f.thread)}` : null].filter(Boolean).join(", ")),
            h("code", {}, where(f)))));
}

function overview(run) {
    const launches = run.stats.launches, timed = launches.some((l) => isNumber(l.cycles));
    if (launches.length < 2) return null;
    const most = d3.max(launches, (l) => (timed ? l.cycles : at(l, "instructions.warp"))) || 1;
    const rows = launches.map((l, i) => [l, i]).slice(0, 200);
    return h("article", {class: "kernel", id: "overview"}, h("h2", {}, "Kernels"), grid([["", (r) => r[1], true], ["kernel", (r) => h("span", {}, h("a", {href: `#k${r[1]}`}, nameOf(r[0])), endings[r[0].status] ? h("b", {class: "bad"}, ` ${r[0].status}`) : "")],
        [timed ? "cycles" : "warp instructions", (r) => timed ? projected(r[0]) + count(r[0].cycles) : count(at(r[0], "instructions.warp")), true],
        ["", (r) => h("span", {style: `display:inline-block;height:.7em;background:var(--c0);width:${Math.max(1, 120 * (timed ? r[0].cycles : at(r[0], "instructions.warp")) / most)}px`})],
        ["active lanes", (r) => percent(r[0].simt_efficiency), true], ["hints", (r) => h("div", {style: "min-width:14rem"}, ((run.hints || [])[r[1]] || []).map((x) => x.rule).join(", "))]], rows),
        launches.length > rows.length ? h("p", {class: "soft"}, `and ${count(launches.length - rows.length)} more`) : null);
}

function kernel(v) {
    return [partial(v.launch), hintsOf(v), h("div", {class: "columns"}, whatRan(v), speedOfLight(v), stallStack(v), rooflineOf(v), occupancy(v), instructionMix(v), energyOf(v)),
        memoryTables(v), accessPatterns(v), branches(v), source(v), overTime(v), teaching(v)];
}

function main() {
    head();
    const body = document.getElementById("main"), nav = document.getElementById("kernels");
    let cards = [], seen = null;
    const fill = (card) => {
        if (card.isDrawn) return;
        card.isDrawn = true;
        card.append(...kernel(card.view).filter(Boolean));
    };
    const show = (number) => {
        const run = runs[number];
        if (seen) seen.disconnect();
        seen = new IntersectionObserver((entries) => entries.forEach((e) => { if (e.isIntersecting) fill(e.target); }), {rootMargin: "600px"});
        cards = run.stats.launches.slice(0, 500).map((launch, i) => {
            const card = h("article", {class: "kernel", id: `k${i}`}, h("h2", {}, nameOf(launch)));
            card.view = view(run, i);
            seen.observe(card);
            return card;
        });
        body.replaceChildren(...[number === 0 && runs.length === 2 ? comparison(runs[0], runs[1]) : null, findings(run), overview(run), run.warps ? h("article", {class: "kernel", id: "warps"}, warpsOverTime(run)) : null, ...cards].filter(Boolean));
        const choice = h("select", {"aria-label": "kernel", onchange: (e) => { const card = cards[Number(e.target.value)]; fill(card); card.scrollIntoView(); }},
            cards.map((card, i) => h("option", {value: i}, `${i}: ${nameOf(card.view.launch)}`)));
        nav.replaceChildren(...runs.length > 1 ? runs.map((r, i) => h("button", {"aria-pressed": String(i === number), onclick: () => show(i)}, "AB"[i] + ": " + r.title)) : [], choice);
    };
    show(0);
    addEventListener("beforeprint", () => { cards.slice(0, 50).forEach(fill); for (const box of document.querySelectorAll(".source")) box.print(true); });
    addEventListener("afterprint", () => { for (const box of document.querySelectorAll(".source")) box.print(false); });
    document.documentElement.setAttribute("data-ready", "");
}
main();
