import { nowNs } from '../../platform/clock.ts'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import type { ToolDefinition } from '../server-entry.ts'
import type { Conversation } from './conversation.ts'
import type { Introduction } from './introduction.ts'
import { converseLegacy } from './legacy-era.ts'
import { converseModern, modernVersions } from './modern-era.ts'
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

export interface Discovery {
	transportType: 'http' | 'sse'
	/** The newest protocol revision that both sides speak. */
	protocolVersion: string
	introduction: Introduction
	/** Null when the list could not be had although the server answers; `toolsFailure` says why. */
	tools: ToolDefinition[] | null
	toolsFailure: string | null
	/** Of the handshake. */
	latencyMs: number
}

/**
 * Asks a server what it is and which tools it has, all within `timeoutMs`: first in the era of 2026-07-28, then by
 * `initialize`, then over the 2024 transport. Rejects with an `UpstreamFailure`.
 */
export async function discoverServer(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	target: Target,
	timeoutMs: number,
): Promise<Discovery> {
	return inConversation(safeFetch, target, timeoutMs, async (conversation, latencyMs) => {
		const listed = await conversation.listTools().then(
			(tools) => ({ tools, toolsFailure: null }),
			(error: unknown) => ({ tools: null, toolsFailure: toUpstreamFailure(error).message }),
		)
		const { transportType, protocolVersion, introduction } = conversation
		return { transportType, protocolVersion, introduction, latencyMs, ...listed }
	})
}

/** Asks a server only which revision it speaks. Rejects with an `UpstreamFailure`. */
export function probeRevision(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	target: Target,
	timeoutMs: number,
): Promise<string> {
	return inConversation(safeFetch, target, timeoutMs, async ({ protocolVersion }) => protocolVersion)
}

/** The tools of a server that was discovered already, as a client with the target's capabilities sees them. */
export function listToolsAs(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	target: Target,
	known: Pick<Discovery, 'transportType' | 'protocolVersion'>,
	timeoutMs: number,
): Promise<ToolDefinition[]> {
	const again = async (upstream: Upstream) =>
		(await converseAgain(upstream, known)) ?? noServer('No MCP server answers at this address any more.')
	return inConversation(safeFetch, target, timeoutMs, (conversation) => conversation.listTools(), again)
}

async function inConversation<T>(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	target: Target,
	timeoutMs: number,
	use: (conversation: Conversation, latencyMs: number) => Promise<T>,
	open = (upstream: Upstream) => converse(upstream, target),
): Promise<T> {
	const ending = new AbortController()
	const signals = [ending.signal, AbortSignal.timeout(timeoutMs), ...(target.signal ? [target.signal] : [])]
	const { url, headers, capabilities = {} } = target
	const signal = AbortSignal.any(signals)
	const upstream: Upstream = { safeFetch, url, headers, capabilities, timeoutMs, signal }
	try {
		const started = nowNs()
		const conversation = await open(upstream)
		const latencyMs = Number((nowNs() - started) / 1000n) / 1000
		const result = await use(conversation, latencyMs)
		await conversation.end()
		return result
	} catch (error) {
		throw toUpstreamFailure(error)
	} finally {
		ending.abort()
	}
}

async function converse(upstream: Upstream, { transportType, speaksLegacy }: Target): Promise<Conversation> {
	const modern = transportType === 'sse' || speaksLegacy ? null : await converseModern(upstream)
	const overHttp = modern ?? (transportType === 'sse' ? null : await converseLegacy(upstream))
	const spoken = overHttp ?? (transportType === 'http' ? null : await converseSse(upstream))
	return spoken ?? noServer('No MCP server answers at this address.')
}

function converseAgain(
	upstream: Upstream,
	{ transportType, protocolVersion }: Pick<Discovery, 'transportType' | 'protocolVersion'>,
): Promise<Conversation | null> {
	if (transportType === 'sse') return converseSse(upstream)
	return modernVersions.includes(protocolVersion) ? converseModern(upstream) : converseLegacy(upstream)
}

function noServer(text: string): never {
	throw new UpstreamFailure(text)
}
