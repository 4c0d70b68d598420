// Walks the flow with oauth4webapi, which checks every answer strictly; prints a summary as JSON.
import * as oauth from "oauth4webapi";
import { REDIRECT, callback } from "./oauth_provider.mjs";

const [mcpUrl] = process.argv.slice(2);
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
  }, insecure));
const auth = oauth.None();
const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const url = new URL(as.authorization_endpoint);
for (const [name, value] of Object.entries({
  response_type: "code", client_id: client.client_id, redirect_uri: REDIRECT, state,
  scope: "catalog:read", resource: metadata.resource, code_challenge_method: "S256",
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
})) url.searchParams.set(name, value);
console.log("OPEN " + url.href);

const parameters = oauth.validateAuthResponse(as, client, await callback(), state);
const redeem = () => oauth.authorizationCodeGrantRequest(as, client, auth, parameters, REDIRECT, verifier,
  { additionalParameters: { resource: metadata.resource }, ...insecure });
const tokens = await oauth.processAuthorizationCodeResponse(as, client, await redeem());
const checked = await oauth.validateJwtAccessToken(
  as, new Request(mcpUrl, { headers: { authorization: `Bearer ${tokens.access_token}` } }),
  metadata.resource, insecure);
const refreshed = await oauth.processRefreshTokenResponse(
  as, client, await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token, insecure));
const revoked = await oauth.revocationRequest(as, client, auth, refreshed.refresh_token, insecure);
await oauth.processRevocationResponse(revoked);
const after = await oauth.refreshTokenGrantRequest(as, client, auth, refreshed.refresh_token, insecure);
console.log(JSON.stringify({
  audience: checked.aud, scope: tokens.scope, rotated: refreshed.refresh_token !== tokens.refresh_token,
  afterRevocation: (await after.json()).error,
}));
