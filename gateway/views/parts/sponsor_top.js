// `sponsor.top`: the ranking, to be sorted by any column; further pages through the host.
const READS = {
  "sponsor.top": [
    "period.from_date", "period.to_date", "metric", "totals.videos", "totals.sponsorships", "totals.youtubers", "totals.views",
    "sponsors[].rank", "sponsors[].sponsor.id", "sponsors[].sponsor.name", "sponsors[].sponsor.category",
    "sponsors[].videos", "sponsors[].youtubers", "sponsors[].views", "sponsors[].share",
    "by_kind[].key", "by_kind[].sponsorships", "kinds",
    "next_cursor", "note",
    "coverage.videos", "coverage.youtubers", "coverage.first_video", "coverage.last_video", "coverage.left_out"
  ]
};
const COLUMNS = [
  { key: "rank", label: "#", of: (one) => one.rank, shown: whole, rising: true },
  { key: "name", label: "Brand", of: (one) => clean(one.sponsor.name), rising: true },
  { key: "videos", label: "Videos", of: (one) => one.videos, shown: whole },
  { key: "creators", label: "Creators", of: (one) => one.youtubers, shown: whole },
  { key: "views", label: "Views", of: (one) => one.views, shown: short },
  { key: "share", label: "Share", of: (one) => one.share, shown: percent }
];

let asked = {};
let page = null;
let sort = { key: "rank", rising: true };
let busy = false;
let trouble = "";

function sorted() {
  const { of } = COLUMNS.find((column) => column.key === sort.key);
  const order = (a, b) => (typeof of(a) === "string" ? of(a).localeCompare(of(b), locale()) : (of(a) ?? 0) - (of(b) ?? 0));
  return [...page.sponsors].sort((a, b) => (sort.rising ? order(a, b) : order(b, a)) || a.rank - b.rank);
}

function header(column) {
  const chosen = sort.key === column.key;
  const press = () => {
    sort = { key: column.key, rising: chosen ? !sort.rising : Boolean(column.rising) };
    render(`#by-${column.key}`);
  };
  return el("th", { scope: "col", class: column.key === "name" ? "wide" : "number", "aria-sort": chosen ? (sort.rising ? "ascending" : "descending") : "none" },
    el("button.sort", { type: "button", id: `by-${column.key}`, on: { click: press } },
      column.key === "rank" ? [el("span", { "aria-hidden": "true" }, "#"), el("span.unseen", {}, "Rank")] : column.label,
      el("span.arrow", { "aria-hidden": "true" }, chosen ? (sort.rising ? "▲" : "▼") : "")));
}

// The bars follow what is sorted by, and the metric of the ranking when that is no amount.
function measured() {
  const column = COLUMNS.find(({ key }) => key === sort.key && !["rank", "name"].includes(key)) ?? COLUMNS.find(({ key }) => key === page.metric) ?? COLUMNS[2];
  const most = Math.max(...page.sponsors.map((one) => column.of(one) || 0)) || 1;
  return { column, most };
}

function row(one, { column, most }) {
  const cells = COLUMNS.map((each) => {
    if (each.key === "name") {
      return el("th.wide", { scope: "row" }, named(one.sponsor.name),
        one.sponsor.category && el("small", {}, named(words(one.sponsor.category))), bar(column.of(one) / most));
    }
    return el("td.number", { class: `number${each === column ? " leads" : ""}` }, each.shown(each.of(one)));
  });
  return el("tr", {}, ...cells);
}

async function more() {
  [busy, trouble] = [true, ""];
  render("#more");
  try {
    const next = answerIn(await host.call("sponsor.top", { ...asked, cursor: page.next_cursor }), READS["sponsor.top"]);
    page = { ...page, sponsors: [...page.sponsors, ...next.sponsors], next_cursor: next.next_cursor };
  } catch (error) {
    trouble = error.message;
  }
  busy = false;
  if (!host.isOver) render("#more");
}

// The kinds that the ranking leaves out, so that nobody takes it for everything.
function leftOut() {
  const out = page.by_kind.filter((part) => !page.kinds.includes(part.key) && part.sponsorships);
  if (!out.length) return null;
  const each = out.map((part) => `${whole(part.sponsorships)} of kind ${words(part.key)}`);
  return el("p.under", {}, `Shares are of all sponsorships that match. Not in this ranking: ${each.join(", ")}.`);
}

function render(focus) {
  const { period, totals } = page;
  const filters = ["category", "content_category", "country"].filter((key) => asked[key]).map((key) => words(asked[key]));
  const lead = measured();
  show(
    heading(`Top sponsors by ${words(page.metric)}`, filters.join(" · "), `${day(period.from_date)} – ${day(period.to_date)}`),
    tiles(tile("Sponsored videos", whole(totals.videos), `${whole(totals.sponsorships)} sponsorships`), tile("Creators", whole(totals.youtubers)), tile("Views", short(totals.views))),
    page.sponsors.length
      ? el("div.scrolls", { tabindex: "0", role: "region", "aria-label": "Ranking" },
          el("table.ranked", {},
            el("caption.unseen", {}, `Ranking by ${words(page.metric)}; a press on a heading sorts. Bars show ${lead.column.label.toLowerCase()}.`),
            el("thead", {}, el("tr", {}, ...COLUMNS.map(header))),
            el("tbody", {}, ...sorted().map((one) => row(one, lead)))))
      : el("p.empty", {}, clean(page.note ?? "No sponsorship matches.")),
    leftOut(),
    page.coverage && covered(page.coverage.videos, `${whole(page.coverage.youtubers)} channels`, page.coverage),
    page.coverage?.left_out > 0 && el("p.under", {}, `Left out are ${whole(page.coverage.left_out)} sponsored videos of which a filtered field is not known.`),
    trouble && complaint(trouble),
    page.next_cursor && host.canCall && el("button.act", { type: "button", id: "more", disabled: busy, on: { click: more } },
      busy ? "Asking…" : "Show more", el("small", {}, " 1 request")));
  if (focus) view.querySelector(focus)?.focus();
}

begin("sponsor-top", {
  onInput(args) {
    asked = args;
  },
  onResult(result) {
    page = answerIn(result, READS["sponsor.top"]);
    sort = { key: "rank", rising: true };
    render();
  },
});
