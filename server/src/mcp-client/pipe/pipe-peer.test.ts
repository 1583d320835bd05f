import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { PipeExchange } from './pipe-exchange.ts'
import { PipePeer } from './pipe-peer.ts'
import { parseRpc, type RpcObject, readPlainCall } from './rpc-text.ts'

function openPeer(more: { streams?(): PipeExchange[]; isShared?: boolean } = {}) {
	const sent: string[] = []
	const garbage: string[] = []
	const peer = new PipePeer({
		send: (line) => void sent.push(line),
		garbage: (line) => garbage.push(line),
		streams: () => [],
		isShared: true,
		...more,
	})
	return { peer, sent, garbage }
}

/** Starts an exchange and collects what its caller gets. */
function begin(idleMs = 0) {
	const got = { body: '', status: 0, error: null as Error | null, isOver: false }
	const exchange = new PipeExchange(
		{
			onRequestStart: () => {},
			onResponseStart: (_controller, status) => {
				got.status = status
			},
			onResponseData: (_controller, chunk) => {
				got.body += chunk
			},
			onResponseEnd: () => {
				got.isOver = true
			},
			onResponseError: (_controller, error) => {
				got.error = error
			},
		},
		idleMs,
		() => {},
	)
	return { exchange, got }
}

const call = (args: string, meta = '{}') =>
	`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":${args},"_meta":${meta}}}`

it('forwards a call as text, under a new id', () => {
	const { peer, sent } = openPeer()
	const args = '{"big":12345678901234567890,"one":1.0,"text":"\\u00e9 \\"id\\":7"}'
	const plain = readPlainCall(call(args))
	if (!plain) throw new Error('It is not plain.')
	expect(peer.call(plain, '', begin().exchange)).toBe(1)
	expect(peer.call(plain, '', begin().exchange)).toBe(2)
	expect(sent).toEqual([1, 2].map((id) => call(args).replace('"id":7', `"id":${id}`)))
})

it.each([
	['an end of line', call('{\n"a":1}')],
	['a carriage return', call('{\r"a":1}')],
	['a token of progress', call('{}', '{"progressToken":"p"}')],
	['a token of progress whose name is escaped', call('{}', '{"\\u0070rogress\\u0054oken":"p"}')],
	['another method', '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}'],
	['a text as id', '{"jsonrpc":"2.0","id":"7","method":"tools/call","params":{}}'],
])('reads what has %s, and sends it on in one line', (_what, text) => {
	const { peer, sent } = openPeer()
	expect(readPlainCall(text)).toBeNull()
	peer.request(parseRpc(text) as RpcObject, '', begin().exchange)
	expect(sent[0]).not.toMatch(/[\n\r]/)
	const { params, ...rest } = JSON.parse(text)
	if (params._meta?.progressToken) params._meta.progressToken = 1
	expect(JSON.parse(sent[0] as string)).toEqual({ ...rest, id: 1, params })
})

it.each([
	['as most programs write it', '{"jsonrpc":"2.0","id":1,"result":{"n":1.0,"m":12345678901234567890}}'],
	['in another order', '{"result":{"n":1.0,"m":12345678901234567890},"id":1,"jsonrpc":"2.0"}'],
	['in a batch', '[{"jsonrpc":"2.0","id":1,"result":{"n":1.0,"m":12345678901234567890}}]'],
	['with a space at its end', '{"jsonrpc":"2.0","id":1,"result":{"n":1.0,"m":12345678901234567890}} '],
])('gives an answer %s to whoever asked, under the id of the request', (_what, line) => {
	const { peer } = openPeer()
	const { exchange, got } = begin()
	peer.request({ jsonrpc: '2.0', id: 'mine', method: 'tools/list' }, '', exchange)
	peer.receive(line)
	expect(got).toMatchObject({ status: 200, isOver: true })
	expect(got.body).toContain('"n":1.0,"m":12345678901234567890')
	expect(JSON.parse(got.body)).toMatchObject({ id: 'mine', jsonrpc: '2.0' })
	expect(peer.waiting).toBe(0)
})

it('passes an answer that is not JSON to its caller, which detects it at once', () => {
	const { peer } = openPeer()
	const { exchange, got } = begin()
	peer.request({ jsonrpc: '2.0', id: 'mine', method: 'tools/list' }, '', exchange)
	peer.receive('{"jsonrpc":"2.0","id":1,"result":{"a":}}')
	expect(got).toMatchObject({ isOver: true, body: '{"jsonrpc":"2.0","id":"mine","result":{"a":}}' })
})

