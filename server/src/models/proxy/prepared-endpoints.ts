import type { IncomingHttpHeaders } from 'node:http'
import type { ChangeFeed } from '../../platform/changes.ts'
import type { Problem } from '../../platform/errors.ts'
import type { CallToPay } from '../budgets/budgets.ts'
import { type CallSpending, outputLimitIn } from './call-allowance.ts'
import type { CallBody } from './call-body.ts'
import { type EndFacts, recordedFields, requestedModel } from './call-record.ts'
import { readTags } from './call-tags.ts'
import type { ConnectionEntry, ConnectionView } from './connections/connection-view.ts'
import { requestHeaders } from './forwarded-headers.ts'
import type { HookView } from './hooks/hooks.ts'
import type { ModelLimits } from './limits/model-limiter.ts'
import {
	type Caller,
	type CallerDependencies,
	type RequestedModels,
	refusalOfCaller,
	requestedModels,
	selectsModels,
} from './plan-direct.ts'
import { providers } from './providers/index.ts'
import type { CredentialTools, HeaderList, ModelProvider } from './providers/provider.ts'
import { connectionGone, type Step } from './reliability/call-plan.ts'
import { commonFacts, headersForRecord } from './rows/call-facts.ts'
import { resolveTarget, secretsOf, type Target } from './target.ts'

/** What is derived from a set of headers that a client sends with many calls. */
interface PreparedHeaders {
	/** The headers that the provider gets, including those that authorise the call. */
	readonly forProvider: readonly string[]
	/** The part of the announcement that all these calls share. */
	readonly announced: Buffer
}

interface Seen {
	/** Names and values alternate; null stands for a value that may differ. */
	fields: readonly (string | null)[]
	prepared: PreparedHeaders | null
}

/** Headers that are neither sent to the provider nor recorded. */
const ofNoConcern: ReadonlySet<string> = new Set([
	...['content-length', 'authorization', 'cookie', 'x-api-key', 'x-goog-api-key', 'api-key'],
])

/** Clients of one key repeat the same headers. Several programs may share a key. */
const maxSeen = 4

/** Remembers the headers of recent calls to one endpoint. The derived form is made when they occur for the second time. */
export class PreparedHeaderCache {
	readonly #prepare: (raw: readonly string[]) => PreparedHeaders
	readonly #seen: Seen[] = []
	#oldest = 0

	constructor(prepare: (raw: readonly string[]) => PreparedHeaders) {
		this.#prepare = prepare
	}

	/** Null if these headers were not seen before. */
	of(raw: readonly string[]): PreparedHeaders | null {
		for (const seen of this.#seen) {
			if (!isAlike(seen.fields, raw)) continue
			seen.prepared ??= this.#prepare(raw)
			return seen.prepared
		}
		this.#seen[this.#oldest] = { fields: fieldsOf(raw), prepared: null }
		this.#oldest = (this.#oldest + 1) % maxSeen
		return null
	}
}

function fieldsOf(raw: readonly string[]): (string | null)[] {
	return raw.map((text, at) =>
		at % 2 === 1 && ofNoConcern.has((raw[at - 1] as string).toLowerCase()) ? null : text,
	)
}

function isAlike(fields: readonly (string | null)[], raw: readonly string[]): boolean {
	if (fields.length !== raw.length) return false
	for (let at = 0; at < raw.length; at += 1) if (fields[at] !== raw[at] && fields[at] !== null) return false
	return true
}

/**
 * Everything that the plain calls of one caller to one endpoint have in common. Immutable: a change of settings makes a new one.
 */
