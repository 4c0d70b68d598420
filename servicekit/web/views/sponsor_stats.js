// `sponsor.stats`: one brand over time, its part of its category, and rivals on request.
const READS = {
  "sponsor.stats": [
    "sponsor.id", "sponsor.name", "sponsor.domain", "sponsor.category", "sponsor.status", "sponsor.last_seen", "sponsor.known_until",
    "period.from_date", "period.to_date", "kinds",
    "totals.videos", "totals.sponsorships", "totals.youtubers", "totals.views",
    "change", "not_compared", "compared.youtubers", "compared.trend", "compared.known_videos", "compared.previous_known_videos",
    "repeat_rate", "granularity", "note",
    "coverage.videos", "coverage.youtubers", "coverage.sponsored_videos", "coverage.first_video", "coverage.last_video", "coverage.left_out",
    "series[].start", "series[].videos", "series[].youtubers", "series[].views",
    "by_category[].name", "by_category[].videos", "by_category[].share",
    "by_country[].name", "by_country[].videos", "by_country[].share",
    "by_kind[].name", "by_kind[].videos", "by_kind[].share",
    "share_of_voice.category", "share_of_voice.category_sponsorships", "share_of_voice.share", "share_of_voice.rank", "share_of_voice.kinds"
  ],
  "sponsor.top": [
    "sponsors[].rank", "sponsors[].sponsor.id", "sponsors[].sponsor.name",
    "sponsors[].videos", "sponsors[].share"
  ]
};
const MEASURES = { videos: "Sponsored videos", youtubers: "Creators", views: "Views" };
const MAX_RIVALS = 3;

let args = {};
let stats = null;
let rivals = null;
let problem = "";
let busy = false;
let measure = "videos";
const compared = new Map(); // rival's id -> { name, series, tone }

function growth() {
  const { change, compared } = stats;
  if (!compared) return [];
  if (compared.trend === "too_little_to_say") return ["too little is known to say how it changed", ""];
  if (!isNumber(change)) return [`${words(compared.trend)}: none before on the same channels`, ""];
  return [`${words(compared.trend)}: ${signed(change)} on the same channels`, { rising: "up", falling: "down" }[compared.trend] ?? ""];
}

function basis({ youtubers, known_videos: now, previous_known_videos: before }) {
  return remark(`Compared with the period before on ${counted(youtubers, "channel")}: ${counted(now, "known video")}, ${whole(before)} before.`);
}

// The status is of all time: the period chooses no part of it.
function statusText() {
  const { status, last_seen: last, known_until: known } = stats.sponsor;
  if (!last) return "";
  const word = { lapsed: "by", unknown: "since" }[status];
  const when = word && known ? ` ${word} ${day(known)}` : "";
  return `Status: ${words(status)}${when}, last sponsored video ${day(last)}`;
}

function totals() {
  const { totals: now } = stats;
  return tiles(
    tile("Sponsored videos", whole(now.videos), ...growth()),
    tile("Creators", whole(now.youtubers)),
    tile("Views", short(now.views)),
    tile("Creators who came back", now.youtubers ? percent(stats.repeat_rate) : "–", "with more than one video"));
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
  const columns = compared.size ? series.map((dataset) => clean(dataset.name)) : Object.values(MEASURES);
  const rows = starts.map((start, index) => compared.size
    ? [step(start), ...series.map((dataset) => whole(dataset.values[index]))]
    : [step(start), ...Object.keys(MEASURES).map((key) => whole(stats.series[index][key]))]);
  return part("Over time",
    el("fieldset.choice", {}, el("legend.unseen", {}, "What the chart shows"), ...choice),
    chart({ label: `${MEASURES[measure]} of ${clean(stats.sponsor.name)}`, starts, granularity, series, unit }),
    folded("As a table", table(`${compared.size ? MEASURES[measure] : "Figures"} over time`, ["From", ...columns], rows)));
}

