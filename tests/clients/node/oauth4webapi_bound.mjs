// Pushes the request (PAR) and binds everything to a key (DPoP) with oauth4webapi, which checks every
// answer strictly; prints a summary as JSON.
import * as oauth from "oauth4webapi";
import { REDIRECT, callback } from "./oauth_provider.mjs";

const [mcpUrl, algorithm] = process.argv.slice(2);
const insecure = { [oauth.allowInsecureRequests]: true };
const resource = new URL(mcpUrl);
const metadata = await oauth.processResourceDiscoveryResponse(
  resource, await oauth.resourceDiscoveryRequest(resource, insecure));
const issuer = new URL(metadata.authorization_servers[0]);
const as = await oauth.processDiscoveryResponse(
  issuer, await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }));
const client = await oauth.processDynamicClientRegistrationResponse(
  await oauth.dynamicClientRegistrationRequest(as, {
    client_name: "oauth4webapi " + Math.random(), redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"], token_endpoint_auth_method: "none",
    dpop_bound_access_tokens: true, require_pushed_authorization_requests: true,
  }, insecure));
const auth = oauth.None();
const keys = await oauth.generateKeyPair(algorithm);
const DPoP = oauth.DPoP(client, keys);
const bound = { DPoP, ...insecure };
const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const pushed = await oauth.processPushedAuthorizationResponse(as, client,
  await oauth.pushedAuthorizationRequest(as, client, auth, new URLSearchParams({
    response_type: "code", redirect_uri: REDIRECT, state, scope: "catalog:read",
    resource: metadata.resource, code_challenge_method: "S256",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  }), bound));
const url = new URL(as.authorization_endpoint);
url.searchParams.set("client_id", client.client_id);
url.searchParams.set("request_uri", pushed.request_uri);
console.log("OPEN " + url.href);

const parameters = oauth.validateAuthResponse(as, client, await callback(), state);
const other = { DPoP: oauth.DPoP(client, await oauth.generateKeyPair("ES256")), ...insecure };
const additional = { additionalParameters: { resource: metadata.resource } };
const tokens = await oauth.processAuthorizationCodeResponse(as, client,
  await oauth.authorizationCodeGrantRequest(
    as, client, auth, parameters, REDIRECT, verifier, { ...additional, ...bound }));
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const headers = () => new Headers({ "content-type": "application/json" });
const list = (token, options) => oauth.protectedResourceRequest(
  token, "POST", resource, headers(), body, options);
const challenge = async (response) => {
  try {
    await response;
    return null;
  } catch (error) {
    const [first] = error.cause;
    return [error.response.status, first.scheme, first.parameters.error, first.parameters.algs];
  }
};
const listed = await (await list(tokens.access_token, bound)).json();
await oauth.validateJwtAccessToken(as, await (async () => {
  // The library's own view of a resource server checks token and proof together.
  let seen;
  await oauth.protectedResourceRequest(tokens.access_token, "POST", resource, headers(), body, {
    ...bound, [oauth.customFetch]: async (to, init) => (seen = new Request(to, init), fetch(to, init)),
  });
  return seen;
})(), metadata.resource, { ...insecure, requireDPoP: true });
const refresh = (token, options) => oauth.refreshTokenGrantRequest(as, client, auth, token, options);
const stolen = await (await refresh(tokens.refresh_token, other)).json();
const refreshed = await oauth.processRefreshTokenResponse(
  as, client, await refresh(tokens.refresh_token, bound));
console.log(JSON.stringify({
  algorithms: [metadata.dpop_signing_alg_values_supported, as.dpop_signing_alg_values_supported],
  expires: pushed.expires_in, type: tokens.token_type, tools: listed.result.tools.length > 0,
  asBearer: await challenge(list(tokens.access_token, insecure)),
  withAnotherKey: await challenge(list(tokens.access_token, other)),
  nobody: (await fetch(resource, { method: "POST", headers: headers(), body })).status,
  stolen: stolen.error, rotated: refreshed.refresh_token !== tokens.refresh_token,
  refreshedWorks: (await list(refreshed.access_token, bound)).status,
}));
