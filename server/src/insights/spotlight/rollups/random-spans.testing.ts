import { newSpanRow, type SpanRow } from '../../../telemetry/index.ts'

/** A generator of the same numbers for the same seed; 0 ≤ n < below. */
export function createRandom(seed: number): (below: number) => number {
	let state = seed >>> 0
	return (below) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
		return Math.floor((state / 2 ** 32) * below)
	}
}

export type Random = ReturnType<typeof createRandom>

const pick = <T>(random: Random, of: readonly T[]): T => of[random(of.length)] as T
const minuteNs = 60_000_000_000n

/** Traces with calls that several sides recorded, and up to two hours between a span and its parent. */
export function randomSpans(random: Random, traces: number, startMs: number, hours: number): SpanRow[] {
	return Array.from({ length: traces }, (_, trace) => {
		const firstNs = BigInt(startMs + random(hours * 3_600_000)) * 1_000_000n
		// It applies to all descendants that are near enough.
		const tag = pick(random, ['', '', 'beta', 'gamma'])
		const shared = {
			workspaceId: 'w1',
			traceId: (trace + 1).toString(16).padStart(32, '0'),
			sessionId: pick(random, ['', 's1', 's2', 's3']),
			userId: pick(random, ['', 'jane', 'joe']),
			agentId: pick(random, ['', 'a1', 'a2']),
			client: pick(random, ['cli/1', 'cli/2']),
		}
		return Array.from({ length: 1 + random(6) }, (_, at) => ({
			...newSpanRow({
				...shared,
				...randomCall(random),
				spanId: (at + 1).toString(16).padStart(16, '0'),
				parentSpanId: at === 0 ? '' : (random(at) + 1).toString(16).padStart(16, '0'),
				startNs: firstNs + BigInt(tag ? random(20) : random(5) * random(30)) * minuteNs,
				durationNs: BigInt(random(5_000_000_000)),
				...randomAttributes(random, at === 0 ? tag : ''),
			}),
		}))
	}).flat()
}

function randomAttributes(random: Random, tag: string) {
	const env = pick(random, ['', 'prod', 'dev'])
	const region = pick(random, ['', 'eu-1', 'us-1'])
	const withoutEmpty = (entries: readonly (readonly [string, string])[]) =>
		new Map(entries.filter(([, value]) => value !== ''))
	return {
		attributes: withoutEmpty([
			['env', env],
			// Some have another value than their resource.
			['region', env === 'dev' ? 'us-1' : ''],
			['langfuse.trace.tags', tag],
		]),
		resource: withoutEmpty([['region', region]]),
	}
}

function randomCall(random: Random) {
	const kind = pick(random, ['tool_call', 'tool_call', 'model_call', 'other'] as const)
	const outcome = {
		name: kind,
		status: pick(random, ['ok', 'ok', 'ok', 'error', 'denied', 'cut', 'interrupted'] as const),
		errorType: pick(random, ['', 'timeout']),
		serviceName: pick(random, ['', 'weather']),
	}
	if (kind !== 'model_call')
		return {
			...outcome,
			kind,
			source: pick(random, ['otlp', 'otlp', 'gateway'] as const),
			toolName: kind === 'tool_call' ? pick(random, ['', 'search', 'docs__search', 'fetch']) : '',
			serverId: pick(random, ['', 'v1', 'v2']),
		}
	return {
		...outcome,
		kind,
		source: pick(random, ['otlp', 'model_proxy'] as const),
		provider: pick(random, ['openai', 'anthropic']),
		model: pick(random, ['', 'm1', 'm2']),
		modelRequested: 'm1',
		inputTokens: random(1000),
		outputTokens: random(100),
		costNanoUsd: pick(random, [null, BigInt(random(1_000_000))]),
	}
}

/**
 * Calls whose client, gateway and server recorded them in separate traces, with clocks that differ by seconds. Some run at the same
 * time without anything that distinguishes them.
 */
export function randomViews(random: Random, calls: number, startMs: number, hours: number): SpanRow[] {
	return Array.from({ length: calls }, (_, call) => {
		const atMs = startMs + random(hours * 120) * 30_000
		const request = new Map([
			['mcp.session.id', random(2) ? `abc.${call % 7}` : ''],
			['jsonrpc.request.id', String(random(20))],
		])
		const sent = new Map([...request, ['mcp.session.id', request.get('mcp.session.id')?.slice(0, 3) ?? '']])
		const views = [
			{ otlpKind: 3, client: 'cli/1', attributes: request, durationNs: 30_000_000n },
			{ source: 'gateway', client: 'cli/1', serverName: 'Docs', attributes: sent, durationNs: 20_000_000n },
			{ otlpKind: 2, serviceName: 'docs', durationNs: BigInt(random(22)) * 1_000_000n },
		] as const
		return views
			.filter(() => random(4) > 0)
			.map((view, at) => ({
				...newSpanRow({
					...{ workspaceId: 'w1', name: 'call', kind: 'tool_call', source: 'otlp', status: 'ok' },
					...{ toolName: pick(random, ['search', 'fetch']), sessionId: pick(random, ['', '', 's1']) },
					traceId: `e${(call * 3 + at).toString(16)}`.padStart(32, 'e'),
					spanId: (at + 1).toString(16).padStart(16, '0'),
					startNs: BigInt(atMs + random(4000)) * 1_000_000n,
					...view,
				}),
			}))
	}).flat()
}
