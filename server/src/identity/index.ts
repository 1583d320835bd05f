export { openIdentityAdmin } from './admin.ts'
export { type Identity, openIdentity } from './identity.ts'
