import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, type Dispatcher } from 'undici'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LingeringExchanges, PipeExchange, RpcFailure } from '../../mcp-client/index.ts'
import { systemClock } from '../../platform/clock.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import { defaultLimits } from '../limits.ts'
import { until } from '../testing-client.ts'
import { UpstreamSubscription } from './modern-upstream.ts'

/** The streams opened at a server of 2026-07-28. */
const listens: { uris: string[]; response: ServerResponse; isOpen: boolean }[] = []
const heard: string[] = []
/** Long enough for a busy machine that stops this process for a while: its timers then come before what has arrived. */
const handshakeMs = 1000
const refused = new Set<string>()
const unanswered = 'memo://unanswered'
let isDown = false
let noToken: RpcFailure | null = null
const listener = createServer(async (request, response) => {
	const chunks: Buffer[] = []
	for await (const chunk of request) chunks.push(chunk as Buffer)
	const { id, params } = JSON.parse(Buffer.concat(chunks).toString())
	const uris = params.notifications.resourceSubscriptions ?? []
	if (isDown) return response.writeHead(500).end()
	const error = { code: -32602, message: 'Not this one.' }
	if (uris.some((uri: string) => refused.has(uri)))
		return response.writeHead(400).end(JSON.stringify({ jsonrpc: '2.0', id, error }))
	if (uris.includes(unanswered)) return
	const listen = { uris, response, isOpen: true }
	listens.push(listen)
	response.once('close', () => {
		listen.isOpen = false
	})
	response.writeHead(200, { 'content-type': 'text/event-stream' })
	say(listen, 'notifications/subscriptions/acknowledged', { notifications: params.notifications }, id)
})
const say = ({ response }: { response: ServerResponse }, method: string, params: object, id = 1) => {
	const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
	response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta } })}\n\n`)
}
const agent = new Agent()
let subscription: UpstreamSubscription

beforeEach(async () => {
	listens.length = 0
	heard.length = 0
	refused.clear()
	noToken = null
	isDown = false
	if (!listener.listening) await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	subscription = subscribeOver(agent)
})
function subscribeOver(dispatcher: Dispatcher): UpstreamSubscription {
	const server = {
		...{ id: 'one', name: 'One', transportType: 'http', headers: new Map() },
		url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`,
	} as unknown as ServerEntry
	const limits = { ...defaultLimits, handshakeMs }
	const context = {
		dispatcher,
		clock: systemClock,
		limits,
		lingering: new LingeringExchanges(),
		onOwnNotification: () => {},
		askBetweenCalls: () => null,
	}
	return new UpstreamSubscription(
		context,
		server,
		() => {
			if (noToken) throw noToken
			return server
		},
		() => 1,
	)
}
afterEach(async () => {
	subscription.close()
	await until(() => listens.every(({ isOpen }) => !isOpen), 5000)
})
const open = () => listens.filter(({ isOpen }) => isOpen)
const listen = () => subscription.listen(({ method }) => void heard.push(method))

it('keeps a silent stream open, and sends nothing by itself', async () => {
	listen()
	await until(() => listens.length === 1, 5000)
	await new Promise((resolve) => setTimeout(resolve, handshakeMs * 2))
	expect([listens.length, heard]).toEqual([1, []])
	say(listens[0] as (typeof listens)[0], 'notifications/tools/list_changed', {})
	await until(() => heard.length === 1, 5000)
})

it('uses a single stream when subscriptions are added, and when only one is left', async () => {
	const listening = listen()
	await until(() => listens.length === 1, 5000)
	await listening.subscribe('memo://a')
	await until(() => open().length === 1, 5000)
	expect(open()[0]?.uris).toEqual(['memo://a'])
})

it('continues when its server accepts no further subscription, on a single stream', async () => {
	const listening = listen()
	await until(() => listens.length === 1, 5000)
	refused.add('memo://b')
	await expect(listening.subscribe('memo://b')).rejects.toThrow('takes no subscription')
	// The stream of all clients goes on, and nothing was missed that would have to be announced.
	await new Promise((resolve) => setTimeout(resolve, handshakeMs * 1.5))
	expect([listens.length, open().length, heard]).toEqual([1, 1, []])
	say(open()[0] as (typeof listens)[0], 'notifications/prompts/list_changed', {})
	await until(() => heard.includes('notifications/prompts/list_changed'), 5000)
})

