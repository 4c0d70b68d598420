// `youtuber.stats`: a creator's sponsored videos among all, over time.
const READS = {
  "youtuber.stats": [
    "youtuber.name", "youtuber.handle", "youtuber.subscribers", "youtuber.country",
    "period.from_date", "period.to_date",
    "videos", "sponsored_videos", "sponsored_share", "sponsors",
    "views.sponsored_median", "views.other_median", "views.ratio",
    "views.sponsored_videos", "views.other_videos", "views.years", "views.reason",
    "by_category[].name", "by_category[].videos", "by_category[].share",
    "granularity", "note", "series[].start", "series[].videos", "series[].sponsored_videos",
    "coverage.videos_scanned", "coverage.first_video", "coverage.last_video"
  ]
};

function medians({ sponsored_median: own, other_median: other, reason, ...behind }) {
  if (!isNumber(own) || !isNumber(other)) {
    return reason && el("section.shares", {}, el("h3", {}, "Median views of a video"), el("p.under", {}, clean(reason)));
  }
  const most = Math.max(own, other) || 1;
  const row = (label, value, kind) => el("li", {}, el("span.name", {}, label), el("span.amount", {}, short(value)), bar(value / most, kind));
  return el("section.shares", {}, el("h3", {}, "Median views of a video"),
    el("ul", {}, row("Sponsored", own, ""), row("Others", other, ".quiet")),
    el("p.under", {}, `${whole(behind.sponsored_videos)} sponsored and ${whole(behind.other_videos)} other videos, each year by itself: ${behind.years.join(", ")}.`));
}

function compared(ratio) {
  if (!isNumber(ratio)) return ["–", "too few videos to compare"];
  const change = format(ratio - 1, { style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero" });
  return [change, "median, against the others of the same years"];
}

function render(stats) {
  const { youtuber, period, series } = stats;
  const starts = series.map((point) => point.start);
  const { granularity } = stats;
  const step = steps(granularity);
  const people = isNumber(youtuber.subscribers) && `${short(youtuber.subscribers)} subscribers`;
  const rows = series.map((point) => [step(point.start), whole(point.videos), whole(point.sponsored_videos),
    point.videos ? percent(point.sponsored_videos / point.videos) : "–"]);
  show(
    heading(named(youtuber.name), [youtuber.handle, people, youtuber.country].filter(Boolean).map(clean).join(" · "),
      `${day(period.from_date)} – ${day(period.to_date)}`),
    tiles(
      tile("Sponsored videos", whole(stats.sponsored_videos), `of ${whole(stats.videos)}`),
      tile("Sponsored share", percent(stats.sponsored_share)),
      tile("Brands", whole(stats.sponsors)),
      tile("Views of sponsored videos", ...compared(stats.views.ratio))),
    part("Over time",
      chart({
        label: `Videos of ${clean(youtuber.name)}`, starts, granularity, unit: whole,
        series: [
          { name: "All videos", kind: "block", tone: 9, values: series.map((point) => point.videos) },
          { name: "Sponsored", kind: "part", tone: 0, values: series.map((point) => point.sponsored_videos) },
        ],
      }),
      folded("As a table", table("Videos over time", ["From", "Videos", "Sponsored", "Share"], rows))),
    el("div.columns", {}, shares("By category of brand", stats.by_category), medians(stats.views)),
    stats.note && el("p.under", {}, clean(stats.note)), covered(stats.coverage.videos_scanned, "the channel", stats.coverage));
}

begin("youtuber-stats", {
  onResult(result) {
    render(answerIn(result, READS["youtuber.stats"]));
  },
});
