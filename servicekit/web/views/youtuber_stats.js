// `youtuber.stats`: a creator's sponsored videos among all, over time.
const READS = {
  "youtuber.stats": [
    "youtuber.name", "youtuber.handle", "youtuber.subscribers", "youtuber.country",
    "period.from_date", "period.to_date",
    "videos", "sponsored_videos", "sponsored_share", "sponsors",
    "views.sponsored_median", "views.other_median", "views.ratio",
    "views.sponsored_videos", "views.other_videos", "views.years", "views.reason",
    "sponsorships", "kinds", "by_kind[].name", "by_kind[].videos", "by_kind[].share",
    "by_category[].name", "by_category[].videos", "by_category[].share",
    "granularity", "note", "series[].start", "series[].videos", "series[].sponsored_videos",
    "coverage.videos_scanned", "coverage.first_video", "coverage.last_video", "coverage.last_import", "coverage.source"
  ]
};

function medians({ sponsored_median: own, other_median: other, reason, ...behind }) {
  if (!isNumber(own) || !isNumber(other)) {
    return reason && el("section.shares", {}, el("h3", {}, "Median views of a video"), el("p.under", {}, clean(reason)));
  }
  const peak = Math.max(own, other) || 1;
  const row = (label, value, kind) => el("li", {}, el("span.name", {}, label), el("span.amount", {}, short(value)), bar(value / peak, kind));
  return el("section.shares", {}, el("h3", {}, "Median views of a video"),
    el("ul", {}, row("Sponsored", own, ""), row("Others", other, ".quiet")),
    el("p.under", {}, `${whole(behind.sponsored_videos)} sponsored and ${whole(behind.other_videos)} other videos, each year by itself: ${behind.years.join(", ")}.`));
}

function compared(ratio) {
  if (!isNumber(ratio)) return ["–", "too few videos to compare"];
  return [signed(ratio - 1), "median, against the others of the same years"];
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
      dates(period), kindNames(stats.kinds)),
    tiles(
      tile("Sponsored videos", whole(stats.sponsored_videos), counted(stats.sponsorships, "sponsorship")),
      tile("Part of all videos", stats.videos ? percent(stats.sponsored_share) : "–", `of ${counted(stats.videos, "video")}`),
      tile("Brands", whole(stats.sponsors)),
      tile("Views of sponsored videos", ...compared(stats.views.ratio))),
    starts.length ? part("Over time",
      chart({
        label: `Videos of ${clean(youtuber.name)}`, starts, granularity, unit: whole,
        series: [
          { name: "All videos", kind: "block", tone: 9, values: series.map((point) => point.videos) },
          { name: "Sponsored", kind: "part", tone: 0, values: series.map((point) => point.sponsored_videos) },
        ],
      }),
      folded("As a table", table("Videos over time", ["From", "Videos", "Sponsored", "Sponsored part"], rows))) : remark(stats.note ?? "The channel has no videos in this period."),
    starts.length > 0 && el("div.columns", {}, shares("By kind", stats.by_kind), shares("By category of brand", stats.by_category), medians(stats.views)),
    stats.sponsorships > 0 && ofSponsorships(stats.sponsorships),
    starts.length > 0 && remark(stats.note), coveredChannel(stats.coverage));
}

begin("youtuber-stats", {
  onResult(result) {
    render(resultOf(result, READS["youtuber.stats"]));
  },
});
