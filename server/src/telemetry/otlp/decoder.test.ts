import { afterEach, expect, test } from 'vitest'
import { decodeSpanBlock } from '../blocks/span-block.ts'
import { decodeBody } from './decode-body.ts'
import type { DecodeOptions } from './decoded.ts'
import { Decoder } from './decoder.ts'

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
	// Memory of its own, as a received body has.
	return Buffer.copyBytesFrom(Buffer.from(text))
}

let decoder: Decoder
afterEach(() => decoder.close())

test('large bodies are decoded in as many threads as are allowed, to what the same thread would make of them', async () => {
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

test('a body after another needs one thread, and a small one none', async () => {
	decoder = new Decoder(4)
	await decoder.decode(bodyOf('small', 2), form, options)
	expect(decoder.threads).toBe(0)
	for (const name of ['a', 'b', 'c']) await decoder.decode(bodyOf(name, 600), form, options)
	expect(decoder.threads).toBe(1)
})

test('what is wrong with one body is said of that one, and the threads go on', async () => {
	decoder = new Decoder(2)
	const broken = Buffer.copyBytesFrom(Buffer.from(`{"resourceSpans":[${' '.repeat(200_000)}`))
	await expect(decoder.decode(broken, form, options)).rejects.toThrow('JSON')
	const next = await decoder.decode(bodyOf('next', 600), form, options)
	expect(next.count).toBe(600)
})
