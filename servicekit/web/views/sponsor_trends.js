// `sponsor.trends`: brands whose part of the known videos of the same channels rose or fell, and what each trend rests on.
const READS = {
  "sponsor.trends": [
    "period.from_date", "period.to_date", "previous_period.from_date", "previous_period.to_date",
    "sponsorships", "previous_sponsorships", "youtubers", "compared_youtubers", "known_videos", "previous_known_videos",
    "sponsors[].sponsor.name", "sponsors[].sponsor.category",
    "sponsors[].videos", "sponsors[].previous_videos", "sponsors[].youtubers", "sponsors[].previous_youtubers",
    "sponsors[].change", "sponsors[].score", "sponsors[].trend",
    "kinds", "note",
    "coverage.videos", "coverage.youtubers", "coverage.sponsored_videos", "coverage.first_video", "coverage.last_video", "coverage.left_out"
  ]
};
const TITLES = { rising: "Rising sponsors", falling: "Falling sponsors" };
const TONES = { rising: ".up", falling: ".down" };
const COLUMNS = [
  { key: "name", label: "Brand", of: (row) => clean(row.sponsor.name), rising: true, cell: name },
  { key: "videos", label: "Sponsored videos", of: (row) => row.videos, cell: (row) => moved(row.previous_videos, row.videos) },
  { key: "youtubers", label: "Creators", of: (row) => row.youtubers, cell: (row) => moved(row.previous_youtubers, row.youtubers) },
  { key: "change", label: "Change", of: (row) => row.change, shown: signed },
  { key: "score", label: "Trend", of: (row) => row.score, cell: trend, wraps: true }
];

let args = {};
let trends = null;
let sort = { key: null };

const peak = () => largest(trends.sponsors, (row) => Math.max(row.videos, row.previous_videos));

function name(row) {
  return brand(row.sponsor, bar(row.videos / peak()), bar(row.previous_videos / peak(), ".quiet"));
}

function moved(before, now) {
  return [el("span.unseen", {}, `${whole(before)} before, ${whole(now)} in this period`), el("span", { "aria-hidden": "true" }, `${whole(before)} → ${whole(now)}`)];
}

function trend(row) {
  const score = format(row.score, { maximumFractionDigits: 1, minimumFractionDigits: 1, signDisplay: "exceptZero" });
  return [el(`span.trend${TONES[row.trend] ?? ""}`, {}, titled(words(row.trend))), el("small", {}, el("span.unseen", {}, "score "), `${score} σ`)];
}

function legend() {
  const entry = (tone, text) => el("li", {}, el(`span.swatch${tone}`, { "aria-hidden": "true" }), text);
  return el("ul.legend", {}, entry("", "This period"), entry(".tone9", "The period before"));
}

function explained() {
  return el("p.under", {},
    "Brands are compared on the same channels, those with known videos in both periods. The trend is of a brand's part of these videos, not of their "
    + "number. The score (σ) says how many standard deviations its videos lie from what an unchanged rate on each channel would give. Steady is "
    + "what excludes a change by half. With few videos, or a change by one creator alone, there is too little to say.");
}

function render(focus) {
  const { period, previous_period: before, sponsors } = trends;
  const filters = ["category", "content_category", "country"].filter((key) => args[key]).map((key) => (key === "country" ? words : categoryName)(args[key]));
  show(
    heading(TITLES[args.direction] ?? "Rising and falling sponsors", filters.join(" · "), dates(period), kindNames(trends.kinds)),
    tiles(
      tile("Sponsorships in this period", whole(trends.sponsorships), dates(period)),
      tile("In the period before", whole(trends.previous_sponsorships), dates(before)),
      tile("Creators compared", whole(trends.compared_youtubers), `of ${whole(trends.youtubers)} with such sponsorships`),
      tile("Their known videos", whole(trends.known_videos), `${whole(trends.previous_known_videos)} in the period before`)),
    remark(trends.note ?? (sponsors.length ? "" : "No brand matches.")),
    sponsors.length > 0 && sortedTable({
      label: "Trends", columns: COLUMNS, rows: sponsors, sort,
      caption: "Brands, the surest change first; a press on a heading sorts. Bars show sponsored videos of this period and of the one before.",
      onSort: (next, focused) => { sort = next; render(focused); },
    }),
    sponsors.length > 0 && legend(),
    sponsors.length > 0 && explained(),
    coveredCatalogue(trends.coverage));
  if (focus) view.querySelector(focus)?.focus();
}

begin("sponsor-trends", {
  onInput(input) {
    args = input;
  },
  onResult(result) {
    trends = resultOf(result, READS["sponsor.trends"]);
    sort = { key: null };
    render();
  },
});
