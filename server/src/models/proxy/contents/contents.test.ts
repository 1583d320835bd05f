import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hashOfArguments } from '../../../platform/arguments-hash.ts'
import type { TestStore } from '../../../platform/clickhouse/testing.ts'
import { nowNs } from '../../../platform/clock.ts'
import { openTestSqlite } from '../../../platform/database/testing.ts'
import { encodeSpanRow, newSpanRow, type RuleSet } from '../../../telemetry/index.ts'
import { startTelemetryStore } from '../../../telemetry/store.testing.ts'
import { canary } from '../testing/proxy-stage.ts'
import { type ProxyUnderTest, startProxy, until } from '../testing/start-proxy.ts'
import { type MockProvider, startMockProvider } from '../testing.ts'

/** Workspaces with redaction rules of their own, one of them for content. */
const ruled = new Set<string>()
const rules: RuleSet['rules'] = [
	{ pattern: 'PX-[0-9]+', label: 'code', appliesTo: ['content'], attributeKeys: [] },
	{ pattern: 'T-[0-9]+', label: 'ticket', appliesTo: ['log_bodies'], attributeKeys: [] },
]

/** The model proxy on a real engine, with a provider whose answers the test supplies. */
async function stageContents() {
	const engine = await startTelemetryStore()
	const database = await openTestSqlite()
	const mock = await startMockProvider()
	const proxy = await startProxy(database.store, {
		telemetry: engine.store,
		rulesOf: (id) => (ruled.has(id) ? { key: 'r', rules } : undefined),
	})
	const end = async () => {
		await proxy.close()
		await mock.close()
		await database.end()
		await engine.close()
	}
	return { engine, mock, proxy, end }
}

interface Shown {
	session_id: string | null
	messages: { kind: string; name: string | null; hash: string; bytes: number; text: string | null }[]
}

