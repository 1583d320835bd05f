import { telemetryOperations } from '@signalbox/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSerializerCompiler } from '../../platform/http/compile-when-used.ts'
import { readBlocks } from '../blocks/block.ts'
import { decodeNativeSpans } from '../blocks/native.testing.ts'
import { toNative } from '../blocks/native.ts'
import { decodeSpanBlock, spanLayouts } from '../blocks/span-block.ts'
import { presentSpan } from '../present-span.ts'
import { ExpandsTooFar, reasons } from './decoded.ts'
import { encodeRequest as encodeJson } from './encode-request.ts'
import { decodeOptions, encodeRequest, requests, toJsonBody } from './testing/requests.ts'
import { transcodeJson } from './transcode-json.ts'
import { transcodeProtobuf } from './transcode-protobuf.ts'
import { WireWriter } from './wire-writer.ts'

test('both encodings of a request produce the same rows, byte by byte', () => {
	fc.assert(
		fc.property(requests, (request) => {
			const fromProtobuf = transcodeProtobuf(encodeRequest(request), decodeOptions)
			const fromJson = transcodeJson(toJsonBody(request), decodeOptions)
			expect(fromJson.count).toBe(fromProtobuf.count)
			expect(decodeSpanBlock(fromJson.rows)).toEqual(decodeSpanBlock(fromProtobuf.rows))
			expect(fromJson.rows.equals(fromProtobuf.rows)).toBe(true)
			expect(fromJson.rejections).toEqual(fromProtobuf.rejections)
		}),
		{ numRuns: process.env.LONG_TESTS ? 300 : 40 },
	)
})

const now = 1_790_000_000_000_000_000n
const span = {
	traceId: 'ab'.repeat(16),
	spanId: 'cd'.repeat(8),
	name: 'n',
	startTimeUnixNano: String(now),
	endTimeUnixNano: String(now + 5n),
}
const json = (spans: unknown[], resource: unknown = {}) =>
	transcodeJson(
		Buffer.from(JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] })),
		decodeOptions,
	)
const protobuf = (spans: unknown[]) =>
	transcodeProtobuf(encodeJson('traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] }), decodeOptions)
const nested = (depth: number): object =>
	depth === 0 ? { intValue: 1 } : { arrayValue: { values: [nested(depth - 1)] } }
/** Bodies whose spans mostly have the keys of the previous span, like those of a real sender. */
const alike = fc
	.array(
		fc.record({
			form: fc.constantFrom(
				['a', 'b'],
				['a', 'b', 'http.response.status_code'],
				['a', 'b', 'a'],
				['b'],
				['input.value'],
				['input.value', 'b'],
				[],
				['a', 'signalbox.redacted', 'input.value'],
				['gen_ai.tool.name', 'gen_ai.tool.call.id', 'mcp.session.id', 'jsonrpc.request.id'],
				['gen_ai.tool.name', 'input.value', 'gen_ai.tool.call.arguments', 'gen_ai.tool.name'],
				Array.from({ length: 70 }, (_, at) => `k${at}`),
			),
			repeats: fc.integer({ min: 1, max: 4 }),
			value: fc.constantFrom<object>(
				{ stringValue: 'x' },
				{ stringValue: 'to ada@example.org' },
				{ intValue: '200' },
				{ intValue: '-5' },
				{ boolValue: true },
				{},
				nested(2),
			),
			/** The span of the run of which a value is nested too deep. */
			deepAt: fc.constantFrom(-1, -1, 0, 1),
			message: fc.constantFrom('', '', 'no account of ada@example.org'),
			other: fc.constantFrom<object>({ stringValue: 'y' }, { intValue: '1000000000' }, { doubleValue: 0.5 }),
			isRefused: fc.boolean(),
		}),
		{ maxLength: 12 },
	)
	.map((runs) =>
		runs.flatMap(({ form, repeats, value, message, other, isRefused, deepAt }) =>
			Array.from({ length: repeats }, (_, at) => ({
				...span,
				spanId: isRefused && at === 1 ? '' : span.spanId,
				status: { code: 2, message },
				attributes: form.map((key, place) => ({
					key,
					value:
						at === deepAt && place === form.length - 1 ? nested(70) : (place + at) % 3 === 0 ? other : value,
				})),
			})),
		),
	)

const nativeOf = (rows: Buffer) =>
	toNative(readBlocks(rows, spanLayouts), spanLayouts, (bytes) => Buffer.alloc(bytes))

test('spans with the keys of the previous span are read like any others', () => {
	fc.assert(
		fc.property(alike, (spans) => {
			const { rows } = protobuf(spans)
			expect(rows.equals(json(spans).rows)).toBe(true)
			const separately = spans.map((one) => protobuf([one]).rows)
			expect(decodeSpanBlock(rows)).toEqual(separately.flatMap((one) => decodeSpanBlock(one)))
			// The engine reads each column of all blocks as one, so that a value too many in one of them moves all others.
			expect(nativeOf(rows).equals(nativeOf(Buffer.concat(separately)))).toBe(true)
		}),
		{ numRuns: process.env.LONG_TESTS ? 400 : 50 },
	)
})

const oneSpan = (fields: object, given = decodeOptions) => {
	const { rows, rejections } = transcodeJson(
		Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, ...fields }] }] }] })),
		given,
	)
	return { row: decodeSpanBlock(rows)[0], rejections }
}
const attribute = (value: unknown) => {
	const { row } = oneSpan({ attributes: [{ key: 'k', value }] })
	return row?.attributes.get('k')
}

