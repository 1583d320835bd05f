import { randomBytes } from 'node:crypto'
import type { Program } from '../../../server/src/program/program.testing.ts'
import { encodeRequest } from '../../../server/src/telemetry/index.ts'

const spansPerTrace = 10
const tracesPerBody = 50
/** The positions of a trace's model calls, and of its tool calls. */
const modelPlaces = new Set([1, 5])
const toolPlaces = new Set([3, 6])

export interface Arrivals {
	/** Resolves with the number of acknowledged spans. */
	stop(): Promise<number>
}

/** Sends traces like the stored ones over OTLP/protobuf at a constant rate until it is stopped. */
export function sendArrivals(program: Program, token: string, spansPerSecond: number): Arrivals {
	const everyMs = (1000 * tracesPerBody * spansPerTrace) / spansPerSecond
	const sending = new Set<Promise<void>>()
	let acknowledged = 0
	const timer = setInterval(() => {
		const sent = send(program, token).then((spans) => {
			acknowledged += spans
			sending.delete(sent)
		})
		sending.add(sent)
	}, everyMs)
	return {
		async stop() {
			clearInterval(timer)
			await Promise.all(sending)
			return acknowledged
		},
	}
}

/** Number of accepted spans: a program that is behind answers 503, and an exporter would retry. */
async function send(program: Program, token: string): Promise<number> {
	const traces = Array.from({ length: tracesPerBody }, newTrace)
	const body = encodeRequest('traces', {
		resourceSpans: [
			{
				resource: { attributes: [text('service.name', 'arriving')] },
				scopeSpans: [{ spans: traces.flat() }],
			},
		],
	})
	const headers = { 'content-type': 'application/x-protobuf', authorization: `Bearer ${token}` }
	const answer = await fetch(`${program.url}/v1/traces`, {
		method: 'POST',
		headers,
		body: new Uint8Array(body),
	})
	await answer.arrayBuffer()
	return answer.ok ? tracesPerBody * spansPerTrace : 0
}

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })

function newTrace(): object[] {
	const traceId = randomBytes(16).toString('hex')
	const ids = Array.from({ length: spansPerTrace }, () => randomBytes(8).toString('hex'))
	const endNs = BigInt(Date.now()) * 1_000_000n
	return ids.map((spanId, place) => ({
		...{ traceId, spanId, ...(place > 0 && { parentSpanId: ids[0] }), name: 'arriving', kind: 3 },
		...{ startTimeUnixNano: String(endNs - 5_000_000n), endTimeUnixNano: String(endNs) },
		attributes: [text('gen_ai.conversation.id', traceId.slice(0, 4)), ...attributesOf(place, traceId)],
	}))
}

function attributesOf(place: number, traceId: string): object[] {
	const which = Number.parseInt(traceId.slice(0, 2), 16)
	if (toolPlaces.has(place))
		return [text('gen_ai.operation.name', 'execute_tool'), text('gen_ai.tool.name', `tool_${which % 200}`)]
	if (!modelPlaces.has(place)) return [text('http.request.method', 'GET')]
	return [
		...[text('gen_ai.operation.name', 'chat'), text('gen_ai.provider.name', 'openai')],
		...[text('gen_ai.request.model', `model-${which % 8}`), text('user.id', `user-${which}`)],
		{ key: 'gen_ai.usage.input_tokens', value: { intValue: String(which) } },
	]
}
