// Charts with axes, by D3.
"use strict";
const size = {width: 560, height: 240, left: 56, right: 14, top: 12, bottom: 36};

function axes(svg, x, y, xName, yName, xFormat, yFormat) {
    const bottom = svg.append("g").attr("transform", `translate(0,${size.height - size.bottom})`)
        .call(d3.axisBottom(x).ticks(6, xFormat));
    const left = svg.append("g").attr("transform", `translate(${size.left},0)`).call(yFormat ? d3.axisLeft(y).ticks(5, yFormat) : d3.axisLeft(y).ticks(5));
    for (const axis of [bottom, left]) axis.attr("font-family", null);
    svg.append("text").attr("x", size.width - size.right).attr("y", size.height - 4).attr("text-anchor", "end").text(xName);
    svg.append("text").attr("x", 4).attr("y", size.top).text(yName);
}

function canvasOf(title) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    element.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", title);
    return d3.select(element);
}

/// Values over cycles: series [{name, values: [[cycle, value]...]}].
function lines(title, series, yName) {
    const svg = canvasOf(title);
    const all = series.flatMap((s) => s.values);
    if (all.length === 0) return null;
    const x = d3.scaleLinear().domain([0, d3.max(all, (d) => d[0]) || 1]).range([size.left, size.width - size.right]);
    const y = d3.scaleLinear().domain([0, d3.max(all, (d) => d[1]) || 1]).nice().range([size.height - size.bottom, size.top + 8]);
    axes(svg, x, y, "cycle", yName, "~s", null);
    const path = d3.line().defined((d) => isNumber(d[1])).x((d) => x(d[0])).y((d) => y(d[1])).curve(d3.curveStepAfter);
    series.forEach((s, i) => svg.append("path").attr("d", path(s.values)).attr("fill", "none").attr("stroke", colour(i)).attr("stroke-width", 1.6));
    const legend = h("div", {class: "legend"}, series.map((s, i) => h("span", {}, h("i", {style: `background:${colour(i)}`}), s.name)));
    return h("div", {}, svg.node(), series.length > 1 ? legend : null);
}

/// Operations a second against operations per byte, both logarithmic, under the roofs of the GPU.
function roofline(peaks, points) {
    const svg = canvasOf("Roofline");
    const slope = peaks.dram_bytes_per_second;
    const roofs = [["FP32", peaks.fp32_flops], ["FP64", peaks.fp64_flops], ["tensor FP16", peaks.tensor_fp16_flops]].filter(([, v]) => isNumber(v) && v > 0);
    const top = Math.max(...roofs.map(([, v]) => v));
    const low = Math.min(0.05, ...points.map((p) => p.intensity / 2)), high = Math.max(2000, ...points.map((p) => p.intensity * 2));
    const floor = Math.min(slope * low, ...points.map((p) => p.flops / 2));
    const x = d3.scaleLog().domain([low, high]).range([size.left, size.width - size.right]);
    const y = d3.scaleLog().domain([floor, top * 2]).range([size.height - size.bottom, size.top + 8]);
    axes(svg, x, y, "operations per byte of DRAM", "operations a second", "~g", "~s");
    roofs.forEach(([name, peak], i) => {
        const ridge = peak / slope;
        svg.append("path").attr("d", d3.line()([[x(low), y(slope * low)], [x(ridge), y(peak)], [x(high), y(peak)]]))
            .attr("fill", "none").attr("stroke", colour(i)).attr("stroke-width", 1.4);
        svg.append("text").attr("x", size.width - size.right).attr("y", y(peak) - 4).attr("text-anchor", "end").text(`${name} ${short(peak)}`);
    });
    for (const p of points) {
        svg.append("circle").attr("cx", x(p.intensity)).attr("cy", y(p.flops)).attr("r", 5).attr("fill", "var(--c3)")
            .append("title").text(`${p.name}: ${short(p.flops)} operations a second, ${count(p.intensity)} per byte`);
    }
    return svg.node();
}
