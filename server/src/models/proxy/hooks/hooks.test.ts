import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from '../../../insights/webhooks/testing.ts'
import { useProxyStage } from '../testing/proxy-stage.ts'
import { until } from '../testing/start-proxy.ts'
import { mockWords } from '../testing.ts'

const stage = useProxyStage()
const chat = '/proxy/gpt/v1/chat/completions'
const messages = '/proxy/claude/v1/messages'
const prompt = { role: 'user', content: 'Ask EMP-123456 about "EMP-654321".\n' }
const staff = 'EMP-[0-9]{6}'

interface Outcome {
	hook: string
	stage: string
	result: string
	[detail: string]: unknown
}

/** Runs `work` while there is a hook, which is enforced by default. */
async function under(hook: object, work: (made: { id: string; secret?: string }) => Promise<void>) {
	const body = { name: 'Guard', mode: 'enforce', fail_mode: 'closed', ...hook }
	const made = await stage.proxy.api(stage.key, 'POST', '/v1/hooks', body)
	expect([made.status, made.text]).toEqual([201, made.text])
	try {
		await work(made.json)
	} finally {
		await stage.proxy.settled()
		await stage.proxy.api(stage.key, 'DELETE', `/v1/hooks/${made.json.id}`)
	}
}

const ask = (body: object = {}, path = chat, headers: Record<string, string> = stage.byKey()) =>
	stage.send(
		'POST',
		path,
		headers,
		JSON.stringify({ model: 'm', messages: [prompt], max_tokens: 30, ...body }),
	)

/** What hooks did to the call that `work` makes, and its record. */
async function recorded(work: () => Promise<unknown>) {
	const row = await stage.lastRecord(work)
	const value = row?.attributes.get('signalbox.hooks')
	return { row, outcomes: (value ? JSON.parse(String(value)) : []) as Outcome[] }
}

const sent = () => stage.mock.requests.map(({ body }) => body.toString())

