import type { Dispatcher } from 'undici'
import type { PriceCall } from '../../ledger/ledger.ts'
import type { Problem } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http/principal.ts'
import type { Log } from '../../platform/log.ts'
import type { CallLog } from '../../telemetry/index.ts'
import type { CallSpending } from './call-allowance.ts'
import type { ConnectionView } from './connections/connection-view.ts'
import type { DeferredCalls } from './deferred/deferred-calls.ts'
import type { HookDependencies } from './hooks/call-hooks.ts'
import type { ModelLimits } from './limits/model-limiter.ts'
import type { ObjectOwners } from './objects/object-owners.ts'
import type { PreparedEndpoints } from './prepared-endpoints.ts'
import type { CredentialTools } from './providers/provider.ts'
import type { ModelRouteView } from './routing/model-route.ts'
import type { RouteDependencies } from './routing/plan-route.ts'
import type { UnattendedCalls } from './unattended-calls.ts'

export interface ModelCallDependencies extends HookDependencies {
	dispatcher: Dispatcher
	connections: ConnectionView
	/** Where calls leave the facts from which their rows are made. */
	calls: CallLog
	/** The session that a call continues, by its announced facts; '' for none. */
	sessionOf(announced: Uint8Array): Promise<string>
	log: Log
	objects: ObjectOwners
	deferred: DeferredCalls
	/** What is needed to turn stored credentials into headers. */
	credentials: CredentialTools
	priceCall: PriceCall
	/** Reserves what a call may cost, before it is sent. */
	spending: CallSpending
	/** Counts calls against the limits of their workspace. */
	limiter: ModelLimits
	unattended: UnattendedCalls
	/** Called when a request is sent with the stored key. */
	noteUse(connectionId: string, workspaceId: string): void
}

export interface ForwardDependencies
	extends ModelCallDependencies,
		Omit<RouteDependencies, 'objects' | 'deferred'> {
	modelRoutes: ModelRouteView
	noteSeen(agentId: string): void
	stillValid(principal: Principal): Problem | null
	bodyLimitBytes: number
	/** The address of this instance that people see; null if it is the one by which a client reached it. */
	publicUrl: string | null
	endpoints: PreparedEndpoints
}
