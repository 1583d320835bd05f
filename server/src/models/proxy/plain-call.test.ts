import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LaneRequest } from '../../platform/http1/lane-request.ts'
import type { SpanRow } from '../../telemetry/index.ts'
import { CallAllowance } from './call-allowance.ts'
import { PlainCall } from './plain-call.ts'
import { canary, useProxyStage } from './testing/proxy-stage.ts'
import { until } from './testing/start-proxy.ts'

const stage = useProxyStage()
const begins = vi.spyOn(PlainCall, 'begins')
afterEach(() => void begins.mockClear())

interface Answer {
	status: number
	headers: IncomingHttpHeaders
	body: string
	isCut: boolean
	askedMs: number
	answeredMs: number
}

const hello = { model: 'gpt-5.6-sol', messages: [{ role: 'user', content: 'Hi, jane@example.com' }] }

/** `chunked`: the fast lane does not accept such a request, so the call is not a plain one. */
function call(
	connection: string,
	chunked: boolean,
	body = JSON.stringify(hello),
	credential: Record<string, string> = stage.byKey(),
): Promise<Answer> {
	const framing = chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': Buffer.byteLength(body) }
	const sentHeaders = {
		...credential,
		'content-type': 'application/json',
		'user-agent': 'test/1.0',
		...framing,
	}
	const askedMs = Date.now()
	const agent = new Agent({ keepAlive: true })
	const answered = new Promise<Answer>((resolve, reject) => {
		const url = `${stage.proxy.url}/proxy/${connection}/v1/chat/completions`
		const sent = request(url, { method: 'POST', headers: sentHeaders, agent }, (response) => {
			let text = ''
			const { headers } = response
			const answeredMs = Date.now()
			const end = (isCut: boolean) =>
				resolve({ ...{ status: response.statusCode ?? 0, headers, body: text, isCut }, askedMs, answeredMs })
			response.on('data', (piece: Buffer) => {
				text += piece
			})
			response.on('end', () => end(false))
			response.on('error', () => end(true))
		})
		sent.on('error', reject)
		sent.end(body)
	})
	return answered.finally(() => agent.destroy())
}

const message = { role: 'assistant', content: 'Hello' }
const usage = { prompt_tokens: 1000, completion_tokens: 100 }
const completion = JSON.stringify({ id: 'c1', model: 'gpt-5.6-sol', choices: [{ message }], usage })
const json = { 'content-type': 'application/json', 'x-ratelimit-remaining': '7', 'x-request-id': 'req_1' }
const event = { id: 'c1', choices: [{ index: 0, delta: message, finish_reason: 'stop' }] }

type Respond = NonNullable<typeof stage.mock.intercept>
const answering =
	(status: number, headers: Record<string, string | string[]>, ...pieces: string[]): Respond =>
	(_received, response) => {
		response.writeHead(status, headers)
		const next = () => {
			const piece = pieces.shift()
			if (piece === undefined) return void response.end()
			response.write(piece)
			setTimeout(next, 5)
		}
		if (pieces.length === 1) response.end(pieces[0])
		else next()
		return true
	}
