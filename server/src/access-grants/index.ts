export { type AccessGrants, openAccessGrants } from './access-grants.ts'
export { decideAccess, type Verdict } from './decide-access.ts'
export type { GrantEntry, GrantView } from './grant-entry.ts'
