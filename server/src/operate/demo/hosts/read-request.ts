import type { Dispatcher } from 'undici'

/** Headers in any of the forms that a dispatcher takes, with names in lower case. */
export function headersOf(headers: Dispatcher.DispatchOptions['headers']): Record<string, string> {
	if (Array.isArray(headers)) return fromPairs(headers)
	const given = Object.entries((headers ?? {}) as Record<string, unknown>)
	return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), String(value)]))
}

function fromPairs(flat: readonly unknown[]): Record<string, string> {
	const headers: Record<string, string> = {}
	for (let at = 0; at < flat.length; at += 2) headers[String(flat[at]).toLowerCase()] = String(flat[at + 1])
	return headers
}

/** A body in any of the forms that our own requests have. */
export async function bodyText(body: unknown): Promise<string> {
	if (typeof body === 'string') return body
	if (body instanceof Uint8Array) return Buffer.from(body).toString()
	if (body === null || body === undefined) return ''
	const chunks: Buffer[] = []
	for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(Buffer.from(chunk))
	return Buffer.concat(chunks).toString()
}
