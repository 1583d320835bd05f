import type { IncomingHttpHeaders } from 'node:http'

const valueLimit = 256

/** The text of a small field of a `multipart/form-data` body; null when there is none, or more than one. */
export function formFieldIn(headers: IncomingHttpHeaders, body: Buffer, name: string): string | null {
	const boundary = /^multipart\/form-data;.*\bboundary="?([^";]{1,70})"?/i.exec(
		headers['content-type'] ?? '',
	)?.[1]
	if (boundary === undefined) return null
	const found = partsOf(body, `--${boundary}`)
		.map((part) => fieldOf(part, name))
		.filter((value) => value !== null)
	return found.length === 1 ? (found[0] ?? null) : null
}

export function filePurposeIn(headers: IncomingHttpHeaders, body: Buffer): string | null {
	return formFieldIn(headers, body, 'purpose')
}

function partsOf(body: Buffer, delimiter: string): Buffer[] {
	const parts: Buffer[] = []
	let from = body.indexOf(delimiter)
	while (from >= 0) {
		const next = body.indexOf(delimiter, from + delimiter.length)
		if (next < 0) break
		parts.push(body.subarray(from + delimiter.length, next))
		from = next
	}
	return parts
}

function fieldOf(part: Buffer, name: string): string | null {
	const headEnd = part.indexOf('\r\n\r\n')
	if (headEnd < 0) return null
	const head = part.toString('utf8', 0, headEnd)
	if (!new RegExp(`[;\\s]name="?${name}"?(;|\\s|$)`, 'i').test(head)) return null
	const value = part.subarray(headEnd + 4)
	return value.length > valueLimit ? '' : value.toString().replace(/\r\n$/, '')
}
