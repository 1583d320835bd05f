export type { CreatedCredential, NewCredential } from './credentials/create-credential.ts'
export { type Identity, openIdentity } from './identity.ts'