describe('a hook on requests', () => {
	it.each([
		['OpenAI', chat, 'permission_error'],
		['Anthropic', messages, 'permission_error'],
	])('denies before anything is sent, in the shape of %s', async (_name, path, type) => {
		await under({ action: 'deny', stages: ['request'], pattern: staff }, async () => {
			const { row, outcomes } = await recorded(async () => {
				const { status, json } = await ask({}, path)
				expect([status, json.error.type, json.error.code]).toEqual([403, type, 'hook_denied'])
			})
			expect(stage.mock.requests).toEqual([])
			expect(row).toMatchObject({ status: 'denied', errorType: 'hook_denied', modelRequested: 'm' })
			expect(row?.costNanoUsd).toBe(0n)
			expect(outcomes).toEqual([{ hook: 'Guard', stage: 'request', result: 'denied', times: 1, matches: 2 }])
			expect((await ask({ messages: [] }, path)).status).toBe(200)
		})
	})

	it('removes what its pattern matches and leaves every other byte', async () => {
		await under({ action: 'redact', stages: ['request'], pattern: staff, label: 'staff' }, async () => {
			const body = `{ "model" : "m",\n"messages":[{"role":"user","content":"a \\"EMP-123456\\" \\u00fc EMP-1"}] , "n":1.50 }`
			const { outcomes } = await recorded(() => stage.send('POST', chat, stage.byKey(), body))
			expect(sent()).toEqual([
				body.replace('"a \\"EMP-123456\\" \\u00fc EMP-1"', '"a \\"[redacted:staff]\\" ü EMP-1"'),
			])
			expect(outcomes).toMatchObject([{ result: 'redacted', matches: 1 }])
		})
	})

	it('in a dry run records what it would do, and changes nothing', async () => {
		const dry = { mode: 'dry_run', stages: ['request', 'response'], pattern: `${staff}|mock` }
		for (const action of ['deny', 'redact']) {
			await under({ ...dry, action }, async () => {
				stage.mock.requests.length = 0
				const { outcomes } = await recorded(async () => {
					const { status, text } = await ask()
					expect([status, text.includes(mockWords.join(''))]).toEqual([200, true])
				})
				expect(JSON.parse(sent()[0] ?? '').messages).toEqual([prompt])
				const result = action === 'deny' ? 'denied' : 'redacted'
				expect(outcomes).toMatchObject([
					{ stage: 'request', result, dry_run: true, matches: 2 },
					{ stage: 'response', result, dry_run: true },
				])
			})
		}
	})

	it('applies to the connections, models and agents that it names', async () => {
		const byAgent = { authorization: `Bearer ${stage.agent.secret}` }
		const other = { connections: ['claude'], models: ['*'], agents: ['*'] }
		const deny = { action: 'deny', stages: ['request'], pattern: staff }
		await under({ ...deny, ...other }, async () => {
			expect((await ask()).status).toBe(200)
			expect((await ask({}, messages)).status).toBe(403)
		})
		await under({ ...deny, models: ['gpt-*'] }, async () => {
			expect((await ask()).status).toBe(200)
			expect((await ask({ model: 'gpt-4o' })).status).toBe(403)
			// The provider may read either of the two.
			expect((await ask({ Model: 'gpt-4o' })).status).toBe(403)
		})
		await under({ ...deny, agents: [stage.agent.name] }, async () => {
			expect((await ask()).status).toBe(200)
			expect((await ask({}, chat, byAgent)).status).toBe(403)
		})
	})

	it('runs for a route that leads to its connection, and for each model that the route requests', async () => {
		const route = { name: 'way', targets: [{ connection: 'gpt', model: 'gpt-4o' }] }
		const { json } = await stage.proxy.api(stage.key, 'POST', '/v1/routes', route)
		const redact = { action: 'redact', stages: ['request'], pattern: staff, models: ['gpt-*'] }
		await under({ ...redact, connections: ['gpt'] }, async () => {
			await ask({}, '/proxy/way/v1/chat/completions')
			const { model, messages: given } = JSON.parse(sent()[0] ?? '')
			expect([model, given[0].content]).toEqual(['gpt-4o', 'Ask [redacted:hook] about "[redacted:hook]".\n'])
		})
		await stage.proxy.api(stage.key, 'DELETE', `/v1/routes/${json.id}`)
	})

	const post = (body: Buffer | string | FormData, headers: Record<string, string> = {}) =>
		fetch(stage.proxy.url + chat, {
			method: 'POST',
			headers: {
				...stage.byKey(),
				...(!(body instanceof FormData) && { 'content-type': 'application/json' }),
				...headers,
			},
			body,
		})
	const secret = JSON.stringify({ model: 'm', messages: [prompt] })
	const bytes = Buffer.from(secret)
	const unreadable: [string, Buffer | string, Record<string, string>?][] = [
		['a byte order mark', `\ufeff${secret}`],
		['UTF-16', Buffer.from(secret, 'utf16le')],
		['UTF-16 with its mark', Buffer.from(`\ufeff${secret}`, 'utf16le')],
		['UTF-32', Buffer.from([...secret].flatMap((sign) => [sign.charCodeAt(0), 0, 0, 0]))],
		['NaN', secret.replace('}', ',"n":NaN}')],
		['a byte that is no UTF-8', Buffer.concat([bytes.subarray(0, -2), Buffer.from('\xff"}', 'latin1')])],
		['a trailing comma', secret.replace(/}$/, ',}')],
		['a comment', `${secret}// x`],
		['a key twice', secret.replace('{', '{"messages":[],')],
		['a second document', `${secret}\n{}`],
		['deep nesting', secret.replace(/}$/, `,"x":${'['.repeat(70)}${']'.repeat(70)}}`)],
		['another charset', secret, { 'content-type': 'application/json; charset=utf-7' }],
		['the content type of a form', secret, { 'content-type': 'multipart/form-data; boundary=x' }],
	]

	it.each(unreadable)('refuses, if enforced, what it cannot read: %s', async (_what, body, headers) => {
		for (const fail_mode of ['open', 'closed']) {
			await under({ action: 'deny', stages: ['request'], pattern: staff, fail_mode }, async () => {
				const { row, outcomes } = await recorded(async () => {
					const answer = await post(body, headers)
					expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('Guard')])
				})
				expect(row).toMatchObject({ errorType: 'invalid_json' })
				expect(row?.attributes.get('signalbox.request_unread')).toBeTruthy()
				expect(outcomes).toMatchObject([{ stage: 'request', result: 'failed' }])
				expect(stage.mock.requests).toEqual([])
			})
		}
	})

	it('in a dry run lets pass what it cannot read, and records that', async () => {
		await under({ action: 'deny', stages: ['request'], pattern: staff, mode: 'dry_run' }, async () => {
			const { outcomes } = await recorded(() => post(`\ufeff${secret}`))
			expect(outcomes).toMatchObject([
				{ result: 'failed', dry_run: true, error: expect.stringContaining('byte order mark') },
			])
			expect(stage.mock.requests).toHaveLength(1)
		})
	})

	const encoders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync }

	it.each(Object.entries(encoders))('reads a body in the encoding %s', async (encoding, encode) => {
		const headers = { 'content-encoding': encoding }
		const clean = encode(secret.replaceAll('EMP', 'emp'))
		await under({ action: 'deny', stages: ['request'], pattern: staff }, async () => {
			expect((await post(encode(secret), headers)).status).toBe(403)
			expect(stage.mock.requests).toEqual([])
			expect((await post(clean, headers)).status).toBe(200)
			expect(stage.mock.requests.splice(0)[0]?.body.equals(clean)).toBe(true)
		})
		await under({ action: 'redact', stages: ['request'], pattern: staff }, async () => {
			expect((await post(encode(secret), headers)).status).toBe(200)
			const [request] = stage.mock.requests.splice(0)
			expect(request?.headers).not.toHaveProperty('content-encoding')
			expect(JSON.parse(String(request?.body)).messages[0].content).toContain('[redacted:hook]')
		})
	})

	it('cannot be bypassed with an unsupported content encoding', async () => {
		for (const [encoding, body] of [
			['gzip, gzip', gzipSync(gzipSync(secret))],
			['snappy', bytes],
		] as const)
			expect((await post(body, { 'content-encoding': encoding })).status).toBe(415)
		expect((await post(bytes, { 'content-encoding': 'gzip' })).status).toBe(400)
		expect((await post(gzipSync(Buffer.alloc(50_000_000)), { 'content-encoding': 'gzip' })).status).toBe(413)
		expect(stage.mock.requests).toEqual([])
	})

	it('reads the texts of a form, including the lines of a batch', async () => {
		const form = (text: string, file: string | Uint8Array) => {
			const data = new FormData()
			data.append('prompt', text)
			data.append('file', new Blob([file as string]), 'file')
			return data
		}
		const hidden = '{"x":"\\u0045MP-123456"}\n'
		await under({ action: 'deny', stages: ['request'], pattern: staff }, async () => {
			for (const data of [form('EMP-123456', 'x'), form('x', 'EMP-123456'), form('x', hidden.repeat(2))])
				expect((await post(data)).status).toBe(403)
			expect(stage.mock.requests).toEqual([])
			expect((await post(form('x', new Uint8Array([255, 216, 0, 1])))).status).toBe(200)
		})
		await under({ action: 'redact', stages: ['request'], pattern: staff }, async () =>
			expect((await post(form('EMP-123456', 'x'))).status).toBe(403),
		)
	})
})

