// Elements, words and numbers. Text of others goes in as text nodes, never as markup.
const view = host.view;
const SVG = "http://www.w3.org/2000/svg";

// Direction marks and control characters could make a name pose as other words of the page.
const clean = (text) =>
  String(text ?? "").replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");

function el(tag, facts = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  return filled(document.createElement(name), classes, facts, children);
}

function svg(tag, facts = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  return filled(document.createElementNS(SVG, name), classes, facts, children);
}

function filled(node, classes, facts, children) {
  if (classes.length) node.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(facts)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (key === "style") for (const [rule, set] of Object.entries(value)) node.style.setProperty(rule, set);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

// A third party's name, kept to itself in direction.
const named = (text) => el("bdi.name", {}, clean(text) || "(no name)");

function show(...children) {
  view.replaceChildren(...children.filter(Boolean));
  view.setAttribute("aria-busy", "false");
}

const complaint = (text) => el("p.complaint", { role: "alert" }, clean(text));

function locale() {
  try {
    return host.locale ? [new Intl.Locale(host.locale).toString(), "en"] : "en";
  } catch {
    return "en";
  }
}

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const format = (value, options) => (isNumber(value) ? new Intl.NumberFormat(locale(), options).format(value) : "–");
const whole = (value) => format(value, { maximumFractionDigits: 0 });
const short = (value) => format(value, { notation: "compact", maximumFractionDigits: 1 });
const percent = (value) => format(value, { style: "percent", maximumFractionDigits: value < 0.1 ? 1 : 0 });
const signed = (value) => format(value, { style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero" });
const counted = (count, noun) => `${whole(count)} ${count === 1 ? noun : `${noun}s`}`;
const words = (id) => (id === "youtube-api" ? "YouTube API" : clean(id).replaceAll(/[_-]+/g, " "));
// Categories whose names are not the words of their ids with a capital.
const CATEGORIES = {
  ai: "AI tools",
  "audio-books": "Audio & books",
  "autos-vehicles": "Autos & Vehicles",
  beauty: "Beauty & grooming",
  betting: "Betting & lotteries",
  events: "Events & tickets",
  fashion: "Fashion & accessories",
  "film-animation": "Film & Animation",
  finance: "Finance & investing",
  food: "Food & drink",
  growth: "Learning & work",
  health: "Health & fitness",
  home: "Home & garden",
  hosting: "Websites & hosting",
  "howto-style": "Howto & Style",
  instruments: "Musical instruments",
  "news-politics": "News & Politics",
  "nonprofits-activism": "Nonprofits & Activism",
  "people-blogs": "People & Blogs",
  "pets-animals": "Pets & Animals",
  retail: "Shops & marketplaces",
  "science-technology": "Science & Technology",
  security: "VPN & security",
  "short-movies": "Short Movies",
  software: "Software & apps",
  "sports-outdoors": "Sports & outdoors",
  streaming: "Streaming, film & TV",
  tech: "Technology",
  telecom: "Mobile & internet",
  toys: "Toys & hobbies",
  "travel-events": "Travel & Events",
};
const categoryName = (id) => (Object.hasOwn(CATEGORIES, id) ? CATEGORIES[id] : titled(words(id)));
const titled = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const dates = ({ from_date: from, to_date: to }) => `${day(from)} – ${day(to)}`;
const kindNames = (kinds) => `Kinds counted: ${kinds.map(words).join(", ")}`;

// Days come without a time of day and are shown as they are, in no zone.
function day(text, options = { dateStyle: "medium" }) {
  const at = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(at.getTime()) ? "–" : new Intl.DateTimeFormat(locale(), { ...options, timeZone: "UTC" }).format(at);
}

function moment(text) {
  const at = new Date(text ?? "");
  if (Number.isNaN(at.getTime())) return "–";
  const options = { dateStyle: "medium", timeStyle: "short" };
  try {
    return new Intl.DateTimeFormat(locale(), { ...options, timeZone: host.timeZone }).format(at);
  } catch {
    return new Intl.DateTimeFormat(locale(), options).format(at);
  }
}

// The name of a step that begins on a day: a month, a quarter or a year.
function steps(granularity) {
  return (start, brief = false) => {
    const year = clean(start).slice(0, 4);
    if (granularity === "year") return year;
    if (granularity === "quarter") return `Q${Math.ceil(Number(clean(start).slice(5, 7)) / 3)} ${brief ? `’${year.slice(2)}` : year}`;
    return day(start, brief ? { month: "short" } : { month: "long", year: "numeric" });
  };
}

// Only the fields that a view names reach it, so what it names is what it reads.
function pick(source, paths) {
  const taken = {};
  for (const path of paths) copy(source, taken, path.split("."));
  return taken;
}

function copy(source, target, [first, ...rest]) {
  const many = first.endsWith("[]");
  const key = many ? first.slice(0, -2) : first;
  const value = source?.[key];
  if (value === null || value === undefined) {
    target[key] ??= many ? [] : null;
  } else if (many) {
    target[key] ??= value.map(() => ({}));
    value.forEach((item, index) => copy(item, target[key][index], rest));
  } else if (rest.length) {
    target[key] ??= {};
    copy(value, target[key], rest);
  } else {
    target[key] = value;
  }
}

// The content of a tool's result; some hosts pass on its text alone.
function resultOf(result, paths) {
  let content = result?.structuredContent;
  const text = result?.content?.find((block) => block.type === "text")?.text;
  if (!content && text) {
    try {
      content = JSON.parse(text);
    } catch {
      content = { error: { message: text } };
    }
  }
  if (result?.isError || content?.error || !content) {
    throw new Error(content?.error?.message ?? text ?? "There was no answer.");
  }
  if (content.fields_left_out) throw new Error("The call chose some fields of this answer. Without `fields` and `detail` it is shown.");
  return pick(content, paths);
}

const heading = (title, ...lines) =>
  el("header.top", {}, el("h1", {}, title), ...lines.filter(Boolean).map((line) => el("p.under", {}, line)));

const tile = (label, value, note, tone) =>
  el("div.tile", {}, el("dt", {}, label), el("dd", {}, el("span.figure", {}, value), note && el(`span.note${tone ? `.${tone}` : ""}`, {}, note)));

const tiles = (...some) => el("dl.tiles", {}, ...some);

const part = (title, ...children) => el("section.section", {}, el("h2", {}, title), ...children);

const bar = (share, kind = "") =>
  el(`span.bar${kind}`, { "aria-hidden": "true" }, share > 0 && el("span", { style: { width: `${Math.min(1, share) * 100}%` } }));

// A sentence of the answer; its quotes of arguments are for models.
const remark = (text) => text && el("p.under", {}, clean(text).replaceAll("`", ""));

// Parts of all sponsorships as a list with bars; the figures stand beside them.
function shares(title, entries) {
  if (!entries.length) return null;
  const largest = Math.max(...entries.map((entry) => entry.share || 0)) || 1;
  const rows = entries.slice(0, 6).map((entry) =>
    el("li", {}, named(titled(words(entry.name))), el("span.amount", {}, `${counted(entry.videos, "video")} · ${percent(entry.share)}`), bar(entry.share / largest)));
  const more = entries.length - rows.length;
  return el("section.shares", {}, el("h3", {}, title), el("ul", {}, ...rows), more > 0 && el("p.under", {}, `and ${whole(more)} more`));
}

// A table of numbers; the first column heads its rows.
function table(caption, columns, rows) {
  const head = el("tr", {}, ...columns.map((column, index) => el("th", { scope: "col", class: index ? "number" : null }, column)));
  const body = rows.map(([first, ...cells]) =>
    el("tr", {}, el("th", { scope: "row" }, first), ...cells.map((cell) => el("td.number", {}, cell))));
  return el("div.scrolls", { tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption.unseen", {}, caption), el("thead", {}, head), el("tbody", {}, ...body)));
}

const ofSponsorships = (count) =>
  el("p.under", {}, `Percentages are of ${counted(count, "sponsorship")}: a sponsored video has one for each of its brands.`);

// What the figures speak of, and what is left out of them.
function covered(subject, { first_video: first, last_video: last }, ...more) {
  const days = first && last ? `, published ${day(first)} – ${day(last)}` : "";
  const lines = [`These figures speak of the ${subject} that were looked at${days}.`, ...more];
  return el("div.covered", {}, ...lines.filter(Boolean).map((line) => el("p.under", {}, line)));
}

function coveredCatalogue(coverage) {
  const { left_out: out } = coverage;
  return covered(`${counted(coverage.videos, "video")} (${whole(coverage.sponsored_videos)} sponsored) of ${counted(coverage.youtubers, "channel")}`, coverage,
    out > 0 && `${counted(out, "sponsored video")} may match too: fields that are filtered by are unknown.`);
}

function coveredChannel(coverage) {
  const read = coverage.last_import ? `, read ${moment(coverage.last_import)}` : "";
  return covered(`${counted(coverage.videos_scanned, "video")} of the channel`, coverage, coverage.source && `Source: ${words(coverage.source)}${read}.`);
}

const folded = (summary, ...children) => el("details", {}, el("summary", {}, summary), ...children);

// Shows a tool's results until the view is closed, and what goes wrong in their place.
function begin(name, { onInput, onResult, onTeardown }) {
  const late = setTimeout(() => view.querySelector(".waiting")?.append(" It takes longer than usual."), 15000);
  host
    .start(name, {
      onInput,
      onTeardown,
      onResult(result) {
        clearTimeout(late);
        try {
          onResult(result);
        } catch (error) {
          show(complaint(error.message));
        }
      },
      onCancelled: (reason) => show(complaint(`The call was cancelled${reason ? `: ${reason}` : "."}`)),
    })
    .catch(() => show(complaint("This page shows an answer inside a client with MCP Apps; none is here.")));
}
