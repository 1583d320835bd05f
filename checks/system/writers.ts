import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'

/** The trace ids of all records that were sent, and of those that were acknowledged. */
export interface Ledger {
	sent: Set<string>
	acknowledged: Set<string>
}

export interface WriterTargets {
	url(): string
	ingestToken: string
	agentKey: string
	serverSlug: string
}

export const newLedger = (): Ledger => ({ sent: new Set(), acknowledged: new Set() })

/** Starts writers for every entry point. Each notes a trace id before it sends, and again when the response is complete. */
export function startWriters(
	targets: WriterTargets,
	ledgers: Record<'otlp' | 'gateway' | 'models', Ledger>,
): { stop(): Promise<void> } {
	const state = { running: true }
	const loops = [
		loop(state, ledgers.otlp, (traceId) => exportSpan(state, targets, traceId)),
		loop(state, ledgers.otlp, (traceId) => exportSpan(state, targets, traceId)),
		loop(state, ledgers.gateway, (traceId) => callTool(targets, traceId)),
		loop(state, ledgers.gateway, (traceId) => callTool(targets, traceId)),
		loop(state, ledgers.models, (traceId) => callModel(targets, traceId, false)),
		loop(state, ledgers.models, (traceId) => callModel(targets, traceId, true)),
	]
	return {
		stop: async () => {
			state.running = false
			await Promise.all(loops)
		},
	}
}

async function loop(
	state: { running: boolean },
	ledger: Ledger,
	send: (traceId: string) => Promise<boolean>,
): Promise<void> {
	const patience = newPatience()
	while (state.running) {
		const traceId = randomBytes(16).toString('hex')
		ledger.sent.add(traceId)
		const acknowledged = await send(traceId).catch(() => false)
		if (acknowledged) ledger.acknowledged.add(traceId)
		await patience.after(acknowledged)
	}
}

const [shortestMs, maxMs] = [20, 160]

/** Waits longer after each failure, because constant requests would slow down the program's restart. */
function newPatience() {
	let waitMs = shortestMs
	return {
		after: async (acknowledged: boolean) => {
			if (acknowledged) waitMs = shortestMs
			else {
				await setTimeout(waitMs)
				waitMs = Math.min(2 * waitMs, maxMs)
			}
		},
	}
}

/** Sends the same bytes until they are acknowledged, as exporters do. */
async function exportSpan(
	state: { running: boolean },
	targets: WriterTargets,
	traceId: string,
): Promise<boolean> {
	const body = spanBody(traceId)
	const patience = newPatience()
	while (state.running) {
		if (await postSpan(targets, body).catch(() => false)) return true
		await patience.after(false)
	}
	return false
}

function spanBody(traceId: string): string {
	const now = BigInt(Date.now()) * 1_000_000n
	const span = {
		traceId,
		spanId: traceId.slice(0, 16),
		name: 'crash test',
		kind: 1,
		startTimeUnixNano: String(now),
		endTimeUnixNano: String(now + 1000n),
	}
	return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
}

async function postSpan({ url, ingestToken }: WriterTargets, body: string): Promise<boolean> {
	const response = await fetch(`${url()}/v1/traces`, {
		method: 'POST',
		headers: { authorization: `Bearer ${ingestToken}`, 'content-type': 'application/json' },
		body,
	})
	await response.arrayBuffer()
	return response.status === 200
}

const protocolVersion = '2026-07-28'

export async function callTool(
	{ url, agentKey, serverSlug }: WriterTargets,
	traceId: string,
): Promise<boolean> {
	const meta = {
		'io.modelcontextprotocol/protocolVersion': protocolVersion,
		'io.modelcontextprotocol/clientInfo': { name: 'crash-test', version: '1' },
		'io.modelcontextprotocol/clientCapabilities': {},
	}
	const response = await fetch(`${url()}/mcp/${serverSlug}`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${agentKey}`,
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
			'mcp-protocol-version': protocolVersion,
			'mcp-method': 'tools/call',
			'mcp-name': 'echo',
			traceparent: `00-${traceId}-${traceId.slice(0, 16)}-01`,
		},
		body: JSON.stringify({
			jsonrpc: '2.0',
			id: 1,
			method: 'tools/call',
			params: { name: 'echo', arguments: { message: 'hi' }, _meta: meta },
		}),
	})
	const text = await response.text()
	return response.status === 200 && text.includes('Echo: hi')
}

async function callModel(
	{ url, agentKey }: WriterTargets,
	traceId: string,
	stream: boolean,
): Promise<boolean> {
	const response = await fetch(`${url()}/proxy/openai/v1/chat/completions`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${agentKey}`,
			'content-type': 'application/json',
			traceparent: `00-${traceId}-${traceId.slice(0, 16)}-01`,
		},
		body: JSON.stringify({
			model: 'gpt-x',
			messages: [{ role: 'user', content: 'hi' }],
			...(stream && { stream: true, stream_options: { include_usage: true } }),
		}),
	})
	const text = await response.text()
	return response.status === 200 && (stream ? text.trimEnd().endsWith('[DONE]') : text.endsWith('}'))
}
