import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { randomCases } from '../../../platform/random-cases.testing.ts'
import type { Exchange, SpanRow } from '../../../telemetry/index.ts'
import { FactsOpener } from '../../../telemetry/recorder/call-facts.ts'
import {
	decodeHeader,
	headerBytes,
	isFacts,
	scanRecords,
} from '../../../telemetry/recorder/segment-format.ts'
import { providers } from '../providers/index.ts'
import { canary, useProxyStage } from '../testing/proxy-stage.ts'
import { commonFacts, encodeFacts, encodeOwnFacts } from './call-facts.ts'
import { CallRows, type WorkspaceRules } from './call-rows.ts'

const stage = useProxyStage()

/** The segments as stored on disk, and the facts that calls have left in them, decrypted. */
function readLog(): { onDisk: string; facts: string[] } {
	const { directory, keyOf } = stage.proxy
	const facts: string[] = []
	let onDisk = ''
	for (const name of readdirSync(directory).filter((name) => name.endsWith('.seg'))) {
		const bytes = readFileSync(join(directory, name))
		onDisk += bytes.toString('latin1')
		const header = decodeHeader(bytes)
		if (!header) throw new Error('A segment has no header.')
		const key = keyOf(`telemetry log segment ${header.logId} ${header.number}`)
		scanRecords(bytes, headerBytes, bytes.length, header.marker, ({ rowFormat, bytes: sealed }) => {
			if (isFacts(rowFormat)) facts.push(new FactsOpener(key).open(sealed as Buffer).toString('latin1'))
		})
	}
	return { onDisk, facts }
}

/** Must not be in rows, because it is redacted. */
const spoken = 'jane.private@example.com'

it.each([
	['in a plain answer', 'application/json', 200],
	['in a stream', 'text/event-stream', 200],
	['in an error', 'application/json', 401],
])(
	'what a call carried is sealed in the log, and no credential is in it, sealed or not: %s',
	async (_, type, status) => {
		const { proxy, mock, key } = stage
		const id = `${type} ${status}`
		mock.intercept = (received, response) => {
			const message = { role: 'assistant', content: `${spoken}: ${received.headers.authorization}` }
			const chunk = { id, choices: [{ index: 0, delta: message, finish_reason: 'stop' }] }
			response.writeHead(status, { 'content-type': type })
			if (type === 'application/json')
				response.end(JSON.stringify({ id, error: status > 200 ? message : null, choices: [{ message }] }))
			else response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
			return true
		}
		const body = JSON.stringify({
			model: 'gpt-5.6-sol',
			messages: [{ role: 'user', content: `${spoken}, ${id}` }],
		})
		const headers = { ...stage.byKey(), cookie: 'session=of-a-browser', 'x-api-key': 'sk-of-the-caller' }
		await stage.send('POST', '/proxy/gpt/v1/chat/completions', headers, body)
		await proxy.settled()
		const { onDisk, facts } = readLog()
		const carried = facts.filter((text) => text.includes(spoken) && text.includes(id))
		expect(carried.length).toBeGreaterThan(0)
		expect(onDisk).not.toContain(spoken)
		for (const secret of [canary, key, 'of-a-browser', 'sk-of-the-caller']) {
			expect(onDisk).not.toContain(secret)
			for (const text of facts) expect(text).not.toContain(secret)
		}
	},
)

const price = { id: 'p', connection: null, provider: null, model: 'm*', effective_until: null, factor: null }
const prices = [{ ...price, workspace_id: 'v', effective_from: 0, rates: '{"in_text":1000,"out_text":1000}' }]
const ruleOf = (label: string) => ({ pattern: 'hi', label, appliesTo: ['all'] as const, attributeKeys: [] })
const rulesOf = ['x', 'y'].map((key) => ({ key, rules: [ruleOf(key)] }))
const settings: WorkspaceRules[] = [undefined, ...rulesOf].map((rules, at) => ({
	...{ retentionDays: at, rules, textRules: undefined, prices: at === 1 ? [] : prices },
}))

const anyMessage = fc.record({
	role: fc.constantFrom('user', 'assistant', 'system', 'tool'),
	content: fc.constantFrom('hi', 'ho', 'ü'.repeat(300), null),
	...{ tool_call_id: fc.constantFrom(undefined, 'call_123456789') },
})
const anyCall = fc.record({
	workspaceId: fc.constantFrom('v', 'w'),
	now: fc.constantFrom(...settings),
	body: fc.record({
		...{ model: fc.constantFrom('m1', 'n'), user: fc.constantFrom(undefined, 'hi') },
		tools: fc.subarray([{ name: 'read' }, { name: 'write' }]),
		messages: fc.array(anyMessage, { minLength: 1, maxLength: 4 }),
	}),
	headers: fc.constantFrom({}, { 'user-agent': 'a/1' }, { 'x-signalbox-user-id': 'u', baggage: 'a=b' }),
	...{ isCommon: fc.boolean(), hours: fc.nat(30), answer: fc.constantFrom('ho', 'hu') },
})
type Call = typeof anyCall extends fc.Arbitrary<infer Value> ? Value : never