describe('the contents of model calls', () => {
	let proxy: ProxyUnderTest
	let mock: MockProvider
	let engine: TestStore
	let key: string
	let workspaceId: string
	let end: () => Promise<void>
	beforeAll(async () => {
		;({ proxy, mock, engine, end } = await stageContents())
	})
	afterAll(() => end())
	beforeEach(async () => {
		workspaceId = await proxy.addWorkspace()
		key = (await proxy.addKey(workspaceId)).secret
		for (const [name, provider] of [
			['gpt', 'openai'],
			['claude', 'anthropic'],
		])
			await proxy.api(key, 'POST', '/v1/provider-keys', { name, provider, base_url: mock.url, key: canary })
		mock.intercept = null
	})

	async function call(path: string, body: object, headers: Record<string, string> = {}) {
		const before = proxy.recorded.length
		const response = await fetch(proxy.url + path, {
			method: 'POST',
			headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
			body: JSON.stringify(body),
		})
		await response.text()
		await until(() => proxy.recorded.length > before)
		const row = proxy.recorded[before]
		if (!row) throw new Error('There is no row.')
		return { row, response }
	}
	const read = (row: { traceId: string; spanId: string }) =>
		proxy.api(key, 'GET', `/v1/telemetry/traces/${row.traceId}/spans/${row.spanId}/messages`)
	async function shown(row: { traceId: string; spanId: string }): Promise<Shown> {
		for (const deadline = performance.now() + 10_000; performance.now() < deadline; ) {
			const { status, json } = await read(row)
			if (status === 200) return json
			await new Promise((resolve) => setTimeout(resolve, 20))
		}
		throw new Error('The messages were not stored within 10 s.')
	}
	const textsOf = ({ messages }: Shown) => messages.map(({ kind, name, text }) => [kind, name, text])

	it('are shown part by part, redacted, with the answer of a stream assembled', async () => {
		const { row } = await call('/proxy/claude/v1/messages', {
			model: 'claude-sonnet-5',
			max_tokens: 100,
			stream: true,
			system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
			tools: [{ name: 'search', input_schema: { type: 'object' } }],
			messages: [{ role: 'user', content: 'I am jane@example.com' }],
		})
		const all = textsOf(await shown(row))
		expect(all.slice(0, -1)).toEqual([
			['settings', 'other', '{"max_tokens":100}'],
			['tool', 'search', '{"name":"search","input_schema":{"type":"object"}}'],
			['system', 'system', '{"type":"text","text":"Be brief."}'],
			['message', 'user', '{"role":"user","content":"I am [redacted:email]"}'],
		])
		expect(all.at(-1)?.slice(0, 2)).toEqual(['answer', 'assistant'])
		expect(JSON.parse(all.at(-1)?.[2] as string)).toMatchObject({
			role: 'assistant',
			content: [{ type: 'tool_use', input: {} }],
		})
	})

	it('are the prompt and the text of a completion, and the thinking of a stream', async () => {
		const answerWith = (type: string, text: string) => {
			mock.intercept = (_received, response) => {
				response.writeHead(200, { 'content-type': type })
				return response.end(text) === response
			}
		}
		answerWith(
			'application/json',
			JSON.stringify({ id: 'cmpl-1', choices: [{ index: 0, text: 'return 1' }] }),
		)
		const { row } = await call('/proxy/gpt/v1/completions', {
			model: 'm',
			prompt: 'def one():',
			max_tokens: 5,
		})
		expect(textsOf(await shown(row)).map(([kind, , text]) => [kind, text])).toEqual([
			['settings', '{"max_tokens":5}'],
			['message', '{"role":"user","content":"def one():"}'],
			['answer', '{"role":"assistant","content":"return 1"}'],
		])
		const chunk = (delta: object) =>
			`data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta }] })}\n\n`
		answerWith(
			'text/event-stream',
			`${chunk({ reasoning: 'Hm. ' })}${chunk({ reasoning: 'Yes.' })}data: [DONE]\n\n`,
		)
		const thinking = await call('/proxy/gpt/v1/chat/completions', { model: 'm', stream: true, messages: [] })
		expect(textsOf(await shown(thinking.row)).at(-1)?.[2]).toBe(
			'{"role":"assistant","content":"","reasoning":"Hm. Yes."}',
		)
		const template = { id: 'pmpt_1', version: '2' }
		const stored = await call('/proxy/gpt/v1/responses', { model: 'm', prompt: template })
		expect(textsOf(await shown(stored.row))[0]?.[2]).toBe(JSON.stringify({ prompt: template }))
		mock.intercept = null
	})

	it("are redacted by the workspace's own rules, in messages of people and models", async () => {
		ruled.add(workspaceId)
		const content = 'The code is PX-1234, the ticket is T-77.'
		const messages = [{ role: 'user', content }]
		const { row } = await call('/proxy/gpt/v1/chat/completions', { model: 'gpt-5.6-sol', messages })
		const [message] = (await shown(row)).messages
		expect(message?.text).toBe(
			JSON.stringify({ role: 'user', content: content.replace('PX-1234', '[redacted:code]') }),
		)
	})

	it('are not stored if the connection is set so, except their sizes', async () => {
		const list = await proxy.api(key, 'GET', '/v1/provider-keys')
		const { id, record_bodies } = list.json.provider_keys.find(({ name }: { name: string }) => name === 'gpt')
		expect(record_bodies).toBe(true)
		const changed = await proxy.api(key, 'PATCH', `/v1/provider-keys/${id}`, { record_bodies: false })
		expect(changed.json).toMatchObject({ record_bodies: false, status: 'active' })
		const secret = 'nobody may read this'
		const { row } = await call('/proxy/gpt/v1/chat/completions', {
			model: 'gpt-5.6-sol',
			messages: [{ role: 'user', content: secret }],
		})
		const { messages } = await shown(row)
		expect(messages.map(({ kind, text }) => [kind, text])).toEqual([
			['message', null],
			['answer', null],
		])
		expect(messages[0]?.bytes).toBeGreaterThan(secret.length)
	})

	it('are deduplicated: a session of 50 turns takes a tenth of what it sent', async () => {
		const words = (seed: number, count: number) =>
			Array.from({ length: count }, (_, i) => (seed * 7919 + i * 104729).toString(36)).join(' ')
		const tools = Array.from({ length: 12 }, (_, i) => ({
			name: `tool_${i}`,
			description: words(i, 120),
			input_schema: {},
		}))
		const messages: object[] = []
		let raw = 0
		let last = { traceId: '', spanId: '' }
		const sessions = new Set<string>()
		for (let turn = 0; turn < 50; turn++) {
			messages.push({ role: 'user', content: words(turn + 100, 150) })
			const body = { model: 'claude-sonnet-5', max_tokens: 9, system: words(1, 400), tools, messages }
			raw += JSON.stringify(body).length
			const { row } = await call('/proxy/claude/v1/messages', body)
			last = row
			sessions.add(row.sessionId)
			messages.push({ role: 'assistant', content: words(turn + 1000, 100) })
		}
		// Small bodies are analysed immediately, later ones in the thread. With both, there is one session and one copy of each
		// text.
		expect(sessions.size).toBe(1)
		await shown(last)
		const [texts] = await engine.store.query<{ all: string; different: string }>(
			'SELECT count() AS all, uniqExact(hash) AS different FROM messages WHERE workspace_id = {workspaceId:String}',
			{ workspaceId },
		)
		expect(texts?.all).toBe(texts?.different)
		for (const table of ['exchanges', 'messages']) await engine.store.command(`OPTIMIZE TABLE ${table} FINAL`)
		const [stored] = await engine.store.query<{ bytes: string }>(
			`SELECT sum(bytes_on_disk) AS bytes FROM system.parts
			WHERE database = currentDatabase() AND active AND table IN ('exchanges', 'messages')`,
		)
		expect(raw / Number(stored?.bytes)).toBeGreaterThan(10)
	})

	it('identify the session of clients that name none, and never guess between two with the same beginning', async () => {
		const say = (content: string) => ({ role: 'user', content })
		const reply = { role: 'assistant', content: 'Hi.' }
		const send = async (...messages: object[]) =>
			(await call('/proxy/gpt/v1/chat/completions', { model: 'gpt-5.6-sol', messages })).row.sessionId
		const first = await send(say('A'))
		expect(first).toMatch(/^inferred:[0-9a-f]{16}$/)
		expect(await send(say('A'), reply, say('more'))).toBe(first)
		expect(await send(say('A'), reply, say('more'), reply, say('and more'))).toBe(first)
		const other = await send(say('A'))
		expect(other).not.toBe(first)
		const later = await send(say('A'), reply, say('else'))
		expect([first, other]).not.toContain(later)
		expect(await send(say('A'), reply, say('more'), reply, say('and more'), reply, say('!'))).toBe(first)
	})

	it('identify the session of a request that continues an answer by its id only', async () => {
		let answers = 0
		mock.intercept = (_received, response) => {
			response.writeHead(200, { 'content-type': 'application/json' })
			response.end(
				JSON.stringify({ id: `resp_${++answers}`, output: [{ type: 'message', role: 'assistant' }] }),
			)
			return true
		}
		const send = async (input: string, previous_response_id?: string) => {
			const { row } = await call('/proxy/gpt/v1/responses', {
				model: 'gpt-5.6-sol',
				input,
				previous_response_id,
			})
			await shown(row)
			return row.sessionId
		}
		const first = await send('A')
		expect(first).toMatch(/^inferred:/)
		expect(await send('B', 'resp_1')).toBe(first)
		expect(await send('C', 'resp_2')).toBe(first)
		expect(await send('D')).not.toBe(first)
	})

	/** A call through the gateway, as recorded there. */
	async function runTool(tool: string, given: object, toolUseId: string) {
		const attributes = new Map([['signalbox.arguments_hash', hashOfArguments(given, workspaceId)]])
		if (toolUseId) attributes.set('gen_ai.tool.call.id', toolUseId)
		const spanId = randomBytes(8).toString('hex')
		const row = newSpanRow({
			...{
				workspaceId,
				traceId: randomBytes(16).toString('hex'),
				spanId,
				name: tool,
				toolName: tool,
				attributes,
			},
			...{ source: 'gateway', kind: 'tool_call', status: 'ok', startNs: nowNs() },
		})
		await proxy.recorder.append({ workspaceId, count: 1, bytes: encodeSpanRow(row) })
		return spanId
	}

	it('show which call through the gateway a model asked for, and where its result went', async () => {
		const answers = [
			{ type: 'tool_use', id: 'toolu_1', name: 'mcp__docs__search', input: { q: 'a', n: 1 } },
			{ type: 'tool_use', id: 'toolu_2', name: 'mcp__docs__read', input: { page: 2, path: 'x' } },
			{ type: 'text', text: 'Done.' },
		]
		mock.intercept = (_received, response) => {
			response.writeHead(200, { 'content-type': 'application/json' })
			response.end(JSON.stringify({ id: 'm', role: 'assistant', content: [answers.shift()] }))
			return true
		}
		const session = { 'x-claude-code-session-id': `session-${workspaceId}` }
		const messages: object[] = [{ role: 'user', content: 'Look it up.' }]
		const turn = () =>
			call('/proxy/claude/v1/messages', { model: 'claude-sonnet-5', max_tokens: 9, messages }, session)
		const carry = (id: string, name: string) =>
			messages.push(
				{ role: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] },
				{ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'found' }] },
			)
		const first = await turn()
		const searched = await runTool('search', { n: 1, q: 'a' }, 'toolu_1')
		carry('toolu_1', 'mcp__docs__search')
		const second = await turn()
		const looked = await runTool('read', { path: 'x', page: 2 }, '')
		carry('toolu_2', 'mcp__docs__read')
		const third = await turn()
		await shown(third.row)
		await until(() => proxy.recorder.stats().pendingRows === 0)
		const path = `/v1/telemetry/tool-links?session_id=session-${workspaceId}`
		const { json } = await proxy.api(key, 'GET', path)
		expect(json.tool_links).toMatchObject([
			{
				...{ tool_use_id: 'toolu_1', confidence: 'exact', runs: [{ span_id: searched, status: 'ok' }] },
				...{ asked_by: { span_id: first.row.spanId }, returned_in: { span_id: second.row.spanId } },
			},
			{
				...{ tool_use_id: 'toolu_2', confidence: 'strong', runs: [{ span_id: looked }] },
				...{ asked_by: { span_id: second.row.spanId }, returned_in: { span_id: third.row.spanId } },
			},
		])
		const linksIn = async (traceId: string) =>
			(await proxy.api(key, 'GET', `/v1/telemetry/traces/${traceId}`)).json.tool_links
		const [bySearch, byRead] = json.tool_links
		expect(await linksIn(first.row.traceId)).toEqual([bySearch])
		expect(await linksIn(second.row.traceId)).toEqual([bySearch, byRead])
		expect(await linksIn(bySearch.runs[0].trace_id)).toEqual([bySearch])
		expect(await linksIn(byRead.runs[0].trace_id)).toEqual([byRead])
		const stranger = (await proxy.addKey(await proxy.addWorkspace())).secret
		expect((await proxy.api(stranger, 'GET', path)).json.tool_links).toEqual([])
	})

	it('are invisible to others, and exist for calls only', async () => {
		const { row } = await call('/proxy/gpt/v1/chat/completions', {
			model: 'm',
			messages: [{ role: 'user', content: 'x' }],
		})
		await shown(row)
		const stranger = (await proxy.addKey(await proxy.addWorkspace())).secret
		const path = `/v1/telemetry/traces/${row.traceId}/spans/${row.spanId}/messages`
		expect((await proxy.api(stranger, 'GET', path)).status).toBe(404)
		expect((await proxy.api(key, 'GET', '/v1/telemetry/traces/x/spans/y/messages')).status).toBe(404)
	})

	it("the answer has the time spent in Signalbox, and the record the provider's rate limits", async () => {
		mock.intercept = (_received, response) => {
			response.writeHead(200, {
				'content-type': 'application/json',
				'x-ratelimit-remaining-tokens': '149984',
			})
			response.end('{"id":"x","model":"m","choices":[]}')
			return true
		}
		const { row, response } = await call('/proxy/gpt/v1/chat/completions', { model: 'm', messages: [] })
		const timing = response.headers.get('server-timing') ?? ''
		const [, own, theirs] = timing.match(/^signalbox;dur=([\d.]+), provider;dur=([\d.]+)$/) ?? []
		expect(Number(own)).toBeGreaterThan(0)
		expect(Number(own) + Number(theirs)).toBeLessThan(Number(row.durationNs) / 1e6)
		expect(row.attributes.get('signalbox.server_timing')).toBe(timing)
		expect(row.attributes.get('http.response.header.x-ratelimit-remaining-tokens')).toBe('149984')
	})

	it('are complete after an erasure, and during one, when calls repeat the same content', async () => {
		const same = { role: 'user', content: `the same ${'words '.repeat(20)}` }
		const long = { role: 'user', content: 'x y '.repeat(5000) }
		const send = async (session: string, ...messages: object[]) => {
			const before = proxy.recorded.length
			const response = await fetch(`${proxy.url}/proxy/gpt/v1/chat/completions`, {
				method: 'POST',
				headers: { authorization: `Bearer ${key}`, 'x-signalbox-session-id': session },
				body: JSON.stringify({ model: 'gpt-5.6-sol', messages: [same, ...messages] }),
			})
			await response.text()
			await until(() => proxy.recorded.length > before)
			return proxy.recorded[before] as { traceId: string; spanId: string }
		}
		const read = ({ traceId, spanId }: { traceId: string; spanId: string }) =>
			proxy.api(key, 'GET', `/v1/telemetry/traces/${traceId}/spans/${spanId}/messages`)
		const textsOf = async (row: { traceId: string; spanId: string }) => {
			await expect.poll(async () => (await read(row)).status, { timeout: 10_000 }).toBe(200)
			return (await read(row)).json.messages.map(({ text }: { text: string | null }) => text)
		}
		const erased = [await send('erased'), await send('erased', long)]
		for (const row of erased) expect(await textsOf(row)).not.toContain(null)
		await proxy.eraseSession(workspaceId, 'erased')
		const between = await send('kept')
		await proxy.applyErasures()
		for (const row of erased) expect((await read(row)).status).toBe(404)
		const after = await send('kept', long)
		for (const row of [between, after]) expect(await textsOf(row)).not.toContain(null)
	})
})
