import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { AnswerReader, KeptAnswer } from './answer.ts'

it('keeps the answer, and no other bytes that the socket read', () => {
	const read = Buffer.alloc(1024 * 1024, 'x')
	const kept = new KeptAnswer()
	kept.push(read.subarray(10, 30))
	const taken = kept.bytes
	expect(taken.toString()).toBe('x'.repeat(20))
	expect(taken.buffer.byteLength).toBeLessThan(read.length / 8)
})

it('keeps four megabytes at most', () => {
	const kept = new KeptAnswer()
	for (let pieces = 0; pieces < 5; pieces += 1) kept.push(Buffer.alloc(1024 * 1024))
	expect(kept.bytes).toHaveLength(4 * 1024 * 1024)
	expect(kept.overflows).toBe(true)
	expect(kept.digest()).toBe(hash('sha256', Buffer.alloc(5 * 1024 * 1024), 'hex'))
})

it('the tool calls of a stream belong to the choice in which they came', () => {
	const reader = new AnswerReader(false)
	const parts = [
		[0, 0, { id: 'call_a', name: 'read', arguments: '{"a"' }],
		[1, 0, { id: 'call_b', name: 'write', arguments: '{"b"' }],
		[0, 0, { arguments: ':1}' }],
		[1, 0, { arguments: ':2}' }],
		[1, 1, { id: 'call_c', name: 'read', arguments: '{}' }],
	] as const
	for (const [choice, index, { ...named }] of parts) {
		const { id, ...of } = { id: undefined, ...named }
		const delta = { tool_calls: [{ index, id, function: of }] }
		reader.onEvent(JSON.stringify({ choices: [{ index: choice, delta }] }), '')
	}
	reader.onEvent(JSON.stringify({ choices: [{ index: 2, delta: { content: 'No.' } }] }), '')
	const toolCall = (id: string, name: string, given: string) => ({
		...{ id, type: 'function', function: { name, arguments: given } },
	})
	const message = { role: 'assistant', content: '' }
	expect(reader.messages).toEqual([
		{ ...message, tool_calls: [toolCall('call_a', 'read', '{"a":1}')] },
		{ ...message, tool_calls: [toolCall('call_b', 'write', '{"b":2}'), toolCall('call_c', 'read', '{}')] },
		{ ...message, content: 'No.' },
	])
})

it('tool calls of a stream that have the same index, or none, are distinguished by their ids', () => {
	for (const index of [0, undefined]) {
		const reader = new AnswerReader(false)
		for (const [id, name, given] of [
			['call_a', 'read', '{"a"'],
			// Some servers make up an id for each part.
			['call_x', undefined, ':1'],
			[undefined, undefined, '}'],
			['call_b', 'write', '{"b":2}'],
		]) {
			const call = { index, id, function: { name, arguments: given } }
			reader.onEvent(JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] }), '')
		}
		expect(reader.messages).toMatchObject([
			{
				tool_calls: [
					{ id: 'call_a', function: { name: 'read', arguments: '{"a":1}' } },
					{ id: 'call_b', function: { name: 'write', arguments: '{"b":2}' } },
				],
			},
		])
	}
})
