import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, startFixture } from '../../../checks/fixtures/start-fixture.ts'
import type { ControlStore } from '../platform/database/database.ts'
import { openPostgres } from '../platform/database/open-control-store.ts'
import { openTestPostgres } from '../platform/database/testing.ts'
import { silentLog } from '../platform/log.ts'
import { openTestGatewayOn, type TestAgent, type TestGateway } from './testing.ts'
import { newWireClient, until, type WireClient } from './testing-client.ts'
import { sendEvents, sendJson, sendText, startScriptedUpstream } from './testing-upstream.ts'

let database: Awaited<ReturnType<typeof openTestPostgres>>
let secondStore: ControlStore
let first: TestGateway
let second: TestGateway
let fixture: Fixture
let agent: TestAgent

beforeAll(async () => {
	const masterKey = randomBytes(32)
	database = await openTestPostgres()
	secondStore = await openPostgres(database.url, silentLog)
	first = await openTestGatewayOn(database.store, {}, undefined, { masterKey })
	second = await openTestGatewayOn(secondStore, {}, undefined, { masterKey, withoutOwner: true })
	fixture = await startFixture('legacy')
	agent = await first.addAgent('Rosa')
	await first.grant(agent.id, await first.addServer('Legacy', fixture.url), null)
	await second.feed.catchUp()
})
afterAll(async () => {
	await second?.close()
	await first?.close()
	await secondStore?.close()
	await database?.end()
	await fixture?.close()
})

/** Opens one session and uses it at both processes. */
async function openSession(
	capabilities: object,
	server = 'legacy',
): Promise<{ here: WireClient; there: WireClient }> {
	const here = newWireClient(`${first.url}/mcp/${server}`, agent.key)
	const there = newWireClient(`${second.url}/mcp/${server}`, agent.key)
	const { headers } = await here.post({
		jsonrpc: '2.0',
		id: 0,
		method: 'initialize',
		params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'wire', version: '1' } },
	})
	here.session = headers.get('mcp-session-id') ?? ''
	there.session = here.session
	return { here, there }
}

/** Sends a request to one process and reads its stream event by event. */
async function openStream(
	method: 'GET' | 'POST',
	session: string,
	body?: object,
	path = '/mcp/legacy',
	at = first,
) {
	const stopping = new AbortController()
	const response = await fetch(at.url + path, {
		signal: stopping.signal,
		method,
		headers: {
			authorization: `Bearer ${agent.key}`,
			accept: 'application/json, text/event-stream',
			'content-type': 'application/json',
			'mcp-session-id': session,
		},
		...(body && { body: JSON.stringify(body) }),
	})
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was received.
	const messages: any[] = []
	const done = (async () => {
		for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
			for (const [, data] of Buffer.from(chunk)
				.toString()
				.matchAll(/^data: (.+)$/gm))
				messages.push(JSON.parse(data as string))
	})().catch(() => {})
	return { messages, done, end: () => stopping.abort() }
}

/** A server that asks its clients beside their calls, on the stream of the first process that opens one. */
async function startAsking(name: string) {
	const waiting: (() => void)[] = []
	const answers: string[] = []
	const ids: number[] = []
	const upstream = await startScriptedUpstream([{ name: 'run', inputSchema: {} }], (message, response) => {
		if (message.method === 'tools/call') {
			ids.push(message.id as number)
			waiting.push(() => sendText(response, message.id, 'done'))
		} else if (message.method) sendJson(response, 400, {})
		else answers.push(message.text) && response.writeHead(202).end()
	})
	await first.grant(agent.id, await first.addServer(name, upstream.url), null)
	upstream.streams = []
	await second.feed.catchUp()
	return { upstream, waiting, answers, ids }
}

