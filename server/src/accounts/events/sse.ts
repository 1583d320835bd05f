import { toIso } from '../../platform/clock.ts'
import type { EventRow } from './event-repository.ts'

/** An event as the stream shows it; its id is what `Last-Event-ID` resumes from. */
export function toSse({ id, type, at, data }: EventRow): string {
	const text = `{"id":"${id}","type":"${type}","timestamp":"${toIso(at)}","data":${data}}`
	return `id: ${id}\nevent: ${type}\ndata: ${text}\n\n`
}

/** Something that is not kept has no id: the client's last one stays. */
export function toLiveSse(type: string, atMs: number, data: object): string {
	const text = JSON.stringify({ type, timestamp: toIso(atMs), data })
	return `event: ${type}\ndata: ${text}\n\n`
}

/** Tells that events were left out; null when nobody knows how many. */
export function gapText(missed: number | null): string {
	return `event: gap\ndata: {"missed":${missed}}\n\n`
}
