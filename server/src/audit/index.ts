export { type Actor, actorOf, systemActor } from './actor.ts'
export { type Audit, type AuditEntry, type Denial, openAudit } from './audit.ts'
export { type AuditVerdict, verifyAudit } from './verify-audit.ts'