test('64-bit numbers stay exact, as text, as bare numbers and as times', () => {
	const text = JSON.stringify({
		resourceSpans: [
			{ scopeSpans: [{ spans: [{ ...span, attributes: [{ key: 'k', value: { intValue: 'BARE' } }] }] }] },
		],
	})
	const [row] = decodeSpanBlock(
		transcodeJson(Buffer.from(text.replace('"BARE"', '-9223372036854775807')), decodeOptions).rows,
	)
	expect(row?.attributes.get('k')).toBe(-9223372036854775807n)
	expect(attribute({ intValue: '9223372036854775807' })).toBe(2n ** 63n - 1n)
	expect(oneSpan({ startTimeUnixNano: '1790000000000000001' }).row?.startNs).toBe(1790000000000000001n)
})

test('an integer of 2^63 is not a 64-bit integer: its span is rejected, the others are stored', () => {
	const { count, rejections } = json([
		span,
		{ ...span, attributes: [{ key: 'k', value: { intValue: '9223372036854775808' } }] },
	])
	expect({ count, rejections }).toEqual({ count: 1, rejections: { 'intValue is not a 64-bit number': 1 } })
})

test('NaN, infinities, empty values and reserved keys are preserved', () => {
	expect(attribute({ doubleValue: 'NaN' })).toBeNaN()
	expect(attribute({ doubleValue: '-Infinity' })).toBe(-Infinity)
	expect(attribute({})).toBe(null)
	const { row } = oneSpan({
		attributes: [
			{
				key: '__proto__',
				value: { kvlistValue: { values: [{ key: '__proto__', value: { intValue: 1 } }] } },
			},
		],
	})
	const value = row?.attributes.get('__proto__') as object
	expect(Object.entries(value)).toEqual([['__proto__', 1n]])
})

test('lone surrogates become U+FFFD', () => {
	const { row } = oneSpan({
		name: '\ud800x',
		attributes: [{ key: 'k', value: { arrayValue: { values: [{ stringValue: '\udc00' }] } } }],
	})
	expect(row).toMatchObject({ name: '\ufffdx' })
	expect(row?.attributes.get('k')).toEqual(['\ufffd'])
})

