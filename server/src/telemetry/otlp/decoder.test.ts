import { afterEach, describe, expect, test } from 'vitest'
import type { Problem } from '../../platform/errors.ts'
import { decodeSpanBlock } from '../blocks/span-block.ts'
import type { DecodeOptions } from './decoded.ts'
import { DecodeQueue, Decoder, decodeBody } from './decoder.ts'
import { encodeRequest } from './encode-request.ts'
import { WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

const options: DecodeOptions = {
	...{ retentionDays: 30, workspaceId: 'w1', maxRowsBytes: 64 * 1024 * 1024 },
	...{ oldestNs: 0n, nowNs: 1_790_000_000_000_000_000n, newestNs: 2n ** 63n - 1n },
}
const form = { signal: 'traces', encoding: 'json' } as const
const bodyOf = (name: string, spans: number) => {
	const span = { traceId: 'ab'.repeat(16), name, startTimeUnixNano: '1790000000000000000' }
	const made = Array.from({ length: spans }, (_, n) => ({
		...span,
		spanId: (n + 1).toString(16).padStart(16, '0'),
	}))
	const text = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: made }] }] })
	// Separate memory, like that of a received body.
	return Buffer.copyBytesFrom(Buffer.from(text))
}

let decoder = new Decoder()
afterEach(() => decoder.close())

test('large bodies are decoded in as many threads as are allowed, with the same result as in the calling thread', async () => {
	decoder = new Decoder(2)
	const names = ['a', 'b', 'c', 'd']
	const decoded = await Promise.all(names.map((name) => decoder.decode(bodyOf(name, 600), form, options)))
	expect(decoder.threads).toBe(2)
	for (const [n, name] of names.entries()) {
		const here = decodeBody(bodyOf(name, 600), form, options)
		expect(decodeSpanBlock(decoded[n]?.rows as Buffer)).toEqual(decodeSpanBlock(here.rows))
		expect(decoded[n]?.digest).toBe(here.digest)
	}
})

test.each([
	['traces', 'resourceSpans', 'scopeSpans', 'spans'],
	['logs', 'resourceLogs', 'scopeLogs', 'logRecords'],
	['metrics', 'resourceMetrics', 'scopeMetrics', 'metrics'],
] as const)(
	'in %s, a message that came in parts is read as one, as protobuf requires',
	(signal, ofResource, ofScope, items) => {
		const time = '1790000000000000000'
		const attribute = (key: string) => ({ key, value: { stringValue: key } })
		const points = [1, 2].map((asInt) => ({ timeUnixNano: time, asInt: String(asInt) }))
		const item = {
			traces: { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), startTimeUnixNano: time },
			logs: { timeUnixNano: time },
			metrics: { name: 'm', sum: { isMonotonic: true, aggregationTemporality: 2, dataPoints: points } },
		}[signal]
		const request = (resource: object, ...scopes: object[]) =>
			encodeRequest(signal, {
				[ofResource]: [{ ...resource, ...(scopes.length > 0 && { [ofScope]: scopes }) }],
			})
		const resourcePart = (...attributes: object[]) => contentOf(request({ resource: { attributes } }))
		const scopePart = (scope: object) => contentOf(contentOf(request({}, scope)))
		const metricPart = (metric: object) => contentOf(scopePart({ metrics: [metric] }))
		const metric = () =>
			field(
				2,
				metricPart({ name: 'm', sum: { isMonotonic: true, dataPoints: points.slice(0, 1) } }),
				metricPart({ sum: { aggregationTemporality: 2, dataPoints: points.slice(1) } }),
			)
		const inParts = field(
			1,
			resourcePart(attribute('a')),
			resourcePart(attribute('b')),
			field(
				2,
				scopePart({ scope: { name: 's', attributes: [attribute('c')] } }),
				scopePart({ scope: { version: '1' } }),
				signal === 'metrics' ? metric() : scopePart({ [items]: [item] }),
			),
		)
		const scope = { name: 's', version: '1', attributes: [attribute('c')] }
		const whole = request(
			{ resource: { attributes: [attribute('a'), attribute('b')] } },
			{ scope, [items]: [item] },
		)
		const rowsOf = (body: Buffer) => decodeBody(body, { signal, encoding: 'protobuf' }, options).rows
		expect(rowsOf(inParts).equals(rowsOf(whole))).toBe(true)
	},
)

