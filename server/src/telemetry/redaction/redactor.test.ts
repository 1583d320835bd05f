import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeSpanBlock } from '../blocks/span-block.ts'
import { transcodeLogsJson, transcodeLogsProtobuf } from '../logs/transcode-logs.ts'
import { transcodeMetricsJson, transcodeMetricsProtobuf } from '../metrics/transcode-metrics.ts'
import type { Decoded, DecodeOptions } from '../otlp/decoded.ts'
import { encodeMessage } from '../otlp/encode-request.ts'
import { encodeRequest, requests, toJsonBody } from '../otlp/testing/requests.ts'
import { transcodeJson } from '../otlp/transcode-json.ts'
import { transcodeProtobuf } from '../otlp/transcode-protobuf.ts'
import { newSpanRow } from '../span-row.ts'
import { type RedactionRule, type RuleSet, redactCall, redactedKey } from './redactor.ts'

const secret = 'EMP-123456'
const left = '[redacted:staff]'

function rulesFor(appliesTo: RedactionRule['appliesTo'], attributeKeys: string[] = []): RuleSet {
	const rules = [{ pattern: 'EMP-[0-9]{6}', label: 'staff', appliesTo, attributeKeys }]
	return { key: JSON.stringify(rules), rules }
}

function given(rules?: RuleSet): DecodeOptions {
	const times = { oldestNs: 0n, nowNs: 1n, newestNs: 2n ** 63n - 1n }
	return { workspaceId: 'w', retentionDays: 30, ...times, maxRowsBytes: 1 << 20, ...(rules && { rules }) }
}

const text = (key: string, stringValue = secret) => ({ key, value: { stringValue } })
const time = { timeUnixNano: '1790000000000000000' }
const [resource, scope] = [{ attributes: [text('host.name')] }, { name: 's', attributes: [text('owner')] }]
const span = {
	traceId: 'ab'.repeat(16),
	spanId: 'cd'.repeat(8),
	name: `of ${secret}`,
	startTimeUnixNano: time.timeUnixNano,
	attributes: [text('user.id'), text('team.a'), text('gen_ai.prompt', `I am ${secret}, a@b.io`)],
	events: [{ name: 'e', attributes: [text('k')] }],
	links: [{ traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), attributes: [text('k')] }],
	status: { code: 2, message: `no ${secret}` },
}
const requestOf = (one: object) => ({
	resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [one] }] }],
})

/** The span's row; both encodings must produce the same. */
function spanRow(rules?: RuleSet, traces = requestOf(span)) {
	const fromJson = transcodeJson(Buffer.from(JSON.stringify(traces)), given(rules))
	const fromProtobuf = transcodeProtobuf(encodeMessage('traces', traces), given(rules))
	expect(fromProtobuf.rows.equals(fromJson.rows)).toBe(true)
	return { rows: fromJson.rows, row: decodeSpanBlock(fromJson.rows)[0] as ReturnType<typeof newSpanRow> }
}

function alike(fromJson: Decoded, fromProtobuf: Decoded): string {
	expect(fromProtobuf.count).toBe(1)
	expect(fromProtobuf.rows.equals(fromJson.rows)).toBe(true)
	return fromJson.rows.toString('latin1')
}

