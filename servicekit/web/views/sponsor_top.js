// `sponsor.top`: the ranking, to be sorted by any column; further pages through the host.
const READS = {
  "sponsor.top": [
    "period.from_date", "period.to_date", "metric", "totals.videos", "totals.sponsorships", "totals.youtubers", "totals.views",
    "sponsors[].rank", "sponsors[].sponsor.id", "sponsors[].sponsor.name", "sponsors[].sponsor.category",
    "sponsors[].videos", "sponsors[].youtubers", "sponsors[].views", "sponsors[].metric_share", "sponsors[].free_products",
    "by_kind[].key", "by_kind[].sponsorships", "kinds",
    "next_cursor", "note",
    "coverage.videos", "coverage.youtubers", "coverage.sponsored_videos", "coverage.first_video", "coverage.last_video", "coverage.left_out"
  ]
};
const COLUMNS = [
  { key: "rank", label: "Rank", of: (row) => row.rank, shown: whole, rising: true },
  { key: "name", label: "Brand", of: (row) => clean(row.sponsor.name), rising: true, cell: name },
  { key: "videos", label: "Sponsored videos", of: (row) => row.videos, shown: whole },
  { key: "youtubers", label: "Creators", of: (row) => row.youtubers, shown: whole },
  { key: "views", label: "Views", of: (row) => row.views, shown: short },
  { key: "metric_share", label: "Share", of: (row) => row.metric_share, shown: percent }
];

let args = {};
let page = null;
let sort = { key: "rank", rising: true };
let busy = false;
let problem = "";

const column = (key) => COLUMNS.find((each) => each.key === key);
const ranked = () => column(page.metric === "creators" ? "youtubers" : page.metric) ?? column("videos");

// The bars follow what is sorted by, and the metric of the ranking when that is no amount.
const leading = () => (["rank", "name"].includes(sort.key) ? ranked() : column(sort.key));

function name(row) {
  const { of } = leading();
  const apart = !page.kinds.includes("free_product") && row.free_products > 0;
  return brand(row.sponsor, apart && el("small", {}, `and ${whole(row.free_products)} with a free product`), bar(of(row) / largest(page.sponsors, of)));
}

async function more() {
  [busy, problem] = [true, ""];
  render("#more");
  try {
    const next = resultOf(await host.call("sponsor.top", { ...args, cursor: page.next_cursor }), READS["sponsor.top"]);
    page = { ...page, sponsors: [...page.sponsors, ...next.sponsors], next_cursor: next.next_cursor };
  } catch (error) {
    problem = error.message;
  }
  busy = false;
  if (!host.isOver) render("#more");
}

// What the shares are of; only sponsorships are each of one brand.
function shareOf(metric, totals) {
  if (metric.key === "videos") return ofSponsorships(totals.sponsorships);
  const all = metric.key === "views" ? counted(totals.views, "view") : counted(totals.youtubers, "creator");
  return el("p.under", {}, `Percentages are of ${all}; several brands may have the same ones.`);
}

// The kinds that the ranking leaves out, so that nobody takes it for everything.
function leftOut() {
  const out = page.by_kind.filter((part) => !page.kinds.includes(part.key) && part.sponsorships);
  const each = out.map((part) => `${counted(part.sponsorships, "sponsorship")} of kind ${words(part.key)}`);
  return each.length > 0 && el("p.under", {}, `Not in this ranking: ${each.join(", ")}.`);
}

function render(focus) {
  const { period, totals } = page;
  const filters = ["category", "content_category", "country"].filter((key) => args[key]).map((key) => (key === "country" ? words : categoryName)(args[key]));
  const metric = ranked();
  const leads = leading();
  show(
    heading(`Top sponsors by ${metric.label.toLowerCase()}`, filters.join(" · "), dates(period), kindNames(page.kinds)),
    tiles(tile("Sponsored videos", whole(totals.videos), counted(totals.sponsorships, "sponsorship")), tile("Creators", whole(totals.youtubers)), tile("Views", short(totals.views))),
    page.sponsors.length
      ? sortedTable({
          label: "Ranking", columns: COLUMNS, rows: page.sponsors, sort, leads,
          caption: `Ranking by ${metric.label.toLowerCase()}; a press on a heading sorts. Bars show ${leads.label.toLowerCase()}.`,
          onSort: (next, focused) => { sort = next; render(focused); },
        })
      : remark(page.note ?? "No sponsorship matches."),
    page.sponsors.length > 0 && page.note && remark(page.note),
    page.sponsors.length > 0 && shareOf(metric, totals),
    leftOut(),
    coveredCatalogue(page.coverage),
    problem && complaint(problem),
    page.next_cursor && host.canCall && el("button.act", { type: "button", id: "more", disabled: busy, on: { click: more } },
      busy ? "Asking…" : "Show more", el("small", {}, " 1 request")));
  if (focus) view.querySelector(focus)?.focus();
}

begin("sponsor-top", {
  onInput(input) {
    args = input;
  },
  onResult(result) {
    page = resultOf(result, READS["sponsor.top"]);
    sort = { key: "rank", rising: true };
    render();
  },
});
