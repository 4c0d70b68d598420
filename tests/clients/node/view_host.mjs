// The host of a view, of the official AppBridge. Tests bundle it for the browser, give it a frame to
// put the view in, and answer the view's tool calls by `window.answerCall`.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const frame = document.querySelector("iframe");
const received = { initialized: 0, sizes: [], calls: [], app: null };
let bridge = null;

window.host = {
  received,

  async open(url, { context = {}, capabilities = { serverTools: {} } } = {}) {
    bridge = new AppBridge(null, { name: "test-host", version: "1.0.0" }, capabilities, {
      hostContext: context,
    });
    bridge.addEventListener("sizechange", (size) => {
      received.sizes.push(size);
      if (size.height) frame.style.height = `${size.height}px`;
    });
    bridge.oncalltool = async (params) => {
      received.calls.push(params);
      return window.answerCall(params);
    };
    const ready = new Promise((resolve) => {
      bridge.addEventListener("initialized", () => {
        received.initialized += 1;
        received.app = { info: bridge.getAppVersion(), capabilities: bridge.getAppCapabilities() };
        resolve();
      });
    });
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
    frame.src = url;
    await ready;
  },

  async give(input, result) {
    await bridge.sendToolInput({ arguments: input });
    await bridge.sendToolResult(result);
  },

  cancel: (reason) => bridge.sendToolCancelled({ reason }),
  tell: (context) => bridge.setHostContext(context),
  ping: () => bridge.request({ method: "ping" }),
  teardown: () => bridge.teardownResource({}),
};
