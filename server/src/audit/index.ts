export { type Actor, actorOf, systemActor } from './actor.ts'
export { type Audit, openAudit } from './audit.ts'
export { verifyAudit } from './verify-audit.ts'