it('drops an answer that nobody waits for, and reports lines that are not messages', () => {
	const { peer, garbage } = openPeer()
	const { exchange, got } = begin()
	peer.request({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, '', exchange)
	peer.receive('{"jsonrpc":"2.0","id":2,"result":{}}')
	peer.receive('{"jsonrpc":"2.0","id":"1","result":{}}')
	peer.receive('{"jsonrpc":"2.0","id":1,"result":{"text":"cut of')
	expect(got.isOver).toBe(false)
	expect(garbage).toEqual(['{"jsonrpc":"2.0","id":1,"result":{"text":"cut of'])
})

it('ends a silent exchange, and no other', async () => {
	const silent = begin(300)
	const told = begin(300)
	const unlimited = begin(0)
	for (let left = 8; left > 0; left -= 1) {
		await sleep(100)
		told.exchange.tell('{}')
	}
	expect(silent.got.error).toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' })
	expect(told.got.error).toBeNull()
	await sleep(700)
	expect(told.got.error).toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' })
	expect(unlimited.got.error).toBeNull()
})

it('a request of a shared peer, a program or a server of 2024, is refused in words that name neither', () => {
	const { peer, sent } = openPeer()
	peer.receive('{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}')
	expect(JSON.parse(sent[0] as string)).toMatchObject({
		id: 7,
		error: {
			code: -32601,
			message: 'The client behind this gateway cannot be asked for sampling/createMessage.',
		},
	})
})

it('an announcement that names no subscription (mcp-go over stdio) reaches those who listen, each under its own id', () => {
	const { peer } = openPeer()
	const listening = ['a', 'b'].map((id) => {
		const { exchange, got } = begin()
		peer.request({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: {} }, '', exchange)
		return got
	})
	const { exchange, got: called } = begin()
	peer.request({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params: {} }, '', exchange)
	peer.receive('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')
	peer.receive('{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://1"}}')
	peer.receive('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"whose?"}}')
	const told = listening.map(({ body }) =>
		[...body.matchAll(/^data: (.*)$/gm)].map(([, text]) => JSON.parse(text as string)),
	)
	for (const [at, id] of ['a', 'b'].entries()) {
		const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
		expect(told[at]?.map(({ method, params }) => [method, params])).toEqual([
			['notifications/tools/list_changed', { _meta }],
			['notifications/resources/updated', { uri: 'x://1', _meta }],
		])
	}
	expect(called.body).toBe('')
})

it.each(['1.0', '"1"', '{"valueOf":1,"toString":1}', 'true', '[1]', 'null'])(
	'a program that writes %s as an id, a token or an address ends nothing',
	(odd) => {
		const { peer } = openPeer()
		const plain = readPlainCall(call('{}'))
		if (!plain) throw new Error('It is not plain.')
		const { exchange, got } = begin()
		peer.call(plain, '', exchange)
		const subscription = `{"io.modelcontextprotocol/subscriptionId":${odd}}`
		for (const rest of [
			`"method":"notifications/progress","params":{"progressToken":${odd}}`,
			`"method":"notifications/resources/updated","params":{"uri":${odd}}`,
			`"method":"notifications/x","params":{"_meta":${subscription}}`,
			`"id":9,"result":{"_meta":${subscription}}`,
			`"id":${odd},"result":{ }`,
		])
			peer.receive(`{"jsonrpc":"2.0",${rest}}`)
		// Some programs write all numbers with a fraction.
		expect(got.isOver).toBe(odd === '1.0')
	},
)

it('a request of the program comes on the only exchange, or on the stream: one of several may have been cut', () => {
	const [stream, one, other] = [begin(), begin(), begin()]
	const streams: PipeExchange[] = []
	const { peer } = openPeer({ streams: () => streams, isShared: false })
	const asksIn = ({ got }: ReturnType<typeof begin>) => got.body.match(/"id":"\w+"/g) ?? []
	const ask = (id: string) => peer.receive(`{"jsonrpc":"2.0","id":"${id}","method":"roots/list"}`)
	peer.request(parseRpc(call('{}')) as RpcObject, 's', one.exchange)
	ask('of_one')
	peer.request(parseRpc(call('{}')) as RpcObject, 's', other.exchange)
	ask('without_stream')
	streams.push(stream.exchange)
	ask('of_several')
	expect([stream, one, other].map(asksIn)).toEqual([
		['"id":"of_several"'],
		['"id":"of_one"', '"id":"without_stream"'],
		[],
	])
})
