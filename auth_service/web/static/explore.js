// Suggestions while a name is typed. The form works without them.
(() => {
  "use strict";

  const WAIT = 200;

  function listen(field) {
    const list = document.getElementById(field.getAttribute("list"));
    let timer = 0;
    let requested = "";

    async function suggest() {
      const typed = field.value.trim();
      if (typed.length < 2 || typed === requested) return;
      requested = typed;
      try {
        const response = await fetch(`${field.dataset.suggestions}?q=${encodeURIComponent(typed)}`);
        if (!response.ok || typed !== requested) return;
        const found = await response.json();
        list.replaceChildren(...found.map(({ name, label }) => Object.assign(document.createElement("option"), { value: name, label })));
      } catch {
        list.replaceChildren();
      }
    }

    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(suggest, WAIT);
    });
  }

  document.querySelectorAll("[data-suggestions]").forEach(listen);
})();
