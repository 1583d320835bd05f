import type { SafeFetch } from '../../platform/safe-fetch.ts'
import type { ToolDefinition } from '../server-entry.ts'
import type { Conversation } from './conversation.ts'
import type { Introduction } from './introduction.ts'
import { converseLegacy } from './legacy-era.ts'
import { modernVersions, probeModern } from './modern-era.ts'
import type { Upstream } from './rpc.ts'
import { converseSse } from './sse-transport.ts'
import { toUpstreamFailure, UpstreamFailure } from './upstream-failure.ts'

export interface Target {
	url: string
	headers: ReadonlyMap<string, string>
	/** Null asks for all transports, the newest first. */
	transportType: 'http' | 'sse' | null
	/** Whether 2026-07-28 is left out, though the server may know it. */
	speaksLegacy?: boolean
	/** As whom it is asked: the capabilities of a client; none by default. */
	capabilities?: Record<string, unknown>
	/** Ends the exchange early. */
	signal?: AbortSignal
}

/** How long a server is waited for: a far one takes long for many messages, a dead one must not take long for the first. */
export interface Patience {
	/** For one message and its answer. */
	messageMs: number
	totalMs: number
}

export interface Discovery {
	transportType: 'http' | 'sse'
	/** The newest protocol revision that both sides speak. */
	protocolVersion: string
	introduction: Introduction
	/** Null when they are not known, although the server answers. */
	tools: ToolDefinition[] | null
	/** Why the server did not list them. */
	toolsFailure: string | null
	/** Whether `tools` may lack some: those that it has only for some clients. */
	isPartial?: boolean
	/** Of the first request that it answered as a server of its era. */
	latencyMs: number
}

/**
 * Asks a server what it is and which tools it has: first in the era of 2026-07-28, then by
 * `initialize`, then over the 2024 transport. Rejects with an `UpstreamFailure`.
 */
export async function discoverServer(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	target: Target,
	patience: Patience,
): Promise<Discovery> {
	return inConversation(safeFetch, target, patience, async (conversation) => {
		const listed = await conversation.listTools().then(
			(tools) => ({ tools, toolsFailure: null }),
			(error: unknown) => ({ tools: null, toolsFailure: toUpstreamFailure(error).message }),
		)
		const { transportType, protocolVersion, introduction, latencyMs } = conversation
		return { transportType, protocolVersion, introduction, latencyMs, ...listed }
	})
}

/** Asks a server only which revision it speaks. Rejects with an `UpstreamFailure`. */
export function probeRevision(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	target: Target,
	patience: Patience,
): Promise<string> {
	return inConversation(safeFetch, target, patience, async ({ protocolVersion }) => protocolVersion)
}

/** The tools of a server that was discovered already, as a client with the target's capabilities sees them. */
export function listToolsAs(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	target: Target,
	known: Pick<Discovery, 'transportType' | 'protocolVersion'>,
	patience: Patience,
): Promise<ToolDefinition[]> {
	const again = async (upstream: Upstream) =>
		(await converseAgain(upstream, known)) ?? noServer('No MCP server answers at this address any more.')
	return inConversation(safeFetch, target, patience, (conversation) => conversation.listTools(), again)
}

async function inConversation<T>(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	target: Target,
	{ messageMs, totalMs }: Patience,
	use: (conversation: Conversation) => Promise<T>,
	open = (upstream: Upstream) => converse(upstream, target),
): Promise<T> {
	const ending = new AbortController()
	const signals = [ending.signal, AbortSignal.timeout(totalMs), ...(target.signal ? [target.signal] : [])]
	const { url, headers, capabilities = {} } = target
	const signal = AbortSignal.any(signals)
	const upstream: Upstream = { safeFetch, url, headers, capabilities, timeoutMs: messageMs, totalMs, signal }
	try {
		const conversation = await open(upstream)
		const result = await use(conversation)
		await conversation.end()
		return result
	} catch (error) {
		throw toUpstreamFailure(error)
	} finally {
		ending.abort()
	}
}

async function converse(upstream: Upstream, { transportType, speaksLegacy }: Target): Promise<Conversation> {
	const overHttp =
		transportType === 'sse'
			? null
			: speaksLegacy
				? await converseLegacy(upstream)
				: await converseHttp(upstream)
	const spoken = overHttp ?? (transportType === 'http' ? null : await converseSse(upstream))
	return spoken ?? noServer('No MCP server answers at this address.')
}

/** An old server may leave an unknown method without an answer, so the probe is waited for alone for a part of the time only. */
const probeShare = 0.4

/** In the modern era, or else the legacy one; of a server that answers the probe late in whichever it answers first. */
async function converseHttp(upstream: Upstream): Promise<Conversation | null> {
	const { heard, conversation: modern } = probeModern(upstream)
	if (await isWithin(heard, upstream.timeoutMs * probeShare))
		return (await modern) ?? converseLegacy(upstream)
	const legacy = converseLegacy(upstream)
	const first = await Promise.any([modern, legacy].map(rejectNull)).catch(() => null)
	if (!first)
		return legacy.catch((error) => (toUpstreamFailure(error).refused ? modern : Promise.reject(error)))
	legacy.then((late) => (late === first ? undefined : late?.end())).catch(() => {})
	return first
}

async function rejectNull<T>(promise: Promise<T | null>): Promise<T> {
	return (await promise) ?? Promise.reject(new Error('There is none.'))
}

function isWithin(promise: Promise<void>, ms: number): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined
	const late = new Promise<boolean>((resolve) => {
		timer = setTimeout(() => resolve(false), ms)
	})
	return Promise.race([promise.then(() => true), late]).finally(() => clearTimeout(timer))
}

function converseAgain(
	upstream: Upstream,
	{ transportType, protocolVersion }: Pick<Discovery, 'transportType' | 'protocolVersion'>,
): Promise<Conversation | null> {
	if (transportType === 'sse') return converseSse(upstream)
	return modernVersions.includes(protocolVersion)
		? probeModern(upstream).conversation
		: converseLegacy(upstream)
}

function noServer(text: string): never {
	throw new UpstreamFailure(text)
}