/** A client of such a server, whose first call, in the first process, is over. */
async function startAsked(name: string) {
	const { upstream, waiting, answers } = await startAsking(name)
	const path = `/mcp/${name.toLowerCase()}`
	const { here } = await openSession({ roots: {} }, name.toLowerCase())
	const run = async (at: TestGateway) => {
		const id = waiting.length
		const call = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'run', arguments: {} } }
		// Its head comes with its first message.
		const stream = openStream('POST', here.session, call, path, at)
		await until(() => waiting.length > id, 5000)
		return { stream, end: async () => (await stream).end() }
	}
	const { stream } = await run(first)
	await until(() => upstream.streams?.length === 1, 5000)
	waiting[0]?.()
	await (await stream).done
	const ask = (id: string) =>
		sendEvents(upstream.streams?.[0] as ServerResponse, { id, method: 'roots/list' })
	const askedOn = async ({ stream }: { stream: ReturnType<typeof openStream> }, times = 1) => {
		const { messages } = await stream
		await until(() => messages.filter(({ method }) => method === 'roots/list').length === times, 5000)
		return messages.at(-1).id
	}
	/** The client answers, and the server gets that once. */
	const answer = async (id: string, asked: string) => {
		await here.post({ jsonrpc: '2.0', id, result: { roots: [] } })
		await until(() => answers.length > 0, 5000)
		const texts = answers.splice(0)
		expect(texts.map((text) => JSON.parse(text))).toEqual([
			{ jsonrpc: '2.0', id: asked, result: { roots: [] } },
		])
	}
	const refusal = async () => {
		await until(() => answers.length > 0, 8000)
		return JSON.parse(answers.splice(0).join()).error
	}
	return { upstream, waiting, here, path, run, ask, askedOn, answer, refusal, answers }
}

