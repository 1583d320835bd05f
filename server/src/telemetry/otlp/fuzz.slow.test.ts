import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomCases } from '../../platform/random-cases.testing.ts'
import { readBlocks } from '../blocks/block.ts'
import { decodeNativeSpans } from '../blocks/native.testing.ts'
import { toNative } from '../blocks/native.ts'
import { decodeSpanBlock, spanLayouts } from '../blocks/span-block.ts'
import type { RedactionRule } from '../redaction/redactor.ts'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'
import { countRejections } from './answers.ts'
import { type DecodeOptions, Rejected } from './decoded.ts'
import { decodeOptions, encodeRequest, type Request, requests, toJsonBody } from './testing/requests.ts'
import { transcodeJson } from './transcode-json.ts'
import { transcodeProtobuf } from './transcode-protobuf.ts'
import { Malformed } from './wire-reader.ts'

/** A well-formed request with bytes changed, removed or inserted. */
const damaged = (body: fc.Arbitrary<Buffer>) =>
	fc
		.tuple(
			body,
			fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.constantFrom('set', 'cut', 'insert')), {
				minLength: 1,
				maxLength: 8,
			}),
		)
		.map(([bytes, changes]) => changes.reduce(damage, bytes))

function damage(bytes: Buffer, [at, value, how]: [number, number, string]): Buffer {
	const position = bytes.length === 0 ? 0 : at % bytes.length
	const rest = bytes.subarray(how === 'insert' ? position : position + 1)
	return Buffer.concat([bytes.subarray(0, position), Buffer.from(how === 'cut' ? [] : [value]), rest])
}

const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
const protobuf = fc.oneof(noise, damaged(requests.map(encodeRequest)), requests.map(toJsonBody))
const json = fc.oneof(
	noise,
	damaged(requests.map(toJsonBody)),
	fc.json().map((text) => Buffer.from(text)),
	fc.jsonValue().map((value) =>
		Buffer.from(
			JSON.stringify({
				resourceSpans: [{ resource: value, scopeSpans: [{ spans: [value, { traceId: value }] }] }],
			}),
		),
	),
)

const nativeOf = (rows: Buffer) =>
	toNative(readBlocks(rows, spanLayouts), spanLayouts, (bytes) => Buffer.alloc(bytes))

test.each([
	['protobuf', protobuf, transcodeProtobuf],
	['JSON', json, transcodeJson],
] as const)('any bytes sent as %s produce complete rows or a refusal', (_encoding, bodies, transcode) => {
	fc.assert(
		fc.property(bodies, (body) => {
			try {
				const { rows, count, rejections } = transcode(body, decodeOptions)
				expect(decodeSpanBlock(rows)).toHaveLength(count)
				// The engine reads the columns one after the other, so each must have as many values as it says.
				if (count > 0) expect(decodeNativeSpans({ rows: nativeOf(rows) })).toHaveLength(count)
				expect(countRejections(rejections)).toBeGreaterThanOrEqual(0)
			} catch (error) {
				if (!(error instanceof Malformed || error instanceof Rejected)) throw error
			}
		}),
		{ numRuns: randomCases(3000) },
	)
})

const ruleOf = (pattern: string, appliesTo: RedactionRule['appliesTo'], attributeKeys: string[] = []) => ({
	key: `${pattern} ${appliesTo}`,
	rules: [{ pattern, label: 'own', appliesTo, attributeKeys }],
})
const settings = fc.constantFrom<Partial<DecodeOptions>>(
	{},
	{ workspaceId: 'w2', retentionDays: 7 },
	{ rules: ruleOf('[aeiou]+', ['all']) },
	{ rules: ruleOf('[a-m]', ['attributes'], ['service.name', 'user.id', 'gen_ai.*']) },
	{ workspaceId: 'w2', rules: ruleOf('jane', ['content']) },
)
type ResourceSpans = Request['resourceSpans'][number]
/** Senders and scopes are remembered by their bytes, unless they are as large as these are with one more attribute. */
const padding = { key: 'padding', value: { stringValue: '-'.repeat(5000) } }
const padded = <T extends { attributes: (typeof padding)[] }>(sent: T): T => ({
	...sent,
	attributes: [...sent.attributes, padding],
})
const eachAlone = (of: ResourceSpans) =>
	of.scopeSpans.flatMap(({ scope, spans, ...rest }) =>
		spans.map((span): ResourceSpans => {
			const scopeSpans = [{ ...rest, scope: padded(scope as never), spans: [span] }]
			return { ...of, resource: padded(of.resource as never), scopeSpans }
		}),
	)

test('spans have the same rows in one body as alone, whatever was read before, and under which rules', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(requests, settings), { minLength: 1, maxLength: 4 }), (bodies) => {
			for (const [request, given] of bodies) {
				const options = { ...decodeOptions, ...given }
				const { rows } = transcodeProtobuf(encodeRequest(request), options)
				const alone = request.resourceSpans.flatMap(eachAlone).flatMap((one) => {
					const { rows } = transcodeProtobuf(encodeRequest({ resourceSpans: [one] }), options)
					return decodeSpanBlock(rows).map(({ resource, ...row }) => {
						const isPadding = (key: string) => /^(otel\.scope\.)?padding$/.test(key)
						return { ...row, resource: new Map([...resource].filter(([key]) => !isPadding(key))) }
					})
				})
				expect(rows.length === 0 ? [] : decodeNativeSpans({ rows: nativeOf(rows) })).toEqual(alone)
			}
		}),
		{ numRuns: randomCases(400) },
	)
})

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

/** Requests with current times, so that their spans are stored. */
const recent = requests.map((request) => {
	const startTimeUnixNano = String(BigInt(Date.now()) * 1_000_000n)
	for (const { scopeSpans } of request.resourceSpans)
		for (const { spans } of scopeSpans) for (const span of spans) span.startTimeUnixNano = startTimeUnixNano
	return request
})
const types = { protobuf: 'application/x-protobuf', json: 'application/json' }
const sent = fc.oneof(
	fc.record({
		type: fc.constant(types.protobuf),
		body: fc.oneof(recent.map(encodeRequest), damaged(recent.map(encodeRequest)), noise),
	}),
	fc.record({
		type: fc.constant(types.json),
		body: fc.oneof(recent.map(toJsonBody), damaged(recent.map(toJsonBody)), json),
	}),
	fc.record({
		type: fc.constantFrom('application/json; charset=utf-8', 'text/html', '', types.protobuf),
		body: json,
	}),
)
const encodings = fc.constantFrom('identity', 'identity', 'gzip', 'deflate', 'zstd', 'br')

test('any request answers 200 or 4xx, and the engine accepts what was acknowledged', async () => {
	await fc.assert(
		fc.asyncProperty(sent, encodings, fc.boolean(), async ({ type, body }, encoding, compressed) => {
			const response = await fetch(`${server.url}/v1/traces`, {
				method: 'POST',
				headers: { 'content-type': type, 'content-encoding': encoding, authorization: 'ingest fuzz' },
				body: compressed && encoding === 'gzip' ? gzipSync(body) : body,
			})
			await response.arrayBuffer()
			expect([200, 400, 413, 415]).toContain(response.status)
		}),
		{ numRuns: 1000 },
	)
	await server.stored()
	const stats = server.recorder.stats()
	expect(stats.storedRows).toBeGreaterThan(20)
	expect(stats).toMatchObject({ quarantinedRows: 0, damagedRows: 0, acknowledgedRows: stats.storedRows })
}, 120_000)
