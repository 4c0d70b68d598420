// A table that its headings sort. A column has a `key`, a `label`, the value `of` a row, and the text that is `shown` for it or
// the content of its `cell`; a `rising` column begins with the smallest. Without a chosen column rows stay as they come.
function sortedTable({ label, caption, columns, rows, sort, leads, onSort }) {
  const chosen = columns.find((column) => column.key === sort.key);

  function compare(a, b) {
    const [first, second] = [chosen.of(a), chosen.of(b)];
    const order = typeof first === "string" ? first.localeCompare(second, locale()) : (first ?? -Infinity) - (second ?? -Infinity);
    return (sort.rising ? order : -order) || 0;
  }

  function header(column) {
    const own = column === chosen;
    const press = () => onSort({ key: column.key, rising: own ? !sort.rising : Boolean(column.rising) }, `#by-${column.key}`);
    return el("th", { scope: "col", class: column.key === "name" ? "wide" : "number", "aria-sort": own ? (sort.rising ? "ascending" : "descending") : "none" },
      el("button.sort", { type: "button", id: `by-${column.key}`, on: { click: press } },
        column.key === "rank" ? [el("span", { "aria-hidden": "true" }, "#"), el("span.unseen", {}, column.label)] : column.label,
        el("span.arrow", { "aria-hidden": "true" }, own ? (sort.rising ? "▲" : "▼") : "")));
  }

  const cell = (column, row) => {
    const content = column.cell ? column.cell(row) : [column.shown(column.of(row))];
    if (column.key === "name") return el("th.wide", { scope: "row" }, ...content);
    return el(`td.number${column.wraps ? ".wraps" : ""}${column === leads ? ".leads" : ""}`, {}, ...content);
  };

  const sorted = chosen ? [...rows].sort(compare) : rows;
  return el("div.scrolls", { tabindex: "0", role: "region", "aria-label": label },
    el("table.ranked", {},
      el("caption.unseen", {}, caption),
      el("thead", {}, el("tr", {}, ...columns.map(header))),
      el("tbody", {}, ...sorted.map((row) => el("tr", {}, ...columns.map((column) => cell(column, row)))))));
}

const largest = (rows, of) => Math.max(0, ...rows.map((row) => of(row) || 0)) || 1;

// A brand's name and category, and what more its cell has.
const brand = (sponsor, ...more) => [named(sponsor.name), sponsor.category && el("small", {}, named(categoryName(sponsor.category))), ...more];