describe('two programs on one database', () => {
	it('serve the same session', async () => {
		const { there } = await openSession({})
		const { body } = await there.request('tools/call', { name: 'test_simple_text', arguments: {} })
		expect(body.result.content[0].text).toContain('simple text')
	})

	it('deliver an answer to the program that asked, and only from its own client', async () => {
		const { here, there } = await openSession({ elicitation: {} })
		const call = { name: 'test_elicitation', arguments: { message: 'Who?' } }
		const stream = await openStream('POST', here.session, {
			jsonrpc: '2.0',
			id: 7,
			method: 'tools/call',
			params: call,
		})
		await until(() => stream.messages.some(({ method }) => method === 'elicitation/create'), 5000)
		const { id } = stream.messages.find(({ method }) => method === 'elicitation/create')
		const answer = (username: string) => ({
			jsonrpc: '2.0',
			id,
			result: { action: 'accept', content: { username, email: 'r@example.org' } },
		})
		const stranger = await openSession({ elicitation: {} })
		expect((await stranger.there.post(answer('stranger'))).status).toBe(202)
		expect((await there.post(answer('rosa'))).status).toBe(202)
		await stream.done
		expect(JSON.stringify(stream.messages.at(-1))).toContain('rosa')
	})

	it('cancel operations that run in the other one', async () => {
		const { here, there } = await openSession({ elicitation: {} })
		const params = { name: 'test_elicitation', arguments: { message: 'Who?' } }
		const stream = await openStream('POST', here.session, {
			jsonrpc: '2.0',
			id: 9,
			method: 'tools/call',
			params,
		})
		await until(() => stream.messages.length > 0, 5000)
		await there.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } })
		await stream.done
		expect(stream.messages.some((message) => message.id === 9 && message.result)).toBe(false)
	})

	it('keep a request that a server sends beside its calls, until the call in the other one is over too', async () => {
		const { upstream, waiting, answers, ids } = await startAsking('Asking')
		const { here, there } = await openSession({ roots: {} }, 'asking')
		const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run', arguments: {} } }
		const opening = openStream('POST', here.session, call, '/mcp/asking')
		await until(() => waiting.length === 1 && upstream.streams?.length === 1, 5000)
		const other = there.request('tools/call', { name: 'run', arguments: {} }, 2)
		await until(() => waiting.length === 2, 5000)
		// Both run in one session, in which a server knows requests by their ids. Processes that each count from 1 would use some twice.
		expect(Math.abs((ids[0] as number) - (ids[1] as number))).toBeGreaterThan(1000)
		sendEvents(upstream.streams?.[0] as ServerResponse, { id: 'q', method: 'roots/list' })
		const stream = await opening
		await until(() => stream.messages.length === 1, 5000)
		waiting[0]?.()
		await stream.done
		expect(stream.messages.map(({ method }) => method)).toEqual(['roots/list', undefined])
		await there.post({ jsonrpc: '2.0', id: stream.messages[0].id, result: { roots: [] } })
		await until(() => answers.length === 1, 5000)
		expect(JSON.parse(answers[0] as string)).toEqual({ jsonrpc: '2.0', id: 'q', result: { roots: [] } })
		waiting[1]?.()
		expect((await other).body.result.content[0].text).toBe('done')
		await upstream.close()
	})

	it('find the one that reaches the client, when a server asks where none of its calls runs', async () => {
		const { upstream, here, path, run, ask, askedOn, answer, refusal } = await startAsked('Beside')
		ask('nobody')
		expect(await refusal()).toMatchObject({ code: -32601 })
		const older = await run(second)
		const newer = await run(second)
		ask('call')
		await answer(await askedOn(newer), 'call')
		// A client that cancels a call may not have read what came on its stream.
		ask('again')
		await askedOn(newer, 2)
		await newer.end()
		await answer(await askedOn(older), 'again')
		const own = { stream: openStream('GET', here.session, undefined, path, second) }
		await own.stream
		ask('own')
		await answer(await askedOn(own), 'own')
		expect((await older.stream).messages.filter(({ method }) => method === 'roots/list')).toHaveLength(1)
		await (await own.stream).end()
		await upstream.close()
	})

	it('ask on the call in the other one, if that in this one is cancelled at once; without any, nobody waits', async () => {
		const { upstream, run, ask, askedOn, answer, refusal } = await startAsked('Cut')
		const other = await run(second)
		const call = await run(first)
		ask('cut')
		await askedOn(call)
		await call.end()
		await answer(await askedOn(other), 'cut')
		await other.end()
		const last = await run(first)
		ask('last')
		await askedOn(last)
		await last.end()
		expect(await refusal()).toMatchObject({ message: 'The client went away.' })
		await upstream.close()
	})

	it('withdraw a request when the last call that may have caused it is over, wherever that ran', async () => {
		const { upstream, waiting, run, ask, askedOn, refusal, answers } = await startAsked('Ended')
		const other = await run(second)
		const call = await run(first)
		ask('over')
		await askedOn(call)
		waiting.at(-1)?.()
		await (await call.stream).done
		await new Promise((resolve) => setTimeout(resolve, 3500))
		expect(answers).toEqual([])
		waiting.at(-2)?.()
		await (await other.stream).done
		await until(() => answers.length > 0, 10_000)
		expect(await refusal()).toMatchObject({ message: 'The operation that asked has ended.' })
		await upstream.close()
	}, 30_000)

	it('deliver the progress of an answer to the program that asked', async () => {
		const { upstream, here, run, askedOn } = await startAsked('Progress')
		const call = await run(first)
		sendEvents(upstream.streams?.[0] as ServerResponse, {
			...{ id: 'slow', method: 'roots/list', params: { _meta: { progressToken: 'of the server' } } },
		})
		const progressToken = await askedOn(call)
		const there = newWireClient(`${second.url}/mcp/progress`, agent.key)
		there.session = here.session
		const tell = (params: object) =>
			there.post({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1, ...params } })
		await tell({ progressToken: 'ask-sb-invented' })
		await tell({ progressToken })
		const got = () => upstream.received.filter(({ method }) => method === 'notifications/progress')
		await until(() => got().length > 0, 5000)
		expect(got().map(({ params }) => params)).toEqual([{ progressToken: 'of the server', progress: 1 }])
		await call.end()
		await upstream.close()
	})

	it('ask a client that has only subscribed, and has come back to the other one', async () => {
		const upstream = await startScriptedUpstream([], ({ id, method }, response) =>
			method ? sendJson(response, 200, { jsonrpc: '2.0', id, result: {} }) : response.writeHead(202).end(),
		)
		await first.grant(agent.id, await first.addServer('Back', upstream.url), null)
		await second.feed.catchUp()
		const { here, there } = await openSession({ roots: {} }, 'back')
		await here.request('resources/subscribe', { uri: 'x://one' })
		// Until then the server refuses the stream of the first process.
		await new Promise((resolve) => setTimeout(resolve, 500))
		const subscribed = upstream.received.find(({ method }) => method === 'resources/subscribe')
		// Both processes also listen on sessions that no client owns.
		upstream.streamOf = String(subscribed?.headers['mcp-session-id'])
		upstream.streams = []
		const stream = await openStream('GET', here.session, undefined, '/mcp/back', second)
		await until(() => upstream.streams?.length === 1, 5000)
		sendEvents(upstream.streams[0] as ServerResponse, { id: 'idle', method: 'roots/list' })
		const asked = () => stream.messages.find(({ method }) => method === 'roots/list')
		await until(() => asked() !== undefined, 5000)
		await there.post({ jsonrpc: '2.0', id: asked().id, result: { roots: [] } })
		const answer = () => upstream.received.find(({ id, method }) => String(id) === 'idle' && !method)?.text
		await until(() => answer() !== undefined, 5000)
		expect(answer()).toBe('{"jsonrpc":"2.0","id":"idle","result":{"roots":[]}}')
		await stream.end()
		await upstream.close()
	})

	it('notify a stream of subscriptions made at the other one, until the session ends there', async () => {
		const { here, there } = await openSession({})
		const stream = await openStream('GET', here.session)
		const uri = 'test://watched-resource'
		expect((await there.request('resources/subscribe', { uri })).body.result).toEqual({})
		await until(() => {
			fixture.changes.resourceUpdated(uri)
			return stream.messages.some(({ params }) => params?.uri === uri)
		}, 8000)
		const headers = { authorization: `Bearer ${agent.key}`, 'mcp-session-id': here.session }
		await fetch(`${second.url}/mcp/legacy`, { method: 'DELETE', headers })
		await stream.done
		await until(async () => (await here.request('tools/list')).status === 404, 3000)
	})

	it('subscribe again for a client that comes back, as soon as it may read the resource', async () => {
		const upstream = await startScriptedUpstream([], ({ id }, response) =>
			sendJson(response, 200, { jsonrpc: '2.0', id, result: {} }),
		)
		const serverId = await first.addServer('Scripted', upstream.url)
		await first.grant(agent.id, serverId, null)
		await second.feed.catchUp()
		const there = newWireClient(`${second.url}/mcp/scripted`, agent.key)
		await there.initialize()
		const subscriptions = () =>
			upstream.received.filter(({ method }) => method === 'resources/subscribe').length
		await there.request('resources/subscribe', { uri: 'x://one' })
		expect(subscriptions()).toBe(1)
		const narrowed = { access_mode: 'selected', allowed_tools: [], allowed_resources: [] }
		const access = `/v1/mcp/servers/${serverId}/access/${agent.id}`
		await first.manage('PATCH', access, narrowed)
		await second.feed.catchUp()
		const stream = await openStream('GET', there.session, undefined, '/mcp/scripted')
		await new Promise((resolve) => setTimeout(resolve, 300))
		expect(subscriptions()).toBe(1)
		await first.manage('PATCH', access, { allowed_resources: ['x://one'] })
		await until(() => subscriptions() === 3, 5000)
		await until(() => stream.messages.some(({ params }) => params?.uri === 'x://one'), 5000)
		await stream.end()
		await upstream.close()
	})

	it('deliver the retry of a modern client to the program that holds its call', async () => {
		const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
		const call = (at: TestGateway, more: object = {}) =>
			newWireClient(`${at.url}/mcp/legacy`, agent.key).modern(
				'tools/call',
				{ name: 'test_input_required_result_multi_round', arguments: {}, ...more },
				{},
				meta,
			)
		const answers = ({ inputRequests, requestState }: { inputRequests: object; requestState: string }) => ({
			requestState,
			inputResponses: Object.fromEntries(
				Object.keys(inputRequests).map((key) => [
					key,
					{ action: 'accept', content: { name: 'r', color: 'b' } },
				]),
			),
		})
		const one = (await call(first)).body.result
		const two = (await call(second, answers(one))).body.result
		expect(two).toMatchObject({ resultType: 'input_required' })
		expect(JSON.stringify(two.inputRequests)).toContain('color')
		const three = (await call(second, answers(two))).body.result
		expect(three).toMatchObject({ resultType: 'complete', content: [{ text: 'Both steps are done.' }] })
	})
})
