// `sponsor.compare`: brands side by side, their parts of their categories, and the creators that they share.
const READS = {
  "sponsor.compare": [
    "period.from_date", "period.to_date", "previous_period.from_date", "previous_period.to_date",
    "sponsors[].sponsor.id", "sponsors[].sponsor.name", "sponsors[].sponsor.category",
    "sponsors[].totals.videos", "sponsors[].totals.sponsorships", "sponsors[].totals.youtubers", "sponsors[].totals.views",
    "sponsors[].change", "sponsors[].compared.youtubers", "sponsors[].compared.trend", "sponsors[].not_compared", "sponsors[].repeat_rate",
    "sponsors[].by_kind[].key", "sponsors[].by_kind[].videos",
    "sponsors[].share_of_voice.category", "sponsors[].share_of_voice.category_sponsorships", "sponsors[].share_of_voice.share",
    "sponsors[].share_of_voice.rank", "sponsors[].share_of_voice.kinds",
    "shared_youtubers[].sponsor", "shared_youtubers[].other", "shared_youtubers[].youtubers",
    "kinds", "not_compared",
    "coverage.videos", "coverage.youtubers", "coverage.sponsored_videos", "coverage.first_video", "coverage.last_video", "coverage.left_out"
  ]
};
const COLUMNS = [
  { key: "name", label: "Brand", of: (row) => clean(row.sponsor.name), rising: true, cell: name },
  { key: "videos", label: "Sponsored videos", of: (row) => row.totals.videos, cell: videos },
  { key: "youtubers", label: "Creators", of: (row) => row.totals.youtubers, cell: creators, wraps: true },
  { key: "views", label: "Views", of: (row) => row.totals.views, shown: short },
  { key: "change", label: "Change", of: (row) => row.change, cell: change, wraps: true }
];

let comparison = null;
let sort = { key: null };

const column = (key) => COLUMNS.find((each) => each.key === key);

// The bars follow what is sorted by where that is an amount.
const leading = () => column(["youtubers", "views"].includes(sort.key) ? sort.key : "videos");

function name(row) {
  const { of } = leading();
  return brand(row.sponsor, bar(of(row) / largest(comparison.sponsors, of)));
}

function videos({ totals }) {
  const several = totals.sponsorships !== totals.videos;
  return [whole(totals.videos), several && el("small", {}, counted(totals.sponsorships, "sponsorship"))];
}

function creators({ totals, repeat_rate: returning }) {
  return [whole(totals.youtubers), totals.youtubers > 0 && el("small", {}, `${percent(returning)} came back`)];
}

function change({ change: growth, compared }) {
  if (!compared) return ["–"];
  const basis = el("small", {}, `on ${counted(compared.youtubers, "channel")}`);
  if (compared.trend === "too_little_to_say") return ["too little to say", basis];
  return [isNumber(growth) ? signed(growth) : words(compared.trend), basis];
}

function notCompared() {
  const uncompared = comparison.not_compared ? [] : comparison.sponsors.filter((row) => row.not_compared);
  return uncompared.map((row) => el("p.under", {}, named(row.sponsor.name), row.compared ? `: ${clean(row.not_compared)}` : ` is not compared with the period before. ${clean(row.not_compared)}`));
}

function kinds() {
  const present = comparison.kinds.filter((kind) => comparison.sponsors.some((row) => row.by_kind.some(({ key }) => key === kind)));
  if (!present.length) return null;
  const of = (row, kind) => row.by_kind.find(({ key }) => key === kind)?.videos ?? 0;
  const rows = comparison.sponsors.map((row) => [named(row.sponsor.name), ...present.map((kind) => whole(of(row, kind)))]);
  return part("Sponsored videos by kind",
    table("Sponsored videos by kind", ["Brand", ...present.map((kind) => titled(words(kind)))], rows));
}

function voices() {
  const known = comparison.sponsors.filter((row) => row.share_of_voice);
  if (!known.length) return null;
  const rows = known.map(({ sponsor, share_of_voice: voice }) =>
    el("li", {}, named(sponsor.name), el("span.amount", {}, voice.share > 0 ? `${percent(voice.share)}${isNumber(voice.rank) ? ` · rank ${whole(voice.rank)}` : ""}` : "none"), bar(voice.share),
      el("small", {}, `of ${counted(voice.category_sponsorships, "sponsorship")} in `, named(categoryName(voice.category)))));
  return el("section.shares", {}, el("h3", {}, "Share of its category"), el("ul", {}, ...rows),
    el("p.under", {}, kindNames(known[0].share_of_voice.kinds)));
}

function inCommon() {
  const names = new Map(comparison.sponsors.map(({ sponsor }) => [sponsor.id, sponsor.name]));
  const pairs = [...comparison.shared_youtubers].sort((a, b) => b.youtubers - a.youtubers);
  const of = (pair) => pair.youtubers;
  const rows = pairs.map((pair) =>
    el("li", {}, el("span", {}, named(names.get(pair.sponsor)), " and ", named(names.get(pair.other))),
      el("span.amount", {}, counted(pair.youtubers, "creator")), bar(pair.youtubers / largest(pairs, of), ".quiet")));
  return el("section.shares", {}, el("h3", {}, "Creators in common"), el("ul", {}, ...rows),
    el("p.under", {}, "Within the period, of the kinds counted."));
}

function render(focus) {
  const { period, previous_period: before, not_compared: reason } = comparison;
  const leads = leading();
  show(
    heading("Sponsors side by side", dates(period), kindNames(comparison.kinds)),
    sortedTable({
      label: "Comparison", rows: comparison.sponsors, sort, leads,
      columns: reason ? COLUMNS.filter(({ key }) => key !== "change") : COLUMNS,
      caption: `Brands side by side; a press on a heading sorts. Bars show ${leads.label.toLowerCase()}.`,
      onSort: (next, focused) => { sort = next; render(focused); },
    }),
    remark(reason ? `Came back: creators with more than one video. Not compared with the period before: ${reason}` : `Change: the part of the known videos of the same channels, against ${dates(before)}. Came back: creators with more than one video.`),
    ...notCompared(),
    kinds(),
    el("div.columns", {}, voices(), inCommon()),
    coveredCatalogue(comparison.coverage));
  if (focus) view.querySelector(focus)?.focus();
}

begin("sponsor-compare", {
  onResult(result) {
    comparison = resultOf(result, READS["sponsor.compare"]);
    sort = { key: null };
    render();
  },
});
