import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import { createIngress } from '../../platform/http/ingress.ts'
import { type Listener, listen } from '../../platform/http/listener.ts'
import { LiveRequests } from '../../platform/http/live-requests.ts'
import { refuseWithProblem } from '../../platform/http/refusals.ts'
import { newSpanId, newTraceId } from '../../platform/ids.ts'
import { silentLog } from '../../platform/log.ts'
import { refuseOtlp } from './answers.ts'
import { IngestCounts } from './ingest-counts.ts'
import { otlpRoutes } from './otlp-routes.ts'

let listener: Listener | undefined
afterEach(() => listener?.close(0))

/** A receiver whose log fails as given, then works. */
async function startReceiver(
	failures: Error[],
): Promise<{ send(body: string): Promise<Response>; appended: () => number }> {
	let appended = 0
	const { routes } = otlpRoutes({
		recorder: {
			append: async () => {
				const failure = failures.shift()
				if (failure) throw failure
				appended++
				return true
			},
			stats: () => ({ storedRows: 0, pendingRows: 1000 }),
		},
		live: { publishEncoded: () => undefined },
		clock: systemClock,
		stillValid: () => null,
		retention: { daysOf: () => 30 },
		redaction: { rulesOf: () => undefined },
		counts: new IngestCounts(),
		bodyLimitBytes: 4096,
	})
	const ingress = createIngress({
		routes,
		authenticate: () => ({ kind: 'ingest_token', keyId: 'k', name: 'k', workspaceId: 'w' }),
		refusals: {
			api: refuseWithProblem,
			page: refuseWithProblem,
			mcp: refuseWithProblem,
			model: refuseWithProblem,
			otlp: refuseOtlp,
		},
		checkOrigin: () => null,
		onDenied: () => undefined,
		liveRequests: new LiveRequests(),
		log: silentLog,
	})
	listener = await listen('127.0.0.1', 0, ingress)
	const url = `http://127.0.0.1:${listener.port}/v1/traces`
	const headers = { 'content-type': 'application/json' }
	return { send: (body) => fetch(url, { method: 'POST', headers, body }), appended: () => appended }
}

function bodyOf(): string {
	const span = {
		traceId: newTraceId(),
		spanId: newSpanId(),
		startTimeUnixNano: String(BigInt(Date.now()) * 1_000_000n),
	}
	return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
}

test.each([
	['a full log', new Problem('recorder_full'), 503],
	['a disk that fails', new Error('EIO'), 503],
	['a stop', new Problem('shutting_down'), 503],
])(
	'%s answers 503 with Retry-After, and the retry of the same body is stored',
	async (_trouble, error, status) => {
		const { send, appended } = await startReceiver([error])
		const body = bodyOf()
		const refused = await send(body)
		expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([status, 30])
		expect(await refused.json()).toMatchObject({ code: 14 })
		expect((await send(body)).status).toBe(200)
		expect(appended()).toBe(1)
	},
)

test('bodies that together exceed the limit in flight answer 429 with Retry-After', async () => {
	const { send } = await startReceiver([])
	const statuses = await Promise.all(
		Array.from({ length: 30 }, async () => {
			const response = await send(`${bodyOf()}${' '.repeat(3500)}`)
			return [response.status, response.headers.get('retry-after')]
		}),
	)
	for (const [status, retryAfter] of statuses) {
		expect([200, 429]).toContain(status)
		if (status === 429) expect(retryAfter).toBe('1')
	}
	expect((await send(bodyOf())).status).toBe(200)
})