/** The facts of a call, in one document each, or what several calls share apart from what is the call's own. */
function factsOf({ workspaceId, body, headers, isCommon, hours, answer }: Call, number: number) {
	const id = number.toString(16).padStart(16, '0')
	const trace = { traceId: id + id, spanId: id, parentSpanId: '', traceState: '', flags: 1 }
	const startNs = String((1_790_000_000n + BigInt(hours * 3600)) * 1_000_000_000n)
	const shared = {
		workspaceId,
		credentialId: 'k',
		agentId: '',
		agentName: '',
		connection: 'gpt',
		method: 'POST',
	}
	const all = { ...shared, provider: 'openai', path: 'v1/chat/completions' } as const
	const target = { surface: providers.openai.surfaceOf('POST', 'chat/completions'), ownKey: false }
	const [sent, usage] = [Buffer.from(JSON.stringify(body)), { prompt_tokens: number, completion_tokens: 2 }]
	const message = { role: 'assistant', content: answer }
	const got = Buffer.from(JSON.stringify({ id, model: 'm1', choices: [{ message }], usage }))
	const own = { call: { requestId: id, trace, startNs }, requestBytes: sent.length }
	const step = { connection: 'gpt', provider: 'openai', model: null, usageInjected: false } as const
	const ran = {
		ending: { kind: 'complete' },
		sent: true,
		step,
		attempts: [],
		limitHeaders: [],
		gaps: null,
	} as const
	const more = { deferred: false, unattended: false, route: '', hooks: '', firstContentNs: null } as const
	const end = { ...ran, ...more, httpStatus: 200, answered: 200 }
	const ownEnd = { durationNs: number, timing: '', responseBytes: got.length, providerRequestId: id }
	const told = { keepsTexts: true, answer: { contentType: 'application/json', encoding: '', listed: false } }
	const passed = { passedBytes: got.length }
	const call = { ...all, headers, ...own.call }
	if (!isCommon)
		return [
			encodeFacts({ ...own, call, target, fault: null }, sent, null),
			encodeFacts({ ...told, ...passed, end: { ...end, ...ownEnd } }, null, got),
		] as const
	const announced = commonFacts({ call: { ...all, headers }, target, fault: null })
	return [
		encodeOwnFacts(announced, JSON.stringify(own), sent, null),
		encodeOwnFacts(commonFacts({ ...told, end }), JSON.stringify({ ...passed, end: ownEnd }), null, got),
	] as const
}

interface Made {
	span: SpanRow | null
	exchange: Exchange | null
	texts: string[]
}

function make(maker: CallRows, { workspaceId, now }: Call, [announced, ended]: readonly [Buffer, Buffer]) {
	const made: Made = { span: null, exchange: null, texts: [] }
	const sink = {
		span: (row: SpanRow) => {
			made.span = row
		},
		exchange: (exchange: Exchange) => {
			made.exchange = exchange
		},
		texts: (_call: unknown, texts: readonly { hash: string }[]) => {
			made.texts = texts.map(({ hash }) => hash)
		},
	}
	void maker.make({ workspaceId, announced, ended, bare: false }, now, sink as never)
	return made
}

/** What does not depend on earlier calls. The mark of a piece that is stored, and its links, are not part of a row. */
function ofCallAlone({ span, exchange }: Made) {
	const parts = exchange?.parts.map(({ kind, name, hash, bytes, weight }) => [
		kind,
		name,
		hash,
		bytes,
		weight,
	])
	return { span: { ...span, sessionId: '' }, exchange: { ...exchange, sessionId: '', parts } }
}

it('the rows of a call are the same whatever came before it, and each text that they refer to is stored', () => {
	const property = fc.property(fc.array(anyCall, { minLength: 1, maxLength: 40 }), (calls) => {
		const maker = new CallRows()
		const stored = new Set<string>()
		for (const [number, call] of calls.entries()) {
			const made = make(maker, call, factsOf(call, number))
			const alone = make(
				new CallRows(),
				{ ...call, now: structuredClone(call.now) },
				factsOf({ ...call, isCommon: false }, number),
			)
			expect(ofCallAlone(made)).toEqual(ofCallAlone(alone))
			const day = Math.floor(Number(made.span?.startNs) / 86_400e9)
			for (const hash of made.texts) stored.add(`${call.workspaceId} ${day} ${hash}`)
			for (const { hash } of made.exchange?.parts ?? [])
				expect(stored).toContain(`${call.workspaceId} ${day} ${hash}`)
		}
	})
	fc.assert(property, { numRuns: randomCases(40) })
})
