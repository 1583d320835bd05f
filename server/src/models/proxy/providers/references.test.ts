import { describe, expect, it } from 'vitest'
import * as anthropic from './anthropic/index.ts'
import * as gemini from './gemini/index.ts'
import * as openai from './openai/index.ts'

const isDocument = (text: string) => {
	try {
		JSON.parse(text)
		return true
	} catch {
		return false
	}
}
const ofAnthropic = (text: string) => anthropic.referencesIn(text, isDocument(text))
const ofGemini = (text: string) => gemini.referencesIn(text, isDocument(text))
const ofOpenAi = (text: string) => openai.referencesIn(text, isDocument(text))

/** The text with every character as an escape, as JSON allows. */
const hide = (text: string) =>
	[...text].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

describe('stored objects that a body names', () => {
	it.each([
		['openai', ofOpenAi, 'file-Abc09_z'],
		['openai', ofOpenAi, 'resp_68ab12'],
		['anthropic', ofAnthropic, 'file_011CNha8iCJcU1wXNR6q4V8w'],
		['anthropic', ofAnthropic, 'container_019'],
		['gemini', ofGemini, 'cachedContents/ab-12'],
		['gemini', ofGemini, 'fileSearchStores/ab-12'],
		['gemini', ofGemini, 'files/x9'],
	] as const)(
		'%s: %3$s is found, plain and with every sign as an escape',
		(_provider, referencesIn, name) => {
			expect(referencesIn(`{"deep":[{"x":"${name}"}],"y":"${name}"}`)).toEqual([name])
			expect(referencesIn(`{"x":"${hide(name)}"}`)).toEqual([name])
			expect(referencesIn(JSON.stringify({ text: `see "${name}" and ${name}` }))).toEqual([])
		},
	)

	it("keys, types, names, schemas and a model's tool arguments do not count as objects", () => {
		const schema = {
			type: 'object',
			properties: { file_path: {}, file_1: {} },
			required: ['file_path', 'file_1'],
		}
		const body = {
			tools: [{ type: 'file_search', name: 'file_read', input_schema: schema, parameters: schema }],
			messages: [
				{ content: [{ type: 'tool_use', name: 'read', input: { file_id: 'file_A1', resp_1: 'x' } }] },
			],
		}
		expect(ofAnthropic(JSON.stringify(body))).toEqual([])
		expect(ofOpenAi(JSON.stringify(body))).toEqual([])
		const named = { ...body, container: 'container_01', file_id: 'file_A1' }
		expect(ofAnthropic(JSON.stringify(named))).toEqual(['file_A1', 'container_01'])
		// A name that a parser would miss because of a duplicate key counts all the same.
		expect(ofAnthropic('{"input_schema":"file_A1","file_id":"file_A1","file_id":"x"}')).toEqual(['file_A1'])
	})

	it('a URL and a full resource name end in the same name', () => {
		expect(ofGemini('{"fileUri":"https://host/v1beta/files/f1"}')).toEqual(['files/f1'])
		expect(ofGemini('{"fileUri":"https:\\/\\/host\\/v1beta\\/files/f1"}')).toEqual(['files/f1'])
		expect(ofGemini('{"c":"projects/p/locations/l/cachedContents/7"}')).toEqual(['cachedContents/7'])
	})

	it('a URL of another server names no object of Google', () => {
		expect(ofGemini('{"url":"https://example.com/files/report"}')).toEqual([])
	})

	it('no text makes the search slow', () => {
		const start = process.cpuUsage()
		ofGemini(`{"text":"${'a/'.repeat(500_000)}"}`)
		ofGemini(`{"text":"projects${'/a'.repeat(500_000)}"}`)
		ofOpenAi(`{"text":"${'"file-'.repeat(200_000)}"}`)
		ofOpenAi(`{"text":"${'\\\\u0066'.repeat(200_000)}"}`)
		expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000)
	})

	it('items count if they are references, and invalid JSON counts as a foreign reference', () => {
		const item = (type: string) => JSON.stringify({ input: [{ type, id: 'msg_1' }] })
		expect(ofOpenAi(item('item_reference'))).toEqual(['msg_1'])
		expect(ofOpenAi(item('message'))).toEqual([])
		expect(ofOpenAi('{"input":[{"type":"item_reference"')).toEqual(['item_reference'])
	})

	it('references to items may be without a type, and in what is added to a conversation', () => {
		const id = 'msg_68af4030baa48193b0b43b4c2a176a1a'
		expect(ofOpenAi(JSON.stringify({ input: [{ id }, { role: 'user', content: 'x', id: 'own' }] }))).toEqual([
			id,
		])
		expect(
			ofOpenAi(
				JSON.stringify({
					items: [
						{ type: 'item_reference', id },
						{ id, type: null },
					],
				}),
			),
		).toEqual([id])
		expect(ofOpenAi(`{"input":[{"id":"${id}"}`)).toEqual([id])
	})
})