it('is not refused because of a subscription that another client asks for at the same time', async () => {
	const listening = listen()
	await until(() => listens.length === 1, 5000)
	refused.add('memo://b')
	const both = [listen().subscribe('memo://b'), listening.subscribe('memo://a')]
	const outcomes = (await Promise.allSettled(both)).map(({ status }) => status)
	expect(outcomes).toEqual(['rejected', 'fulfilled'])
	await until(() => open().length === 1, 5000)
	expect(open()[0]?.uris).toEqual(['memo://a'])
})

it('may be acknowledged in any order, as by programs of the Go SDK', async () => {
	const streams: PipeExchange[] = []
	const dispatch: Dispatcher['dispatch'] = (_options, handler) =>
		streams.push(new PipeExchange(handler, 0, () => {})) > 0
	const ofProgram = subscribeOver({ dispatch } as Dispatcher)
	const subscribed = ofProgram.listen(() => {}).subscribe('memo://a')
	await until(() => streams.length === 2, 5000)
	const acknowledge = (stream: PipeExchange | undefined, notifications: object) =>
		stream?.tell(
			JSON.stringify({
				jsonrpc: '2.0',
				method: 'notifications/subscriptions/acknowledged',
				params: { notifications },
			}),
		)
	acknowledge(streams[1], { resourceSubscriptions: ['memo://a'] })
	acknowledge(streams[0], {})
	await subscribed
	ofProgram.close()
})

it('opens no second stream when a subscription has reopened it before the retry', async () => {
	isDown = true
	const listening = listen()
	await expect(listening.subscribe('memo://a')).rejects.toThrow('answered HTTP 500')
	isDown = false
	await listening.subscribe('memo://a')
	expect(heard).toHaveLength(4)
	await new Promise((resolve) => setTimeout(resolve, 2500))
	expect([listens.length, open().length, heard.length]).toEqual([1, 1, 4])
})

it('gives every subscriber the reason why the stream could not be opened', async () => {
	const listening = listen()
	await until(() => listens.length === 1, 5000)
	await expect(listening.subscribe(unanswered)).rejects.toMatchObject({ errorType: 'timeout' })
	isDown = true
	const both = ['memo://a', 'memo://b'].map((uri) => listening.subscribe(uri))
	for (const { reason } of (await Promise.allSettled(both)) as PromiseRejectedResult[])
		expect(reason).toMatchObject({ errorType: 'upstream_http_error' })
	isDown = false
	await until(() => open().length === 1, 10_000)
	noToken = new RpcFailure(-32603, 'No token.')
	await expect(listening.subscribe('memo://a')).rejects.toThrow('No token.')
})

it('reopens a broken stream, and reports that everything may have changed', async () => {
	await listen().subscribe('memo://a')
	await until(() => open().length === 1, 5000)
	open()[0]?.response.destroy()
	await until(() => heard.length === 4, 5000)
	expect(heard).toContain('notifications/resources/updated')
	expect(open()).toHaveLength(1)
})

it('goes on with everything else if its server refuses what it took before, and takes it back later', async () => {
	const listening = listen()
	const all = Array.from({ length: 9 }, (_, at) => `memo://${at}`)
	for (const uri of all) await listening.subscribe(uri)
	const others = () => all.filter((uri) => !refused.has(uri))
	const taken = () => open().flatMap(({ uris }) => uris.toSorted())
	const breakOff = async () => {
		await until(() => open().length === 1, 5000)
		open()[0]?.response.destroy()
	}
	refused.add('memo://3')
	refused.add('memo://7')
	await breakOff()
	await expect.poll(taken, { timeout: 10_000 }).toEqual(others())
	// Somebody else subscribes, while the server refuses yet another one.
	refused.add('memo://0')
	const other = listen()
	await other.subscribe('memo://new')
	await expect.poll(taken, { timeout: 10_000 }).toEqual([...others(), 'memo://new'])
	await expect(other.subscribe('memo://3')).rejects.toThrow('takes no subscription')
	refused.clear()
	await other.subscribe('memo://3')
	await expect.poll(taken, { timeout: 10_000 }).toContain('memo://3')
	await breakOff()
	await expect.poll(taken, { timeout: 10_000 }).toEqual([...all, 'memo://new'])
})
