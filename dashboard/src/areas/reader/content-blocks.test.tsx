import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { toPathText } from '../../lib/path-text.ts'
import { callIn, parseCompareSearch } from './compare-search.ts'
import { textOf, toBlocks } from './content-blocks.ts'
import { pairLines } from './differences.tsx'
import { Markdown } from './markdown.tsx'

test.each([
	['{"role":"user","content":"hello"}', 'hello'],
	[
		'{"content":[{"type":"text","text":"a"},{"type":"tool_use","name":"search","input":{"q":1}}]}',
		'a\nsearch({"q":1})',
	],
	['{"role":"user","parts":[{"text":"of Gemini"}]}', 'of Gemini'],
	['{"content":null,"tool_calls":[{"function":{"name":"get","arguments":"{}"}}]}', 'get({})'],
	['{"tool_calls":[{"name":"get","arguments":"{}"}]}', 'get({})'],
	[
		'{"parts":[{"type":"tool_call","name":"get","arguments":{"a":1}},{"type":"tool_call_response","response":"21"}]}',
		'get({"a":1})\n21',
	],
	['{"content":[{"type":"tool-call","toolName":"get","input":{"a":1}}]}', 'get({"a":1})'],
	['{"parts":[{"functionCall":{"name":"get","args":{"a":1}}}]}', 'get({"a":1})'],
	['{"role":"tool","content":"three","tool_call_id":"1"}', 'three'],
	['{"content":[{"type":"text","text":"ran"}],"isError":true}', 'ran'],
	['{"choices":[{"message":{"content":"answered"}}]}', 'answered'],
	['{"odd":1}', '{\n  "odd": 1\n}'],
	['{"content":[{"type":"text","text":"cut \\"of', 'cut "of'],
	['{"content":"cut of', 'cut of'],
	['not JSON', 'not JSON'],
	['"plain"', 'plain'],
])('%s becomes %s', (json, text) => {
	expect(textOf(toBlocks(json))).toBe(text)
})

test('an image is shown if the message contains it; if it is elsewhere only its address is shown, and it is never fetched', () => {
	const held = '{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}'
	expect(toBlocks(held)).toEqual([
		{ type: 'image', source: 'data:image/png;base64,AAAA', description: 'image/png' },
	])
	const blob = '{"parts":[{"type":"blob","modality":"image","mime_type":"image/png","content":"AAAA"}]}'
	expect(toBlocks(blob)).toMatchObject([{ source: 'data:image/png;base64,AAAA' }])
	const file = '{"content":[{"type":"file","mediaType":"image/png","data":"AAAA"}]}'
	expect(toBlocks(file)).toMatchObject([{ source: 'data:image/png;base64,AAAA' }])
	const far = '{"content":[{"type":"image_url","image_url":{"url":"https://tracker.example/a.png"}}]}'
	expect(toBlocks(far)).toEqual([
		{ type: 'image', source: null, description: 'https://tracker.example/a.png' },
	])
	const drawing = '{"content":[{"type":"image","data":"AAAA","mimeType":"image/svg+xml"}]}'
	expect(toBlocks(drawing)).toMatchObject([{ source: null }])
})

test('Markdown becomes elements, and HTML in it stays text', () => {
	const { container } = render(
		<Markdown
			text={
				'# Plan\n\n1. **first** step\n2. `code`\n\n```js\nrun()\n```\n<img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](https://x.example/)'
			}
		/>,
	)
	expect(screen.getByText('first').tagName).toBe('STRONG')
	expect(container.querySelectorAll('ol > li')).toHaveLength(2)
	expect(container.querySelector('pre')?.textContent).toBe('run()')
	expect(container.querySelector('img')).toBeNull()
	expect([...container.querySelectorAll('a')].map(({ href }) => href)).toEqual(['https://x.example/'])
	expect(container.textContent).toContain('<img src=x onerror=alert(1)>')
})

test('any name can be part of a path', () => {
	expect(toPathText('run-1')).toBe('run-1')
	expect(toPathText('team/7')).toBe('~dGVhbS83')
	expect(toPathText('~a')).toBe('~fmE')
})

const [trace, span] = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210']

test.each([
	[`https://signalbox.example/ui/w/main/traces/${trace}?span=${span}`, `${trace}/${span}`],
	[`${trace.toUpperCase()} ${span}`, `${trace}/${span}`],
	[`00-${trace}-${span}-01`, `${trace}/${span}`],
	[trace, null],
	['a session', null],
])('%s identifies the call %s', (text, call) => {
	expect(callIn(text)).toBe(call)
})

test('the compared calls are in the address, and invalid values are ignored', () => {
	const calls = [`${trace}/${span}`, `${trace}/0000000000000001`]
	expect(parseCompareSearch({ calls })).toEqual({ calls })
	expect(parseCompareSearch({ calls: [calls[0], 'x'] })).toEqual({})
	expect(parseCompareSearch({ sessions: ['run/7', 8] })).toEqual({ sessions: ['run/7', '8'] })
	expect(parseCompareSearch({ sessions: ['only one'] })).toEqual({})
})

test('lines that replaced others are next to them', () => {
	expect(pairLines('a\nb\nc\nd', 'a\nB\nC\nX\nd\ne')).toEqual([
		{ left: 'a', right: 'a' },
		{ left: 'b', right: 'B' },
		{ left: 'c', right: 'C' },
		{ left: null, right: 'X' },
		{ left: 'd', right: 'd' },
		{ left: null, right: 'e' },
	])
})
