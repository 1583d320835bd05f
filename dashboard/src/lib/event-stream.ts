import { baseUrl } from './base-url.ts'
import { dashboardHeader, sessionFetch } from './session-fetch.ts'

export interface StreamEvent {
	event: string
	data: string
}

export type StreamState = 'connecting' | 'open' | 'lost'

const longestPauseMs = 15_000

/** Follows a stream of server-sent events until the signal is aborted, reconnecting with exponential back-off. */
export async function followEvents(
	path: string,
	signal: AbortSignal,
	on: { event(event: StreamEvent): void; state(state: StreamState): void },
): Promise<void> {
	let pauseMs = 500
	while (!signal.aborted) {
		try {
			on.state('connecting')
			const headers = { ...dashboardHeader, accept: 'text/event-stream' }
			const response = await sessionFetch(new Request(`${baseUrl}${path}`, { headers, signal }))
			if (!response.ok || !response.body) throw new Error(`The stream answered ${response.status}`)
			on.state('open')
			pauseMs = 500
			for await (const event of readEvents(response.body)) on.event(event)
		} catch {
			if (signal.aborted) return
		}
		on.state('lost')
		await new Promise((resolve) => setTimeout(resolve, pauseMs))
		pauseMs = Math.min(pauseMs * 2, longestPauseMs)
	}
}

/** Parses the text of an event stream; comments and unknown fields are skipped as the standard requires. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
	const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
	let rest = ''
	try {
		for (;;) {
			const { value, done } = await reader.read()
			if (done) return
			const blocks = (rest + value).replaceAll('\r\n', '\n').split('\n\n')
			rest = blocks.pop() ?? ''
			for (const block of blocks) {
				const event = parseBlock(block)
				if (event) yield event
			}
		}
	} finally {
		await reader.cancel().catch(() => {})
	}
}

function parseBlock(block: string): StreamEvent | null {
	let event = 'message'
	const data: string[] = []
	for (const line of block.split('\n')) {
		const [, name, value = ''] = line.match(/^(\w+):? ?(.*)$/) ?? []
		if (name === 'event') event = value
		if (name === 'data') data.push(value)
	}
	return data.length > 0 ? { event, data: data.join('\n') } : null
}
