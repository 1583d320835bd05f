import { type IncomingMessage, request } from 'node:http'
import { streamBody, type streams } from '../model-answers.ts'
import type { Subject } from './subjects.ts'

/** Opens endless streams, twenty at a time, and reads them; returns a function that closes them. */
export async function openStreams(subject: Subject, count: number): Promise<() => void> {
	const open: IncomingMessage[] = []
	while (open.length < count)
		open.push(...(await Promise.all(Array.from({ length: 20 }, () => openStream(subject, 'endless')))))
	for (const response of open) response.resume()
	return () => {
		for (const response of open) response.destroy()
	}
}

/** A paused stream whose first piece has arrived. */
export function openStream(subject: Subject, kind: keyof typeof streams): Promise<IncomingMessage> {
	const { origin, path, headers } = subject.to('')
	return new Promise((resolve, reject) => {
		request(`${origin}${path}`, { method: 'POST', headers, agent: false }, (response) => {
			if (response.statusCode !== 200)
				return reject(new Error(`A stream through ${subject.name}: HTTP ${response.statusCode}`))
			response.on('error', () => {}).once('readable', () => resolve(response))
		})
			.on('error', reject)
			.end(streamBody(kind))
	})
}
