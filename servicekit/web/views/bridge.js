// The view's side of MCP Apps 2026-01-26: JSON-RPC 2.0 with the host, by postMessage.
// Nothing of it knows what is shown. `host.start` begins; the rest are questions to the host.
const host = (() => {
  const PROTOCOL = "2026-01-26";
  const CALL_MS = 90000;
  const waiting = new Map();
  let nextId = 1;
  let handlers = {};
  let capabilities = {};
  let context = {};
  let over = false;
  let sent = "";
  let tallest = Infinity;
  let ready = false;
  let observer = null;

  const post = (message) => {
    if (!over) window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  };
  const notify = (method, params = {}) => post({ method, params });

  function request(method, params) {
    const id = nextId++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id);
        notify("notifications/cancelled", { requestId: id, reason: "timeout" });
        reject(new Error("The host did not answer in time."));
      }, CALL_MS);
      waiting.set(id, { resolve, reject, timer });
      post({ id, method, params });
    });
  }

  function onMessage(event) {
    const message = event.data;
    // Only the frame's parent is the host; whoever else posts is not heard.
    if (over || event.source !== window.parent || message?.jsonrpc !== "2.0") return;
    if (typeof message.method !== "string") settle(message);
    else if (message.id === undefined) handleNotification(message.method, message.params ?? {});
    else handleRequest(message.id, message.method);
  }

  function settle({ id, result, error }) {
    const pending = waiting.get(id);
    if (!pending) return;
    waiting.delete(id);
    clearTimeout(pending.timer);
    if (!error) return pending.resolve(result ?? {});
    const refusal = new Error(String(error.message ?? "The host refused."));
    refusal.code = error.code;
    pending.reject(refusal);
  }

  function handleNotification(method, params) {
    if (method === "ui/notifications/tool-input") handlers.onInput?.(params.arguments ?? {});
    else if (method === "ui/notifications/tool-result") handlers.onResult?.(params);
    else if (method === "ui/notifications/tool-cancelled") handlers.onCancelled?.(params.reason);
    else if (method === "ui/notifications/host-context-changed") take(params);
  }

  function handleRequest(id, method) {
    if (method === "ping") return post({ id, result: {} });
    if (method !== "ui/resource-teardown") {
      return post({ id, error: { code: -32601, message: "Unknown method." } });
    }
    handlers.onTeardown?.();
    post({ id, result: {} });
    end();
  }

  function end() {
    over = true;
    observer?.disconnect();
    window.removeEventListener("message", onMessage);
    for (const pending of waiting.values()) {
      clearTimeout(pending.timer);
      pending.reject(new Error("The view was closed."));
    }
    waiting.clear();
  }

  // What the host tells of itself comes whole at first and in parts later.
  function take(part) {
    context = { ...context, ...part };
    const root = document.documentElement;
    if (context.theme === "light" || context.theme === "dark") {
      root.dataset.theme = context.theme;
      root.style.colorScheme = context.theme;
    }
    // Half of a colour scheme would clash with ours, so it is taken whole or not at all.
    const variables = part.styles?.variables ?? {};
    const whole = variables["--color-background-primary"] && variables["--color-text-primary"];
    for (const [name, value] of Object.entries(variables)) {
      const known = /^--(color|font|border|shadow)-[a-z0-9-]+$/.test(name);
      const fits = whole || !/^--(color|shadow)-/.test(name);
      if (known && fits && typeof value === "string" && !/url\s*\(/i.test(value)) {
        root.style.setProperty(name, value);
      }
    }
    for (const side of ["top", "right", "bottom", "left"]) {
      const inset = Number(context.safeAreaInsets?.[side]) || 0;
      root.style.setProperty(`--inset-${side}`, `${inset}px`);
    }
    const size = context.containerDimensions ?? {};
    root.classList.toggle("fills", isFinite(size.height ?? NaN));
    tallest = size.maxHeight > 0 ? size.maxHeight : Infinity;
    handlers.onContext?.(context);
    measure();
  }

  function measure() {
    if (!ready || window.innerWidth < 20) return;
    const body = document.body.getBoundingClientRect();
    const width = Math.ceil(window.innerWidth);
    const height = Math.min(tallest, Math.ceil(body.height));
    const now = `${width} ${height}`;
    if (now === sent || height === 0) return;
    sent = now;
    notify("ui/notifications/size-changed", { width, height });
  }

  // Hosts show our tools under their dotted or their underscore name; the server takes both.
  const otherName = (name) => name.replace(".", "_");

  async function call(name, args) {
    const own = String(context.toolInfo?.tool?.name ?? "");
    const plain = own !== "" && !own.includes(".") && own.includes("_");
    const params = { name: plain ? otherName(name) : name, arguments: args };
    try {
      return await request("tools/call", params);
    } catch (error) {
      const unknown = error.code === -32601 || error.code === -32602;
      if (own !== "" || !unknown) throw error;
      return request("tools/call", { name: otherName(name), arguments: args });
    }
  }

  async function start(name, callbacks) {
    handlers = callbacks;
    window.addEventListener("message", onMessage);
    const response = await request("ui/initialize", {
      appInfo: { name: `sponsorgraph-${name}`, version: "1.0.0" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
      protocolVersion: PROTOCOL,
    });
    capabilities = response.hostCapabilities ?? {};
    take(response.hostContext ?? {});
    notify("ui/notifications/initialized");
    observer = new ResizeObserver(() => requestAnimationFrame(measure));
    observer.observe(document.body);
    observer.observe(document.documentElement);
    ready = true;
    measure();
  }

  return {
    start,
    call,
    view: document.getElementById("view"),
    get canCall() {
      return !over && capabilities.serverTools !== undefined;
    },
    get isOver() {
      return over;
    },
    get locale() {
      return context.locale;
    },
    get timeZone() {
      return context.timeZone;
    },
  };
})();
