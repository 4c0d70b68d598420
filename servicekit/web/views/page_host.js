// A page of the site as a view's host: the result stands in the page, and the view draws into a shadow tree, where its
// style sheet and the page's do not meet. The element of this script names target, result and style sheet.
const host = (() => {
  const { target, result: source, style } = document.currentScript.dataset;
  const holder = document.getElementById(target);
  const root = holder.shadowRoot ?? holder.attachShadow({ mode: "open" });
  const view = document.createElement("div");
  view.id = "view";

  // The picture has what the style sheet says of its parts, as it leaves the page without it.
  const PROPERTIES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "font-size", "font-family", "color"];

  function picture(stage) {
    const drawn = stage.querySelector("svg");
    const copy = drawn.cloneNode(true);
    const [parts, copies] = [drawn, copy].map((svg) => [svg, ...svg.querySelectorAll("*")]);
    parts.forEach((part, index) => {
      const computed = getComputedStyle(part);
      for (const property of PROPERTIES) copies[index].setAttribute(property, computed.getPropertyValue(property));
    });
    const back = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill: getComputedStyle(view).backgroundColor })) back.setAttribute(name, value);
    copy.prepend(back);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    return { text: new XMLSerializer().serializeToString(copy), width: drawn.clientWidth, height: drawn.clientHeight };
  }

  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  const saveSvg = (stage, name) => save(new Blob([picture(stage).text], { type: "image/svg+xml" }), `${name}.svg`);

  async function savePng(stage, name) {
    const { text, width, height } = picture(stage);
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: width * 2, height: height * 2 });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, `${name}.png`), "image/png");
  }

  function saving(stage, label) {
    const name = label.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "") || "chart";
    const group = document.createElement("p");
    group.className = "saving";
    for (const [kind, act] of [["PNG", savePng], ["SVG", saveSvg]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "small";
      button.textContent = `Save as ${kind}`;
      button.addEventListener("click", () => act(stage, name));
      group.append(button, " ");
    }
    return group;
  }

  async function start(_name, { onInput, onResult }) {
    const sheet = document.createElement("link");
    sheet.rel = "stylesheet";
    sheet.href = style;
    const loaded = new Promise((resolve) => { sheet.onload = sheet.onerror = resolve; });
    root.replaceChildren(sheet, view);
    await loaded;
    const { input, result } = JSON.parse(document.getElementById(source).textContent);
    onInput?.(input);
    onResult({ structuredContent: result });
  }

  return { start, view, saving, canCall: false, isOver: false, locale: undefined, timeZone: undefined };
})();
