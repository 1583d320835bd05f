export { openIdentityAdmin } from './admin.ts'
export { hasIngestToken } from './credentials/credential-repository.ts'
export {
	type BrowserCookie,
	createBrowserCookie,
	createProviderFetch,
} from './federation/federation-context.ts'
export { type Identity, type Member, openIdentity } from './identity.ts'
export type { AgentGroupsChange } from './identity-context.ts'
export { listOperators } from './instance/instance-repository.ts'
export { type Instance, openInstance } from './instance/instance-view.ts'
