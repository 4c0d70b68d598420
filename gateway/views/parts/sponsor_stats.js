// `sponsor.stats`: one brand over time, its part of its category, and rivals on request.
const READS = {
  "sponsor.stats": [
    "sponsor.id", "sponsor.name", "sponsor.domain", "sponsor.category",
    "period.from_date", "period.to_date",
    "totals.videos", "totals.youtubers", "totals.views",
    "previous_totals.videos", "previous_totals.youtubers", "previous_totals.views",
    "change", "not_compared", "repeat_rate", "granularity", "note",
    "coverage.videos", "coverage.youtubers", "coverage.first_video", "coverage.last_video",
    "series[].start", "series[].videos", "series[].youtubers", "series[].views",
    "by_category[].name", "by_category[].videos", "by_category[].share",
    "by_country[].name", "by_country[].videos", "by_country[].share",
    "by_kind[].name", "by_kind[].videos", "by_kind[].share",
    "share_of_voice.category", "share_of_voice.category_sponsorships", "share_of_voice.share", "share_of_voice.rank"
  ],
  "sponsor.top": [
    "sponsors[].rank", "sponsors[].sponsor.id", "sponsors[].sponsor.name",
    "sponsors[].videos", "sponsors[].share"
  ]
};
const MEASURES = { videos: "Videos", youtubers: "Creators", views: "Views" };
const MOST_RIVALS = 3;

let asked = {};
let stats = null;
let rivals = null;
let trouble = "";
let busy = false;
let measure = "videos";
const compared = new Map(); // rival's id -> { name, series, tone }