/** A field of protobuf whose content is these parts. */
function field(number: number, ...parts: Buffer[]): Buffer {
	const w = new WireWriter()
	w.bytes(number, Buffer.concat(parts))
	return w.toBuffer()
}

/** The content of the field that a message consists of. */
function contentOf(message: Buffer): Buffer {
	const r = new WireReader(message)
	r.uint32()
	return message.subarray(r.skipField(), r.position)
}

test('one body after another needs one thread, and a small one none', async () => {
	decoder = new Decoder(4)
	await decoder.decode(bodyOf('small', 2), form, options)
	expect(decoder.threads).toBe(0)
	for (const name of ['a', 'b', 'c']) await decoder.decode(bodyOf(name, 600), form, options)
	expect(decoder.threads).toBe(1)
})

test('a malformed body is reported for that body only, and the threads continue', async () => {
	decoder = new Decoder(2)
	const broken = Buffer.copyBytesFrom(Buffer.from(`{"resourceSpans":[${' '.repeat(200_000)}`))
	await expect(decoder.decode(broken, form, options)).rejects.toThrow('JSON')
	const next = await decoder.decode(bodyOf('next', 600), form, options)
	expect(next.count).toBe(600)
})

describe('bodies that wait for a thread', () => {
	const mebibyte = 1024 * 1024
	/** Lets this many bytes of bodies wait until the release is called. */
	const holdUp = (queue: DecodeQueue, bytes: number) => {
		const { promise, resolve } = Promise.withResolvers<void>()
		const done = queue.run(bytes, () => promise)
		return async () => {
			resolve()
			await done
		}
	}
	const retryAfter = (queue: DecodeQueue, bytes: number): number | null => {
		try {
			queue.requireTurn(bytes)
			return null
		} catch (error) {
			expect(error).toMatchObject({ code: 'too_many_requests' })
			return Number((error as Problem).headers['retry-after'])
		}
	}

	test('for over a second are refused with the time when those before them will be done', async () => {
		const queue = new DecodeQueue()
		expect(retryAfter(queue, 50 * mebibyte)).toBeNull()
		// 10 MiB/s, until a rate is measured.
		const releases = [holdUp(queue, 8 * mebibyte)]
		expect(retryAfter(queue, 300_000)).toBeNull()
		releases.push(holdUp(queue, 24 * mebibyte))
		expect(retryAfter(queue, 300_000)).toBe(3)
		// A body whose length is unknown in advance; and one that is decoded in the calling thread.
		expect([retryAfter(queue, 0), retryAfter(queue, 10_000)]).toEqual([3, null])
		for (const release of releases) await release()
		expect(retryAfter(queue, 300_000)).toBeNull()
	})

	test('get a later retry time the more were refused before them, because those return too', () => {
		const queue = new DecodeQueue()
		void holdUp(queue, 20 * mebibyte)
		const retryTimes = Array.from({ length: 100 }, () => retryAfter(queue, mebibyte) as number)
		expect([retryTimes[0], retryTimes.at(-1)]).toEqual([2, 11])
		expect(retryTimes).toEqual(retryTimes.toSorted((a, b) => a - b))
	})

	test('wait according to the measured rate of decoding', async () => {
		const queue = new DecodeQueue()
		// Hardly any time for many bytes.
		for (let n = 0; n < 8; n++) await queue.run(16 * mebibyte, async () => undefined)
		void holdUp(queue, 20 * mebibyte)
		expect(retryAfter(queue, mebibyte)).toBeNull()
	})

	test('that cannot be read do not delay later ones', async () => {
		const queue = new DecodeQueue()
		const failing = queue.run(50 * mebibyte, () => Promise.reject(new Error('It is broken.')))
		expect(retryAfter(queue, mebibyte)).not.toBeNull()
		await expect(failing).rejects.toThrow('It is broken.')
		expect(retryAfter(queue, mebibyte)).toBeNull()
	})
})
