import { connect, type IncomingHttpHeaders } from 'node:http2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'

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
