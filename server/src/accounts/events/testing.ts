import { type ClientRequest, get } from 'node:http'
import { eventTypes } from '@signalbox/contract'
import { Value } from 'typebox/value'

/** Whether the data of an event conforms to the catalogue. */
export function hasFormOf(type: string, data: unknown): boolean {
	const kind = eventTypes[type]
	return kind !== undefined && Value.Check(kind.data, data)
}

export interface SeenEvent {
	id: string | undefined
	event: string
	// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields of the event.
	data: any
}

export interface EventWatcher {
	status: number
	headers: Record<string, string | string[] | undefined>
	/** Everything received so far. */
	text(): string
	seen(): SeenEvent[]
	until(holds: (seen: SeenEvent[]) => boolean): Promise<void>
	ended: Promise<void>
	close(): void
	pause(): void
	resume(): void
}

/** A client of `GET /v1/events`. */
export function watchEvents(url: string, headers: Record<string, string>): Promise<EventWatcher> {
	return new Promise((resolve, reject) => {
		const request: ClientRequest = get(url, { headers }, (response) => {
			let text = ''
			response.setEncoding('utf8').on('data', (chunk: string) => {
				text += chunk
			})
			response.on('error', () => undefined)
			const ended = new Promise<void>((done) => response.once('close', done))
			const seen = () => parseEvents(text)
			resolve({
				status: response.statusCode ?? 0,
				headers: response.headers,
				text: () => text,
				seen,
				ended,
				until: (holds) =>
					untilHolds(
						() => holds(seen()),
						() => text,
					),
				close: () => request.destroy(),
				pause: () => void response.pause(),
				resume: () => void response.resume(),
			})
		})
		request.once('error', reject)
	})
}

async function untilHolds(holds: () => boolean, text: () => string): Promise<void> {
	for (const deadline = performance.now() + 10_000; !holds(); ) {
		if (performance.now() > deadline) throw new Error(`Not seen within 10 s: ${text().slice(-2000)}`)
		await new Promise((wait) => setTimeout(wait, 10))
	}
}

function parseEvents(text: string): SeenEvent[] {
	const blocks = text.split('\n\n').slice(0, -1)
	return blocks.flatMap((block) => {
		const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]))
		const event = fields.get('event')
		return event === undefined
			? []
			: [{ id: fields.get('id'), event, data: JSON.parse(fields.get('data') ?? '') }]
	})
}
