export { openIdentityAdmin } from './admin.ts'
export type { OauthToken } from './credentials/oauth-tokens.ts'
export { type BrowserCookie, createBrowserCookie } from './federation/browser-cookie.ts'
export { type Identity, openIdentity } from './identity.ts'