function voice() {
  const { share_of_voice: ours } = stats;
  if (!ours) return null;
  const category = categoryName(ours.category);
  return part("Among its rivals",
    el("p", {}, el("strong", {}, percent(ours.share)), ` of ${counted(ours.category_sponsorships, "sponsorship")} in `,
      named(category), `${isNumber(ours.rank) ? `: rank ${whole(ours.rank)}` : ""}. ${kindNames(ours.kinds)}.`),
    bar(ours.share, ".thick"),
    problem && complaint(problem),
    rivals ? rivalList() : host.canCall && el("button.act", { type: "button", id: "rivals", disabled: busy, on: { click: findRivals } },
      busy ? "Asking…" : "Compare with rivals", el("small", {}, " 1 request")));
}

function rivalList() {
  const largest = Math.max(...rivals.map((rival) => rival.share || 0)) || 1;
  const rows = rivals.map((rival) => {
    const isOwn = rival.sponsor.id === stats.sponsor.id;
    const shown = compared.get(rival.sponsor.id);
    return el(`li${isOwn ? ".own" : ""}`, {},
      el("span.rank", {}, whole(rival.rank)), named(rival.sponsor.name),
      el("span.amount", {}, `${counted(rival.videos, "video")} · ${percent(rival.share)}`),
      bar(rival.share / largest, shown ? `.tone${shown.tone}` : isOwn ? "" : ".quiet"),
      !isOwn && host.canCall && el("button.small", {
        type: "button", id: `rival-${rivals.indexOf(rival)}`, "aria-pressed": shown ? "true" : "false",
        disabled: busy || (!shown && compared.size >= MAX_RIVALS),
        "aria-label": `Show ${clean(rival.sponsor.name)} in the chart`,
        on: { click: () => compare(rival) },
      }, shown ? "In the chart" : "Add to chart"));
  });
  return el("div", {},
    el("ol.ranking", {}, ...rows),
    el("p.under", {}, `Up to ${MAX_RIVALS} rivals fit in the chart; each that is added counts as 1 request.`));
}

const span = () => ({
  since: stats.period.from_date,
  until: stats.period.to_date,
  ...(isNumber(args.min_confidence) && { min_confidence: args.min_confidence }),
  ...(Array.isArray(args.kinds) && { kinds: args.kinds }),
});

async function load(work, focus) {
  [busy, problem] = [true, ""];
  render(focus);
  try {
    await work();
  } catch (error) {
    problem = error.message;
  }
  busy = false;
  if (!host.isOver) render(focus);
}

const findRivals = () => load(async () => {
  const result = await host.call("sponsor.top", { ...span(), category: stats.share_of_voice.category, limit: 8 });
  rivals = resultOf(result, READS["sponsor.top"]).sponsors;
}, "#rivals, .ranking button");

function compare(rival) {
  const focus = `#rival-${rivals.indexOf(rival)}`;
  if (compared.delete(rival.sponsor.id)) return render(focus);
  return load(async () => {
    const { granularity } = stats;
    const result = await host.call("sponsor.stats", { ...span(), sponsor: rival.sponsor.id, granularity });
    const { series } = resultOf(result, READS["sponsor.stats"]);
    const free = [1, 2, 3].find((tone) => ![...compared.values()].some((each) => each.tone === tone));
    compared.set(rival.sponsor.id, { name: rival.sponsor.name, series, tone: free });
  }, focus);
}

function render(focus) {
  const { sponsor, period } = stats;
  const open = view.querySelector("details")?.open;
  show(
    heading(named(sponsor.name), [sponsor.domain, sponsor.category && categoryName(sponsor.category)].filter(Boolean).map(clean).join(" · "),
      statusText(), dates(period), kindNames(stats.kinds)),
    totals(), stats.series.length > 0 && stats.not_compared && remark(stats.compared ? stats.not_compared : `Not compared with the period before. ${stats.not_compared}`),
    stats.compared && basis(stats.compared),
    stats.series.length ? overTime() : remark(stats.note), voice(),
    el("div.columns", {}, shares("By kind", stats.by_kind), shares("By content", stats.by_category), shares("By country", stats.by_country)),
    stats.series.length > 0 && ofSponsorships(stats.totals.sponsorships), coveredCatalogue(stats.coverage));
  if (open) view.querySelector("details").open = true;
  if (focus) view.querySelector(focus)?.focus();
}

begin("sponsor-stats", {
  onInput(input) {
    args = input;
  },
  onResult(result) {
    stats = resultOf(result, READS["sponsor.stats"]);
    rivals = null;
    compared.clear();
    render();
  },
});
