import type { ServerResponse } from 'node:http'
import { request } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { answerAnthropic } from './testing/anthropic-wire.ts'
import { answerGemini } from './testing/gemini-wire.ts'
import { answerOpenAi } from './testing/openai-wire.ts'
import { useProxyStage } from './testing/proxy-stage.ts'
import { until } from './testing/start-proxy.ts'

const stage = useProxyStage()
const policies = ['abort', 'drain', 'detach'] as const
const keys = new Map<string, string>()

const asked = { model: 'm', stream: true, stream_options: { include_usage: true } }
const gemini = '/v1beta/models/m:streamGenerateContent?alt=sse'
const dialects = [
	{
		path: '/proxy/gpt/v1/chat/completions',
		frames: answerOpenAi('POST', '/chat/completions', asked).frames?.map(String),
	},
	{
		path: '/proxy/claude/v1/messages',
		frames: answerAnthropic('POST', '/v1/messages', asked).frames?.map(String),
	},
	{
		path: `/proxy/google${gemini}`,
		frames: answerGemini('POST', gemini, asked).frames?.map(String),
	},
]

/** The provider sends the first frames, and the rest when it is released. */
function serveInTwoParts(frames: string[], first: number) {
	const gate = Promise.withResolvers<void>()
	const served = { begun: false, left: 0, whole: false, open: () => gate.resolve() }
	stage.mock.intercept = (_received, response: ServerResponse) => {
		served.begun = true
		response.on('close', () => {
			if (!response.writableFinished) served.left = performance.now()
		})
		if (first > 0) response.writeHead(200, { 'content-type': 'text/event-stream' })
		for (const frame of frames.slice(0, first)) response.write(frame)
		void gate.promise.then(() => {
			if (response.destroyed) return
			if (first === 0) response.writeHead(200, { 'content-type': 'text/event-stream' })
			response.end(frames.slice(first).join(''), () => {
				served.whole = true
			})
		})
		return true
	}
	return served
}

/** Reads an answer until it contains the text, and disconnects. */
async function leaveAfter(
	path: string,
	key: string,
	text: string,
	served: { begun: boolean },
): Promise<void> {
	const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
	const sent = request(stage.proxy.url + path, { method: 'POST', headers })
	sent.on('error', () => {})
	let got = ''
	sent.on('response', (response) => response.on('data', (chunk: Buffer) => (got += chunk.toString())))
	sent.end(JSON.stringify(asked))
	await until(() => served.begun && got === text)
	sent.destroy()
}

beforeAll(async () => {
	const connection = { name: 'google', provider: 'gemini', base_url: stage.mock.url, key: 'k' }
	await stage.proxy.api(stage.key, 'POST', '/v1/provider-keys', connection)
})

describe.each(dialects)('a client that disconnects $path', ({ path, frames = [] }) => {
	beforeAll(async () => {
		for (const on_disconnect of policies) {
			const made = await stage.proxy.api(stage.key, 'POST', '/v1/keys', {
				...{ name: on_disconnect, scopes: ['proxy:invoke'], on_disconnect },
			})
			expect(made.json).toMatchObject({ on_disconnect })
			keys.set(on_disconnect, made.json.key)
		}
	})

	it.each([0, 1])(
		'leaves a call after %i frames that ends with the key that it goes on with',
		async (first) => {
			const { proxy } = stage
			const of = { name: 'short-lived', scopes: ['proxy:invoke'], on_disconnect: 'detach' }
			const { key, id } = (await proxy.api(stage.key, 'POST', '/v1/keys', of)).json
			const served = serveInTwoParts(frames, first)
			const record = await stage.lastRecord(async () => {
				await leaveAfter(path, key, frames.slice(0, first).join(''), served)
				await until(() => proxy.attended.size === 0)
				expect(served.left).toBe(0)
				await proxy.api(stage.key, 'DELETE', `/v1/keys/${id}`)
				await until(() => served.left > 0)
			})
			expect(record).toMatchObject({ status: 'cut', errorType: 'unauthenticated' })
			served.open()
		},
	)

	it.each(policies)('after any frame under %s gives one settled call', async (policy) => {
		const { proxy } = stage
		const lateMs: number[] = []
		for (let first = 0; first <= frames.length; first += 1) {
			const before = proxy.recorded.length
			const served = serveInTwoParts(frames, first)
			await leaveAfter(path, keys.get(policy) ?? '', frames.slice(0, first).join(''), served)
			const leftAt = performance.now()
			await until(() => proxy.attended.size === 0)
			if (policy === 'abort') {
				await until(() => served.left > 0)
				lateMs.push(served.left - leftAt)
			}
			served.open()
			await until(() => proxy.recorded.length > before)
			const [row, ...more] = proxy.recorded.slice(before)
			expect(more).toEqual([])
			expect([first, row?.usageSource]).toEqual([first, expect.stringMatching(/^(?:reported|estimated)$/)])
			expect(row?.inputTokens).toBeGreaterThan(0)
			if (policy === 'abort') continue
			expect(served.whole).toBe(true)
			expect(row).toMatchObject({ usageSource: 'reported', status: 'ok' })
			expect(row?.attributes.get('signalbox.unattended')).toBe(true)
		}
		lateMs.sort((a, b) => a - b)
		expect(lateMs[Math.floor(lateMs.length / 2)] ?? 0).toBeLessThan(50)
	})
})

