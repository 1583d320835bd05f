export { type IdentityAdmin, openIdentityAdmin } from './admin.ts'
export type { CreatedCredential, NewCredential } from './credentials/create-credential.ts'
export { type Identity, openIdentity } from './identity.ts'
