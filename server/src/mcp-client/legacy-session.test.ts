import type { Dispatcher } from 'undici'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Cancellation } from './cancellation.ts'
import { ServerStream } from './legacy-session.ts'
import { type SendContext, sendOneWay, sendRequest } from './send-request.ts'
import type { McpServer } from './target.ts'

/** The requests for a stream, each of which gets one that lasts until `end`. */
const opened: Dispatcher.DispatchHandler[] = []
const controller = { abort: () => {}, paused: false } as unknown as Dispatcher.DispatchController
const dispatcher = {
	dispatch: (_options: unknown, handler: Dispatcher.DispatchHandler) => {
		opened.push(handler)
		handler.onRequestStart?.(controller, {})
		handler.onResponseStart?.(controller, 200, { 'content-type': 'text/event-stream' })
		return true
	},
}
const end = () => opened.at(-1)?.onResponseEnd?.(controller, {})

beforeEach(() => {
	opened.length = 0
	vi.useFakeTimers()
})
afterEach(() => void vi.useRealTimers())

const server = { name: 's', url: 'http://127.0.0.1:1/mcp', headers: new Map() } as unknown as McpServer

it('lets a lost connection repeat a handshake, lists, reads and notifications, but no tool call', () => {
	const repeated: unknown[] = []
	const recorder = { dispatch: (options: { idempotent?: boolean }) => repeated.push(options.idempotent) }
	const context = { dispatcher: recorder, limits: { answerBytes: 1 } } as unknown as SendContext
	const rest = { server, id: 1, params: {}, headers: {}, idleMs: 1, cancellation: new Cancellation() }
	for (const method of [
		'initialize',
		'server/discover',
		'tools/list',
		'resources/read',
		'tools/call',
		'tasks/cancel',
	])
		void sendRequest(context, { ...rest, method })
	void sendOneWay(context, server, {}, {})
	expect(repeated).toEqual([true, true, true, true, undefined, undefined, true])
})

it('reopens at once a stream that a proxy cuts now and then, and ever later one that ends at once', async () => {
	const context = { dispatcher, limits: { answerBytes: 1000 } } as unknown as SendContext
	const session = Promise.resolve({ capabilities: {}, headers: {} })
	const listener = { onNotification: () => {}, onRequest: () => {}, onLost: () => {} }
	const stream = new ServerStream(context, () => server, session, listener)
	await vi.advanceTimersByTimeAsync(0)
	for (let cut = 1; cut <= 8; cut += 1) {
		await vi.advanceTimersByTimeAsync(60_000)
		end()
		await vi.advanceTimersByTimeAsync(1500)
		expect(opened).toHaveLength(cut + 1)
	}
	for (let cut = 1; cut <= 4; cut += 1) {
		end()
		await vi.advanceTimersByTimeAsync(1500)
	}
	expect(opened.length).toBeLessThan(13)
	stream.close()
})
