import { connect, type IncomingHttpHeaders } from 'node:http2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'
import { readStatusMessage } from './answers.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

test('a refusal has its status in trailers, which every gRPC implementation reads', async () => {
	const session = connect(`http://${server.grpc}`)
	const stream = session.request({
		':method': 'POST',
		':path': '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
		'content-type': 'application/grpc',
		te: 'trailers',
	})
	const seen: Record<string, IncomingHttpHeaders> = {}
	for (const part of ['response', 'trailers']) stream.on(part, (headers) => (seen[part] = headers))
	await new Promise((closed) => stream.once('close', closed).resume().end(Buffer.alloc(5)))
	session.close()
	expect(seen.response).not.toHaveProperty('grpc-status')
	expect(seen.trailers).toMatchObject({
		'grpc-status': '16',
		'grpc-message': expect.stringMatching(/ingest/),
	})
})

test('a client of HTTP/1.1 is told where OTLP over HTTP goes, also in the reason phrase', async () => {
	const send = () => fetch(`http://${server.grpc}/v1/traces`, { method: 'POST', body: 'x'.repeat(100_000) })
	for (const answer of await Promise.all([send(), send()])) {
		expect([answer.status, answer.statusText]).toEqual([400, 'This port takes OTLP over gRPC'])
		expect(await answer.json()).toMatchObject({ code: 3, message: expect.stringContaining('4318') })
	}
})

test('an exporter of protobuf that misses the path gets a status that it can show', async () => {
	for (const [path, status] of [
		['/v1/traces/v1/traces', 404],
		['/v1/trace', 404],
	] as const) {
		const headers = { 'content-type': 'application/x-protobuf' }
		const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: 'x' })
		expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/x-protobuf'])
		const body = Buffer.from(await answer.arrayBuffer())
		expect(readStatusMessage({ contentType: 'application/x-protobuf', body })).toContain(
			'/v1/traces, /v1/logs',
		)
	}
})

test('a refusal has its message in the reason phrase as well, which is all that the exporter for Python shows', async () => {
	const send = (body: string, headers = {}) =>
		fetch(`${server.url}/v1/traces`, {
			...{ method: 'POST', body },
			headers: { 'content-type': 'application/json', ...headers },
		})
	expect((await send('{}')).statusText).toMatch(
		/^The request has no credential\. This endpoint takes an ingest token\./,
	)
	const bad = await send('\u2013\r\nset-cookie: a=b', { authorization: 'ingest w' })
	expect([bad.status, bad.headers.has('set-cookie')]).toEqual([400, false])
	expect(bad.statusText).toMatch(/^The body is not JSON: [ -~]+$/)
	const wrongType = await send('{}', { authorization: 'ingest w', 'content-type': 'text/plain' })
	expect(wrongType.statusText).toContain('application/x-protobuf or application/json')
})