describe("a workspace's own redaction rules", () => {
	it.each(['gen_ai.user.message', 'guardrails.utterance.user.finished'])('reach the event %s', (name) => {
		const heard = { ...span, events: [{ name, attributes: [text('content')] }] }
		const { row } = spanRow(rulesFor(['content']), requestOf(heard))
		expect(row.events).toContain(left)
		expect(row.events).not.toContain(secret)
	})

	it('for content leave everything else unchanged', () => {
		const { row } = spanRow(rulesFor(['content']))
		expect(row.attributes.get('gen_ai.prompt')).toBe(`I am ${left}, [redacted:email]`)
		expect(row.attributes.get(redactedKey)).toEqual(['email', 'staff'])
		expect(row).toMatchObject({ name: span.name, statusMessage: span.status.message, userId: secret })
		expect(row.resource.get('host.name')).toBe(secret)
	})

	it('for attributes apply to the attributes with those keys, and to the columns derived from them', () => {
		const { row } = spanRow(rulesFor(['attributes'], ['user.id', 'host*']))
		expect([row.attributes.get('user.id'), row.userId]).toEqual([left, left])
		expect(row.resource.get('host.name')).toBe(left)
		expect(row.attributes.get('team.a')).toBe(secret)
		expect(row.attributes.get('gen_ai.prompt')).toContain(secret)
		expect(row.name).toBe(span.name)
	})

	it('for all remove every match from a span', () => {
		expect(spanRow().rows.includes(secret)).toBe(true)
		expect(spanRow(rulesFor(['log_bodies'])).row.attributes.get('team.a')).toBe(secret)
		const { row, rows } = spanRow(rulesFor(['all']))
		expect(rows.includes(secret)).toBe(false)
		expect(row).toMatchObject({ name: `of ${left}`, statusMessage: `no ${left}`, userId: left })
	})

	it('apply to a mark that the sender set, too', () => {
		const values = [{ stringValue: secret }, { stringValue: 'card' }]
		const brought = { ...span, attributes: [{ key: redactedKey, value: { arrayValue: { values } } }] }
		const { row, rows } = spanRow(rulesFor(['all']), requestOf(brought))
		expect(row.attributes.get(redactedKey)).toEqual([left, 'card', 'staff'])
		expect(rows.includes(secret)).toBe(false)
	})

	it('have the same result in both encodings of any request', () => {
		const rules = [{ pattern: '[a-m]', label: 'x', appliesTo: ['all'] as const, attributeKeys: [] }]
		fc.assert(
			fc.property(requests, (request) => {
				const fromProtobuf = transcodeProtobuf(encodeRequest(request), given({ key: 'any', rules }))
				const fromJson = transcodeJson(toJsonBody(request), given({ key: 'any', rules }))
				expect(decodeSpanBlock(fromJson.rows)).toEqual(decodeSpanBlock(fromProtobuf.rows))
			}),
			{ numRuns: 100 },
		)
	})

	it('apply to log records: bodies of any shape, and attributes', () => {
		const values = [text('k'), text('mail', 'a@b.io')]
		const record = { ...time, body: { kvlistValue: { values } }, attributes: [text('x')] }
		const body = { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: [record] }] }] }
		const rows = (rules?: RuleSet) =>
			alike(
				transcodeLogsJson(Buffer.from(JSON.stringify(body)), given(rules)),
				transcodeLogsProtobuf(encodeMessage('logs', body), given(rules)),
			)
		const count = (from: string, wanted: string) => from.split(wanted).length - 1
		expect(count(rows(), secret)).toBe(4)
		expect([count(rows(), 'a@b.io'), count(rows(), '[redacted:email]')]).toEqual([0, 1])
		expect(rows()).toContain(redactedKey)
		expect(count(rows(rulesFor(['log_bodies'])), secret)).toBe(3)
		expect(count(rows(rulesFor(['content'])), secret)).toBe(4)
		expect(count(rows(rulesFor(['all'])), secret)).toBe(0)
	})

	it('apply to data points and their exemplars, without a mark, which would create a separate series', () => {
		const exemplar = { ...time, asInt: '1', filteredAttributes: [text('x')] }
		const point = { ...time, asInt: '1', attributes: [text('user')], exemplars: [exemplar] }
		const metric = { name: 'm', gauge: { dataPoints: [point] }, metadata: [text('z')] }
		const body = { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics: [metric] }] }] }
		const rows = (rules?: RuleSet) =>
			alike(
				transcodeMetricsJson(Buffer.from(JSON.stringify(body)), given(rules)),
				transcodeMetricsProtobuf(encodeMessage('metrics', body), given(rules)),
			)
		expect(rows()).toContain(secret)
		expect(rows(rulesFor(['all']))).not.toContain(secret)
		expect(rows(rulesFor(['all']))).not.toContain(redactedKey)
		expect(rows(rulesFor(['attributes'], ['user']))).toContain(left)
	})

	it('apply to the record of a call, whose mark keeps earlier findings', () => {
		const row = newSpanRow({
			...{ workspaceId: 'w', traceId: span.traceId, spanId: span.spanId, name: `of ${secret}` },
			...{ source: 'gateway', kind: 'tool_call', startNs: 1n, userId: secret, sessionId: secret },
			attributes: new Map<string, string | string[]>([
				['gen_ai.tool.call.arguments', `{"id":"${secret}"}`],
				[redactedKey, ['card']],
			]),
		})
		expect(redactCall(row, undefined)).toBe(row)
		const content = redactCall(row, rulesFor(['content']))
		expect(Object.fromEntries(content.attributes)).toEqual({
			'gen_ai.tool.call.arguments': `{"id":"${left}"}`,
			[redactedKey]: ['card', 'staff'],
		})
		expect(content.userId).toBe(secret)
		expect(redactCall(row, rulesFor(['attributes'], ['user.id']))).toMatchObject({
			userId: left,
			sessionId: secret,
		})
		expect(redactCall(row, rulesFor(['all']))).toMatchObject({
			name: `of ${left}`,
			userId: left,
			sessionId: left,
		})
	})
})