test('bytes that are not valid UTF-8 are repaired in the protobuf form as well', () => {
	const w = new WireWriter()
	w.message(1, (w) =>
		w.message(2, (w) =>
			w.message(2, (w) => {
				w.bytes(1, Buffer.alloc(16, 1))
				w.bytes(2, Buffer.alloc(8, 1))
				w.bytes(5, Buffer.from([0x61, 0xff, 0x62]))
				w.fixed64(7, now)
				w.message(9, (w) => {
					w.bytes(1, Buffer.from([0xed, 0xa0, 0x80]))
					w.message(2, (w) => w.bytes(1, Buffer.concat([Buffer.alloc(60, 0x61), Buffer.from([0xc0])])))
				})
			}),
		),
	)
	const [row] = decodeSpanBlock(transcodeProtobuf(w.toBuffer(), decodeOptions).rows)
	expect(row?.name).toBe('a\ufffdb')
	expect([...(row?.attributes ?? [])]).toEqual([['\ufffd\ufffd\ufffd', `${'a'.repeat(60)}\ufffd`]])
})

test('spans that would expire at once, or never, are rejected with a reason', () => {
	const range = { ...decodeOptions, oldestNs: now, newestNs: now + 10n }
	expect(oneSpan({ startTimeUnixNano: String(now - 1n) }, range).rejections).toEqual({
		'start_time_unix_nano is older than the retention': 1,
	})
	expect(oneSpan({ startTimeUnixNano: String(now + 11n) }, range).rejections).toEqual({
		'start_time_unix_nano is more than a day ahead': 1,
	})
	expect(oneSpan({ startTimeUnixNano: undefined }).rejections).toEqual({
		'start_time_unix_nano is missing or out of range': 1,
	})
})

test('in protobuf, too, times are checked to the nanosecond, and the shortest and longest durations are exact', () => {
	const range = { ...decodeOptions, oldestNs: now, newestNs: now + 10n }
	for (const startNs of [
		0n,
		1n,
		now - 1n,
		now,
		now + 10n,
		now + 11n,
		2n ** 63n - 1n,
		2n ** 63n,
		2n ** 64n - 1n,
	])
		expectSame([{ startNs }], range)
	const durations = [-1n, 0n, 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n]
	// From a time with a large lower half to one with a small odd one.
	for (const endNs of [1n, 3n].map((low) => 2n ** 60n + 2n ** 53n + low)) {
		const startNs = 2n ** 60n + 4n
		expectSame([{ startNs, endNs }])
		const { row } = oneSpan({ startTimeUnixNano: String(startNs), endTimeUnixNano: String(endNs) })
		expect(row?.durationNs).toBe(endNs - startNs)
	}
	for (const ns of durations)
		expectSame([
			{ startNs: now, endNs: now + ns },
			{ startNs: 4n, endNs: 4n + ns },
		])
})

test('a span without attributes about its subject is mapped like others of its sender, and does not affect them', () => {
	const status = (value: number) => ({ key: 'http.response.status_code', value: { intValue: value } })
	const model = { key: 'gen_ai.request.model', value: { stringValue: 'm' } }
	const plain = [[], [status(200)], [status(70_000)], [], [status(0)]]
	const spans = [[model, status(429)], ...plain, [model], ...plain]
	expectSame(spans.map((attributes) => ({ startNs: now, attributes })))
})

/** Both encodings produce the same rows for these spans, and reject the same ones. */
function expectSame(
	spans: { startNs: bigint; endNs?: bigint; attributes?: { key: string; value: object }[] }[],
	given = decodeOptions,
): void {
	const resource = { attributes: [{ key: 'user.id', value: { stringValue: 'ada' } }] }
	const made = spans.map(({ startNs, endNs, attributes }) => ({
		...{ ...span, startTimeUnixNano: String(startNs), kind: 3, attributes },
		...(endNs !== undefined ? { endTimeUnixNano: String(endNs) } : { endTimeUnixNano: '0' }),
	}))
	const request = { resourceSpans: [{ resource, scopeSpans: [{ spans: made }] }] }
	const fromJson = transcodeJson(Buffer.from(JSON.stringify(request)), given)
	const fromProtobuf = transcodeProtobuf(encodeJson('traces', request), given)
	expect(decodeSpanBlock(fromProtobuf.rows)).toEqual(decodeSpanBlock(fromJson.rows))
	expect(fromProtobuf.rejections).toEqual(fromJson.rejections)
}