export interface PreparedEndpoint {
	readonly caller: Caller
	readonly agentId: string
	readonly agentName: string
	/** The connection's name in the path, and the rest of the path. */
	readonly name: string
	readonly path: string
	readonly connection: ConnectionEntry
	readonly provider: ModelProvider
	readonly target: Target
	readonly authorization: HeaderList
	/** Secrets that must not appear in any record. */
	readonly secrets: readonly string[]
	/** Whether the caller's access depends on the model. */
	readonly selectsModels: boolean
	/** The part of the announcement that all its calls share. */
	readonly announcedCommon: Buffer
	readonly headerCache: PreparedHeaderCache
	readonly step: NonNullable<EndFacts['step']>
	/** The same for the outcome, by status and content type of the answer. */
	readonly endedCommon: Map<string, Buffer>
	/** Whether limits or budgets count the workspace's calls. */
	readonly isBounded: boolean
}

export interface PreparedEndpointDependencies extends CallerDependencies {
	feed: Pick<ChangeFeed, 'isStale' | 'onApplied'>
	connections: ConnectionView
	hooks: HookView
	limiter: Pick<ModelLimits, 'concerns'>
	spending: Pick<CallSpending, 'concerns'>
	credentials: CredentialTools
}

/** Endpoints kept for one caller. Bounded, because a path may contain an ID that differs in each call. */
const maxEndpoints = 64

/**
 * The endpoints of plain calls: `POST` with a stored key to an endpoint that runs a model, in a workspace without hooks. All are
 * discarded with every change to a view, before the change is answered.
 */
export class PreparedEndpoints {
	readonly #deps: PreparedEndpointDependencies
	#byCaller = new WeakMap<Caller, Map<string, PreparedEndpoint | null>>()

	constructor(deps: PreparedEndpointDependencies) {
		this.#deps = deps
		deps.feed.onApplied(() => {
			this.#byCaller = new WeakMap()
		})
	}

	/** Null if such calls need a `ModelCall` from the start. */
	of(caller: Caller, name: string, path: string): PreparedEndpoint | null {
		const key = `${name}/${path}`
		let endpoints = this.#byCaller.get(caller)
		if (endpoints === undefined) {
			endpoints = new Map()
			this.#byCaller.set(caller, endpoints)
		}
		const known = endpoints.get(key)
		if (known !== undefined) return known
		const endpoint = this.#prepare(caller, name, path)
		if (endpoints.size >= maxEndpoints) endpoints.clear()
		endpoints.set(key, endpoint)
		return endpoint
	}

	/** Settings may have changed since the endpoint was prepared. */
	isCurrent(endpoint: PreparedEndpoint): boolean {
		return this.of(endpoint.caller, endpoint.name, endpoint.path) === endpoint
	}

