import { expect, test } from 'vitest'
import { readEvents, type StreamEvent } from './event-stream.ts'

function streamOf(...chunks: string[]): ReadableStream<Uint8Array> {
	const bytes = new TextEncoder()
	return new ReadableStream({
		start(controller) {
			for (const chunk of chunks) controller.enqueue(bytes.encode(chunk))
			controller.close()
		},
	})
}

async function eventsOf(...chunks: string[]): Promise<StreamEvent[]> {
	const events: StreamEvent[] = []
	for await (const event of readEvents(streamOf(...chunks))) events.push(event)
	return events
}

test('an event may arrive in any chunks', async () => {
	const events = await eventsOf(
		': hello\n\nev',
		'ent: span\nda',
		'ta: {"a":1}\n',
		'\nevent: gap\ndata: {}\n\n',
	)
	expect(events).toEqual([
		{ event: 'span', data: '{"a":1}' },
		{ event: 'gap', data: '{}' },
	])
})

test('comments are skipped, data lines are joined, and an incomplete event is ignored', async () => {
	expect(await eventsOf(': heartbeat\n\n', 'data: a\r\ndata: b\r\n\r\n', 'data: never finished')).toEqual([
		{ event: 'message', data: 'a\nb' },
	])
})
