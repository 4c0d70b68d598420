// Small comforts on top of pages that work without them.
(() => {
  "use strict";

  const SENT_FOR = 8000;
  const UNITS = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]];
  const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

  document.documentElement.classList.add("js");

  function announce(text) {
    const region = document.getElementById("announce");
    if (region) region.textContent = text;
  }

  // Copy buttons

  function select(element) {
    const range = document.createRange();
    range.selectNodeContents(element);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  }

  async function write(source) {
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
      return true;
    } catch {
      // Without HTTPS there is no clipboard: select the text, and try the old way.
      select(source);
      return document.execCommand("copy");
    }
  }

  async function copy(button) {
    const source = document.querySelector(button.dataset.copy);
    if (!source) return;
    const text = (await write(source)) ? "Copied" : "Selected";
    const label = button.firstChild;
    label.textContent = text;
    announce(text);
    setTimeout(() => { label.textContent = "Copy"; announce(""); }, 2000);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) copy(button);
  });

  // Forms: ask before what cannot be undone, and send once

  function release(form) {
    delete form.dataset.sent;
    form.querySelectorAll("button").forEach((button) => button.removeAttribute("aria-disabled"));
  }

  function hold(form) {
    form.dataset.sent = "1";
    form.querySelectorAll("button").forEach((button) => button.setAttribute("aria-disabled", "true"));
    setTimeout(release, SENT_FOR, form);
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post") return;
    const refused = form.dataset.sent || (form.dataset.confirm && !confirm(form.dataset.confirm));
    if (refused) event.preventDefault();
    else hold(form);
  });

  // Files: their text goes into a field, where it can be read before it is sent

  document.querySelectorAll("[data-file-into]").forEach((input) => {
    input.closest("[hidden]").hidden = false;
    input.addEventListener("change", async () => {
      const field = document.getElementById(input.dataset.fileInto);
      if (input.files.length) field.value = await input.files[0].text();
    });
  });

  // A page whose one button nobody has to think about: it is not pressed while the page is only prepared.
  if (!document.prerendering) {
    document.querySelectorAll("form[data-submit]").forEach((form) => form.requestSubmit());
  }

  addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach(release));

  // Times: the page shows UTC, the title the reader's own time

  function distance(date) {
    const seconds = (date - Date.now()) / 1000;
    const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
    return relative.format(Math.round(seconds / size), unit);
  }

  function titleTime(element) {
    const date = new Date(element.dateTime);
    if (Number.isNaN(date.getTime())) return;
    const hasTime = element.dateTime.includes("T");
    element.title = hasTime ? `${local.format(date)}, ${distance(date)}` : distance(date);
  }

  function titleTimes(root) {
    root.querySelectorAll("time[datetime]").forEach(titleTime);
  }

  titleTimes(document);
  document.addEventListener("htmx:load", (event) => titleTimes(event.target));

  // Tabs, made of sections that stand one below the other without this script

  function makeTab(panel) {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = `${panel.id}-tab`;
    tab.textContent = panel.dataset.tab;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    panel.tabIndex = 0;
    panel.querySelector("h3").classList.add("unseen");
    return tab;
  }

  function show(tabs, panels, index) {
    tabs.forEach((tab, at) => {
      tab.setAttribute("aria-selected", String(at === index));
      tab.tabIndex = at === index ? 0 : -1;
      panels[at].hidden = at !== index;
    });
  }

  function neighbour(key, index, count) {
    const moves = { ArrowRight: index + 1, ArrowLeft: index - 1 + count, Home: 0, End: count - 1 };
    return key in moves ? moves[key] % count : null;
  }

  function makeTabs(container) {
    const panels = [...container.querySelectorAll("[data-tab]")];
    const tabs = panels.map(makeTab);
    const list = document.createElement("div");
    list.className = "tablist";
    list.setAttribute("role", "tablist");
    list.setAttribute("aria-label", container.dataset.tabs);
    list.append(...tabs);
    container.prepend(list);
    list.addEventListener("click", (event) => {
      const index = tabs.indexOf(event.target);
      if (index >= 0) show(tabs, panels, index);
    });
    list.addEventListener("keydown", (event) => {
      const index = neighbour(event.key, tabs.indexOf(event.target), tabs.length);
      if (index === null) return;
      event.preventDefault();
      show(tabs, panels, index);
      tabs[index].focus();
    });
    const byHash = panels.findIndex((panel) => `#${panel.id}` === location.hash);
    show(tabs, panels, Math.max(0, byHash));
  }

  document.querySelectorAll("[data-tabs]").forEach(makeTabs);
})();

// A choice hides the fields that do not go with it. Without JavaScript the form says so when it is sent.
(() => {
  "use strict";

  function narrow(select) {
    const fields = document.getElementById(select.dataset.narrows).querySelectorAll("[data-fits]");

    function update() {
      for (const field of fields) {
        field.hidden = !field.dataset.fits.split(" ").includes(select.value);
        field.querySelector("input, select").disabled = field.hidden;
      }
    }

    select.addEventListener("change", update);
    update();
  }

  document.querySelectorAll("[data-narrows]").forEach(narrow);
})();
