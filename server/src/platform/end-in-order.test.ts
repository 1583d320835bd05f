import { expect, it } from 'vitest'
import { endInOrder } from './end-in-order.ts'

it('parts stop one after another; one that fails or hangs is logged by name and does not block the following ones', async () => {
	const ended: string[] = []
	const named: unknown[] = []
	const log = {
		error: (fields: { part?: string; err?: Error }) => named.push([fields.part, fields.err?.message]),
	}
	await endInOrder(log as never, [
		['first', 1000, async () => ended.push('first')],
		['failing', 1000, () => Promise.reject(new Error('broken'))],
		['hanging', 20, () => new Promise(() => {})],
		['last', 1000, async () => ended.push('last')],
	])
	expect(ended).toEqual(['first', 'last'])
	expect(named).toEqual([
		['failing', 'broken'],
		['hanging', 'It did not end within 20 ms.'],
	])
})
