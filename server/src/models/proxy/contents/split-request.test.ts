import { expect, it } from 'vitest'
import { JsonScan, requestLimits } from '../../../platform/json/json-scan.ts'
import { Conversations, contentsOf, readRequest, redactTexts, StoredTextCache } from './read-contents.ts'
import { RequestItems } from './request-items.ts'
import { ItemCache, type Piece, splitRequest } from './split-request.ts'

const known = new ItemCache()

function itemsOf(body: object, text = JSON.stringify(body)) {
	const plain = Buffer.from(text)
	const scan = JsonScan.read(plain, { limits: requestLimits, members: true, strings: true })
	return new RequestItems({ plain, members: scan.members, strings: scan.strings })
}

const apartOf = (body: object, salt = 'w', text = JSON.stringify(body), items = known) =>
	splitRequest(itemsOf(body, text), salt, items)

const picture = { type: 'base64', media_type: 'image/png', data: 'iVBORw0K'.repeat(20_000) }

it('the weight of a picture is its cost in tokens, however many bytes it has', () => {
	const content = [
		{ type: 'text', text: 'See.' },
		{ type: 'image', source: picture },
	]
	const { parts } = apartOf({ messages: [{ role: 'user', content }] })
	expect(parts[0]?.bytes).toBeGreaterThan(160_000)
	expect(parts[0]?.weight).toBeLessThan(7000)
	const long = apartOf({ messages: [{ role: 'user', content: 'word '.repeat(20_000) }] }).parts[0]
	expect(long?.weight).toBe(long?.bytes)
})

it('a result has the index of its message, after settings, tools and system texts', () => {
	const { parts, results } = apartOf({
		system: 'Be brief.',
		tools: [{ name: 'search' }, { name: 'read' }],
		messages: [
			{ role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'search', input: {} }] },
			{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'found' }] },
		],
	})
	expect(results).toMatchObject([{ id: 't1', name: 'search', part: 4 }])
	expect(parts[4]).toMatchObject({ kind: 'message', name: 'user' })
})

it('a cache key is a separate piece, so that a change of it is not mistaken for a change of other settings', () => {
	const settings = (body: object) =>
		apartOf({ messages: [], ...body }).parts.map(({ kind, name }) => `${kind} ${name}`)
	expect(settings({ prompt_cache_key: 'k', tool_choice: 'auto', temperature: 1 })).toEqual([
		'settings prompt',
		'settings cache',
		'settings other',
	])
})

it('a request with far more parts than any conversation is not split into all of them', () => {
	const many = 50_000
	const tokens = apartOf({ input: Array.from({ length: many }, () => 1) }).parts
	expect(tokens.map(({ bytes }) => bytes)).toEqual([expect.closeTo(2 * many, -2)])
	const lists = { messages: {}, input: 'x', contents: [], tools: { name: 'x' }, system: 'x' }
	for (const [field, item] of Object.entries(lists)) {
		const { parts } = apartOf({ [field]: Array.from({ length: many }, () => item) })
		expect([field, parts.length]).toEqual([field, field === 'contents' ? 1 : 10_000])
		// Nothing is lost.
		expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(many * 2)
	}
})

it('a cached item equals the one read for the first time', () => {
	const values = [
		'',
		'ü "]{',
		1,
		null,
		true,
		{ name: 'a', input: { 'b"}': [] } },
		[[1], '\\'],
		{ type: 'text' },
	]
	const blocks = [
		{ type: 'text', text: 'é', cache_control: { type: 'ephemeral', ttl: '1h' } },
		{ type: 'tool_use', id: 't1', name: 'search', input: values },
		{ type: 'tool_result', tool_use_id: 't1', content: values },
		...values,
	]
	const lists = [blocks, blocks.slice(1), values, [1, 2], [[1], [2]], [], 'text', null, { parts: blocks }]
	const messages = blocks.map((block) => ({ role: 'assistant', content: [block] }))
	const fields = [
		'messages',
		'input',
		'contents',
		'system',
		'instructions',
		'tools',
		'temperature',
		'reasoning',
	]
	for (const [at, list] of [...lists, messages, messages.slice(0, 2)].entries())
		for (const field of fields) {
			const body = { model: 'm', [field]: list, metadata: { at }, toolConfig: { tools: messages } }
			const cold = apartOf(body, 'w', JSON.stringify(body), new ItemCache())
			for (const space of [0, 0, 0, 1, 1, 1]) {
				const warm = apartOf(body, 'w', JSON.stringify(body, null, space))
				expect({ ...warm, parts: warm.parts.map(plain) }).toEqual({ ...cold, parts: cold.parts.map(plain) })
			}
			const elsewhere = apartOf(body, 'v').parts.map(({ hash }) => hash)
			for (const { hash } of cold.parts) expect(elsewhere).not.toContain(hash)
		}
})

function plain({ stored: _stored, ...piece }: Piece) {
	return piece
}

it('conversations with the same beginning are distinguished by the tool uses in their answers', () => {
	const conversations = new Conversations()
	let fresh = 0
	const sessionOf = (...messages: object[]) => {
		const freshSession = `s${++fresh}`
		const request = { workspaceId: 'w', caller: 'c', day: '', keepsTexts: false, rules: undefined }
		const { links } = readRequest({ ...request, freshSession }, itemsOf({ messages }), '', known)
		return conversations.sessionOf(links, freshSession, { model: 'm', startMs: 0 })
	}
	const begun = { role: 'user', content: 'The daily job.' }
	const turn = (id: string) => [
		{ role: 'assistant', content: [{ type: 'tool_use', id, name: 'search', input: {} }] },
		{ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'found' }] },
	]
	const begin = (id: string) => {
		const session = sessionOf(begun)
		conversations.noteToolUses('c', [{ id }], session)
		return session
	}
	expect([begin('toolu_first'), begin('toolu_second')]).toEqual(['s1', 's2'])
	expect(sessionOf(begun, ...turn('toolu_second'))).toBe('s2')
	expect(sessionOf(begun, ...turn('toolu_first'))).toBe('s1')
	expect(sessionOf(begun, ...turn('toolu_first'), ...turn('toolu_unknown'))).toBe('s1')
	// An id that is only a counter, or occurs in two conversations, identifies nothing.
	for (const id of ['call_0', 'same_for_all']) {
		expect(begin(id)).not.toBe(begin(id))
		expect(sessionOf(begun, ...turn(id))).toBe(`s${fresh}`)
	}
})

it('a secret at the place where a text is truncated is removed as a whole', () => {
	const secret = `sk-proj-${'aB3dE5fG7h'.repeat(6)}`
	const limit = 256 * 1024
	const stored = [14, 18, 24, 40].map((before) => {
		const start = '{"role":"user","content":"'.length
		const content = `${'x'.repeat(limit - start - before - 1)} ${secret} end`
		const body = { messages: [{ role: 'user', content }] }
		const request = {
			...{ workspaceId: 'w', caller: 'c', day: '2026-01-01', freshSession: '', keepsTexts: true },
			rules: undefined,
		}
		const read = readRequest(request, itemsOf(body), '', new ItemCache())
		return redactTexts(contentsOf(read, [], new StoredTextCache()).texts, undefined).map(({ text }) => text)
	})
	for (const [text = ''] of stored) {
		expect(text.length).toBeLessThanOrEqual(limit)
		expect(text.length).toBeGreaterThan(limit - 100)
		expect(text).not.toContain(secret.slice(0, 12))
	}
})
