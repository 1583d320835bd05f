import { accessGrantOperations } from './access-grants.ts'
import { agentOperations } from './agents.ts'
import { auditOperations } from './audit.ts'
import { authOperations } from './auth.ts'
import { ingestTokenOperations, keyOperations } from './keys.ts'
import type { Operation } from './operation.ts'
import { providerKeyOperations } from './provider-keys.ts'
import { serverOperations } from './servers.ts'
import { spotlightOperations } from './spotlight.ts'
import { systemOperations } from './system.ts'
import { telemetryOperations } from './telemetry.ts'

/** Operations by the heading under which a reader looks for them. */
export type OperationGroups = Record<string, Record<string, Operation>>

/** The whole platform API, in the order a reader should learn it. */
export const operationGroups: OperationGroups = {
	'MCP servers': serverOperations,
	Agents: agentOperations,
	Access: accessGrantOperations,
	Keys: keyOperations,
	'Ingest tokens': ingestTokenOperations,
	'Model connections': providerKeyOperations,
	Spotlight: spotlightOperations,
	Telemetry: telemetryOperations,
	Audit: auditOperations,
	'Sign-in': authOperations,
	System: systemOperations,
}
