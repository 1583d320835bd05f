export interface SseEvent {
	event: string
	data: string
}

/** The events of a `text/event-stream` body, as they come. */
export async function* readSseEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<SseEvent> {
	const decoder = new TextDecoder()
	let rest = ''
	let event = 'message'
	let data: string[] = []
	for await (const chunk of body) {
		const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
		rest = lines.pop() ?? ''
		for (const line of lines) {
			if (line === '') {
				if (data.length > 0) yield { event, data: data.join('\n') }
				event = 'message'
				data = []
			} else if (line.startsWith('event:')) event = line.slice(6).trim()
			else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
		}
	}
}
