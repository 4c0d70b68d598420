// `channel.importStatus` (and `channel.import`): an import, followed through the host until it ends.
const READS = {
  "channel.importStatus": [
    "import_id", "channel_id", "channel_title", "state", "message", "source",
    "videos_seen", "videos_total", "sponsorships",
    "brands[].name", "brands[].videos",
    "created_at", "started_at", "finished_at", "retry_at"
  ]
};
const ENDED = ["done", "failed", "cancelled"];
const FIRST_MS = 2000;
const SLOWEST_MS = 15000;
const LONGEST_MS = 30 * 60 * 1000;
const MAX_FAILURES = 5;

let now = null;
let timer = 0;
let delay = FIRST_MS;
let failures = 0;
let problem = "";
let paused = false;
let until = 0;
let isPolling = false;

const status = el("p.unseen", { role: "status" });
document.body.append(status);
const hasEnded = () => ENDED.includes(now.state);
const follows = () => host.canCall && !hasEnded() && !paused;

function take(result) {
  const before = now;
  now = resultOf(result, READS["channel.importStatus"]);
  // What moves is asked for sooner than what stands.
  const moved = before && (before.videos_seen !== now.videos_seen || before.state !== now.state);
  delay = !before || moved ? FIRST_MS : Math.min(SLOWEST_MS, delay * 1.5);
  if (before?.state !== now.state) status.textContent = `${words(now.state)}. ${clean(now.message)}`;
}

function plan() {
  clearTimeout(timer);
  if (!follows() || document.hidden || isPolling) return;
  if (Date.now() > until) {
    paused = true;
    return render();
  }
  const rest = now.state === "waiting" && now.retry_at ? new Date(now.retry_at) - Date.now() : 0;
  timer = setTimeout(refresh, Math.max(delay, Math.min(rest || 0, 60000)));
}

async function refresh() {
  if (isPolling) return;
  isPolling = true;
  clearTimeout(timer);
  try {
    take(await host.call("channel.importStatus", { import_id: now.import_id }));
    [failures, problem] = [0, ""];
  } catch (error) {
    failures += 1;
    delay = Math.min(SLOWEST_MS, delay * 2);
    problem = error.message;
    if (failures >= MAX_FAILURES) paused = true;
  }
  isPolling = false;
  if (host.isOver) return;
  render();
  plan();
}

function pause() {
  paused = !paused;
  clearTimeout(timer);
  render();
  if (paused) return;
  [until, delay, failures] = [Date.now() + LONGEST_MS, FIRST_MS, 0];
  refresh();
}

function progress() {
  const { videos_seen: seen, videos_total: total } = now;
  const share = now.state === "done" ? 1 : total ? Math.min(1, seen / total) : null;
  const progressText = total ? `${whole(seen)} of ${whole(total)} videos read` : `${whole(seen)} videos read`;
  const moves = share === null && now.state === "running";
  return el("div.progress", {},
    el(`div.track.${ENDED.concat("waiting").includes(now.state) ? now.state : "running"}${moves ? ".moves" : ""}`, {
      role: "progressbar", "aria-label": "Videos read", "aria-valuemin": 0, "aria-valuemax": 100,
      "aria-valuenow": share === null ? null : Math.floor(share * 100), "aria-valuetext": progressText,
    }, el("span", { style: { width: `${(share ?? 0) * 100}%` } })),
    el("p.reading", {}, el("strong", {}, share === null ? "" : format(share, { style: "percent", maximumFractionDigits: 0 })), ` ${progressText}`));
}

function brands() {
  if (!now.brands.length) return part("Brands found", el("p.empty", {}, hasEnded() ? "None." : "None yet."));
  const peak = Math.max(...now.brands.map((brand) => brand.videos || 0)) || 1;
  const rows = now.brands.map((brand) =>
    el("li", {}, named(brand.name), el("span.amount", {}, `${whole(brand.videos)} ${brand.videos === 1 ? "video" : "videos"}`), bar(brand.videos / peak)));
  return part("Brands found", el("ul.brands", { "aria-label": "Brands found, most frequent first" }, ...rows));
}

function times() {
  const lines = [["Asked for", now.created_at], ["Begun", now.started_at], ["Goes on", now.retry_at], ["Ended", now.finished_at]];
  return el("dl.times", {}, ...lines.filter(([, at]) => at).map(([label, at]) => el("div", {}, el("dt", {}, label), el("dd", {}, moment(at)))));
}

function control() {
  if (!host.canCall || hasEnded()) return null;
  return el("button.act", { type: "button", id: "pause", on: { click: pause } }, paused ? "Follow again" : "Pause updates");
}

function render() {
  const focused = document.activeElement?.id;
  const known = ["queued", "running", "waiting", ...ENDED].includes(now.state);
  show(
    el("header.top", {},
      el("h1", {}, named(now.channel_title || now.channel_id), " ", el(`span.badge${known ? `.${now.state}` : ""}`, {}, words(now.state))),
      el("p.under", {}, clean(now.message))),
    progress(),
    tiles(
      tile("Videos read", whole(now.videos_seen)),
      tile("Sponsorships found", whole(now.sponsorships)),
      tile("Brands found", now.brands.length >= 20 ? "20+" : whole(now.brands.length))),
    problem && complaint(paused ? problem : `${problem} Trying again.`),
    brands(), times(),
    now.source === "youtube-feed" && el("p.under", {}, "Read from the channel's feed, which has its newest fifteen or so videos alone."),
    control());
  if (focused) document.getElementById(focused)?.focus();
}

document.addEventListener("visibilitychange", () => now && (document.hidden ? clearTimeout(timer) : plan()));

begin("import-status", {
  onResult(result) {
    now = null;
    take(result);
    until = Date.now() + LONGEST_MS;
    render();
    plan();
  },
  onTeardown() {
    clearTimeout(timer);
  },
});
