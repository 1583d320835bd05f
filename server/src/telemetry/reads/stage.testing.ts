import { expect } from 'vitest'
import type { TelemetryServer } from '../testing.ts'

export const startMs = Date.now() - 600_000
export const at = (seconds: number) => String(BigInt(Math.round(startMs + seconds * 1000)) * 1_000_000n)
export const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
export const int = (key: string, intValue: number) => ({ key, value: { intValue: String(intValue) } })

/** Spans by trace, name, parent, second and attributes. */
export const spansOf = (service: string, ...spans: [string, string, string, number, object[]?][]) =>
	JSON.stringify({
		resourceSpans: [
			{
				resource: {
					attributes: [text('service.name', service), text('service.version', '2'), text('region', 'eu')],
					droppedAttributesCount: 3,
				},
				schemaUrl: 'https://resource.example',
				scopeSpans: [
					{
						scope: {
							...{ name: 'scope', version: '1', attributes: [text('of.scope', 'yes')] },
							droppedAttributesCount: 4,
						},
						spans: spans.map(([trace, name, parentSpanId, second, attributes = []], index) => ({
							traceId: trace.repeat(32),
							spanId: `${trace}${index}`.padEnd(16, 'f'),
							parentSpanId,
							name,
							kind: 3,
							startTimeUnixNano: at(second),
							endTimeUnixNano: at(second + 2),
							attributes,
							events: [{ timeUnixNano: at(second), name: 'e', attributes: [int('n', 1)] }],
							status: { code: index === 1 ? 2 : 1, message: 'm' },
						})),
					},
				],
			},
		],
	})

export const logsOf = (service: string, ...bodies: string[]) =>
	JSON.stringify({
		resourceLogs: [
			{
				resource: {
					attributes: [text('service.name', service), text('service.version', '2')],
					droppedAttributesCount: 3,
				},
				scopeLogs: [
					{
						scope: { name: 'scope', droppedAttributesCount: 4 },
						logRecords: bodies.map((stringValue, index) => ({
							timeUnixNano: at(5 + index / 100),
							severityNumber: 9,
							body: { stringValue },
							attributes: [int('n', index)],
							traceId: 'ab'.repeat(16),
						})),
					},
				],
			},
		],
	})

export const points = [{ timeUnixNano: at(6), asInt: '7', attributes: [text('route', '/a')] }]
export const bounds = {
	explicitBounds: [1, 10],
	bucketCounts: ['1', '2', '0'],
	count: '3',
	sum: 5,
	min: 0.5,
	max: 4,
}
export const exemplars = [
	{ timeUnixNano: at(6), asDouble: 2, traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) },
]
export const metricsOf = (service: string, ...metrics: object[]) =>
	JSON.stringify({
		resourceMetrics: [
			{
				resource: { attributes: [text('service.name', service)], droppedAttributesCount: 2 },
				schemaUrl: 'https://resource.example',
				scopeMetrics: [{ scope: { name: 'scope', version: '1', droppedAttributesCount: 1 }, metrics }],
			},
		],
	})
export const gauge = (name: string, dataPoints: object[] = points) => ({
	name,
	unit: '1',
	gauge: { dataPoints },
})

/** Sends with an ingest token of a workspace, and reads with a key of one. */
export function callsTo(server: () => TelemetryServer) {
	async function send(workspace: string, signal: string, body: string): Promise<void> {
		const response = await fetch(`${server().url}/v1/${signal}`, {
			method: 'POST',
			headers: { authorization: `ingest ${workspace}`, 'content-type': 'application/json' },
			body,
		})
		expect([response.status, await response.json()]).toEqual([200, {}])
		await server().stored()
	}

	async function get(workspace: string, path: string) {
		const response = await fetch(`${server().url}/v1/telemetry${path}`, {
			headers: { authorization: `key ${workspace}` },
		})
		const body = await response.text()
		// biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
		const json = (): any => JSON.parse(body)
		return { status: response.status, headers: response.headers, text: body, json }
	}
	return { send, get }
}