function growth(now, before) {
  if (!isNumber(now) || !before) return ["none in the period before", ""];
  const change = now / before - 1;
  const sign = format(change, { style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero" });
  return [`${sign} on the period before`, change > 0 ? "up" : change < 0 ? "down" : ""];
}

function totals() {
  const { totals: now, previous_totals: before } = stats;
  return tiles(
    tile("Sponsored videos", whole(now.videos), ...(before ? growth(now.videos, before.videos) : [])),
    tile("Creators", whole(now.youtubers), ...(before ? growth(now.youtubers, before.youtubers) : [])),
    tile("Views", short(now.views), ...(before ? growth(now.views, before.views) : [])),
    tile("Creators who came back", percent(stats.repeat_rate), "with more than one video"));
}

function lines() {
  return [...compared.values()].map(({ name, series, tone }) => {
    const by = new Map(series.map((point) => [point.start, point[measure]]));
    return { name, kind: "line", tone, values: stats.series.map(({ start }) => by.get(start) ?? 0) };
  });
}

function overTime() {
  const unit = measure === "views" ? short : whole;
  const choice = Object.entries(MEASURES).map(([key, label]) =>
    el("label", {}, el("input", { type: "radio", name: "measure", value: key, checked: key === measure,
      on: { change: () => { measure = key; render(`[value="${key}"]`); } } }), el("span", {}, label)));
  const starts = stats.series.map((point) => point.start);
  const own = { name: stats.sponsor.name, kind: "block", tone: 0, values: stats.series.map((point) => point[measure]) };
  const series = compared.size ? [own, ...lines()] : [{ ...own, name: MEASURES[measure] }];
  const { granularity } = stats;
  const step = steps(granularity);
  const columns = compared.size ? series.map((one) => clean(one.name)) : Object.values(MEASURES);
  const rows = starts.map((start, index) => compared.size
    ? [step(start), ...series.map((one) => whole(one.values[index]))]
    : [step(start), ...Object.keys(MEASURES).map((key) => whole(stats.series[index][key]))]);
  return part("Over time",
    el("fieldset.choice", {}, el("legend.unseen", {}, "What the chart shows"), ...choice),
    chart({ label: `${MEASURES[measure]} of ${clean(stats.sponsor.name)}`, starts, granularity, series, unit }),
    folded("As a table", table(`${compared.size ? MEASURES[measure] : "Figures"} over time`, ["From", ...columns], rows)));
}

function voice() {
  const { share_of_voice: ours } = stats;
  if (!ours) return null;
  const category = words(ours.category);
  return part("Among its rivals",
    el("p", {}, el("strong", {}, percent(ours.share)), ` of the ${whole(ours.category_sponsorships)} sponsorships in `,
      named(category), `: rank ${whole(ours.rank)}.`),
    bar(ours.share, ".thick"),
    trouble && complaint(trouble),
    rivals ? rivalList() : host.canCall && el("button.act", { type: "button", id: "rivals", disabled: busy, on: { click: findRivals } },
      busy ? "Asking…" : "Compare with rivals", el("small", {}, " 1 request")));
}

function rivalList() {
  const largest = Math.max(...rivals.map((one) => one.share || 0)) || 1;
  const rows = rivals.map((one) => {
    const isOwn = one.sponsor.id === stats.sponsor.id;
    const shown = compared.get(one.sponsor.id);
    return el(`li${isOwn ? ".own" : ""}`, {},
      el("span.rank", {}, whole(one.rank)), named(one.sponsor.name),
      el("span.amount", {}, `${percent(one.share)} · ${whole(one.videos)}`),
      bar(one.share / largest, shown ? `.tone${shown.tone}` : isOwn ? "" : ".quiet"),
      !isOwn && host.canCall && el("button.small", {
        type: "button", id: `rival-${one.rank}`, "aria-pressed": shown ? "true" : "false",
        disabled: busy || (!shown && compared.size >= MOST_RIVALS),
        "aria-label": `Show ${clean(one.sponsor.name)} in the chart`,
        on: { click: () => compare(one) },
      }, shown ? "In the chart" : "Add to chart"));
  });
  return el("div", {},
    el("ol.ranking", {}, ...rows),
    el("p.under", {}, `Up to ${MOST_RIVALS} rivals fit in the chart; each that is added counts as 1 request.`));
}

const span = () => ({
  from: stats.period.from_date,
  to: stats.period.to_date,
  ...(isNumber(asked.min_confidence) && { min_confidence: asked.min_confidence }),
  ...(Array.isArray(asked.kinds) && { kinds: asked.kinds }),
});

async function ask(work, focus) {
  [busy, trouble] = [true, ""];
  render(focus);
  try {
    await work();
  } catch (error) {
    trouble = error.message;
  }
  busy = false;
  if (!host.isOver) render(focus);
}

const findRivals = () => ask(async () => {
  const result = await host.call("sponsor.top", { ...span(), category: stats.share_of_voice.category, limit: 8 });
  rivals = answerIn(result, READS["sponsor.top"]).sponsors;
}, "#rivals, .ranking button");

function compare(one) {
  const focus = `#rival-${one.rank}`;
  if (compared.delete(one.sponsor.id)) return render(focus);
  return ask(async () => {
    const { granularity } = stats;
    const result = await host.call("sponsor.stats", { ...span(), sponsor: one.sponsor.id, granularity });
    const { series } = answerIn(result, READS["sponsor.stats"]);
    const free = [1, 2, 3].find((tone) => ![...compared.values()].some((each) => each.tone === tone));
    compared.set(one.sponsor.id, { name: one.sponsor.name, series, tone: free });
  }, focus);
}

function render(focus) {
  const { sponsor, period } = stats;
  const open = view.querySelector("details")?.open;
  show(
    heading(named(sponsor.name), [sponsor.domain, sponsor.category && words(sponsor.category)].filter(Boolean).map(clean).join(" · "),
      `${day(period.from_date)} – ${day(period.to_date)}`),
    totals(), stats.not_compared && el("p.under", {}, clean(stats.not_compared)), overTime(), voice(),
    el("div.columns", {}, shares("By kind", stats.by_kind), shares("By content", stats.by_category), shares("By country", stats.by_country)),
    stats.note && el("p.under", {}, clean(stats.note)), stats.coverage && covered(stats.coverage.videos, `${whole(stats.coverage.youtubers)} channels`, stats.coverage));
  if (open) view.querySelector("details").open = true;
  if (focus) view.querySelector(focus)?.focus();
}

begin("sponsor-stats", {
  onInput(args) {
    asked = args;
  },
  onResult(result) {
    stats = answerIn(result, READS["sponsor.stats"]);
    rivals = null;
    compared.clear();
    render();
  },
});