describe('a hook on answers', () => {
	it('denies a complete answer, which is still paid for', async () => {
		const rates = { in_text: '1000000000', cache_read: '1000000000', out_text: '1000000000' }
		await stage.proxy.api(stage.key, 'POST', '/v1/prices', { model: 'house-model*', rates })
		await under({ action: 'deny', stages: ['response'], pattern: 'mock' }, async () => {
			const { row } = await recorded(async () => {
				const { status, json } = await ask({ model: 'house-model' })
				expect([status, json.error.code, json.error.reason]).toEqual([403, 'call_cut', 'hook_denied'])
			})
			expect(row).toMatchObject({ status: 'cut', errorType: 'hook_denied', usageSource: 'reported' })
			expect(row?.costNanoUsd).toBeGreaterThan(0n)
		})
	})

	it('removes what its pattern matches, and corrects the length', async () => {
		const redact = { action: 'redact', stages: ['response'], pattern: 'the mock', label: 'x' }
		await under(redact, async () => {
			const { json, headers, text } = await ask()
			expect(json.choices[0].message.content).toBe('Grüße from [redacted:x] – 你好 👋!')
			expect(Number(headers.get('content-length'))).toBe(Buffer.byteLength(text))
			expect(stage.mock.requests[0]?.headers['accept-encoding']).toBe('identity')
		})
	})

	it.each([
		['OpenAI', chat, '[DONE]'],
		['Anthropic', messages, 'message_stop'],
	])('stops a stream of %s where a match is complete, with an error and no end', async (_name, path, end) => {
		await under({ action: 'deny', stages: ['stream'], pattern: 'word3 word4' }, async () => {
			const { row, outcomes } = await recorded(async () => {
				const { status, text, isCut } = await ask({ stream: true, model: 'slow' }, path)
				expect([status, isCut]).toEqual([200, true])
				expect(text).toContain('word3')
				expect(text).not.toContain('word4')
				expect(text).not.toContain(end)
				const last = text.trimEnd().split('\n\n').at(-1) ?? ''
				const error = { code: 'call_cut', reason: 'hook_denied' }
				expect(JSON.parse(last.slice(last.indexOf('{'))).error).toMatchObject(error)
			})
			expect(row).toMatchObject({ status: 'cut', errorType: 'hook_denied', httpStatus: 200 })
			expect(outcomes).toMatchObject([{ stage: 'stream', result: 'denied', matches: 1 }])
			await until(() => stage.mock.requests[0]?.disconnectedAtMs !== null)
		})
	})

	it.each([
		['stream', '', 'enforce'],
		['stream', 'Text/Event-Stream', 'dry_run'],
		['response', 'Application/JSON', 'enforce'],
	])('counts one match in a %s of the type %o (%s)', async (one, type, mode) => {
		const event = 'data: {"choices":[{"index":0,"delta":{"content":"EMP-123456"}}]}\n\n'
		const events = mode === 'enforce' ? [event.trimEnd(), '\n\n'] : [event, event.replace('EMP', 'no')]
		const parts = one === 'stream' ? events : ['{"x":"EMP-123456"', '}']
		stage.mock.intercept = (_received, response) => {
			response.writeHead(200, type === '' ? {} : { 'content-type': type }).write(parts[0])
			setTimeout(() => response.end(parts[1]), 30)
			return true
		}
		await under({ action: 'deny', stages: [one], pattern: staff, fail_mode: 'open', mode }, async () => {
			const { outcomes } = await recorded(async () => {
				const { text } = await ask({ stream: one === 'stream' })
				expect(text.includes('hook_denied')).toBe(mode === 'enforce')
				expect(text.includes('EMP')).toBe(mode === 'dry_run')
			})
			expect(outcomes).toMatchObject([{ stage: one, result: 'denied', times: 1, matches: 1 }])
		})
	})

	it('passes a stream unchanged if it finds nothing, or in a dry run', async () => {
		const plain = await ask({ stream: true })
		for (const [mode, pattern] of [
			['enforce', 'not there'],
			['dry_run', 'the mock'],
		])
			await under({ action: 'deny', stages: ['stream'], pattern, mode }, async () => {
				expect((await ask({ stream: true })).text).toBe(plain.text)
			})
	})
})