	/** Whether the caller may still call the endpoint, by the current views. */
	refusal(
		{ caller, name, connection }: PreparedEndpoint,
		models: RequestedModels | undefined,
	): Problem | null {
		const now = this.#deps.connections.find(caller.workspaceId, name)
		const step = { connection: name, entry: connection }
		return refusalOfCaller(this.#deps, caller, name, models) ?? connectionGone(step, now)
	}

	#prepare(caller: Caller, name: string, path: string): PreparedEndpoint | null {
		const { agents, connections, hooks, limiter, spending, credentials } = this.#deps
		const { workspaceId } = caller
		// Access to the connection changes only with a view, unlike access to the model, which depends on the body.
		if (refusalOfCaller(this.#deps, caller, name, undefined)) return null
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
			...{ provider: connection.provider, vendor: connection.vendor, method: 'POST', path },
		}
		const announced = { target: { surface, ownKey: false }, fault: null }
		const { vendor } = connection
		const ran = { connection: name, provider: connection.provider, vendor, model: null }
		const step = { ...ran, usageInjected: false }
		return {
			...{ caller, agentId, agentName, name, path, connection, provider, target, authorization },
			secrets: secretsOf(target),
			selectsModels: selectsModels(this.#deps, caller),
			announcedCommon: commonFacts({ call, ...announced }),
			headerCache: new PreparedHeaderCache((raw) => ({
				forProvider: Object.freeze(requestHeaders(raw, authorization)),
				announced: commonFacts({ call: { ...call, headers: headersForRecord(byName(raw)) }, ...announced }),
			})),
			step,
			endedCommon: new Map(),
			isBounded: limiter.concerns(workspaceId) || spending.concerns(workspaceId),
		}
	}
}

/** The fast lane accepts each header name only once. */
function byName(raw: readonly string[]): IncomingHttpHeaders {
	const headers: IncomingHttpHeaders = {}
	for (let at = 0; at < raw.length; at += 2)
		headers[(raw[at] as string).toLowerCase()] = raw[at + 1] as string
	return headers
}

/** A content type may differ with each answer, for example by its boundary. */
const maxKinds = 16

/** The part of the outcome that answers with this status and type share. */
export function endedCommon(
	{ step, endedCommon, connection }: PreparedEndpoint,
	status: number,
	type: string,
): Buffer {
	const key = `${status} ${type}`
	const known = endedCommon.get(key)
	if (known) return known
	const end: Partial<EndFacts> = {
		...{ ending: { kind: 'complete' }, sent: true, deferred: false, unattended: false, step, route: '' },
		...{ attempts: [], hooks: '', firstContentNs: null, gaps: null, httpStatus: status, answered: status },
	}
	const answer = { contentType: type, encoding: '', listed: false }
	const facts = commonFacts({ end, keepsTexts: connection.recordsBodies, answer })
	if (endedCommon.size >= maxKinds) endedCommon.clear()
	endedCommon.set(key, facts)
	return facts
}

const nothing = Buffer.alloc(0)
const noHeaders: IncomingHttpHeaders = {}

/** A plain call as it continues when it is no longer plain. */
export function stepTo({ name, path, connection, target }: PreparedEndpoint, body: CallBody): Step {
	const retarget = (now: ConnectionEntry) => retargeted(name, path, now)
	const common = { connection: name, entry: connection, target, retarget, body }
	return { ...common, model: null, health: null, deferred: null }
}

/** Throws the Problem that refuses the call. */
function retargeted(name: string, path: string, connection: ConnectionEntry): Target {
	return resolveTarget({ name, path, method: 'POST', search: '', headers: noHeaders }, connection)
}

/** Null if the call is refused. */
function targetOf(connection: ConnectionEntry, name: string, path: string): Target | null {
	try {
		return retargeted(name, path, connection)
	} catch {
		return null
	}
}

const escapedSlash = '\\/'

/** Whether a body may name objects stored at the provider, whose owner must then be checked. */
export function mayNameObjects({ target, provider }: PreparedEndpoint, body: Buffer): boolean {
	if (!target.surface?.refers || !provider.referencesIn) return false
	// Encodings other than UTF-8 have zero bytes between the letters.
	if (body.includes(0)) return true
	const text = body.toString('latin1')
	return text.includes(escapedSlash) || provider.referencesIn(text, false).length > 0
}

/** The models that a plain body asks for. */
export function modelsIn({ target }: PreparedEndpoint, body: CallBody | null): RequestedModels {
	return body ? requestedModels(target.surface, body) : [null]
}

/** What budgets and limits must know of a plain call. */
export function plainCallToPay(
	{ caller, agentId, name, path, target, connection }: PreparedEndpoint,
	headers: IncomingHttpHeaders,
	body: CallBody,
	startNs: bigint,
): CallToPay {
	const values = body.fields(recordedFields)
	const { sessionId, userId } = readTags(headers, values ?? new Map())
	return {
		workspaceId: caller.workspaceId,
		agentId,
		keyId: caller.keyId,
		sessionId,
		userId,
		connection: name,
		provider: connection.vendor,
		kind: connection.provider,
		model: requestedModel(target.surface, values),
		startNs,
		requestBytes: body.bytes.length,
		outputLimit: outputLimitIn(values),
		streamed: values?.get('stream') === true || /stream/i.test(path),
	}
}
