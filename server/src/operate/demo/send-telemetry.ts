import { newId, type Replay, type ReplayedRun } from './replay.ts'

type Attribute = { key: string; value: object }

const minuteMs = 60_000
const text = (key: string, value: string): Attribute => ({ key, value: { stringValue: value } })
const nano = (ms: number) => `${ms}000000`
const service = (name: string) => ({ attributes: [text('service.name', name)] })

/** Sends what the program of an agent tells of a run, as any OpenTelemetry exporter does. */
export function sendRun(replay: Replay, run: ReplayedRun): Promise<void> {
	const scopeSpans = [{ scope: { name: 'demo-agent' }, spans: spansOf(run) }]
	return send(replay, 'traces', { resourceSpans: [{ resource: service(run.agent.client[0]), scopeSpans }] })
}

function spansOf({ agent, user, conversation, traceId, startMs, endMs, steps }: ReplayedRun) {
	const rootId = newId(8)
	const root = {
		...{ traceId, spanId: rootId, name: `invoke_agent ${agent.name}`, kind: 1 },
		...{ startTimeUnixNano: nano(startMs), endTimeUnixNano: nano(endMs) },
		attributes: [
			text('gen_ai.operation.name', 'invoke_agent'),
			text('gen_ai.agent.name', agent.name),
			text('gen_ai.conversation.id', conversation),
			...(user ? [text('user.id', user)] : []),
		],
	}
	const children = steps.map((step) => ({
		...{ traceId, spanId: step.spanId, parentSpanId: rootId, name: step.name, kind: 1 },
		...{ startTimeUnixNano: nano(step.startMs), endTimeUnixNano: nano(step.endMs) },
		status: { code: step.failed ? 2 : 1 },
	}))
	return [root, ...children]
}

/** What else a day has: calls of a server that nobody registered, logs, scores of some runs, and a metric. */
export async function sendSurroundings(replay: Replay, runs: readonly ReplayedRun[]): Promise<void> {
	await send(replay, 'traces', {
		resourceSpans: [{ resource: service('pricing-tools'), scopeSpans: [unregistered(replay)] }],
	})
	await send(replay, 'logs', {
		resourceLogs: [
			{
				resource: service('support-desk'),
				scopeLogs: [{ logRecords: [...logsOf(replay), ...scoresOf(runs)] }],
			},
		],
	})
	const gauge = { dataPoints: queueOf(replay) }
	const metrics = [{ name: 'support.queue', unit: '{tickets}', description: 'Tickets that wait', gauge }]
	await send(replay, 'metrics', {
		resourceMetrics: [{ resource: service('support-desk'), scopeMetrics: [{ metrics }] }],
	})
}

function unregistered({ nowMs }: Replay) {
	const spans = Array.from({ length: 6 }, (_, at) => {
		const startMs = nowMs - (at * 170 + 40) * minuteMs
		return {
			...{ traceId: newId(16), spanId: newId(8), name: 'tools/call quote_price', kind: 2 },
			...{ startTimeUnixNano: nano(startMs), endTimeUnixNano: nano(startMs + 90 + at * 7) },
			attributes: [text('mcp.method.name', 'tools/call'), text('gen_ai.tool.name', 'quote_price')],
		}
	})
	return { spans }
}

function logsOf({ nowMs }: Replay) {
	const record = (minutesAgo: number, severityNumber: number, said: string) => ({
		...{ timeUnixNano: nano(nowMs - minutesAgo * minuteMs), severityNumber },
		body: { stringValue: said },
	})
	return [
		record(610, 9, 'The queue is empty.'),
		record(190, 13, 'The queue is longer than 40 tickets.'),
		record(13, 17, 'The archive did not answer within 10 s; the ticket goes to a person.'),
		record(11, 17, 'The archive did not answer within 10 s; the ticket goes to a person.'),
	]
}

const judged = [0.9, 0.8, 1, 0.4, 0.7]

/** Every third run was judged by a model. */
function scoresOf(runs: readonly ReplayedRun[]) {
	return runs
		.filter((_run, at) => at % 3 === 0)
		.map(({ traceId, endMs, conversation }, at) => ({
			...{ timeUnixNano: nano(endMs), severityNumber: 9, eventName: 'gen_ai.evaluation.result', traceId },
			attributes: [
				text('gen_ai.evaluation.name', 'helpfulness'),
				{ key: 'gen_ai.evaluation.score.value', value: { doubleValue: judged[at % judged.length] } },
				text('signalbox.score.source', 'model'),
				text('gen_ai.conversation.id', conversation),
			],
		}))
}

function queueOf({ nowMs }: Replay) {
	return Array.from({ length: 96 }, (_, at) => ({
		timeUnixNano: nano(nowMs - at * 15 * minuteMs),
		asDouble: Math.round(22 + 18 * Math.sin(at / 9)),
	}))
}

async function send({ client, made }: Replay, signal: string, body: object): Promise<void> {
	await client.as(made.ingestToken).call('POST', `/v1/${signal}`, body)
}
