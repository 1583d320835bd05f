import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { afterEach, expect, it, vi } from 'vitest'
import type { SpanRow } from '../../telemetry/index.ts'
import { PlainCall } from './plain-call.ts'
import { canary, useProxyStage } from './testing/proxy-stage.ts'

const stage = useProxyStage()
const begins = vi.spyOn(PlainCall, 'begins')
afterEach(() => void begins.mockClear())

interface Answer {
	status: number
	headers: IncomingHttpHeaders
	body: string
	isCut: boolean
}

const hello = { model: 'gpt-5.6-sol', messages: [{ role: 'user', content: 'Hi, jane@example.com' }] }

/** `chunked`: a request that the fast lane does not take, so that the call is none of the plain ones. */
function call(
	connection: string,
	chunked: boolean,
	body = JSON.stringify(hello),
	credential: Record<string, string> = stage.byKey(),
): Promise<Answer> {
	const framing = chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': Buffer.byteLength(body) }
	const headers = { ...credential, 'content-type': 'application/json', 'user-agent': 'test/1.0', ...framing }
	const agent = new Agent({ keepAlive: true })
	const answered = new Promise<Answer>((resolve, reject) => {
		const url = `${stage.proxy.url}/proxy/${connection}/v1/chat/completions`
		const sent = request(url, { method: 'POST', headers, agent }, (response) => {
			let text = ''
			const end = (isCut: boolean) =>
				resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, isCut })
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
	(status: number, headers: Record<string, string>, ...pieces: string[]): Respond =>
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
const cases: Record<string, { connection?: string; respond: () => Respond; isPlain?: boolean }> = {
	'an answer of JSON': { respond: () => answering(200, { ...json, ...length }, completion) },
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

/** What may differ between two calls. */
const ofOneCall = new Set(['date', 'x-request-id', 'x-signalbox-request-id', 'server-timing', 'keep-alive'])

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
	const told = [...attributes].filter(([name]) => !/request_id|server_timing|gap_ms/.test(name))
	return {
		...{ status, isCut, row, told: told.sort() },
		body: body.replace(/"request_id":"[^"]*"/, ''),
		headers: Object.entries(headers).filter(([name]) => !ofOneCall.has(name)),
		hasFirstToken: timeToFirstTokenNs !== null,
	}
}

it.each(Object.entries(cases))(
	'%s: a plain call gives the same answer and the same record as any other',
	async (_, { connection = 'gpt', respond }) => {
		const both = []
		for (const chunked of [false, true]) {
			stage.mock.intercept = respond()
			let answer: Answer | undefined
			const record = await stage.lastRecord(async () => {
				answer = await call(connection, chunked)
			})
			both.push(alike(answer as Answer, record))
		}
		expect(begins.mock.results.map(({ value }) => value)).toEqual([true])
		expect(both[0]).toEqual(both[1])
		await stage.expectSoundRecords()
	},
)

it('what is not plain about a request is seen before anything happens', async () => {
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