test('nesting deeper than 64 levels rejects the span', () => {
	expect(oneSpan({ attributes: [{ key: 'k', value: nested(70) }] }).rejections).toEqual({
		[reasons.tooDeep]: 1,
	})
})

test('a resource repeated for every span cannot fill the memory', () => {
	const resource = { attributes: [{ key: 'k', value: { stringValue: 'x'.repeat(100_000) } }] }
	const body = Buffer.from(
		JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: Array(100).fill(span) }] }] }),
	)
	expect(() => transcodeJson(body, { ...decodeOptions, maxRowsBytes: 1_000_000 })).toThrow(ExpandsTooFar)
})

test.each(['logs', 'metrics'])('a request of %s is refused with the name of its signal', (signal) => {
	const field = signal === 'logs' ? 'resourceLogs' : 'resourceMetrics'
	expect(() => transcodeJson(Buffer.from(JSON.stringify({ [field]: [{}] })), decodeOptions)).toThrow(
		`This is a ${signal} request`,
	)
})

test('the last exception that a span has recorded is the type and the message of its error, in both encodings', () => {
	const raised = (type: string) => ({
		...{ name: 'exception', timeUnixNano: String(now) },
		attributes: [
			{ key: 'exception.type', value: { stringValue: type } },
			{ key: 'exception.message', value: { stringValue: `${type}!` } },
		],
	})
	const kind = [{ key: 'openinference.span.kind', value: { stringValue: 'LLM' } }]
	const spans = [[], kind].map((attributes) => ({
		...{ ...span, attributes, status: { code: 2 } },
		events: [raised('APIError'), raised('RateLimitError'), { name: 'other', timeUnixNano: String(now) }],
	}))
	const well = { ...span, status: { code: 1 }, events: [raised('Handled')] }
	const { rows } = json([...spans, well])
	expect(decodeSpanBlock(rows)).toMatchObject([
		{ status: 'error', errorType: 'RateLimitError' },
		{ status: 'error', errorType: 'RateLimitError' },
		{ status: 'ok', errorType: '' },
	])
	// What was sent is stored as it is; only what is shown has the message.
	const stored = decodeSpanBlock(rows)
	expect(stored.map(({ statusMessage }) => statusMessage)).toEqual(['', '', ''])
	const shown = stored.map((row) => presentSpan(row).status_message)
	expect(shown).toEqual(['RateLimitError!', 'RateLimitError!', ''])
	const request = { resourceSpans: [{ scopeSpans: [{ spans: [...spans, well] }] }] }
	expect(transcodeProtobuf(encodeJson('traces', request), decodeOptions).rows.equals(rows)).toBe(true)
})

test('the API serves events and links as they are stored, whatever their attributes are', () => {
	const schema = telemetryOperations.spans.response
	const route = { schema, method: 'GET', url: '', httpStatus: '200' }
	const write = createSerializerCompiler()(route)
	const served = (row: Parameters<typeof presentSpan>[0]) =>
		write({ spans: [presentSpan(row)], next_cursor: null })
	fc.assert(
		fc.property(requests, (request) => {
			for (const row of decodeSpanBlock(transcodeProtobuf(encodeRequest(request), decodeOptions).rows))
				expect(served(row)).toContain(`"events":${row.events || '[]'},"links":${row.links || '[]'},`)
		}),
		{ numRuns: process.env.LONG_TESTS ? 300 : 40 },
	)
	const [row] = decodeSpanBlock(json([span]).rows)
	const later =
		'[{"timeUnixNano":"1","name":"e","attributes":[{"key":"k","value":{"laterValue":{"a":1}}}],"later":[1]}]'
	expect(served({ ...(row as NonNullable<typeof row>), events: later })).toContain(`"events":${later}`)
})

