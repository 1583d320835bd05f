import type { AgentView } from '../../access/agents/agents.ts'
import { decideModelAccess } from '../../access/grants/index.ts'
import type { ChangeFeed } from '../../platform/changes.ts'
import { Problem } from '../../platform/errors.ts'
import type { AgentPrincipal, KeyPrincipal } from '../../platform/http/principal.ts'
import type { RequestContext } from '../../platform/http/route.ts'
import type { CallBody } from './call-body.ts'
import type { ConnectionEntry } from './connections/connection-view.ts'
import type { DeferredCalls } from './deferred/deferred-calls.ts'
import type { ObjectOwners } from './objects/object-owners.ts'
import { requireOwnObjects } from './objects/require-own-objects.ts'
import type { Maker } from './objects/stored-by-call.ts'
import { fieldsIn, type Surface } from './providers/provider.ts'
import { CallPlan, direct, type Step } from './reliability/call-plan.ts'
import { type ProxyRequest, resolveTarget } from './target.ts'
import { askForUsage } from './usage-injection/ask-for-usage.ts'

/** A call before its body is read. */
export interface IncomingCall {
	caller: Caller
	maker: Maker
	asked: ProxyRequest
}

/** How access to a call is decided, and how it is planned. */
export interface CallPlanner {
	/** Whether it may continue. `step` is its current target, null before it was planned. */
	refusal(step: Step | null): Problem | null
	/** Throws the Problem that refuses the call. */
	plan(body: CallBody): Promise<CallPlan>
}

export interface DirectDependencies extends CallerDependencies {
	objects: Pick<ObjectOwners, 'findForeign'>
	deferred: Pick<DeferredCalls, 'find'>
}

/** A call to one connection; with null, to the provider itself with the caller's own key. */
export function directWay(
	deps: DirectDependencies,
	{ caller, maker, asked }: IncomingCall,
	connection: ConnectionEntry | null,
): CallPlanner {
	// Known when the body has arrived. Until then only access to the connection is decided.
	let models: RequestedModels | undefined
	const refusal = () => refusalOfCaller(deps, caller, asked.name, models)
	throwIf(refusal())
	const target = resolveTarget(asked, connection ?? undefined)
	return {
		refusal,
		plan: async (body) => {
			if (selectsModels(deps, caller)) {
				models = requestedModels(target.surface, body, asked.search)
				throwIf(refusal())
			}
			await requireOwnObjects(deps.objects, maker, target, body)
			const entry = target.ownKey ? null : connection
			const deferred = await deps.deferred.find(maker.workspaceId, target)
			const retarget = (now: ConnectionEntry) => resolveTarget(asked, now)
			const common = { connection: asked.name, entry, target, retarget, body }
			const step = { ...common, model: null, health: null, deferred }
			return new CallPlan([askForUsage(step, connection)], direct)
		},
	}
}

function throwIf(problem: Problem | null): void {
	if (problem) throw problem
}

export type Caller = KeyPrincipal | AgentPrincipal

export interface CallerDependencies {
	feed: Pick<ChangeFeed, 'isStale'>
	agents: AgentView
}

export function callerIn(context: RequestContext): Caller {
	const { principal } = context
	if (principal?.kind === 'platform_key' || principal?.kind === 'agent_key') return principal
	throw new Problem('internal', 'A model route ran for another kind of caller.')
}

/** Whether the caller may call this connection and all these models now; undefined decides about the connection only. */
export function refusalOfCaller(
	{ feed, agents }: CallerDependencies,
	caller: Caller,
	connection: string,
	models: RequestedModels | undefined,
): Problem | null {
	if (feed.isStale()) return new Problem('stale_permissions', undefined, { retryAfterS: 1 })
	if (caller.kind !== 'agent_key') return null
	const found = agents.get(caller.agentId)
	const agent = found?.workspaceId === caller.workspaceId ? found : undefined
	for (const model of models ?? [undefined]) {
		const { allowed, reason, text } = decideModelAccess({ agent, connection, model })
		if (allowed) continue
		const aboutAgent = reason === 'agent_unknown' || reason === 'agent_not_active'
		return new Problem(aboutAgent ? 'agent_not_active' : 'model_not_granted', text)
	}
	return null
}

/** Whether access depends on the model, so that the body must be searched for it. */
export function selectsModels({ agents }: CallerDependencies, caller: Caller): boolean {
	return caller.kind === 'agent_key' && agents.get(caller.agentId)?.modelAccess.mode !== 'all'
}

/** Models that a call names; null stands for one that is not certain. */
export type RequestedModels = readonly (string | null)[]

/** Members of a body that name further models: substitutes (Anthropic, OpenRouter, LiteLLM, Vercel), and models of tools. */
const beside: ReadonlySet<string> = new Set([
	...['fallbacks', 'models', 'tools', 'providerOptions'],
	...['context_window_fallbacks', 'content_policy_fallbacks'],
])

/**
 * Every model that a call may cause to run: its own first, then those that may answer in its place, and those that its tools run.
 * `search`: LiteLLM's proxy prefers a model in the query string.
 */
export function requestedModels(surface: Surface | null, body: CallBody, search = ''): RequestedModels {
	// The requests of a batch name their own models.
	const own = surface?.model ?? (surface?.defers ? null : body.model)
	return [own, ...otherModels(body), ...(surface?.model === undefined && namesModel(search) ? [null] : [])]
}

function namesModel(search: string): boolean {
	return (
		search !== '' && [...new URLSearchParams(search).keys()].some((name) => name.toLowerCase() === 'model')
	)
}

function otherModels(body: CallBody): RequestedModels {
	// What cannot be read may name any model.
	if (body.fault !== null) return [null]
	const named = body.json?.members.filter(({ name }) => beside.has(name)) ?? []
	if (named.length === 0) return []
	const values = body.fields(beside)
	return named.flatMap(({ name }) => {
		// A member that is too long to be read may name any model.
		if (!values?.has(name)) return [null]
		const value = values.get(name)
		if (name === 'tools') return listOf(value).flatMap(modelsOfTool)
		return name === 'providerOptions'
			? substitutesIn(fieldsIn(fieldsIn(value)?.gateway)?.models)
			: substitutesIn(value)
	})
}

function listOf(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : []
}

/** The adviser of Anthropic, and the image generation of OpenAI, which may have another model write SVG. */
function modelsOfTool(value: unknown): RequestedModels {
	const tool = fieldsIn(value)
	if (tool === null || tool.type === 'function' || tool.type === 'custom') return []
	return [tool.model, fieldsIn(tool.svg)?.model].filter((model) => typeof model === 'string')
}

/** A text instead of a list lets the provider choose: `default`. */
function substitutesIn(value: unknown): RequestedModels {
	if (value === undefined || value === null) return []
	if (!Array.isArray(value)) return [null]
	return value.map((one) => {
		const model = fieldsIn(one)?.model ?? one
		return typeof model === 'string' ? model : null
	})
}