const length = { 'content-length': String(completion.length) }
interface Case {
	connection?: string
	respond: () => Respond
	costNanoUsd?: bigint
	inputTokens?: number
}
const cases: Record<string, Case> = {
	'an answer of JSON': { respond: () => answering(200, { ...json, ...length }, completion) },
	'the answer of a LiteLLM proxy, which reports its cost in a header': {
		respond: () => {
			const body = completion.replace('gpt-5.6-sol', 'fast')
			const headers = { 'x-litellm-response-cost': '0.00225', 'content-length': String(body.length) }
			return answering(200, { ...json, ...headers }, body)
		},
		costNanoUsd: 2_250_000n,
	},
	'an answer whose type a proxy has added once more': {
		respond: () => {
			const type = ['application/json', 'application/json']
			return answering(200, { ...length, 'content-type': type }, completion)
		},
		inputTokens: 1000,
	},
	'an answer in two pieces': {
		respond: () => answering(200, { ...json, ...length }, completion.slice(0, 40), completion.slice(40)),
	},
	'an answer of unknown length': {
		respond: () => answering(200, json, completion.slice(0, 40), completion.slice(40)),
	},
	'a stream': {
		respond: () =>
			answering(
				200,
				{ 'content-type': 'text/event-stream' },
				`data: ${JSON.stringify(event)}\n\n`,
				'data: [DONE]\n\n',
			),
	},
	'a stream that breaks off': {
		respond: () => (_received, response) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' })
			response.write(`data: ${JSON.stringify({ ...event, choices: [{ delta: message }] })}\n\n`)
			setTimeout(() => response.destroy(), 20)
			return true
		},
	},
	'an error that quotes the key': {
		respond: () =>
			answering(401, json, JSON.stringify({ error: { message: `Wrong: ${canary}`, type: 't' } })),
	},
	'an answer that quotes the key': {
		respond: () => {
			const body = JSON.stringify({ id: 'c1', choices: [{ message: { ...message, content: canary } }] })
			return answering(200, { ...json, 'content-length': String(body.length) }, body)
		},
	},
	'a connection that is dropped': {
		respond: () => (_received, response) => {
			response.destroy()
			return true
		},
	},
	'no provider': { connection: 'dead-gpt', respond: () => () => false },
}

/** Headers that may differ between two calls. */
const ofOneCall = new Set([
	...['date', 'x-request-id', 'x-signalbox-request-id', 'server-timing', 'keep-alive', 'ratelimit'],
])

function alike({ status, headers, body, isCut }: Answer, record: SpanRow | undefined) {
	const {
		traceId,
		spanId,
		parentSpanId,
		startNs,
		durationNs,
		timeToFirstTokenNs,
		attributes,
		sessionId,
		...row
	} = record as SpanRow
	const kept = [...attributes].filter(([name]) => !/request_id|server_timing|gap_ms/.test(name))
	// The remaining limit is lower for the second call.
	const left = headers.ratelimit === undefined ? [] : ['ratelimit']
	return {
		...{ status, isCut, row, attributes: kept.sort(), left },
		body: body.replace(/"request_id":"[^"]*"/, ''),
		headers: Object.entries(headers)
			.filter(([name]) => !ofOneCall.has(name))
			.map(([name, value]) => (name === 'retry-after' ? [name] : [name, value])),
		hasFirstToken: timeToFirstTokenNs !== null,
	}
}

/** Makes the same call as a plain one and as a `ModelCall`. */
async function bothOf(
	{ connection = 'gpt', respond }: (typeof cases)[string],
	after?: (answer: Answer) => Promise<void>,
) {
	const both = []
	for (const chunked of [false, true]) {
		stage.mock.intercept = respond()
		let answer: Answer | undefined
		const record = await stage.lastRecord(async () => {
			answer = await call(connection, chunked)
		})
		both.push(alike(answer as Answer, record))
		await after?.(answer as Answer)
	}
	expect(begins.mock.results.map(({ value }) => value)).toEqual([true])
	return both
}

it.each(Object.entries(cases))(
	'%s: a plain call gives the same answer and the same record as any other',
	async (_, one) => {
		const both = await bothOf(one)
		expect(both[0]).toEqual(both[1])
		if (one.costNanoUsd !== undefined) expect(both[0]?.row.costNanoUsd).toBe(one.costNanoUsd)
		if (one.inputTokens !== undefined) expect(both[0]?.row.inputTokens).toBe(one.inputTokens)
		await stage.expectSoundRecords()
	},
)

it.each([
	[204, {}],
	[204, { 'content-type': 'text/event-stream' }],
	[304, { 'content-type': 'text/event-stream' }],
	[200, { ...json, 'content-length': '0' }],
])(
	'an answer of status %d without a body reaches the client once it is recorded',
	async (status, headers) => {
		const { recorder } = stage.proxy
		const conclude = vi.spyOn(recorder, 'conclude')
		let isRecorded = false
		conclude.mockImplementationOnce(async (...of) => {
			await new Promise((resolve) => setTimeout(resolve, 50))
			isRecorded = true
			conclude.mockRestore()
			return recorder.conclude(...of)
		})
		stage.mock.intercept = answering(status, headers, '')
		expect(await call('gpt', true)).toMatchObject({ status, isCut: false })
		expect(isRecorded).toBe(true)
	},
)

