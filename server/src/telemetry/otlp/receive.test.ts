import { request as httpRequest } from 'node:http'
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newSpanId, newTraceId } from '../../platform/ids.ts'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'
import { encodeRequest, type Request } from './testing/requests.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

let workspaces = 0
const newWorkspace = () => `w${++workspaces}`

function post(body: Buffer | string, headers: Record<string, string> = {}, path = '/v1/traces') {
	return fetch(`${server.url}${path}`, {
		method: 'POST',
		headers: { authorization: 'ingest w0', 'content-type': 'application/json', ...headers },
		body,
	})
}

function newSpan(fields: object = {}) {
	const nowNs = BigInt(Date.now()) * 1_000_000n
	return {
		traceId: newTraceId(),
		spanId: newSpanId(),
		name: 'n',
		kind: 1,
		startTimeUnixNano: String(nowNs),
		endTimeUnixNano: String(nowNs + 5n),
		...fields,
	}
}
const bodyOf = (...spans: object[]) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })

async function countSpans(workspaceId: string): Promise<number> {
	await server.stored()
	const [row] = await server.store.query<{ n: string }>(
		'SELECT count() AS n FROM spans WHERE workspace_id = {w:String}',
		{ w: workspaceId },
	)
	return Number(row?.n)
}

describe('a body', () => {
	test.each([
		['gzip', gzipSync],
		['deflate', deflateSync],
		['zlib', deflateSync],
		['zstd', zstdCompressSync],
		['identity', (body: Buffer) => body],
	] as const)('may be compressed with %s', async (encoding, compress) => {
		const workspaceId = newWorkspace()
		const response = await post(compress(Buffer.from(bodyOf(newSpan()))), {
			'content-encoding': encoding,
			authorization: `ingest ${workspaceId}`,
		})
		expect([response.status, await response.text()]).toEqual([200, '{}'])
		expect(await countSpans(workspaceId)).toBe(1)
	})

	test('is acknowledged with an empty body in protobuf', async () => {
		const request = { resourceSpans: [] } as Request
		const response = await post(encodeRequest(request), { 'content-type': 'application/x-protobuf' })
		expect([
			response.status,
			response.headers.get('content-type'),
			(await response.arrayBuffer()).byteLength,
		]).toEqual([200, 'application/x-protobuf', 0])
	})

	test.each(['/v1/traces', '/telemetry/ingest_http/traces', '/telemetry/ingest_http'])(
		'is accepted at %s',
		async (path) => {
			const workspaceId = newWorkspace()
			expect((await post(bodyOf(newSpan()), { authorization: `ingest ${workspaceId}` }, path)).status).toBe(
				200,
			)
			expect(await countSpans(workspaceId)).toBe(1)
		},
	)

	test('that is large is decoded in a thread, with the same result', async () => {
		const workspaceId = newWorkspace()
		const spans = Array.from({ length: 2000 }, () =>
			newSpan({ attributes: [{ key: 'k', value: { stringValue: 'x'.repeat(200) } }] }),
		)
		const response = await post(bodyOf(...spans, newSpan({ traceId: '' })), {
			authorization: `ingest ${workspaceId}`,
		})
		expect(await response.json()).toMatchObject({ partialSuccess: { rejectedSpans: '1' } })
		expect(await countSpans(workspaceId)).toBe(2000)
	})

	test('sent again within 15 minutes is acknowledged again and stored once; another workspace stores its own', async () => {
		const [first, second] = [newWorkspace(), newWorkspace()]
		const body = bodyOf(newSpan())
		const send = (workspaceId: string) => post(body, { authorization: `ingest ${workspaceId}` })
		const responses = await Promise.all([send(first), send(first), send(second)])
		responses.push(await send(first))
		expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
		expect([await countSpans(first), await countSpans(second)]).toEqual([1, 1])
	})
})

describe('partial success', () => {
	test('stores the valid spans and counts the others by reason', async () => {
		const workspaceId = newWorkspace()
		const response = await post(
			bodyOf(newSpan(), newSpan({ traceId: '00' }), newSpan({ spanId: '' }), newSpan({ name: 7 })),
			{ authorization: `ingest ${workspaceId}` },
		)
		expect(response.status).toBe(200)
		expect(await response.json()).toEqual({
			partialSuccess: {
				rejectedSpans: '3',
				errorMessage:
					'1 span: trace_id is missing or not 16 bytes. 1 span: span_id is missing or not 8 bytes. 1 span: name is not text.',
			},
		})
		expect(await countSpans(workspaceId)).toBe(1)
	})

	test('describes malformed values in one sentence, too', async () => {
		const span = Buffer.from([0x0a, 0x06, 0x12, 0x04, 0x12, 0x02, 0x0f, 0x00])
		const response = await post(span, { 'content-type': 'application/x-protobuf' })
		const text = Buffer.from(await response.arrayBuffer()).toString()
		expect(text).toMatch(/malformed: .*[^.]\.$/)
	})

	test('names the right path for a protobuf body of logs', async () => {
		const log = Buffer.from([0x0a, 0x0f, 0x12, 0x0d, 0x12, 0x0b, 0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x10, 9])
		const response = await post(log, { 'content-type': 'application/x-protobuf' })
		expect(response.status).toBe(200)
		expect(Buffer.from(await response.arrayBuffer()).toString()).toContain(
			'Are these logs or metrics? This path takes traces.',
		)
	})
})

