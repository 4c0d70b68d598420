// Columns over time with lines across them, drawn to the width that there is.
// A range control over the columns reads them out: by key, pointer or touch.
function chart({ label, starts, granularity, series, unit }) {
  const name = steps(granularity);
  const figure = el(`figure.chart${series.some((dataset) => dataset.kind === "line") ? ".compares" : ""}`);
  const reading = el("p.reading");
  const stage = el("div.stage");
  const scrub = el("input.scrub", {
    type: "range", min: 0, max: Math.max(0, starts.length - 1), step: 1, value: starts.length - 1,
    "aria-label": `${label}: step by step`,
    on: { input: () => read(), pointermove: (event) => follow(event) },
  });
  const legend = series.length > 1 &&
    el("ul.legend", {}, ...series.map((dataset) => el("li", {}, el(`span.swatch.${dataset.kind}.tone${dataset.tone}`, { "aria-hidden": "true" }), named(dataset.name))));
  let columns = [];
  let frame = { left: 0, right: 0 };

  function at(index, dataset) {
    return `${clean(dataset.name)} ${unit(dataset.values[index])}`;
  }

  function read() {
    const index = Number(scrub.value);
    columns.forEach((column, each) => column.classList.toggle("chosen", each === index));
    const figures = series.map((dataset) => at(index, dataset)).join(" · ");
    reading.replaceChildren(el("strong", {}, name(starts[index])), ` ${figures}`);
    scrub.setAttribute("aria-valuetext", `${name(starts[index])}: ${figures}`);
  }

  function follow(event) {
    if (event.pointerType === "touch" && event.buttons === 0) return;
    const box = stage.getBoundingClientRect();
    const share = (event.clientX - box.left - frame.left) / (box.width - frame.left - frame.right);
    const index = Math.max(0, Math.min(starts.length - 1, Math.floor(share * starts.length)));
    if (index !== Number(scrub.value)) {
      scrub.value = index;
      read();
    }
  }

  function draw() {
    const width = Math.max(240, Math.round(stage.clientWidth));
    const height = width < 480 ? 190 : 220;
    const ticks = ticksTo(Math.max(...series.flatMap((dataset) => dataset.values.map((value) => value || 0))));
    const left = 12 + 7 * Math.max(...ticks.map((tick) => unit(tick).length));
    const [right, top, bottom] = [4, 10, 38];
    const [inner, tall] = [width - left - right, height - top - bottom];
    const slot = inner / starts.length;
    const x = (index) => left + slot * index;
    const y = (value) => top + tall * (1 - (value || 0) / ticks.at(-1));
    const lines = ticks.map((tick) => [
      svg("line.grid", { x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
      svg("text.tick", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, unit(tick)),
    ]);
    const thick = Math.max(2, Math.min(44, slot * 0.68));
    columns = starts.map((start, index) =>
      svg("g.column", {},
        svg("rect.back", { x: x(index), y: top, width: slot, height: tall }),
        ...series.filter((dataset) => dataset.kind !== "line").map((dataset) => {
          const from = y(dataset.values[index]);
          const round = Math.min(3, thick / 4, Math.max(0, top + tall - from));
          return svg(`path.block.${dataset.kind}.tone${dataset.tone}`, {
            d: `M${x(index) + (slot - thick) / 2} ${top + tall}V${from + round}q0 ${-round} ${round} ${-round}h${thick - 2 * round}q${round} 0 ${round} ${round}V${top + tall}z`,
          });
        })));
    const paths = series.filter((dataset) => dataset.kind === "line").map((dataset) => {
      const points = dataset.values.map((value, index) => [x(index) + slot / 2, y(value)]);
      return svg(`g.line.tone${dataset.tone}`, {},
        svg("polyline", { points: points.map((point) => point.join(",")).join(" ") }),
        ...points.map(([cx, cy]) => svg("circle", { cx, cy, r: 2.5 })));
    });
    const every = Math.ceil(38 / slot);
    const labels = starts.map((start, index) => {
      if ((starts.length - 1 - index) % every) return null;
      const turn = index < every || start.slice(0, 4) !== starts[index - every].slice(0, 4);
      const brief = name(start, true);
      const year = start.slice(0, 4);
      return svg("text.tick", { "text-anchor": "middle", y: height - bottom + 16 },
        svg("tspan", { x: x(index) + slot / 2 }, brief.split(" ")[0]),
        turn && brief !== year && svg("tspan.year", { x: x(index) + slot / 2, dy: 15 }, year));
    });
    frame = { left, right };
    scrub.style.left = `${left}px`;
    scrub.style.width = `${inner}px`;
    scrub.style.height = `${tall}px`;
    scrub.style.top = `${top}px`;
    stage.querySelector("svg")?.remove();
    stage.prepend(svg("svg", { role: "img", "aria-label": summary(), width, height, viewBox: `0 0 ${width} ${height}` },
      ...lines, ...columns, ...paths, ...labels));
    read();
  }

  function summary() {
    const descriptions = series.map((dataset) => {
      const peak = dataset.values.indexOf(Math.max(...dataset.values));
      return `${clean(dataset.name)}: most in ${name(starts[peak])} with ${unit(dataset.values[peak])}`;
    });
    return `${label}, ${name(starts[0])} to ${name(starts.at(-1))}. ${descriptions.join("; ")}. All figures are in the table.`;
  }

  if (!starts.length) return el("p.empty", {}, "There are no figures for this period.");
  stage.append(scrub);
  figure.append(reading, stage, ...(legend ? [legend] : []), ...(host.saving ? [host.saving(stage, label)] : []));
  new ResizeObserver(() => figure.isConnected && draw()).observe(stage);
  return figure;
}

// Round numbers from 0 to at least `highest`, about four of them.
function ticksTo(highest) {
  if (!(highest > 0)) return [0, 1];
  const rough = highest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 2.5, 5, 10].map((by) => by * power).find((size) => size >= rough && (size >= 10 || Number.isInteger(size))) ?? 10 * power);
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step);
}
