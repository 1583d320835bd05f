export type { ApprovalGate } from './approvals.ts'
export { type Approvals, openApprovals } from './approvals.ts'
export type { AskedCall, Standing } from './standing.ts'
