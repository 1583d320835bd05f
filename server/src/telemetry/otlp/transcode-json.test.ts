import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { randomCases } from '../../platform/random-cases.testing.ts'
import { jsonToProtobuf } from './json-to-protobuf.ts'
import { decodeOptions, requests, toJsonBody } from './testing/requests.ts'
import { request as traceRequest, transcodeJson } from './transcode-json.ts'
import { transcodeProtobuf } from './transcode-protobuf.ts'

/** The result of the general reader, which takes every body that has an unknown field. */
function byGeneralReader(body: Buffer) {
	return transcodeJson(
		Buffer.concat([Buffer.from('{"unknown":0,'), body.subarray(body.indexOf('{') + 1)]),
		decodeOptions,
	)
}

/** What is written in one pass gives the rows of the general reader. Returns whether it was written in one pass. */
function agrees(body: Buffer): boolean {
	const message = jsonToProtobuf(body, traceRequest)
	if (!message) return false
	const general = byGeneralReader(body)
	const { rows, ...rest } = transcodeProtobuf(message, decodeOptions)
	expect(rest).toEqual({ count: general.count, rejections: general.rejections })
	expect(rows.equals(general.rows)).toBe(true)
	return true
}

/** Requests as exporters write them: bytes are rare, and are left to the general reader. */
const written = fc.tuple(requests, fc.constantFrom(undefined, 1, '\t')).map(([request, indent]) => {
	const { resourceSpans } = JSON.parse(
		toJsonBody(request).toString().replaceAll('"bytesValue"', '"stringValue"'),
	)
	return Buffer.from(JSON.stringify({ resourceSpans }, null, indent))
})

test('a request is written in one pass as the general reader writes it', () => {
	let inOnePass = 0
	const cases = randomCases(2000)
	fc.assert(
		fc.property(written, (body) => {
			if (agrees(body)) inOnePass += 1
		}),
		{ numRuns: cases },
	)
	expect(inOnePass).toBeGreaterThan(cases / 4)
})

test('a damaged request is either left to the general reader or read like it', () => {
	const damage = fc.tuple(fc.nat(), fc.constantFrom(...'"\\{}[],:0189-.eEtfn u\u0000\n\u00ff'), fc.boolean())
	fc.assert(
		fc.property(written, fc.array(damage, { minLength: 1, maxLength: 3 }), (body, changes) => {
			let text = body.toString('latin1')
			for (const [place, put, replaces] of changes) {
				const at = place % text.length
				text = text.slice(0, at) + put + text.slice(replaces ? at + 1 : at)
			}
			agrees(Buffer.from(text, 'latin1'))
		}),
		{ numRuns: randomCases(8000) },
	)
})

test('the recorded bodies of exporters are read in one pass', () => {
	const folder = new URL('recorded/', import.meta.url)
	const bodies = readdirSync(folder)
		.filter((name) => name.endsWith('.json'))
		.map((name) => readFileSync(new URL(name, folder)))
		.filter((body) => body.includes('"resourceSpans"'))
	expect(bodies.length).toBeGreaterThan(2)
	for (const body of bodies) expect(agrees(body)).toBe(true)
})

const now = '1790000000000000000'
const id = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) }
const one = (span: object) => ({
	resourceSpans: [{ resource: {}, scopeSpans: [{ spans: [{ ...id, startTimeUnixNano: now, ...span }] }] }],
})
const valued = (value: unknown) => one({ attributes: [{ key: 'k', value }] })

