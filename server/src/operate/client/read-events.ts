import { EventSourceParserStream } from 'eventsource-parser/stream'
import { problemOf, unreachable } from './api-problem.ts'
import type { ClientOptions } from './create-client.ts'

export interface ServerSentEvent {
	event: string
	data: string
}

/** The events of a stream of the platform API, until it ends; throws an `ApiProblem` when it is refused or breaks off. */
export async function* readEvents(
	{ baseUrl, key }: ClientOptions,
	path: string,
): AsyncGenerator<ServerSentEvent> {
	const headers = { accept: 'text/event-stream', ...(key !== null && { authorization: `Bearer ${key}` }) }
	// The client's own instance, not an address that somebody registered: safe-fetch has no say here.
	const response = await globalThis.fetch(baseUrl + path, { headers }).catch((error: unknown) => {
		throw unreachable(baseUrl, error)
	})
	if (!response.ok || !response.body) throw problemOf(response, await response.json().catch(() => null))
	const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
	try {
		for await (const { event, data } of events) yield { event: event ?? 'message', data }
	} catch (error) {
		throw unreachable(baseUrl, error)
	}
}
