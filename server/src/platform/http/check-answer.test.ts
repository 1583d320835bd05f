import { describe, expect, it } from 'vitest'
import { createAnswerCheck, type ReceivedAnswer } from './check-answer.testing.ts'

const check = createAnswerCheck()
const json = 'application/json; charset=utf-8'
const problem = {
	type: '/docs/errors#not_found',
	title: 'There is no such object',
	status: 404,
	detail: 'There is no such agent.',
	code: 'not_found',
	request_id: 'r',
}
const answer = (change: Partial<ReceivedAnswer>): ReceivedAnswer => ({
	method: 'GET',
	path: '/version',
	status: 200,
	contentType: json,
	text: '{"version":"1"}',
	...change,
})

describe('the check of responses against the OpenAPI document', () => {
	it('accepts declared responses, and paths without an operation', () => {
		check(answer({}))
		check(answer({ path: '/version?x=1' }))
		check(answer({ method: 'HEAD', text: '' }))
		check(answer({ path: '/mcp', status: 418 }))
		const text = JSON.stringify(problem)
		check(answer({ path: '/v1/agents/x', status: 404, contentType: 'application/problem+json', text }))
		check(answer({ path: '/v1/agents/x', method: 'DELETE', status: 204, contentType: null, text: '' }))
	})

	it.each([
		['an undeclared status', { status: 418 }],
		['a field too many', { text: '{"version":"1","commit":"x"}' }],
		['a missing field', { text: '{}' }],
		['another media type', { contentType: 'text/html' }],
		['a body where none is declared', { path: '/v1/agents/x', method: 'DELETE', status: 204 }],
		[
			'an unknown code',
			{
				path: '/v1/agents/x',
				status: 404,
				contentType: 'application/problem+json',
				text: JSON.stringify({ ...problem, code: 'gone' }),
			},
		],
	])('refuses %s', (_name, change) => {
		expect(() => check(answer(change))).toThrow()
	})
})