describe('under a budget and a limit', () => {
	const made: string[] = []
	const put = async (path: string, body: object) => {
		const { status, json } = await stage.proxy.api(stage.key, 'POST', path, {
			name: 'B',
			scope: 'workspace',
			...body,
		})
		expect(status).toBe(201)
		made.push(`${path}/${json.id}`)
		return `${path}/${json.id}`
	}
	const spentOf = async (budget: string) => {
		await stage.proxy.settled()
		await stage.proxy.budgets.tell()
		return BigInt((await stage.proxy.api(stage.key, 'GET', budget)).json.state?.spent)
	}
	afterEach(async () => {
		for (const path of made.splice(0)) await stage.proxy.api(stage.key, 'DELETE', path)
	})

	it.each(Object.entries(cases))('%s: both kinds of call are the same, and cost the same', async (_, one) => {
		const budget = await put('/v1/budgets', { limit: '900000000000000', window: 'month' })
		const limits = { requests_per_minute: 1000, tokens_per_minute: 1_000_000, concurrency: 1 }
		await put('/v1/model-limits', limits)
		const spent = [0n]
		const both = await bothOf(one, async () => void spent.push(await spentOf(budget)))
		expect(both[0]).toEqual(both[1])
		expect(both[0]?.left).toEqual(both[0]?.status === 502 ? [] : ['ratelimit'])
		const [, first = 0n, second = 0n] = spent
		expect(second).toBe(2n * first)
		const cost = both[0]?.row.costNanoUsd ?? null
		// If the cost of a call is unknown, what was reserved for it counts.
		if (cost === null) expect(first).toBeGreaterThan(0n)
		else expect(first).toBe(cost)
	})

	it.each([
		['/v1/budgets', { limit: '10', window: 'month' }, 402],
		['/v1/model-limits', { requests_per_minute: 1 }, 429],
	])('%s that is reached refuses both kinds of call alike', async (path, body, status) => {
		await put(path, body)
		if (status === 429) await call('gpt', true)
		const answers: Answer[] = []
		const both = await bothOf({ respond: () => () => false }, async (answer) => void answers.push(answer))
		expect(both[0]).toEqual(both[1])
		const retryHeaders = answers.map(({ headers }) => [
			headers['retry-after'] !== undefined,
			headers['x-should-retry'],
		])
		expect(retryHeaders).toEqual(answers.map(() => (status === 429 ? [true, undefined] : [false, 'false'])))
		// Both limits name the same moment, in whole seconds from the time of the answer.
		const earliest = answers.map(
			({ askedMs, headers }) => askedMs / 1000 + Number(headers['retry-after']) - 1,
		)
		const latest = answers.map(
			({ answeredMs, headers }) => answeredMs / 1000 + Number(headers['retry-after']),
		)
		if (status === 429) expect(Math.max(...earliest)).toBeLessThan(Math.min(...latest))
		expect(both[0]).toMatchObject({ status, row: { status: 'error' } })
		expect(stage.mock.requests).toHaveLength(status === 429 ? 1 : 0)
	})

	it('a call that waits for them uses its connection as it is afterwards', async () => {
		const connection = { name: 'waiting', provider: 'openai', base_url: stage.mock.url, key: canary }
		const { id } = (await stage.proxy.api(stage.key, 'POST', '/v1/provider-keys', connection)).json
		await put('/v1/model-limits', { concurrency: 5 })
		const { enter } = CallAllowance.prototype
		const admitted = Promise.withResolvers<void>()
		const enters = vi.spyOn(CallAllowance.prototype, 'enter').mockImplementationOnce(async function (
			this: CallAllowance,
			step,
		) {
			await admitted.promise
			await enter.call(this, step)
		})
		const answer = call('waiting', false)
		await until(() => enters.mock.calls.length > 0)
		await stage.proxy.api(stage.key, 'PATCH', `/v1/provider-keys/${id}`, { key: 'sk-later' })
		admitted.resolve()
		expect((await answer).status).toBe(200)
		enters.mockRestore()
		expect(stage.mock.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-later'])
	})

	it('what was reserved for a client that disconnects is released', async () => {
		const budget = await put('/v1/budgets', { limit: '900000000000000', window: 'month' })
		await put('/v1/model-limits', { concurrency: 1 })
		const gone = new AbortController()
		stage.mock.intercept = () => {
			gone.abort()
			return true
		}
		const record = await stage.lastRecord(() => {
			const headers = { ...stage.byKey(), 'content-type': 'application/json' }
			const url = `${stage.proxy.url}/proxy/gpt/v1/chat/completions`
			const sent = fetch(url, { method: 'POST', headers, body: JSON.stringify(hello), signal: gone.signal })
			return expect(sent).rejects.toThrow()
		})
		expect(record).toMatchObject({ status: 'interrupted', errorType: 'client_disconnected' })
		expect(await spentOf(budget)).toBe(record?.costNanoUsd ?? 0n)
		stage.mock.intercept = null
		expect((await call('gpt', false)).status).toBe(200)
	})
})

it('a client that leaves before its body has arrived is recorded by both kinds of call alike', async () => {
	const rows = []
	const waits = vi.spyOn(LaneRequest.prototype, 'ended')
	for (const type of ['application/json', 'text/plain']) {
		waits.mockClear()
		const headers = { ...stage.byKey(), 'content-type': type, 'content-length': 50 }
		const url = `${stage.proxy.url}/proxy/gpt/v1/chat/completions`
		const record = await stage.lastRecord(async () => {
			const sent = request(url, { method: 'POST', headers, agent: new Agent({ keepAlive: true }) })
			sent.on('error', () => {}).write('{"model":')
			await until(() => waits.mock.calls.length > 0 || stage.proxy.liveRequests.size > 0)
			sent.destroy()
		})
		rows.push(alike({ status: 0, headers: {}, body: '', isCut: true, askedMs: 0, answeredMs: 0 }, record))
		expect(stage.proxy.liveRequests.size).toBe(0)
	}
	expect(rows[0]).toEqual(rows[1])
	expect(rows[0]?.row).toMatchObject({ status: 'interrupted', errorType: 'client_disconnected' })
	expect(stage.mock.requests).toEqual([])
})

it('a request that is not plain is recognised before anything happens', async () => {
	const file = { type: 'file', file: { file_id: 'file-abc123' } }
	const foreign = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: [file] }] })
	const statuses = [
		(await call('gpt', false, foreign)).status,
		(await call('gpt', false, foreign.replace('file-abc', '\\u0066ile-abc'))).status,
		(await call('gpt', false, '{"model":"m"}', { 'x-service-api-key': stage.key })).status,
		(await call('gpt', false, '{"model":"m"}')).status,
	]
	expect(statuses).toEqual([404, 404, 200, 200])
	expect(begins.mock.results.map(({ value }) => value)).toEqual([false, false, true])
})

it.each([
	['that is not active', { status: 'paused' }],
	['that may use another connection only', { modelAccess: { mode: 'selected', connections: new Map() } }],
])('an agent %s is refused by both kinds of call alike', async (_name, change) => {
	const { agent, proxy } = stage
	const byAgent = { authorization: `Bearer ${agent.secret}` }
	const body = JSON.stringify(hello)
	expect((await call('gpt', false, body, byAgent)).status).toBe(200)
	if ('status' in change) await proxy.setAgentStatus(agent.id, 'paused')
	else await proxy.setModelAccess(agent.id, change.modelAccess as never)
	stage.mock.requests.length = 0
	const both = []
	for (const chunked of [false, true]) {
		let answer: Answer | undefined
		const record = await stage.lastRecord(async () => {
			answer = await call('gpt', chunked, body, byAgent)
		})
		both.push(alike(answer as Answer, record))
	}
	await proxy.setAgentStatus(agent.id, 'active')
	await proxy.setModelAccess(agent.id, { mode: 'all' })
	expect(both[0]).toEqual(both[1])
	expect(both[0]).toMatchObject({ status: 403, row: { status: 'denied' } })
	expect(stage.mock.requests).toEqual([])
})
