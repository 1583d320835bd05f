import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LingeringExchanges } from '../../mcp-client/index.ts'
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
let refused = ''
let isDown = false
const listener = createServer(async (request, response) => {
	const chunks: Buffer[] = []
	for await (const chunk of request) chunks.push(chunk as Buffer)
	const { id, params } = JSON.parse(Buffer.concat(chunks).toString())
	const uris = params.notifications.resourceSubscriptions ?? []
	if (isDown || uris.includes(refused)) return response.writeHead(500).end()
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
	refused = 'nothing'
	isDown = false
	if (!listener.listening) await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	const server = {
		...{ id: 'one', name: 'One', transportType: 'http', headers: new Map() },
		url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`,
	} as unknown as ServerEntry
	const limits = { ...defaultLimits, handshakeMs }
	const context = {
		dispatcher: agent,
		clock: systemClock,
		limits,
		lingering: new LingeringExchanges(),
		onOwnNotification: () => {},
	}
	subscription = new UpstreamSubscription(
		context,
		server,
		() => server,
		() => ({ id: 1, headers: {}, meta: {} }),
	)
})
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
	refused = 'memo://b'
	await expect(listening.subscribe('memo://b')).rejects.toThrow('takes no subscription')
	await until(() => open().length === 1 && listens.length === 2, 5000)
	say(open()[0] as (typeof listens)[0], 'notifications/prompts/list_changed', {})
	await until(() => heard.includes('notifications/prompts/list_changed'), 5000)
})

it('opens no second stream when a subscription has reopened it before the retry', async () => {
	isDown = true
	const listening = listen()
	await expect(listening.subscribe('memo://a')).rejects.toThrow('takes no subscription')
	isDown = false
	await listening.subscribe('memo://a')
	expect(heard).toHaveLength(4)
	await new Promise((resolve) => setTimeout(resolve, 2500))
	expect([listens.length, open().length, heard.length]).toEqual([1, 1, 4])
})

it('reopens a broken stream, and reports that everything may have changed', async () => {
	await listen().subscribe('memo://a')
	open()[0]?.response.destroy()
	await until(() => heard.length === 4, 5000)
	expect(heard).toContain('notifications/resources/updated')
	expect(open()).toHaveLength(1)
})