// LiteLLM closes a stream of Anthropic at the event before the last.
it.each(dialects)(
	'a client that disconnects from $path once it has the end of the answer and its usage has not interrupted it',
	async ({ path, frames = [] }) => {
		const statusAfter = async (count: number) => {
			const served = serveInTwoParts(frames, count)
			const before = stage.proxy.recorded.length
			await leaveAfter(path, keys.get('abort') ?? '', frames.slice(0, count).join(''), served)
			await until(() => stage.proxy.recorded.length > before)
			served.open()
			return stage.proxy.recorded.at(-1)
		}
		const isLast = (frame: string) => frame.includes('[DONE]') || frame.includes('message_stop')
		const last = frames.findLastIndex((frame) => !isLast(frame))
		expect(await statusAfter(last + 1)).toMatchObject({ status: 'ok', usageSource: 'reported' })
		expect(await statusAfter(2)).toMatchObject({
			...{ status: 'interrupted', errorType: 'client_disconnected' },
		})
	},
)

const errorEvents = {
	'/proxy/gpt/v1/chat/completions': `data: {"error":{"message":"Overloaded","type":"server_error"}}\n\n`,
	'/proxy/claude/v1/messages': `event: error\ndata: {"type":"error","error":{"type":"server_error","message":"Overloaded"}}\n\n`,
}

it.each(Object.entries(errorEvents))(
	'a client that disconnects from %s at an error event is recorded with the error',
	async (path, event) => {
		const [first = ''] = dialects.find((dialect) => dialect.path === path)?.frames ?? []
		const served = serveInTwoParts([first, event, 'data: {}\n\n'], 2)
		const before = stage.proxy.recorded.length
		await leaveAfter(path, keys.get('abort') ?? '', first + event, served)
		await until(() => stage.proxy.recorded.length > before)
		served.open()
		expect(stage.proxy.recorded.at(-1)).toMatchObject({
			...{ status: 'error', errorType: 'server_error', statusMessage: 'Overloaded', httpStatus: 200 },
		})
	},
)

it.each([
	['in the middle of', -4, 'interrupted'],
	['behind all of', undefined, 'ok'],
])('a client that disconnects %s an answer of JSON without a length', async (_where, end, status) => {
	const whole = JSON.stringify({ id: 'c1', choices: [{ message: { content: 'Hello' } }] })
	const text = whole.slice(0, end)
	stage.mock.intercept = (_received, response: ServerResponse) => {
		response.writeHead(200, { 'content-type': 'application/json' })
		response.write(text)
		return true
	}
	const before = stage.proxy.recorded.length
	const path = '/proxy/gpt/v1/chat/completions'
	await leaveAfter(path, keys.get('abort') ?? '', text, { begun: true })
	await until(() => stage.proxy.recorded.length > before)
	expect(stage.proxy.recorded.at(-1)).toMatchObject({ status, httpStatus: 200 })
})

it('a client that disconnects at the head of a refusal is recorded with the refusal', async () => {
	const { promise, resolve } = Promise.withResolvers<void>()
	stage.mock.intercept = (_received, response: ServerResponse) => {
		response.writeHead(429, { 'content-type': 'application/json' })
		response.write('{"error":')
		response.on('close', resolve)
		return true
	}
	const before = stage.proxy.recorded.length
	const headers = { authorization: `Bearer ${keys.get('abort')}`, 'content-type': 'application/json' }
	const sent = request(`${stage.proxy.url}/proxy/gpt/v1/chat/completions`, { method: 'POST', headers })
	sent.on('error', () => {})
	sent.on('response', () => sent.destroy())
	sent.end(JSON.stringify(asked))
	await promise
	await until(() => stage.proxy.recorded.length > before)
	expect(stage.proxy.recorded.at(-1)).toMatchObject({
		status: 'error',
		errorType: 'http_429',
		httpStatus: 429,
	})
})

it('a program that stops ends calls that nobody waits for, and records them', async () => {
	const { proxy } = stage
	const { path, frames = [] } = dialects[0] ?? { path: '' }
	const served = serveInTwoParts(frames, 2)
	const before = proxy.recorded.length
	await leaveAfter(path, keys.get('detach') ?? '', frames.slice(0, 2).join(''), served)
	await until(() => proxy.attended.size === 0)
	expect(proxy.recorded).toHaveLength(before)
	await proxy.closeModels()
	expect(proxy.recorded.at(-1)).toMatchObject({ errorType: 'shutting_down', usageSource: 'estimated' })
	expect(proxy.recorded).toHaveLength(before + 1)
	await until(() => served.left > 0)
	await stage.expectSoundRecords()
})
