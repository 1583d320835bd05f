import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Collector, startCollector } from './testing/collector.ts'
import { type HostCase, type HostRun, runHost } from './testing/run-host.ts'
import { errorIds } from './testing/script.ts'

const cases: [HostCase['sdk'], HostCase['transport']][] = [
	['v1-lowest', 'stdio'],
	['v1-lowest', 'http'],
	['v1-lowest', 'sse'],
	['v1', 'stdio'],
	['v1', 'http'],
	['v1', 'sse'],
	['v2', 'stdio'],
	['v2', 'http'],
]

const ways = ['before', 'after', 'register'] as const

describe.each(cases)('a server of SDK %s over %s', (sdk, transport) => {
	/** The short form tests each server in one of the ways, which alternate. */
	const place = cases.findIndex((each) => each[0] === sdk && each[1] === transport)
	const tried = ways.filter((_, at) => process.env.LONG_TESTS || at === place % ways.length)
	let collector: Collector
	let bare: HostRun
	beforeAll(async () => {
		collector = await startCollector()
		bare = await runHost({ sdk, transport, observed: 'no' })
	})
	beforeEach(() => {
		collector.spans.length = 0
	})
	afterAll(() => collector.close())

	it.each(tried)(
		'behaves the same and is reported in exactly these spans, observed: %s',
		async (observed) => {
			const options = { endpoint: collector.url, token: 't', serviceName: 'host', capture: true }
			const { answers, stderr, code } = await runHost({ sdk, transport, observed, options })
			expect(answers.join('\n') === bare.answers.join('\n'), 'the same bytes').toBe(true)
			expect([stderr, code]).toEqual([bare.stderr, bare.code])
			const byId = new Map(
				collector.spans.map((span) => [Number(span.attributes.get('jsonrpc.request.id')), span]),
			)
			const seen = [...byId].map(([id, { name, errorType, status }]) => [id, name, errorType, status])
			expect(seen.sort(([a], [b]) => Number(a) - Number(b))).toEqual(expectedOf(sdk, transport))
			expect(collector.spans.length).toBe(seen.length)
			expect(byId.get(2)).toMatchObject({
				traceId: 'ab'.repeat(16),
				parentSpanId: 'cd'.repeat(8),
				otlpKind: 2,
				client: 'tester/9',
				serviceName: 'host',
			})
			expect(byId.get(2)?.attributes.get('gen_ai.agent.name')).toBe('Ada')
			expect(byId.get(2)?.attributes.get('signalbox.tool.definition.hash')).toMatch(/^[0-9a-f]{64}$/)
			expect(byId.get(5)?.attributes.get('signalbox.progress.count')).toBe(3n)
		},
	)
})

/** The spans differ where the SDKs do: in who answers for an unknown tool and for wrong arguments. */
function expectedOf(sdk: HostCase['sdk'], transport: HostCase['transport']): unknown[] {
	const isModern = sdk === 'v2' && transport === 'http'
	const fault = ['-32602', 'unset']
	const ofTool = ['tool_error', 'error']
	const hasErrors = sdk !== 'v1-lowest' || transport !== 'http'
	const all = [
		...(isModern ? [] : [[0, 'initialize', '', 'unset']]),
		[1, 'tools/list', '', 'unset'],
		[2, 'tools/call echo', '', 'unset'],
		[3, 'tools/call broken', ...ofTool],
		[4, 'tools/call thrower', ...ofTool],
		[5, 'tools/call progress', '', 'unset'],
		[6, 'tools/call unknown', ...(sdk === 'v1' ? ofTool : fault)],
		[7, 'tools/call echo', ...(sdk === 'v1-lowest' ? fault : ofTool)],
		[8, 'tools/call big', '', 'unset'],
		[9, 'prompts/get hello', '', 'unset'],
		[10, 'resources/read', '', 'unset'],
		[11, 'no/such', '-32601', 'unset'],
		[12, 'ping', ...(isModern ? ['-32601', 'unset'] : ['', 'unset'])],
		...(transport === 'stdio' ? [[13, 'tools/call hang', 'cancelled', 'error']] : []),
	]
	return all.filter(([id]) => hasErrors || !errorIds.includes(id))
}
