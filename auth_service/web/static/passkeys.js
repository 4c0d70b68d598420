// Passkeys: makes one on the account's page, and logs in by one. Without this script there is the password.
(() => {
  "use strict";

  if (!window.PublicKeyCredential) return;

  function bytes(text) {
    const base64 = text.replaceAll("-", "+").replaceAll("_", "/");
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  }

  function text(buffer) {
    const letters = String.fromCharCode(...new Uint8Array(buffer));
    return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }

  function encoded(credential) {
    const response = {};
    for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
      if (credential.response[name]) response[name] = text(credential.response[name]);
    }
    return JSON.stringify({ id: credential.id, rawId: text(credential.rawId), type: credential.type, response });
  }

  function send(form, credential) {
    form.elements.credential.value = encoded(credential);
    form.submit();
  }

  function fail(form, message) {
    const output = form.querySelector("[data-passkey-error]");
    output.textContent = message;
    output.hidden = false;
  }

  const creation = document.querySelector("form[data-passkey-create]");
  if (creation) {
    const options = JSON.parse(creation.dataset.passkeyCreate);
    options.challenge = bytes(options.challenge);
    options.user.id = bytes(options.user.id);
    for (const known of options.excludeCredentials) known.id = bytes(known.id);
    creation.addEventListener("submit", async (event) => {
      event.preventDefault();
      event.stopPropagation();
      try {
        send(creation, await navigator.credentials.create({ publicKey: options }));
      } catch (error) {
        fail(creation, error.name === "InvalidStateError"
          ? "This device has a passkey of your account already."
          : "No passkey was created. Try again, or choose another device.");
      }
    });
  }

  const login = document.querySelector("form[data-passkey-login]");
  if (login) {
    const options = JSON.parse(login.dataset.passkeyLogin);
    options.challenge = bytes(options.challenge);
    let offer = new AbortController();

    async function offerInField() {
      if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
      const { signal } = offer;
      try {
        send(login, await navigator.credentials.get({ mediation: "conditional", publicKey: options, signal }));
      } catch { /* The person logs in otherwise. */ }
    }

    login.hidden = false;
    login.addEventListener("submit", async (event) => {
      event.preventDefault();
      event.stopPropagation();
      offer.abort();
      offer = new AbortController();
      try {
        send(login, await navigator.credentials.get({ publicKey: options }));
      } catch {
        fail(login, "No passkey was used. Try again, or log in with your password.");
        offerInField();
      }
    });
    offerInField();
  }
})();
