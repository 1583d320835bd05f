import type { IncomingHttpHeaders } from 'node:http'
import type { ChangeFeed } from '../../platform/changes.ts'
import type { Problem } from '../../platform/errors.ts'
import type { CallBody } from './call-body.ts'
import type { EndFacts } from './call-record.ts'
import type { ConnectionEntry, ConnectionView } from './connections/connection-view.ts'
import type { HookView } from './hooks/hook-view.ts'
import type { ModelLimits } from './limits/model-limiter.ts'
import type { CallSpending } from './pay-call.ts'
import { type Caller, type JudgeDependencies, judgeCaller, selectsModels } from './plan-direct.ts'
import { providers } from './providers/index.ts'
import type { CredentialTools, HeaderList, ModelProvider } from './providers/provider.ts'
import { resolveTarget, secretsOf, type Target } from './target.ts'

/** What all plain calls of one caller to one endpoint have in common. It never changes: a change makes a new one. */
export interface EndpointPlan {
	readonly caller: Caller
	readonly agentId: string
	readonly agentName: string
	/** Of the connection, as the path says it, and what follows it there. */
	readonly name: string
	readonly path: string
	readonly connection: ConnectionEntry
	readonly provider: ModelProvider
	readonly target: Target
	readonly authorization: HeaderList
	/** What must stand in no record. */
	readonly secrets: readonly string[]
	/** Whether the caller may use some models and not others. */
	readonly selectsModels: boolean
	/** The parts of what its calls leave in the log that are always the same, as JSON. */
	readonly announcedJson: string
	readonly step: NonNullable<EndFacts['step']>
	readonly stepJson: string
	/** Whether limits or budgets count calls of its workspace. */
	readonly isBounded: boolean
}

export interface EndpointPlanDependencies extends JudgeDependencies {
	feed: Pick<ChangeFeed, 'isStale' | 'onApplied'>
	connections: ConnectionView
	hooks: HookView
	limiter: Pick<ModelLimits, 'concerns'>
	spending: Pick<CallSpending, 'concerns'>
	credentials: CredentialTools
}

/** Of one caller; a path may name what is another thing in each call. */
const mostEndpoints = 64

/**
 * The plans of plain calls: those of `POST` with a stored key to an endpoint that runs a model, in a workspace without hooks. They
 * are thrown away together whenever anything changes that a view holds, before whoever changed it hears of that.
 */
export class EndpointPlans {
	readonly #deps: EndpointPlanDependencies
	#byCaller = new WeakMap<Caller, Map<string, EndpointPlan | null>>()

	constructor(deps: EndpointPlanDependencies) {
		this.#deps = deps
		deps.feed.onApplied(() => {
			this.#byCaller = new WeakMap()
		})
	}

	/** Null: its calls are for `ModelCall` from the beginning. */
	of(caller: Caller, name: string, path: string): EndpointPlan | null {
		const key = `${name}/${path}`
		let plans = this.#byCaller.get(caller)
		if (plans === undefined) {
			plans = new Map()
			this.#byCaller.set(caller, plans)
		}
		const known = plans.get(key)
		if (known !== undefined) return known
		const plan = this.#planned(caller, name, path)
		if (plans.size >= mostEndpoints) plans.clear()
		plans.set(key, plan)
		return plan
	}

	/** Whether a call may go on by what is known now. */
	refusal({ caller, name }: EndpointPlan, model: string | null | undefined): Problem | null {
		return judgeCaller(this.#deps, caller, name, model)
	}

	#planned(caller: Caller, name: string, path: string): EndpointPlan | null {
		const { agents, connections, hooks, limiter, spending, credentials } = this.#deps
		const { workspaceId } = caller
		const connection = connections.find(workspaceId, name)
		if (!connection || connection.injectsUsage || hooks.of(workspaceId) !== undefined) return null
		const provider = providers[connection.provider]
		if (!provider.authorizesByPath || provider.refuseRequest || connection.key === null) return null
		const target = targetOf(connection, name, path)
		const { surface } = target ?? {}
		if (!target || !surface?.modelCall || surface.object !== undefined) return null
		if (surface.creates || surface.defers || surface.results) return null
		const { origin } = target
		const asked = { method: 'POST', origin, path: target.path, body: nothing }
		const authorization = provider.authorize(connection.key, asked, credentials)
		if (authorization instanceof Promise) return null
		const agentId = caller.kind === 'agent_key' ? caller.agentId : ''
		const agentName = agents.get(agentId)?.name ?? ''
		const call = {
			...{ workspaceId, credentialId: caller.keyId, agentId, agentName, connection: name },
			...{ provider: connection.provider, method: 'POST', path },
		}
		const step = { connection: name, provider: connection.provider, model: null, usageInjected: false }
		return {
			...{ caller, agentId, agentName, name, path, connection, provider, target, authorization },
			secrets: secretsOf(target),
			selectsModels: selectsModels(this.#deps, caller),
			announcedJson: JSON.stringify({ call, target: { surface, ownKey: false }, fault: null }),
			step,
			stepJson: JSON.stringify(step),
			isBounded: limiter.concerns(workspaceId) || spending.concerns(workspaceId),
		}
	}
}

const nothing = Buffer.alloc(0)
const noHeaders: IncomingHttpHeaders = {}

/** Null where the call is refused. */
function targetOf(connection: ConnectionEntry, name: string, path: string): Target | null {
	try {
		return resolveTarget({ name, path, method: 'POST', search: '', headers: noHeaders }, connection)
	} catch {
		return null
	}
}

const escapedSlash = '\\/'

/** Whether a body may name objects that a provider stores, of which somebody must say whose they are. */
export function mayNameObjects({ target, provider }: EndpointPlan, body: Buffer): boolean {
	if (!target.surface?.refers || !provider.referencesIn) return false
	// In other encodings than UTF-8 there are zeros between the letters.
	if (body.includes(0)) return true
	const text = body.toString('latin1')
	return text.includes(escapedSlash) || provider.referencesIn(text, false).length > 0
}

/** The model that a plain body asks for; null where it names none, or nobody can tell. */
export function modelIn({ target }: EndpointPlan, body: CallBody | null): string | null {
	return target.surface?.model ?? body?.model ?? null
}