describe('a refusal is a google.rpc.Status in the encoding of the request:', () => {
	test('JSON', async () => {
		const response = await post('{"resourceLogs":[{}]}')
		expect(response.status).toBe(400)
		expect(response.headers.get('content-type')).toBe('application/json')
		const detail = 'This is a logs request, and this path takes traces.'
		expect(await response.json()).toMatchObject({
			code: 3,
			message: detail,
			details: [{ fieldViolations: [{ description: detail }] }],
		})
	})

	test('the reason and the remedy are two sentences', async () => {
		const messageOf = async (type: string) => {
			const response = await post('{"resourceSpans":', { 'content-type': type })
			return ((await response.json()) as { message: string }).message
		}
		expect(await messageOf('text/plain')).toMatch(/^The Content-Type is .*\w\. Use [a-z ]+\.$/)
		// It does not mention a field `errors`, which this answer does not have.
		expect(await messageOf('application/json')).toBe('The body is not JSON: Unexpected end of JSON input.')
	})

	test('protobuf', async () => {
		const response = await post(Buffer.from([0x0a, 0xff]), { 'content-type': 'application/x-protobuf' })
		const body = Buffer.from(await response.arrayBuffer())
		expect([response.status, response.headers.get('content-type'), body[0], body[1]]).toEqual([
			400,
			'application/x-protobuf',
			0x08,
			3,
		])
		expect(body.toString()).toContain('malformed')
	})

	test.each([
		['no credential', { authorization: '' }, '{}', 401],
		['a platform key', { authorization: 'key w0' }, '{}', 401],
		['another content type', { 'content-type': 'text/plain' }, '{}', 415],
		['another compression', { 'content-encoding': 'br' }, '{}', 415],
		['two compressions', { 'content-encoding': 'gzip, gzip' }, '{}', 415],
		['what is not gzip', { 'content-encoding': 'gzip' }, '{}', 400],
		['half a gzip', { 'content-encoding': 'gzip' }, gzipSync(bodyOf(newSpan())).subarray(0, 40), 400],
		[
			'half a zstd',
			{ 'content-encoding': 'zstd' },
			zstdCompressSync(Buffer.from(bodyOf(newSpan()))).subarray(0, 40),
			400,
		],
		['no JSON', {}, '{', 400],
		['a list', {}, '[]', 400],
		['deep JSON', {}, '['.repeat(100_000), 400],
		['spans that are no list', {}, '{"resourceSpans":7}', 400],
		['65 MiB', {}, Buffer.alloc(65 * 1024 * 1024, 0x20), 413],
		['a gzip bomb', { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(200 * 1024 * 1024)), 413],
		['a deflate bomb', { 'content-encoding': 'deflate' }, deflateSync(Buffer.alloc(200 * 1024 * 1024)), 413],
		['a zstd bomb', { 'content-encoding': 'zstd' }, zstdCompressSync(Buffer.alloc(200 * 1024 * 1024)), 413],
	])('%s', async (_what, headers, body, status) => {
		const response = await post(body, headers as Record<string, string>)
		expect(response.status).toBe(status)
		expect(await response.json()).toMatchObject({ code: expect.any(Number), message: expect.any(String) })
	})
})

// The Collector used to inflate any body (CVE-2024-36129).
test('a compression bomb in chunks is refused long before it is inflated, and the server continues', async () => {
	const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024))
	const before = process.memoryUsage().rss
	const status = await new Promise((resolve, reject) => {
		const request = httpRequest(
			`${server.url}/v1/traces`,
			{
				method: 'POST',
				headers: {
					authorization: 'ingest w0',
					'content-type': 'application/json',
					'content-encoding': 'gzip',
				},
			},
			(response) => {
				response.resume()
				resolve(response.statusCode)
			},
		)
		request.on('error', reject)
		for (let i = 0; i < bomb.length; i += 1000) request.write(bomb.subarray(i, i + 1000))
		request.end()
	})
	expect(status).toBe(413)
	expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
	expect((await post(bodyOf(newSpan()))).status).toBe(200)
})

test.each([
	['its token', 401, 'revoke'],
	['the right to its address', 403, 'allowElsewhere'],
] as const)('an upload that outlives %s is refused and not recorded', async (_what, refusal, change) => {
	const workspaceId = newWorkspace()
	const body = Buffer.from(bodyOf(newSpan()))
	const status = await new Promise((resolve, reject) => {
		const request = httpRequest(
			`${server.url}/v1/traces`,
			{
				method: 'POST',
				headers: { authorization: `ingest ${workspaceId}`, 'content-type': 'application/json' },
			},
			(response) => {
				response.resume()
				resolve(response.statusCode)
			},
		)
		request.on('error', reject)
		request.write(body.subarray(0, 10), () => {
			setTimeout(() => {
				server[change](workspaceId)
				request.end(body.subarray(10))
			}, 50)
		})
	})
	expect(status).toBe(refusal)
	expect(await countSpans(workspaceId)).toBe(0)
})

test('spans of a whole year are accepted in one body if the retention allows', async () => {
	const patient = await startTelemetryServer({ retentionDays: 400 })
	const dayNs = 86_400_000_000_000n
	// Each day is a partition, which is flushed separately. Even every third day is more partitions than an insert may have by default
	// (100).
	const stepDays = process.env.LONG_TESTS ? 1 : 3
	const spans = Array.from({ length: Math.ceil(365 / stepDays) }, (_, step) =>
		newSpan({
			startTimeUnixNano: String(BigInt(Date.now()) * 1_000_000n - BigInt(step * stepDays) * dayNs),
		}),
	)
	const headers = { authorization: 'ingest w', 'content-type': 'application/json' }
	const response = await fetch(`${patient.url}/v1/traces`, {
		method: 'POST',
		headers,
		body: bodyOf(...spans),
	})
	expect([response.status, await response.text()]).toEqual([200, '{}'])
	await patient.stored()
	expect(patient.recorder.stats()).toMatchObject({ storedRows: spans.length, quarantinedRows: 0 })
	await patient.close()
}, 90_000)
