import { startTimer } from '../../platform/clock.ts'
import { answerRequests } from './answer-request.ts'
import type { Conversation } from './conversation.ts'
import { readIntroduction } from './introduction.ts'
import { type AskPage, listAllTools } from './list-tools.ts'
import { isObject } from './parse-object.ts'
import { answerMaxBytes, postAnswer, postNotification, postRequest, resultOf, type Upstream } from './rpc.ts'
import { readSseEvents } from './sse-events.ts'
import { UpstreamFailure } from './upstream-failure.ts'

const newestLegacy = '2025-11-25'
const legacyVersions = [newestLegacy, '2025-06-18', '2025-03-26', '2024-11-05']

export function initializeParams({ capabilities }: Upstream) {
	return { protocolVersion: newestLegacy, capabilities, clientInfo: { name: 'signalbox', version: '1' } }
}

/** Opens a session by `initialize`; null when the address does not speak streamable HTTP. */
export async function converseLegacy(upstream: Upstream): Promise<Conversation | null> {
	const timer = startTimer()
	const reply = await postRequest(upstream, 'initialize', initializeParams(upstream), {})
	const latencyMs = timer()
	if (!reply.answer && (reply.status === 404 || reply.status === 405 || reply.status === 400)) return null
	const result = resultOf('initialize', reply)
	const { version, hasTools } = readInitialized(result)
	const headers = {
		'mcp-protocol-version': version,
		...(reply.sessionId && { 'mcp-session-id': reply.sessionId }),
	}
	await postNotification(upstream, 'notifications/initialized', headers)
	if (reply.sessionId && Object.keys(upstream.capabilities).length > 0) void answerOnStream(upstream, headers)
	const askPage: AskPage = async (params) =>
		resultOf('tools/list', await postRequest(upstream, 'tools/list', params, headers))
	return {
		transportType: 'http',
		protocolVersion: version,
		introduction: readIntroduction(result),
		latencyMs,
		listTools: () => (hasTools ? listAllTools(askPage) : Promise.resolve([])),
		end: () => (reply.sessionId ? endSession(upstream, headers) : Promise.resolve()),
	}
}

/** Answers what the server asks beside its answers; one that has no such stream asks nothing there. */
async function answerOnStream(upstream: Upstream, session: Record<string, string>): Promise<void> {
	const { safeFetch, url, signal, totalMs: timeoutMs } = upstream
	const own = Object.fromEntries(upstream.headers)
	const headers = { ...own, ...session, accept: 'text/event-stream' }
	try {
		const { ok, body } = await safeFetch.fetch(url, { headers, signal, timeoutMs, maxBytes: answerMaxBytes })
		if (!ok || !body) return void (await body?.cancel())
		for await (const { data } of readSseEvents(body)) {
			for (const answer of answerRequests(data)) await postAnswer(upstream, answer, session)
		}
	} catch {
		// The end of the look ends the stream.
	}
}

/** What `initialize` agreed on. */
export function readInitialized(result: Record<string, unknown>): { version: string; hasTools: boolean } {
	const version = String(result.protocolVersion)
	if (!legacyVersions.includes(version))
		throw new UpstreamFailure(`It speaks the unknown protocol revision ${version.slice(0, 20)}.`)
	return { version, hasTools: isObject(result.capabilities) && isObject(result.capabilities.tools) }
}

async function endSession(upstream: Upstream, headers: Record<string, string>): Promise<void> {
	try {
		const { safeFetch, url, signal } = upstream
		const response = await safeFetch.fetch(url, {
			method: 'DELETE',
			headers: { ...Object.fromEntries(upstream.headers), ...headers },
			signal,
			timeoutMs: 1000,
		})
		await response.body?.cancel()
	} catch {
		// A server may refuse to end a session early; it ends it itself.
	}
}
