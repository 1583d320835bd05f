import { expect, it } from 'vitest'
import { takesEvents } from '../reply.ts'

it.each([
	['application/json, text/event-stream', true],
	['text/event-stream', true],
	['Text/Event-Stream;q=0.5 , application/json', true],
	['text/event-stream; charset=utf-8', true],
	['text/event-stream;q=0', false],
	['application/json, text/event-stream; q=0.00', false],
	['text/event-stream;q=0.05', true],
	['application/json', false],
	['*/*', false],
	['text/*', false],
	['text/event-streams', false],
	['', false],
	[undefined, false],
])('%j is a wish for events: %j', (accept, expected) => {
	expect(takesEvents(accept)).toBe(expected)
	expect(takesEvents(accept)).toBe(expected)
})