test.each([
	['an integer at the end of its range', valued({ intValue: '9223372036854775807' })],
	['an integer at the start of its range', valued({ intValue: '-9223372036854775808' })],
	['a bare negative integer', valued({ intValue: -5 })],
	['zeros before an integer', valued({ intValue: '007' })],
	[
		'a small and a large number',
		valued({ arrayValue: { values: [{ doubleValue: 5e-324 }, { doubleValue: 1e300 }] } }),
	],
	['a value of no type', valued({})],
	['an empty array', valued({ arrayValue: {} })],
	['escaped characters', valued({ stringValue: '"\\/\b\f\n\r\t\u0000\u001f é 中 😀' })],
	['the last time that fits', one({ endTimeUnixNano: '9999999999999999999' })],
	['no parent', one({ parentSpanId: '' })],
	['a parent', one({ parentSpanId: 'EF'.repeat(8) })],
	['no spans', { resourceSpans: [] }],
	[
		'an entity',
		{
			resourceSpans: [
				{
					resource: { entityRefs: [{ type: 'host', idKeys: ['host.id'], descriptionKeys: [] }] },
					...{ scopeSpans: [{ spans: [{ ...id, startTimeUnixNano: now }] }] },
				},
			],
		},
	],
])('%s is read in one pass', (_what, body) => {
	expect(agrees(Buffer.from(JSON.stringify(body)))).toBe(true)
	const escaped = JSON.stringify(body).replace(
		/[^ -~]/g,
		(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
	)
	expect(agrees(Buffer.from(escaped))).toBe(true)
})

const text = (body: object) => JSON.stringify(body)
test.each([
	['an unknown field', text(one({ colour: 'red' }))],
	['a field given twice', text(one({ name: 'a' })).replace('"name"', '"name":"b","name"')],
	['a value of two types', text(valued({ stringValue: 'a', intValue: 1 }))],
	['null', text(one({ name: null }))],
	['the name of an enum', text(one({ kind: 'SPAN_KIND_CLIENT' }))],
	['a trace id of zeros', text(one({ traceId: '0'.repeat(32) }))],
	['a trace id that is too short', text(one({ traceId: 'ab' }))],
	['a trace id that is not hex', text(one({ traceId: 'xy'.repeat(16) }))],
	['bytes', text(valued({ bytesValue: 'AAAA' }))],
	['NaN', text(valued({ doubleValue: 'NaN' }))],
	['an integer out of its range', text(valued({ intValue: '9223372036854775808' }))],
	['an integer as a float', text(valued({ intValue: 5 })).replace('5}', '5.0}')],
	['a time of 20 digits', text(one({ endTimeUnixNano: '18446744073709551615' }))],
	['half a surrogate pair', text(one({ name: '\ud800' }))],
	['a control character', text(one({ name: 'ab' })).replace('ab', 'a\nb')],
	['a comma before the end', text(one({ name: 'ab' })).replace('"ab"', '"ab",')],
	['something after the end', `${text(one({}))}{}`],
	['zeros before a number', text(one({ kind: 3 })).replace('"kind":3', '"kind":03')],
	['another signal', text({ resourceLogs: [] })],
	['no object', '[]'],
	['nothing', ''],
	['too many tiny objects', text({ resourceSpans: Array(20_000).fill({}) })],
])('%s is left to the general reader', (_what, body) => {
	expect(jsonToProtobuf(Buffer.from(body), traceRequest)).toBe(null)
})

test('a negative number of an enum is kept, as from protobuf', () => {
	const json = byGeneralReader(Buffer.from(text(one({ kind: -1 }))))
	const kind = Buffer.concat([Buffer.from([6 << 3]), Buffer.alloc(9, 0xff), Buffer.from([1])])
	const ids = [0x0a, 16, ...Buffer.from(id.traceId, 'hex'), 0x12, 8, ...Buffer.from(id.spanId, 'hex'), 0x39]
	const start = Buffer.alloc(8)
	start.writeBigUInt64LE(BigInt(now))
	const span = Buffer.concat([Buffer.from(ids), start, kind])
	// One resource with an empty description, one scope, one span.
	const within = (bytes: Buffer) => Buffer.concat([Buffer.from([0x12, bytes.length]), bytes])
	const ofResource = Buffer.concat([Buffer.from([0x0a, 0]), within(within(span))])
	const message = Buffer.concat([Buffer.from([0x0a, ofResource.length]), ofResource])
	const { rows, count } = transcodeProtobuf(message, decodeOptions)
	expect([json.count, count]).toEqual([1, 1])
	expect(rows.equals(json.rows)).toBe(true)
})

test('text that is not UTF-8 is left to the general reader', () => {
	const body = Buffer.from(text(one({ name: 'ab' })))
	body[body.indexOf('ab"') + 1] = 0xff
	expect(jsonToProtobuf(body, traceRequest)).toBe(null)
})
