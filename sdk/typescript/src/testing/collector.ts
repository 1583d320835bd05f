import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { decodeSpanBlock } from '../../../../server/src/telemetry/blocks/span-block.ts'
import { transcodeProtobuf } from '../../../../server/src/telemetry/otlp/transcode-protobuf.ts'
import type { SpanRow } from '../../../../server/src/telemetry/span-row.ts'

export interface Collector {
	url: string
	/** The received spans, decoded by the platform's own decoder. */
	spans: SpanRow[]
	/** Bodies of metrics. */
	metrics: Buffer[]
	requests: { path: string; headers: IncomingMessage['headers'] }[]
	/** Answers instead of 200. */
	answer: ((response: ServerResponse) => void) | null
	close(): Promise<void>
}

/** An OTLP endpoint that decodes like the platform and answers as a test wants. */
export async function startCollector(): Promise<Collector> {
	const listener = createServer((request, response) => void take(request, response))
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	const collector: Collector = {
		url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
		spans: [],
		metrics: [],
		requests: [],
		answer: null,
		close: async () => {
			listener.closeAllConnections()
			await new Promise((done) => listener.close(done))
		},
	}
	const take = async (request: IncomingMessage, response: ServerResponse) => {
		const chunks: Buffer[] = []
		for await (const chunk of request) chunks.push(chunk as Buffer)
		collector.requests.push({ path: request.url ?? '', headers: request.headers })
		if (collector.answer) return collector.answer(response)
		const body = gunzipSync(Buffer.concat(chunks))
		if (request.url === '/v1/traces') collector.spans.push(...decode(body))
		else collector.metrics.push(body)
		response.end()
	}
	return collector
}

function decode(body: Buffer): SpanRow[] {
	const { rows, rejections } = transcodeProtobuf(body, {
		workspaceId: 'w1',
		retentionDays: 30,
		oldestNs: 0n,
		nowNs: BigInt(Date.now()) * 1_000_000n,
		newestNs: 2n ** 63n - 1n,
		maxRowsBytes: 64 * 1024 * 1024,
	})
	if (Object.keys(rejections).length > 0) throw new Error('The platform would reject spans.')
	return decodeSpanBlock(rows)
}
