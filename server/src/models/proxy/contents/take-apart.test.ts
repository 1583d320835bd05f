import { expect, it } from 'vitest'
import { takeApart } from './take-apart.ts'

const picture = { type: 'base64', media_type: 'image/png', data: 'iVBORw0K'.repeat(20_000) }

it('a picture weighs what a picture costs in tokens, however many bytes it has', () => {
	const content = [
		{ type: 'text', text: 'See.' },
		{ type: 'image', source: picture },
	]
	const { parts } = takeApart({ messages: [{ role: 'user', content }] }, 'w')
	expect(parts[0]?.bytes).toBeGreaterThan(160_000)
	expect(parts[0]?.weight).toBeLessThan(7000)
	const long = takeApart({ messages: [{ role: 'user', content: 'word '.repeat(20_000) }] }, 'w').parts[0]
	expect(long?.weight).toBe(long?.bytes)
})

it('a result knows the message that it is in, behind settings, tools and system texts', () => {
	const { parts, results } = takeApart(
		{
			system: 'Be brief.',
			tools: [{ name: 'search' }, { name: 'read' }],
			messages: [
				{ role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'search', input: {} }] },
				{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'found' }] },
			],
		},
		'w',
	)
	expect(results).toMatchObject([{ id: 't1', name: 'search', part: 4 }])
	expect(parts[4]).toMatchObject({ kind: 'message', name: 'user' })
})

it('the key of a cache is a piece of its own, so that another one can be distinguished from other settings', () => {
	const settings = (body: object) =>
		takeApart({ messages: [], ...body }, 'w').parts.map(({ kind, name }) => `${kind} ${name}`)
	expect(settings({ prompt_cache_key: 'k', tool_choice: 'auto', temperature: 1 })).toEqual([
		'settings prompt',
		'settings cache',
		'settings other',
	])
})

it('what has far more parts than any conversation is not taken apart into all of them', () => {
	const many = 50_000
	const tokens = takeApart({ input: Array.from({ length: many }, () => 1) }, 'w').parts
	expect(tokens.map(({ bytes }) => bytes)).toEqual([expect.closeTo(2 * many, -2)])
	const lists = { messages: {}, input: 'x', contents: [], tools: { name: 'x' }, system: 'x' }
	for (const [field, item] of Object.entries(lists)) {
		const { parts } = takeApart({ [field]: Array.from({ length: many }, () => item) }, 'w')
		expect([field, parts.length]).toEqual([field, field === 'contents' ? 1 : 10_000])
		// Nothing of it is lost.
		expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(many * 2)
	}
})