test('a sender that came before is recognised, and only by all that it says', () => {
	const originOf = (host: string, schemaUrl: string, scopeName: string, scopeSchemaUrl: string) => {
		const attributes = [{ key: 'host.name', value: { stringValue: host } }]
		const scopeSpans = [{ scope: { name: scopeName }, spans: [span], schemaUrl: scopeSchemaUrl }]
		const body = { resourceSpans: [{ resource: { attributes }, scopeSpans, schemaUrl }] }
		const [row] = decodeSpanBlock(transcodeJson(Buffer.from(JSON.stringify(body)), decodeOptions).rows)
		return [row?.resource.get('host.name'), row?.resourceSchemaUrl, row?.scopeName, row?.scopeSchemaUrl]
	}
	const senders: [string, string, string, string][] = [
		['h1', 'https://r/1', 's1', 'https://s/1'],
		['h1', 'https://r/1', 's1', 'https://s/2'],
		['h1', 'https://r/2', 's1', 'https://s/2'],
		['h1', 'https://r/2', 's2', 'https://s/2'],
		['h2', 'https://r/2', 's2', 'https://s/2'],
		['h'.repeat(5000), 'https://r/2', 's2', 'https://s/2'],
	]
	for (const sender of [...senders, ...senders]) expect(originOf(...sender)).toEqual(sender)
})

test('a sender that cannot be read is refused each time', () => {
	const cut = Buffer.from([0x0a, 0x04, 0x0a, 0x02, 0x0a, 0x05])
	for (let time = 0; time < 2; time += 1)
		expect(() => transcodeProtobuf(cut, decodeOptions)).toThrow('malformed')
})

test('a span without attributes, of which something was redacted, has no keys of an earlier span', () => {
	const attributes = [{ key: 'a', value: { intValue: '1' } }]
	const status = { code: 2, message: 'The user ann@example.org is unknown' }
	const { rows } = json([{ ...span, attributes }, span, { ...span, status }, { ...span, attributes }])
	expect(decodeSpanBlock(rows).map((row) => [...row.attributes])).toEqual([
		[['a', 1n]],
		[],
		[['signalbox.redacted', ['email']]],
		[['a', 1n]],
	])
})

test('a span that is rejected while it is written leaves no keys to the next one', () => {
	const of = (key: string, value: object) => ({ key, value })
	const { rows, rejections } = protobuf([
		{ ...span, attributes: [of('input.value', { stringValue: 'a' }), of('b', { intValue: '1' })] },
		{ ...span, attributes: [of('input.value', nested(70))] },
		{ ...span, attributes: [of('input.value', { stringValue: 'c' })] },
	])
	expect(rejections).toEqual({ [reasons.tooDeep]: 1 })
	expect(decodeNativeSpans({ rows: nativeOf(rows) }).map((row) => [...row.attributes])).toEqual([
		[
			['input.value', 'a'],
			['b', 1n],
		],
		[['input.value', 'c']],
	])
})

test('a list where the name of an event is expected is an attribute like any other', () => {
	const values = [{ kvlistValue: { values: [] } }, { arrayValue: { values: [{ kvlistValue: {} }] } }]
	const { rows, count } = json(
		values.map((value) => ({ ...span, attributes: [{ key: 'signalbox.event', value }] })),
	)
	expect(count).toBe(2)
	expect(decodeSpanBlock(rows).map(({ kind, dialect }) => [kind, dialect])).toEqual([
		['other', ''],
		['other', ''],
	])
})