describe('a webhook', () => {
	let receiver: Receiver
	beforeAll(async () => {
		receiver = await startReceiver()
	})
	afterAll(() => receiver?.close())
	const answer = (json: unknown) =>
		receiver.answer((response) => void response.writeHead(200).end(JSON.stringify(json)))
	const webhook = (more: object) => ({ action: 'webhook', url: receiver.url, ...more })

	it('is signed with both secrets for a day after a rotation', async () => {
		answer({ action: 'allow' })
		await under(webhook({ stages: ['request'] }), async ({ secret: old, id }) => {
			const at = `/v1/hooks/${id}`
			const { status, json } = await stage.proxy.api(stage.key, 'POST', `${at}/rotate-secret`)
			expect([status, json.secret === old]).toEqual([201, false])
			const { secret, ...shown } = json
			expect(Date.parse(shown.old_secret_expires_at)).toBeGreaterThan(Date.now() + 23 * 3_600_000)
			expect((await stage.proxy.api(stage.key, 'GET', at)).json).toEqual(shown)
			expect((await stage.proxy.api(stage.key, 'PATCH', at, shown)).status).toBe(200)
			await ask({})
			const { body, headers } = receiver.messages.at(-1) ?? { body: '', headers: {} }
			for (const one of [secret, old]) new Webhook(one).verify(body, headers)
			// For another origin, the old secret is not used any more.
			const moved = await stage.proxy.api(stage.key, 'PATCH', at, { url: 'http://127.0.0.1:9/' })
			expect(moved.json.old_secret_expires_at).toBeNull()
		})
	})

	it('gets the texts of a request, signed, and what it finds is removed', async () => {
		answer({ action: 'redact', matches: ['EMP-', 'EMP-123456', 'red'] })
		await under(webhook({ stages: ['request'], label: 'staff' }), async ({ secret, id }) => {
			const { outcomes } = await recorded(() => ask())
			const { body, headers } = receiver.messages.at(-1) ?? { body: '', headers: {} }
			new Webhook(secret ?? '').verify(body, headers)
			const expected = {
				hook: { id, name: 'Guard' },
				stage: 'request',
				connection: 'gpt',
				model: 'm',
				agent: null,
			}
			expect(JSON.parse(body)).toMatchObject({ ...expected, texts: ['user', prompt.content] })
			const content = 'Ask [redacted:staff] about "[redacted:staff]654321".\n'
			expect(JSON.parse(sent()[0] ?? '').messages[0].content).toBe(content)
			expect(outcomes).toMatchObject([{ result: 'redacted', matches: 3, ms: expect.any(Number) }])
		})
	})

	it('denies a request, an answer and a stream with its reason', async () => {
		answer({ action: 'deny', reason: 'it is Friday' })
		for (const one of ['request', 'response', 'stream']) {
			await under(webhook({ stages: [one] }), async () => {
				const { row } = await recorded(async () => {
					const { text } = await ask({ stream: one === 'stream' })
					expect(text).toContain('it is Friday')
					// No part of a stream passes before it is checked.
					expect(text).not.toContain('Grüße')
				})
				const status = one === 'request' ? 'denied' : 'cut'
				expect(row).toMatchObject({ status, errorType: 'hook_denied' })
			})
		}
	})

	it('refuses the call or lets it pass if it fails or is late, as configured', async () => {
		for (const [answers, fail_mode, status, error] of [
			[500, 'closed', 503, 'Its webhook answered 500.'],
			[500, 'open', 200, 'Its webhook answered 500.'],
			[null, 'closed', 503, 'timeout'],
		] as const) {
			receiver.answer((response) => void (answers && response.writeHead(answers).end()))
			// On a busy machine, an answer may take longer than the tenth of a second that is waited for one that never comes.
			const timeout_ms = answers ? 10_000 : 100
			const hook = webhook({ stages: ['request', 'response'], fail_mode, timeout_ms })
			await under(hook, async () => {
				const { outcomes } = await recorded(async () => expect((await ask()).status).toBe(status))
				expect(outcomes[0]?.result).toBe('failed')
				expect(outcomes[0]?.error).toContain(error)
			})
		}
	})
})

it('every call has one record without secrets', () => stage.expectSoundRecords())
