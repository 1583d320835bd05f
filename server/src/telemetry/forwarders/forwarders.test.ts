import { createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { describeWithStore } from '../../platform/database/testing.ts'
import { until } from '../../platform/jobs/testing.ts'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'
import { type ForwarderProgram, type OtlpGate, openGate, startForwarders } from './stage.testing.ts'

let telemetry: TelemetryServer
beforeAll(async () => {
	telemetry = await startTelemetryServer()
})
afterAll(() => telemetry.close())

let number = 0
const spanOf = (name: string, attributes: object[] = []) => {
	const startTimeUnixNano = String(BigInt(Date.now()) * 1_000_000n)
	number += 1
	return {
		...{ traceId: 'ab'.repeat(16), spanId: number.toString(16).padStart(16, '0'), name, attributes },
		...{ startTimeUnixNano, endTimeUnixNano: startTimeUnixNano, kind: 1 },
	}
}

describeWithStore('forwarders', (store) => {
	let program: Awaited<ReturnType<typeof startForwarders>>
	let workspace = ''
	const gates: OtlpGate[] = []
	beforeAll(async () => {
		program = await startForwarders(store(), telemetry.store)
		workspace = program.app.owner.workspaceId
	})
	afterEach(async () => {
		for (const { id } of (await api('GET', '/v1/forwarders')).body.forwarders)
			await api('DELETE', `/v1/forwarders/${id}`)
		await Promise.all(gates.splice(0).map((gate) => gate.close()))
	})
	afterAll(() => program.close())

	const api: ForwarderProgram['api'] = (...of) => program.api(...of)
	const gate = async (port = 0) => {
		const opened = await openGate(telemetry.url, port)
		gates.push(opened)
		return opened
	}
	/** Forwards to a sink of its own: a workspace of the receiving server. */
	const forwardTo = async (url: string, more: object = {}) => {
		number += 1
		const sink = `sink-${number}`
		const headers = { Authorization: `ingest ${sink}` }
		const body = { name: 'out', kind: 'otlp', url, signals: ['spans'], headers, ...more }
		const answer = await api('POST', '/v1/forwarders', body)
		expect(answer.status, answer.text).toBe(201)
		// Only rows stored after its creation are forwarded.
		await pause(5)
		return { id: answer.body.id as string, sink }
	}
	const send = async (path: string, request: object) => {
		const headers = { authorization: `ingest ${workspace}`, 'content-type': 'application/json' }
		const answer = await fetch(telemetry.url + path, {
			method: 'POST',
			headers,
			body: JSON.stringify(request),
		})
		expect(answer.status).toBe(200)
		await telemetry.stored()
	}
	const sendSpans = (...spans: object[]) =>
		send('/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] })
	const namesIn = async (sink: string): Promise<string[]> => {
		const rows = await telemetry.store.query<{ name: string }>(
			'SELECT name FROM spans WHERE workspace_id = {sink:String} ORDER BY name',
			{ sink },
		)
		return rows.map(({ name }) => name)
	}
	const soon = (isSo: () => Promise<boolean>) =>
		until(async () => {
			await program.hurry()
			await pause(100)
			return isSo()
		})
	const arrive = async (sink: string, names: string[]) => {
		await soon(async () => (await namesIn(sink)).length >= names.length)
		expect(await namesIn(sink)).toEqual(names)
	}
	const stateOf = async (id: string, signal = 'spans') =>
		(await api('GET', `/v1/forwarders/${id}`)).body.state.find(
			(state: { signal: string }) => state.signal === signal,
		)

	const positionOf = async (id: string) => {
		const cursor = store().db.selectFrom('forwarder_cursors').select('position')
		return (await cursor.where('forwarder_id', '=', id).executeTakeFirstOrThrow()).position
	}

	it('sends spans, metrics, logs and audit records to a real receiver, each once', async () => {
		const receiver = await gate()
		const signals = ['spans', 'metrics', 'logs', 'audit']
		const { id, sink } = await forwardTo(`${receiver.url}/`, { signals })
		await sendSpans(spanOf('one'), spanOf('two'))
		const timeUnixNano = String(BigInt(Date.now()) * 1_000_000n)
		const gauge = { dataPoints: [{ timeUnixNano, asDouble: 1.5 }] }
		await send('/v1/metrics', { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm', gauge }] }] }] })
		const logRecords = [{ timeUnixNano, body: { stringValue: 'hello' } }]
		await send('/v1/logs', { resourceLogs: [{ scopeLogs: [{ logRecords }] }] })
		await arrive(sink, ['one', 'two'])
		const count = async (sql: string) =>
			Number((await telemetry.store.query<{ n: string }>(`SELECT count() AS n FROM ${sql}`, { sink }))[0]?.n)
		await soon(async () => (await count('metrics WHERE workspace_id = {sink:String}')) === 1)
		const audited =
			"logs WHERE workspace_id = {sink:String} AND attributes['signalbox.audit.action'] = 'forwarders.create'"
		await soon(async () => (await count(audited)) === 1)
		await soon(async () => (await count("logs WHERE workspace_id = {sink:String} AND body = 'hello'")) === 1)
		for (const { headers } of receiver.requests)
			expect(headers).toMatchObject({ 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' })
		const bodies = receiver.requests.map(({ path, body }) => path + body.toString('base64'))
		expect(new Set(bodies).size).toBe(bodies.length)
		await soon(async () => (await stateOf(id)).sent === 2)
		expect(await stateOf(id)).toMatchObject({
			refused: 0,
			error: null,
			lag_s: 0,
			sent_at: expect.any(String),
		})
		expect((await stateOf(id, 'audit')).sent).toBeGreaterThan(0)
	})

	it('continues at the same position when a receiver was unavailable and the program was restarted meanwhile', async () => {
		const before = await gate()
		const { id, sink } = await forwardTo(before.url)
		await sendSpans(spanOf('a'))
		await arrive(sink, ['a'])
		await before.close()
		gates.pop()
		await sendSpans(spanOf('b'))
		await until(async () => (await stateOf(id)).error !== null)
		expect(await stateOf(id)).toMatchObject({
			error: expect.stringContaining('ECONNREFUSED'),
			failing_since: expect.any(String),
			next_attempt_at: expect.any(String),
		})
		const { key } = program
		await program.close()
		await sendSpans(spanOf('c'))
		program = await startForwarders(store(), telemetry.store, key)
		const after = await gate(before.port)
		await sendSpans(spanOf('d'))
		await arrive(sink, ['a', 'b', 'c', 'd'])
		expect(after.requests.length).toBeGreaterThan(0)
		expect(await stateOf(id)).toMatchObject({ error: null, failing_since: null, next_attempt_at: null })
	})

	it('sends what is stored after the clock was set back', async () => {
		const { url } = await gate()
		const { id, sink } = await forwardTo(url)
		await store()
			.db.updateTable('forwarder_cursors')
			.set({ position: `${Date.now() + 86_400_000}:` })
			.where('forwarder_id', '=', id)
			.execute()
		await program.hurry()
		await until(async () => Number((await positionOf(id)).split(':')[0]) <= Date.now())
		await sendSpans(spanOf('afterwards'))
		await arrive(sink, ['afterwards'])
	})

	it('waits as long as the receiver asks, and with growing delays between attempts', async () => {
		const receiver = await gate()
		const { id, sink } = await forwardTo(receiver.url)
		receiver.answer((response) => void response.writeHead(503, { 'retry-after': '300' }).end('busy'))
		await sendSpans(spanOf('kept'))
		await until(async () => (await stateOf(id)).error !== null)
		const { error, next_attempt_at, failing_since } = await stateOf(id)
		expect(error).toBe('It answered 503: busy')
		expect(Date.parse(next_attempt_at) - Date.parse(failing_since)).toBeGreaterThan(299_000)
		receiver.answer((response) => void response.writeHead(401).end())
		await program.hurry()
		await soon(async () => (await stateOf(id)).error === 'It answered 401')
		receiver.answer(null)
		await arrive(sink, ['kept'])
	})

	it('counts and reports what is permanently refused, and does not send it again', async () => {
		const receiver = await gate()
		const { id, sink } = await forwardTo(receiver.url)
		const partialSuccess = { rejectedSpans: '2', errorMessage: 'too old' }
		receiver.answer((response) => {
			response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ partialSuccess }))
		})
		await sendSpans(spanOf('x'), spanOf('y'), spanOf('z'))
		await soon(async () => (await stateOf(id)).refused === 2)
		expect(await stateOf(id)).toMatchObject({ sent: 1, last_refusal: 'too old', error: null })
		receiver.answer((response) => void response.writeHead(400).end('no spans of that name'))
		await sendSpans(spanOf('w'))
		await soon(async () => (await stateOf(id)).refused === 3)
		expect((await stateOf(id)).last_refusal).toBe('It answered 400: no spans of that name')
		receiver.answer(null)
		await sendSpans(spanOf('last'))
		await arrive(sink, ['last'])
	})

	it('keeps rows that were answered with a web page, and accepts an empty answer, text or JSON', async () => {
		const receiver = await gate()
		const { id, sink } = await forwardTo(receiver.url)
		const reason = expect.stringMatching(/^It answered 200 with a web page/)
		const page = `<!DOCTYPE html><title>Sign in</title>${'<p>words</p>'.repeat(20_000)}`
		for (const [type, body] of [
			['text/html; charset=utf-8', page],
			['application/x-protobuf', '\n <html></html>'],
			['application/xhtml+xml', 'Please sign in.'],
		] as const) {
			receiver.answer((response) => void response.writeHead(200, { 'content-type': type }).end(body))
			if (type.startsWith('text')) await sendSpans(spanOf('kept'))
			const { length } = receiver.requests
			await program.hurry()
			await soon(async () => receiver.requests.length > length && (await stateOf(id)).error !== null)
			expect(await stateOf(id)).toMatchObject({ sent: 0, refused: 0, error: reason })
		}
		expect((await api('POST', `/v1/forwarders/${id}/test`)).body.results).toEqual([
			{ signal: 'spans', taken: false, error: reason },
		])
		receiver.answer(null)
		await program.hurry()
		await arrive(sink, ['kept'])
		await soon(async () => (await stateOf(id)).sent === 1)
		for (const [at, [type, body]] of [
			['text/html', ''],
			['text/plain', 'ok'],
			['application/json', '{}'],
		].entries()) {
			receiver.answer((response) => void response.writeHead(200, { 'content-type': type }).end(body))
			await sendSpans(spanOf(`taken ${at}`))
			await soon(async () => (await stateOf(id)).sent === at + 2)
		}
		expect(await stateOf(id)).toMatchObject({ refused: 0, error: null })
	})

	it('splits what is too large for the receiver in halves, even if it breaks off its answer', async () => {
		const receiver = await gate()
		const { sink } = await forwardTo(receiver.url)
		const forward = receiver.requests
		const largest = 300
		receiver.answer((response, { body }) => {
			if (body.length > largest) {
				response.writeHead(413, { 'content-length': 100 }).write('too large')
				return void setTimeout(() => response.destroy(), 20)
			}
			const headers = { authorization: `ingest ${sink}`, 'content-type': 'application/x-protobuf' }
			const passing = fetch(`${telemetry.url}/v1/traces`, {
				method: 'POST',
				headers,
				body: new Uint8Array(body),
			})
			void passing.then(({ status }) => response.writeHead(status).end())
		})
		await sendSpans(...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => spanOf(name)))
		await arrive(sink, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
		expect(forward.some(({ body }) => body.length > largest)).toBe(true)
	})

	it('sends what its filter selects, and after a pause also what was stored while it was off', async () => {
		const receiver = await gate()
		const { id, sink } = await forwardTo(receiver.url, { filter: { attributes: ['team=red'] } })
		const red = [{ key: 'team', value: { stringValue: 'red' } }]
		await sendSpans(spanOf('blue'), spanOf('red 1', red))
		await arrive(sink, ['red 1'])
		await api('PATCH', `/v1/forwarders/${id}`, { enabled: false })
		await sendSpans(spanOf('red 2', red))
		const on = await api('PATCH', `/v1/forwarders/${id}`, { enabled: true })
		expect(on.body.enabled).toBe(true)
		await arrive(sink, ['red 1', 'red 2'])
	})

	it('sends audit records by syslog with octet counting', async () => {
		const received: Buffer[] = []
		const receiver = createServer((socket: Socket) => socket.on('data', (chunk) => received.push(chunk)))
		await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
		const { port } = receiver.address() as { port: number }
		const body = { name: 'siem', kind: 'syslog', url: `tcp://127.0.0.1:${port}`, signals: ['audit'] }
		const { id } = (await api('POST', '/v1/forwarders', body)).body
		await api('POST', '/v1/keys', { name: 'quote " and ] in Grüße' })
		await soon(async () => {
			return Buffer.concat(received).includes('keys.create')
		})
		const messages = unframe(Buffer.concat(received))
		const created = messages.find((message) => message.includes(' keys.create '))
		expect(created).toMatch(
			/^<109>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ signalbox \d+ keys\.create \[signalbox@32473 id="/,
		)
		const record = JSON.parse(created?.slice(created.indexOf('\uFEFF') + 1) ?? '')
		expect(record).toMatchObject({ action: 'keys.create', target: { name: 'quote " and ] in Grüße' } })
		expect(messages.map((message) => /seq="(\d+)"/.exec(message)?.[1])).toEqual(
			messages.map((_, i) => String(record.seq - messages.indexOf(created as string) + i)),
		)
		const tested = await api('POST', `/v1/forwarders/${id}/test`)
		expect(tested.body).toEqual({ results: [{ signal: 'audit', taken: true, error: null }] })
		await new Promise((done) => receiver.close(done))
		const failed = await api('POST', `/v1/forwarders/${id}/test`)
		expect(failed.body.results[0]).toMatchObject({
			taken: false,
			error: expect.stringContaining('ECONNREFUSED'),
		})
	})

	it("shows the receiver's answer to a test, and only the names of headers", async () => {
		const receiver = await gate()
		const { id } = await forwardTo(receiver.url, { signals: ['spans', 'audit'] })
		expect((await api('POST', `/v1/forwarders/${id}/test`)).body.results).toEqual([
			{ signal: 'spans', taken: true, error: null },
			{ signal: 'audit', taken: true, error: null },
		])
		const shown = await api('GET', `/v1/forwarders/${id}`)
		expect(shown.body.header_names).toEqual(['authorization'])
		expect(shown.text).not.toContain('ingest')
		const moved = await api('PATCH', `/v1/forwarders/${id}`, { ...shown.body, url: 'http://127.0.0.1:2/' })
		expect([moved.status, moved.body.header_names]).toEqual([200, []])
		expect((await api('POST', `/v1/forwarders/${id}/test`)).body.results[0].taken).toBe(false)
	})

	it.each([
		[{ url: 'ftp://127.0.0.1/' }, '/url'],
		[{ url: 'http://127.0.0.1:6667/' }, '/url'],
		[{ url: 'http://127.0.0.1:2/?a=b' }, '/url'],
		[{ kind: 'syslog', url: 'tcp://127.0.0.1', signals: ['audit'], headers: {} }, '/url'],
		[{ kind: 'syslog', url: 'tcp://127.0.0.1:514', headers: {} }, '/signals'],
		[{ signals: ['audit'], filter: { kinds: ['tool_call'] } }, '/filter'],
		[{ signals: ['audit'], filter: { attributes: ['a=b'] } }, '/filter/attributes'],
		[{ filter: { attributes: ['retries>many'] } }, '/attribute'],
		[{ headers: { 'content-type': 'text/plain' } }, '/headers/content-type'],
	])('refuses %j', async (more, pointer) => {
		const body = { name: 'n', kind: 'otlp', url: 'http://127.0.0.1:2/', signals: ['spans'], ...more }
		const answer = await api('POST', '/v1/forwarders', body)
		expect([answer.status, answer.body.errors?.[0].pointer]).toEqual([400, pointer])
	})

	it('does not let a key forward what it cannot read', async () => {
		const scopes = ['forwarders:write', 'telemetry:read']
		const made = await api('POST', '/v1/keys', { name: 'some', scopes })
		const make = (signals: string[]) =>
			program.app.request('POST', '/v1/forwarders', {
				token: made.body.key,
				body: { name: 'n', kind: 'otlp', url: 'http://127.0.0.1:2/', signals },
			})
		expect((await make(['spans', 'audit'])).status).toBe(403)
		expect((await make(['spans', 'logs'])).status).toBe(201)
	})
})

function unframe(bytes: Buffer): string[] {
	const messages: string[] = []
	for (let at = 0; at < bytes.length; ) {
		const space = bytes.indexOf(32, at)
		const end = space + 1 + Number(bytes.toString('utf8', at, space))
		messages.push(bytes.toString('utf8', space + 1, end))
		at = end
	}
	return messages
}
